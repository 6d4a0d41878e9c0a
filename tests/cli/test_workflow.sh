#!/bin/sh
# Workflow reservation, end to end: the shipped scenarios of seed 1 (S1-5, S1-6,
# S1-16, S1-18, S1-21, S1-22, S1-23), their table, figures, and mistakes.
. "$(dirname "$0")/lib.sh"
scenarios=$here/scenarios/workflow
db=$dir/w.db

is() { check "$1" same "$3" "$2"; }     # CLAIM EXPECTED ACTUAL
query() { sqlite3 "$db" "$1"; }
run() { "$fairway" run -q -d "$db" "$@" --set output.audit=true 2>"$dir/err" || { echo "not ok $* runs"; cat "$dir/err"; bad=1; }; }

for s in fig1 long baseline sum priority shared separate; do run "$scenarios/workflow-$s.yaml"; done

# stage, needed, can be shared, taken back, usable on entry
is "S1-6: fairway stages prints Table 1" "1,2,6,0,8 2,6,2,4,2 3,6,2,0,6 4,8,0,2,6" \
    "$("$fairway" stages "$db" --run 1 --csv | awk -F, 'NR > 1 { printf "%s%s,%s,%s,%s,%s", (NR > 2 ? " " : ""), $2, $6, $7, $8, $9 }')"
is "S1-5: without lending the whole reservation is there for every stage" "8 8 8 8" \
    "$("$fairway" stages "$db" --run 4 --csv | awk -F, 'NR > 1 { printf "%s%s", (NR > 2 ? " " : ""), $9 }')"
of() { query "SELECT printf('%.10g', m.value) FROM v_metric m JOIN v_run r ON r.id = m.run WHERE m.scenario = '$1' AND m.policy = '$2' AND m.name = '$3' AND m.scope = '${4:-all}'"; }
is "S1-16: jobs of 7 s started at stage starts are never interrupted" 0 "$(of workflow-fig1 'lend at stage starts' reclaims)"
is "S1-16: refilled at any time, 6 are" 6 "$(of workflow-fig1 'lend at any time' reclaims)"
is "S1-16: refilled with what ends in time, none is" 0 "$(of workflow-fig1 'lend what fits the stage' reclaims)"
is "S1-16: of jobs of 25 s, 4 are" 4 "$(of workflow-long 'lend at stage starts' reclaims)"
is "S1-15: the filter keeps those out" 0 "$(of workflow-long 'short users only' lent_cpu_hours)"
is "S1-22: 22/32 of the reservation are used without lending" 0.6875 "$(of workflow-fig1 'reserve and lend nothing' cpu_util)"
is "S1-22: all of it with" 1 "$(of workflow-fig1 'lend at any time' cpu_util)"
is "S1-22: 90.6 % when borrowers start with stages alone" 0.90625 "$(of workflow-fig1 'lend at stage starts' cpu_util)"
is "S1-22: a quarter of a reservation by sum" 0.25 "$(of workflow-sum sum cpu_util)"
spans() { query "SELECT group_concat(j.id || ' ' || printf('%g-%g', j.start_us / 1e6, j.end_us / 1e6), ', ') FROM job j JOIN v_run r ON r.id = j.run WHERE r.scenario = '$1' AND r.policy = '$2' AND j.stage_wait_us IS NOT NULL"; }
is "S1-18: capacity 10: wf2 starts when wf1 ends" "wf1 0-40, wf2 40-60" "$(spans workflow-priority 'not lent')"
run "$scenarios/workflow-priority.yaml" --set cluster.groups.0.cpus=14 --set name=wider
is "S1-18: capacity 14: both at once" "wf1 0-40, wf2 0-20" "$(spans wider 'not lent')"
is "S1-21: reserved, the workflow takes 4T under a load of 3 s" "fig1 0-40" "$(spans workflow-baseline reserved)"
is "S1-21: job by job it starves until the load is gone" "1" "$(query "SELECT j.end_us > 190e6 FROM job j JOIN v_run r ON r.id = j.run WHERE r.scenario = 'workflow-baseline' AND r.policy = 'job by job' AND j.id = 'fig1'")"
for t in 10 25; do run "$scenarios/workflow-baseline.yaml" --set "trace.path=../../traces/workflow/fig1-$t.csv" --set name=load-$t; done
is "S1-21: and under 25 s" "fig1 0-40" "$(spans load-25 reserved)"
is "S1-21: where job by job it starves too" "1" "$(query "SELECT j.end_us > 190e6 FROM job j JOIN v_run r ON r.id = j.run WHERE r.scenario = 'load-25' AND r.policy = 'job by job' AND j.id = 'fig1'")"
is "S1-21: 10 s synchronises and hides it" "fig1 0-40" "$(spans load-10 'job by job')"
is "S1-23: the makespans are the same in separate clusters" "$(spans workflow-shared 'workflow:lend=always')" "$(spans workflow-separate 'workflow:lend=always')"
is "S1-23: and the utilisation is lower" "1 0.625" "$(of workflow-shared 'workflow:lend=always' cpu_util) $(of workflow-separate 'workflow:lend=always' cpu_util)"
is "lent time: 6, 2, 2, 0 cores of 10 s" 0.02777777778 "$(of workflow-fig1 'lend at any time' lent_cpu_hours)"
# The four return first, each for the 4 s it has left: at 30 s two run that began at 29 s.
is "reclaimed time: 4 that ran 3 s, 2 that ran 1 s" 0.003888888889 "$(of workflow-fig1 'lend at any time' reclaimed_cpu_hours)"
is "stages wait for nothing" 0 "$(of workflow-fig1 'lend at any time' stage_wait_max workflows)"

