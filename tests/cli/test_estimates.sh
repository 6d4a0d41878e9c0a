#!/bin/sh
# Policies that go by limits, on jobs without one: told by run, marked by compare and report; and what gives them something to read.
. "$(dirname "$0")/lib.sh"
run() { expect 0 "$fairway" run "$@"; }
never() { ! "$@"; }
# One node of 4 CPUs.  a holds 3 until 100 s; b needs all 4; c and d are short and fit beside a.
printf 'id,submit_s,duration_s,cpus\na,0,100,3\nb,1,50,4\nc,2,60,1\nd,3,20,1\n' >"$dir/t.csv"
printf 'name: t\ncluster:\n  groups:\n    - {name: n, cpus: 4, mem: 16GiB}\ntrace: {format: native, path: t.csv}\npolicies: [fifo, easy, sjf, srtf, las]\n' >"$dir/t.yaml"

check "without limits all of them run" run "$dir/t.yaml" -d "$dir/t.db"
for p in easy sjf srtf; do check "run tells it of $p" says "note: $p seed 1: 4 of 4 jobs have no limit, and $p reads limits: it has no estimate to go by"; done
check "and not of policies that read none" never says "fifo reads limits"
check "quiet says nothing" sh -c '[ -z "$("$1" run -q "$2" -d "$3" 2>&1)" ]' - "$fairway" "$dir/t.yaml" "$dir/t.db"
check "compare has their number" expect 0 "$fairway" compare "$dir/t.db"
check "in a column" grep -q "without limit" "$dir/out"
check "in words" says "easy goes by limits, and 4 of 4 jobs have none: it has no estimate of them."
check "and tells that the runs are equal" says "easy, srtf and las: equal runs, to the last event."
check "so does the report" sh -c '"$1" report "$2" -o "$3" --no-charts >/dev/null && grep -q "easy goes by limits, and 4 of 4 jobs have none" "$3" && grep -q "fifo and sjf: equal runs" "$3"' - "$fairway" "$dir/t.db" "$dir/t.html"
check "programs read the number" [ "$(sqlite3 "$dir/t.db" "SELECT group_concat(policy || value) FROM v_metric WHERE name = 'jobs_unlimited'")" = easy4.0,sjf4.0,srtf4.0 ]

printf 'id,submit_s,duration_s,cpus,limit_s\na,0,100,3,100\nb,1,50,4,\nc,2,60,1,60\nd,3,20,1,20\n' >"$dir/some.csv"
check "where some have a limit, run tells how many have none" run "$dir/t.yaml" -p sjf -d "$dir/some.db" --set trace.path=some.csv
check "of how many" says "1 of 4 jobs have no limit"
check "limits as multiples of the true duration" run "$dir/t.yaml" -d "$dir/l.db" --set trace.defaults.limit_factor=1.5
check "are told of no more" never says "no limit"
check "and tell the policies apart" [ "$(sqlite3 "$dir/l.db" "SELECT count(DISTINCT digest) > 1 FROM run WHERE policy IN ('fifo', 'easy', 'sjf')")" = 1 ]
check "clairvoyant ones need none" run "$dir/t.yaml" -p sjf:estimate=true -d "$dir/c.db"
check "and are not told of either" never says "no limit"
exit $bad
