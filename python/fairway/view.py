"""view.py -- what a policy in Python sees: nodes, shapes, jobs, tasks, units.

told.py keeps these in step with the simulator; units of measurement are told in
policy.py.  A policy reads them and changes none.
"""

from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence, Tuple

WHOLE = 1000  # thousandths of a card


class Shape:
    """What one task asks of a node.  Tasks that ask for the same share one."""

    __slots__ = tuple("id cpu mem gpus gpu_milli gpu_mem gpu_cores exclusive monotone".split())

    # What few ask is here for all others, and its own in a _ShapeOfMore.
    gpu_types: FrozenSet[str] = frozenset()  # empty: any
    need_all: FrozenSet[str] = frozenset()  # labels
    need_any: FrozenSet[str] = frozenset()
    engines: Mapping[str, int] = {}
    licences: Mapping[str, int] = {}

    def __init__(
        self,
        number: int,
        cpu: int,
        mem: int,
        gpus: int = 0,
        gpu_milli: int = 0,
        gpu_mem: int = 0,
        gpu_cores: int = 0,
        exclusive: int = 0,
    ) -> None:
        self.id = number
        self.cpu = cpu
        self.mem = mem
        self.gpus = gpus  # cards
        self.gpu_milli = gpu_milli  # of each
        self.gpu_mem = gpu_mem  # of each; 0: none asked
        self.gpu_cores = gpu_cores  # of each; 0: none asked
        self.exclusive = exclusive != 0
        # Can taking more away never make more fit?  As policies/lib/place/request_class.h has it.
        self.monotone = gpus <= 1 or gpu_milli == WHOLE or exclusive != 0

    @staticmethod
    def said(said: Dict[str, Any]) -> "Shape":
        """As the protocol tells it."""
        more = [k for k in _SHAPE_MORE if k in said]
        numbers = {k: said[k] for k in Shape.__slots__ if k in said}
        shape = (_ShapeOfMore if more else Shape)(said["shape"], **numbers)
        for k in more:
            setattr(shape, k, frozenset(said[k]) if isinstance(said[k], list) else said[k])
        return shape


_SHAPE_MORE = ("gpu_types", "need_all", "need_any", "engines", "licences")


class _ShapeOfMore(Shape):
    """One that asks what few ask."""