for f in lending workflow-gantt; do
    "$fairway" plot "$db" $f --scenario workflow-fig1 -o "$dir/$f.svg" >/dev/null 2>"$dir/err"
    is "plot $f draws" "yes" "$(grep -q '</svg>' "$dir/$f.svg" 2>/dev/null && echo yes)"
done

# b is bound to the node and runs there without a reservation; until that has ended nobody after it gets one.
mkdir "$dir/bound"
printf 'id,submit_s,node\nb,0,n\nw,1,\n' >"$dir/bound/jobs.csv"
printf 'job,stage,duration_s,cpus\nb,only,50,2\nw,only,10,2\n' >"$dir/bound/stages.csv"
printf 'cluster: {groups: [{name: n, cpus: 8, mem: 1GiB}]}\ntrace: {format: native, path: jobs.csv, stages: stages.csv}\n' >"$dir/bound/s.yaml"
"$fairway" run -q -p workflow -d "$dir/bound.db" "$dir/bound/s.yaml" --set output.audit=true
is "a bound workflow has no reservation, and is waited for" "b 0-50,w 50-60" \
    "$(sqlite3 "$dir/bound.db" "SELECT group_concat(printf('%s %g-%g', id, start_us / 1e6, end_us / 1e6)) FROM job")"

# Licences: a scenario that has them, policies that know them and one that does not.
mkdir "$dir/lic"
printf 'id,submit_s,duration_s,licences\na,0,10,matlab:2\nb,0,10,matlab:2\n' >"$dir/lic/jobs.csv"
printf 'cluster: {licences: {matlab: 3}, groups: [{name: n, cpus: 8, mem: 1GiB}]}\ntrace: {format: native, path: jobs.csv}\npolicies: [fifo]\n' >"$dir/lic/l.yaml"
"$fairway" run -q -d "$dir/l.db" "$dir/lic/l.yaml" --set output.audit=true 2>"$dir/err"
is "S1-19: two jobs of two licences each run one after the other on three" "0.666666666667 20" \
    "$(sqlite3 "$dir/l.db" "SELECT printf('%.12f', value) FROM metric WHERE name = 'licence_util' AND scope = 'licence=matlab'; SELECT printf('%g', value) FROM metric WHERE name = 'makespan'" | tr '\n' ' ' | sed 's/ $//')"
