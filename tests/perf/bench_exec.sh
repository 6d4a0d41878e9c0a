#!/bin/sh
# Events per second with a policy in a process of its own: fifo.py beside the
# built-in that it copies, on 100,000 generated jobs.  An event is a line of the
# run's event log (an arrival, a start, a stop, an end); times are wall-clock
# times of this machine, database included.
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

# took POLICY [OPTION...]: milliseconds
took() {
    policy=$1
    shift
    start=$(date +%s%N)
    "$fairway" run -q -d "$dir/b.db" "$dir/exec.yaml" -p "$policy" "$@"
    echo $((($(date +%s%N) - start) / 1000000))
}

took fifo:place=first --log "$dir/log" >/dev/null
events=$(grep -c '^[0-9]' "$dir/log")
built_in=$(took fifo:place=first)
python=$(took "exec:python3 policies/python/fifo.py place=first")
sqlite3 "$dir/b.db" "SELECT count(DISTINCT digest) FROM run" 2>/dev/null | grep -qx 1 || { echo "exec: the digests differ" >&2; exit 1; }
awk -v n="$events" -v a="$built_in" -v b="$python" 'BEGIN {
    printf "exec     fifo:place=first             %7.3f s   %9.0f events/s  (100,000 jobs, %d events)\n", a / 1000, n * 1000 / a, n
    printf "exec     fifo.py place=first          %7.3f s   %9.0f events/s  %.1f x fifo\n", b / 1000, n * 1000 / b, b / a }'
