"""The quantities that pictures show of runs."""

MISS = 0.15  # the band around a prediction, relative to it


class Metric:
    """value(run, best): the quantity drawn for a run, or None; best is the run with the least time
    at its size and setting.  spread(run, best): its least and most, or None."""

    def __init__(self, name, headline, label, value, spread=lambda run, best: None, **drawn):
        self.name, self.headline, self.label = name, headline, label
        self.value, self.spread, self.drawn = value, spread, drawn


def slower(value):
    """The spread of a speed over the repetitions."""
    return lambda run, best: (
        value(run) * run.seconds / run.most,
        value(run) * run.seconds / run.least,
    )


def over_predicted(run, best):
    return run.seconds / run.predicted if run.predicted and not run.simulated else None


def over_best(run, best):
    return run.seconds / best if best else None


SPEED = Metric(
    "speed",
    "Gflop/s",
    "Gflop/s",
    lambda run, best: run.gflops,
    slower(lambda run: run.gflops),
    zero=True,
)
FRACTION = Metric(
    "fraction",
    "Fraction of the limit",
    "of the limit",
    lambda run, best: run.fraction,
    zero=True,
    line=1,
)
RATE = Metric(
    "rate", "GB/s", "GB/s", lambda run, best: run.rate, slower(lambda run: run.rate), zero=True
)
COPY = Metric(
    "copy",
    "Time over a plain copy",
    "times a plain copy",
    lambda run, best: run.copy,
    zero=True,
    line=1,
)
TIME = Metric(
    "time",
    "Time",
    "seconds",
    lambda run, best: run.seconds,
    lambda run, best: (run.least, run.most),
)
VIRTUAL = Metric("time", "Virtual time", "virtual time", lambda run, best: run.seconds)
PREDICTED = Metric(
    "predicted",
    "Measured over predicted time",
    "measured / predicted",
    over_predicted,
    lambda run, best: (run.least / run.predicted, run.most / run.predicted),
    line=1,
    band=(1 - MISS, 1 + MISS),
)
CROSSOVER = Metric("crossover", "Time over that of the best", "times the best", over_best, line=1)


def metrics(runs, axis):
    """The metrics drawn for these runs against "x", "ranks" or, as bars, None."""
    if any(run.gflops for run in runs):
        speeds = [SPEED, FRACTION]
    elif any(run.rate for run in runs):
        speeds = [RATE, COPY]
    else:
        speeds = []
    if any(run.simulated for run in runs):
        speeds = [VIRTUAL] + speeds[1:]
    elif axis == "ranks" or not speeds:
        speeds = [TIME] + speeds
    return speeds + [PREDICTED, CROSSOVER] if axis else speeds[:1] + [PREDICTED]
