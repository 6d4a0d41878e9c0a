#!/usr/bin/env python3
"""fifo.py -- the built-in fifo, written again: units in order of arrival.

    fairway run SCENARIO -p 'exec:python3 python/fifo.py mode=skip place=best'

Parameters as the built-in's; of its placements first and best.  A test holds
the digests of its runs against those of the built-in.
"""

import bisect
import collections
import operator

import fairway

ORDER = operator.attrgetter("order")


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
        self.queue = {None: collections.deque()}  # request class -> units in order; they wait, and some left
        self.fresh = set()  # classes to try although nothing became free
        self.seen = None  # freed_epoch of the last round: what failed then fails while it is the same

    def on_cluster(self):
        self.skip = self.param["mode"] == "skip"
        self.find = {"first": None, "best": self.best_fit}[self.param["place"]]

    def on_wait(self, unit):
        request_class = unit.request_class if self.skip else None
        queue = self.queue.get(request_class)
        if queue is None:
            queue = self.queue[request_class] = collections.deque()
        if queue and queue[-1].order > unit.order:
            bisect.insort(queue, unit)
        else:
            queue.append(unit)
        if self.skip:
            self.fresh.add(request_class)

    def decide(self):
        if self.skip:
            self.try_all()
            return
        queue, find = self.queue[None], self.find
        while queue and (unit := queue[0]) and (
            unit.state != "waiting" or self.start(unit, None, "first in order, fits", find=find)
        ):
            queue.popleft()

    def head(self, request_class):
        """The first unit of the class that waits, or None."""
        queue = self.queue.get(request_class, ())
        while queue and queue[0].state != "waiting":
            queue.popleft()
        if queue:
            return queue[0]
        self.queue.pop(request_class, None)
        return None

    def try_all(self):
        classes = self.fresh if self.seen == self.freed_epoch else list(self.queue)
        heads = []
        for request_class in classes:
            queue = self.queue.get(request_class)
            head = queue[0] if queue and queue[0].state == "waiting" else self.head(request_class)
            if head is not None:
                heads.append(head)
        heads.sort(key=ORDER)
        self.seen, self.fresh = self.freed_epoch, set()
        passed = []  # units of classes that are not monotone, tried and to go back
        while (started := self.start_first(heads, "fits", self.find)) is not None:
            tried, unit, heads = heads[:started], heads[started], heads[started + 1 :]
            for one in tried:
                queue = self.queue[one.request_class]
                while not one.monotone and queue and queue[0].order < unit.order:
                    passed.append(queue.popleft())
            for one in (unit, *(one for one in tried if not one.monotone)):
                head = self.head(one.request_class)
                if head is not None:
                    bisect.insort(heads, head)
        for one in reversed(passed):
            self.queue.setdefault(one.request_class, collections.deque()).appendleft(one)
        # Those of the others may fit once more is taken.
        self.fresh.update(one.request_class for one in (*heads, *passed) if not one.monotone)


if __name__ == "__main__":
    fairway.run(Fifo)
