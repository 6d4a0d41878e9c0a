#!/usr/bin/env python3
"""fifo.py -- the built-in fifo, written again: units in order of arrival.

    fairway run SCENARIO -p 'exec:python3 python/fifo.py mode=skip place=best'

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
        # Units that ask for the same are of one request class: when one fails, so
        # do the others, and a decision costs in proportion to the classes that wait.
        # In strict mode only the first of all counts, and all are in one queue.
        self.queue = {}  # request class -> heap of (order, unit); of waiting units, and some that left
        self.failed = {}  # request class -> self.freed_epoch when it last found no place
        self.tried = {}  # the same with self.change_epoch, for classes that are not monotone

    def on_cluster(self):
        self.skip = self.param["mode"] == "skip"
        self.find = {"first": None, "best": self.best_fit}[self.param["place"]]

    def on_wait(self, unit):
        heapq.heappush(self.queue.setdefault(unit.request_class if self.skip else None, []), (unit.order, unit))

    def known_unschedulable(self, unit):
        if unit.monotone:
            return self.failed.get(unit.request_class) == self.freed_epoch
        return self.tried.get(unit.request_class) == self.change_epoch

    def try_start(self, unit, reason):
        if self.known_unschedulable(unit):
            return False
        places = self.place(unit, self.find)
        if places is None:
            self.failed[unit.request_class] = self.freed_epoch
            self.tried[unit.request_class] = self.change_epoch
            return False
        return self.start(unit, places, reason)

    def head(self, request_class):
        """The first unit of the class that waits, as (order, unit, request class)."""
        heap = self.queue[request_class]
        while heap and heap[0][1].state != "waiting":
            heapq.heappop(heap)
        return (*heap[0], request_class) if heap else None

    def decide(self):
        skip = self.skip
        heads = []
        for request_class in list(self.queue):
            head = self.head(request_class)
            if head is None:
                del self.queue[request_class]
            elif not (skip and head[1].monotone and self.known_unschedulable(head[1])):
                heads.append(head)
        heapq.heapify(heads)
        passed = {}  # request class -> units of classes that are not monotone, tried and to go back
        while heads:
            _, unit, request_class = heads[0]
            started = self.try_start(unit, "fits" if skip else "first in order, fits")
            if not started and not skip:
                return
            if not started and unit.monotone:
                heapq.heappop(heads)
                continue
            if not started:
                passed.setdefault(request_class, []).append(heapq.heappop(self.queue[request_class]))
            head = self.head(request_class)
            if head is None:
                heapq.heappop(heads)
            else:
                heapq.heapreplace(heads, head)
        for request_class, units in passed.items():
            for one in units:
                heapq.heappush(self.queue[request_class], one)


if __name__ == "__main__":
    fairway.run(Fifo)
