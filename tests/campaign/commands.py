"""The commands that campaigns disturb, how they are started, and the files that they leave.

A folder has the inputs; the outputs stand in its folder `out', where an old file of each name lies
before a run.  An output that is the same in every run is compared byte by byte with that of an
undisturbed run; of other outputs the beginning and the end are known.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

OLD = b"old\n"
TEMPORARY = re.compile(r"^\.hyla-.*\.tmp$")
OF_MPI = ("ucx_shm", "mpich_shm", "mpich_shar_tmp", "vader_", "sm_")  # in /dev/shm
STATES = "states"  # the folder of checkpoints
STATE = re.compile(r"^(lu|cholesky)-.*-[0-9a-f]{16}\.state$")


class Command:
    """A command line; outputs: names in the folder `out'; varying: names whose files differ from
    run to run.
    """

    def __init__(self, words, varying=(), environment=None):
        self.words = words.split()
        self.environment = environment or {}
        self.outputs = [w.split("out/")[1] for w in [*self.words, *self.environment.values()]
                        if "out/" in w]
        self.varying = set(varying)
        self.states = STATES in self.words

    def __str__(self):
        return " ".join(["%s=%s" % pair for pair in self.environment.items()] + ["hyla"] + self.words)


def commands(scale):
    """All subcommands; scale 1: matrices with some 10 rows; more: larger ones."""
    n = 12 * scale
    repeat = 1 if scale == 1 else 20 * scale
    # With several panels; for larger ones a run that continues gives the bits of an undisturbed
    # one.
    panels = "--layout binary/cyclic:3" if scale == 1 else "--reproducible"
    return [
        Command("solve a.npy b.npy -o out/x.npy --refine=fixed"),
        Command("solve a.mtx b.npy -o out/x.mtx --force --json"),
        Command("factor a.npy --lower out/l.npy --upper out/u.mtx --pivots out/p.npy"),
        Command("solve large.npy sides.npy -o out/x.npy --json --checkpoint states --every 0 " + panels),
        Command("factor definite.npy --method cholesky --lower out/l.npy --json --checkpoint states"
                " --every 0 " + panels),
        Command("invert a.npy -o out/x.npy --explain"),
        Command("trsm a.npy b.npy --triangle lower -o out/x.npy"),
        Command("multiply a.npy b.npy -o out/c.mtx"),
        Command("multiply a.npy b.npy -o out/c.npy --json", ["trace"], {"HYLA_TRACE": "out/trace"}),
        Command("multiply a.npy b.npy --measure --wisdom out/wisdom", ["wisdom"]),
        Command("transpose a.mtx -o out/t.mtx"),
        Command("turn a.mtx --by half -o out/h.mtx"),
        Command("convert a.npy --to gray/cyclic -o out/c.npy"),
        Command("generate random --size %d -o out/r.npy" % n),
        Command("generate hilbert --size %d -o out/h.mtx --json" % n),
        Command("simulate gemm --size %d --dims 3 --trace out/t --schedule=out/s --json" % n),
        Command("simulate collective --name broadcast --dims 3 --words 64 --svg out/s.svg"
                " --cube-svg out/c.svg"),
        Command("bench gemm --size %d --repeat %d --json" % (n, repeat)),
        Command("bench collective --name allgather --words 64 --repeat %d" % repeat),
        Command("explain lu --size %d --ranks 8" % n),
        Command("machine --repeat 3 -o out/machine", ["machine"]),
        Command("layout --size 9x7 --dims 2 --layout gray/cyclic --svg out/l.svg"),
        Command("info"),
    ]


class Place:
    """A build tree's command and a folder to work in."""

    def __init__(self, build, folder, scale):
        self.build = pathlib.Path(build).resolve()
        self.folder = pathlib.Path(folder)
        self.out = self.folder / "out"
        self.right = self.folder / "right"
        self.states = self.folder / STATES
        self.hyla = self.build / ".libs" / "hyla"
        if not self.hyla.exists():
            self.hyla = self.build / "hyla"
        self.mpiexec = (os.environ.get("MPIEXEC") or self.variable("MPIEXEC")).split()
        self.environment = dict(os.environ)
        for name in list(self.environment):
            if name.startswith("HYLA_"):
                del self.environment[name]
        paths = [str(self.build / ".libs"), os.environ.get("LD_LIBRARY_PATH", "")]
        self.environment.update(
            LD_LIBRARY_PATH=":".join(filter(None, paths)),
            OPENBLAS_NUM_THREADS="1", UCX_LOG_LEVEL="error",
            OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
            OMPI_MCA_orte_execute_quiet="1")
        self.out.mkdir()
        self.right.mkdir()
        self.states.mkdir()
        n = 12 * scale
        large = n if scale == 1 else 4 * n  # large enough that writing checkpoints takes time
        for kind, size, name in (("dominant", n, "a.npy"), ("dominant", n, "a.mtx"),
                                 ("dominant", large, "large.npy"),
                                 ("definite", large, "definite.npy"),
                                 ("random", "%dx5" % large, "sides.npy"),
                                 ("random", "%dx5" % n, "b.npy")):
            self.must("generate", kind, "--size", str(size), "-o", name)

    def variable(self, name):
        """What configure found."""
        with open(self.build / "Makefile") as file:
            return next(l.split("=", 1)[1].strip() for l in file if l.startswith(name + " = "))

    def must(self, *words):
        """A run alone, which has to pass."""
        done = subprocess.run([str(self.hyla), *words], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        if done.returncode != 0:
            sys.exit("campaign: hyla %s: exit status %d: %s"
                     % (" ".join(words), done.returncode, done.stdout.decode(errors="replace")))

    def prepare(self, command):
        """The old outputs, and nothing else."""
        for entry in [*self.out.iterdir(), *self.states.iterdir()]:
            entry.unlink()
        for name in command.outputs:
            if name == "wisdom":  # would be read
                continue
            path = self.out / name
            path.write_bytes(OLD)
            path.chmod(0o600)

    def keep(self, command, key):
        """An undisturbed run's outputs are the right ones."""
        folder = self.right / key
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in command.outputs:
            shutil.copy(self.out / name, folder / name)

    def outputs(self, command, key):
        """By name: "old", "new", "none", or the fault."""
        found = {}
        for name in command.outputs:
            path = self.out / name
            if not path.exists():
                found[name] = "none"
                continue
            text = path.read_bytes()
            right = (self.right / key / name).read_bytes()
            if text == OLD:
                found[name] = "old"
            elif name in command.varying:
                found[name] = "new" if is_whole(name, text, right) else "not whole: %r" % text[-80:]
            else:
                found[name] = "new" if text == right else "%d bytes that are wrong" % len(text)
        return found

    def extra(self, command):
        """Names that are neither outputs nor checkpoints."""
        return sorted([e.name for e in self.out.iterdir() if e.name not in command.outputs]
                      + [e.name for e in self.states.iterdir() if not STATE.match(e.name)])

    def kept(self):
        """The number of checkpoints."""
        return sum(1 for e in self.states.iterdir() if STATE.match(e.name))


def alone(name):
    """Continues with its own /dev/shm, if the system allows it; returns the program's arguments."""
    arguments = [word for word in sys.argv[1:] if word != "--alone"]
    if "--alone" in sys.argv:
        return arguments
    words = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh"]
    if shutil.which("unshare") is not None and subprocess.run(
            [*words, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.execvp(words[0], [*words, sys.executable, *sys.argv, "--alone"])
    print("%s: /dev/shm is shared with others, so files left there are not checked" % name)
    return arguments


def take_shared(before):
    """Removes the new files in /dev/shm; returns them, and those of them that MPI would not have
    left.  Nothing if the folder is shared: others may use the files.
    """
    if "--alone" not in sys.argv:
        return [], []
    shared = [name for name in os.listdir("/dev/shm") if name not in before]
    for name in shared:
        with contextlib.suppress(FileNotFoundError):
            os.unlink("/dev/shm/" + name)
    return shared, [name for name in shared if not name.startswith(OF_MPI)]


def is_whole(name, text, right):
    """Is this a file of its kind from its first to its last byte?"""
    if name == "machine":
        keys = [line.split(b" ")[0] for line in text.splitlines()]
        return text.endswith(b"\n") and keys == [line.split(b" ")[0] for line in right.splitlines()]
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
