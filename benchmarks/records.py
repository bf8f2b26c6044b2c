"""Reads the records of `hyla bench --json` and `hyla simulate --json` as runs: what was run, on
what, and with which result.  Runs that differ in anything besides their size or their nodes have
different settings, and so are never in one curve."""

import json
import math
import re

# The members of a setting, besides operation and variant, in the order in which pictures with too
# many curves are split.
SETTING = (
    "host",
    "commit",
    "machine",
    "repetition",
    "options",
    "layout",
    "type",
    "threads",
    "ranks",
    "shape",
    "problem",
)

# Fields that describe a problem; absent and false ones are left out.
OPTIONS = (
    "nrhs",
    "triangle",
    "side",
    "transpose",
    "conjugate",
    "diagonal",
    "pivots",
    "reproducible",
    "partition",
)

UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class RecordsError(Exception):
    """A file cannot be read; the text names it."""


def plain(value):
    """A text for people, without control characters."""
    return UNPRINTABLE.sub("?", str(value))


def number(value):
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def amount(value):
    """A number whose logarithm can be drawn, or None: no time is 0, and none is a googol."""
    value = number(value)
    return value if value is not None and 1e-30 < value < 1e30 else None


def objects(text, name):
    """The JSON objects of a text, one after the other or in lists, and the fault of the rest, or
    None."""
    decoder = json.JSONDecoder()
    found, place = [], 0
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        if place == len(text):
            return found, None
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            line = text.count("\n", 0, place) + 1
            return found, f"{name} is cut off or no JSON from line {line} on"
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, dict):
                return found, f"{name} has something else than records"
            found.append(one)


def read(name):
    """The runs of a file, and its fault, or None."""
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as fault:
        raise RecordsError(
            f"cannot read {name}: {getattr(fault, 'strerror', None) or fault}"
        ) from fault
    found, fault = objects(text, name)
    return [Run(one) for one in found], fault


def without_block(layout):
    """The axes of a layout; block and array are left out, which by default follow from size and
    ranks."""
    axes = re.sub(r"@.*", "", re.sub(r":\d+", "", layout)).split(",")
    return ",".join(dict.fromkeys(axes))


def ratio_of(sizes):
    """Sizes as a ratio in lowest terms; None for squares."""
    if len(set(sizes)) <= 1 or 0 in sizes:
        return None
    divisor = math.gcd(*sizes)
    return " : ".join(str(size // divisor) for size in sizes)


class Run:
    """A record: one variant at one size."""

    def __init__(self, record):
        text = lambda key: plain(record.get(key) or "")
        self.record = record
        context = record.get("context")
        self.context = context if isinstance(context, dict) else {}
        self.simulated = record.get("simulated") is True or record.get("op") == "simulate"
        self.command = text("command")
        self.operation = text("name") if record.get("op") in ("bench", "simulate") else text("op")
        if record.get("method") and record.get("method") != self.operation:
            self.operation += f" ({text('method')})"
        self.variant = text("variant")
        self.chosen = record.get("chosen") is True
        self.status = text("status")
        self.message = text("message")
        self.passed = record.get("passed")
        self.results()
        self.sizes()
        self.setting = self.settings()

    def results(self):
        """Reads the results."""
        get = lambda *keys: next(
            (amount(self.record[key]) for key in keys if key in self.record), None
        )
        self.seconds = get("seconds_median", "time")
        least, most = get("seconds_min") or self.seconds, get("seconds_max") or self.seconds
        self.least = min(least, self.seconds) if least and self.seconds else self.seconds
        self.most = max(most, self.seconds) if most and self.seconds else self.seconds
        self.predicted = get("seconds_predicted")
        self.gflops, self.fraction = get("gflops"), get("fraction")
        self.rate, self.copy = get("gbytes_per_s"), get("ratio")
        self.residual = number(self.record.get("residual"))
        dims = self.record.get("dims")
        of_dims = 1 << dims if isinstance(dims, int) and 0 <= dims < 64 else None
        self.ranks = get("ranks") or of_dims

    def sizes(self):
        """Sets x, the value on a picture's axis, and problem, all sizes as a text."""
        size = [
            int(number(self.record[key]))
            for key in ("m", "n", "k")
            if number(self.record.get(key)) is not None
        ]
        words = number(self.record.get("words"))
        self.x = number(self.record.get("n")) if size else words
        self.axis = "n" if size else "words"
        self.ratio = ratio_of(size)
        same = len(set(size)) == 1
        self.problem = (
            f"n = {size[0]}"
            if same
            else " x ".join(map(str, size))
            if size
            else f"{words} words"
            if words is not None
            else ""
        )

    def settings(self):
        """The members of the setting, named as in SETTING."""
        record = self.record
        options = []
        for key in OPTIONS:
            value = record.get(key)
            if key == "nrhs" and value != 1 and number(value) is not None:
                options.append(
                    "n right-hand sides" if value == self.x else f"{value} right-hand sides"
                )
            elif value is True:
                options.append(key)
            elif isinstance(value, str):
                options.append(f"{key} {plain(value)}")
        if isinstance(record.get("layout_from"), str):
            options.append(f"from {without_block(plain(record['layout_from']))}")
        layout = record.get("layout")
        machine = plain(record.get("machine", ""))
        if self.simulated:
            given = [
                f"{key} {number(record[key]):g}"
                for key in ("alpha", "beta", "gamma")
                if number(record.get(key)) is not None
            ]
            machine = ", ".join(
                [f"machine {machine}", f"ports {plain(record.get('ports', '?'))}"] + given
            )
        return {
            "host": "" if self.simulated else plain(self.context.get("host_name", "unknown")),
            "commit": plain(self.context.get("library_commit", "")),
            "machine": machine if self.simulated else "",
            "repetition": 1,
            "options": ", ".join(options),
            "layout": without_block(plain(layout)) if isinstance(layout, str) else "",
            "type": plain(record.get("type", "")),
            "threads": None
            if self.simulated
            else number(record.get("threads")) or number(self.context.get("threads")),
            "ranks": self.ranks,
            "shape": self.ratio,
            "problem": self.problem,
        }

    @property
    def date(self):
        return plain(self.context.get("date", ""))[:10]

    @property
    def verdict(self):
        """PASSED or FAILED by the residual, "does not apply", or "" if nothing was checked."""
        if self.command or self.record.get("exit", 0) not in (0, None) or self.passed is False:
            return "FAILED"
        if self.status == "HYLA_UNSUPPORTED":
            return "does not apply"
        if self.status != "HYLA_OK":
            return "FAILED"
        return "PASSED" if self.passed is True else ""

    @property
    def timed(self):
        """Has it a time, and no wrong result?"""
        return bool(self.seconds) and self.verdict in ("PASSED", "")


def whole_layout(run):
    return plain(run.record.get("layout", ""))


def tell_apart(runs):
    """If several runs have the same setting, variant and size, adds their whole layout to the
    setting or, if that is equal too, the number of the repetition."""
    seen = {}
    for run in runs:
        seen.setdefault(identity(run), []).append(run)
    for same in seen.values():
        if len({whole_layout(run) for run in same}) > 1:
            for run in same:
                run.setting["layout"] = whole_layout(run)
    seen = {}
    for run in sorted(runs, key=lambda run: str(run.context.get("date", ""))):
        seen.setdefault(identity(run), []).append(run)
    for same in seen.values():
        for count, run in enumerate(same):
            run.setting["repetition"] = count + 1


def identity(run):
    return (run.simulated, run.operation, run.variant, run.x) + tuple(
        run.setting[key] for key in SETTING
    )
