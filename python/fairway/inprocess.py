"""inprocess.py -- the same policy class in this process: rounds come as numbers through a callback of libfairway.

fairway.h, "Policies in another language", has what the numbers mean.  A node is read where the simulator keeps it;
where tasks fit, the simulator is asked by a call; what is rare comes as lines of the protocol (protocol.py).
"""

import ctypes
import traceback
from array import array
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Type

from . import verbs
from .library import CODE_CREATE, CODE_DESTROY, CODE_ROUND, Block, CardStruct, CodeOps, NodeStruct, library
from .policy import Places, Policy
from .protocol import Said, decode, encode, hello, read_cluster, read_event, read_shapes, set_params
from .view import Job, Node, Shape, Task, Unit

RARE, ARRIVED, READY, ENDED, JOB_ENDED, NODE, TIMER, SHAPE = range(8)  # enum fairway_event
OTHER, START, START_GANG, PREEMPT, HOLD, WAKE = range(6)  # enum fairway_decided
USER, QUEUE = 5, 6  # enum pol_name_type
REASONS_MAX = 1000  # kept as numbers; a policy that makes up more says them as text


class Cards(List[int]):
    """Of a node, with their bits."""

    mask = 0


def mask_of(cards: Optional[Iterable[int]]) -> int:
    if isinstance(cards, Cards):
        return cards.mask
    return sum(1 << k for k in cards) if cards else 0


class InProcessNode(Node):
    """A node whose state is read where the simulator plans it."""

    __slots__ = ("_c", "_card", "_link")

    def __init__(self, said: Dict[str, Any], link: "Link") -> None:
        self._link = link
        self._c: NodeStruct = link.nodes[said["node"]]
        self._card: List[CardStruct] = [link.cards[k] for k in range(self._c.card0, self._c.card0 + self._c.n_gpu)]
        super().__init__(said)

    def _idle(self) -> None:
        pass

    def _move(self, shape: Shape, cards: Iterable[int], sign: int, cpu: int) -> None:
        link = self._link
        link.move(link.code, self.index, shape.id, mask_of(cards), sign, cpu)

    def _free_cpu(self, cpu: int) -> None:
        self._link.lib.code_free(self._link.code, self.index, cpu, -1, 0)

    def _free_engine(self, engine: str, n: int) -> None:
        self._link.lib.code_free(self._link.code, self.index, 0, self._link.policy.engines.index(engine), n)


# In the place of attributes, which the constructor of Node may set: to what is so anyway.
_READ: Dict[str, Callable[[Any], Any]] = {
    "up": lambda node: bool(node._c.is_up),
    "tasks": lambda node: node._c.n_tasks,
    "cpu_free": lambda node: node._c.cpu_free,
    "mem_free": lambda node: node._c.mem_free,
    "gpu_free": lambda node: [c.milli_free for c in node._card],
    "gpu_mem_free": lambda node: [c.mem_free for c in node._card],
    "gpu_cores_free": lambda node: [c.core_free for c in node._card],
    "engines_free": lambda node: {e: node._c.engine_free[node._link.policy.engines.index(e)] for e in node.engines},
}
for _name, _read in _READ.items():
    setattr(InProcessNode, _name, property(_read, lambda self, value: None))


class Answer:
    """The first places of a shape: [(number of a node, cards)]."""

    __slots__ = ("places",)

    def __init__(self, places: List[Tuple[int, List[int]]]) -> None:
        self.places = places


