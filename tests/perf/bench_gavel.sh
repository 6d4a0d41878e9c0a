#!/bin/sh
# The longest decision of gavel by objective, a round with its linear programs: 1,000 jobs on 1,000 cards of 3 types.
# usage: bench_gavel.sh FAIRWAY
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -v to="$dir" 'BEGIN {
    print "id,submit_s,duration_s,tasks,gang,gpus,model" > (to "/jobs.csv")
    for (i = 0; i < 1000; i++) printf "j%d,0,%d,%d,1,1,m%d\n", i, 20000 + i * 7919 % 90000, 2 ^ (i % 3), i * 31 % 40 > (to "/jobs.csv")
    print "cluster:\n  groups:" > (to "/s.yaml")
    n = split("V100 P100 K80", type, " ")
    for (k = 1; k <= n; k++) printf "    - {name: %s, count: 334, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: %s}\n", type[k], type[k] > (to "/s.yaml")
    print "models:" > (to "/s.yaml")
    for (m = 0; m < 40; m++) printf "  m%d: {V100: 1, P100: %.2f, K80: %.2f}\n", m, 0.3 + m * 7 % 20 / 25, 0.1 + m * 11 % 20 / 50 > (to "/s.yaml")
    print "trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}\nhorizon: 1h" > (to "/s.yaml")
}'
for p in max-min makespan finish-time sum isolated; do
    rm -f "$dir/b.db"
    "$1" run "$dir/s.yaml" -p "gavel:objective=$p" -q -d "$dir/b.db" 2>/dev/null
    sqlite3 "$dir/b.db" "SELECT printf('1,000 jobs on 3 types gavel:objective=%-12s longest decision %6.3f s', '$p', value / 1e6)
                         FROM wall WHERE name = 'decision_max'"
done
