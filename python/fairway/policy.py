"""policy.py -- scheduling policies for Fairway in Python 3, standard library only.

A policy is a class with a method decide(), derived from Policy.  Here is what
it may do; what it knows and hears of is in told.py.  Nothing is checked: every
decision is checked by the simulator.

    import fairway

    class Mine(fairway.Policy):
        name = "mine"
        def decide(self) -> None:
            for unit in list(self.waiting):
                places = self.place(unit)
                if places:
                    self.start(unit, places)

    if __name__ == "__main__":
        fairway.run(Mine)           # fairway run scenario.yaml -p 'exec:python3 mine.py'

The same class runs in process (inprocess.py), many times faster:

    fairway.run("scenario.yaml", policies=[Mine, "fifo"])

Units: time in microseconds, CPU in thousandths of a core, memory in bytes, GPU
shares in thousandths of a card.  In a process of its own, print() goes to
standard error, as standard output belongs to the protocol.
"""

from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

from .told import Held, Told
from .view import Job, Node, Shape, Task, Unit

Places = List[Tuple[Node, Optional[List[int]]]]  # by task: its node, and cards; None: the simulator chooses
Find = Callable[[Shape], Optional[Node]]
Amount = Dict[str, Any]  # {"cpu": .., "gpu": .., "licences": {..}}