class Node:
    """One machine: what it has, and what is free of it."""

    __slots__ = (
        "index",
        "name",
        "rack",
        "labels",
        "gpu_type",
        "cpu",
        "mem",
        "gpus",
        "gpu_mem",
        "gpu_cores",
        "engines",
        "mem_bw",
        "cpu_reserved",
        "mem_reserved",
        "max_tasks",
        "tier",
        "up",
        "tasks",
        "queued",
        "cpu_free",
        "mem_free",
        "gpu_free",
        "gpu_mem_free",
        "gpu_cores_free",
        "engines_free",
        "_touched",
    )

    def __init__(self, said: Dict[str, Any]) -> None:
        self.index = said["node"]
        self.name = said["name"]
        self.rack = said["rack"]
        self.labels = frozenset(said.get("labels", ()))
        self.gpu_type = said.get("gpu_type")
        self.cpu = said["cpu"]
        self.mem = said["mem"]
        self.gpus = said.get("gpus", 0)
        self.gpu_mem = said.get("gpu_mem", 0)  # of each card; 0: unknown, and then no constraint
        self.gpu_cores = said.get("gpu_cores", 0)  # the same
        self.cpu_reserved = said.get("cpu_reserved", 0)  # in cpu, and never free
        self.mem_reserved = said.get("mem_reserved", 0)
        self.max_tasks = said.get("max_tasks", 0)  # at most so many run here; 0: no limit
        self.engines = said.get("engines", {})
        self.mem_bw = said.get("mem_bw")  # memory bandwidth, bytes a second; None: unknown
        self.tier = said.get("tier", 0)  # nodes that are as far from all others share one
        self.up = True
        self.tasks = 0  # running here
        self.queued = 0  # tasks of calls in its queue
        self._touched = 0  # of fits.py: the clock when it changed last
        self._idle()

    def _idle(self) -> None:
        self.cpu_free = self.cpu - self.cpu_reserved
        self.mem_free = self.mem - self.mem_reserved
        self.gpu_free = [WHOLE] * self.gpus  # by card
        self.gpu_mem_free = [self.gpu_mem] * self.gpus
        self.gpu_cores_free = [self.gpu_cores] * self.gpus
        self.engines_free = dict(self.engines)

    def _state(self) -> Dict[str, Any]:
        """What is free, as a query tells it.  A policy that counts cards may have taken more of them than there is."""
        said = {"node": self.index, "tasks": self.tasks, "cpu": self.cpu_free, "mem": self.mem_free}
        if self.gpus:
            said["gpu"] = self.gpu_free
            if self.gpu_mem:
                said["gpu_mem"] = [max(0, free) for free in self.gpu_mem_free]
            if self.gpu_cores:
                said["gpu_cores"] = [max(0, free) for free in self.gpu_cores_free]
        if self.engines:
            said["engines"] = self.engines_free
        return said

    def _move(self, shape: Shape, cards: Iterable[int], sign: int) -> None:
        self.tasks -= sign
        if shape.exclusive:
            self._idle()
            if sign < 0:
                self.cpu_free = self.mem_free = 0
                self.gpu_free = [0] * self.gpus
                self.gpu_mem_free = [0] * self.gpus
                self.gpu_cores_free = [0] * self.gpus
                self.engines_free = dict.fromkeys(self.engines, 0)
            return
        self.cpu_free += sign * shape.cpu
        self.mem_free += sign * shape.mem
        for k in cards:
            self.gpu_free[k] += sign * shape.gpu_milli
            if self.gpu_mem:
                self.gpu_mem_free[k] += sign * shape.gpu_mem
            if self.gpu_cores:
                self.gpu_cores_free[k] += sign * shape.gpu_cores
        for engine, n in shape.engines.items():
            self.engines_free[engine] += sign * n

    def _free(self, cpu: int, mem: int) -> None:
        self.cpu_free += cpu
        self.mem_free += mem

    def _free_engine(self, engine: str, n: int) -> None:
        self.engines_free[engine] += n

    def _adopt(self, said: Dict[str, Any]) -> bool:
        """Take over what the simulator says; True when anything became free."""
        gpu = said.get("gpu", self.gpu_free)
        mem = said.get("gpu_mem", self.gpu_mem_free)
        cores = said.get("gpu_cores", self.gpu_cores_free)
        engines = said.get("engines", self.engines_free)
        grew = (
            said["cpu"] > self.cpu_free
            or said["mem"] > self.mem_free
            or said["tasks"] < self.tasks
            or said["up"] > self.up
            or (gpu != self.gpu_free and any(a > b for a, b in zip(gpu, self.gpu_free)))
            or (mem != self.gpu_mem_free and any(a > b for a, b in zip(mem, self.gpu_mem_free)))
            or (cores != self.gpu_cores_free and any(a > b for a, b in zip(cores, self.gpu_cores_free)))
            or any(engines[k] > n for k, n in self.engines_free.items())
        )
        self.up = said["up"]
        self.tasks = said["tasks"]
        self.queued = said.get("queued", 0)
        self.cpu_free = said["cpu"]
        self.mem_free = said["mem"]
        self.gpu_free = gpu
        self.gpu_mem_free = mem
        self.gpu_cores_free = cores
        self.engines_free = engines
        return grew


class Task:
    """One task of a job."""

    __slots__ = tuple("job index shape unit node cards cpu mem duration".split())

    # What most tasks share, and a _TaskOfMore has of its own.
    stage = 0  # the longest chain of the job's tasks that must end before it
    inputs: Tuple[Dict[str, Any], ...] = ()  # once it may start: [{"size": bytes, "nodes": [..], "writer": task or None}]
    calls: Any = ()  # what it is made of, if it is: [{"api": id, "size": bytes, "result": bytes, "us": {engine: time}}]
    next_call = 0  # number of its next call, or of the one that runs
    may_call = False  # it runs, and waits for a call() of the next one
    queue: Optional[Node] = None  # the node in whose queue it waits; None: with the master, or it does not wait

    def __init__(self, job: "Job", index: int, shape: Shape, duration: Optional[int]) -> None:
        self.job = job
        self.index = index
        self.shape = shape
        self.unit: Optional["Unit"] = None  # what it is started with; None while others of its job must end first
        self.node: Optional[Node] = None  # where it runs
        self.cards: Optional[List[int]] = None  # which cards it holds there; None: the simulator chose
        self.cpu = shape.cpu  # what it holds while it runs: what it asks, or what it was given instead
        self.mem = shape.mem  # the same
        self.duration = duration  # true time, told to a clairvoyant policy

    def _hold(self, node: Node, cards: Optional[List[int]]) -> None:
        """It is on the node, with what it asks; an exclusive one with all that may be given."""
        shape = self.shape
        self.node = node
        self.cards = cards
        if shape.exclusive:
            self.cpu = node.cpu - node.cpu_reserved
            self.mem = node.mem - node.mem_reserved
        else:
            self.cpu = shape.cpu
            self.mem = shape.mem


class _TaskOfMore(Task):
    """One for which what most tasks share may differ: stages, inputs, calls."""


