"""results.py -- load(): what a database holds, as tables of pandas, and what the simulator says of it.

results/README.md explains every table and gives each metric's formula.
"""

import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .library import ErrorStruct, Plot, library, strings
from .running import error_of

if TYPE_CHECKING:
    from pandas import DataFrame

PathLike = Union[str, "os.PathLike[str]"]

# Per table: the query, and the unit of each column that has one.  Times are in seconds since the run began.
_TABLES: Dict[str, Tuple[str, Dict[str, str]]] = {
    "runs": (
        """SELECT id AS run, scenario, title, variant, policy, policy_spec, seed, status, digest, message
             FROM run ORDER BY id""",
        {},
    ),
    "jobs": (
        """SELECT j.run, r.policy, r.seed, j.ordinal, j.id, j.user, j.queue, j.class, j.status,
                  j.submit_us / 1e6 AS submit, CASE WHEN j.start_us >= 0 THEN j.start_us / 1e6 END AS start,
                  CASE WHEN j.end_us >= 0 THEN j.end_us / 1e6 END AS end,
                  v.jct, v.wait, v.not_running, v.slowdown, v.bounded_slowdown, v.rho,
                  CASE WHEN j.limit_us >= 0 THEN j.limit_us / 1e6 END AS "limit", j.n_tasks, j.n_gpu,
                  j.cpu_milli / 1e3 AS cpus, j.n_preempted, j.n_failed, j.lost_us / 1e6 AS lost
             FROM job j JOIN run r ON r.id = j.run LEFT JOIN v_job v ON v.run = j.run AND v.ordinal = j.ordinal
            ORDER BY j.run, j.ordinal""",
        {
            **dict.fromkeys(("submit", "start", "end", "jct", "wait", "not_running", "limit", "lost"), "s"),
            "n_gpu": "cards",
            "cpus": "cores",
        },
    ),
    "attempts": (
        """SELECT a.run, r.policy, r.seed, j.id, a.ordinal, a.task, a.attempt, n.name AS node, a.cards,
                  a.start_us / 1e6 AS start, a.end_us / 1e6 AS end, a.outcome
             FROM attempt a JOIN run r ON r.id = a.run JOIN job j ON j.run = a.run AND j.ordinal = a.ordinal
             JOIN node n ON n.run = a.run AND n.node = a.node
            ORDER BY a.run, a.ordinal, a.task, a.attempt""",
        {"start": "s", "end": "s", "cards": "bits"},
    ),
    "metrics": (
        """SELECT run, scenario, policy, seed, name AS metric, scope, value, unit FROM v_metric
            ORDER BY run, name, scope""",
        {},
    ),
    "series": (
        """SELECT s.run, r.policy, r.seed, s.name, s.at_us / 1e6 AS at, s.value
             FROM series s JOIN run r ON r.id = s.run ORDER BY s.run, s.name, s.at_us""",
        {"at": "s"},
    ),
}


def _encoded(text: Optional[Any]) -> Optional[bytes]:
    return None if text is None else os.fspath(text).encode()


class Svg(str):
    """A figure's text, which a notebook draws."""

    def _repr_svg_(self) -> str:
        return str(self)


