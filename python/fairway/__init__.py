"""Fairway: a discrete-event GPU-cluster simulator and policy evaluator, from Python.

    import fairway

    runs = fairway.run("scenario.yaml", policies=["fifo", "las"], seeds=10, database="my.db")
    fairway.load("my.db").compare()

Policies are classes derived from fairway.Policy, which run in process or, as
scripts, behind `-p 'exec:python3 mine.py'`: python/README.md.
"""

from .policy import Policy
from .view import WHOLE, Job, Node, Shape, Task, Unit

__all__ = [
    "Database",
    "Error",
    "InputError",
    "Interrupted",
    "Job",
    "Node",
    "Policy",
    "PolicyError",
    "Run",
    "Shape",
    "Task",
    "Unit",
    "WHOLE",
    "WorldError",
    "compare",
    "load",
    "run",
    "sweep",
]


def __getattr__(name: str) -> object:
    """What scripts of policies do without is imported when it is asked for."""
    if name in ("Database", "load", "compare"):
        from . import results

        return getattr(results, name)
    if name in __all__:
        from . import running

        return getattr(running, name)
    raise AttributeError(f"module 'fairway' has no attribute '{name}'")
