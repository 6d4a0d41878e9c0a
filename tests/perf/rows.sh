#!/bin/sh
# What a row of each job costs, under `fifo:place=best`: Helios, and Philly's first 20,000 jobs on 640 GPUs, of a file
# that is not in order; by one thread, by two and without rows.  The best of TURNS=15 in turn, since a machine is never
# quite alone.
# usage: rows.sh MEASURE FAIRWAY...      of more programs than one, such as one with other flags, each in turn
set -eu
measure=$1
shift
here=$(cd "$(dirname "$0")/../.." && pwd)
[ -f "${FAIRWAY_TRACES:-}/helios-venus/helios_trace.csv" ] || { echo "rows: skipped, no public traces"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')      # a processor of ours

# once TRACE NAME PROGRAM COMMAND...: the run and the program by the clock, and processor time, in s
once() {
    trace=$1 name=$2 program=$3
    shift 3
    rm -f "$dir/r.db"
    case $trace in philly) set -- "$@" run --set trace.max_jobs=20000 --set cluster.groups.0.count=80 ;; *) set -- "$@" run ;; esac
    start=$(date +%s%N)
    took=$("$measure" "$@" "$here/scenarios/public-traces/$trace.yaml" -p fifo:place=best -s 1 -q -d "$dir/r.db" \
        --set output.jobs="$rows" 2>"$dir/err") || { cat "$dir/err" >&2; exit 1; }
    end=$(date +%s%N)
    run=$(sqlite3 "$dir/r.db" "SELECT w.value || '|' || m.value FROM wall w, metric m
        WHERE w.name = 'run_time' AND m.name = 'jobs_arrived' AND m.scope = 'all'")
    echo "$program|$trace, $name|$run|$(((end - start) / 1000))|${took% *}" >>"$dir/all"
}
for i in $(seq "${TURNS:-15}"); do
    for trace in helios philly; do
        for p; do
            rows=true
            once $trace 'rows by one thread' "$p" taskset -c "$first" "$p"
            once $trace 'rows by their own' "$p" "$p"
            rows=false
            once $trace 'no rows' "$p" "$p"
        done
    done
done
awk -F'|' '{
    k = $1 "|" $2
    if (!(k in run)) { at[++m] = k; run[k] = $3; all[k] = $5; cpu[k] = $6 }
    if ($3 < run[k]) run[k] = $3
    if ($5 < all[k]) all[k] = $5
    if ($6 < cpu[k]) cpu[k] = $6
    jobs[k] = $4
} END {
    for (i = 1; i <= m; i++) {
        split(at[i], name, "|")
        printf "rows     %-26s run %.3f s, %7.0f jobs/s; program %.3f s, %.3f s CPU  %s\n", name[2], run[at[i]],
            jobs[at[i]] / run[at[i]], all[at[i]] / 1e6, cpu[at[i]], name[1]
    }
}' "$dir/all"
