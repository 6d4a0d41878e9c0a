"""inprocess_said.py -- what a policy in this process decides: frequent decisions as numbers, others as lines.

fairway.h, enum fairway_decided, has what the numbers mean.
"""

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional

from . import verbs
from .protocol import Said

if TYPE_CHECKING:
    from .inprocess import Link

OTHER, START, START_GANG, PREEMPT, HOLD, WAKE = range(6)  # enum fairway_decided
REASONS_MAX = 1000  # kept as numbers; a policy that makes up more says them as text


class Cards(List[int]):
    """Of a node, with their bits."""

    mask = 0


def mask_of(cards: Optional[Iterable[int]]) -> int:
    if isinstance(cards, Cards):
        return cards.mask
    return sum(1 << k for k in cards) if cards else 0


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

    def start(
        self,
        job: int,
        task: int,
        node: int,
        cards: Any = None,
        cpu: Any = None,
        reason: Any = None,
        mem: Any = None,
    ) -> None:
        number = self.reason(reason)
        if number < 0:
            self.other("start", job, task, node, cards, cpu, reason, mem)
        else:
            self.words += (START, job, task, node, mask_of(cards), cpu or 0, mem or 0, number)

    def start_gang(
        self,
        job: int,
        nodes: List[int],
        cards: Any = None,
        cpu: Any = None,
        reason: Any = None,
        mem: Any = None,
    ) -> None:
        number = self.reason(reason)
        if number < 0:
            self.other("start_gang", job, nodes, cards, cpu, reason, mem)
            return
        self.words += (START_GANG, job, number, len(nodes))
        for i, node in enumerate(nodes):
            self.words += (
                node,
                mask_of(cards[i]) if cards else 0,
                cpu[i] if cpu else 0,
                mem[i] if mem else 0,
            )

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
