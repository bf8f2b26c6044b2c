#!/usr/bin/env python3
"""Ranks and launchers that are killed, stopped and continued at random moments of every command.

    signals.py BUILD RUNS SEED [FIRST]    runs FIRST (default 1) to RUNS of that seed
    signals.py BUILD SECONDS SEED time    as many as there is time for

A run fails whose launcher outlives the signal by more than HYLA_TIMEOUT and 2 seconds; with an exit
status that is not the documented one; without a word where a rank was stopped; in which an output
is neither the old file nor the new one, to the last byte, or is not the new one and the status is
0; that leaves a file which the next command does not sweep away, a process, or a file in /dev/shm; or
after which the same command with --checkpoint, on another number of ranks, has other results, or keeps
a state.
It is printed with its number, which plays it again as FIRST; the moment is drawn too, but what the
ranks are doing then is up to the machine.  Exit status 0 when nothing was found, 1 when something
was.

Not judged: launchers that are stopped for good, which nobody is left to end; all ranks stopped for
good, or the last one when the others have ended, likewise.
"""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import commands

LIMIT = 3.0  # HYLA_TIMEOUT
GRACE = 2.0
HANGS = 60.0 * float(os.environ.get("PATIENCE", "1"))  # more if the machine is busy
MARK = "HYLA_CAMPAIGN"

KINDS = ("kill one", "term one", "int one", "kill all", "term all", "int all", "kill launcher",
         "term launcher", "int launcher", "stop one", "pause one", "pause all", "pause launcher")
NUMBER = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT,
          "stop": signal.SIGSTOP, "pause": signal.SIGSTOP}


