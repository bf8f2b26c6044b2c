"""Groups runs into curves, splits curves into parts that one picture can hold, and names both."""

import re

from picture import MOST_CURVES
from records import SETTING


class Curve:
    """The runs of one variant in one setting."""

    def __init__(self, runs, axis):
        self.runs, self.axis = runs, axis
        self.attributes = {"variant": runs[0].variant}
        for key in SETTING:
            self.attributes[key] = runs[0].setting[key]
        if axis == "x":
            del self.attributes["problem"]
        elif axis == "ranks":
            del self.attributes["ranks"]


def but_type(run):
    """The key by which runs that differ only in their type are neighbours."""
    return (run.variant, run.x) + tuple(run.setting[name] for name in SETTING if name != "type")


def collect(runs, axis, least):
    """Sets of runs that differ only along an axis, for variants that have at least this number of
    places on it."""
    free = "problem" if axis == "x" else "ranks"
    sets, places = {}, {}
    for run in runs:
        key = (run.variant,) + tuple(run.setting[name] for name in SETTING if name != free)
        if axis == "ranks":
            key += (run.x,)
        sets.setdefault(key, []).append(run)
    for key, found in sets.items():
        if len(found) > 1:
            places.setdefault(key[1:], set()).update(getattr(run, axis) for run in found)
    return {key: found for key, found in sets.items() if len(places.get(key[1:], ())) >= least}


def widest(sets):
    """Among sets against nodes that differ in their problem, those with the most nodes, or the
    largest."""
    if not sets:
        return sets
    measure = {}
    for key, runs in sets.items():
        count, places = len({run.ranks for run in runs}), key[-1]
        measure[key[-1]] = max(measure.get(key[-1], (0, 0)), (count, places))
    chosen = max(measure.values())[1]
    return {key: runs for key, runs in sets.items() if key[-1] == chosen}


def split(curves, axis):
    """Splits curves into parts that a picture can hold; each part has its number and the number of
    parts.  Rows of bars are named beside the bar, so a picture can hold twice as many."""
    most = MOST_CURVES if axis else 2 * MOST_CURVES
    if not curves:
        return []
    if len(curves) <= most:
        return [(order(curves), 1, 1)]
    keys = list(curves[0].attributes)
    for key in keys if axis else ["problem"] + keys:
        values = sorted({str(curve.attributes[key]) for curve in curves}, key=natural)
        if key != "variant" and len(values) > 1:
            return [
                part
                for value in values
                for part in split(
                    [curve for curve in curves if str(curve.attributes[key]) == value], axis
                )
            ]
    # The first curve, mostly the fastest, is in each part.
    first, *rest = order(curves)
    chunks = -(-len(rest) // (most - 1))
    size = -(-len(rest) // chunks)
    return [([first] + rest[size * i : size * (i + 1)], i + 1, chunks) for i in range(chunks)]


def order(curves):
    """Sorts by setting, and within a setting the fastest variant at the largest place first."""

    def key(curve):
        last = max(curve.runs, key=lambda run: (run.x, run.ranks or 0))
        attributes = [
            natural(str(curve.attributes[name])) for name in curve.attributes if name != "variant"
        ]
        return (attributes, -len(curve.runs), last.seconds)

    return sorted(curves, key=key)


def natural(text):
    """A sort key in which numbers within a text compare as numbers."""
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in re.split(r"(\d+)", text)
        if part
    ]


NAMED = {
    "host": "host {}",
    "layout": "layout {}",
    "commit": "commit {}",
    "repetition": "time {}",
    "shape": "m : n : k = {}",
}


def named(key, value, simulated):
    """The text of an attribute for readers."""
    if value in (None, ""):
        return {"shape": "square", "type": "type unknown"}.get(key, "")
    if key == "ranks":
        return f"{value} {'node' if simulated else 'rank'}{'s' * (value != 1)}"
    if key == "threads":
        return f"{value} thread{'s' * (value != 1)} a rank"
    return NAMED.get(key, "{}").format(value)


def label_of(curve, varying):
    simulated = curve.runs[0].simulated
    words = [named(key, curve.attributes[key], simulated) for key in varying]
    return ", ".join(word for word in words if word) or curve.attributes["variant"] or "?"


def subtitle_of(operation, drawn, varying, runs, chunk):
    """The lines of a subtitle: what all curves have in common and other pictures do not."""
    first, simulated = drawn[0][0], runs[0].simulated
    what = [operation]
    if len(drawn) == 1 and first.attributes["variant"]:
        what.append(f"variant {first.attributes['variant']}")
    for key in ("problem", "ranks", "threads", "type", "shape", "options", "layout", "machine"):
        value = first.attributes.get(key)
        if value not in (None, "") and key not in varying:
            what.append(named(key, value, simulated))
    if "ranks" in varying or "ranks" not in first.attributes:
        counts = sorted({run.ranks for run in runs if run.ranks})
        what.append(("nodes " if simulated else "ranks ") + ", ".join(map(str, counts)))
    where = []
    if not simulated:
        where = [
            "hosts differ" if "host" in varying else named("host", first.attributes["host"], False),
            "" if "commit" in varying else named("commit", first.attributes["commit"], False),
        ]
        dates = sorted({run.date for run in runs if run.date})
        where.append(" to ".join(dates[:1] + dates[1:][-1:]) or "date unknown")
        if "repetition" not in varying and first.attributes["repetition"] > 1:
            where.append(named("repetition", first.attributes["repetition"], False))
    lines = [
        ", ".join(word for word in what if word) + chunk,
        ", ".join(word for word in where if word),
    ]
    return [line for text in lines if text for line in wrapped(text, 92)]


def wrapped(text, most):
    """Breaks a list into lines of at most this length, unless a word is longer."""
    lines = [""]
    for word in text.split(", "):
        if lines[-1] and len(lines[-1]) + len(word) > most:
            lines[-1] += ","
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + word
    return lines


def file_name(words):
    return re.sub(r"[^a-z0-9.]+", "-", " ".join(words).lower()).strip("-.")[:160]
