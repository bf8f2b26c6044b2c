#!/usr/bin/env python3
"""Every command, with a call of the system that fails in one of its ranks: of memory (malloc, mmap,
memfd_create, ...) and of files (open, read, write, fsync, rename, ...), those that hyla makes, one
after the other.

    failing.py BUILD RANKS STEP SEED     of each command every STEP-th call, from a drawn one on
    failing.py BUILD RANKS SECONDS SEED time    calls that are drawn, as long as there is time
    failing.py BUILD RANKS stacks PART OF   each stack of return addresses from which a command makes
                                        calls: its first one, alone and `on', its second and its last
                                        one alone; the commands whose number is PART modulo OF
    failing.py BUILD 1 every PART OF    each call of the commands whose number is PART modulo OF
    failing.py BUILD RANKS COMMAND RANK CALL once|on    one call, of the command of that number

`on': all later calls of its kind, memory or files, fail too.  Interrupted, it prints its results so far.
A run fails if it hangs or crashes; if its status is none of the command's; if an output is neither the
old file nor the new one; if its status is 0, and an output or the printed text is not whole; if it fails
without one line that says so, or with several; if it leaves memory, mappings, descriptors or files
behind, in /dev/shm too; or if it misses a factorization's state, and nothing says so.  Exit status 0:
nothing was found; 1: something was.
"""

import collections
import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import commands

PATIENCE = float(os.environ.get("PATIENCE", "1"))  # more if the machine is busy
HANGS = 60 * PATIENCE
LIMIT = str(10 * PATIENCE)


class Server:
    """Runs of one command on one rank that share MPI's start (serve.c).  Its time limit, a thread
    that starts before, does not exist in them.
    """

    def __init__(self, words, folder, environment):
        requests, self.requests = os.pipe()
        self.answers, given = os.pipe()
        self.text = b""  # answers not yet asked for
        environment = dict(environment, HYLA_TIMEOUT="0", HYLA_FAIL_SERVE="%d %d" % (requests, given))
        self.process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        pass_fds=(requests, given))
        os.close(requests)
        os.close(given)
        self.before = self.answer()

    def answer(self):
        """A number; None: it did not come in time."""
        end = time.monotonic() + HANGS
        while b"\n" not in self.text:
            left = max(0, end - time.monotonic())
            if not select.select([self.answers], [], [], left)[0]:
                return None
            more = os.read(self.answers, 100)
            if not more:
                sys.exit("failing: the server has ended")
            self.text += more
        line, self.text = self.text.split(b"\n", 1)
        return int(line)

    def run(self, call, on):
        """Exit status."""
        os.write(self.requests, b"%d %d out.text err\n" % (call, on))
        process = self.answer()
        status = self.answer()
        if status is None:
            os.kill(process, signal.SIGKILL)
            self.answer()
            return "none: it hangs"
        return status if status < 128 else 128 - status

    def stop(self):
        os.close(self.requests)
        self.process.wait()
        os.close(self.answers)