class Fits:
    """Where tasks fit, as fits.py has it; each question is a call."""

    def __init__(self, link: "Link") -> None:
        self.link = link
        self.failed: Dict[Shape, Tuple[int, int]] = {}  # when it failed (freed_epoch), and of how many

    def touch(self, node: Node) -> None:
        pass

    def find(self, shape: Shape, n: int, takes: bool) -> int:
        """How many places there are, at most n; 0 when it is known that there are fewer."""
        link, policy = self.link, self.link.policy
        failed = self.failed.get(shape)
        if failed and failed[0] == policy.freed_epoch and n >= failed[1]:
            return 0
        if n > link.n_place:
            link.room(0, n)
        found: int = link.take(link.code, shape.id, n) if takes else link.lib.code_places(link.code, shape.id, n, 0)
        if found < n and (found == 0 or shape.monotone):
            self.failed[shape] = policy.freed_epoch, found + 1
        return found

    def places(self, shape: Shape, n: int) -> Optional[Answer]:
        return Answer(self.link.found(n)) if self.find(shape, n, False) == n else None

    def place_all(self, tasks: List[Task]) -> Optional[Places]:
        shape, n = tasks[0].shape, len(tasks)
        if self.find(shape, n, True) < n:
            return None
        link, policy = self.link, self.link.policy
        nodes, at = policy.nodes, 0
        places: Places = []
        for task in tasks:
            node = task.node = nodes[link.place[at]]
            cards = task.cards = link.cards_of(link.place[at + 1])
            task.cpu = node.cpu - node.cpu_reserved if shape.exclusive else shape.cpu
            if shape.licences:
                policy._license(task, -1)
            places.append((node, cards))
            at += 2
        policy.change_epoch += n
        return places

    def fitting(self, shape: Shape) -> List[int]:
        found = self.link.lib.code_places(self.link.code, shape.id, 0, 0)
        return [i for i, _ in self.link.found(found)]

    def best(self, shape: Shape) -> Optional[Node]:
        policy = self.link.policy
        if self.failed.get(shape) == (policy.freed_epoch, 1):
            return None
        i: int = self.link.lib.code_best(self.link.code, shape.id)
        if i >= 0:
            return policy.nodes[i]
        self.failed[shape] = policy.freed_epoch, 1
        return None

    def suitable(self, shape: Shape) -> List[int]:
        found = self.link.lib.code_places(self.link.code, shape.id, 0, 1)
        return [i for i, _ in self.link.found(found)]

    def cards(self, shape: Shape, node: Node) -> Optional[List[int]]:
        link = self.link
        return link.cards_of(link.place[1]) if link.lib.code_fits(link.code, shape.id, node.index) else None


class InProcessSaid(Said):
    """Frequent decisions as numbers, in `words`; others as those of protocol.py."""

    def __init__(self, link: "Link") -> None:
        super().__init__()
        self.link = link
        self.words: List[int] = []
        self.reasons: Dict[Optional[str], int] = {None: 0, "": 0}

    def reason(self, text: Optional[str]) -> int:
        number = self.reasons.get(text)
        if number is None and text is not None:
            number = (
                self.link.lib.code_reason(self.link.code, text.encode()) if len(self.reasons) < REASONS_MAX else -1
            )
            if number >= 0:
                self.reasons[text] = number
        return -1 if number is None else number

    def start(self, job: int, task: int, node: int, cards: Any = None, cpu: Any = None, reason: Any = None) -> None:
        number = self.reasons.get(reason)
        if number is None:
            number = self.reason(reason)
        if number < 0:
            self.other("start", job, task, node, cards, cpu, reason)
        else:
            self.words += (
                START,
                job,
                task,
                node,
                cards.mask if type(cards) is Cards else mask_of(cards),
                cpu or 0,
                number,
            )

    def start_gang(
        self, job: int, nodes: List[int], cards: Any = None, cpu: Any = None, reason: Any = None
    ) -> None:
        number = self.reason(reason)
        if number < 0:
            self.other("start_gang", job, nodes, cards, cpu, reason)
            return
        self.words += (START_GANG, job, number, len(nodes))
        for i, node in enumerate(nodes):
            self.words += (node, mask_of(cards[i]) if cards else 0, cpu[i] if cpu else 0)

    def preempt(self, job: int, task: int, reason: Any = None) -> None:
        number = self.reason(reason)
        if number < 0:
            self.other("preempt", job, task, reason)
        else:
            self.words += (PREEMPT, job, task, number)

    def hold(self, job: int, task: int, reason: Any, head: Any = None) -> None:
        number = self.reason(reason)
        if number < 0:
            self.other("hold", job, task, reason, head)
        else:
            self.words += (HOLD, job, task, int(bool(head)), number)

    def wake(self, at: int) -> None:
        self.words += (WAKE, at)

    def other(self, verb: str, *args: Any, **more: Any) -> None:
        self.decisions.append(getattr(verbs, verb)(*args, **more))
        self.words.append(OTHER)

    def __getattr__(self, verb: str) -> Any:
        if verb.startswith("_"):
            raise AttributeError(verb)
        return lambda *args, **more: self.other(verb, *args, **more)


