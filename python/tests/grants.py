"""grants.py -- a policy of the tests: sizes, cores and memory other than asked, refusals, and books that are held
against what the simulator says.
"""

import fairway

GIB = 1 << 30
SECOND = 1000000


class Grants(fairway.Policy):
    name = "grants"
    flags = ("preempts", "takes_refusals")

    def __init__(self):
        super().__init__()
        self.story = []
        self.step = 0
        self.planned = None  # what is free after the decisions of a round of which none is refused

    def free(self):
        return [(n.tasks, n.cpu_free, n.mem_free, list(n.gpu_free)) for n in self.nodes]

    def held(self, unit):
        return [(t.node and t.node.index, t.cpu, t.mem) for t in unit.tasks]

    def tell(self, *what):
        self.story.append(f"{self.now // SECOND} " + " ".join(map(str, what)))

    def on_refused(self, unit, do, refusal, node):
        self.tell("refused", do, refusal, unit.job.id, unit.state, self.held(unit))

    def check(self):
        if self.planned is not None and self.planned != self.free():
            self.fail(f"at {self.now} it planned {self.planned}; the simulator has {self.free()}")
        self.planned = None

    def decide(self):
        self.check()
        self.units = {u.job.id: u for u in (*self.waiting, *self.running)}
        step = getattr(self, f"step{self.step}", None)
        if step is not None and self.now == 10 * SECOND * self.step:
            self.step += 1
            step(**self.units)
            for name, unit in self.units.items():
                self.tell(self.step - 1, name, unit.state, self.held(unit))
            self.wake(10 * SECOND * self.step)
        elif step is None:
            if self.story:
                print("\n".join(self.story))
                self.story = []
            for unit in list(self.waiting):
                self.start(unit, None, "the rest")

    def step0(self, grows, one, gang):
        self.size(grows, 2)
        self.start(grows, None, "small", cpu=2000, mem=3 * GIB)
        self.start(one, None, "more than it asks", cpu=8000, mem=9 * GIB, find=self.best_fit)
        self.start(gang, None, "less", mem=GIB)
        self.planned = self.free()

    def step1(self, grows, one, gang):
        self.resize(one.tasks[0], 3000, "less", mem=2 * GIB)
        if not self.scale(grows, 4, reason="more", cpu=1000, mem=5 * GIB):
            self.fail("there is room for four")
        self.planned = self.free()

    def step2(self, grows, one, gang):
        self.preempt(gang, "gives way")
        self.reallocate(one, self.release(one))
        if self.scale(grows, 8):
            self.fail("there is no room for eight beside another")

    def step3(self, grows, one, gang):
        self.preempt(one)
        self.scale(grows, 1, reason="gives room")
        self.start(gang, None, "again", cpu=3000)

    def step4(self, grows, one, gang):
        """What is refused, each for another reason; the unit is as it was."""
        self.start(one, [(self.nodes[0], None)], "far too many cores", cpu=10**9)
        self.resize(gang.tasks[0], 10**9, "the same")
        held = self.release(grows)
        self.reallocate(grows, held)
        self._scaled[grows] = (len(grows.tasks), held)
        self._verbs.scale(grows.job.number, [0] * 9)

    def step5(self, grows, one, gang):
        self.preempt(grows)
        self.preempt(gang)

    def step6(self, grows, one, gang):
        self.size(grows, 8)
        self.start(grows, [(self.nodes[0], None)] * 8, "a node has four cards")


if __name__ == "__main__":
    fairway.run(Grants)
