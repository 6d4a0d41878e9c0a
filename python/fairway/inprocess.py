"""inprocess.py -- the same policy class in this process: rounds come as numbers through a callback of libfairway.

fairway.h, "Policies in another language", has what the numbers mean.  A node is read where the simulator keeps it;
where tasks fit, the simulator is asked by a call; what is rare comes as lines of the protocol (protocol.py).
"""

import ctypes
import gc
import struct
from array import array
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Type

from .inprocess_fits import Fits
from .inprocess_said import Cards, InProcessSaid, mask_of
from .library import CODE_CREATE, CODE_DESTROY, CODE_ROUND, Block, CardStruct, CodeOps, NodeStruct, library
from .policy import Policy
from .protocol import decode, encode, hello, read_cluster, read_event, read_shapes, set_params
from .told import Told
from .view import Job, Node, Shape, Task, Unit

try:
    import _fairway  # the same in C, where it was built (_fairway.c)
except ImportError:
    _fairway = None

RARE, ARRIVED, READY, ENDED, JOB_ENDED, LAST_ENDED, NODE, TIMER, SHAPE = range(9)  # enum fairway_event
USER, QUEUE = 5, 6  # enum pol_name_type
# Of rounds of so many words.  A struct reads a few words quicker than a slice of a memoryview is made.
UNPACK = [struct.Struct(f"{n}q").unpack_from for n in range(64)]

COLLECT_AFTER = 200_000  # objects that came and did not go, while policies of this process run


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

    def _move(self, shape: Shape, cards: Iterable[int], sign: int) -> None:
        link = self._link
        link.lib.code_move(link.code, self.index, shape.id, mask_of(cards), sign)

    def _free(self, cpu: int, mem: int) -> None:
        self._link.lib.code_free(self._link.code, self.index, cpu, mem)

    def _free_engine(self, engine: str, n: int) -> None:
        link = self._link
        link.lib.code_free_engine(link.code, self.index, link.policy.engines.index(engine), n)


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


