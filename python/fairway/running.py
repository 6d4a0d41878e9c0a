"""running.py -- run(): scenarios under policies and seeds, with progress, and errors as exceptions."""

import ctypes
import json
import os
import sys
from contextlib import nullcontext
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, Union

from .inprocess import InProcess, rarely_collected
from .library import ON_BEGIN, ON_DECISION, ON_NOTE, ON_PROGRESS, ON_RUN, ErrorStruct, Options, library, strings
from .policy import Policy
from .protocol import speak

ScenarioLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]
PolicyLike = Union[str, Type[Policy], Tuple[Type[Policy], Mapping[str, Any]]]
Seeds = Union[int, Iterable[int]]


class Error(Exception):
    """What the simulator says is wrong; file "" and line or column 0 where they are not known."""

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0, hint: str = "") -> None:
        where = ":".join([file, *[str(n) for n in (line, column) if n]]) + ": " if file else ""
        super().__init__(where + message + (f"\n  hint: {hint}" if hint else ""))
        self.message, self.file, self.line, self.column, self.hint = message, file, line, column, hint


class InputError(Error):
    """The scenario, the trace or an argument."""


class WorldError(Error):
    """The disk, the database, a missing program."""


class PolicyError(Error):
    """A policy broke its contract; its run is in the database as failed."""


class Interrupted(Error):
    """Stopped; what had ended is in the database."""


_ERRORS: Dict[int, Type[Error]] = {2: InputError, 3: WorldError, 4: PolicyError, 130: Interrupted}


def error_of(e: ErrorStruct) -> Error:
    return _ERRORS.get(e.status, Error)(e.message.decode(), e.file.decode(), e.line, e.column, e.hint.decode())


class Run(NamedTuple):
    """A run that ended: of which policy and seed, and what is told at once; the rest is in the database."""

    id: int
    policy: str
    seed: int
    digest: str
    done: int  # jobs
    unfinished: int
    rejected: int
    refused: int  # decisions
    events: int
    wall_s: float
    error: Optional[Error]  # of one that failed


class Bar:
    """How far the runs are: a line of a terminal, or of a notebook's cell; nothing elsewhere."""

    def __init__(self, shown: bool) -> None:
        self.display: Any = None
        self.terminal = shown and sys.stderr.isatty()
        if shown and "ipykernel" in sys.modules:
            from IPython.display import display

            self.display = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, text: str) -> None:
        if self.display is not None:
            self.display.update({"text/plain": text}, raw=True)
        elif self.terminal:
            sys.stderr.write("\r\033[K" + text)
            sys.stderr.flush()

    def close(self) -> None:
        if self.display is not None:
            self.display.update({"text/plain": ""}, raw=True)
        elif self.terminal:
            sys.stderr.write("\r\033[K")


def _text(b: Optional[bytes]) -> str:
    return b.decode() if b is not None else ""


def _assignments(changes: Optional[Mapping[str, Any]]) -> List[str]:
    return [f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in (changes or {}).items()]


def _seeds(seeds: Optional[Seeds]) -> List[int]:
    if seeds is None:
        return []
    return list(range(1, seeds + 1)) if isinstance(seeds, int) else list(seeds)


def _in_process(policy: Union[Type[Policy], Tuple[Type[Policy], Mapping[str, Any]]]) -> InProcess:
    made, params = policy if isinstance(policy, tuple) else (policy, {})
    if not (isinstance(made, type) and issubclass(made, Policy)):
        raise TypeError(
            "a policy is a name as `fairway run -p` takes it, a class derived from Policy or (class, {...}), "
            f"not {policy!r}; labels are given in the scenario's `policies`"
        )
    return InProcess(made, {k: str(v) for k, v in params.items()})


class _Going:
    """One run(): callbacks, and what they brought."""

    def __init__(self, bar: Bar, on_decision: Optional[Callable[..., None]]) -> None:
        self.bar = bar
        self.runs: List[Run] = []
        self.notes: List[str] = []
        self.database = ""
        self.stop = ctypes.c_int(0)
        self.raised: Optional[BaseException] = None
        self.on_decision = on_decision

    def guarded(self, kind: Any, function: Callable[[Any], None]) -> Any:
        """A callback.  Ctrl-C, or what the caller's own code raises, ends the run and is raised again after it."""

        def call(ctx: Optional[int], what: Any) -> None:
            try:
                function(what.contents)
            except BaseException as e:
                self.raised = self.raised or e
                self.stop.value = 1

        return kind(call)

    def begin(self, plan: Any) -> None:
        self.database = _text(plan.database)

    def progress(self, p: Any) -> None:
        done = p.n_ended / p.n_jobs if p.n_jobs else 0
        self.bar.show(
            f"[{(p.run - 1 + done) / p.n_runs:4.0%}] run {p.run}/{p.n_runs} "
            f"{_text(p.label)}: {p.n_ended}/{p.n_jobs} jobs"
        )

    def note(self, n: Any) -> None:
        lines = (
            f": {n.count} rows, first at line {n.first_line}"
            if n.first_line
            else f": {n.count} jobs"
            if n.count > 1
            else ""
        )
        self.notes.append(f"{_text(n.of)}: {_text(n.what)}{lines}")

    def run(self, r: Any) -> None:
        self.runs.append(
            Run(
                r.id,
                _text(r.policy),
                r.seed,
                f"{r.digest:016x}",
                r.n_done,
                r.n_unfinished,
                r.n_rejected,
                r.n_refused,
                r.n_events,
                r.wall_s,
                error_of(r.error.contents) if r.error else None,
            )
        )

    def decision(self, d: Any) -> None:
        if self.on_decision is not None:
            self.on_decision(d.at_us, _text(d.verb), d.job, d.task, d.node, _text(d.reason))

    def options(self, **more: Any) -> Options:
        return Options(
            size=ctypes.sizeof(Options),
            stop=ctypes.pointer(self.stop),
            begin=self.guarded(ON_BEGIN, self.begin),
            progress=self.guarded(ON_PROGRESS, self.progress),
            note=self.guarded(ON_NOTE, self.note),
            run=self.guarded(ON_RUN, self.run),
            decision=self.guarded(ON_DECISION, self.decision) if self.on_decision else ON_DECISION(0),
            **more,
        )