class Job:
    """One job; `number` is its place in the order of arrival."""

    __slots__ = tuple("number id user queue submit priority gang limit duration tasks n_left n_asked".split())

    # What most jobs have not, and a _JobOfMore may have.
    category: Optional[str] = None  # of its model, such as "image"
    hints: Sequence[str] = ()  # what its user told of the model
    weights_thousands = 0  # 0: no figure
    work_us = 0  # CPU time for one example; 0: no figure
    n_stages = 0  # 0: its tasks have no order and no data
    elastic: Optional[Dict[str, Any]] = None  # sizes and speeds: PROTOCOL.md, "arrived"; None: it has the size it asks

    def __init__(
        self,
        number: int,
        id: Optional[str],
        user: Optional[str],
        queue: Optional[str],
        submit: int,
        priority: int,
        gang: bool,
        limit: Optional[int],
        duration: Optional[int],
    ) -> None:
        self.number = number
        self.id = id
        self.user = user
        self.queue = queue
        self.submit = submit
        self.priority = priority
        self.gang = gang
        self.limit = limit  # the user's estimate; told to a policy with the flag uses_limits
        self.duration = duration  # told to a clairvoyant policy
        self.tasks: List[Task] = []
        self.n_asked = self.n_left = 0  # tasks that it asks for; that have not ended

    @staticmethod
    def said(said: Dict[str, Any], shapes: List[Shape]) -> "Job":
        """As the protocol tells it."""
        more = {_JOB_MORE[k]: v for k, v in said.items() if k in _JOB_MORE}
        job = (_JobOfMore if more else Job)(
            said["job"],
            said.get("id"),
            said.get("user"),
            said.get("queue"),
            said["submit"],
            said.get("priority", 0),
            said.get("gang", False),
            said.get("limit"),
            said.get("duration"),
        )
        for key, value in more.items():
            setattr(job, key, value)
        made = _TaskOfMore if job.n_stages > 0 or "calls" in said else Task
        tasks = job.tasks
        for shape, n, *duration in said["tasks"]:
            for _ in range(n):
                tasks.append(made(job, len(tasks), shapes[shape], duration[0] if duration else None))
        job.n_asked = job.n_left = len(tasks)
        while job.elastic and len(tasks) < job.elastic["max"]:  # those beyond its size neither wait nor run
            tasks.append(made(job, len(tasks), tasks[0].shape, tasks[0].duration))
        at = 0
        for stage, n in said.get("stages", ()):
            for task in tasks[at : at + n]:
                task.stage = stage
            at += n
        for one in said.get("calls", ()):
            tasks[one["task"]].calls = [{"result": 0, **c} for c in one["calls"]]
        return job


_JOB_MORE = {
    "kind": "category",
    **{k: k for k in ("hints", "weights_thousands", "work_us", "n_stages", "elastic")},
}


class _JobOfMore(Job):
    """One that has what most have not."""


class Unit:
    """What is started at once: a gang job, or one task of another job.  Ordered by arrival."""

    __slots__ = (
        "job",
        "tasks",
        "order",
        "request_class",
        "alike",
        "monotone",
        "licences",
        "plain",
        "state",
        "started",
        "attained",
        "left",
    )

    def __init__(self, job: Job, tasks: List[Task]) -> None:
        self.job = job
        self.tasks = tasks
        first = tasks[0]
        shape = first.shape
        self.order = (job.number, first.index)
        if len(tasks) == 1:
            self.request_class: Any = shape.id
            self.alike = self.monotone = True
            licences = self.licences = shape.licences
            first.unit = self
            self.plain = not (licences or first.calls)
        else:
            self.request_class = tuple(t.shape.id for t in tasks)
            self.alike = all(t.shape is shape for t in tasks)
            self.monotone = self.alike and shape.monotone  # taking more away never makes it fit
            self.licences = _licences(tasks)  # all together
            for t in tasks:
                t.unit = self
            self.plain = self.alike and not self.licences and not first.calls
        self.state = "waiting"  # waiting, running, leaving (preempted, not yet confirmed), ended
        self.started: Optional[int] = None  # of the present attempt
        self.attained = 0  # running time of earlier attempts
        self.left = first.duration  # true time it still needs when it last began to wait, if clairvoyant

    def _size(self, n: int) -> None:
        """The first n tasks of an elastic job are the unit."""
        self.tasks = self.job.tasks[:n]
        self.request_class = tuple(t.shape.id for t in self.tasks)
        self.monotone = n == 1 or self.tasks[0].shape.monotone
        self.licences = _licences(self.tasks)
        self.job.n_left = n
        for t in self.job.tasks:
            t.unit = self if t.index < n else None

    def __lt__(self, other: "Unit") -> bool:
        return self.order < other.order


def _licences(tasks: Iterable[Task]) -> Dict[str, int]:
    """What tasks ask of each licence, all together."""
    sums: Dict[str, int] = {}
    for t in tasks:
        for k, n in t.shape.licences.items():
            sums[k] = sums.get(k, 0) + n
    return sums
