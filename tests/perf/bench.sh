#!/bin/sh
# Speeds of the whole program, database included, on real traces where they are
# present ($FAIRWAY_TRACES) and on the shipped one.  Processor time, user and system, is what to compare, as a ratio
# to fifo in the same run; the wall clock stands beside it, and peak memory.
# usage: bench.sh FAIRWAY MEASURE BENCH...
set -eu
fairway=$1 measure=$2
shift 2
for b in "$@"; do "$b"; done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# one NAME SCENARIO POLICY OPTIONS...: the best of three runs
one() {
    name=$1 scenario=$2 policy=$3
    shift 3
    best=
    for i in 1 2 3; do
        rm -f "$dir/b.db"
        start=$(date +%s%N)
        took=$("$measure" "$fairway" run "$scenario" -p "$policy" -s 1 -q -d "$dir/b.db" "$@" 2>/dev/null) || { echo "bench: $name under $policy failed" >&2; exit 1; }
        best=$(printf '%s\n%s\n' "$took $(( ($(date +%s%N) - start) / 1000000 ))" "$best" | sort -n | awk 'NF { print; exit }')
    done
    [ -n "${fifo:-}" ] || fifo=${best%% *}
    echo "$best" | awk -v n="$name" -v p="$policy" -v f="$fifo" '{ printf "%-8s %-28s %7.3f s CPU  %7.3f s wall  %6.1f MiB  %5.2f x fifo\n", n, p, $1, $3 / 1000, $2 / 1024, $1 / f }'
}

sh "$(dirname "$0")/sweep.sh" "$fairway" "$measure"

# CPU and training jobs: a day of 20,000 on 80 nodes with 400 GPUs, looked at every 10 s; beyond what the cluster can do in it.
fifo=
for p in fifo:mode=skip,place=best drf:place=best multiqueue; do
    one mixed scenarios/multiqueue/multiqueue.yaml $p --set cluster.groups.0.count=80 --set trace.generate.jobs=20000 --set horizon=1d --set output=
done

# Nearly every job of a shape of its own, more than there is room for placement trees.
fifo=
for p in fifo:place=best drf:place=best; do
    one shapes scenarios/demo/sweep-load.yaml $p --set trace.load=0.8 --set cluster.groups.0.count=40 --set trace.generate.jobs=300000 --set trace.generate.span=600d
done

for pair in "demo scenarios/demo/demo.yaml" "openb scenarios/public-traces/openb.yaml" "helios scenarios/public-traces/helios.yaml"; do
    set -- $pair
    if [ "$1" != demo ] && [ ! -d "${FAIRWAY_TRACES:-../shared/traces}" ]; then echo "$1: skipped, no traces"; continue; fi
    fifo=
    for p in fifo:place=best easy:place=best drf:place=best sjf:place=best srtf:place=best las:place=best; do one "$1" "$2" "$p"; done
done

# Every node scored for every pod: openb's 8,152 pods and as many again as fill its 1,523 nodes 1.3 times.
if [ -d "${FAIRWAY_TRACES:-../shared/traces}" ]; then
    fifo=
    for p in fifo:mode=skip,place=best kube-default kube-split kube-hybrid fifo:mode=skip,place=kube-hybrid fifo:mode=skip,place=fgd; do
        one fill scenarios/kube/kube-openb.yaml "$p"
    done
fi

# What a decision takes with 2,000 GPUs and 100 jobs at a time: table wall of one database.
if command -v sqlite3 >/dev/null; then
    "$fairway" run -q -d "$dir/f.db" scenarios/flow-paper/flow-2000.yaml
    sqlite3 -separator ' ' "$dir/f.db" "SELECT r.policy, w.name, w.value FROM run r JOIN wall w ON w.run = r.id ORDER BY r.id" |
        awk '{ if (!($1 in m)) order[n++] = $1; m[$1] = 1; v[$1, $2] = $3 }
             END { for (i = 0; i < n; i++) { p = order[i]
                 printf "flow-2000 %-10s decision mean %7.3f ms  p99 %7.3f ms  most %7.3f ms   run %6.3f s\n", p,
                        v[p, "decision_mean"] / 1000, v[p, "decision_p99"] / 1000, v[p, "decision_max"] / 1000, v[p, "run_time"] } }'
else
    echo "flow-2000: skipped, no sqlite3"
fi
sh "$(dirname "$0")/bench_workflow.sh" "$fairway"
