#!/bin/sh
# What a sweep adds to its runs: processor time of 1,000 short ones in a sweep over that of the same runs one after the
# other, both into a database; and how much sooner two workers are done than one, which wants a quiet machine.
# usage: sweep.sh FAIRWAY MEASURE [short]        short: 20 runs, no second worker
set -eu
fairway=$1 measure=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
seeds=500
[ "${3:-}" != short ] || seeds=10
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
    "$measure" "$fairway" "$@" "$dir/short.yaml" -q --set output.jobs="$rows" -d "$dir/short-$1-$rows.db" | sed 's/ .*//'
}
for rows in true false; do
    alone=$(cost $rows run) swept=$(cost $rows sweep -j 1)
    awk -v a="$alone" -v b="$swept" -v r=$rows -v n=$((2 * seeds)) 'BEGIN {
        printf "sweep    %d runs of 300 jobs, rows %-5s  %7.3f s CPU   %5.2f x its runs one by one\n", n, r, b, b / a }'
done
[ "${3:-}" != short ] || exit 0

# sweep WORKERS: 24 runs of 20,000 jobs, database included: wall and processor time
sweep() {
    rm -f "$dir/s.db"
    start=$(date +%s%N)
    took=$("$measure" "$fairway" sweep "$(dirname "$0")/../../scenarios/demo/sweep-load.yaml" -j "$1" -q -d "$dir/s.db" \
        --set trace.generate.jobs=20000 --set sweep.seeds=1)
    echo $((($(date +%s%N) - start) / 1000000)) "${took% *}"
}
one=$(sweep 1) two=$(sweep 2)
echo "$one $two" | awk '{
    printf "sweep    24 runs by 2 workers          %7.3f s wall  %5.2f x as fast as by 1, %.2f x its CPU\n", $3 / 1000, $1 / $3, $4 / $2 }'
