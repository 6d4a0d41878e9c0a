"""inprocess_fits.py -- where tasks of a policy in this process fit, and starts of units there.

As fits.py has it, but each question is a call of libfairway, and only what found no place is remembered.
"""

import struct
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from .inprocess_said import InProcessSaid
from .policy import Places
from .view import Node, Shape, Task, Unit

if TYPE_CHECKING:
    from .inprocess import Link

_one_place = struct.Struct("2q").unpack_from  # node and cards


class Answer:
    """The first places of a shape: [(number of a node, cards)]."""

    __slots__ = ("places",)

    def __init__(self, places: List[Tuple[int, List[int]]]) -> None:
        self.places = places


class Fits:
    """Where tasks fit, as fits.py has it; each question is a call."""

    def __init__(self, link: "Link", said: "InProcessSaid") -> None:
        self.link = link
        self.policy = link.policy
        self.reasons, self.words = said.reasons, said.words
        self.failed: Dict[Shape, Tuple[int, int]] = {}  # when it failed (freed_epoch), and of how many

    def touch(self, node: Node) -> None:
        pass

    def fails(self, shape: Shape, n: int) -> bool:
        """Is it known that there are fewer than n places?"""
        failed = self.failed.get(shape)
        if failed is not None and failed[0] == self.policy.freed_epoch and n >= failed[1]:
            return True
        if n > self.link.n_place:
            self.link.room(0, n)
        return False

    def lacks(self, shape: Shape, n: int, found: int) -> bool:
        """Are there fewer than n?  This is remembered."""
        if found >= n:
            return False
        if found == 0 or shape.monotone:
            self.failed[shape] = self.policy.freed_epoch, found + 1
        return True

    def places(self, shape: Shape, n: int) -> Optional[Answer]:
        link = self.link
        if self.fails(shape, n) or self.lacks(shape, n, link.lib.code_places(link.code, shape.id, n, 0)):
            return None
        return Answer(link.found(n))

    def place_all(self, tasks: List[Task], best: bool) -> Optional[Places]:
        link, shape, n = self.link, tasks[0].shape, len(tasks)
        if self.fails(shape, n) or self.lacks(shape, n, link.lib.code_take(link.code, shape.id, n, best)):
            return None
        self.take(tasks)
        if shape.licences:
            for task in tasks:
                self.policy._license(task, -1)
        return [(task.node, task.cards) for task in tasks if task.node is not None]

    def take(self, tasks: List[Task]) -> None:
        """The tasks have the places that were found."""
        link, at = self.link, 0
        for task in tasks:
            task._hold(self.policy.nodes[link.place[at]], link.cards_of(link.place[at + 1]))
            at += 2
        self.policy.change_epoch += len(tasks)

    def start(self, unit: Unit, best: bool, reason: Optional[str]) -> bool:
        """A plain unit, by a rule of enum fairway_rule (best: 1).  Written for speed, as Link.round() is."""
        tasks = unit.tasks
        task, n = tasks[0], len(tasks)
        shape, policy = task.shape, self.policy
        failed = self.failed.get(shape)
        if failed is not None and failed[0] == policy.freed_epoch and n >= failed[1]:
            return False
        link = self.link
        number = self.reasons.get(reason)
        if number is None:
            number = link.said.reason(reason)
        if number < 0:
            places = self.place_all(tasks, best)
            if places is not None:
                policy._start_at(unit, places, reason, None, None)
                policy._started(unit)
            return places is not None
        if self.words:
            link.flush()
        if unit.job.gang:
            if n > link.n_place:
                link.room(0, n)
            if self.lacks(shape, n, link.start_gang(link.code, unit.job.number, n, best, number)):
                return False
            self.take(tasks)
        elif link.start(link.code, unit.job.number, task.index, best, number):
            at, mask = _one_place(link.place)
            cards = link.known_cards.get(mask)
            task._hold(policy.nodes[at], link.cards_of(mask) if cards is None else cards)
            policy.change_epoch += 1
        else:
            self.failed[shape] = policy.freed_epoch, 1
            return False
        policy._started(unit)
        return True

    def fitting(self, shape: Shape) -> List[int]:
        found = self.link.lib.code_places(self.link.code, shape.id, 0, 0)
        return [i for i, _ in self.link.found(found)]

    def best(self, shape: Shape) -> Optional[Node]:
        if self.fails(shape, 1):
            return None
        i: int = self.link.lib.code_best(self.link.code, shape.id)
        return None if self.lacks(shape, 1, int(i >= 0)) else self.policy.nodes[i]

    def suitable(self, shape: Shape) -> List[int]:
        found = self.link.lib.code_places(self.link.code, shape.id, 0, 1)
        return [i for i, _ in self.link.found(found)]

    def cards(self, shape: Shape, node: Node) -> Optional[List[int]]:
        link = self.link
        return link.cards_of(link.place[1]) if link.lib.code_fits(link.code, shape.id, node.index) else None
