#!/usr/bin/env python3
"""lender.py -- keeps what a workflow's greatest stage needs, and lends what the present one leaves.

One node, tasks without GPUs: small enough that test_policy_exec.sh has its
schedule worked out by hand.  It also asks for what the protocol only answers.
"""

import fairway


class Lender(fairway.Policy):
    name = "lender"
    summary = "reserves for workflows, stage by stage, and lends the rest"
    flags = ("preempts",)

    def on_cluster(self):
        assert self.seed == 7 and self.audited and self.licences == {"matlab": 3}
        self.flow = None        # the workflow
        self.borrowers = []     # units, in the order in which they began to borrow

    def ask(self, tasks):
        return {"cpu": sum(t.shape.cpu for t in tasks), "matlab": sum(t.shape.licences.get("matlab", 0) for t in tasks)}

    def on_arrival(self, job):
        if job.n_stages == 0:
            return
        waits = {t.index: [f.index for f in self.followers(t)] for t in job.tasks}
        assert waits == {0: [2], 1: [2], 2: [3], 3: []} and [t.stage for t in job.tasks] == [0, 0, 1, 2], waits
        self.flow, self.stage = job, -1
        self.needs = [self.ask([t for t in job.tasks if t.stage == s]) for s in range(job.n_stages)]
        self.kept = {k: max(n[k] for n in self.needs) for k in self.needs[0]}

    def on_job_end(self, job):
        if job is self.flow:
            self.flow, self.borrowers = None, []

    def on_stop(self, unit):
        self.borrowers = [u for u in self.borrowers if u is not unit]

    def lent(self):
        return self.ask([t for u in self.borrowers for t in u.tasks])

    def left(self, stage):
        """What is reserved and neither needed by the stage nor lent."""
        lent = self.lent()
        return {k: self.kept[k] - self.needs[stage][k] - lent[k] for k in self.kept}

    def enter(self, stage):
        """Take back what the stage needs, the last borrower first; then it is its own."""
        lent = self.lent()
        usable = {k: self.kept[k] - lent[k] for k in self.kept}
        while min(self.left(stage).values()) < 0:
            self.preempt(self.borrowers.pop(), "taken back")
        now = self.lent()
        self.stage = stage
        self.reserve(self.flow, stage, told(self.kept), told(self.needs[stage]), "its stage begins",
                     usable=told(usable), reclaimed=told({k: lent[k] - now[k] for k in lent}))

    def outside(self, unit):
        """Is there enough beside the reservation and what ordinary units hold?"""
        held = self.ask([t for u in self.running if u.job is not self.flow and u not in self.borrowers for t in u.tasks])
        asks, kept = self.ask(unit.tasks), self.kept if self.flow else self.ask([])
        return (asks["cpu"] + held["cpu"] + kept["cpu"] <= self.nodes[0].cpu and
                asks["matlab"] + held["matlab"] + kept["matlab"] <= self.licences["matlab"])

    def decide(self):
        mine = [u for u in self.waiting if u.job is self.flow]
        if mine and mine[0].tasks[0].stage > self.stage:
            self.enter(mine[0].tasks[0].stage)
        for unit in mine:
            assert self.start(unit, reason="its workflow's turn")
        for unit in [u for u in self.waiting if u.job is not self.flow]:
            if self.outside(unit):
                self.start(unit, reason="there is room outside")
            elif self.flow and all(n <= self.left(self.stage)[k] for k, n in self.ask(unit.tasks).items()):
                self.start(unit, reason="borrows")
                self.lend(unit, self.flow, reason="the stage leaves it")
                self.borrowers.append(unit)
            else:
                self.hold(unit, f"kept for {self.flow.id}", head=unit.job.id == "l")


def told(amount):
    return {"cpu": amount["cpu"], "licences": {"matlab": amount["matlab"]}}


if __name__ == "__main__":
    fairway.run(Lender)
