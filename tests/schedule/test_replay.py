"""Schedules that `hyla simulate --schedule` prints, played by replay.py: the time must be the
simulated one, exactly.  If messages go to neighbours and all ports are there, nothing depends on
the order of the lines, and nodes that continue as time passes take the same time.

usage: test_replay.py HYLA: the command.  A sample of cases, or with HYLA_TEST_FULL, as in
harness.h, all of them, up to 8 dimensions.
"""

import functools
import gc
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile

import replay

COLLECTIVES = (
    "broadcast reduce allreduce scatter gather allgather reduce-scatter partial exchange permute "
    "partial-exchange partial-gather window band-exchange band-broadcast"
).split()
FEW = 48


def variants(hyla):
    """By family, as hyla info lists them."""
    text = subprocess.run([hyla, "info"], capture_output=True, text=True, check=True).stdout
    found, family = {}, None
    for line in text.splitlines():
        if line.startswith("variants of "):
            family = found.setdefault(line[len("variants of ") :], [])
        elif line.startswith("  ") and family is not None:
            family.append(line.split()[0])
        else:
            family = None
    return found


# Products that cut blocks into packets if starts are free, and their code.
BY_ELEMENTS = (
    ("binary", "dekel"),
    ("gray", "cannon"),
    ("gray", "reflect"),
    ("binary", "reflect"),
    ("gray", "outer"),
    ("gray", "outer-pipelined"),
)


def cases_of(names, dims, ports):
    """The arguments of hyla simulate; the caller leaves out variants that do not apply."""
    machine = ["--dims", str(dims), "--ports", ports]
    times = (("3", "1", "24"), ("64", "0.5", "37"), ("0", "1", "7"))
    for name in COLLECTIVES:
        for variant in names[name]:
            for alpha, beta, words in times:
                if variant == "pipelined" and dims == 8 and alpha == "0":
                    words = "3"  # a schedule has 4194304 events at most
                yield (
                    ["collective", "--name", name, "--variant", variant, "--words", words]
                    + ["--alpha", alpha, "--beta", beta]
                    + machine
                )
    some = (("exchange", "--distance", "1-2"), ("exchange", "--tags", "1,3"))
    some += tuple((f"partial{what}", "--active", "1,3") for what in ("", "-exchange", "-gather"))
    for name, option, value in some if dims > 1 else ():
        for alpha, beta, words in times:
            yield (
                ["collective", "--name", name, option, value, "--words", words]
                + ["--alpha", alpha, "--beta", beta]
                + machine
            )
    free = machine + ["--alpha", "0", "--beta", "1", "--gamma", "0.0625"]
    for code, variant in BY_ELEMENTS:
        for size in ("24", "23x37x29"):
            layout = ["--layout", f"{code}/cyclic:1"]
            yield ["gemm", "--variant", variant, "--size", size] + layout + free
    machine += ["--alpha", "3", "--beta", "1", "--gamma", "0.0625"]
    for variant in names["gemm"]:
        for size in ("32", "23x37x29"):
            yield ["gemm", "--variant", variant, "--size", size] + machine
    layouts = (
        [],
        ["--layout", "gray/consecutive"],
        ["--band", "2"],
        ["--layout", f"binary/consecutive@1x{1 << dims}"],
    )
    for variant in names["redistribute"]:
        for size in ("64", "37"):
            for layout in layouts:
                yield ["transpose", "--variant", variant, "--size", size] + layout + machine
                if "--band" not in layout:
                    by = "half" if size == "64" else "right"
                    yield ["turn", "--by", by, "--variant", variant, "--size", size] + layout + machine
        yield (
            ["convert", "--variant", variant, "--size", "64"]
            + ["--layout", "binary/consecutive", "--to", "binary/cyclic:1"]
            + machine
        )
    for network in ("ipsc860", "cluster") if ports == "all" else ():
        yield ["gemm", "--size", "40", "--dims", str(dims), "--machine", network]


def chosen(cases):
    """The part of the cases that HYLA_TEST_FULL names, or a sample."""
    full = os.environ.get("HYLA_TEST_FULL", "")
    if full in ("", "0"):
        seed = os.environ.get("HYLA_SEED", "1")
        print(f"seed {seed}")
        few = [case for case in cases if int(case[case.index("--dims") + 1]) <= 4]
        return random.Random(seed).sample(few, FEW)
    part, _, parts = full.partition("/")
    return cases[int(part) - 1 :: int(parts or "1")]


