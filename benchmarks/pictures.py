"""Chooses the pictures of runs.  For each operation: its speed, the fraction of the limit, measured
times over predicted ones and times over the best, against the size; against the nodes if these
differ at one size; and bars for operations with one size."""

from curves import Curve, but_type, collect, file_name, label_of, named, split, subtitle_of, widest
from metrics import CROSSOVER, TIME, VIRTUAL, metrics
from phases import Phases
from picture import Picture, Point, brief
from records import SETTING, identity, tell_apart
from traffic import Traffic


class Group:
    """An operation, measured or simulated: its runs, its pictures, and the runs not drawn."""

    def __init__(self, runs):
        self.runs = runs
        self.operation, self.simulated = runs[0].operation, runs[0].simulated
        self.name = self.operation + (" on virtual cubes" if self.simulated else "")
        self.pictures, self.names, self.notes = [], [], []
        timed = without_twins(run for run in runs if run.timed and run.x is not None)
        self.best = best_times(timed)
        self.choose(timed)
        self.name_pictures()
        self.note(timed)

    def choose(self, timed):
        """Draws against size, against nodes, or both; runs with one of each become bars."""
        sizes = collect(timed, "x", 2)
        nodes = widest(collect(timed, "ranks", 3))
        drawn = set()
        for axis, sets in (("x", sizes), ("ranks", nodes)):
            # A variant that ran at only one place of this axis is shown once.
            curves = [
                Curve(runs, axis)
                for runs in sets.values()
                if len(runs) > 1 or id(runs[0]) not in drawn
            ]
            drawn |= {id(run) for curve in curves for run in curve.runs}
            self.draw(curves, axis)
        rest = [run for run in timed if id(run) not in drawn]
        alike = {but_type(run) for run in rest}
        self.draw([Curve([run], None) for run in timed if but_type(run) in alike], None)

    def draw(self, curves, axis):
        for part, chunk, chunks in split(curves, axis):
            runs = [run for curve in part for run in curve.runs]
            for metric in metrics(runs, axis):
                picture = self.picture(
                    metric, part, axis, f", {chunk} of {chunks}" if chunks > 1 else ""
                )
                if picture:
                    self.pictures.append(picture)

    def picture(self, metric, curves, axis, chunk):
        """One picture; None if no run has its quantity, or if there is nothing to compare."""
        drawn = []
        for curve in curves:
            points = [self.point(metric, run, axis) for run in curve.runs]
            points = [point for point in points if point]
            if points:
                drawn.append((curve, points))
        if (
            not drawn
            or metric is CROSSOVER
            and len({curve.attributes["variant"] for curve, _ in drawn}) < 2
        ):
            return None
        varying = [
            key
            for key in drawn[0][0].attributes
            if len({str(curve.attributes[key]) for curve, _ in drawn}) > 1
        ]
        labelled = [(label_of(curve, varying or ["variant"]), points) for curve, points in drawn]
        runs = [run for curve, _ in drawn for run in curve.runs]
        against = {"x": f" against {runs[0].axis}", "ranks": " against nodes", None: ""}[axis]
        if runs[0].simulated and metric is not VIRTUAL:
            against += ", simulated"
        label = metric.label
        if (
            metric in (TIME, VIRTUAL)
            and runs[0].simulated
            and runs[0].record.get("machine") != "given"
        ):
            label = "seconds, simulated"
        subtitle = subtitle_of(self.operation, drawn, varying, runs, chunk)
        common = {
            key: named(key, value, self.simulated)
            for key, value in drawn[0][0].attributes.items()
            if key != "variant" and key not in varying
        }
        self.names.append(
            (common, [{"x": "", "ranks": "nodes", None: "bars"}[axis], metric.name, chunk])
        )
        return Picture(
            "",
            metric.headline + against,
            subtitle,
            "nodes" if axis == "ranks" else runs[0].axis,
            label,
            labelled,
            rows=axis is None,
            **metric.drawn,
        )

    def name_pictures(self):
        """Names pictures by operation and kind, and by their differences."""
        taken = {}
        for picture, (common, kind) in zip(self.pictures, self.names):
            apart = [
                words
                for key, words in common.items()
                if len({str(other.get(key)) for other, _ in self.names}) > 1
            ]
            name = file_name([self.operation] + ["cube"] * self.simulated + apart + kind)
            taken[name] = taken.get(name, 0) + 1
            picture.name = name if taken[name] == 1 else f"{name}-{taken[name]}"

    def point(self, metric, run, axis):
        best = self.best.get(place_of(run))
        value = metric.value(run, best)
        if value is None or value <= 0:
            return None
        x = run.ranks if axis == "ranks" else run.x
        place = f"{x} nodes" if axis == "ranks" else run.problem
        return Point(
            x,
            value,
            metric.spread(run, best),
            run.chosen,
            f"{place}: {brief(value)} {metric.label}",
        )

    def note(self, timed):
        """Notes values that are not drawn because they are missing or equal in all records."""
        right = [run for run in self.runs if run.verdict in ("PASSED", "")]
        lacking = [run for run in right if not run.timed or run.x is None]
        tell(self.notes, lacking, "without a time or a size")
        if self.simulated:
            known = [run for run in timed if run.predicted]
            off = [abs(run.seconds / run.predicted - 1) for run in known]
            equal = sum(difference < 1e-9 for difference in off)
            if known:
                self.notes.append(
                    f"Predicted is simulated time in {equal} of {len(known)} runs"
                    + (
                        "."
                        if equal == len(known)
                        else f", and at most {100 * max(off):.3g} % off in the others."
                    )
                )
        tell(self.notes, [run for run in timed if not run.predicted], "without a predicted time")
        if any(run.gflops for run in timed):
            tell(self.notes, [run for run in timed if not run.gflops], "without Gflop/s")
            tell(
                self.notes,
                [run for run in timed if run.fraction is None],
                "without a limit of the run",
            )
        idle = [run for run in self.runs if run.verdict == "does not apply"]
        tell(self.notes, idle, "of variants that do not apply, or were not run")


def tell(notes, runs, what):
    if runs:
        variants = sorted({run.variant for run in runs})
        shown = ", ".join(variants[:8]) + (", ..." if len(variants) > 8 else "")
        notes.append(f"Not drawn: {len(runs)} record{'s' * (len(runs) > 1)} {what} ({shown}).")


def place_of(run):
    """A key for runs of one place, which differ only in their variant."""
    return identity(run)[:2] + identity(run)[3:]


def without_twins(runs):
    """Drops repeated simulations, which have the same times."""
    kept = {}
    for run in runs:
        key = (identity(run), run.seconds)
        if run.simulated:
            key = (place_of(run)[:3], run.variant, run.seconds) + tuple(
                run.setting[name] for name in SETTING if name != "repetition"
            )
        kept.setdefault(key, run)
    return list(kept.values())


def best_times(runs):
    best = {}
    for run in runs:
        best[place_of(run)] = min(best.get(place_of(run), run.seconds), run.seconds)
    return best


def groups(runs):
    """The operations that were run, in their order, then the phases that were asked for, then
    traffic."""
    tell_apart(runs)
    found, phases, traffic = {}, [], []
    for run in runs:
        if run.record.get("op") == "phases":
            phases.append(Phases(run.record))
        elif run.record.get("op") == "traffic":
            traffic.append(run.record)
        elif not run.command:
            found.setdefault((run.simulated, run.operation), []).append(run)
    return [Group(of) for of in found.values()] + phases + ([Traffic(traffic)] if traffic else [])