class Link:
    """One policy of one run, and the simulator."""

    def __init__(self, policy: Policy, code: int) -> None:
        self.policy = policy
        self.code = ctypes.c_void_p(code)
        self.lib = library()
        self.start = self.lib.code_start
        self.start_gang = self.lib.code_start_gang
        self.nodes: Any = ()
        self.cards: Any = ()
        self.place: Any = ()
        self.n_place = 0
        self.known_cards: Dict[int, Cards] = {}
        self.users: Dict[int, Optional[str]] = {}
        self.queues: Dict[int, Optional[str]] = {-1: None}
        self.told_cluster = False
        self.said = policy._verbs = InProcessSaid(self)
        policy._fits = fits = Fits(self, self.said)
        policy._starts = fits.start
        self.failed = fits.failed
        policy._speak = self.ask
        self.rounds: Any = None

    def quicken(self, owner: "InProcess") -> int:
        """Rounds by the module in C from now on; returns their address."""
        policy, fits, said = self.policy, self.policy._fits, self.said
        kept = [owner, self, policy, fits, said.decisions, policy.jobs, policy.waiting, policy.running, policy.shapes]
        kept += [policy._scaled, fits.failed, said.reasons, said.words, self.users, self.queues, self.known_cards]
        kept += [Told, Job, Shape, Task, Unit]
        starts = [ctypes.cast(start, ctypes.c_void_p).value for start in (self.start, self.start_gang)]
        self.rounds = _fairway.Rounds(tuple(kept), self.code.value, *starts)
        policy._starts, policy._starts_first = self.rounds.start, self.rounds.start_first
        return id(self.rounds)

    def look(self) -> Optional[bytes]:
        """Where things are; returns the text of the round."""
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
        if self.rounds is not None:
            self.rounds.look(b.words or 0, b.names or 0, b.place or 0, b.n_place)
        text: Optional[bytes] = b.text
        return text

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

    def name(self, kind: int, known: Dict[int, Optional[str]], number: int) -> None:
        name = self.lib.code_name(self.code, kind, number)
        known[number] = name.decode() if name is not None else None

    # ---- a round: written for speed, as most of a run's time goes here ----

    def arrived(self, w: Sequence[int], i: int, name: str) -> int:
        """The job at w[i]; returns where the next event is."""
        policy = self.policy
        number, submit, priority, gang, limit, duration, user, queue, _, n, shape, many, left = w[i : i + 13]
        users, queues = self.users, self.queues
        if user not in users:
            self.name(USER, users, user)
        if queue not in queues:
            self.name(QUEUE, queues, queue)
        job = Job(
            number,
            name,
            users[user],
            queues[queue],
            submit,
            priority,
            gang == 1,
            limit if limit >= 0 else None,
            duration if duration >= 0 else None,
        )
        tasks, shapes, end = job.tasks, policy.shapes, i + 10 + 3 * n
        if n == many == 1:
            tasks.append(Task(job, 0, shapes[shape], left if left >= 0 else None))
        else:
            for shape, many, left in zip(w[i + 10 : end : 3], w[i + 11 : end : 3], w[i + 12 : end : 3]):
                for _ in range(many):
                    tasks.append(Task(job, len(tasks), shapes[shape], left if left >= 0 else None))
        job.n_asked = job.n_left = len(tasks)
        policy._arrived(job)
        return end

    def event(self, w: Sequence[int], i: int, rare: Any) -> int:
        """One of the events that are not frequent; returns where the next is."""
        policy = self.policy
        event = w[i]
        if event == ENDED:
            policy._ended(policy.jobs[w[i + 1]].tasks[w[i + 2]])
            return i + 3
        if event == JOB_ENDED:
            policy._job_ended(policy.jobs[w[i + 1]])
            return i + 2
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

    def begin(self, text: bytes) -> Tuple[Any, bool]:
        """What is told as text; returns the events of it, and whether more licences are free."""
        policy = self.policy
        said = decode(text.decode())
        more = read_shapes(policy, said)
        for node in said.get("nodes", ()):
            policy.nodes[node["node"]].queued = node.get("queued", 0)
        return iter(said["events"]), more

    def cluster(self) -> int:
        text = self.look() or b""
        read_cluster(self.policy, decode(text.decode()), lambda node: InProcessNode(node, self))
        self.told_cluster = True
        return 0

    def round(self, n: int) -> int:
        text = None
        if n <= 0:
            if n == 0:
                return self.cluster()
            text = self.look()
            n = -n
        policy = self.policy
        w = UNPACK[n](self.words) if n < 64 else self.words[:n].tolist()
        policy.now = w[0]
        rare, more = self.begin(text) if text is not None else (None, False)
        if more or w[1]:
            policy._freed_epochs += 1
            policy.freed_epoch = policy._freed_epochs
            self.failed.clear()
        if w[2]:
            policy.change_epoch += 1
        jobs = policy.jobs
        i, named = 3, 0
        while i < n:
            event = w[i]
            if event == LAST_ENDED:
                job = jobs[w[i + 1]]
                policy._last_ended(job, job.tasks[w[i + 2]])
                i += 3
            elif event == SHAPE:
                policy.shapes.append(Shape(len(policy.shapes), *w[i + 1 : i + 8]))
                i += 8
            elif event == ARRIVED:
                end = named + w[i + 9]
                i = self.arrived(w, i + 1, str(self.names[named:end], "utf-8"))
                named = end
            else:
                i = self.event(w, i, rare)
        if policy._scaled:
            policy._scaled.clear()
        policy.decide()
        return self.finish()

    def finish(self) -> int:
        """What was decided, as words to be read by the library; returns how many, -1: some could not be said."""
        said = self.said
        if not (said.words or said.decisions):
            return 0
        if said.decisions:
            line = encode({"msg": "decisions", "decisions": said.decisions})
            said.decisions.clear()
            if self.lib.code_decisions(self.code, line.encode()) != 0:
                return -1
        return self.write(said.words)

    def write(self, words: List[int]) -> int:
        n = len(words)
        if n > self.n_out:
            self.room(n, 0)
        self.out[:n] = array("q", words)
        words.clear()
        return n

    def flush(self) -> None:
        """What was said, before that which the library itself adds."""
        self.lib.code_say(self.code, self.write(self.said.words))


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Python's collector looks for cycles less often: what is made here has none when it goes (told.py)."""
    was = gc.get_threshold()
    if was[0] > 0:  # 0: it never looks
        gc.set_threshold(max(was[0], COLLECT_AFTER), *was[1:])
    try:
        yield
    finally:
        gc.set_threshold(*was)


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
            round=CODE_ROUND(_fairway.ROUND if _fairway else self.round),
            destroy=CODE_DESTROY(self.destroy),
        )

    def fail(self, code: int, e: BaseException) -> None:
        import traceback

        self.failure = self.failure or e
        where = "".join(f" ({at.filename}:{at.lineno})" for at in traceback.extract_tb(e.__traceback__)[-1:])
        library().code_fail(code, f"{type(e).__name__}: {e}{where}".encode())

    def create(self, ctx: int, code: int, line: bytes, answer: Any) -> int:
        try:
            policy = self.policy_class()
            error = set_params(policy, self.pairs)
            if error:
                raise ValueError(error)
            policy.weights = decode(line.decode()).get("weights", {})
            link = Link(policy, code)
            instance = link.quicken(self) if _fairway else code
            self.links[instance] = link
            self.kept[instance] = encode(hello(policy)).encode()
            answer[0] = self.kept[instance]
            return instance
        except BaseException as e:
            self.fail(code, e)
            return 0

    def round(self, code: int, n: int) -> int:
        try:
            return self.links[code].round(n)
        except BaseException as e:
            self.fail(code, e)
            return -1

    def destroy(self, instance: int) -> None:
        self.kept.pop(instance, None)
        link = self.links.pop(instance, None)
        if link is not None:  # its cycles of references end
            link.policy._starts = link.policy._starts_first = link.rounds = None
