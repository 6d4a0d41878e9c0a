#!/usr/bin/env python3
"""fifo.py -- the built-in fifo, written again: units in order of arrival.

    fairway run SCENARIO -p 'exec:python3 policies/python/fifo.py mode=skip place=best'

Parameters as the built-in's; of its placements first and best.  A test holds
the digests of its runs against those of the built-in.
"""

import heapq

import fairway


class Fifo(fairway.Policy):
    name = "fifo-py"
    source = "baseline: first come, first served"
    summary = "the built-in fifo in Python"
    params = {"mode": "strict", "place": "first"}

    def __init__(self):
        super().__init__()
        # Units that ask for the same are of one kind: when one fails, so do the
        # others, and a decision costs in proportion to the kinds that wait.  In
        # strict mode only the first of all counts, and all are in one queue.
        self.queue = {}         # kind -> heap of (order, unit); of waiting units, and some that left
        self.failed = {}        # kind -> self.freed when it last found no place
        self.tried = {}         # the same with self.changes, for kinds that are not steady

    def on_cluster(self):
        self.skip = self.param["mode"] == "skip"
        self.find = {"first": self.first_fit, "best": self.best_fit}[self.param["place"]]

    def on_wait(self, unit):
        heapq.heappush(self.queue.setdefault(unit.kind if self.skip else None, []), (unit.order, unit))

    def hopeless(self, unit):
        if unit.steady:
            return self.failed.get(unit.kind) == self.freed
        return self.tried.get(unit.kind) == self.changes

    def try_start(self, unit, why):
        if self.hopeless(unit):
            return False
        places = self.place(unit, self.find)
        if places is None:
            self.failed[unit.kind] = self.freed
            self.tried[unit.kind] = self.changes
            return False
        return self.start(unit, places, why)

    def head(self, kind):
        """The first unit of the kind that waits, as (order, unit, kind)."""
        heap = self.queue[kind]
        while heap and heap[0][1].state != "waiting":
            heapq.heappop(heap)
        return (*heap[0], kind) if heap else None

    def decide(self):
        skip = self.skip
        heads = []
        for kind in list(self.queue):
            head = self.head(kind)
            if head is None:
                del self.queue[kind]
            elif not (skip and head[1].steady and self.hopeless(head[1])):
                heads.append(head)
        heapq.heapify(heads)
        passed = {}             # kind -> units of unsteady kinds that were tried and go back
        while heads:
            _, unit, kind = heads[0]
            started = self.try_start(unit, "fits" if skip else "first in order, fits")
            if not started and not skip:
                return
            if not started and unit.steady:
                heapq.heappop(heads)
                continue
            if not started:
                passed.setdefault(kind, []).append(heapq.heappop(self.queue[kind]))
            head = self.head(kind)
            if head is None:
                heapq.heappop(heads)
            else:
                heapq.heapreplace(heads, head)
        for kind, units in passed.items():
            for one in units:
                heapq.heappush(self.queue[kind], one)


if __name__ == "__main__":
    fairway.run(Fifo)
