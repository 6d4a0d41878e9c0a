"""The package beside the program: runs, errors, policies in process and behind the line protocol, results."""

import gc
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import fairway

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import fifo  # noqa: E402
import grants  # noqa: E402
import mapper  # noqa: E402
import priority  # noqa: E402

ROOT = HERE.parent.parent
GENERATED = {
    "name": "made",
    "cluster": {"groups": [{"name": "n", "count": 6, "cpus": 64, "mem": "512GiB", "gpus": 8, "gpu_type": "GPU"}]},
    "trace": {"format": "generate", "load": 1.2, "generate": {"jobs": 300}},
}


def digests(runs):
    return {run.policy: run.digest for run in runs}


# ---- runs ----


def test_a_dict_is_a_scenario(tmp_path):
    runs = fairway.run(GENERATED, policies=["fifo", "las"], seeds=2, database=tmp_path / "a.db")
    assert [(r.policy, r.seed) for r in runs] == [("fifo", 1), ("las", 1), ("fifo", 2), ("las", 2)]
    assert all(r.done == 300 and r.error is None for r in runs)
    assert runs.database == str(tmp_path / "a.db")


def test_runs_are_those_of_the_program(tmp_path):
    scenario = tmp_path / "made.yaml"
    scenario.write_text(json.dumps(GENERATED))
    runs = fairway.run(
        scenario, policies=["fifo"], seeds=[3], set={"trace.generate.jobs": 50}, database=tmp_path / "a.db"
    )
    said = subprocess.run(
        [
            os.environ["FAIRWAY"],
            "run",
            str(scenario),
            "-p",
            "fifo",
            "-s",
            "3",
            "--set",
            "trace.generate.jobs=50",
            "-d",
            str(tmp_path / "b.db"),
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"digest {runs[0].digest}" in said


def test_a_mistake_has_its_place(tmp_path):
    scenario = tmp_path / "bad.yaml"
    scenario.write_text("name: bad\ncluster:\n  grups: []\ntrace: {format: generate, generate: {jobs: 1}}\n")
    with pytest.raises(fairway.InputError) as e:
        fairway.run(scenario, policies=["fifo"])
    assert (e.value.file, e.value.line, e.value.column) == (str(scenario), 3, 3)
    assert "groups" in e.value.hint and "3:3: " in str(e.value)
    with pytest.raises(fairway.InputError, match="there is no policy 'fifp'"):
        fairway.run(GENERATED, policies=["fifp"], database=tmp_path / "x.db")
    with pytest.raises(fairway.WorldError):
        fairway.run(GENERATED, policies=["fifo"], database=tmp_path / "none" / "x.db")
    with pytest.raises(TypeError, match="a class derived from Policy"):
        fairway.run(GENERATED, policies=[{"name": "fifo", "label": "f"}], database=tmp_path / "x.db")
    assert not (tmp_path / "x.db").exists()


def test_decisions_are_told(tmp_path):
    told = []
    fairway.run(
        GENERATED, policies=["fifo"], seeds=1, database=tmp_path / "a.db", on_decision=lambda *d: told.append(d[1])
    )
    assert told.count("start") >= 300


def test_what_a_callback_raises_ends_the_run(tmp_path):
    def stop(*decision):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        fairway.run(GENERATED, policies=["fifo"], seeds=1, database=tmp_path / "a.db", on_decision=stop)


def test_two_runs_at_once(tmp_path):
    found = {}

    def one(k):
        found[k] = digests(
            fairway.run(GENERATED, policies=["fifo", fifo.Fifo], seeds=[7], database=tmp_path / f"{k}.db")
        )

    threads = [threading.Thread(target=one, args=(k,)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found[0] == found[1] and len(found[0]) == 2


# ---- policies in process ----


def same_both_ways(tmp_path, scenario, policy, script, params, **more):
    """Digests of the class in this process and of its script in another; and of what else is asked for."""
    command = "exec:" + " ".join(
        [sys.executable, str(HERE.parent / script), *(f"{k}={v}" for k, v in params.items())]
    )
    here = fairway.run(scenario, policies=[(policy, params)], database=tmp_path / "here.db", **more)
    there = fairway.run(scenario, policies=[command], database=tmp_path / "there.db", **more)
    assert [r.digest for r in here] == [r.digest for r in there]
    assert all(r.done > 0 and r.error is None for r in here)
    return here


@pytest.mark.parametrize("mode", ["strict", "skip"])
@pytest.mark.parametrize("place", ["first", "best"])
def test_fifo_in_process_is_the_built_in(tmp_path, mode, place):
    params = {"mode": mode, "place": place}
    runs = same_both_ways(tmp_path, GENERATED, fifo.Fifo, "fifo.py", params, seeds=[1])
    built_in = fairway.run(
        GENERATED, policies=[f"fifo:mode={mode},place={place}"], seeds=[1], database=tmp_path / "c.db"
    )
    assert runs[0].digest == built_in[0].digest


class Hears(fifo.Fifo):
    """Writes down what it hears of, and what it then knows."""

    name = "hears"
    heard = []
    objects = ("job", "tasks", "unit", "shape")  # attributes

    def note(self, what, number, *more):
        self.heard.append((self.now, what, number, *more, sorted(self.jobs), len(self.running), len(self.waiting)))

    def on_wait(self, unit):
        super().on_wait(unit)
        task = unit.tasks[0]
        told = [getattr(one, k) for one in (unit.job, task, unit) for k in one.__slots__ if k not in self.objects]
        self.note("wait", unit.job.number, told, task.shape.id, task.unit is unit, len(unit.tasks))

    def on_stop(self, unit):
        self.note("stop", unit.job.number, unit.state)

    def on_task_end(self, task):
        self.note("task end", task.job.number, task.node.index, task.job.n_left)

    def on_job_end(self, job):
        self.note("job end", job.number, [t.unit.state for t in job.tasks], job.n_left)
        self.on_arrival = lambda job: self.note("arrival", job.number)  # from now on


def test_it_hears_the_same_both_ways(tmp_path):
    """Jobs of one task end by a shorter way in process."""
    (tmp_path / "made.yaml").write_text(json.dumps(GENERATED))
    (tmp_path / "hears.py").write_text(
        "import sys, fairway, test_fairway\n"
        "fairway.run(test_fairway.Hears)\n"
        "open(sys.argv[0] + '.heard', 'w').write(repr(test_fairway.Hears.heard))\n"
    )
    threshold = gc.get_threshold()
    Hears.heard.clear()
    fairway.run(tmp_path / "made.yaml", policies=[Hears])
    assert gc.get_threshold() == threshold
    env = {**os.environ, "PYTHONPATH": f"{HERE.parent}:{HERE}"}
    command = [os.environ["FAIRWAY"], "run", "-q", "-d", str(tmp_path / "a.db"), str(tmp_path / "made.yaml"), "-p"]
    subprocess.run([*command, f"exec:{sys.executable} {tmp_path / 'hears.py'}"], env=env, check=True)
    assert {one[1] for one in Hears.heard} == {"arrival", "wait", "stop", "task end", "job end"}
    assert (tmp_path / "hears.py.heard").read_text() == repr(Hears.heard)


def test_preemption_and_wakes(tmp_path):
    demo = ROOT / "scenarios/demo/demo.yaml"
    small = {"trace.load": 0.9, "trace.max_jobs": 200, "output.decisions": True}
    same_both_ways(tmp_path, demo, priority.Priority, "priority.py", {"patience": "1"}, seeds=[1], set=small)
    reasons = [fairway.load(tmp_path / f"{k}.db").query("SELECT * FROM decision") for k in ("here", "there")]
    assert reasons[0] == reasons[1] and len(reasons[0]) > 100


def test_tasks_of_calls(tmp_path):
    calls = ROOT / "tests/cli/exec/calls.yaml"
    runs = same_both_ways(tmp_path, calls, mapper.Mapper, "mapper.py", {"rule": "met"})
    assert runs[0].digest == fairway.run(calls, policies=["met"], database=tmp_path / "c.db")[0].digest


def test_labels_licences_and_node_failures(tmp_path):
    for scenario in ("session", "lend"):
        path = ROOT / f"tests/cli/exec/{scenario}.yaml"
        same_both_ways(tmp_path, path, fifo.Fifo, "fifo.py", {"mode": "skip"})


def test_sizes_grants_and_refusals(tmp_path, capfd):
    (tmp_path / "s.csv").write_text(
        "scaling,one_node,several_nodes,restart_s\nr,1:1;2:1.8;4:3,2:1.5;4:2.5;8:4,0\n"
    )
    (tmp_path / "j.csv").write_text(
        "id,submit_s,duration_s,tasks,gang,cpus,mem_mib,gpus,min_tasks,max_tasks,scaling\n"
        "grows,0,900,2,1,4,4096,1,1,8,r\none,0,900,1,0,4,4096,1,,,\ngang,0,900,2,1,4,4096,1,,,\n"
    )
    scenario = tmp_path / "grants.yaml"
    scenario.write_text(
        "cluster: {groups: [{name: n, count: 2, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: V100}]}\n"
        "profiles: {scaling: s.csv}\ntrace: {format: native, path: j.csv}\noutput: {audit: true}\n"
    )
    same_both_ways(tmp_path, scenario, grants.Grants, "tests/grants.py", {})
    told = capfd.readouterr()  # in a process of its own, print() goes to standard error
    assert told.out in told.err
    assert [line.split("[")[0].strip() for line in told.out.splitlines() if " refused " in line] == [
        "40 refused start no_room one waiting",
        "40 refused resize cpu_taken gang running",
        "40 refused scale size grows running",
        "60 refused start_gang no_room grows waiting",
    ]


class Broken(fairway.Policy):
    name = "broken"

    def decide(self):
        raise ZeroDivisionError("in decide")


class Wrong(fairway.Policy):
    name = "wrong"

    def decide(self):
        for unit in list(self.waiting):
            self._verbs.start(unit.job.number, 9, 0)


def test_what_a_policy_raises_comes_out(tmp_path):
    with pytest.raises(ZeroDivisionError, match="in decide"):
        fairway.run(GENERATED, policies=[Broken], seeds=1, database=tmp_path / "a.db")
    (row,) = fairway.load(tmp_path / "a.db").query("SELECT status, message FROM run")
    assert row["status"] == "failed" and "ZeroDivisionError: in decide" in row["message"]


def test_a_wrong_decision_fails_the_run(tmp_path):
    with pytest.raises(fairway.PolicyError, match="there is no task 9"):
        fairway.run(GENERATED, policies=[Wrong], seeds=1, database=tmp_path / "a.db")


def test_a_parameter_that_is_none_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="expected NAME=VALUE"):
        fairway.run(GENERATED, policies=[(fifo.Fifo, {"mood": "skip"})], seeds=1, database=tmp_path / "a.db")


# ---- sweeps and results ----


def test_a_sweep(tmp_path):
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        json.dumps({**GENERATED, "policies": ["fifo"], "sweep": {"seeds": [1, 2], "set": {"trace.load": [0.5, 1]}}})
    )
    fairway.sweep(scenario, tmp_path / "s.db", jobs=2, set={"trace.generate.jobs": 20})
    assert len(fairway.load(tmp_path / "s.db").query("SELECT * FROM run WHERE status = 'done'")) == 4
    with pytest.raises(fairway.InputError) as e:
        fairway.sweep(tmp_path / "none.yaml")
    assert e.value.file.endswith("none.yaml")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("db") / "r.db"
    fairway.run(
        GENERATED,
        policies=["fifo", "las"],
        seeds=3,
        set={"output.decisions": True, "output.attempts": True, "output.sample_every": "1h"},
        database=path,
    )
    return fairway.load(path)


def test_tables(database):
    pytest.importorskip("pandas")
    assert list(database.runs.policy) == ["fifo", "las"] * 3
    jobs = database.jobs
    assert len(jobs) == 6 * 300 and jobs.attrs["units"]["jct"] == "s"
    mean = jobs[jobs.policy == "fifo"].groupby("seed").jct.mean().mean()
    row = database.compare(["jct_mean"]).query("policy == 'fifo'").iloc[0]
    assert row["mean"] == pytest.approx(mean)
    assert set(database.metrics.columns) >= {"run", "metric", "value", "unit"}
    assert len(database.attempts) >= 300 and len(database.series) > 0
    assert fairway.compare(database.path, ["jct_mean"], against="las").base.unique() == ["las"]


def test_words_and_figures(database, tmp_path):
    job = database.query("SELECT id FROM job LIMIT 1")[0]["id"]
    assert job in database.explain(1, job)
    assert "<svg" in database.plot("cdf", tmp_path / "cdf.svg")._repr_svg_()
    assert (tmp_path / "cdf.svg").read_text() == database.plot("cdf")
    with pytest.raises(fairway.InputError, match="no job"):
        database.explain(1, "nobody")
    with pytest.raises(fairway.InputError):
        database.plot("cfd")
    with pytest.raises(FileNotFoundError):
        fairway.load(tmp_path / "none.db")
