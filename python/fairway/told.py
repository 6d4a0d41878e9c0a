"""told.py -- what a policy in Python is told: the cluster, jobs and units, kept in step with the simulator.

Of policy.py, which has what a policy may do about it.  It checks nothing, and knows not how it is told: that is
protocol.py, or in process inprocess.py.
"""

from typing import Any, Container, Dict, FrozenSet, List, Optional, Tuple

from .view import Job, Node, Shape, Task, Unit

Held = List[Tuple[Node, Optional[List[int]], int, int]]  # of each task: its node, cards, cores and memory


class Told:
    """What a policy knows, and what it hears of."""

    # A policy has more attributes than Python looks up quickly in a dict; those of a class derived from it are in one.
    __slots__ = tuple(
        "param weights now seed audited multi_from engines gpu_types licences licences_free nodes "
        "shapes jobs waiting running freed_epoch change_epoch _freed_epochs _most _fits _starts "
        "_starts_first _verbs _speak _suitable _head _held _scaled".split()
    )

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
        self._starts: Any = None  # in process: starts a plain unit by one call
        self._starts_first: Any = None  # the same of the first of many, where the module in C is
        self._verbs: Any = None
        self._speak: Any = None
        self._suitable: Dict[Shape, FrozenSet[Node]] = {}  # those that were asked for
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
        """The last task of the job ended.  After this the job no longer lists its tasks, nor these their units."""

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

    def _arrived(self, job: Job, not_waiting: Container[int] = ()) -> None:
        self.jobs[job.number] = job
        self.on_arrival(job)
        if job.gang:
            unit = Unit(job, job.tasks[: job.n_asked])
            self.waiting[unit] = None
            self.on_wait(unit)
            return
        for task in job.tasks:
            if task.index not in not_waiting:
                unit = Unit(job, [task])
                self.waiting[unit] = None
                self.on_wait(unit)

    def _last_ended(self, job: Job, task: Task) -> None:
        """_ended and then _job_ended; at once for most jobs, which are one plain task that runs."""
        unit = task.unit
        if len(job.tasks) > 1 or unit is None or unit.state != "running" or not unit.plain:
            self._ended(task)
            self._job_ended(job)
            return
        self.on_task_end(task)
        job.n_left = 0
        del self.running[unit]
        self.on_stop(unit)
        task.node = task.cards = None
        unit.state = "ended"
        del self.jobs[job.number]
        self.on_job_end(job)
        task.unit = None
        job.tasks = []

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
            if unit.state == "waiting":
                self.waiting.pop(unit, None)
            self._stop(unit)
            unit.state = "ended"

    def _job_ended(self, job: Job) -> None:
        del self.jobs[job.number]
        for task in job.tasks:
            unit = task.unit
            if unit in self.waiting:
                del self.waiting[unit]
                unit.state = "ended"
                self._unhold(unit)
                self.on_leave(unit)
        self.on_job_end(job)
        # Without cycles of references the objects go at once, and Python's collector has nothing to look for.
        for task in job.tasks:
            task.unit = None
        job.tasks = []

    def _unhold(self, unit: Unit) -> None:
        """It starts, or will not: said again, a reason is news."""
        if self._head and self._head[0] is unit:
            self._head = None
        self._held.pop(unit, None)