def neighbours_alone(schedule):
    sends = [line for line in schedule.lines if line[0] in ("send", "free")]
    return all(line[4] != "-" or line[2] == line[3] for line in sends)


def check(hyla, case, path):
    """The fault of a case, "" if there is none; None if the variant does not apply."""
    command = [hyla, "simulate"] + case + ["--dry", f"--schedule={path}", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode == 2 and "not apply" in run.stderr:
        return None
    if run.returncode != 0:
        return run.stderr.strip()
    schedule = replay.Schedule(path)
    replayed = replay.Run(schedule)
    told = json.loads(run.stdout)["time"]
    if abs(told - float(schedule.head["time"])) > 1e-11 * told:  # 12 digits of it
        return f"the schedule's time is {float(schedule.head['time'])}, that of the run {told}"
    if "--machine" in case:
        # Times that the simulator has to round.
        found, stated = float(replayed.in_order()), float(schedule.head["time"])
        return "" if abs(found - stated) <= 1e-12 * stated else f"replayed {found}, told {stated}"
    found = replayed.in_order()
    if found != schedule.head["time"]:
        return f"replayed {float(found)}, told {told}"
    if schedule.head["ports"] == "all" and neighbours_alone(schedule):
        found = replayed.by_time()
        if found != schedule.head["time"]:
            return f"by time {float(found)}, told {told}"
    return ""


# Collectives on networks that are no cubes: name, further arguments, networks.
ON_NETWORKS = (
    ("allgather", (), "line:7 ring:6 ring:7 array:3x4 array:5x5 torus:3x5 torus:4x4x2 folded:5"),
    ("reduce-scatter", (), "array:3x3 torus:3x4 ring:5"),
    ("broadcast", ("--root", "3"), "line:5 array:3x4 torus:3x5"),
    ("allreduce", (), "array:4x3 torus:2x2x3"),
    ("scatter", ("--root", "5"), "array:3x4 torus:5x5"),
    ("gather", ("--root", "1"), "array:3x4 ring:7"),
    ("partial", ("--active", "1,3,4"), "array:4x4 torus:3x3x3"),
    ("partial-exchange", ("--active", "0,1,5"), "array:4x4 torus:3x5"),
    ("exchange", (), "array:3x3 torus:2x3 folded:4"),
    ("permute", (), "array:3x4 torus:3x3"),
)


def on_networks(hyla, path):
    """Plays each variant on each network, and the simulated run of the planner's choice; the number of
    schedules and of faults.
    """
    played, failed = 0, 0
    for name, more, networks in ON_NETWORKS:
        for network in networks.split():
            case = ["collective", "--network", network, "--name", name]
            case += ["--words", "12", "--alpha", "3", "--beta", "0.5", *more]
            fault = check(hyla, case, path)
            # A family without rows on this network has nothing to play.
            played += fault is not None
            if fault:
                print("hyla simulate", " ".join(case) + ":", fault, flush=True)
                failed += 1
            command = [hyla, "explain", "collective", "--network", network, "--name", name]
            command += ["--words", "12", "--alpha", "3", "--beta", "0.5", *more]
            listed = subprocess.run(command + ["--json"], capture_output=True, text=True, check=True)
            for row in json.loads(listed.stdout)["variants"]:
                if "reason" in row:
                    continue
                subprocess.run(
                    command + ["--variant", row["variant"], f"--schedule={path}"],
                    stdout=subprocess.DEVNULL,
                    check=True,
                )
                run = replay.Run(replay.Schedule(path))
                times = {run.in_order(), run.by_time(), run.stated}
                played += 1
                # Nodes that do not wait for a step may be earlier, never later.
                if len(times) > 1 or float(run.stated) > row["seconds"]:
                    print(f"{name} by {row['variant']} on {network}: {sorted(map(float, times))}")
                    failed += 1
    return played, failed


def played_queues(side, active):
    """The steps of an exchange from active nodes to all on a side x side array, by the rule of
    Varvarigos 1992, section 3.5: queues in the order of arrival, those of a step by their sources.
    """
    rows, cols = [0] * side, [0] * side
    for node in active:
        rows[node // side] += 1
        cols[node % side] += 1
    queues, left, steps = {}, 0, 0

    def wait(message):
        source, target, row_first, at = message
        (x, y), (to_x, to_y) = divmod(at, side), divmod(target, side)
        along_row = y != to_y if row_first else x == to_x
        way = 1 if (to_y > y if along_row else to_x > x) else -1
        first = row_first == along_row  # rows serve those that go along rows first
        queues.setdefault((at, along_row, way), ([], []))[0 if first else 1].append(message)

    for source in sorted(active):
        for target in range(side * side):
            if target != source:
                row_first = rows[source // side] <= cols[source % side]
                wait((source, target, row_first, source))
                left += 1
    while left:
        moved = []
        for (at, along_row, way), pair in queues.items():
            queue = pair[0] or pair[1]
            if queue:
                source, target, row_first, _ = queue.pop(0)
                moved.append((source, target, row_first, at + way * (1 if along_row else side)))
        for message in sorted(moved):
            if message[1] == message[3]:
                left -= 1
            else:
                wait(message)
        steps += 1
    return steps


def queues_agree(hyla):
    """Do the library's queues take the steps of these?"""
    draw = random.Random(int(os.environ.get("HYLA_SEED", "1")))
    for side in (2, 3, 4, 5, 6):
        active = sorted(draw.sample(range(side * side), draw.randint(2, side * side)))
        command = [hyla, "explain", "collective", "--network", f"array:{side}x{side}", "--json"]
        command += ["--name", "partial-exchange", "--words", "1"]
        command += ["--active", ",".join(map(str, active))]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        steps = json.loads(told)["variants"][0]["steps"]
        if steps != played_queues(side, active):
            print(f"{' '.join(command)}: {steps} steps, played {played_queues(side, active)}")
            return False
    return True


def notices(hyla, path):
    """Does the replay notice that a message is longer, or missing?"""
    subprocess.run(
        [hyla, "simulate", "collective", "--name", "broadcast", "--variant", "doubling"]
        + ["--dims", "3", f"--schedule={path}"],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    schedule = replay.Schedule(path)
    if replay.Run(schedule).in_order() != schedule.head["time"]:
        return False
    sends = [line for line in schedule.lines if line[0] == "send"]
    sends[-1][5] += "0"
    if replay.Run(schedule).in_order() == schedule.head["time"]:
        return False
    schedule.lines.remove(sends[0])
    try:
        replay.Run(schedule).in_order()
    except KeyError:
        return True
    return False


def play(hyla, work, case):
    fault = check(hyla, case, os.path.join(work, f"schedule-{os.getpid()}"))
    gc.collect()  # which is off: a million lines are no garbage
    return case, fault


def played_by(workers, hyla, work, cases):
    """Each case and its fault, the largest cubes first."""
    task = functools.partial(play, hyla, work)
    cases = sorted(cases, key=lambda case: -int(case[case.index("--dims") + 1]))
    if workers == 1:
        yield from map(task, cases)
        return
    with multiprocessing.Pool(workers) as pool:
        yield from pool.imap_unordered(task, cases)


def main(hyla):
    names = variants(hyla)
    cases = [
        case
        for dims in range(9)
        for ports in ("all", "one")
        for case in cases_of(names, dims, ports)
    ]
    played, failed = 0, 0
    gc.disable()
    workers = len(os.sched_getaffinity(0)) if os.environ.get("HYLA_TEST_FULL") else 1
    with tempfile.TemporaryDirectory() as work:
        for case, fault in played_by(workers, hyla, work, chosen(cases)):
            played += fault is not None
            if fault:
                print("hyla simulate", " ".join(case) + ":", fault, flush=True)
                failed += 1
        more, faults = on_networks(hyla, os.path.join(work, "schedule"))
        played, failed = played + more, failed + faults
        failed += not queues_agree(hyla)
        if not notices(hyla, os.path.join(work, "schedule")):
            print("a schedule that was changed takes the time that it states")
            failed += 1
    print(f"{played} schedules played, {failed} failures")
    return failed > 0 or played < FEW // 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