class Campaign:
    def __init__(self, build, folder, ranks):
        self.ranks = ranks
        self.place = commands.Place(build, folder, 1)
        self.shim = self.place.build / "tests" / "campaign" / "failing.so"
        self.lines = commands.commands(1)
        self.right = {}
        self.server = None  # plays the runs
        self.counts = collections.Counter()
        self.found = self.shared = 0

    def start(self, command, rank, call, on, stacks=None):
        """Exit status, standard output and error, and each rank's report.  stacks: a file for them,
        which takes its time.
        """
        place = self.place
        place.prepare(command)
        path = place.folder / "report"
        path.unlink(missing_ok=True)
        if self.server:
            status = self.server.run(call, on)
        else:
            environment = self.environment(command)
            environment.update(HYLA_FAIL_AT=str(call), HYLA_FAIL_RANK=str(rank))
            if stacks:
                environment["HYLA_FAIL_STACKS"] = str(stacks)
            if on:
                environment["HYLA_FAIL_ON"] = "1"
            status = self.launch(command, environment, 20 * HANGS if stacks else HANGS)
        reports = {}
        if path.exists():
            for line in path.read_text().splitlines():
                words = line.split()
                reports[int(words[0])] = (int(words[1]), words[2:5], words[5])
        return (status, (place.folder / "out.text").read_text(errors="replace"),
                (place.folder / "err").read_text(errors="replace"), reports)

    def environment(self, command):
        return dict(self.place.environment, **command.environment, LD_PRELOAD=str(self.shim),
                    HYLA_TIMEOUT=LIMIT, HYLA_FAIL_REPORT=str(self.place.folder / "report"))

    def serve(self, index):
        """From now on runs are of this command, by a server; returns the number of its calls before
        the end of MPI's start.
        """
        command = self.lines[index]
        self.right.pop(index, None)
        self.server = Server([str(self.place.hyla), *command.words], self.place.folder,
                             self.environment(command))
        return self.server.before

    def serve_no_more(self):
        self.server.stop()
        self.server = None

    def launch(self, command, environment, seconds):
        """Its exit status, or another outcome."""
        place = self.place
        words = [str(place.hyla), *command.words]
        if self.ranks > 1:
            # Calls of the launcher itself must not fail.
            names = ["LD_PRELOAD=" + environment.pop("LD_PRELOAD")]
            words = [*place.mpiexec, "-n", str(self.ranks), "env", *names, *words]
        with open(place.folder / "out.text", "wb") as out, open(place.folder / "err", "wb") as err:
            try:
                return subprocess.run(words, cwd=place.folder, env=environment, stdout=out,
                                      stdin=subprocess.DEVNULL, stderr=err, timeout=seconds,
                                      check=False).returncode
            except subprocess.TimeoutExpired:
                return "none: it hangs"

    def undisturbed(self, index):
        """Each rank's report of a run without failures."""
        if index not in self.right:
            command = self.lines[index]
            status, out, err, reports = self.start(command, 0, 0, False)
            if status != 0 or len(reports) != self.ranks:
                sys.exit("failing: %s: exit status %s, %d reports\n%s" % (command, status,
                                                                        len(reports), err))
            self.place.keep(command, str(index))
            self.right[index] = (out, reports)
        return self.right[index]

    def judge(self, index, result):
        """The fault of a run; None: there is none."""
        command = self.lines[index]
        status, out, err, reports = result
        right_out, right = self.right[index]
        if status not in (0, 1, 2):
            return "exit status %s" % status
        found = self.place.outputs(command, str(index))
        for name, state in found.items():
            if state not in ("old", "new") and not (state == "none" and name == "wisdom"):
                return "%s: %s" % (name, state)
        # A message that checkpoints could not be kept comes in addition to any later one.
        said = [line for line in err.splitlines()
                if line.startswith("hyla") and "could not be kept, and it went on" not in line]
        if status == 0 and any(state != "new" for state in found.values()):
            return "exit status 0, but outputs are %s" % found
        if status == 0 and not is_like(command, out, right_out):
            return "exit status 0, but the printed text is not whole"
        if status != 0 and len(said) != 1:
            return "%d lines say so" % len(said)
        if status != 0 and said[0].rstrip().endswith(":"):
            return "nothing says why"
        if status == 0 and command.states:
            wrong = missed_states(out, right_out, err)
            if wrong or self.place.kept():
                return wrong or "a state stays"
        if self.place.extra(command):
            return "files are left: %s" % self.place.extra(command)
        for rank, (_, left, _) in reports.items():
            if left != right[rank][1]:
                return "rank %d leaves %s blocks, mappings, descriptors, not %s" % (
                    rank, "/".join(left), "/".join(right[rank][1]))
        return None

    def run(self, index, rank, call, on):
        self.undisturbed(index)
        before = os.listdir("/dev/shm")
        result = self.start(self.lines[index], rank, call, on)
        shared, strange = commands.take_shared(before)
        self.shared += len(shared)
        wrong = self.judge(index, result)
        if strange:
            wrong = "left in /dev/shm: %s" % strange
        name = result[3][rank][2] if rank in result[3] else "early"
        self.counts[name] += 1
        self.counts["harmless" if result[0] == 0 else "told"] += 1
        if wrong:
            self.found += 1
            print("failing: %s\n  %s\n  %d ranks, command %d, rank %d, call %d%s: %s\n  exit status %s\n%s"
                  % (wrong, self.lines[index], self.ranks, index, rank, call, " on" if on else "",
                     name, result[0], result[2][-400:]), file=sys.stderr, flush=True)

    def calls(self, index, rank):
        return self.undisturbed(index)[1][rank][0]

    def stacks(self, index):
        """(rank, first, second, last call, number of calls) of each stack; 0: no such call."""
        path = self.place.folder / "stacks"
        path.unlink(missing_ok=True)
        self.undisturbed(index)
        self.start(self.lines[index], 0, 0, False, path)
        lines = [line.split() for line in path.read_text().splitlines()]
        if any(words[5] == "full" for words in lines):
            sys.exit("failing: %s: stacks.c has no room for its stacks" % self.lines[index])
        return sorted(tuple(int(word) for word in words[:5]) for words in lines)


def missed_states(out, right, err):
    """The fault in the message about checkpoints; None: there is none."""
    states, wanted = json.loads(out)["states"], json.loads(right)["states"]["written"]
    if states["written"] + states["failed"] != wanted:
        return "of %d states there is no word" % wanted
    if (states["failed"] > 0) != ("not be kept" in err):
        return "of %d states that failed %s" % (states["failed"], err)
    return None


