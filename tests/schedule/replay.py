#!/usr/bin/env python3
"""Plays schedules that `hyla simulate --schedule` wrote, on the machine of the papers alone.

A message of n bytes takes alpha + beta n over each link of its path in the cube.  The path crosses
the dimensions in which its ends differ, the lowest first.  On an array, a torus or a folded cube a
message goes to a neighbour, over the port that its line names, which must lead there.  A link
carries one message at a time in each direction; on a machine with one port a node sends one message
at a time and receives one at a time.  The machine's times are converted to whole numbers of a
common unit, so that nothing is rounded and the time that the schedule states must result exactly.
The format: hyla-schedule(5).

usage: replay.py [--by-time] FILE...

--by-time: not in the order of the lines; nodes continue as time passes, and links and ports serve
the first message that comes.  If messages go to neighbours and all ports are there, the result is
the same.
"""

import heapq
import math
import sys
from bisect import bisect_right, insort
from fractions import Fraction


class Schedule:
    """The head of a file, and its lines as lists of words."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            lines = [line.split() for line in file if line.strip() and line[0] != "#"]
        if lines[0] != ["hyla", "schedule", "1"]:
            raise ValueError("no schedule of version 1")
        numbers = ("alpha", "beta", "gamma", "begin", "time")
        words = ("network", "ports", "switching")
        self.head = {}
        self.lines = []
        for line in lines[1:]:
            if line[0] in numbers + ("dims",):
                self.head[line[0]] = Fraction(float(line[1]))
            elif line[0] in words:
                self.head[line[0]] = line[1]
            else:
                self.lines.append(line)
        missing = [key for key in numbers + words if key not in self.head]
        if self.head.get("network") in ("cube", "switch") and "dims" not in self.head:
            missing.append("dims")
        if missing:
            raise ValueError("the head lacks " + ", ".join(missing))


class Network:
    """An array, a torus or a folded cube, from its name, as torus:4x6."""

    def __init__(self, name):
        kind, _, sides = name.partition(":")
        self.sides = [int(side) for side in sides.split("x")]
        self.torus = kind in ("torus", "ring")
        self.folded = kind == "folded"
        if not (self.torus or self.folded or kind in ("array", "line")):
            raise ValueError(f"no network is called {name}")
        self.nodes = 2 ** self.sides[0] if self.folded else math.prod(self.sides)

    def peer(self, node, port):
        """The node at the other end; -1: there is none."""
        if self.folded:
            dims = self.sides[0]
            return node ^ (1 << port if port < dims else (1 << dims) - 1)
        axis, step = port // 2, 1 - 2 * (port % 2)
        if axis >= len(self.sides):
            return -1
        stride = math.prod(self.sides[axis + 1:])
        side, at = self.sides[axis], node // stride % self.sides[axis]
        to = at + step
        if self.torus and side > 1 and not (side == 2 and step < 0):
            to %= side
        return node + (to - at) * stride if 0 <= to < side and to != at else -1


def numbers(words):
    return tuple(map(int, words))


def parse(line):
    """Kind, operands (of a message: number, node, peer, bytes, port) and the messages listed behind
    `after'.
    """
    kind = line[0]
    if kind in ("send", "free"):
        port = -1 if line[4] == "-" else int(line[4])
        return kind, numbers((line[1], line[2], line[3], line[5])) + (port,), numbers(line[7:])
    if kind == "recv":
        return kind, numbers(line[1:]), ()
    if kind == "compute":
        return kind, (int(line[1]), line[2]), numbers(line[4:])
    if kind in ("wait", "flow", "agree"):
        return kind, (int(line[1]),), numbers(line[3:])
    raise ValueError(f"no line begins with {kind}")


class Booked:
    """The times in which a link or port is taken; a new use gets the earliest gap that is long
    enough.
    """

    def __init__(self):
        self.starts = []
        self.ends = []

    def gap(self, earliest, length):
        if not self.ends or self.ends[-1] <= earliest:
            return earliest
        at = bisect_right(self.ends, earliest)
        while at < len(self.starts) and self.starts[at] < earliest + length:
            earliest = max(earliest, self.ends[at])
            at += 1
        return earliest

    def take(self, start, length):
        insort(self.starts, start)
        insort(self.ends, start + length)


class Machine:
    """Links and ports, which messages take in the order in which they are given here."""

    def __init__(self, head, unit):
        self.alpha = int(head["alpha"] * unit)
        self.beta = head["beta"] * unit
        self.circuits = head["switching"] == "circuit"
        self.one_port = head["ports"] == "one"
        self.switch = head["network"] == "switch"
        self.network = Network(head["network"]) if ":" in head["network"] else None
        self.links = {}
        self.port_in = {}
        self.port_out = {}
        self.first_link = {}
        self.times = {}  # by bytes

    def time(self, size):
        took = self.times.get(size)
        if took is None:
            took = self.times[size] = self.alpha + int(self.beta * size)
        return took

    def way(self, node, peer, port):
        links = []
        if self.switch:
            return links
        if self.network:
            if self.network.peer(node, port) != peer:
                raise ValueError(f"port {port} of node {node} does not lead to {peer}")
            return [self.links.setdefault((node, port), Booked())]
        dim = 0
        while (node ^ peer) >> dim:
            if (node ^ peer) >> dim & 1:
                link = self.links.get((node, dim))
                if link is None:
                    link = self.links[node, dim] = Booked()
                links.append(link)
                node ^= 1 << dim
            dim += 1
        return links

    def send(self, node, peer, size, port, earliest):
        """For a message that may leave then: the time when it has crossed its last link."""
        if node == peer:
            return earliest
        took = self.time(size)
        lowest = port if self.network else (node ^ peer) & -(node ^ peer)
        start = max(earliest, self.first_link.get((node, lowest), 0))
        if self.one_port:
            start = max(start, self.port_out.get(node, 0))
        links = self.way(node, peer, port)
        if took == 0:
            end = start
        elif self.circuits or self.switch:
            start = self.circuit(links, start, took)
            end = start + took
        else:
            start, end = self.store(links, start, took)
        self.first_link[node, lowest] = self.port_out[node] = start + took
        return end

    @staticmethod
    def circuit(links, start, took):
        moved = True
        while moved:
            moved = False
            for link in links:
                gap = link.gap(start, took)
                moved = moved or gap > start
                start = gap
        for link in links:
            link.take(start, took)
        return start

    @staticmethod
    def store(links, start, took):
        at, first = start, None
        for link in links:
            at = link.gap(at, took)
            link.take(at, took)
            first = at if first is None else first
            at += took
        return first, at

    def receive(self, node, size, crossed):
        """The time when the node has a message that had crossed its links then."""
        took = self.time(size)
        if not self.one_port or took == 0:
            return crossed
        port = self.port_in.get(node)
        if port is None:
            port = self.port_in[node] = Booked()
        start = port.gap(crossed - took, took)
        port.take(start, took)
        return start + took


class Run:
    """A schedule on its machine, which may be played several times."""

    def __init__(self, schedule):
        self.head = schedule.head
        self.parsed = [parse(line) for line in schedule.lines]
        self.unit = self.common_unit()
        self.gamma = self.head["gamma"] * self.unit
        named = ":" in self.head["network"]
        self.nodes = Network(self.head["network"]).nodes if named else 1 << int(self.head["dims"])
        self.begin = int(self.head["begin"] * self.unit)
        self.stated = self.head["time"]
        self.computing = {}  # by operations: how long they take

    def common_unit(self):
        """The unit in which every time of the machine, and of an operation of these, is whole."""
        unit = 1
        for key in ("alpha", "beta", "gamma", "begin"):
            unit = math.lcm(unit, self.head[key].denominator)
        operations = {words[1] for kind, words, _ in self.parsed if kind == "compute"}
        for number in operations:
            unit = math.lcm(unit, (Fraction(float(number)) * self.head["gamma"]).denominator)
        return unit

    def start(self):
        self.machine = Machine(self.head, self.unit)
        self.clock = [self.begin] * self.nodes
        self.ready = [self.begin] * self.nodes
        self.sent = {}  # by message: sender, receiver, bytes, when it had crossed
        self.had = {}  # by message: when the receiver had it
        self.met = [0] * self.nodes
        self.meetings = []

    def latest(self, node, earliest, messages):
        """The time when all of these have ended for the node, or `earliest'; KeyError: one has not
        come.
        """
        for message in messages:
            sender, _, _, ended = self.sent[message]
            if sender != node:
                ended = self.had[message]
            if ended > earliest:
                earliest = ended
        return earliest

    def missing(self, node, messages):
        """The first of these messages whose end is not yet known for the node; 0: none."""
        for message in messages:
            sent = self.sent.get(message)
            if sent is None or (sent[0] != node and message not in self.had):
                return message
        return 0

    def join(self, node):
        """The node arrives at the meeting of all; the last one to arrive ends it."""
        if self.met[node] == len(self.meetings):
            self.meetings.append([])
        come = self.meetings[self.met[node]]
        self.met[node] += 1
        come.append(node)
        if len(come) == self.nodes:
            latest = max(self.clock)
            self.clock = [latest] * self.nodes
        return len(come) == self.nodes

    def send(self, words, leaves):
        number, node, peer, size, port = words
        crossed = self.machine.send(node, peer, size, port, leaves)
        self.sent[number] = (node, peer, size, crossed)

    def receive(self, message, node):
        _, peer, size, crossed = self.sent[message]
        if peer != node:
            raise ValueError(f"node {node} takes message {message}, which goes to {peer}")
        self.had[message] = self.machine.receive(node, size, crossed)

    def compute(self, node, operations):
        took = self.computing.get(operations)
        if took is None:
            took = self.computing[operations] = int(Fraction(float(operations)) * self.gamma)
        self.clock[node] += took

    def go_on(self, kind, words, when):
        """The node's line at that time; arriving messages and meetings have other functions."""
        if kind == "free":
            self.send(words, when)
            return
        node = words[1] if kind == "send" else words[0]
        self.clock[node] = when
        if kind == "send":
            self.send(words, when)
        elif kind == "compute":
            self.compute(node, words[1])
        elif kind == "flow":
            self.ready[node] = when

    def time(self):
        return Fraction(max(self.clock) - self.begin, self.unit)

    def in_order(self):
        self.start()
        for kind, words, after in self.parsed:
            if kind == "recv":
                self.receive(words[0], words[1])
                continue
            node = words[1] if kind in ("send", "free") else words[0]
            base = self.ready if kind == "free" else self.clock
            self.go_on(kind, words, self.latest(node, base[node], after))
            if kind == "agree":
                self.join(node)
        return self.time()

    # ------------------------------------------------------------ by time --

    def lines_of_nodes(self):
        lines = [[] for _ in range(self.nodes)]
        for i, (kind, words, after) in enumerate(self.parsed):
            if kind != "recv":
                node = words[1] if kind in ("send", "free") else words[0]
                lines[node].append((i, kind, words, after))
        return lines

    def by_time(self):
        """A node's lines in their order; among the nodes, and among the messages that come to one,
        the earliest first.
        """
        self.start()
        lines = self.lines_of_nodes()
        at, waiting, events = [0] * self.nodes, {}, []
        look_at = range(self.nodes)
        while look_at or events:
            for node in look_at:
                if at[node] < len(lines[node]):
                    self.look(node, lines[node][at[node]], waiting, events)
            look_at = ()
            if events:
                look_at = self.event(heapq.heappop(events), lines, at, waiting, events)
        if any(at[node] < len(lines[node]) for node in range(self.nodes)):
            raise ValueError("nodes wait for each other")
        return self.time()

    def look(self, node, line, waiting, events):
        """The time when the node's line can run."""
        i, kind, _, after = line
        missing = self.missing(node, after)
        if missing:
            waiting.setdefault(missing, []).append(node)
            return
        base = self.ready if kind == "free" else self.clock
        heapq.heappush(events, (self.latest(node, base[node], after), i, node, 0))

    def event(self, event, lines, at, waiting, events):
        """Runs a line, or a message arrives; returns the nodes to examine then."""
        when, i, node, message = event
        if message > 0:
            self.had[message] = self.machine.receive(node, self.sent[message][2], when)
            return waiting.pop(message, ())
        _, kind, words, _ = lines[node][at[node]]
        at[node] += 1
        self.go_on(kind, words, when)
        if kind == "agree":
            return range(self.nodes) if self.join(node) else ()
        if kind not in ("send", "free"):
            return (node,)
        message = words[0]
        _, peer, _, crossed = self.sent[message]
        if peer != node:
            heapq.heappush(events, (crossed, i, peer, message))
        return [node] + waiting.pop(message, [])


def main(arguments):
    by_time = arguments[:1] == ["--by-time"]
    wrong = 0
    for path in arguments[by_time:]:
        try:
            run = Run(Schedule(path))
            found = run.by_time() if by_time else run.in_order()
        except (ValueError, KeyError, IndexError, OSError) as error:
            print(f"{path}: {error!r}")
            wrong += 1
            continue
        if found != run.stated:
            print(f"{path}: it takes {float(found):.17g}, the schedule says {float(run.stated):.17g}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