class Link:
    """One policy of one run, and the simulator."""

    def __init__(self, policy: Policy, code: int) -> None:
        self.policy = policy
        self.code = ctypes.c_void_p(code)
        self.lib = library()
        self.take = self.lib.code_take
        self.move = self.lib.code_move
        self.nodes: Any = ()
        self.cards: Any = ()
        self.place: Any = ()
        self.n_place = 0
        self.known_cards: Dict[int, Cards] = {}
        self.users: Dict[int, Optional[str]] = {}
        self.queues: Dict[int, Optional[str]] = {-1: None}
        self.told_cluster = False
        policy._fits = Fits(self)
        self.said = policy._verbs = InProcessSaid(self)
        policy._speak = self.ask
        self.hears_arrivals = type(policy).on_arrival is not Policy.on_arrival

    def look(self) -> None:
        """Where things are."""
        b = Block()
        self.lib.code_block(self.code, b)

        def view(kind: str, address: Optional[int], n: int) -> Any:
            size = {"q": 8, "B": 1}[kind]
            return (
                memoryview((ctypes.c_char * (size * n)).from_address(address)).cast("B").cast(kind)
                if address
                else ()
            )

        self.words, self.names = view("q", b.words, b.n_words), view("B", b.names, b.n_names)
        self.out, self.place = view("q", b.out, b.n_out), view("q", b.place, 2 * b.n_place)
        self.n_out, self.n_place = b.n_out, b.n_place
        if b.node and not self.told_cluster:
            self.nodes = (NodeStruct * b.n_nodes).from_address(b.node)
            self.cards = (CardStruct * b.n_cards).from_address(b.card) if b.card else ()

    def room(self, n_out: int, n_place: int) -> None:
        self.lib.code_room(self.code, n_out, n_place)
        self.look()

    def cards_of(self, mask: int) -> Cards:
        cards = self.known_cards.get(mask)
        if cards is None:
            bits = mask & (1 << 64) - 1
            cards = self.known_cards[mask] = Cards(k for k in range(64) if bits >> k & 1)
            cards.mask = mask
        return cards

    def found(self, n: int) -> List[Tuple[int, List[int]]]:
        place = self.place[: 2 * n].tolist()
        return [(place[i], self.cards_of(place[i + 1])) for i in range(0, 2 * n, 2)]

    def ask(self, message: Dict[str, Any]) -> Any:
        answer = self.lib.code_query(self.code, encode(message).encode())
        if answer is None:
            raise RuntimeError("the simulator could not answer")
        return decode(answer.decode())

    def name(self, kind: int, known: Dict[int, Optional[str]], number: int) -> Optional[str]:
        name = self.lib.code_name(self.code, kind, number)
        text: Optional[str] = name.decode() if name is not None else None
        known[number] = text
        return text

    # ---- a round: written for speed, as most of a run's time goes here ----

    def arrived(self, w: List[int], i: int, name: str) -> int:
        """The job at w[i]; returns where the next event is."""
        policy = self.policy
        number, submit, priority, gang, limit, duration, user, queue, _, n = w[i : i + 10]
        job = Job.__new__(Job)
        job.number = number
        job.id = name
        job.user = self.users[user] if user in self.users else self.name(USER, self.users, user)
        job.queue = self.queues[queue] if queue in self.queues else self.name(QUEUE, self.queues, queue)
        job.submit = submit
        job.priority = priority
        job.gang = gang == 1
        job.limit = limit if limit >= 0 else None
        job.duration = duration if duration >= 0 else None
        job.category = job.elastic = None
        job.hints = []
        job.weights_thousands = job.work_us = job.n_stages = 0
        i += 10
        tasks: List[Task] = []
        job.tasks = tasks
        for _ in range(n):
            shape = policy.shapes[w[i]]
            left = w[i + 2] if w[i + 2] >= 0 else None
            for _ in range(w[i + 1]):
                tasks.append(Task(job, len(tasks), shape, left))
            i += 3
        job.n_asked = job.n_left = len(tasks)
        policy.jobs[number] = job
        if self.hears_arrivals:
            policy.on_arrival(job)
        units = [tasks[:]] if gang else [[task] for task in tasks]
        for members in units:
            unit = Unit(job, members)
            policy.waiting[unit] = None
            policy.on_wait(unit)
        return i

    def event(self, w: List[int], i: int, rare: Any) -> int:
        """One of the events that are not frequent; returns where the next is."""
        policy = self.policy
        event = w[i]
        if event == READY:
            policy._ready(policy.jobs[w[i + 1]].tasks[w[i + 2]], w[i + 3], w[i + 4] if w[i + 4] >= 0 else None)
            return i + 5
        if event == NODE:
            policy.on_node(policy.nodes[w[i + 1]])
            return i + 2
        if event == TIMER:
            policy.on_timer()
        else:
            read_event(policy, next(rare))
        return i + 1

    def begin(self, text: bytes, w: List[int]) -> Any:
        """What is told as text; returns the events of it."""
        policy = self.policy
        said = decode(text.decode())
        if read_shapes(policy, said):
            w[1] = 1
        for node in said.get("nodes", ()):
            policy.nodes[node["node"]].queued = node.get("queued", 0)
        return iter(said["events"])

    def round(self, text: Optional[bytes], moved: int, n: int) -> int:
        if moved:
            self.look()
        policy = self.policy
        if not self.told_cluster:
            read_cluster(policy, decode((text or b"").decode()), lambda node: InProcessNode(node, self))
            self.told_cluster = True
            return 0
        w = self.words[:n].tolist()
        policy.now = w[0]
        rare = self.begin(text, w) if text is not None else None
        if w[1]:
            policy._freed_epochs += 1
            policy.freed_epoch = policy._freed_epochs
        if w[2]:
            policy.change_epoch += 1
        jobs = policy.jobs
        i, named = 3, 0
        while i < n:
            event = w[i]
            if event == ENDED:
                policy._ended(jobs[w[i + 1]].tasks[w[i + 2]])
                i += 3
            elif event == JOB_ENDED:
                policy._job_ended(w[i + 1])
                i += 2
            elif event == SHAPE:
                policy.shapes.append(Shape.of_numbers(len(policy.shapes), w[i + 1 : i + 8]))
                i += 8
            elif event == ARRIVED:
                end = named + w[i + 9]
                i = self.arrived(w, i + 1, bytes(self.names[named:end]).decode())
                named = end
            else:
                i = self.event(w, i, rare)
        if policy._scaled:
            policy._scaled.clear()
        policy.decide()
        words = self.said.words
        return self.send(words) if words else 0

    def send(self, words: List[int]) -> int:
        said = self.said
        if said.decisions:
            line = encode({"msg": "decisions", "decisions": said.decisions})
            said.decisions = []
            if self.lib.code_decisions(self.code, line.encode()) != 0:
                return -1
        n = len(words)
        if n > self.n_out:
            self.room(n, 0)
        self.out[:n] = array("q", words)
        words.clear()
        return n


