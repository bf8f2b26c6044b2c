"""Tables that the command makes without ranks: simulations, explanations, layouts."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

import numpy as np

from . import _config
from ._library import Error

# Variables by which launchers describe ranks to each other; the command runs as one rank without
# them.
LAUNCHERS = ("PMI_", "PMIX_", "PMI2_", "OMPI_", "PRTE_", "HYDRA_", "MPI_LOCAL", "SLURM_", "PALS_")


def _command():
    named = os.environ.get("HYLA_COMMAND") or _config.COMMAND
    found = shutil.which(named) or shutil.which("hyla")
    if found is None:
        raise FileNotFoundError(f"there is no command {named}; HYLA_COMMAND may name it")
    return found


def _option(name, value):
    """An option as the command takes it: size=(3, 4) is --size=3x4, dry=True is --dry."""
    if isinstance(value, (tuple, list)):
        value = "x".join(str(part) for part in value)
    return f"--{name}" if value is True else f"--{name}={value}"


def _run(subcommand, *words, accepted=(0,), **options):
    """The JSON objects that the command prints, one per line.  accepted: exit statuses."""
    given = [_option(name, value) for name, value in options.items() if value not in (None, False)]
    alone = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHERS)}
    done = subprocess.run(
        [_command(), subcommand, *words, *given, "--json"],
        env=alone,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in accepted:
        message = done.stderr.strip().split("\n")[0] or f"exit status {done.returncode}"
        raise Error("ARGUMENT" if done.returncode == 2 else "UNSUPPORTED", message)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _table(heads, rows):
    """Columns of words, the first one left-aligned, the others right-aligned."""
    cells = [heads, *[[f"{c:.4g}" if isinstance(c, float) else str(c) for c in row] for row in rows]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        )
        for line in cells
    )


@dataclass(frozen=True)
class Run:
    """One variant on a virtual cube: virtual seconds (for a collective, units of its alpha and
    beta), and the busiest node's messages, predicted and counted.  details: everything that the
    command reports, by the names of `hyla simulate --json`."""

    variant: str
    time: float
    steps: int
    messages: int
    words: int
    messages_predicted: int
    words_predicted: int
    memory: int
    details: dict


@dataclass(frozen=True)
class Simulation:
    """The runs of an operation; str() is their table."""

    operation: str
    runs: list

    def __str__(self):
        heads = ["variant", "time", "steps", "messages", "words", "memory"]
        return _table(heads, [[getattr(run, head) for head in heads] for run in self.runs])


def simulate(operation, **options):
    """Runs an operation on a virtual cube, with real data and virtual clocks.  Local.

    operation and options are those of `hyla simulate`: simulate("gemm", size=64, dims=4,
    variant="all"), simulate("collective", name="broadcast", words=1000).  Sizes may be tuples, and
    options without a value are True.  Returns a Simulation; raises Error."""
    found = _run("simulate", operation, **options)
    runs = [
        Run(
            variant=one["variant"],
            time=one["time"],
            steps=one["steps_counted"],
            messages=one["messages_counted"],
            words=one["words_counted"],
            messages_predicted=one["messages_predicted"],
            words_predicted=one["words_predicted"],
            memory=one["memory_bytes"],
            details=one,
        )
        for one in found
        if one["status"] == "HYLA_OK"
    ]
    return Simulation(operation, runs)


@dataclass(frozen=True)
class Explanation:
    """The variant that would be chosen, and its cost on the busiest rank; str() says why it is
    chosen and the others are not.  fits: whether it respects memory=, None if that was not given.
    details: everything that the command reports, by the names of `hyla explain --json`."""

    operation: str
    variant: str
    seconds: float
    steps: int
    messages: int
    words: int
    memory: int
    text: str
    fits: bool
    details: dict

    def __str__(self):
        return self.text

    @property
    def variants(self):
        """Every variant as a dict: name, applies, chosen, reason, seconds, cost and others."""
        return self.details["plan"]["variants"]


def explain(operation, **options):
    """The variant of an operation that is chosen, the reason, and the cost.  Local; nothing is run.

    operation and options are those of `hyla explain`: explain("gemm", size=(300, 200, 100),
    ranks=16), explain("solve", size=20000, ranks=16, memory="4G").  Returns an Explanation; raises
    Error."""
    one = _run("explain", operation, accepted=(0, 1), **options)[0]
    return Explanation(
        operation=operation,
        variant=one["variant"],
        seconds=one["seconds_predicted"],
        steps=one["steps_predicted"],
        messages=one["messages_predicted"],
        words=one["words_predicted"],
        memory=one.get("memory_bytes", 0),
        text=one["reason"],
        fits=one.get("fits"),
        details=one,
    )


@dataclass(frozen=True)
class Layout:
    """The owners of a rows x cols matrix.  owner[i, j]: the node of entry (i, j), -1 for none;
    text: the layout with its array; dims: of the cube; array: of the nodes, as "2x3", "" on a cube; copies: of each entry; nodes: what each node
    holds, by the names of `hyla layout --json`.  str() is the owners' table."""

    text: str
    dims: int
    copies: int
    owner: np.ndarray
    nodes: list
    array: str = ""

    def __str__(self):
        heads = [self.text, *[str(j) for j in range(self.owner.shape[1])]]
        return _table(heads, [[i, *row] for i, row in enumerate(self.owner.tolist())])


def layout(rows, cols, text=None, dims=None, array=None):
    """How a rows x cols matrix lies on a cube: layout(8, 8, "gray/cyclic:2", dims=3), or on an array
    of nodes: layout(8, 8, array="2x3").  Local.

    text: as hyla_layout_parse reads it; by default the layout that matrices get.  Returns a Layout;
    raises Error."""
    one = _run("layout", size=(rows, cols), layout=text, dims=dims, array=array)[0]
    owner = np.array(one["owner"], dtype=np.int64).reshape(rows, cols)
    return Layout(one["layout"], one["dims"], one["copies"], owner, one["nodes"], one["array"])
