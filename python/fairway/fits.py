"""fits.py -- where tasks fit: asks the simulator, and remembers what it said while that holds.

The rule is the simulator's alone (PROTOCOL.md, "Where
requests fit"); here is what saves questions:

- A shape that found no place is not asked about again until something becomes
  free.  Then the first question of a round asks about all those that failed
  before, as long as the policy wants them: most of them fail again.
- More places than were wanted are asked for when a round wants many of a shape.
  They hold while nobody else takes from their nodes.
"""

from typing import Any, Dict, Iterable, List, Optional, Tuple

from .policy import Places, Policy
from .view import Node, Shape, Task


class Answer:
    """The first places of a shape, of which tasks that are placed take the first ones away."""

    __slots__ = ("places", "wanted", "asked", "all", "used", "freed_epoch", "clock")

    def __init__(
        self, places: List[Any], wanted: int, asked: int, used: bool, freed_epoch: int, clock: int
    ) -> None:
        self.places = places  # [(index of a node, cards)], one after the other
        self.wanted = wanted  # how many the policy wanted last
        self.asked = asked  # how many the simulator was asked for
        self.all = len(places) < asked  # there are no more
        self.used = used  # the policy wanted some since
        self.freed_epoch = freed_epoch  # when it was given; and the clock, or when places were taken away
        self.clock = clock


class Fits:
    AHEAD = 64  # places asked for at once, at most, unless one unit has more tasks

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.clock = 0  # grows with every change of a node, and every round
        self.began = 0  # the clock when the round began
        self.together = False  # a question of this round asked about those that failed
        self.found: Dict[Shape, Answer] = {}  # shape -> Answer of this round
        self.failed: Dict[Shape, Answer] = {}  # shape -> Answer with fewer places than wanted
        self.changed: Dict[Node, None] = {}  # node -> None: changed in this round, and the simulator was not told
        self.listed: Tuple[Optional[Shape], int, Dict[int, List[int]]] = (
            None,
            0,
            {},
        )  # the shape last listed, the clock then, and {index of a node: cards}

    def begin(self) -> None:
        """A round begins: the simulator's nodes are as ours."""
        self.clock += 1
        self.began = self.clock
        self.together = False
        self.found.clear()
        self.changed.clear()

    def touch(self, node: Node) -> None:
        self.clock += 1
        node._touched = self.clock
        self.changed[node] = None

    def ask(self, requests: List[List[int]], nodes: Optional[Iterable[Node]] = None, **more: Any) -> List[Any]:
        said: Dict[str, Any] = {"msg": "query", "fits": requests, **more}
        if nodes is not None:
            said["nodes"] = [n.index for n in nodes]
        if self.changed:
            said["states"] = [n._state() for n in self.changed]
            self.changed.clear()
        answer: List[Any] = self.policy._speak(said)["fits"]
        return answer

    def places(self, shape: Shape, n: int) -> Optional[Answer]:
        """The first places of n tasks, one after the other, as an Answer that begins with them; None if fewer fit."""
        answer = self.failed.get(shape) or self.found.get(shape)
        if answer and answer.freed_epoch == self.policy.freed_epoch:
            if self._fails(answer, shape, n):
                self._keep(shape, answer, n)
                return None
            if len(answer.places) >= n and self._holds(answer):
                return answer
        answer = self._ask_places(shape, n, answer)
        return answer if len(answer.places) >= n else None

    def _fails(self, answer: Answer, shape: Shape, n: int) -> bool:
        """Nothing became free since; and taking away makes no room, but where shares of several cards are chosen."""
        fewer = answer.all and len(answer.places) < n
        return fewer and (not answer.places or shape.monotone or answer.clock == self.clock)

    def _holds(self, answer: Answer) -> bool:
        nodes, clock = self.policy.nodes, answer.clock
        return clock >= self.began and all(nodes[i]._touched <= clock for i, _ in answer.places)

    def _ask_places(self, shape: Shape, n: int, before: Optional[Answer]) -> Answer:
        asks = {shape: n}
        if before and not before.all and before.clock >= self.began:
            asks[shape] = max(n, min(2 * before.asked, self.AHEAD))
        freed_epoch, clock = self.policy.freed_epoch, self.clock
        if not self.together:
            self.together = True
            for other, answer in list(self.failed.items()):
                if other is shape or answer.freed_epoch == freed_epoch:
                    continue
                if answer.used:
                    asks[other] = answer.wanted
                else:
                    del self.failed[other]
        for (one, asked), places in zip(asks.items(), self.ask([[s.id, k] for s, k in asks.items()])):
            self._keep(one, Answer(places, n if one is shape else asked, asked, one is shape, freed_epoch, clock))
        return self.failed.get(shape) or self.found[shape]

    def _keep(self, shape: Shape, answer: Answer, wanted: Optional[int] = None) -> None:
        if wanted:
            answer.wanted, answer.used = wanted, True
        fails = len(answer.places) < answer.wanted
        (self.failed if fails else self.found)[shape] = answer
        (self.found if fails else self.failed).pop(shape, None)

    def place_all(self, tasks: List[Task], best: bool) -> Optional[Places]:
        """Take the first places of tasks that ask for the same; best: never asked for here."""
        policy = self.policy
        answer = self.places(tasks[0].shape, len(tasks))
        if answer is None:
            return None
        places = [(policy.nodes[i], cards) for i, cards in answer.places[: len(tasks)]]
        for task, (node, cards) in zip(tasks, places):
            policy._allocate(task, node, cards)
        self.took(answer, len(tasks))
        return places

    def best(self, shape: Shape) -> Optional[Node]:
        nodes = self.policy.nodes
        fitting = [nodes[i] for i in self.fitting(shape)]
        return min(fitting, key=lambda n: self._left_over(n, shape)) if fitting else None

    def _left_over(self, node: Node, shape: Shape) -> int:
        if shape.exclusive:
            return 0
        free = (
            node.cpu_free - shape.cpu,
            node.mem_free - shape.mem,
            sum(node.gpu_free) - shape.gpus * shape.gpu_milli,
        )
        return sum((f << 20) // m for f, m in zip(free, self.policy._most) if m)

    def suitable(self, shape: Shape) -> List[int]:
        """Numbers of the nodes on which one would fit if nothing ran there."""
        return [i for i, _ in self.ask([[shape.id]], empty=True)[0]]

    def took(self, answer: Answer, n: int) -> None:
        """The first n places were taken: of what is left nothing else changed."""
        del answer.places[:n]
        answer.clock = self.clock

    def fitting(self, shape: Shape) -> Dict[int, List[int]]:
        """{index of a node: cards} of all nodes on which one fits, in order."""
        if shape in self.failed and self.places(shape, 1) is None:
            return {}
        cards = dict(self.ask([[shape.id]])[0])
        self.listed = shape, self.clock, cards
        if not cards:
            self._keep(shape, Answer([], 1, 1, True, self.policy.freed_epoch, self.clock))
        return cards

    def cards(self, shape: Shape, node: Node) -> Optional[List[int]]:
        """The cards that a task gets there; None if it does not fit."""
        listed, clock, cards = self.listed
        if listed is shape and clock >= self.began and node._touched <= clock:
            return cards.get(node.index)
        answer = self.found.get(shape)
        if answer and answer.places and answer.places[0][0] == node.index and self._holds(answer):
            return list(answer.places[0][1])
        places: List[Tuple[int, List[int]]] = self.ask([[shape.id, 1]], [node])[0]
        return places[0][1] if places else None