class InProcess:
    """A policy class with its parameters, as libfairway takes it: `ops` and `spec`."""

    def __init__(self, policy_class: Type[Policy], params: Dict[str, str]) -> None:
        self.policy_class = policy_class
        self.pairs = [f"{k}={v}" for k, v in params.items()]
        self.links: Dict[int, Link] = {}
        self.kept: Dict[int, bytes] = {}
        self.failure: Optional[BaseException] = None  # what a policy raised
        param = {**policy_class.params, **params}
        self.spec = f"{policy_class.name}:{','.join(f'{k}={v}' for k, v in param.items())}"
        self.ops = CodeOps(
            size=ctypes.sizeof(CodeOps),
            create=CODE_CREATE(self.create),
            round=CODE_ROUND(self.round),
            destroy=CODE_DESTROY(self.destroy),
        )

    def fail(self, code: int, e: BaseException) -> None:
        self.failure = self.failure or e
        last = traceback.extract_tb(e.__traceback__)[-1]
        library().code_fail(code, f"{type(e).__name__}: {e} ({last.filename}:{last.lineno})".encode())

    def create(self, ctx: int, code: int, line: bytes, answer: Any) -> int:
        try:
            policy = self.policy_class()
            error = set_params(policy, self.pairs)
            if error:
                raise ValueError(error)
            policy.weights = decode(line.decode()).get("weights", {})
            self.links[code] = Link(policy, code)
            self.kept[code] = encode(hello(policy)).encode()
            answer[0] = self.kept[code]
            return code
        except BaseException as e:
            self.fail(code, e)
            return 0

    def round(self, code: int, text: Optional[bytes], moved: int, n: int) -> int:
        try:
            return self.links[code].round(text, moved, n)
        except BaseException as e:
            self.fail(code, e)
            return -1

    def destroy(self, code: int) -> None:
        self.links.pop(code, None)
        self.kept.pop(code, None)
