"""fairway_verbs.py -- the decisions as the protocol has them, one function each.

Written by policies/decision.sh from the table of policies/decision.h: change that.
"""


def start(job, task, node, cards=None, cpu=None, reason=None):
    """A waiting task starts; not one of a gang.

    cards: a list; absent or empty: as `README.md`, Cards, has it
    cpu: cores that it gets instead of those it asks; 0: what it asks
    reason: for the record
    """
    said = {"do": "start", "job": job, "task": task, "node": node}
    if cards:
        said["cards"] = cards
    if cpu:
        said["cpu"] = cpu
    if reason:
        said["reason"] = reason
    return said


def start_gang(job, nodes, cards=None, cpu=None, reason=None):
    """A gang starts, all its tasks at once.

    nodes: one a task, in task order
    cards: a list for each task
    cpu: a number for each
    """
    said = {"do": "start_gang", "job": job, "nodes": nodes}
    if cards:
        said["cards"] = cards
    if cpu:
        said["cpu"] = cpu
    if reason:
        said["reason"] = reason
    return said


def preempt(job, task, reason=None):
    """A running task stops, of a gang all of it."""
    said = {"do": "preempt", "job": job, "task": task}
    if reason:
        said["reason"] = reason
    return said


def resize(job, task, cpu, reason=None):
    """A running task holds other cores from now on."""
    said = {"do": "resize", "job": job, "task": task, "cpu": cpu}
    if reason:
        said["reason"] = reason
    return said


def wake(at):
    """A round is asked for.

    at: after `now`
    """
    said = {"do": "wake", "at": at}
    return said


def note(name, value):
    """Kept in the run's record.

    value: a number
    """
    said = {"do": "note", "name": name, "value": value}
    return said


def fail(message):
    """The policy cannot go on; fails the run."""
    said = {"do": "fail", "message": message}
    return said


def hold(job, task, reason, head=None):
    """For the record alone (`README.md`, Reasons); said once is enough.

    head: default false: the task is declined; true: it is the head
    """
    said = {"do": "hold", "job": job, "task": task, "reason": reason}
    if head:
        said["head"] = head
    return said


def reserve(job, stage, reserved, need, lendable=None, usable=None, reclaimed=None, reason=None):
    """At each stage's start; all 0 gives the reservation up.

    reserved: an amount, as the others
    lendable: default `reserved` less `need`
    usable: before anything was taken back; default `reserved`
    reclaimed: taken back for it; default nothing
    """
    said = {"do": "reserve", "job": job, "stage": stage, "reserved": reserved, "need": need}
    if lendable is not None:
        said["lendable"] = lendable
    if usable is not None:
        said["usable"] = usable
    if reclaimed is not None:
        said["reclaimed"] = reclaimed
    if reason:
        said["reason"] = reason
    return said


def lend(job, task, lender, amount=None, reason=None):
    """A running task borrows of what is reserved.

    task: that runs, or was just started
    lender: the job for which it is reserved
    amount: of what it holds; default all
    """
    said = {"do": "lend", "job": job, "task": task, "lender": lender}
    if amount is not None:
        said["amount"] = amount
    if reason:
        said["reason"] = reason
    return said


def send(job, task, node, reason=None):
    """A waiting task of calls goes to a node's queue.

    task: that waits with the master, or in another node's queue
    node: which alone can `start` it from there
    """
    said = {"do": "send", "job": job, "task": task, "node": node}
    if reason:
        said["reason"] = reason
    return said


def call(job, task, node, engine, reason=None):
    """A task's next call runs, once the event `call` said that it may.

    engine: a type by name
    """
    said = {"do": "call", "job": job, "task": task, "node": node, "engine": engine}
    if reason:
        said["reason"] = reason
    return said


def scale(job, nodes, cards=None, cpu=None, reason=None):
    """A running elastic job goes on with as many of its tasks as there are places; takes the flag preempts.

    nodes: one a task, in task order; those that it holds now are free for it
    cards: a list for each task
    cpu: a number for each
    """
    said = {"do": "scale", "job": job, "nodes": nodes}
    if cards:
        said["cards"] = cards
    if cpu:
        said["cpu"] = cpu
    if reason:
        said["reason"] = reason
    return said
