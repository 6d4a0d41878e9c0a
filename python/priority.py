#!/usr/bin/env python3
"""priority.py -- priorities that grow with waiting, and preemption.

    fairway run SCENARIO -p 'exec:python3 python/priority.py patience=24'

A waiting unit has the level of its job's priority, plus one for every
`patience` hours of its present wait; a running one keeps the level at which it
started.  Units are tried by level, highest first, then in order of arrival.
One that does not fit takes the place of running units of lower level: the
lowest level first, of equals the one started last, as many as it takes, and
none if all together do not make room.
"""

import fairway

HOUR = 3600 * 1000000


class Priority(fairway.Policy):
    name = "priority-py"
    source = "example: priorities with ageing and preemption"
    summary = "higher levels first, and in place of lower ones"
    flags = ("preempts",)
    params = {"patience": "24"}

    def __init__(self):
        super().__init__()
        self.since = {}  # waiting unit -> when its present wait began
        self.level = {}  # running unit -> its level when it started
        self.woken = 0  # the latest instant for which a wake was asked

    def on_cluster(self):
        hours = float(self.param["patience"])
        if not hours > 0:
            self.fail(f"patience is {hours}; expected hours, more than 0")
        self.patience = max(1, round(hours * HOUR))

    def on_wait(self, unit):
        self.since[unit] = self.now

    def on_leave(self, unit):
        del self.since[unit]

    def on_stop(self, unit):
        self.level.pop(unit, None)

    def level_of(self, unit):
        return unit.job.priority + (self.now - self.since[unit]) // self.patience

    def find_victims(self, unit, lower):
        """A place for the unit at the cost of some of `lower`, the first first: (places, victims), or None."""
        released = []
        for victim in lower:
            released.append((victim, self.release(victim)))
            places = self.place(unit)
            if places is not None:
                return places, [v for v, _ in released]
        for victim, held in reversed(released):
            self.reallocate(victim, held)
        return None

    def decide(self):
        waiting = sorted((-self.level_of(u), u) for u in self.waiting)
        running = sorted(self.running, key=lambda u: (self.level[u], -u.started, u.order))
        failed = {}  # request class -> what was free, and the level, when one of it last found no place
        for negative, unit in waiting:
            level = -negative
            if unit.monotone and failed.get(unit.request_class) == (self.freed_epoch, level):
                continue
            freed_epoch = self.freed_epoch
            places, victims = self.place(unit), []
            if places is None:
                lower = [u for u in running if u.state == "running" and self.level[u] < level]
                found = self.find_victims(unit, lower)
                if found is None:
                    self.freed_epoch = freed_epoch  # as it was: every release was undone
                    failed[unit.request_class] = (freed_epoch, level)
                    continue
                places, victims = found
            for victim in victims:
                self.preempt(victim, f"level {self.level.pop(victim)} gives way to {level}")
            self.start(unit, places, f"level {level}")
            del self.since[unit]
            self.level[unit] = level
        self.wake_when_a_level_rises()

    def wake_when_a_level_rises(self):
        """One pending wake is enough: the round that it brings asks for the next."""
        if self.waiting and self.woken <= self.now:
            self.woken = min(s + ((self.now - s) // self.patience + 1) * self.patience for s in self.since.values())
            self.wake(self.woken)


if __name__ == "__main__":
    fairway.run(Priority)
