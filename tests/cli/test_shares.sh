#!/bin/sh
# explain --shares, --user, --queue: what users held beside what was theirs.  The accounts are checked by
# unit/explain/test_shares.c; here every sentence against the rows, and the jobs that are named against the record.
. "$(dirname "$0")/lib.sh"
sql() { sqlite3 "$@"; }

# The case of the unit test: one node of 8 GPUs under a rule that holds c back behind b.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,queue,gpus,cpus
a,0,100,ann,x,6,1
b,20,50,bo,x,4,1
c,50,20,cy,y,2,1
END
cat >"$dir/s.yaml" <<'END'
name: hand
cluster: {groups: [{name: n, count: 1, cpus: 8, mem: 16GiB, gpus: 8, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
policies: ["fifo:mode=strict"]
output: {decisions: true}
END
check "the hand-worked run runs" "$fairway" run "$dir/s.yaml" -d "$dir/r.db" -q
check "what one user lost, to whom, when" same "$("$fairway" explain "$dir/r.db" 1 --user bo)" \
"run 1: hand, fifo:mode=strict, seed 1
GPUs by user, equal weights, from its start to its end; exact, of this run alone.

bo held 0.05556 GPU hours and was entitled to 0.1259; 0 above its entitlement at some times, 0.07037 below at others.

lost to        GPU h     %
-------------  -----  ----
ann            0.040  56.6
what was idle  0.031  43.4

It was below in 1 stretch of time:
  00:00:20 to 00:01:40  bo held 0 of 0.07037 GPU hours, 0.07037 short, most of what it lost to ann (0.03981); most at 00:00:20, with 0 of 4 GPUs, while job b waited; ann had 6 (job a)"
check "all users" same "$("$fairway" explain "$dir/r.db" 1 --shares user --window 60s | sed 1,3d | cut -c 1-98)" \
"user  weight  held, GPU h  entitled, GPU h  lost, GPU h  above, GPU h  lost most to  GPU h  window
----  ------  -----------  ---------------  -----------  ------------  ------------  -----  ------
bo         1        0.056            0.126        0.070             0  ann           0.040        
cy         1        0.011            0.039        0.028             0  ann           0.017        
ann        1        0.167            0.104            0         0.063  -                 0        

Together they lost 0.09815 GPU hours.  bo lost most: 0.07037 below its entitlement at the time, 55
The sharing incentive is violated in 4 of 7 windows of a user: bo 2, cy 2.
  00:00:00 to 00:01:00  bo held 0 of 0.04074 GPU hours, 0.04074 short, most of what it lost to ann
  00:00:00 to 00:01:00  cy held 0 of 0.005556 GPU hours, 0.005556 short, most of what it lost to a
  00:01:00 to 00:02:00  bo held 0.02222 of 0.05185 GPU hours, 0.02963 short, most of what it lost 
  00:01:00 to 00:02:00  cy held 0.01111 of 0.03333 GPU hours, 0.02222 short, most of what it lost 
In 4 of 7 windows of a user it waited and would have had more in another's place: bo 2, cy 2.
  00:00:00 to 00:01:00  bo would have had 0.04444 GPU hours more with the place of ann; most at 00
  00:00:00 to 00:01:00  cy would have had 0.005556 GPU hours more with the place of ann; most at 0
  00:01:00 to 00:02:00  bo would have had 0.04444 GPU hours more with the place of ann; most at 00
  00:01:00 to 00:02:00  cy would have had 0.02222 GPU hours more with the place of ann; most at 00"
check "queues are parties as users are: x has 8 of what it asks, then half and more" sh -c '"$1" explain "$2" 1 --queue x | grep -qF \
    "x held 0.2222 GPU hours and was entitled to 0.2111; 0.02778 above its entitlement at some times, 0.01667 below at others."' - "$fairway" "$dir/r.db"
check "weights: bo has 16/3, asks 4, then 4 of 8" sh -c '"$1" explain "$2" 1 --user bo --weights bo=2 | grep -qF "0.08889 below at others"' - "$fairway" "$dir/r.db"
"$fairway" run "$dir/s.yaml" -d "$dir/w.db" -q --set users.weights.bo=2
check "the scenario's weights are the default" sh -c '"$1" explain "$2" 1 --user bo | grep -qF "0.08889 below at others"' - "$fairway" "$dir/w.db"
check "and stand in the table" sh -c '"$1" explain "$2" 1 --shares user | grep -qE "^bo +2 "' - "$fairway" "$dir/w.db"
check "of CPUs nobody is short" sh -c '"$1" explain "$2" 1 --user bo --resource cpu | grep -q "core hours"' - "$fairway" "$dir/r.db"

# A run of many: the sentences are sums of the rows, and what is said of jobs is so in the record.
check "the demo runs" "$fairway" run "$here/scenarios/demo/demo.yaml" -p fifo:mode=skip -p drf -s 1 --set output.decisions=true -d "$dir/demo.db" -q
for run in 1 2; do
    "$fairway" explain "$dir/demo.db" $run --shares user --window 6h >"$dir/text"
    "$fairway" explain "$dir/demo.db" $run --shares user --window 6h --csv >"$dir/rows.csv"
    rows() { sqlite3 -cmd ".mode csv" -cmd ".import $dir/rows.csv w" -cmd ".mode list" :memory: "$1"; }
    check "run $run: together they lost what the windows say" same "$(grep -o 'Together they lost [^ ]*' "$dir/text")" \
        "$(rows "SELECT 'Together they lost ' || printf('%.4g', sum(lost_h)) FROM w")"
    check "run $run: who lost most, and of how much" same "$(grep -o '  [^ ]* lost most: [^ ]*' "$dir/text") $(grep -oE '[0-9.]+ % of the [0-9.e+]+' "$dir/text")" \
        "$(rows "SELECT '  ' || user || ' lost most: ' || printf('%.4g', sum(lost_h)) || printf(' %.1f %% of the %.4g', 100 * sum(lost_h) / sum(entitled_h), sum(entitled_h)) FROM w GROUP BY user ORDER BY sum(lost_h) DESC LIMIT 1")"
    check "run $run: windows below are counted" same "$(grep -o 'violated in [0-9]* of [0-9]* windows' "$dir/text")" \
        "$(rows "SELECT 'violated in ' || sum(below) || ' of ' || count(*) || ' windows' FROM w")"
    check "run $run: below is held less than entitled" same "$(rows "SELECT count(*) FROM w WHERE below <> (CAST(held_h AS REAL) < CAST(entitled_h AS REAL))")" 0
    check "run $run: nobody is entitled to more than there is, nor to less than it loses" same \
        "$(rows "SELECT (SELECT count(*) FROM (SELECT sum(entitled_h) AS e, max(capacity_h + 0) AS c FROM w GROUP BY from_us) WHERE e > c * (1 + 1e-9)) + count(*) FROM w WHERE CAST(lost_h AS REAL) > CAST(entitled_h AS REAL)")" 0
    check "run $run: held is the gpu_hours of the run" same "$(rows "SELECT user || printf(' %.6f', sum(held_h)) FROM w GROUP BY user ORDER BY user")" \
        "$(sql "$dir/demo.db" "SELECT substr(scope, 6) || printf(' %.6f', value) FROM metric WHERE run = $run AND name = 'gpu_hours' AND scope LIKE 'user=%' AND value > 0 ORDER BY 1")"
    who=$(rows "SELECT user FROM w GROUP BY user ORDER BY sum(lost_h) DESC LIMIT 1")
    "$fairway" explain "$dir/demo.db" $run --user "$who" --csv >"$dir/one.csv"
    one() { sqlite3 -cmd ".mode csv" -cmd ".import $dir/one.csv s" -cmd ".mode list" -cmd "ATTACH '$dir/demo.db' AS d" :memory: "$1"; }
    check "run $run: $who's stretches sum to its loss" same "$(one "SELECT printf('%.6f', sum(hours)) FROM s")" "$(rows "SELECT printf('%.6f', sum(lost_h)) FROM w WHERE user = '$who'")"
    check "run $run: stretches do not overlap" same "$(one "SELECT count(*) FROM s a JOIN s b ON a.rowid < b.rowid WHERE a.to_us + 0 > b.from_us + 0")" 0
    check "run $run: to whom sums to all" same "$("$fairway" explain "$dir/demo.db" $run --user "$who" | awk '/^lost to/ { on = 1; next } /^$/ { on = 0 } on && !/^-/ { n += $NF } END { printf "%.0f", n }')" 100
    # The first job named waits at that instant, and the first of the other's runs.
    check "run $run: the jobs named are so" same "$(one "WITH n AS (SELECT user, worst_us + 0 AS at, CASE WHEN instr(waited, ' and ') THEN substr(waited, 1, instr(waited, ' and ') - 1) ELSE waited END AS w,
          CASE WHEN instr(ran, ' and ') THEN substr(ran, 1, instr(ran, ' and ') - 1) ELSE ran END AS r FROM s),
        f AS (SELECT user, at, CASE WHEN instr(w, ',') THEN substr(w, 1, instr(w, ',') - 1) ELSE w END AS w, CASE WHEN instr(r, ',') THEN substr(r, 1, instr(r, ',') - 1) ELSE r END AS r FROM n)
        SELECT count(*) > 0, count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM d.job j WHERE j.run = $run AND j.id = f.w AND j.user = f.user AND j.submit_us <= at AND (j.end_us < 0 OR j.end_us > at)
               AND (SELECT count(*) FROM d.attempt a WHERE a.run = $run AND a.ordinal = j.ordinal AND a.start_us <= at AND a.end_us > at) < j.n_tasks)),
           count(*) FILTER (WHERE r <> '' AND NOT EXISTS (SELECT 1 FROM d.job j JOIN d.attempt a USING (run, ordinal) WHERE j.run = $run AND j.id = f.r AND j.user <> f.user AND a.start_us <= at AND a.end_us > at)) FROM f")" "1|0|0"
done
check "kept, the windows are rows of the database" sh -c '"$1" explain "$2" 2 --shares user --window 6h --keep >/dev/null && "$1" explain "$2" 2 --shares user --window 6h --keep >/dev/null' - "$fairway" "$dir/demo.db"
check "once" same "$(sql "$dir/demo.db" "SELECT count(*), printf('%.6f', sum(lost_h)), sum(below) FROM share_window JOIN run USING (key) WHERE run.id = 2 AND party = 'user' AND unit = 'GPU'")" \
    "$(rows "SELECT count(*), printf('%.6f', sum(lost_h)), sum(below) FROM w")"
check "and the violations are those windows" same "$(sql "$dir/demo.db" "SELECT count(*), printf('%.6f', sum(hours)) FROM share_case WHERE kind = 'below'")" \
    "$(rows "SELECT count(*), printf('%.6f', sum(entitled_h - held_h)) FROM w WHERE below = 1")"
check "the figure has a panel for each of six" sh -c '"$1" plot "$2" shares --run 2 -o "$3" >/dev/null && [ "$(grep -c "^LABEL\[" "$3")" -eq 6 ]' - "$fairway" "$dir/demo.db" "$dir/shares.gp"
check "of the windows' means" same "$(sed -n '/^\$shares/,/^EOD/p' "$dir/shares.gp" | awk -F '\t' 'NF == 0 && n > 1 { exit } NF == 3 { if ($1 != last) held += $2 * ($1 - last); last = $1; n++ } END { printf "%.3f", held / 3600 }')" \
    "$(rows "SELECT printf('%.3f', sum(held_h)) FROM w WHERE user = '$who'")"

# What cannot be told.
check "a user that is none" fails 2 "did you mean 'ann'" "$fairway" explain "$dir/r.db" 1 --user an
check "a weight that is none" fails 2 "expected NAME=WEIGHT, the weight above 0" "$fairway" explain "$dir/r.db" 1 --shares user --weights ann=0
check "a weight of nobody" fails 2 "no job of the run is of a user 'eve'" "$fairway" explain "$dir/r.db" 1 --shares user --weights eve=1
check "windows beyond number" fails 2 "take a longer --window" "$fairway" explain "$dir/demo.db" 1 --shares user --window 1ms
check "a job beside a user" fails 2 "expected a database and a run" "$fairway" explain "$dir/r.db" 1 a --user bo
check "neither" fails 2 "expected a database, a run and a job" "$fairway" explain "$dir/r.db" 1
check "a run without its decisions" sh -c '"$1" run "$2" -d "$3" -q --set output.decisions=false' - "$fairway" "$dir/s.yaml" "$dir/none.db"
check "says how to have them" fails 2 "output.decisions=true" "$fairway" explain "$dir/none.db" 1 --shares user
check "a figure of nothing" fails 2 "expected -m user or -m queue" "$fairway" plot "$dir/r.db" shares -m group

# The decision of scenarios/fairness/README.md.
if [ -f "${FAIRWAY_TRACES:-}/ub-hpc/workload_5k.events" ]; then
    "$fairway" run "$here/scenarios/public-traces/slurm.yaml" -p easy:place=best -p las:place=best -p drf:place=best --set output.decisions=true -d "$dir/fair.db" -q 2>/dev/null
    lost() { "$fairway" explain "$dir/fair.db" "$1:place=best" --shares user --window 1d | sed -n 's/^Together they lost \([0-9.e+]*\).*/\1/p'; }
    check "users of GPUs lose a third under DRF of what they lose under EASY, and most under LAS" \
        [ "$(sql :memory: "SELECT $(lost drf) < 0.34 * $(lost easy) AND $(lost las) > $(lost easy)")" = 1 ]
    check "though Jain's index is best under LAS" same "$(sql "$dir/fair.db" "SELECT policy FROM run JOIN metric ON run.id = metric.run WHERE name = 'jain' ORDER BY value DESC LIMIT 1")" las:place=best
    check "what user018 lost under EASY was mostly idle" sh -c '"$1" explain "$2" easy:place=best --user user018 | grep -qx "what was idle   2100  93.0"' - "$fairway" "$dir/fair.db"
    check "under DRF it lost mostly to user005" sh -c '"$1" explain "$2" drf:place=best --user user018 | grep -qx "user005        132.7  71.7"' - "$fairway" "$dir/fair.db"
    check "the job that is named waited for a node to itself" sh -c '"$1" explain "$2" easy:place=best jobid_03591 | grep -q "6d 5h  no room: short of CPUs, memory and an idle node"' - "$fairway" "$dir/fair.db"
else
    echo "skipped - the decision of scenarios/fairness: no public traces"
fi
exit $bad