class Database:
    """Results of runs: `runs`, `jobs`, `attempts`, `metrics`, `series`, compare(), explain(), plot()."""

    def __init__(self, path: PathLike) -> None:
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no database '{self.path}'")

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> List[Dict[str, Any]]:
        """Rows of a query that only reads; works without pandas."""
        connection = sqlite3.connect(Path(self.path).absolute().as_uri() + "?mode=ro", uri=True)
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, parameters)]
        finally:
            connection.close()

    def frame(self, sql: str, units: Optional[Mapping[str, str]] = None) -> "DataFrame":
        """The same as a DataFrame; `attrs["units"]` has the unit of each column that has one."""
        import pandas

        connection = sqlite3.connect(Path(self.path).absolute().as_uri() + "?mode=ro", uri=True)
        try:
            cursor = connection.execute(sql)
            frame = pandas.DataFrame(cursor.fetchall(), columns=[c[0] for c in cursor.description])
        finally:
            connection.close()
        frame.attrs["units"] = dict(units or {})
        return frame

    def _table(self, name: str) -> "DataFrame":
        return self.frame(*_TABLES[name])

    @property
    def runs(self) -> "DataFrame":
        return self._table("runs")

    @property
    def jobs(self) -> "DataFrame":
        """Every job of every run, failed and unfinished ones too (`status`); metrics are of those that count."""
        return self._table("jobs")

    @property
    def attempts(self) -> "DataFrame":
        """Every stay of a task on a node; of runs with `output: {attempts: true}`."""
        return self._table("attempts")

    @property
    def metrics(self) -> "DataFrame":
        """A row a run, metric and scope; each with its unit."""
        return self._table("metrics")

    @property
    def series(self) -> "DataFrame":
        """Samples over time."""
        return self._table("series")

    def compare(
        self, metrics: Sequence[str] = (), against: Optional[str] = None, scope: Optional[str] = None
    ) -> "DataFrame":
        """A row a policy and metric, as `fairway compare --json` has them: means over seeds, differences, intervals."""
        import pandas

        return pandas.DataFrame(json.loads(self.compared("json", metrics, against, scope)))

    def compared(
        self,
        format: str = "text",
        metrics: Sequence[str] = (),
        against: Optional[str] = None,
        scope: Optional[str] = None,
    ) -> str:
        """The same as text, markdown, latex, csv or json."""
        e = ErrorStruct()
        text = library().take_text(
            library().compare(
                self.path.encode(),
                format.encode(),
                _encoded(against),
                _encoded(scope),
                strings(list(metrics)),
                len(metrics),
                e,
            )
        )
        if text is None:
            raise error_of(e)
        return text

    def explain(self, run: Union[int, str], job: str) -> str:
        """Why that job waited, and where it ran; run: its number, or POLICY/SEED."""
        e = ErrorStruct()
        text = library().take_text(library().explain(self.path.encode(), str(run).encode(), job.encode(), 0, e))
        if text is None:
            raise error_of(e)
        return text

    def plot(
        self,
        figure: str = "bars",
        out: Optional[PathLike] = None,
        *,
        metric: Optional[str] = None,
        scope: Optional[str] = None,
        base: Optional[str] = None,
        scenario: Optional[str] = None,
        nodes: Optional[str] = None,
        run: Optional[int] = None,
        start: Optional[float] = None,
        end: Optional[float] = None,
    ) -> Svg:
        """One of the figures of `fairway plot`, which a notebook shows; out: a file for it, .svg, .pdf or .png.

        start, end: a window, seconds.
        """
        import ctypes
        import tempfile

        e = ErrorStruct()
        options = Plot(
            size=ctypes.sizeof(Plot),
            metric=_encoded(metric),
            scope=_encoded(scope),
            base=_encoded(base),
            nodes=_encoded(nodes),
            scenario=_encoded(scenario),
            run=-1 if run is None else run,
            from_us=-1 if start is None else int(start * 1e6),
            to_us=-1 if end is None else int(end * 1e6),
        )
        with tempfile.TemporaryDirectory() as folder:
            shown = os.path.join(folder, "figure.svg")
            for path in (shown, *((os.fspath(out),) if out is not None else ())):
                if library().plot(self.path.encode(), figure.encode(), path.encode(), options, e) != 0:
                    raise error_of(e)
            return Svg(Path(shown).read_text(encoding="utf-8"))


def load(path: PathLike) -> Database:
    return Database(path)


def compare(
    path: PathLike, metrics: Sequence[str] = (), against: Optional[str] = None, scope: Optional[str] = None
) -> "DataFrame":
    return Database(path).compare(metrics, against, scope)
