#!/usr/bin/env python3
"""mapper.py -- the built-ins mct and met, written again: each task of API calls
whole to one engine, by when it would end there (mct) or how long it takes (met).

    fairway run SCENARIO -p 'exec:python3 python/mapper.py rule=met'

A task waits with the master, is sent to a node's queue, is started there, and
then makes one call after the other.  A timeline is one engine, and what is
planned on it in order.  A test holds the digests of its runs against the built-ins'.
"""

from collections import Counter
from types import SimpleNamespace

import fairway


class Mapper(fairway.Policy):
    name = "mapper-py"
    source = "Braun et al., JPDC 61(6), 2001, section 3"
    summary = "the built-ins mct and met in Python"
    flags = ("runs_calls",)
    params = {"rule": "mct"}

    def on_cluster(self):
        self.timelines = [
            SimpleNamespace(node=node, engine=e, plan=[])  # plan: [(task, when it ends)]
            for node in self.nodes
            for e in self.engines
            for _ in range(node.engines.get(e, 0))
        ]
        self.timeline = {}  # task that was sent -> its timeline; None: no one engine type runs all its calls
        self.time = {}  # task -> {engine: time of all its calls there}

    def on_wait(self, unit):
        task = unit.tasks[0]
        self.on_leave(unit)
        if task.calls:
            self.time[task] = {
                e: sum(c["us"][e] for c in task.calls)
                for e in self.engines
                if all(e in c["us"] for c in task.calls)
            }

    def on_leave(self, unit):
        self.on_task_end(unit.tasks[0])

    def on_task_end(self, task):
        timeline = self.timeline.pop(task, None)
        if timeline:
            timeline.plan = [one for one in timeline.plan if one[0] is not task]
        self.time.pop(task, None)

    def ends(self, task):
        """(what the rule looks at, when it would end, number of the timeline) for each one that can take the task."""
        for i, timeline in enumerate(self.timelines):
            took = self.time[task].get(timeline.engine)
            if took is not None and timeline.node.up and timeline.node in self.suitable(task.shape):
                end = max(self.now, timeline.plan[-1][1] if timeline.plan else 0) + took
                yield (took if self.param["rule"] == "met" else end), end, i

    def assign(self, unit):
        task = unit.tasks[0]
        _, end, i = min(self.ends(task), default=(0, 0, None))
        if i is not None:
            timeline = self.timeline[task] = self.timelines[i]
            timeline.plan.append((task, end))
            self.send(unit, timeline.node, "ends there first")
        elif not any(
            timeline.engine in self.time[task] and timeline.node in self.suitable(task.shape)
            for timeline in self.timelines
        ):
            load = Counter((t.queue or t.node) for u in (*self.waiting, *self.running) for t in u.tasks if t.calls)
            node = min(
                (n for n in self.nodes if n.up and n in self.suitable(task.shape)),
                key=lambda n: load[n],
                default=None,
            )
            if node:
                self.timeline[task] = None
                self.send(unit, node, "no one kind of engine runs all its calls")

    def begin(self, task, reason):
        places = self.place(task.unit, lambda shape: task.queue)
        if places:
            self.start(task.unit, places, reason)

    def call_anywhere(self, task):
        """At home if an engine is free that can run it, else at the first node with one."""
        us = task.calls[task.next_call]["us"]
        for node in (task.node, *(n for n in self.nodes if n is not task.node)):
            if free := [e for e in self.engines if e in us and node.up and node.engines_free.get(e, 0) > 0]:
                return self.call(task, node, min(free, key=us.get), "a free engine that can run it")

    def decide(self):
        for unit in sorted(u for u in self.waiting if not u.tasks[0].calls):  # ordinary jobs go first
            self.start(unit, None, "fits")
        for unit in [u for u in self.waiting if u.tasks[0].calls and u.tasks[0].queue is None]:
            self.assign(unit)
        idle = [t for u in self.running for t in u.tasks if t.may_call]
        for node in (n for n in self.nodes if n.up):
            for task in idle:
                if task.node is node and self.timeline[task] and node.engines_free[self.timeline[task].engine] > 0:
                    self.call(task, node, self.timeline[task].engine, "the engine that it was sent for")
            for timeline in self.timelines:
                if (
                    timeline.node is node
                    and timeline.plan
                    and timeline.plan[0][0].queue is node
                    and node.engines_free[timeline.engine] > 0
                ):
                    self.begin(timeline.plan[0][0], "its turn on that engine")
            for task in [t for t, timeline in self.timeline.items() if timeline is None and t.queue is node]:
                self.begin(task, "nothing to wait for")
        for task in sorted(idle, key=lambda t: t.node.index):
            if task.may_call and self.timeline[task] is None:
                self.call_anywhere(task)


if __name__ == "__main__":
    fairway.run(Mapper)
