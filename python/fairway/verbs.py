"""verbs.py -- the decisions as the protocol has them, one function each.

Written by policies/decision.sh from the table of policies/decision.h: change that.
"""

from typing import Any, Dict


def _with(said: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    """What is left out is the default; of an amount, nothing is not the default."""
    for key, value in more.items():
        if value or isinstance(value, dict):
            said[key] = value
    return said


def start(job: Any, task: Any, node: Any, cards: Any = None, cpu: Any = None,
          reason: Any = None, mem: Any = None) -> Dict[str, Any]:
    """A waiting task starts; not one of a gang.

    cards: a list; absent or empty: as `README.md`, Cards, has it
    cpu: cores that it gets instead of those it asks; 0: what it asks
    reason: for the record
    mem: bytes of the node's memory, as `cpu`
    """
    said: Dict[str, Any] = {"do": "start", "job": job, "task": task, "node": node}
    return _with(said, cards=cards, cpu=cpu, reason=reason, mem=mem)


def start_gang(job: Any, nodes: Any, cards: Any = None, cpu: Any = None, reason: Any = None,
               mem: Any = None) -> Dict[str, Any]:
    """A gang starts, all its tasks at once.

    nodes: one a task, in task order
    cards: a list for each task
    cpu: a number for each
    mem: as `cpu`
    """
    said: Dict[str, Any] = {"do": "start_gang", "job": job, "nodes": nodes}
    return _with(said, cards=cards, cpu=cpu, reason=reason, mem=mem)


def preempt(job: Any, task: Any, reason: Any = None) -> Dict[str, Any]:
    """A running task stops, of a gang all of it."""
    said: Dict[str, Any] = {"do": "preempt", "job": job, "task": task}
    return _with(said, reason=reason)


def resize(job: Any, task: Any, cpu: Any, reason: Any = None, mem: Any = None) -> Dict[str, Any]:
    """A running task holds other cores or memory from now on.

    mem: absent or 0: as it is
    """
    said: Dict[str, Any] = {"do": "resize", "job": job, "task": task, "cpu": cpu}
    return _with(said, reason=reason, mem=mem)


def wake(at: Any) -> Dict[str, Any]:
    """A round is asked for.

    at: after `now`
    """
    said: Dict[str, Any] = {"do": "wake", "at": at}
    return said


def note(name: Any, value: Any) -> Dict[str, Any]:
    """Kept in the run's record.

    value: a number
    """
    said: Dict[str, Any] = {"do": "note", "name": name, "value": value}
    return said


def fail(message: Any) -> Dict[str, Any]:
    """The policy cannot go on; fails the run."""
    said: Dict[str, Any] = {"do": "fail", "message": message}
    return said


def hold(job: Any, task: Any, reason: Any, head: Any = None) -> Dict[str, Any]:
    """For the record alone (`README.md`, Reasons); said once is enough.

    head: default false: the task is declined; true: it is the head
    """
    said: Dict[str, Any] = {"do": "hold", "job": job, "task": task, "reason": reason}
    return _with(said, head=head)


def reserve(job: Any, stage: Any, reserved: Any, need: Any, lendable: Any = None,
            usable: Any = None, reclaimed: Any = None, reason: Any = None) -> Dict[str, Any]:
    """At each stage's start; all 0 gives the reservation up.

    reserved: an amount, as the others
    lendable: default `reserved` less `need`
    usable: before anything was taken back; default `reserved`
    reclaimed: taken back for it; default nothing
    """
    said: Dict[str, Any] = {"do": "reserve", "job": job, "stage": stage, "reserved": reserved, "need": need}
    return _with(said, lendable=lendable, usable=usable, reclaimed=reclaimed, reason=reason)


def lend(job: Any, task: Any, lender: Any, amount: Any = None, reason: Any = None) -> Dict[str, Any]:
    """A running task borrows of what is reserved.

    task: that runs, or was just started
    lender: the job for which it is reserved
    amount: of what it holds; default all
    """
    said: Dict[str, Any] = {"do": "lend", "job": job, "task": task, "lender": lender}
    return _with(said, amount=amount, reason=reason)


def send(job: Any, task: Any, node: Any, reason: Any = None) -> Dict[str, Any]:
    """A waiting task of calls goes to a node's queue.

    task: that waits with the master, or in another node's queue
    node: which alone can `start` it from there
    """
    said: Dict[str, Any] = {"do": "send", "job": job, "task": task, "node": node}
    return _with(said, reason=reason)


def call(job: Any, task: Any, node: Any, engine: Any, reason: Any = None) -> Dict[str, Any]:
    """A task's next call runs, once the event `call` said that it may.

    engine: a type by name
    """
    said: Dict[str, Any] = {"do": "call", "job": job, "task": task, "node": node, "engine": engine}
    return _with(said, reason=reason)


def scale(job: Any, nodes: Any, cards: Any = None, cpu: Any = None, reason: Any = None,
          mem: Any = None) -> Dict[str, Any]:
    """A running elastic job goes on with as many of its tasks as there are places; takes the flag preempts.

    nodes: one a task, in task order; those that it holds now are free for it
    cards: a list for each task
    cpu: a number for each
    mem: as `cpu`
    """
    said: Dict[str, Any] = {"do": "scale", "job": job, "nodes": nodes}
    return _with(said, cards=cards, cpu=cpu, reason=reason, mem=mem)