class Runs(List[Run]):
    """What run() did; `database` is where the rest of it is, `notes` what was repaired in the trace."""

    database = ""
    notes: List[str] = []


def run(
    what: Union[ScenarioLike, Type[Policy]],
    policies: Optional[Sequence[PolicyLike]] = None,
    seeds: Optional[Seeds] = None,
    set: Optional[Mapping[str, Any]] = None,
    database: Optional[Union[str, "os.PathLike[str]"]] = None,
    *,
    audit: bool = False,
    strict: bool = False,
    no_exec: bool = False,
    log: Optional[str] = None,
    progress: bool = True,
    on_decision: Optional[Callable[..., None]] = None,
) -> Runs:
    """Run a scenario, a file or a dict, under policies and seeds; or, given a policy class alone, be that policy.

    Of the latter the runs are the simulator's: none is returned.

    policies  names as `fairway run -p` takes them, classes derived from Policy, or (class, {parameter: value}), which
              run in this process; None: the scenario's own
    seeds     10: the seeds 1 to 10; or those; None: the scenario's own
    set       {"trace.speedup": 20}: changes of the scenario
    database  where results go; None: NAME.db after the scenario's name
    on_decision  called with (at_us, verb, job, task, node, reason) for every decision
    Raises InputError and others for what is wrong, what a policy in this process raised, and KeyboardInterrupt.
    """
    if isinstance(what, type):
        speak(what, None if policies is None else [str(pair) for pair in policies])
        return Runs()
    lib = library()
    e = ErrorStruct()
    changes = _assignments(set)
    text, path = (json.dumps(what).encode(), "scenario") if isinstance(what, Mapping) else (None, os.fspath(what))
    f = lib.open(path.encode(), text, strings(changes), len(changes), e)
    if f is None:
        raise error_of(e)
    f = ctypes.c_void_p(f)
    codes: List[InProcess] = []
    bar = Bar(progress)
    going = _Going(bar, on_decision)
    try:
        for policy in policies or ():
            if isinstance(policy, str):
                lib.add_policy(f, policy.encode(), None, e)
            else:
                codes.append(_in_process(policy))
                lib.add_code(f, codes[-1].ops, codes[-1].spec.encode(), None, e)
        for seed in _seeds(seeds):
            if lib.add_seeds(f, seed, seed, e) != 0:
                raise error_of(e)
        options = going.options(
            audit=audit,
            strict=strict,
            no_exec=no_exec,
            log=log.encode() if log else None,
            database=os.fspath(database).encode() if database is not None else None,
        )
        with rarely_collected() if codes else nullcontext():
            status = lib.run(f, options, e)
    finally:
        bar.close()
        lib.close(f)
    for raised in (going.raised, *(code.failure for code in codes)):
        if raised is not None:
            raise raised
    if status != 0:
        raise error_of(e)
    runs = Runs(going.runs)
    runs.database, runs.notes = going.database, going.notes
    return runs


def program() -> str:
    """The path of the program `fairway`: $FAIRWAY, or the one on the PATH."""
    import shutil

    found = os.environ.get("FAIRWAY") or shutil.which("fairway")
    if not found:
        raise WorldError(
            "the program `fairway` is not on the PATH, which sweep() needs",
            hint="install it, or say in FAIRWAY where it is",
        )
    return found


def sweep(
    scenario: Union[str, "os.PathLike[str]"],
    database: Optional[Union[str, "os.PathLike[str]"]] = None,
    *,
    set: Optional[Mapping[str, Any]] = None,
    jobs: Optional[int] = None,
    slurm: bool = False,
) -> None:
    """Every combination of the scenario's `sweep`, by the program's worker processes or on Slurm.

    It goes on where it was stopped.
    """
    import subprocess  # here, as it takes longer to import than all of run()

    command = [program(), "sweep", os.fspath(scenario), "--quiet"]
    for option, value in (("-d", database), ("-j", jobs)):
        if value is not None:
            command += [option, os.fspath(value) if not isinstance(value, int) else str(value)]
    for change in _assignments(set):
        command += ["--set", change]
    done = subprocess.run(command + (["--slurm"] if slurm else []), stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        raise _told(done.returncode, done.stderr)


def _told(status: int, text: str) -> Error:
    """The last error that the program printed: FILE:LINE:COLUMN: error: MESSAGE."""
    lines = [line for line in text.splitlines() if ": error: " in line] or [text.strip()]
    where, _, message = lines[-1].rpartition(": error: ")
    file, *place = where.rsplit(":", 2) if where.count(":") >= 2 else (where,)
    hint = [line.strip()[len("hint: ") :] for line in text.splitlines() if line.startswith("  hint: ")]
    numbers = [int(n) for n in place if n.isdigit()] + [0, 0]
    return _ERRORS.get(status, Error)(
        message, "" if file == "fairway" else file, numbers[0], numbers[1], hint[-1] if hint else ""
    )