def unbroken(text):
    """Its lines; lines broken at the edge are joined, as longer numbers break elsewhere."""
    lines = []
    for line in text.splitlines():
        if lines and line.startswith(10 * " "):
            lines[-1] += line[9:]
        else:
            lines.append(line)
    return lines


def is_like(command, out, right):
    """Does it have everything that was printed without failures?  Numbers may differ."""
    if "--json" not in command.words:
        return len(unbroken(out)) == len(unbroken(right))
    try:
        lines = [json.loads(line) for line in out.splitlines()]
        return [set(line) for line in lines] == [set(json.loads(l)) for l in right.splitlines()]
    except ValueError:
        return False


def sweep(campaign, step, seed):
    """Every step-th call of every command; alternately once and on, another rank each time."""
    draw = random.Random(seed)
    for index in range(len(campaign.lines)):
        for rank in range(campaign.ranks):
            mode = draw.randrange(2)
            first = 1 + draw.randrange(step)
            for call in range(first, campaign.calls(index, rank) + 1, step):
                mode += 1
                campaign.run(index, rank, call, mode % 2 == 0)
                if step == 1:
                    campaign.run(index, rank, call, mode % 2 != 0)


def go_through_stacks(campaign, part, parts):
    """The first, second and last call of every stack of every parts-th command."""
    for index in range(part, len(campaign.lines), parts):
        stacks = campaign.stacks(index)
        runs = [(rank, first, False) for rank, first, _, _, _ in stacks]
        runs += [(rank, first, True) for rank, first, _, _, _ in stacks]
        runs += [(rank, call, False) for rank, _, second, last, _ in stacks
                 for call in sorted({second, last} - {0})]
        print("command %d: %d calls from %d stacks, %d runs: %s" % (
            index, sum(stack[4] for stack in stacks), len(stacks), len(runs),
            campaign.lines[index]), flush=True)
        for rank, call, on in runs:
            campaign.run(index, rank, call, on)


def go_through_calls(campaign, part, parts):
    """Each call, alone, of every parts-th command: calls before the end of MPI's start by a start
    each, the others by a server, which counts from there.
    """
    threads = 3  # calls before that start, which no server makes, because it has no time limit
    for index in range(part, len(campaign.lines), parts):
        before = campaign.serve(index)
        after = campaign.calls(index, 0)
        print("command %d: %d calls, and %d before them: %s" % (index, after, before,
                                                               campaign.lines[index]), flush=True)
        for call in range(1, after + 1):
            campaign.run(index, 0, call, False)
        campaign.serve_no_more()
        campaign.right.pop(index)
        for call in range(1, before + threads + 1):
            campaign.run(index, 0, call, False)


def scatter(campaign, seconds, seed):
    draw = random.Random(seed)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        index, rank = draw.randrange(len(campaign.lines)), draw.randrange(campaign.ranks)
        call = 1 + draw.randrange(campaign.calls(index, rank))
        campaign.run(index, rank, call, draw.random() < 0.5)


def main():
    arguments = commands.alone("failing")
    if len(arguments) < 4:
        sys.exit(__doc__)
    build, ranks = arguments[0], int(arguments[1])
    folder = tempfile.mkdtemp()
    begin = time.monotonic()
    try:
        campaign = Campaign(build, folder, ranks)
        if arguments[2] == "stacks":
            go_through_stacks(campaign, int(arguments[3]), int(arguments[4]))
        elif arguments[2] == "every":
            go_through_calls(campaign, int(arguments[3]), int(arguments[4]))
        elif len(arguments) == 6:
            campaign.run(int(arguments[2]), int(arguments[3]), int(arguments[4]),
                         arguments[5] == "on")
        elif arguments[-1] == "time":
            scatter(campaign, float(arguments[2]), int(arguments[3]))
        else:
            sweep(campaign, int(arguments[2]), int(arguments[3]))
    except KeyboardInterrupt:
        print("failing: interrupted; so far:")
    finally:
        shutil.rmtree(folder)
    counts = campaign.counts
    told, harmless = counts.pop("told", 0), counts.pop("harmless", 0)
    print("failing: %d runs on %d ranks in %.0f s: %s; %d told, %d harmless; MPI left %d in /dev/shm"
          % (told + harmless, ranks, time.monotonic() - begin,
             "%d FAILED" % campaign.found if campaign.found else "nothing found", told, harmless,
             campaign.shared))
    print("  " + ", ".join("%s %d" % pair for pair in counts.most_common()))
    sys.exit(campaign.found > 0)


if __name__ == "__main__":
    main()
