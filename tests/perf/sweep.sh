#!/bin/sh
# What a sweep adds to its runs: processor time of 1,000 short ones in a sweep over that of the same runs one after the
# other, both into a database; and how much sooner two workers on two processors are done than one on one.  The best of
# TURNS=3, in turn; the second wants a quiet machine.
# usage: sweep.sh FAIRWAY MEASURE [short]        short: 20 runs once, no second worker
set -eu
fairway=$1 measure=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seeds=500 turns=${TURNS:-3}
[ "${3:-}" != short ] || { seeds=10 turns=1; }
cat >"$dir/short.yaml" <<END
name: short
cluster: {groups: [{name: n, count: 8, cpus: 64, mem: 512GiB, gpus: 8}]}
trace: {format: generate, generate: {jobs: 300}}
jobs: {infeasible: reject}
policies: [fifo, srtf]
seeds: $seeds
sweep: {seeds: $seeds}
END
# cost ROWS COMMAND...: processor time; with a row for each job, or without
cost() {
    rows=$1
    shift
    rm -f "$dir/r.db"
    "$measure" "$fairway" "$@" "$dir/short.yaml" -q --set output.jobs="$rows" -d "$dir/r.db" | sed 's/ .*//'
}
for rows in true false; do
    for i in $(seq "$turns"); do echo "$(cost $rows run) $(cost $rows sweep -j 1)"; done >"$dir/took"
    awk -v r=$rows -v n=$((2 * seeds)) '
        { if (NR == 1 || $1 < a) a = $1; if (NR == 1 || $2 < b) b = $2 }
        END { printf "sweep    %d runs of 300 jobs, rows %-5s  %7.3f s CPU   %5.2f x its runs one by one\n", n, r, b, b / a }' "$dir/took"
done
[ "${3:-}" != short ] || exit 0

# sweep COMMAND...: by it, 48 runs of 20,000 jobs, database included: wall and processor time
sweep() {
    rm -f "$dir/s.db"
    start=$(date +%s%N)
    took=$("$measure" "$@" -q -d "$dir/s.db" --set trace.generate.jobs=20000 --set sweep.seeds=2)
    echo $((($(date +%s%N) - start) / 1000000)) "${took% *}"
}
first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')      # a processor of ours
set -- "$fairway" sweep "$(dirname "$0")/../../scenarios/demo/sweep-load.yaml"
for i in $(seq "$turns"); do echo "$(sweep taskset -c "$first" "$@" -j 1) $(sweep "$@" -j 2)"; done >"$dir/took"
awk '{
    if (NR == 1 || $1 < one) { one = $1; one_cpu = $2 }
    if (NR == 1 || $3 < two) { two = $3; two_cpu = $4 }
} END {
    printf "sweep    48 runs on 2 processors       %7.3f s wall  %5.2f x as fast as on 1, %.2f x its CPU\n", two / 1000, one / two, two_cpu / one_cpu
}' "$dir/took"