class Policy(Told):
    """Derive, give it a name, and write decide().

    Before decide() is called, the on_* methods are called once an event, in the
    order of the events; none has to be written.
    """

    __slots__ = ()

    def decide(self) -> None:
        raise NotImplementedError("a policy has a method decide()")

    # ---- what to do about it ----

    def start(
        self,
        unit: Unit,
        places: Optional[Places] = None,
        reason: Optional[str] = None,
        cpu: Optional[int] = None,
        mem: Optional[int] = None,
        find: Optional[Find] = None,
    ) -> bool:
        """Start a unit; places: [(node, cards)] by task as place() gives them, cards None: the simulator chooses.

        The free resources of the nodes are taken at once.  Without places they
        are those of place(unit, find); False if there are none.  In process that
        is the quickest way to start, with find None or self.best_fit.  cpu, mem:
        what each task gets instead of the cores (thousandths) and memory that it asks.
        """
        starts = self._starts
        if starts and places is None and unit.plain and not (cpu or mem) and (not find or find == self.best_fit):
            started: bool = starts(unit, find is not None, reason)
            return started
        if places is None:
            places = self.place(unit, find)
            if places is None:
                return False
        self._start_at(unit, places, reason, cpu, mem)
        if unit.tasks[0].calls:
            self._unqueue(unit)
        self._started(unit)
        return True

    def start_first(
        self, units: Sequence[Unit], reason: Optional[str] = None, find: Optional[Find] = None
    ) -> Optional[int]:
        """Start the first of these units that start(unit, None, reason, find=find) starts; its place among them.

        In process that costs less than to start them one by one.
        """
        units = list(units)
        quickly = self._starts_first if find is None or find == self.best_fit else None
        i = 0
        while i < len(units):
            if quickly:  # past plain ones that do not start
                i = quickly(units, find is not None, reason, i)
                if i == len(units) or units[i].state == "running":
                    break
            if self.start(units[i], None, reason, None, None, find):
                break
            i += 1
        return i if i < len(units) else None

    def _started(self, unit: Unit) -> None:
        unit.state = "running"
        unit.started = self.now
        if self._head or self._held:
            self._unhold(unit)
        self.waiting.pop(unit, None)
        self.running[unit] = None

    def _start_at(
        self, unit: Unit, places: Places, reason: Optional[str], cpu: Optional[int], mem: Optional[int]
    ) -> None:
        for task, (node, cards) in zip(unit.tasks, places):
            if task.node is None:
                self._allocate(task, node, cards)
        self._grant(unit, cpu, mem)
        if unit.job.gang:
            nodes, *more = self._each(places, cpu, mem)
            self._verbs.start_gang(unit.job.number, nodes, *more[:2], reason, *more[2:])
        else:
            node, cards = places[0]
            self._verbs.start(unit.job.number, unit.tasks[0].index, node.index, cards, cpu, reason, mem)

    @staticmethod
    def _each(places: Places, cpu: Optional[int], mem: Optional[int]) -> Tuple[Any, Any, Any, Any]:
        """Nodes, cards, cores and memory of each task, as decisions about many tell them."""
        return (
            [node.index for node, _ in places],
            None if any(cards is None for _, cards in places) else [cards for _, cards in places],
            [cpu] * len(places) if cpu else None,
            [mem] * len(places) if mem else None,
        )

    def preempt(self, unit: Unit, reason: Optional[str] = None) -> None:
        """Stop a running unit; what it held is free at once, and it will wait again in the next round."""
        self._verbs.preempt(unit.job.number, unit.tasks[0].index, reason)
        self.release(unit)
        unit.state = "leaving"
        self.running.pop(unit, None)

    def size(self, unit: Unit, n: int) -> None:
        """A waiting unit of an elastic job has n tasks from now on, of unit.job.elastic's min to max; then
        place and start it.
        """
        unit._size(n)

    def scale(
        self,
        unit: Unit,
        n: int,
        find: Optional[Find] = None,
        reason: Optional[str] = None,
        cpu: Optional[int] = None,
        mem: Optional[int] = None,
    ) -> bool:
        """A running unit of an elastic job goes on with n tasks, at the places that place(unit, find) has for so many.

        What it holds is free for that.  False, and nothing is changed, if there are no such places.
        cpu, mem: as start() has them.
        """
        was, held = len(unit.tasks), self.release(unit)
        unit._size(n)
        places = self.place(unit, find)
        if places is None:
            unit._size(was)
            self.reallocate(unit, held)
            return False
        self._grant(unit, cpu, mem)
        nodes, cards, cores, memory = self._each(places, cpu, mem)
        self._verbs.scale(unit.job.number, nodes, cards, cores, reason, memory)
        self._scaled[unit] = (was, held)
        unit.started = self.now
        return True

    def resize(self, task: Task, cpu: int, reason: Optional[str] = None, mem: Optional[int] = None) -> None:
        """A running task that is not exclusive holds other cores from now on, thousandths; and other memory."""
        self._verbs.resize(task.job.number, task.index, cpu, reason, mem)
        self._resize(task, cpu, mem or task.mem)

    def hold(self, unit: Unit, reason: str, head: bool = False) -> None:
        """For the record: why a waiting unit is not started although it might; head: units behind it wait for it."""
        if head and self._head != (unit, reason):
            self._head = (unit, reason)
        elif not head and self._held.get(unit) != reason:
            self._held[unit] = reason
        else:
            return
        self._verbs.hold(unit.job.number, unit.tasks[0].index, reason, head)

    def _unqueue(self, unit: Unit) -> None:
        for task in unit.tasks:
            if task.queue is not None:
                task.queue.queued -= 1
                task.queue = None

    def reserve(
        self, job: Job, stage: int, reserved: Amount, need: Amount, reason: Optional[str] = None, **more: Amount
    ) -> None:
        """What is kept aside for a job when it enters a stage: amounts {"cpu": .., "gpu": .., "licences": {..}}.

        more: lendable, usable, reclaimed, as PROTOCOL.md has them.  An empty
        `reserved` gives the reservation up.
        """
        self._verbs.reserve(job.number, stage, reserved, need, reason=reason, **more)

    def lend(self, unit: Unit, lender: Job, amount: Optional[Amount] = None, reason: Optional[str] = None) -> None:
        """A unit of one task, just started or running, borrows of a job's reservation; amount: so much of
        what it holds.
        """
        self._verbs.lend(unit.job.number, unit.tasks[0].index, lender.number, amount, reason)

    def send(self, unit: Unit, node: Node, reason: Optional[str] = None) -> None:
        """A waiting task of calls goes to a node's queue, where it is started: start(unit, [(node, cards)])."""
        task = unit.tasks[0]
        self._verbs.send(unit.job.number, task.index, node.index, reason)
        if task.queue is not None:
            task.queue.queued -= 1
        task.queue = node
        node.queued += 1

    def call(self, task: Task, node: Node, engine: str, reason: Optional[str] = None) -> None:
        """The next call of a task that may_call runs on an engine of that type, at its own node or another."""
        self._verbs.call(task.job.number, task.index, node.index, engine, reason)
        task.may_call = False
        node._free_engine(engine, -1)
        self._touch(node)

    def wake(self, at: int) -> None:
        """Ask for a round at this time, in the future."""
        self._verbs.wake(at)

    def record(self, name: str, value: float) -> None:
        """A named number for the run's record."""
        self._verbs.note(name, value)

    def fail(self, message: str) -> None:
        """The policy cannot go on: fails the run with this message."""
        self._verbs.fail(message)

    def query(
        self, task: Task, nodes: Iterable[Node] = (), ways: Iterable[Tuple[int, Node, Node]] = ()
    ) -> Dict[str, Any]:
        """The state of a task now, and what reading its inputs would cost on some nodes: PROTOCOL.md, "query".

        ways: [(call, node, other)]: what the way of a call from the one to the other and back takes.
        """
        said = {"msg": "query", "job": task.job.number, "task": task.index, "nodes": [n.index for n in nodes]}
        if ways:
            said["overhead"] = [[call, a.index, b.index] for call, a, b in ways]
        answer: Dict[str, Any] = self._speak(said)
        return answer

    def followers(self, task: Task) -> List[Task]:
        """The tasks that wait for this one to end; asks."""
        return [task.job.tasks[k] for k in self.query(task).get("followers", ())]

    # ---- where it fits ----

    # These ask the simulator, telling it what the decisions of this round so far have changed.

    def first_fit(self, shape: Shape) -> Optional[Node]:
        """The first node on which a task of the shape fits, or None."""
        answer = self._fits.places(shape, 1)
        return self.nodes[answer.places[0][0]] if answer else None

    def fitting(self, shape: Shape) -> List[Node]:
        """Every node on which a task of the shape fits now, in order."""
        return [self.nodes[i] for i in self._fits.fitting(shape)]

    def suitable(self, shape: Shape) -> FrozenSet[Node]:
        """Every node on which a task of the shape would fit if the node were up and nothing ran there: a set."""
        nodes = self._suitable.get(shape)
        if nodes is None:
            nodes = self._suitable[shape] = frozenset(self.nodes[i] for i in self._fits.suitable(shape))
        return nodes

    def best_fit(self, shape: Shape) -> Optional[Node]:
        """The node that a task of the shape leaves fullest: policies/README.md, "best"."""
        node: Optional[Node] = self._fits.best(shape)
        return node

    def place(self, unit: Unit, find: Optional[Find] = None) -> Optional[Places]:
        """A place for every task of a unit, one after the other, each seeing those before; or None.

        find(shape) names the node, first_fit by default.  The places are taken
        from what is free: start the unit there, or give them back with unplace().
        """
        if unit.licences and not self.licensed(unit):
            return None
        tasks = unit.tasks
        if self._by_rule(unit, find):
            placed: Optional[Places] = self._fits.place_all(tasks, find is not None)
            return placed
        # If so many do not fit at all, then neither where find says.
        if len(tasks) > 1 and unit.monotone and self._fits.places(tasks[0].shape, len(tasks)) is None:
            return None
        return self._place_each(tasks, find or self.first_fit)

    def _by_rule(self, unit: Unit, find: Optional[Find]) -> bool:
        """Does the simulator find the places of all its tasks at once?"""
        return unit.alike and (find is None or (self._starts is not None and find == self.best_fit))

    def _place_each(self, tasks: List[Task], find: Find) -> Optional[Places]:
        """Wherever find says, one by one."""
        places: Places = []
        change_epoch, freed_epoch = self.change_epoch, self.freed_epoch
        if len(tasks) > 1:
            self._freed()  # what fails from here on may fail for those placed before it
        for task in tasks:
            node = find(task.shape)
            cards = None if node is None else self._fits.cards(task.shape, node)
            if node is None or cards is None:
                for placed, _ in zip(tasks, places):
                    self._deallocate(placed)
                self.change_epoch = change_epoch
                self.freed_epoch = freed_epoch
                return None
            self._allocate(task, node, cards)
            places.append((node, cards))
        self.freed_epoch = freed_epoch
        return places

    def licensed(self, unit: Unit) -> bool:
        """Are the licences that its tasks ask for free?"""
        return all(self.licences_free.get(k, 0) >= n for k, n in unit.licences.items())

    def unplace(self, unit: Unit) -> None:
        """Give back what place() took for a unit that is not started."""
        for task in unit.tasks:
            if task.node is not None:
                self._deallocate(task)
        self._freed()

    def release(self, unit: Unit) -> Held:
        """Give back what a running unit holds, to see what would fit then; follow it by reallocate() or preempt().

        Returns what reallocate() wants.
        """
        held = [(t.node, t.cards, t.cpu, t.mem) for t in unit.tasks if t.node is not None]
        for task in unit.tasks:
            if task.node is not None:
                self._deallocate(task)
        self._freed()
        return held

    def reallocate(self, unit: Unit, held: Held) -> None:
        """Undo release()."""
        for task, (node, cards, cpu, mem) in zip(unit.tasks, held):
            self._allocate(task, node, cards)
            self._resize(task, cpu, mem)

    def _freed(self) -> None:
        self._freed_epochs += 1
        self.freed_epoch = self._freed_epochs

    def _touch(self, node: Node) -> None:
        self.change_epoch += 1
        self._fits.touch(node)

    def _allocate(self, task: Task, node: Node, cards: Optional[List[int]]) -> None:
        task._hold(node, cards)
        node._move(task.shape, cards or (), -1)
        if task.shape.licences:
            self._license(task, -1)
        self._touch(node)

    def _license(self, task: Task, sign: int) -> None:
        for k, n in task.shape.licences.items():
            self.licences_free[k] = self.licences_free.get(k, 0) + sign * n

    def _grant(self, unit: Unit, cpu: Optional[int], mem: Optional[int]) -> None:
        """Tasks that were just placed get other cores or memory than they ask."""
        for task in unit.tasks if cpu or mem else ():
            self._resize(task, cpu or task.cpu, mem or task.mem)

    def _resize(self, task: Task, cpu: int, mem: int) -> None:
        cpu_freed, mem_freed = task.cpu - cpu, task.mem - mem
        if task.shape.exclusive or task.node is None or not (cpu_freed or mem_freed):
            return
        task.node._free(cpu_freed, mem_freed)
        if cpu_freed > 0 or mem_freed > 0:
            self._freed()
        task.cpu, task.mem = cpu, mem
        self._touch(task.node)

    def _deallocate(self, task: Task) -> None:
        if task.node is None:
            return
        shape = task.shape
        task.node._move(shape, task.cards or (), +1)
        if (task.cpu, task.mem) != (shape.cpu, shape.mem) and not shape.exclusive:
            task.node._free(task.cpu - shape.cpu, task.mem - shape.mem)
        if task.shape.licences:
            self._license(task, +1)
        self._touch(task.node)
        task.node = task.cards = None

    def _refused(self, said: Dict[str, Any]) -> None:
        """Every node's state was told with it; the unit's is asked for."""
        job = self.jobs.get(said.get("job", -1))
        unit = job.tasks[said.get("task", 0)].unit if job else None
        elastic = unit is not None and unit.job.elastic
        if unit and unit in self._scaled and said["do"] == "scale":
            was, held = self._scaled[unit]
            unit._size(was)
            for task, (node, cards, cpu, mem) in zip(unit.tasks, held):
                task.node, task.cards, task.cpu, task.mem = node, cards, cpu, mem
        elif unit and elastic and said["do"] == "start_gang":
            unit.state = "waiting"
            for task in unit.tasks:
                task.node = task.cards = None
        for task in unit.tasks if unit and not elastic else ():
            now = self.query(task)
            task.node = self.nodes[now["node"]] if now["running"] else None
            task.cards = now.get("cards")
            task.cpu, task.mem = now.get("cpu", task.shape.cpu), now.get("mem", task.shape.mem)
            if task.calls:
                task.queue = self.nodes[now["queue"]] if "queue" in now else None
                task.may_call = task.may_call or (said["do"] == "call" and "call" not in now)
            if unit:
                unit.state = "running" if now["running"] else "waiting"
        if unit and unit.state == "running":
            self.running[unit] = None
        elif unit:
            self.running.pop(unit, None)
            self.waiting[unit] = None
            unit.started = None
        self.on_refused(unit, said["do"], said["refusal"], self.nodes[said["node"]] if "node" in said else None)
