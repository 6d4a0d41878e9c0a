#!/bin/sh
# What published policies cost: CPU time over the 1,740 jobs of the Helios slice under each that is event driven, beside
# fifo's; the longest decision of sia among 500 jobs.  Both from the results and data of their authors
# ($FAIRWAY_LITERATURE), without which it prints nothing.
# usage: bench_policies.sh FAIRWAY
set -eu
fairway=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")/../.." && pwd)
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit/golden" ] || { echo "skipped - no results of the authors' simulators"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# ---- event driven ----
tr -d '\r' <"$lit/golden/lucid-helios/fifo-vc8Gr.csv" | awk -F, '
    NR == 1 { print "id,submit_s,duration_s,tasks,gang,gpus"; next }
    { full = int($2 / 8); rest = $2 % 8; tasks = full; each = 8
      if ($2 <= 8) { tasks = 1; each = $2 } else if (rest > 0) { tasks = full "+1"; each = "8+" rest }
      print $1 "," $3 "," $6 "," tasks ",1," each }' >jobs.csv
cat >helios.yaml <<'END'
cluster: {groups: [{name: n, count: 40, cpus: 1, mem: 1GiB, gpus: 8, gpu_type: V100}]}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
END
cat >ten.sh <<'END'
for i in 1 2 3 4 5 6 7 8 9 10; do
    rm -f x.db
    "$1" run helios.yaml -q -p "$2" -d x.db
done
END
# User and system time of a run, in s.
cpu() {
    { time -p sh ten.sh "$fairway" "$1"; } 2>&1 |
        awk '$1 == "user" || $1 == "sys" { s += $2 } END { print s / 10 }'
}
fifo=$(cpu fifo)
for p in fifo fifo:mode=skip sjf:estimate=true qssf srtf:estimate=true las tiresias tiresias:order=gittins \
    easy:estimate=like lucid:estimate=true themis drf multiqueue; do
    cpu "$p" | awk -v p="$p" -v fifo="$fifo" '
        { printf "1,740 jobs of Helios %-26s CPU %5.3f s  %4.1f x fifo\n", p, $1, $1 / fifo }'
done

# ---- sia ----
command -v python3 >/dev/null || { echo "skipped - sia: no Python"; exit 0; }
cat "$lit"/data/pollux/workloads/workload-*.csv | tr -d '\r' | awk -F, -v OFS=, '
    NR == 1 { print; next } $1 != "name" && n < 500 { $1 = $3 "-" n++; $2 = 0; print }' >work.csv
python3 "$here/scenarios/pollux/convert.py" "$lit/data/pollux" work.csv adaptive made
sed 's/count: 16/count: 128/' made/pollux.yaml >made/large.yaml
echo 'horizon: 5m' >>made/large.yaml
"$fairway" run made/large.yaml -p sia -q -d sia.db 2>/dev/null || true
sqlite3 sia.db "SELECT printf('500 jobs on 512 GPUs sia  longest decision %6.3f s', value / 1e6)
                FROM wall WHERE name = 'decision_max'"
