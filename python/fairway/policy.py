"""policy.py -- scheduling policies for Fairway in Python 3, standard library only.

A policy is a class with a method decide().  This module keeps the cluster and
the jobs in step with what the simulator tells, and checks nothing: every
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

from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from .view import WHOLE, Job, Node, Shape, Task, Unit

Places = List[Tuple[Node, Optional[List[int]]]]  # by task: its node, and cards; None: the simulator chooses
Held = List[Tuple[Node, Optional[List[int]], int]]  # and its cores
Find = Callable[[Shape], Optional[Node]]
Amount = Dict[str, Any]  # {"cpu": .., "gpu": .., "licences": {..}}


class Policy:
    """Derive, give it a name, and write decide().

    Before decide() is called, the on_* methods are called once an event, in the
    order of the events; none has to be written.
    """

    name = "unnamed"
    source = "a program of its own"
    summary = ""
    # of "preempts", "uses_limits", "clairvoyant", "by_count", "strands", "runs_calls", "takes_refusals"
    flags: Tuple[str, ...] = ()
    params: Dict[str, str] = {}  # name -> default, a string; given as name=value on the command line

    def __init__(self) -> None:
        self.param = dict(self.params)  # as given
        self.weights: Dict[str, float] = {}  # users' weights from the scenario; others 1
        self.now = 0  # microseconds
        self.seed: Optional[int] = None  # of the run; a policy that draws draws from random.Random(self.seed) alone
        self.audited = False  # check what can be checked of your own results
        self.multi_from = 4  # GPUs from which results call what starts together multi, not single
        self.engines: List[str] = []  # types
        self.gpu_types: Dict[str, Dict[str, int]] = {}  # name -> what its data sheet says: PROTOCOL.md, "cluster"
        self.licences: Dict[str, int] = {}  # name -> how many the cluster has
        self.licences_free: Dict[str, int] = {}
        self.nodes: List[Node] = []
        self.shapes: List[Shape] = []
        self.jobs: Dict[int, Job] = {}  # number -> Job, live ones
        self.waiting: Dict[Unit, None] = {}  # units, in the order in which they began to wait
        self.running: Dict[Unit, None] = {}  # units, in the order in which they started
        self.freed_epoch = (
            0  # a new one when anything becomes free: while it is the same, what did not fit still does not
        )
        self.change_epoch = 0  # grows with every change of what is free
        self._freed_epochs = (
            0  # how many there were; none comes again, unless a policy puts it back with what was free
        )
        self._most = (0, 0, 0)  # cores, memory and thousandths of cards of the largest nodes
        self._fits: Any = (
            None  # how places are found, decisions said and questions asked: protocol.py, inprocess.py
        )
        self._verbs: Any = None
        self._speak: Any = None
        self._head: Optional[Tuple[Unit, str]] = None  # unit and reason of a hold, as last said
        self._held: Dict[Unit, str] = {}  # the same of others
        self._scaled: Dict[
            Unit, Tuple[int, Held]
        ] = {}  # Unit -> its size and what it held before the last scale, until the next round

    # ---- what happens ----

    def on_cluster(self) -> None:
        """Once, before anything else: self.nodes is filled."""

    def on_arrival(self, job: Job) -> None:
        """A job arrived; on_wait follows for each unit that may start."""

    def on_wait(self, unit: Unit) -> None:
        """The unit begins to wait, or waits again after an interruption."""

    def on_stop(self, unit: Unit) -> None:
        """The unit no longer runs: it ended, was preempted, or its node failed."""

    def on_leave(self, unit: Unit) -> None:
        """The unit no longer waits and will not run: its job was ended at its limit."""

    def on_task_end(self, task: Task) -> None:
        """A task ended; its node and cards can still be read."""

    def on_job_end(self, job: Job) -> None:
        """The last task of the job ended."""

    def on_node(self, node: Node) -> None:
        """The node went down or came up: node.up."""

    def on_timer(self) -> None:
        """A wake asked for earlier."""

    def on_call(self, task: Task, lost: Optional[Node]) -> None:
        """The next call of a running task may run: task.calls[task.next_call].  lost: the node with which the
        last was lost, or None.
        """

    def on_refused(self, unit: Optional[Unit], do: str, refusal: str, node: Optional[Node]) -> None:
        """A decision of the last round was refused: what it was, why, and its node ("takes_refusals" only).

        The unit is as before, or waits as the last if it was to start; None if the decision named none.
        """

    def decide(self) -> None:
        raise NotImplementedError("a policy has a method decide()")

    # ---- what to do about it ----

    def start(
        self, unit: Unit, places: Optional[Places] = None, reason: Optional[str] = None, cpu: Optional[int] = None
    ) -> bool:
        """Start a unit; places: [(node, cards)] by task as place() gives them, cards None: the simulator chooses.

        The free resources of the nodes are taken at once.  Without places they
        are those of place(unit); False if there are none.  cpu: what each task
        gets instead of the cores that it asks, thousandths.
        """
        if places is None:
            places = self.place(unit)
            if places is None:
                return False
        else:
            for task, (node, cards) in zip(unit.tasks, places):
                if task.node is None:
                    self._allocate(task, node, cards)
        if cpu is not None:
            for task in unit.tasks:
                self._resize(task, cpu)
        if unit.job.gang:
            each = [c or [] for _, c in places] if all(c is not None for _, c in places) else None
            cores = [cpu] * len(places) if cpu else None
            self._verbs.start_gang(unit.job.number, [n.index for n, _ in places], each, cores, reason)
        else:
            node, cards = places[0]
            self._verbs.start(unit.job.number, unit.tasks[0].index, node.index, cards, cpu, reason)
        unit.state = "running"
        unit.started = self.now
        if self._head or self._held:
            self._unhold(unit)
        if unit.tasks[0].calls:
            self._unqueue(unit)
        self.waiting.pop(unit, None)
        self.running[unit] = None
        return True

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

    def scale(self, unit: Unit, n: int, find: Optional[Find] = None, reason: Optional[str] = None) -> bool:
        """A running unit of an elastic job goes on with n tasks, at the places that place(unit, find) has for so many.

        What it holds is free for that.  False, and nothing is changed, if there are no such places.
        """
        was, held = len(unit.tasks), self.release(unit)
        unit._size(n)
        places = self.place(unit, find)
        if places is None:
            unit._size(was)
            self.reallocate(unit, held)
            return False
        cards = [c for _, c in places] if all(c is not None for _, c in places) else None
        self._verbs.scale(unit.job.number, [node.index for node, _ in places], cards, reason=reason)
        self._scaled[unit] = (was, held)
        unit.started = self.now
        return True

    def resize(self, task: Task, cpu: int, reason: Optional[str] = None) -> None:
        """A running task that is not exclusive holds other cores from now on, thousandths."""
        self._verbs.resize(task.job.number, task.index, cpu, reason)
        self._resize(task, cpu)

    def hold(self, unit: Unit, reason: str, head: bool = False) -> None:
        """For the record: why a waiting unit is not started although it might; head: units behind it wait for it."""
        if head and self._head != (unit, reason):
            self._head = (unit, reason)
        elif not head and self._held.get(unit) != reason:
            self._held[unit] = reason
        else:
            return
        self._verbs.hold(unit.job.number, unit.tasks[0].index, reason, head)

    def _unhold(self, unit: Unit) -> None:
        """It starts, or will not: said again, a reason is news."""
        if self._head and self._head[0] is unit:
            self._head = None
        self._held.pop(unit, None)

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
        if shape._suitable is None:
            shape._suitable = frozenset(self.nodes[i] for i in self._fits.suitable(shape))
        return shape._suitable

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
        if find is None and unit.alike:
            placed: Optional[Places] = self._fits.place_all(tasks)
            return placed
        # If so many do not fit at all, then neither where find says.
        if len(tasks) > 1 and unit.monotone and self._fits.places(tasks[0].shape, len(tasks)) is None:
            return None
        return self._place_each(tasks, find or self.first_fit)

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
        held = [(t.node, t.cards, t.cpu) for t in unit.tasks if t.node is not None]
        for task in unit.tasks:
            if task.node is not None:
                self._deallocate(task)
        self._freed()
        return held

    def reallocate(self, unit: Unit, held: Held) -> None:
        """Undo release()."""
        for task, (node, cards, cpu) in zip(unit.tasks, held):
            self._allocate(task, node, cards)
            self._resize(task, cpu)

    def _freed(self) -> None:
        self._freed_epochs += 1
        self.freed_epoch = self._freed_epochs

    def _touch(self, node: Node) -> None:
        self.change_epoch += 1
        self._fits.touch(node)

    def _allocate(self, task: Task, node: Node, cards: Optional[List[int]]) -> None:
        task.node, task.cards, task.cpu = (
            node,
            cards,
            node.cpu - node.cpu_reserved if task.shape.exclusive else task.shape.cpu,
        )
        node._move(task.shape, cards or (), -1, task.cpu)
        if task.shape.licences:
            self._license(task, -1)
        self._touch(node)

    def _license(self, task: Task, sign: int) -> None:
        for k, n in task.shape.licences.items():
            self.licences_free[k] = self.licences_free.get(k, 0) + sign * n

    def _resize(self, task: Task, cpu: int) -> None:
        if cpu == task.cpu or task.shape.exclusive or task.node is None:
            return
        task.node._free_cpu(task.cpu - cpu)
        if cpu < task.cpu:
            self._freed()
        task.cpu = cpu
        self._touch(task.node)

    def _deallocate(self, task: Task) -> None:
        if task.node is None:
            return
        task.node._move(task.shape, task.cards or (), +1, task.cpu)
        if task.shape.licences:
            self._license(task, +1)
        self._touch(task.node)
        task.node = task.cards = None

    # ---- in step with the simulator ----

    def _wait(self, unit: Unit) -> None:
        unit.state = "waiting"
        unit.started = None
        self.waiting[unit] = None
        self.on_wait(unit)

    def _stop(self, unit: Unit) -> None:
        """It runs no more.  What it held is in the node's state that the simulator sends."""
        was_running = self.running.pop(unit, 0) is None
        if was_running or unit.state == "leaving":
            self.on_stop(unit)
        for task in unit.tasks:
            task.node = task.cards = None
            if task.may_call:
                task.may_call = False

    def _arrived(self, job: Job, not_waiting: Set[int]) -> None:
        self.jobs[job.number] = job
        self.on_arrival(job)
        if job.gang:
            self._wait(Unit(job, job.tasks[: job.n_asked]))
            return
        for task in job.tasks:
            if task.index not in not_waiting:
                self._wait(Unit(job, [task]))

    def _ready(self, task: Task, attained: int, left: Optional[int]) -> None:
        unit = task.unit
        if unit is None:
            unit = Unit(task.job, [task])
            task.node = task.cards = None
        elif unit.state != "waiting":
            self._stop(unit)
        if task.queue is not None:  # its node is lost; it is with the master again, as the last
            task.queue = None
            self.waiting.pop(unit, None)
        unit.attained = attained
        unit.left = left
        self._wait(unit)

    def _ended(self, task: Task) -> None:
        self.on_task_end(task)
        unit = task.unit
        task.job.n_left -= 1
        if unit is not None and unit.state != "ended" and task is unit.tasks[-1]:
            self.waiting.pop(unit, None)
            self._stop(unit)
            unit.state = "ended"

    def _job_ended(self, number: int) -> None:
        job = self.jobs.pop(number)
        for task in job.tasks:
            unit = task.unit
            if unit is not None and unit in self.waiting:
                del self.waiting[unit]
                unit.state = "ended"
                self._unhold(unit)
                self.on_leave(unit)
        self.on_job_end(job)

    def _refused(self, said: Dict[str, Any]) -> None:
        """Every node's state was told with it; the unit's is asked for."""
        job = self.jobs.get(said.get("job", -1))
        unit = job.tasks[said.get("task", 0)].unit if job else None
        elastic = unit is not None and unit.job.elastic
        if unit and unit in self._scaled and said["do"] == "scale":
            was, held = self._scaled[unit]
            unit._size(was)
            for task, (node, cards, cpu) in zip(unit.tasks, held):
                task.node, task.cards, task.cpu = node, cards, cpu
        elif unit and elastic and said["do"] == "start_gang":
            unit.state = "waiting"
            for task in unit.tasks:
                task.node = task.cards = None
        for task in unit.tasks if unit and not elastic else ():
            now = self.query(task)
            task.node = self.nodes[now["node"]] if now["running"] else None
            task.cards, task.cpu = now.get("cards"), now.get("cpu")
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
