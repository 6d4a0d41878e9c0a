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
check "a sweep tells it, too" expect 0 "$fairway" sweep "$dir/t.yaml" --set seeds=2 -d "$dir/s.db"
for p in easy sjf srtf; do
    check "once for the runs of $p" [ "$(grep -c "jobs have no limit, and $p reads limits" "$dir/err")" -eq 1 ]
    check "with the numbers" says ": 4 of 4 jobs have no limit, and $p reads limits: it has no estimate to go by"
done
check "a quiet sweep does not" sh -c '[ -z "$("$1" sweep -q "$2" -d "$3" 2>&1)" ]' - "$fairway" "$dir/t.yaml" "$dir/q.db"

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

# ---- estimate=history: the mean of the user's last two jobs that ended ----
# u's jobs run 10 and 20 s, so later ones are held for 15 s; w's only one 4 s.  x (3 of 4 CPUs) starts at 40 and is due
# at 55, though it runs until 140.  b needs all four and is first to wait.  c would be held until 57, so it may not pass
# b; d, due at 47, may.  b runs from 140 to 190, and then c starts.
printf 'id,user,submit_s,duration_s,cpus\nh1,u,0,10,4\nh2,u,0,20,4\nw1,w,1,4,4\nx,u,40,100,3\nb,u,41,50,4\nc,u,42,5,1\nd,w,43,4,1\n' >"$dir/h.csv"
starts() { sqlite3 "$dir/h.db" "SELECT group_concat(id || ' ' || (start_us / 1000000), ', ') FROM (SELECT j.* FROM job j JOIN run r ON r.id = j.run WHERE r.policy = '$1' ORDER BY ordinal)"; }
check "jobs without limits have estimates from their users' past" run "$dir/t.yaml" -p easy -p easy:estimate=history -d "$dir/h.db" --set trace.path=h.csv
check "by the mean of the last two, or the only one" [ "$(starts easy:estimate=history)" = "h1 0, h2 10, w1 30, x 40, b 140, c 190, d 43" ]
check "without them everything that fits goes ahead" [ "$(starts easy)" = "h1 0, h2 10, w1 30, x 40, b 140, c 42, d 47" ]
check "it reads no limits" [ "$(grep -c "have no limit" "$dir/err")" -eq 1 ]
printf 'id,user,submit_s,duration_s,cpus\nn,u,0,10,4\no,u,0,20,4\np,u,0,60,4\nx,v,1,40,4\ny,u,95,1,4\nz,w,95,1,4\n' >"$dir/h.csv"
check "only the last two count" run "$dir/t.yaml" -p sjf:estimate=history -d "$dir/h.db" --set trace.path=h.csv
check "and a user without a past is last" [ "$(starts sjf:estimate=history)" = "n 0, o 10, p 30, x 90, y 130, z 131" ]

# ---- estimate=like: the mean of like jobs ----
# u's jobs of one card ran 10 and 30 s, of two cards 4 s; all of u's 14.7 s, everybody's 18.5 s with w's 30.
# Behind g come: a (u, one card: 20 s), b (u, two: 4 s x 2), c (u, three: 14.7 s x 3), d (v: 18.5 s).
printf 'cluster: {groups: [{name: n, cpus: 1, mem: 1GiB, gpus: 3}]}\ntrace: {format: native, path: like.csv, defaults: {cpus: 0, mem: 0B}}\n' >"$dir/like.yaml"
printf 'id,user,submit_s,duration_s,gpus\np,u,0,10,1\nq,u,0,30,1\nr,u,40,4,2\ns,w,40,30,1\ng,w,100,50,3\n' >"$dir/like.csv"
printf 'c,u,110,5,3\nd,v,110,5,3\na,u,110,5,1\nb,u,110,5,2\n' >>"$dir/like.csv"
like() { sqlite3 "$dir/like.db" "SELECT group_concat(id || ' ' || (start_us / 1000000), ', ') FROM (SELECT j.* FROM job j JOIN run r ON r.id = j.run WHERE r.policy = '$1' AND submit_us > 105000000 ORDER BY ordinal)"; }
check "estimates from like jobs" run "$dir/like.yaml" -q -p qssf -p sjf:estimate=like -p qssf:estimate=limit -d "$dir/like.db"
check "qssf: by time x GPUs" [ "$(like qssf)" = "c 155, d 160, a 150, b 150" ]
check "sjf: by time" [ "$(like sjf:estimate=like)" = "c 155, d 160, a 165, b 150" ]
check "without a prediction for any, in order of arrival" [ "$(like qssf:estimate=limit)" = "c 150, d 155, a 160, b 160" ]
# Nothing waits, so those that come are tried by GPUs: 1, then 3; only then by predictions, whatever comes beside them.
printf 'id,submit_s,duration_s,gpus,limit_s\nx,0,10,3,10\ny,0,20,1,90\nz,5,10,1,5\n' >"$dir/like.csv"
check "what comes while nothing waits" run "$dir/like.yaml" -q -p qssf:estimate=limit -d "$dir/few.db"
check "goes by GPUs" [ "$(sqlite3 "$dir/few.db" "SELECT group_concat(id || ' ' || (start_us / 1000000), ', ') FROM job")" = "x 20, y 0, z 5" ]
exit $bad
