"""Pictures of `hyla simulate traffic --json`: throughput against the probability of access or the
load, for each network, and how much of a cube's capacity a scheme reaches at its best, against
dimensions.  Both are per slot; the capacity is that of the time of a packet over a link, which is
all of a slot but its control interval."""

from curves import file_name
from picture import MOST_CURVES, Picture, Point, brief
from records import amount, number, plain

CAPACITY = 2  # packets a node and slot: no scheme passes more, if all destinations are alike


def throughput_of(record):
    """What was counted, or by formula where nothing was."""
    counted = amount(record.get("throughput"))
    return counted if counted is not None else amount(record.get("formula_value"))


def label_of(record):
    """The scheme, and its buffers, control interval and retries if it has some."""
    buffers = record.get("buffers")
    shown = f", {plain(buffers)} buffers" if buffers not in (0, None) else ""
    label = plain(record.get("scheme", "?")) + shown.replace(" 1 buffers", " 1 buffer")
    if amount(record.get("beta")):
        label += f", beta {brief(record['beta'])}"
    if amount(record.get("retry")):
        label += f", retry {brief(record['retry'])}"
    return label


def place_of(record):
    """The network as its option names it, or the cube's dimensions; None: neither is told."""
    if record.get("network") is not None:
        return plain(record["network"])
    return plain(record["dims"]) if number(record.get("dims")) is not None else None


def spread_of(record):
    """The interval of what was counted."""
    interval = record.get("throughput_interval")
    if not isinstance(interval, list) or len(interval) != 2:
        return None
    low, high = amount(interval[0]), amount(interval[1])
    return (low, high) if low is not None and high is not None else None


class Traffic:
    """All records of traffic, with the members of a group of runs for pages and plots."""

    def __init__(self, records):
        self.runs, self.simulated = [], True
        self.operation = self.name = "traffic"
        self.pictures, self.notes = [], []
        known = [
            one
            for one in records
            if throughput_of(one) is not None
            and place_of(one) is not None
            and one.get("scheme") != "broadcasts"
        ]
        if len(known) < len(records):
            self.notes.append(
                f"Not drawn: {len(records) - len(known)} without a throughput, or broadcasts."
            )
        for axis, told in (("access", "probability of access"), ("load", "load of the links")):
            for place in sorted(set(map(place_of, known))):
                self.against(axis, told, place, [one for one in known if place_of(one) == place])
        self.saturation([one for one in known if number(one.get("dims")) is not None])
        if not self.pictures:
            self.notes.append("Not drawn: no scheme has records at two places of an axis.")

    def add(self, name, headline, subtitle, x_label, y_label, curves, behind):
        if len(curves) > MOST_CURVES:
            self.notes.append(f"Drawn: {MOST_CURVES} of {len(curves)} schemes.")
        drawn = curves[:MOST_CURVES]
        thin = [one for one in behind if one[0] in dict(drawn)]
        if drawn:
            picture = Picture(
                name, headline, subtitle, x_label, y_label, drawn, zero=True,
                behind=(thin, "by formula" if thin else ""),
            )
            self.pictures.append(picture)

    def against(self, axis, told, place, records):
        """Throughput of schemes that were played at several values of an axis, with formulas."""
        curves, behind = [], []
        for label in dict.fromkeys(map(label_of, records)):
            mine = [one for one in records if label_of(one) == label and amount(one.get(axis))]
            mine.sort(key=lambda one: one[axis])
            if len({one[axis] for one in mine}) < 2:
                continue
            curves.append((label, [point(one, one[axis], axis) for one in mine]))
            formula = [one for one in mine if amount(one.get("formula_value"))]
            if len(formula) > 1:
                behind.append((label, [by_formula(one, one[axis]) for one in formula]))
        self.add(
            file_name(["traffic", axis, place]),
            f"Throughput against {axis}",
            [(place if ":" in place else f"cube of {place} dimensions") + ", traffic at random"],
            told,
            "packets that arrive, a node and slot",
            curves,
            behind,
        )

    def saturation(self, records):
        """The best throughput of each scheme over all that was played, by dimensions."""
        curves = []
        for label in dict.fromkeys(map(label_of, records)):
            best = {}
            for one in records:
                dims = number(one.get("dims"))
                if label_of(one) != label or dims is None:
                    continue
                if dims not in best or share_of(one) > share_of(best[dims]):
                    best[dims] = one
            if len(best) > 1:
                curves.append(
                    (label, [part(one, dims) for dims, one in sorted(best.items())])
                )
        self.add(
            file_name(["traffic", "saturation"]),
            "Saturation against dimensions",
            ["the best throughput over all accesses, divided by 2, which none can pass"],
            "dimensions of the cube",
            "part of the capacity",
            curves,
            [],
        )


def point(record, x, axis):
    value = throughput_of(record)
    return Point(x, value, spread_of(record), False, f"{axis} {brief(x)}: {brief(value)}")


def by_formula(record, x):
    value = record["formula_value"]
    return Point(x, value, None, False, f"{brief(x)}: {brief(value)} by formula")


def share_of(record):
    """Of the capacity: a slot takes the control interval besides."""
    return throughput_of(record) / (1 + (amount(record.get("beta")) or 0)) / CAPACITY


def part(record, dims):
    value = share_of(record)
    return Point(dims, value, None, False, f"{dims} dimensions: {brief(value)}")
