"""fairway.py -- scheduling policies for Fairway in Python 3, standard library only.

A policy is a class with a method decide().  This module speaks the protocol of
policies/PROTOCOL.md, keeps the cluster and the jobs in step with what the
simulator tells, and checks nothing: every decision is checked by the simulator.

    import fairway

    class Mine(fairway.Policy):
        name = "mine"
        def decide(self):
            for unit in list(self.waiting):
                places = self.place(unit)
                if places:
                    self.start(unit, places)

    fairway.run(Mine)

    fairway run scenario.yaml -p 'exec:python3 mine.py'

Units: time in microseconds, CPU in thousandths of a core, memory in bytes, GPU
shares in thousandths of a card.  print() goes to standard error, as standard
output belongs to the protocol.
"""

import json
import sys
import traceback

import fairway_verbs as verbs
from fairway_fits import Fits
from fairway_view import WHOLE, Job, Node, Shape, Task, Unit

PROTOCOL = 1


class Policy:
    """Derive, give it a name, and write decide().

    Before decide() is called, the on_* methods are called once an event, in the
    order of the events; none has to be written.
    """

    name = "unnamed"
    source = "a program of its own"
    summary = ""
    # of "preempts", "uses_limits", "clairvoyant", "by_count", "strands", "runs_calls", "takes_refusals"
    flags = ()
    params = {}         # name -> default, a string; given as name=value on the command line

    def __init__(self):
        self.param = dict(self.params)      # as given
        self.weights = {}       # users' weights from the scenario; others 1
        self.now = 0            # microseconds
        self.seed = None        # of the run; a policy that draws draws from random.Random(self.seed) alone
        self.audited = False    # check what can be checked of your own results
        self.multi_from = 4     # GPUs from which results call what starts together multi, not single
        self.engines = []       # types
        self.gpu_types = {}     # name -> what its data sheet says: PROTOCOL.md, "cluster"
        self.licences = {}      # name -> how many the cluster has
        self.licences_free = {}
        self.nodes = []
        self.shapes = []
        self.jobs = {}          # number -> Job, live ones
        self.waiting = {}       # Unit -> None, in the order in which they began to wait
        self.running = {}       # Unit -> None, in the order in which they started
        self.freed_epoch = 0    # a new one when anything becomes free: while it is the same, what did not fit still does not
        self.change_epoch = 0   # grows with every change of what is free
        self._freed_epochs = 0  # how many there were; none comes again, unless a policy puts it back with what was free
        self._fits = Fits(self)
        self._head = None       # unit and reason of a hold, as last said
        self._held = {}         # the same of others
        self._scaled = {}       # Unit -> its size and what it held before the last scale, until the next round
        self._said = []
        self._speak = None

    # ---- what happens ----

    def on_cluster(self):
        """Once, before anything else: self.nodes is filled."""

    def on_arrival(self, job):
        """A job arrived; on_wait follows for each unit that may start."""

    def on_wait(self, unit):
        """The unit begins to wait, or waits again after an interruption."""

    def on_stop(self, unit):
        """The unit no longer runs: it ended, was preempted, or its node failed."""

    def on_leave(self, unit):
        """The unit no longer waits and will not run: its job was ended at its limit."""

    def on_task_end(self, task):
        """A task ended; its node and cards can still be read."""

    def on_job_end(self, job):
        """The last task of the job ended."""

    def on_node(self, node):
        """The node went down or came up: node.up."""

    def on_timer(self):
        """A wake asked for earlier."""

    def on_call(self, task, lost):
        """The next call of a running task may run: task.calls[task.next_call].  lost: the node with which the last was lost, or None."""

    def on_refused(self, unit, do, refusal, node):
        """A decision of the last round was refused: what it was, why, and its node ("takes_refusals" only).

        The unit is as before, or waits as the last if it was to start; None if the decision named none.
        """

    def decide(self):
        raise NotImplementedError("a policy has a method decide()")

    # ---- what to do about it ----

    def start(self, unit, places=None, reason=None, cpu=None):
        """Start a unit; places: [(node, cards)] by task as place() gives them, cards None: the simulator chooses.

        The free resources of the nodes are taken at once.  Without places they
        are those of place(unit); False if there are none.  cpu: what each task
        gets instead of the cores that it asks, thousandths.
        """
        if places is None:
            places = self.place(unit)
            if places is None:
                return False
        else:
            for task, (node, cards) in zip(unit.tasks, places):
                if task.node is None:
                    self._allocate(task, node, cards)
        if cpu is not None:
            for task in unit.tasks:
                self._resize(task, cpu)
        if unit.job.gang:
            cards = [c for _, c in places] if all(c is not None for _, c in places) else None
            cores = [cpu] * len(places) if cpu else None
            said = verbs.start_gang(unit.job.number, [n.index for n, _ in places], cards, cores, reason)
        else:
            node, cards = places[0]
            said = verbs.start(unit.job.number, unit.tasks[0].index, node.index, cards, cpu, reason)
        self._said.append(said)
        unit.state = "running"
        unit.started = self.now
        if self._head or self._held:
            self._unhold(unit)
        if unit.tasks[0].calls:
            self._unqueue(unit)
        self.waiting.pop(unit, None)
        self.running[unit] = None
        return True

    def preempt(self, unit, reason=None):
        """Stop a running unit; what it held is free at once, and it will wait again in the next round."""
        self._said.append(verbs.preempt(unit.job.number, unit.tasks[0].index, reason))
        self.release(unit)
        unit.state = "leaving"
        self.running.pop(unit, None)

    def size(self, unit, n):
        """A waiting unit of an elastic job has n tasks from now on, of unit.job.elastic's min to max; then place and start it."""
        unit._size(n)

    def scale(self, unit, n, find=None, reason=None):
        """A running unit of an elastic job goes on with n tasks, at the places that place(unit, find) has for so many.

        What it holds is free for that.  False, and nothing is changed, if there are no such places.
        """
        was, held = len(unit.tasks), self.release(unit)
        unit._size(n)
        places = self.place(unit, find)
        if places is None:
            unit._size(was)
            self.reallocate(unit, held)
            return False
        cards = [c for _, c in places] if all(c is not None for _, c in places) else None
        self._said.append(verbs.scale(unit.job.number, [node.index for node, _ in places], cards, reason=reason))
        self._scaled[unit] = (was, held)
        unit.started = self.now
        return True

    def resize(self, task, cpu, reason=None):
        """A running task that is not exclusive holds other cores from now on, thousandths."""
        self._said.append(verbs.resize(task.job.number, task.index, cpu, reason))
        self._resize(task, cpu)

    def hold(self, unit, reason, head=False):
        """For the record: why a waiting unit is not started although it might; head: units behind it wait for it."""
        if head and self._head != (unit, reason):
            self._head = (unit, reason)
        elif not head and self._held.get(unit) != reason:
            self._held[unit] = reason
        else:
            return
        self._said.append(verbs.hold(unit.job.number, unit.tasks[0].index, reason, head))

    def _unhold(self, unit):
        """It starts, or will not: said again, a reason is news."""
        if self._head and self._head[0] is unit:
            self._head = None
        self._held.pop(unit, None)

    def _unqueue(self, unit):
        for task in unit.tasks:
            if task.queue is not None:
                task.queue.queued -= 1
                task.queue = None

    def reserve(self, job, stage, reserved, need, reason=None, **more):
        """What is kept aside for a job when it enters a stage: amounts {"cpu": .., "gpu": .., "licences": {..}}.

        more: lendable, usable, reclaimed, as PROTOCOL.md has them.  An empty
        `reserved` gives the reservation up.
        """
        self._said.append(verbs.reserve(job.number, stage, reserved, need, reason=reason, **more))

    def lend(self, unit, lender, amount=None, reason=None):
        """A unit of one task, just started or running, borrows of a job's reservation; amount: so much of what it holds."""
        self._said.append(verbs.lend(unit.job.number, unit.tasks[0].index, lender.number, amount, reason))

    def send(self, unit, node, reason=None):
        """A waiting task of calls goes to a node's queue, where it is started: start(unit, [(node, cards)])."""
        task = unit.tasks[0]
        self._said.append(verbs.send(unit.job.number, task.index, node.index, reason))
        if task.queue is not None:
            task.queue.queued -= 1
        task.queue = node
        node.queued += 1

    def call(self, task, node, engine, reason=None):
        """The next call of a task that may_call runs on an engine of that type, at its own node or another."""
        self._said.append(verbs.call(task.job.number, task.index, node.index, engine, reason))
        task.may_call = False
        node.engines_free[engine] -= 1
        self._touch(node)

    def wake(self, at):
        """Ask for a round at this time, in the future."""
        self._said.append(verbs.wake(at))

    def record(self, name, value):
        """A named number for the run's record."""
        self._said.append(verbs.note(name, value))

    def fail(self, message):
        """The policy cannot go on: fails the run with this message."""
        self._said.append(verbs.fail(message))

    def query(self, task, nodes=(), ways=()):
        """The state of a task now, and what reading its inputs would cost on some nodes: PROTOCOL.md, "query".

        ways: [(call, node, other)]: what the way of a call from the one to the other and back takes.
        """
        said = {"msg": "query", "job": task.job.number, "task": task.index, "nodes": [n.index for n in nodes]}
        if ways:
            said["overhead"] = [[call, a.index, b.index] for call, a, b in ways]
        return self._speak(said)

    def followers(self, task):
        """The tasks that wait for this one to end; asks."""
        return [task.job.tasks[k] for k in self.query(task).get("followers", ())]

    # ---- where it fits ----

    # These ask the simulator, telling it what the decisions of this round so far have changed.

    def first_fit(self, shape):
        """The first node on which a task of the shape fits, or None."""
        answer = self._fits.places(shape, 1)
        return self.nodes[answer.places[0][0]] if answer else None

    def fitting(self, shape):
        """Every node on which a task of the shape fits now, in order."""
        return [self.nodes[i] for i in self._fits.fitting(shape)]

    def suitable(self, shape):
        """Every node on which a task of the shape would fit if the node were up and nothing ran there: a set."""
        if shape._suitable is None:
            shape._suitable = frozenset(self.nodes[i] for i, _ in self._fits.ask([[shape.id]], empty=True)[0])
        return shape._suitable

    def best_fit(self, shape):
        """The node that a task of the shape leaves fullest: policies/README.md, "best"."""
        return min(self.fitting(shape), key=lambda n: self._left_over(n, shape), default=None)

    def _left_over(self, node, shape):
        if shape.exclusive:
            return 0
        free = (node.cpu_free - shape.cpu, node.mem_free - shape.mem, sum(node.gpu_free) - shape.gpus * shape.gpu_milli)
        return sum((f << 20) // m for f, m in zip(free, self._most) if m)

    def place(self, unit, find=None):
        """A place for every task of a unit, one after the other, each seeing those before; or None.

        find(shape) names the node, first_fit by default.  The places are taken
        from what is free: start the unit there, or give them back with unplace().
        """
        if unit.licences and not self.licensed(unit):
            return None
        tasks = unit.tasks
        if find is None and unit.alike:
            return self._place_all(tasks)
        # If so many do not fit at all, then neither where find says.
        if len(tasks) > 1 and unit.monotone and self._fits.places(tasks[0].shape, len(tasks)) is None:
            return None
        return self._place_each(tasks, find or self.first_fit)

    def _place_all(self, tasks):
        """By first fit; they ask for the same."""
        answer = self._fits.places(tasks[0].shape, len(tasks))
        if answer is None:
            return None
        places = [(self.nodes[i], cards) for i, cards in answer.places[:len(tasks)]]
        for task, (node, cards) in zip(tasks, places):
            self._allocate(task, node, cards)
        self._fits.took(answer, len(tasks))
        return places

    def _place_each(self, tasks, find):
        """Wherever find says, one by one."""
        places, change_epoch, freed_epoch = [], self.change_epoch, self.freed_epoch
        if len(tasks) > 1:
            self._freed()                   # what fails from here on may fail for those placed before it
        for task in tasks:
            node = find(task.shape)
            cards = None if node is None else self._fits.cards(task.shape, node)
            if cards is None:
                for placed, _ in zip(tasks, places):
                    self._deallocate(placed)
                self.change_epoch = change_epoch
                places = None
                break
            self._allocate(task, node, cards)
            places.append((node, cards))
        self.freed_epoch = freed_epoch
        return places

    def licensed(self, unit):
        """Are the licences that its tasks ask for free?"""
        return all(self.licences_free.get(k, 0) >= n for k, n in unit.licences.items())

    def unplace(self, unit):
        """Give back what place() took for a unit that is not started."""
        for task in unit.tasks:
            if task.node is not None:
                self._deallocate(task)
        self._freed()

    def release(self, unit):
        """Give back what a running unit holds, to see what would fit then; follow it by reallocate() or preempt().

        Returns what reallocate() wants.
        """
        held = [(t.node, t.cards, t.cpu) for t in unit.tasks]
        for task in unit.tasks:
            if task.node is not None:
                self._deallocate(task)
        self._freed()
        return held

    def reallocate(self, unit, held):
        """Undo release()."""
        for task, (node, cards, cpu) in zip(unit.tasks, held):
            self._allocate(task, node, cards)
            self._resize(task, cpu)

    def _freed(self):
        self._freed_epochs += 1
        self.freed_epoch = self._freed_epochs

    def _touch(self, node):
        self.change_epoch += 1
        self._fits.touch(node)

    def _allocate(self, task, node, cards):
        task.node, task.cards, task.cpu = node, cards, node.cpu - node.cpu_reserved if task.shape.exclusive else task.shape.cpu
        node._move(task.shape, cards or (), -1, task.cpu)
        if task.shape.licences:
            self._license(task, -1)
        self._touch(node)

    def _license(self, task, sign):
        for k, n in task.shape.licences.items():
            self.licences_free[k] = self.licences_free.get(k, 0) + sign * n

    def _resize(self, task, cpu):
        if cpu == task.cpu or task.shape.exclusive:
            return
        task.node.cpu_free += task.cpu - cpu
        if cpu < task.cpu:
            self._freed()
        task.cpu = cpu
        self._touch(task.node)

    def _deallocate(self, task):
        task.node._move(task.shape, task.cards or (), +1, task.cpu)
        if task.shape.licences:
            self._license(task, +1)
        self._touch(task.node)
        task.node = task.cards = None

    # ---- in step with the simulator ----

    def _cluster(self, said):
        self.seed = said["seed"]
        self.audited = said.get("audited", False)
        self.multi_from = said.get("multi_from", 4)
        self.engines = said.get("engines", [])
        self.gpu_types = said.get("gpu_types", {})
        self.licences = said.get("licences", {})
        self.licences_free = dict(self.licences)
        self.nodes = [Node(n) for n in said["nodes"]]
        self._most = (max((n.cpu for n in self.nodes), default=0), max((n.mem for n in self.nodes), default=0),
                      max((n.gpus * WHOLE for n in self.nodes), default=0))
        self.on_cluster()

    def _wait(self, unit):
        unit.state = "waiting"
        unit.started = None
        self.waiting[unit] = None
        self.on_wait(unit)

    def _stop(self, unit):
        """It runs no more.  What it held is in the node's state that the simulator sends."""
        was_running = self.running.pop(unit, 0) is None
        if was_running or unit.state == "leaving":
            self.on_stop(unit)
        for task in unit.tasks:
            task.node = task.cards = None
            if task.may_call:
                task.may_call = False

    def _on_arrived(self, said):
        job = self.jobs[said["job"]] = Job(said, self.shapes)
        self._inputs(job, said)
        self.on_arrival(job)
        if job.gang:
            self._wait(Unit(job, job.tasks[:job.n_asked]))
            return
        not_waiting = set()
        for first, last in said.get("blocked", ()):
            not_waiting.update(range(first, last + 1))
        for one in said.get("running", ()):         # bound to a node before the job came
            task = job.tasks[one["task"]]
            task.node, task.cards = self.nodes[one["node"]], one["cards"]
            not_waiting.add(task.index)
        for task in job.tasks:
            if task.index not in not_waiting:
                self._wait(Unit(job, [task]))

    def _inputs(self, job, said):
        for one in said.get("inputs", ()):
            task = job.tasks[one["task"]]
            task.inputs = (*task.inputs, {"size": one["size"], "nodes": one["nodes"],
                                           "writer": one.get("writer")})

    def _on_ready(self, said):
        job = self.jobs[said["job"]]
        task = job.tasks[said["task"]]
        task.inputs = ()
        self._inputs(job, said)
        unit = task.unit
        if unit is None:
            unit = Unit(job, [task])
            task.node = task.cards = None
        elif unit.state != "waiting":
            self._stop(unit)
        if task.queue is not None:                  # its node is lost; it is with the master again, as the last
            task.queue = None
            self.waiting.pop(unit, None)
        unit.attained = said["attained"]
        unit.left = said.get("left")
        self._wait(unit)

    def _on_ended(self, said):
        job = self.jobs[said["job"]]
        task = job.tasks[said["task"]]
        self.on_task_end(task)
        unit = task.unit
        job.n_left -= 1
        if unit is not None and unit.state != "ended" and task is unit.tasks[-1]:
            self.waiting.pop(unit, None)
            self._stop(unit)
            unit.state = "ended"

    def _on_job_ended(self, said):
        job = self.jobs.pop(said["job"])
        for task in job.tasks:
            unit = task.unit
            if unit is not None and unit in self.waiting:
                del self.waiting[unit]
                unit.state = "ended"
                self._unhold(unit)
                self.on_leave(unit)
        self.on_job_end(job)

    def _on_node_down(self, said):
        self.on_node(self.nodes[said["node"]])

    _on_node_up = _on_node_down

    def _on_timer(self, said):
        self.on_timer()

    def _on_call(self, said):
        task = self.jobs[said["job"]].tasks[said["task"]]
        task.next_call = said["call"]
        task.may_call = True
        self.on_call(task, self.nodes[said["lost"]] if "lost" in said else None)

    def _on_refused(self, said):
        """Every node's state was told with it; the unit's is asked for."""
        job = self.jobs.get(said.get("job"))
        unit = job and job.tasks[said.get("task", 0)].unit
        if unit and unit in self._scaled and said["do"] == "scale":
            was, held = self._scaled[unit]
            unit._size(was)
            for task, (task.node, task.cards, task.cpu) in zip(unit.tasks, held):
                pass
        elif unit and job.elastic and said["do"] == "start_gang":
            unit.state = "waiting"
            for task in unit.tasks:
                task.node = task.cards = None
        for task in unit.tasks if unit and not job.elastic else ():
            now = self.query(task)
            task.node = self.nodes[now["node"]] if now["running"] else None
            task.cards, task.cpu = now.get("cards"), now.get("cpu")
            if task.calls:
                task.queue = self.nodes[now["queue"]] if "queue" in now else None
                task.may_call = task.may_call or (said["do"] == "call" and "call" not in now)
            unit.state = "running" if now["running"] else "waiting"
        if unit and unit.state == "running":
            self.running[unit] = None
        elif unit:
            self.running.pop(unit, None)
            self.waiting[unit] = unit.started = None
        self.on_refused(unit, said["do"], said["refusal"], self.nodes[said["node"]] if "node" in said else None)

    def _round(self, said):
        self.now = said["now"]
        self._fits.begin()
        for s in said.get("shapes", ()):
            self.shapes.append(Shape(s))
        changed = said.get("nodes", ())
        grew = False
        for n in changed:
            if self.nodes[n["node"]]._adopt(n):
                grew = True
        if "licences" in said:
            grew = grew or any(n > self.licences_free.get(k, 0) for k, n in said["licences"].items())
            self.licences_free = said["licences"]
        if grew:
            self._freed()
        if changed:
            self.change_epoch += 1
        for e in said["events"]:
            handler = self._handlers.get(e["event"])
            if handler is not None:     # one that a later minor version added
                handler(e)
        self._scaled.clear()
        self.decide()
        out, self._said = self._said, []
        return out


def _arguments(policy, argv):
    for arg in argv:
        key, eq, value = arg.partition("=")
        if not eq or key not in policy.param:
            known = ", ".join(policy.params) or "none"
            sys.exit(f"{policy.name}: found the argument '{arg}', expected NAME=VALUE with a name of: {known}")
        policy.param[key] = value


_HANDLERS = {"arrived": "_on_arrived", "ready": "_on_ready", "ended": "_on_ended", "job_ended": "_on_job_ended",
             "node_down": "_on_node_down", "node_up": "_on_node_up", "timer": "_on_timer", "call": "_on_call",
             "refused": "_on_refused"}


def run(policy_class, argv=None):
    """Speak the protocol on standard input and output until bye."""
    policy = policy_class()
    _arguments(policy, sys.argv[1:] if argv is None else argv)
    policy._handlers = {event: getattr(policy, method) for event, method in _HANDLERS.items()}
    lines, out = sys.stdin.buffer, sys.stdout
    sys.stdout = sys.stderr
    encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
    decode = json.JSONDecoder().decode

    def write(message):
        out.write(encode(message) + "\n")
        out.flush()

    def speak(message):
        write(message)
        return decode(lines.readline().decode())

    policy._speak = speak
    for line in lines:
        said = decode(line.decode())
        msg = said["msg"]
        if msg == "decide":
            try:
                write({"msg": "decisions", "decisions": policy._round(said)})
            except Exception:
                traceback.print_exc()
                sys.exit(1)
        elif msg == "hello":
            if said["protocol"] != PROTOCOL:
                print(f"{policy.name}: the simulator speaks version {said['protocol']} of the protocol; this module {PROTOCOL}")
            policy.weights = said.get("weights", {})
            write({"msg": "hello", "protocol": PROTOCOL, "name": policy.name, "source": policy.source,
                   "summary": policy.summary, "params": policy.param, "flags": list(policy.flags)})
        elif msg == "cluster":
            policy._cluster(said)
        elif msg == "bye":
            return
