#!/bin/sh
# One run in parts: what simulating a trace in windows of time, or a cluster in cells, would cost in accuracy.  Philly's
# jobs on nodes of 8 GPUs.  A window begins with an empty cluster, or so many days of arrivals earlier, whose jobs are
# not compared; a cell is a k-th of the nodes and of the jobs, drawn at random.  Each job's wait and completion time (JCT)
# are compared with those of the run of the whole: means, 95th percentile, how many have the same JCT to the microsecond,
# and by how much each job's differs on average, over the mean.  CPU is that of all parts, and of the longest, over that
# of the whole.
# usage: shard.sh FAIRWAY MEASURE [short]        needs $FAIRWAY_TRACES and sqlite3; short: 3,000 jobs, few parts
# NODES=64 how many nodes
set -eu
nodes=${NODES:-64}
fairway=$1 measure=$2
philly=${FAIRWAY_TRACES:-}/philly/sia_philly.csv
[ -f "$philly" ] || { echo "skipped - no public traces"; exit 0; }
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 0; }
if [ "${3:-}" = short ]; then jobs=3000 policies="fifo:place=pack" windows="1 4" cells="1 8" warm="0 1000"
else jobs=100000 policies="fifo:place=pack fifo:mode=skip,place=pack srtf:estimate=true,place=pack"
    windows="4 16" cells="2 4 8" warm="0 1 7 28"; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/s.yaml" <<'END'
cluster: {groups: [{name: gpu, count: 64, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: P100, nodes_per_rack: 16}]}
trace: {format: native, path: jobs.csv}
jobs: {preemption: {mode: checkpoint, interval: 10m, restore_cost: 1m}, infeasible: reject}
policies: [fifo]
END
"$fairway" trace convert -f philly --cpus-per-gpu 6 --mem-per-gpu 48GiB --max-jobs "$jobs" "$philly" \
    -o "$dir/all.csv" 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }

db="$dir/parts.db"
sql() { sqlite3 "$db" "$@"; }
# simulate POLICY NODES: jobs.csv into r.db; the processor time is printed
simulate() {
    rm -f "$dir/r.db"
    "$measure" "$fairway" run -q -s 1 -p "$1" --set cluster.groups.0.count="$2" -d "$dir/r.db" "$dir/s.yaml" \
        2>"$dir/err" >"$dir/took" || { cat "$dir/err" >&2; exit 1; }
    sed 's/ .*//' "$dir/took"
}
# part POLICY NODES BEFORE: one more; its first BEFORE jobs are warm-up
part() {
    took=$(simulate "$1" "$2")
    sql "ATTACH '$dir/r.db' AS r" "INSERT INTO cpu VALUES ($took)" \
        "INSERT INTO part SELECT id, start_us - submit_us, end_us - submit_us FROM r.job WHERE ordinal >= $3 AND status = 'done'"
}
# compare POLICY PARTS
compare() {
    sql -separator ' ' "WITH both AS (SELECT w.wait AS a, p.wait AS b, w.jct AS c, p.jct AS d FROM whole w JOIN part p USING (id)),
        n AS (SELECT count(*) AS n, CAST(0.95 * count(*) AS INTEGER) AS k FROM both)
        SELECT printf('%-28s %-16s %6d  %4.2f %4.2f  %8.3f %8.3f  %+6.1f %%  %+6.1f %%  %+6.1f %%  %5.1f %%  %6.1f %%', '$1', '$2', n,
            (SELECT sum(s) FROM cpu) / $whole, (SELECT max(s) FROM cpu) / $whole, avg(a) / 3600e6, avg(b) / 3600e6,
            100 * (avg(b) / avg(a) - 1), 100 * (avg(d) / avg(c) - 1),
            100 * (1.0 * (SELECT d FROM both ORDER BY d LIMIT 1 OFFSET (SELECT k FROM n)) /
                         (SELECT c FROM both ORDER BY c LIMIT 1 OFFSET (SELECT k FROM n)) - 1),
            100.0 * sum(c = d) / n, 100 * avg(abs(c - d)) / avg(c)) FROM both, n"
    sql 'DELETE FROM part; DELETE FROM cpu'
}
printf '%-28s %-16s %6s  %4s %4s  %8s %8s  %8s  %8s  %8s  %7s  %8s\n' policy parts jobs CPU most 'wait, h' 'in parts' \
    wait JCT 'p95 JCT' same each
for p in $policies; do
    cp "$dir/all.csv" "$dir/jobs.csv"
    whole=$(simulate "$p" "$nodes")
    rm -f "$db"
    sql 'CREATE TABLE part (id PRIMARY KEY, wait, jct); CREATE TABLE cpu (s REAL)' "ATTACH '$dir/r.db' AS r" \
        "CREATE TABLE whole AS SELECT id, start_us - submit_us AS wait, end_us - submit_us AS jct FROM r.job WHERE status = 'done'" \
        'CREATE UNIQUE INDEX by_id ON whole (id)'
    for k in $windows; do
        for days in $warm; do
            i=0
            while [ $i -lt "$k" ]; do # as many jobs in each
                before=$(awk -F, -v i=$i -v k="$k" -v warm="$days" -v to="$dir/jobs.csv" '
                    NR == FNR { n = NR - 1; next }
                    FNR == 1 { print >to; first = int(n * i / k) + 2; last = int(n * (i + 1) / k) + 1; next }
                    FNR <= last { at[FNR] = $2; row[FNR] = $0 }
                    END { for (j = 2; j <= last; j++) if (at[j] >= at[first] - warm * 86400) { print row[j] >to; m += j < first }
                          print m + 0 }' "$dir/all.csv" "$dir/all.csv")
                part "$p" "$nodes" "$before"
                i=$((i + 1))
            done
            compare "$p" "$k windows, $days d"
        done
    done
    for k in $cells; do
        i=0
        while [ $i -lt "$k" ]; do
            awk -v i=$i -v k="$k" 'BEGIN { x = 1 } NR == 1 { print; next } { x = x * 48271 % 2147483647 } x % k == i' \
                "$dir/all.csv" >"$dir/jobs.csv"
            part "$p" $((nodes / k)) 0
            i=$((i + 1))
        done
        compare "$p" "$k cells"
    done
done
