#!/bin/sh
# The largest trace and the largest cluster for a given memory: bytes of peak memory that one more waiting job, one more
# job of a long trace and one more node take, as the growth of a run between two sizes.  Both sizes are just above a
# power of two, where tables that grow by doubling have most to spare.
# usage: limits.sh FAIRWAY MEASURE [short]      GIB=24: the memory; short: small sizes, tables alone, no more than a check
set -eu
fairway=$1 measure=$2
gib=${GIB:-24}
if [ "${3:-}" = short ]; then some="17000 34000" many=$some nodes="2000 4000"
else some="270000 540000" many="1100000 4400000" nodes="10000 400000"; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/s.yaml" <<'END'
cluster: {groups: [{name: n, count: 1, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100}]}
trace: {format: native, path: jobs.csv}
policies: [fifo]
output: {jobs: false}
END
# jobs N REQUESTS EVERY DURATION: so many, of so many different requests; one every s, for s.
jobs() {
    awk -v n="$1" -v requests="$2" -v every="$3" -v dur="$4" 'BEGIN {
        print "id,submit_s,duration_s,user,cpus,mem_mib,gpus"
        for (i = 0; i < n; i++) {
            r = i % requests
            printf "%d,%.3f,%d,u%d,%d,%d,%d\n", i, i * every, dur, i % 20, 1 + r % 16, 1 + int(r / 16), i % 3 == 0
        } }' >"$dir/jobs.csv"
}
# peak OPTIONS...: KiB
peak() {
    rm -f "$dir/r.db"
    "$measure" "$fairway" run -q -s 1 -d "$dir/r.db" "$dir/s.yaml" "$@" 2>"$dir/err" >"$dir/took" || { cat "$dir/err" >&2; exit 1; }
    sed 's/.* //' "$dir/took"
}
# row WHAT SIZES PEAKS
row() {
    echo "$2 $3" | awk -v what="$1" -v gib="$gib" '{
        each = ($4 - $3) * 1024 / ($2 - $1)
        printf "%-34s %8d %8d  %8.1f %8.1f  %6.0f", what, $1, $2, $3 / 1024, $4 / 1024, each
        if (each < 1) print "  not seen"; else printf "  %11.0f\n", gib * 2 ^ 30 / each }'
}

# grows WHAT SIZES REQUESTS EVERY DURATION OPTIONS...
grows() {
    what=$1 sizes=$2 requests=$3 every=$4 long=$5 found=
    shift 5
    for n in $sizes; do
        jobs "$n" "$requests" "$every" "$long"
        found="$found $(peak "$@")"
    done
    row "$what" "$sizes" "$found"
}
printf '%-34s %8s %8s  %8s %8s  %6s  %11s\n' 'one more' from to MiB MiB bytes "in $gib GiB"
# All arrive within ten minutes and want the cluster for a day.
grows 'waiting job, of 48 requests'       "$some" 48    0.001 90000 --set horizon=10m
grows 'waiting job, each its own request' "$some" 1e6   0.001 90000 --set horizon=10m
# One after another.
grows 'finished job, of 48 requests'       "$many" 48  60 50
grows 'finished job, each its own request' "$many" 1e7 60 50
found=
jobs 1000 48 60 50
for n in $nodes; do found="$found $(peak --set cluster.groups.0.count="$n")"; done
row 'node of 8 GPUs' "$nodes" "$found"
