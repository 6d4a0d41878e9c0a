#!/bin/sh
# Events per second with a policy in Python, in a process of its own (the line
# protocol) and in process (libfairway): fifo.py beside the built-in that it
# copies, on generated jobs.  An event is a line of the run's event log (an
# arrival, a start, a stop, an end); times are wall-clock times of this machine,
# database included.
# usage: bench_exec.sh FAIRWAY
set -eu
fairway=$1
command -v python3 >/dev/null 2>&1 || { echo "exec: skipped, no python3"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/exec.yaml" <<END
name: exec
cluster:
  groups: [{name: n, count: 100, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: GPU}]
trace: {format: generate, load: 0.9, generate: {jobs: 100000}}
END
library=$(cd "$(dirname "$fairway")" && pwd)/libfairway.so.0

# took POLICY [OPTION...]: milliseconds
took() {
    policy=$1
    shift
    start=$(date +%s%N)
    "$fairway" run -q -d "$dir/b.db" "$dir/exec.yaml" -p "$policy" "$@"
    echo $((($(date +%s%N) - start) / 1000000))
}

# in_process PLACE JOBS: the same of the class in process
in_process() {
    FAIRWAY_LIBRARY=$library PYTHONPATH=python python3 - "$dir" "$1" "$2" <<'END'
import sys, time
import fairway, fifo
start = time.monotonic()
fairway.run(sys.argv[1] + "/exec.yaml", policies=[(fifo.Fifo, {"place": sys.argv[2]})], database=sys.argv[1] + "/b.db",
            set={"trace.generate.jobs": int(sys.argv[3])}, progress=False)
print(int(1000 * (time.monotonic() - start)))
END
}

# compared PLACE JOBS
compared() {
    set -- "$1" "$2" --set "trace.generate.jobs=$2"
    rm -f "$dir/b.db"
    took "fifo:place=$1" "$3" "$4" --log "$dir/log" >/dev/null
    events=$(grep -c '^[0-9]' "$dir/log")
    built_in=$(took "fifo:place=$1" "$3" "$4")
    here=$(in_process "$1" "$2")
    there=$(took "exec:python3 python/fifo.py place=$1" "$3" "$4")
    sqlite3 "$dir/b.db" "SELECT count(DISTINCT digest) || ' ' || count(*) FROM run" 2>/dev/null | grep -qx '1 3' ||
        { echo "exec: the digests differ" >&2; exit 1; }
    awk -v n="$events" -v a="$built_in" -v b="$there" -v c="$here" -v place="$1" -v jobs="$2" 'BEGIN {
        form = "exec     %-32s %8.3f s   %9.0f events/s  %s\n"
        printf form, "fifo:place=" place, a / 1000, n * 1000 / a, "(" jobs " jobs, " n " events)"
        printf form, "fifo.py place=" place ", a process", b / 1000, n * 1000 / b, sprintf("%.1f x the time of fifo", b / a)
        printf form, "fifo.py place=" place ", in process", c / 1000, n * 1000 / c, sprintf("%.1f x the events/s of a process", b / c) }'
}
compared first 100000
compared best 20000
