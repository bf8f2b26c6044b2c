#!/usr/bin/env python3
"""Plays schedules that `hyla simulate --schedule` wrote, on the machine of the papers alone.

A message of n bytes takes alpha + beta n over each link of the cube on its way, which crosses the
dimensions that its ends differ in, the lowest first.  A link carries one message at a time in each
direction; on a machine with one port a node sends one at a time and takes one at a time.  The
machine's times are turned into whole numbers of a common unit, so that nothing is rounded and the
time that the schedule states must come out exactly.  The format: hyla-schedule(5).

usage: replay.py [--by-time] FILE...

--by-time: not in the order of the lines; nodes go on as time goes by, and links and ports serve who
comes first.  Where messages go to neighbours and all ports are there, that is the same.
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
        numbers = ("dims", "alpha", "beta", "gamma", "begin", "time")
        words = ("network", "ports", "switching")
        self.head = {}
        self.lines = []
        for line in lines[1:]:
            if line[0] in numbers:
                self.head[line[0]] = Fraction(float(line[1]))
            elif line[0] in words:
                self.head[line[0]] = line[1]
            else:
                self.lines.append(line)
        missing = [key for key in numbers + words if key not in self.head]
        if missing:
            raise ValueError("the head lacks " + ", ".join(missing))


def parse(line):
    """Kind, operands and the messages that stand behind `after'."""
    at = line.index("after") if "after" in line else len(line)
    return line[0], line[1:at], [int(word) for word in line[at + 1 :]]


class Booked:
    """The times in which something is taken; a new one gets the earliest gap that is long enough."""

    def __init__(self):
        self.starts = []
        self.ends = []

    def gap(self, earliest, length):
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
        self.links = {}
        self.port_in = {}
        self.port_out = {}
        self.first_link = {}

    def time(self, size):
        return self.alpha + int(self.beta * size)

    def way(self, node, peer):
        links = []
        if self.switch:
            return links
        dim = 0
        while (node ^ peer) >> dim:
            if (node ^ peer) >> dim & 1:
                links.append(self.links.setdefault((node, dim), Booked()))
                node ^= 1 << dim
            dim += 1
        return links

    def send(self, node, peer, size, earliest):
        """Of a message that may leave then: when it has crossed its last link."""
        if node == peer:
            return earliest
        took = self.time(size)
        lowest = (node ^ peer) & -(node ^ peer)
        start = max(earliest, self.first_link.get((node, lowest), 0))
        if self.one_port:
            start = max(start, self.port_out.get(node, 0))
        links = self.way(node, peer)
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
        """When the node has a message that had crossed its links then."""
        took = self.time(size)
        if not self.one_port or took == 0:
            return crossed
        port = self.port_in.setdefault(node, Booked())
        start = port.gap(crossed - took, took)
        port.take(start, took)
        return start + took


class Run:
    """A schedule on its machine."""

    def __init__(self, schedule):
        head = schedule.head
        self.parsed = [parse(line) for line in schedule.lines]
        self.unit = self.common_unit(head)
        self.machine = Machine(head, self.unit)
        self.gamma = head["gamma"] * self.unit
        self.nodes = 1 << int(head["dims"])
        self.begin = int(head["begin"] * self.unit)
        self.stated = head["time"]
        self.clock = [self.begin] * self.nodes
        self.ready = [self.begin] * self.nodes
        self.sent = {}  # by message: sender, receiver, bytes, when it had crossed
        self.had = {}  # by message: when the receiver had it
        self.met = [0] * self.nodes
        self.meetings = []

    def common_unit(self, head):
        """In which every time of the machine, and of an operation of these, is whole."""
        unit = 1
        for key in ("alpha", "beta", "gamma", "begin"):
            unit = math.lcm(unit, head[key].denominator)
        operations = {words[1] for kind, words, _ in self.parsed if kind == "compute"}
        for number in operations:
            unit = math.lcm(unit, (Fraction(float(number)) * head["gamma"]).denominator)
        return unit

    def ended(self, node, message):
        """When that has ended for the node; KeyError: not yet."""
        return self.sent[message][3] if self.sent[message][0] == node else self.had[message]

    def wait(self, node, messages):
        self.clock[node] = max([self.clock[node]] + [self.ended(node, m) for m in messages])

    def join(self, node):
        """The node comes to where all meet; whoever comes last ends it."""
        if self.met[node] == len(self.meetings):
            self.meetings.append([])
        come = self.meetings[self.met[node]]
        self.met[node] += 1
        come.append(node)
        if len(come) == self.nodes:
            latest = max(self.clock)
            self.clock = [latest] * self.nodes
        return len(come) == self.nodes

    def step(self, kind, words, after):
        if kind in ("send", "free"):
            number, node, peer, size = int(words[0]), int(words[1]), int(words[2]), int(words[4])
            if kind == "send":
                self.wait(node, after)
                leaves = self.clock[node]
            else:
                leaves = max([self.ready[node]] + [self.ended(node, m) for m in after])
            self.sent[number] = (node, peer, size, self.machine.send(node, peer, size, leaves))
        elif kind == "recv":
            number, node = int(words[0]), int(words[1])
            _, peer, size, crossed = self.sent[number]
            if peer != node:
                raise ValueError(f"node {node} takes message {number}, which goes to {peer}")
            self.had[number] = self.machine.receive(node, size, crossed)
        else:
            node = int(words[0])
            self.wait(node, after)
            if kind == "compute":
                self.clock[node] += int(Fraction(float(words[1])) * self.gamma)
            elif kind == "flow":
                self.ready[node] = self.clock[node]
            elif kind == "agree":
                self.join(node)
            elif kind != "wait":
                raise ValueError(f"no line begins with {kind}")

    def time(self):
        return Fraction(max(self.clock) - self.begin, self.unit)

    def in_order(self):
        for kind, words, after in self.parsed:
            self.step(kind, words, after)
        return self.time()

    # ------------------------------------------------------------ by time --

    def place_of(self, kind, words):
        return int(words[1] if kind in ("send", "free", "recv") else words[0])

    def by_time(self):
        """A node's lines in their order; among the nodes, and the messages that come to one, what
        comes first."""
        lines = [[] for _ in range(self.nodes)]
        for i, (kind, words, after) in enumerate(self.parsed):
            if kind != "recv":
                lines[self.place_of(kind, words)].append((i, kind, words, after))
        at, waiting, events = [0] * self.nodes, {}, []

        def look(node):
            """When can the node's next line go?"""
            if at[node] == len(lines[node]):
                return
            i, kind, words, after = lines[node][at[node]]
            missing = [m for m in after if not self.known(node, m)]
            if missing:
                waiting.setdefault(missing[0], set()).add(node)
                return
            base = self.ready if kind == "free" else self.clock
            when = max([base[node]] + [self.ended(node, m) for m in after])
            heapq.heappush(events, (when, i, node, 0))

        for node in range(self.nodes):
            look(node)
        while events:
            when, i, node, message = heapq.heappop(events)
            if message > 0:
                self.had[message] = self.machine.receive(node, self.sent[message][2], when)
            else:
                _, kind, words, after = lines[node][at[node]]
                at[node] += 1
                if kind == "agree":
                    self.wait(node, after)
                    if self.join(node):
                        for other in range(self.nodes):
                            look(other)
                    continue
                self.step(kind, words, after)
                if kind in ("send", "free"):
                    message = int(words[0])
                    sender, peer, _, crossed = self.sent[message]
                    if peer != sender:
                        heapq.heappush(events, (crossed, i, peer, message))
                look(node)
            for other in waiting.pop(message, ()):
                look(other)
        if any(at[node] < len(lines[node]) for node in range(self.nodes)):
            raise ValueError("nodes wait for each other")
        return self.time()

    def known(self, node, message):
        if message not in self.sent:
            return False
        return self.sent[message][0] == node or message in self.had


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
