"""Pictures of `hyla explain collective --name exchange --phases --json`: what an exchange in some
phases takes against the length of a message, for those phases that somewhere are the best."""

from curves import file_name
from picture import MOST_CURVES, Picture, Point, brief
from records import amount, number, plain

STEPS = 24  # points of a curve, beside those where another becomes the best


class Phases:
    """The best phases on one cube and machine; to a page or a plot as a group of runs is."""

    def __init__(self, record):
        self.runs, self.simulated = [], True
        machine, dims = plain(record.get("machine", "")), plain(record.get("dims", "?"))
        self.operation = self.name = f"phases of an exchange, {dims} dimensions, {machine}"
        self.pictures, self.notes = [], []
        lines = lines_of(record)
        if not lines:
            self.notes.append("Not drawn: the record has no phases.")
            return
        if len(lines) > MOST_CURVES:
            self.notes.append(f"Drawn: {MOST_CURVES} of {len(lines)} partitions.")
        lengths = lengths_of(lines)
        curves = [
            (label, [point(lines, index, length) for length in lengths])
            for index, (label, _, _, _) in enumerate(lines[:MOST_CURVES])
        ]
        self.pictures.append(
            Picture(
                file_name(["phases", dims, machine]),
                "Exchange in phases, predicted",
                [f"{dims} dimensions over circuits, machine {machine}"],
                "bytes of a message",
                "seconds",
                curves,
            )
        )


def lines_of(record):
    """Of each partition its label, where it begins to be the best, and its line; rightly ordered
    ones alone."""
    lines, envelope = [], record.get("envelope")
    for one in envelope if isinstance(envelope, list) else []:
        phases = one.get("phases") if isinstance(one, dict) else None
        if not isinstance(phases, list):
            continue
        begin, empty = number(one.get("from")), amount(one.get("seconds_empty"))
        byte = amount(one.get("seconds_byte"))
        if None in (begin, empty, byte) or not 0 <= begin < 1e30:
            continue
        if not lines or begin >= lines[-1][1]:
            lines.append((f"({','.join(map(plain, phases))})", begin, empty, byte))
    return lines


def lengths_of(lines):
    """Lengths from below the first change to behind the last one, with both."""
    changes = sorted({begin for _, begin, _, _ in lines if begin > 0})
    low, high = (changes[0] / 4, 4 * changes[-1]) if changes else (1, 1000)
    steps = [low * (high / low) ** (i / STEPS) for i in range(STEPS + 1)]
    return sorted(set(steps + changes))


def point(lines, index, length):
    label, _, empty, byte = lines[index]
    value = empty + byte * length
    best = max(place for place, line in enumerate(lines) if place == 0 or line[1] <= length)
    told = f"{brief(length)} bytes: {brief(value)} s"
    return Point(length, value, None, index == best, told)
