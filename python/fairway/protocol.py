"""protocol.py -- a policy in a process of its own: the lines of policies/PROTOCOL.md, read into it and written for it.

What is read here into a policy is the same for one in process (inprocess.py), which is told what is rare so.
"""

import json
import sys
from typing import Any, Callable, Dict, Iterable, List, Optional, Set, Type

from . import verbs
from .fits import Fits
from .policy import Policy
from .view import WHOLE, Job, Node, Shape

PROTOCOL = 1
encode: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
decode: Callable[[str], Any] = json.JSONDecoder().decode


class Said:
    """The verbs of verbs.py; what they say is kept until the round is over."""

    def __init__(self) -> None:
        self.decisions: List[Dict[str, Any]] = []

    def __getattr__(self, verb: str) -> Callable[..., None]:
        make = getattr(verbs, verb)

        def say(*args: Any, **more: Any) -> None:
            self.decisions.append(make(*args, **more))

        setattr(self, verb, say)
        return say


# ---- what is told ----


def read_cluster(policy: Policy, said: Dict[str, Any], make_node: Callable[[Dict[str, Any]], Node] = Node) -> None:
    policy.seed = said["seed"]
    policy.audited = said.get("audited", False)
    policy.multi_from = said.get("multi_from", 4)
    policy.engines = said.get("engines", [])
    policy.gpu_types = said.get("gpu_types", {})
    policy.licences = said.get("licences", {})
    policy.licences_free = dict(policy.licences)
    policy.nodes = [make_node(n) for n in said["nodes"]]
    nodes = policy.nodes
    policy._most = (
        max((n.cpu for n in nodes), default=0),
        max((n.mem for n in nodes), default=0),
        max((n.gpus * WHOLE for n in nodes), default=0),
    )
    policy.on_cluster()


def read_shapes(policy: Policy, said: Dict[str, Any]) -> bool:
    """New shapes, and what is free of licences; True when more is."""
    for s in said.get("shapes", ()):
        policy.shapes.append(Shape.said(s))
    if "licences" not in said:
        return False
    grew = any(n > policy.licences_free.get(k, 0) for k, n in said["licences"].items())
    policy.licences_free = said["licences"]
    return grew


def _inputs(job: Job, said: Dict[str, Any]) -> None:
    for one in said.get("inputs", ()):
        task = job.tasks[one["task"]]
        task.inputs = (*task.inputs, {"size": one["size"], "nodes": one["nodes"], "writer": one.get("writer")})


def _arrived(policy: Policy, said: Dict[str, Any]) -> None:
    job = Job.said(said, policy.shapes)
    _inputs(job, said)
    not_waiting: Set[int] = set()
    for first, last in said.get("blocked", ()):
        not_waiting.update(range(first, last + 1))
    for one in said.get("running", ()):  # bound to a node before the job came
        task = job.tasks[one["task"]]
        task._hold(policy.nodes[one["node"]], one["cards"])
        not_waiting.add(task.index)
    policy._arrived(job, not_waiting)


def _ready(policy: Policy, said: Dict[str, Any]) -> None:
    job = policy.jobs[said["job"]]
    task = job.tasks[said["task"]]
    if task.inputs:
        task.inputs = ()
    _inputs(job, said)
    policy._ready(task, said["attained"], said.get("left"))


def _ended(policy: Policy, said: Dict[str, Any]) -> None:
    policy._ended(policy.jobs[said["job"]].tasks[said["task"]])


def _call(policy: Policy, said: Dict[str, Any]) -> None:
    task = policy.jobs[said["job"]].tasks[said["task"]]
    task.next_call = said["call"]
    task.may_call = True
    policy.on_call(task, policy.nodes[said["lost"]] if "lost" in said else None)


_READ: Dict[str, Callable[[Policy, Dict[str, Any]], None]] = {
    "arrived": _arrived,
    "ready": _ready,
    "ended": _ended,
    "call": _call,
    "job_ended": lambda policy, said: policy._job_ended(policy.jobs[said["job"]]),
    "node_down": lambda policy, said: policy.on_node(policy.nodes[said["node"]]),
    "node_up": lambda policy, said: policy.on_node(policy.nodes[said["node"]]),
    "timer": lambda policy, said: policy.on_timer(),
    "refused": lambda policy, said: policy._refused(said),
}


def read_event(policy: Policy, said: Dict[str, Any]) -> None:
    read = _READ.get(said["event"])
    if read is not None:  # one that a later minor version added
        read(policy, said)


def read_round(policy: Policy, said: Dict[str, Any]) -> None:
    policy.now = said["now"]
    policy._fits.begin()
    changed = said.get("nodes", ())
    grew = False
    for n in changed:
        if policy.nodes[n["node"]]._adopt(n):
            grew = True
    if read_shapes(policy, said) or grew:
        policy._freed()
    if changed:
        policy.change_epoch += 1
    for e in said["events"]:
        read_event(policy, e)
    policy._scaled.clear()
    policy.decide()


# ---- what it is ----


def set_params(policy: Policy, pairs: Iterable[str]) -> Optional[str]:
    """From NAME=VALUE; what is wrong with them, if anything is."""
    for pair in pairs:
        key, eq, value = pair.partition("=")
        if not eq or key not in policy.param:
            known = ", ".join(policy.params) or "none"
            return f"{policy.name}: found the argument '{pair}', expected NAME=VALUE with a name of: {known}"
        policy.param[key] = value
    return None


def hello(policy: Policy) -> Dict[str, Any]:
    return {
        "msg": "hello",
        "protocol": PROTOCOL,
        "name": policy.name,
        "source": policy.source,
        "summary": policy.summary,
        "params": policy.param,
        "flags": list(policy.flags),
    }


def speak(policy_class: Type[Policy], argv: Optional[List[str]] = None) -> None:
    """Speak the protocol on standard input and output until bye."""
    policy = policy_class()
    error = set_params(policy, sys.argv[1:] if argv is None else argv)
    if error:
        sys.exit(error)
    lines, out = sys.stdin.buffer, sys.stdout
    sys.stdout = sys.stderr
    said_by_it = policy._verbs = Said()
    policy._fits = Fits(policy)

    def write(message: Any) -> None:
        out.write(encode(message) + "\n")
        out.flush()

    def ask(message: Any) -> Any:
        write(message)
        return decode(lines.readline().decode())

    policy._speak = ask
    for line in lines:
        said = decode(line.decode())
        msg = said["msg"]
        if msg == "decide":
            try:
                read_round(policy, said)
            except Exception:
                import traceback

                traceback.print_exc()
                sys.exit(1)
            write({"msg": "decisions", "decisions": said_by_it.decisions})
            said_by_it.decisions = []
        elif msg == "hello":
            if said["protocol"] != PROTOCOL:
                print(
                    f"{policy.name}: the simulator speaks version {said['protocol']} of the protocol; "
                    f"this module {PROTOCOL}"
                )
            policy.weights = said.get("weights", {})
            write(hello(policy))
        elif msg == "cluster":
            read_cluster(policy, said)
        elif msg == "bye":
            return
