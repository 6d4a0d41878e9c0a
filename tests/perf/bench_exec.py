#!/usr/bin/env python3
"""bench_exec.py -- what a policy in Python costs: python/fifo.py in a process of its own (the line protocol) and in
process (libfairway), beside the built-in that it copies, on generated jobs.

    python3 tests/perf/bench_exec.py build/fairway

An event is a line of the run's event log: an arrival, a start, a stop, an end.  Each run is a program of its own,
the interpreter's start and the database included; the best of REPEATS runs counts.  Times are wall-clock times, and
for the second ratio processor times of all processes, which a busy machine changes less.  Python's share is the
processor time in process less the built-in's.  Python starts without what is installed beside it (-S), which neither
way needs.  Ends with status 1 when digests differ.
"""

import contextlib
import glob
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

REPEATS = int(os.environ.get("REPEATS", "3"))
CASES = [  # parameters of fifo, nodes, jobs
    ({"place": "first"}, 100, 50000),
    ({"place": "first"}, 1000, 20000),
    ({"place": "best"}, 100, 20000),
    ({"mode": "skip", "place": "best"}, 100, 20000),
    ({"place": "best"}, 1000, 4000),
]
IN_PROCESS = """import json, sys, fairway, fifo
fairway.run(sys.argv[1], policies=[(fifo.Fifo, json.loads(sys.argv[2]))], database=sys.argv[3], progress=False)"""


def took(command, env):
    """Wall-clock and processor time of one run, seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, env=env, check=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(fairway, params, nodes, jobs, folder):
    scenario, database, log = (os.path.join(folder, name) for name in ("exec.json", "exec.db", "log"))
    if os.path.exists(database):
        os.remove(database)
    with open(scenario, "w") as f:
        group = {"name": "n", "count": nodes, "cpus": 64, "mem": "512GiB", "gpus": 8, "gpu_type": "GPU"}
        trace = {"format": "generate", "load": 0.9, "generate": {"jobs": jobs}}
        json.dump({"name": "exec", "cluster": {"groups": [group]}, "trace": trace}, f)
    spec = "fifo:" + ",".join(f"{k}={v}" for k, v in params.items())
    words = " ".join(f"{k}={v}" for k, v in params.items())
    library = os.path.join(os.path.dirname(os.path.abspath(fairway)), "libfairway.so.0")
    env = {**os.environ, "FAIRWAY_LIBRARY": library, "PYTHONPATH": f"python:{os.path.dirname(library)}/python"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled once, as an installed package is
    env["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
    run = [fairway, "run", "-q", "-d", database, scenario, "-p"]
    ways = {
        "built-in": run + [spec],
        "a process": run + [f"exec:{sys.executable} -S python/fifo.py {words}"],
        "in process": [sys.executable, "-S", "-c", IN_PROCESS, scenario, json.dumps(params), database],
    }
    subprocess.run([sys.executable, "-S", "-c", "import fairway, fifo; fairway.run"], env=env, check=True)  # compiles
    best = {}
    for i in range(REPEATS):
        for way, command in ways.items():
            found = took(command, env)
            best[way] = tuple(map(min, found, best.get(way, found)))
    with contextlib.closing(sqlite3.connect(database)) as db:
        ((digests,),) = db.execute("SELECT count(DISTINCT digest) FROM run")
    if digests != 1:
        sys.exit(f"exec: the digests differ: {spec} on {nodes} nodes")
    subprocess.run(run + [spec, "--log", log], check=True)
    with open(log) as f:
        events = sum(line[:1].isdigit() for line in f)
    print(f"exec     {spec}, {nodes} nodes, {jobs} jobs, {events} events")
    for way, (wall, cpu) in best.items():
        print(f"           {way:12s} {wall:8.3f} s {events / wall:9.0f} events/s {cpu:8.3f} s of processors", end="")
        if way == "in process":
            there = best["a process"]
            share = 1 - best["built-in"][1] / cpu
            print(f"   {there[0] / wall:.1f} x the events/s of a process, by processor time {there[1] / cpu:.1f} x;", end="")
            print(f" Python's share {share:.0%}", end="")
        print(flush=True)


def main():
    if not glob.glob(os.path.join(os.path.dirname(sys.argv[1]), "python", "_fairway.*")):
        print("exec     without Python's module in C, which is not built (python/README.md)")
    with tempfile.TemporaryDirectory() as folder:
        for params, nodes, jobs in CASES:
            compare(sys.argv[1], params, nodes, jobs, folder)


if __name__ == "__main__":
    main()