"$fairway" run -q -d "$dir/l2.db" "$dir/lic/l.yaml" -p easy 2>"$dir/err"
is "a policy that knows no licences says so" "4 yes" "$? $(grep -q 'does not schedule licences' "$dir/err" && echo yes)"
"$fairway" run -q -d "$dir/l3.db" "$dir/lic/l.yaml" --set cluster.licences.matlab=1 2>"$dir/err"
is "more licences than there are: the job cannot run" "2 yes" "$? $(grep -q 'more licences of a kind than the cluster has' "$dir/err" && echo yes)"

# Names that nothing has, in what says who lends, who borrows, what is reserved and who ran how long.
mkdir "$dir/names"
printf 'duration: 10s\njob[1,1,2]\njob[2,2,4]\n' >"$dir/names/w.steps"
printf 'id,submit_s,duration_s,user,queue,workflow\nw1,0,,flow,,w.steps\nc,0,1,bob,q,\n' >"$dir/names/jobs.csv"
printf 'cluster: {groups: [{name: n, cpus: 8, mem: 8GiB, labels: [big]}]}\ntrace: {format: native, path: jobs.csv}\npolicies: [workflow]\n' >"$dir/names/n.yaml"
named() { "$fairway" run -q -d "$dir/n.db" "$dir/names/n.yaml" -p "workflow:$1" 2>"$dir/err"; echo "$? $(sed -n "s/.*cannot be created: //p" "$dir/err")"; }
is "S1-25: a name of neither a workflow nor a user is told" \
    "2 shares=: 'nn' is neither a workflow nor a user of the trace,2 shares=: 'bb' is no user of the trace,2 shares=: 'qq' is no queue of the trace,2 shares=: 'small' is no label of the cluster,2 shares=: 'c' is no workflow of the trace,2 reserve=: 'nn' is neither a workflow nor a user of the trace,2 history=: 'eve' is no user of the trace" \
    "$(named 'shares=[nn,p0],[bob,p1]'),$(named 'shares=[w1,p0],[bb,p1]'),$(named 'shares=[wf,p0],[queue:qq,p1]'),$(named 'shares=[wf,p0],[machines:small,p1]'),$(named 'shares=[workflow:c,p0],[bob,p1]'),$(named 'reserve=[nn,sum]'),$(named 'history=bob:1;eve:2')"
is "S1-25: names that there are pass" "0 " "$(named 'shares=[w1,p0],[bob,p1];[workflow:w1,p0],[queue:q,p1];[flow,p0],[machines:big,p1],reserve=[w1,sum],[flow,max],history=bob:1')"

# Workflow files that cannot be read are told with their place.
printf 'id,submit_s,workflow\nw,0,bad.steps\n' >"$dir/lic/w.csv"
printf 'duration: 1s\njob[1,1,1]\njob[3,1,1]\n' >"$dir/lic/bad.steps"
"$fairway" run -q -d "$dir/l4.db" "$dir/lic/l.yaml" --set trace.path=w.csv 2>"$dir/err"
is "a missing step is an error in its file" "2 yes" "$? $(grep -q 'bad.steps:3.*step 2 has none' "$dir/err" && echo yes)"

if [ -n "${FAIRWAY_TRACES:-}" ] && [ -f "$FAIRWAY_TRACES/wfinstances/rnaseq-dirt02-001.json" ]; then
    run "$scenarios/workflow-mix.yaml"
    is "the mix: where ordinary jobs are stopped for them, all 16 workflows start when they arrive" 16 \
        "$(query "SELECT count(*) FROM job j JOIN v_run r ON r.id = j.run WHERE r.scenario = 'workflow-mix' AND r.policy = 'and before others' AND j.stage_wait_us IS NOT NULL AND j.start_us = j.submit_us")"
    is "the mix: what fits the stage is never taken back" "0 1" \
        "$(of workflow-mix 'lend short' reclaims) $(query "SELECT value > 30 FROM v_metric WHERE scenario = 'workflow-mix' AND policy = 'lend short' AND name = 'lent_cpu_hours'")"
else
    echo "skipped the mix of real workflows: no traces"
fi
exit $bad