def processes(mark):
    """The processes that have the mark in their environment: (number, rank or None)."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/environ" % entry, "rb") as file:
                words = file.read().split(b"\0")
            with open("/proc/%s/stat" % entry) as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if mark in words and state != "Z":
            rank = [w.split(b"=")[1] for w in words
                    if w.startswith((b"PMI_RANK=", b"PMIX_RANK="))]
            found.append((int(entry), int(rank[0]) if rank else None))
    return found


def send(number, pids):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Plot:
    """The values drawn for a run."""

    def __init__(self, seed, number, lines, several):
        draw = random.Random("%d:%d" % (seed, number))
        self.number = number
        self.index = draw.randrange(len(lines))
        self.ranks = draw.choice((1, 2, 2, 3, 4))
        self.hosts = several and self.ranks > 1 and draw.random() < 0.25
        self.kind = draw.choice(KINDS if self.ranks > 1 else [k for k in KINDS if k != "stop one"])
        self.rank = draw.randrange(self.ranks)
        # Half of the moments lie while the command works, not while MPI begins or ends.
        self.late = draw.random() < 0.5
        self.moment = draw.random()
        self.pause = 0.2 * LIMIT * draw.random()
        self.command = lines[self.index]
        self.next_ranks = draw.choice((1, 2, 3, 4))

    def __str__(self):
        return "%s of %d%s%s, rank %d, moment %.3f%s" % (
            self.command, self.ranks, " on two hosts" if self.hosts else "", ": " + self.kind,
            self.rank, self.moment, " of the work" if self.late else "")


class Campaign:
    def __init__(self, build, folder):
        self.lines = commands.commands(10)
        self.place = commands.Place(build, folder, 10)
        self.several = subprocess.run(["unshare", "--uts", "hostname", "here"],
                                      stderr=subprocess.DEVNULL, check=False).returncode == 0
        self.times = {}
        self.counts = collections.Counter()
        self.swept = 0

    def start(self, plot):
        """The launcher, with a mark on all processes that it starts."""
        mark = "%s=%d-%d" % (MARK, os.getpid(), time.monotonic_ns())
        name, value = mark.split("=")
        words = [*self.place.mpiexec, "-n", str(plot.ranks)]
        if plot.hosts:
            words += ["unshare", "--uts", "sh", "-c", 'hostname "host$((${PMI_RANK:-'
                      '${PMIX_RANK:-$OMPI_COMM_WORLD_RANK}} % 2))"; exec "$@"', "hyla"]
        words += [str(self.place.hyla), *plot.command.words]
        environment = dict(self.place.environment, HYLA_TIMEOUT=str(LIMIT), **{name: value},
                           **plot.command.environment)
        with open(self.place.folder / "text", "wb") as text:
            job = subprocess.Popen(words, cwd=self.place.folder, env=environment, stdout=text,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        return job, mark.encode()

    def text(self):
        """The printed text, without the data."""
        lines = (self.place.folder / "text").read_text(errors="replace").splitlines()
        return "\n".join(line[:200] for line in lines[-20:])

    def undisturbed(self, plot):
        """Keeps the right outputs, and learns how long the command takes; once for each command and
        number of ranks.
        """
        key = "%d-%d-%d" % (plot.index, plot.ranks, plot.hosts)
        if key in self.times:
            return key
        self.place.prepare(plot.command)
        begin = time.monotonic()
        job, mark = self.start(plot)
        try:
            status = job.wait(HANGS)
        except subprocess.TimeoutExpired:
            send(signal.SIGKILL, [p for p, _ in processes(mark)])
            status = job.wait()
        self.times[key] = time.monotonic() - begin
        if status != 0:
            sys.exit("signals: %s on %d ranks: exit status %d undisturbed:\n%s"
                     % (plot.command, plot.ranks, status, self.text()))
        self.place.keep(plot.command, key)
        return key

    def disturb(self, plot, job, mark, whole):
        """Waits, then sends the signals; returns the moment of the last one, and its target."""
        first = 0.5 * whole if plot.late else 0
        time.sleep(first + plot.moment * (0.95 * whole - first))
        verb, whom = plot.kind.split()
        if whom == "launcher":
            victims = [job.pid]
        else:
            ranks = [(p, r) for p, r in processes(mark) if r is not None and is_hyla(p)]
            victims = [p for p, r in ranks if whom == "all" or r == plot.rank]
        if job.poll() is not None:
            victims = []
        send(NUMBER[verb], victims)
        if verb == "pause":
            time.sleep(plot.pause)
            send(signal.SIGCONT, victims)
        return time.monotonic(), victims

    def wait(self, plot, job, mark, victims):
        """The launcher's status.  A rank that is stopped when all others have ended is continued:
        otherwise nobody would end it.
        """
        self.waited = 0
        try:
            return job.wait(LIMIT + 2 * GRACE)
        except subprocess.TimeoutExpired:
            if plot.kind == "stop one" and {p for p, r in processes(mark)
                                            if r is not None and is_hyla(p)} == set(victims):
                self.counts["stopped last"] += 1
                send(signal.SIGCONT, victims)
                self.waited = LIMIT + 2 * GRACE
        try:
            return job.wait(HANGS)
        except subprocess.TimeoutExpired:
            send(signal.SIGKILL, [p for p, _ in processes(mark)])
            return job.wait()

    def judge(self, plot, key, status, took, met):
        """The fault of a run; None: there is none."""
        verb, whom = plot.kind.split()
        found = self.place.outputs(plot.command, key)
        for name, state in found.items():
            if state not in ("old", "new") and not (state == "none" and name == "wisdom"):
                return "%s: %s" % (name, state)
        done = all(state == "new" for state in found.values())
        if took > LIMIT + GRACE:
            return "ended after %.1f s" % took
        if status == 0 and not done and whom != "launcher":
            return "exit status 0, but outputs are %s" % found
        if (verb == "pause" or not met) and status != 0:
            return "exit status %d though it can go on" % status
        said = [line for line in self.text().splitlines() if line.startswith("hyla")]
        if verb == "stop" and status != 0 and not said:
            return "nobody says that a rank is stopped"
        # While MPI begins and ends the launcher chooses between the ranks' statuses.
        if verb == "stop" and status not in (0, 2) and " in MPI_" not in said[0]:
            return "exit status %d" % status
        return None

    def left(self, plot, mark, before):
        """The files and processes left by a run; None: none that the next run does not sweep away.
        """
        still = []
        for _ in range(int(10 * (LIMIT + GRACE))):
            still = processes(mark)
            if not still:
                break
            time.sleep(0.1)
        send(signal.SIGKILL, [p for p, _ in still])
        if still:
            return "processes are left: %s" % still
        extra = self.place.extra(plot.command)
        strange = [name for name in extra if not commands.TEMPORARY.match(name)]
        if strange:
            return "files are left that nobody sweeps away: %s" % strange
        if extra and plot.kind.split()[0] in ("stop", "pause"):
            return "files are left: %s" % extra
        self.swept += len(extra)
        wrong = self.go_on(plot) if plot.command.states else None
        if wrong:
            return wrong
        extra = [name for name in extra if name in self.place.extra(plot.command)]
        # A process exists until its parent, perhaps the system's first process, has read its exit
        # status.
        for pause in (0, 1, 4):
            if not extra:
                break
            time.sleep(pause)
            self.sweep(plot)
            extra = [name for name in self.place.extra(plot.command) if name != "swept.npy"]
        if extra:
            return "the next command leaves %s" % extra
        shared, strange = commands.take_shared(before)
        self.counts["files in /dev/shm, of MPI"] += len(shared)
        return "left in /dev/shm: %s" % strange if strange else None

    def go_on(self, plot):
        """The same command once more, which resumes from the existing checkpoint."""
        if self.place.kept() > 1:
            return "%d states are left" % self.place.kept()
        words = [*self.place.mpiexec, "-n", str(plot.next_ranks)]
        if plot.hosts:  # as the first rank's, which makes temporary files
            words = ["unshare", "--uts", "sh", "-c", 'hostname host0; exec "$@"', "hyla"]
        try:
            done = subprocess.run([*words, str(self.place.hyla), *plot.command.words, "--force"],
                                  cwd=self.place.folder, env=self.place.environment, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANGS)
        except subprocess.TimeoutExpired:
            return "it does not end when it goes on"
        if done.returncode != 0:
            return "it does not go on: %s" % done.stderr.decode(errors="replace")[-300:]
        self.counts["gone on"] += json.loads(done.stdout).get("states", {}).get("resumed", 0)
        key = "%d-%d-%d" % (plot.index, plot.ranks, plot.hosts)
        found = self.place.outputs(plot.command, key)
        if any(state != "new" for state in found.values()):
            return "gone on on %d ranks: %s" % (plot.next_ranks, found)
        return "a state stays" if self.place.kept() else None

    def sweep(self, plot):
        if plot.command.states:
            self.go_on(plot)
        words = [str(self.place.hyla), "generate", "ones", "--size", "2", "-o", "out/swept.npy"]
        if plot.hosts:
            words = ["unshare", "--uts", "sh", "-c", 'hostname host0; exec "$@"', "hyla", *words]
        subprocess.run(words, cwd=self.place.folder, env=self.place.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def run(self, plot):
        """True: no fault was found."""
        key = self.undisturbed(plot)
        self.place.prepare(plot.command)
        before = os.listdir("/dev/shm")
        job, mark = self.start(plot)
        last, victims = self.disturb(plot, job, mark, self.times[key])
        status = self.wait(plot, job, mark, victims)
        took = time.monotonic() - last - self.waited
        wrong = self.judge(plot, key, status, took, bool(victims))
        wrong = self.left(plot, mark, before) or wrong
        self.counts[plot.kind] += 1
        if not victims:
            self.counts[plot.kind + ": too late"] += 1
        elif status == 0:
            self.counts[plot.kind + ": done"] += 1
        else:
            self.counts[plot.kind + ": told"] += 1
        if wrong:
            print("signals: run %d: %s\n  %s\n  exit status %d, %.1f s after the signal\n%s"
                  % (plot.number, wrong, plot, status, took, self.text()), file=sys.stderr)
        return wrong is None


def is_hyla(pid):
    """Is it a rank already, and not the process that starts one?"""
    try:
        return os.path.basename(os.readlink("/proc/%d/exe" % pid)).endswith("hyla")
    except OSError:
        return False


def main():
    arguments = commands.alone("signals")
    if len(arguments) < 3:
        sys.exit(__doc__)
    build, most, seed = arguments[0], float(arguments[1]), int(arguments[2])
    timed = len(arguments) > 3 and arguments[3] == "time"
    first = int(arguments[3]) if len(arguments) > 3 and not timed else 1
    folder = tempfile.mkdtemp()
    begin = time.monotonic()
    found = runs = 0
    try:
        campaign = Campaign(build, folder)
        number = first
        while time.monotonic() - begin < most if timed else number <= most:
            found += not campaign.run(Plot(seed, number, campaign.lines, campaign.several))
            runs += 1
            number += 1
    finally:
        shutil.rmtree(folder)
    print("signals: %d runs in %.0f s, seed %d: %s; %d temporary files were swept away, MPI left %d in"
          " /dev/shm, %d ranks were stopped when all others had ended, %d times a run went on from a"
          " state"
          % (runs, time.monotonic() - begin, seed, "%d FAILED" % found if found else "nothing found",
             campaign.swept, campaign.counts["files in /dev/shm, of MPI"],
             campaign.counts["stopped last"], campaign.counts["gone on"]))
    for kind in KINDS:
        count = campaign.counts
        print("  %-15s %6d runs, %6d done, %6d told, %6d too late" % (
            kind, count[kind], count[kind + ": done"], count[kind + ": told"],
            count[kind + ": too late"]))
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
