"""Pictures of `hyla explain collective --name exchange --phases --json`: the time of an exchange
against the length of a message.  Phases that are the best for some length have curves, as has the
envelope; all others have thin curves."""

from curves import file_name
from picture import MOST_CURVES, Picture, Point, brief
from records import amount, number, plain

STEPS = 24  # points of a curve, besides those where another one becomes the best


class Phases:
    """The phases on one cube and machine, with the members of a group of runs for pages and
    plots."""

    def __init__(self, record):
        self.runs, self.simulated = [], True
        machine, dims = plain(record.get("machine", "")), plain(record.get("dims", "?"))
        self.operation = self.name = f"phases of an exchange, {dims} dimensions, {machine}"
        self.pictures, self.notes = [], []
        best = best_of(record)
        if not best:
            self.notes.append("Not drawn: the record has no phases.")
            return
        if len(best) > MOST_CURVES:
            self.notes.append(f"Drawn: {MOST_CURVES} of {len(best)} partitions that are the best.")
        lengths = lengths_of(best)
        curves = [
            (label, [point(best, index, length) for length in lengths])
            for index, (label, _) in enumerate(best[:MOST_CURVES])
        ]
        shown = {parts_of(label) for label, _ in curves}
        others = [one for one in lines_of(record, "sweep") if parts_of(one[0]) not in shown]
        self.pictures.append(
            Picture(
                file_name(["phases", dims, machine]),
                "Exchange in phases, predicted",
                [f"{dims} dimensions over circuits, machine {machine}"],
                "bytes of a message",
                "seconds",
                curves,
                behind=(
                    [
                        (label, [plain_point(line, length) for length in lengths])
                        for label, line in others
                    ],
                    f"{len(others)} other partition{'s' * (len(others) != 1)}",
                ),
            )
        )


class Line:
    """The time with some phases: seconds, seconds for each byte, and the length from which they are
    the best."""

    def __init__(self, empty, byte, begin):
        self.empty, self.byte, self.begin = empty, byte, begin

    def at(self, length):
        return self.empty + self.byte * length


def lines_of(record, key):
    """Pairs of a label and a line, for records that have both."""
    lines, found = [], record.get(key)
    for one in found if isinstance(found, list) else []:
        phases = one.get("phases") if isinstance(one, dict) else None
        if not isinstance(phases, list):
            continue
        empty, byte = amount(one.get("seconds_empty")), amount(one.get("seconds_byte"))
        if empty is not None and byte is not None:
            line = Line(empty, byte, number(one.get("from")))
            lines.append((f"({','.join(map(plain, phases))})", line))
    return lines


def best_of(record):
    """The lines of the envelope, in their order."""
    lines = []
    for label, line in lines_of(record, "envelope"):
        if line.begin is None or not 0 <= line.begin < 1e30:
            continue
        if not lines or line.begin >= lines[-1][1].begin:
            lines.append((label, line))
    return lines


def parts_of(label):
    """A key that is the same for phases in any order."""
    return tuple(sorted(label.strip("()").split(",")))


def lengths_of(best):
    """The lengths from below the first change to beyond the last one, including both."""
    changes = sorted({line.begin for _, line in best if line.begin > 0})
    low, high = (changes[0] / 4, 4 * changes[-1]) if changes else (1, 1000)
    steps = [low * (high / low) ** (i / STEPS) for i in range(STEPS + 1)]
    return sorted(set(steps + changes))


def plain_point(line, length, chosen=False):
    value = line.at(length)
    return Point(length, value, None, chosen, f"{brief(length)} bytes: {brief(value)} s")


def point(best, index, length):
    chosen = max(
        place for place, (_, line) in enumerate(best) if place == 0 or line.begin <= length
    )
    return plain_point(best[index][1], length, index == chosen)
