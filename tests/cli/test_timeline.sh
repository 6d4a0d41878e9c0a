#!/bin/sh
# timeline: a run whose every slice is worked out by hand; longer runs against
# the rules of the format (timeline_check.sql) and against the run's own samples.
. "$(dirname "$0")/lib.sh"
valid() { faults=$(sqlite3 -bail -cmd ".param set @f '$1'" :memory: <"$here/tests/cli/timeline_check.sql") && same "$faults" ""; }

# Two cards.  a wants both for 100 s; b, shorter, takes them at 20 s for 10 s; c needs no card; d and e share card 0
# from 130 s.  a had done 20 s, all checkpointed, and spends 5 s on restoring at 30 s: it ends at 30 + 5 + 80.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,gpus,gpu_milli,cpus
a,0,100,ann,2,,1
c,5,10,cy,0,,1
b,20,10,bo,2,,1
d,130,20,ann,1,400,1
e,131,9,bo,1,400,1
END
cat >"$dir/s.yaml" <<'END'
name: hand
cluster: {groups: [{name: n, count: 1, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
jobs: {preemption: {mode: checkpoint, interval: 10s, restore_cost: 5s}}
policies: ["srtf:estimate=true", fifo]
seeds: [1, 2]
output: {attempts: true}
END
check "the hand-worked run runs" "$fairway" run "$dir/s.yaml" -d "$dir/r.db" -q
check "its timeline is written" "$fairway" timeline "$dir/r.db" 1 -o "$dir/t.json"
check "and is valid" valid "$dir/t.json"
slices=$(sqlite3 :memory: "SELECT printf('%d+%d %s', (value ->> 'ts') / 1000000, (value ->> 'dur') / 1000000, value ->> 'name'), (
    SELECT m.value -> 'args' ->> 'name' FROM json_each(readfile('$dir/t.json'), '\$.traceEvents') m WHERE m.value ->> 'ph' = 'M'
     AND m.value ->> 'name' = 'thread_name' AND m.value ->> 'pid' = e.value ->> 'pid' AND m.value ->> 'tid' = e.value ->> 'tid'),
    coalesce(value -> 'args' ->> 'ended', '') FROM json_each(readfile('$dir/t.json'), '\$.traceEvents') e WHERE value ->> 'ph' = 'X'")
check "every slice is where it was worked out to be" same "$slices" "0+20 a|GPU 0|preempted
0+20 a|GPU 1|preempted
5+10 c|no GPU, lane 0|done
20+10 b|GPU 0|done
20+10 b|GPU 1|done
30+85 a|GPU 0|done
30+85 a|GPU 1|done
30+5 restore|GPU 0|
35+80 compute|GPU 0|
130+20 d|GPU 0|done
131+9 e|GPU 0, shared 1|done"
counts=$(sqlite3 :memory: "SELECT printf('%d %d', (value ->> 'ts') / 1000000, value -> 'args' ->> 'tasks') FROM json_each(readfile('$dir/t.json'), '\$.traceEvents')
    WHERE value ->> 'ph' = 'C' AND value ->> 'name' = 'tasks waiting' ORDER BY key" | tr '\n' ',')
check "the queue is as long as it was" same "$counts" "0 0,5 0,15 0,20 1,30 0,115 0,130 0,131 0,140 0,150 0,"
used=$(sqlite3 :memory: "SELECT printf('%d %d', (value ->> 'ts') / 1000000, value -> 'args' ->> '%') FROM json_each(readfile('$dir/t.json'), '\$.traceEvents')
    WHERE value ->> 'ph' = 'C' AND value ->> 'name' = 'GPUs held' ORDER BY key" | tr '\n' ',')
check "and the cards as full" same "$used" "0 100,5 100,15 100,20 100,30 100,115 0,130 20,131 40,140 20,150 0,"
check "one arrow leads from the preemption to the restart" same "$(grep -o '"ph":"[sf]".*"id":"[0-9.]*"' "$dir/t.json" | sed 's/"pid":2,//')" \
    '"ph":"s","tid":10000,"ts":19999999,"name":"resumed","cat":"preempted","id":"0.0.1"
"ph":"f","tid":10000,"ts":30000000,"name":"resumed","cat":"preempted","id":"0.0.1"'
"$fairway" timeline "$dir/r.db" "srtf:estimate=true/1" -o - >"$dir/again.json"
check "by label and to standard output it is the same, byte for byte" cmp "$dir/t.json" "$dir/again.json"

"$fairway" timeline "$dir/r.db" 1 --batsim -o "$dir/jobs.out" >/dev/null
check "jobs.csv has Batsim's columns and the hand-worked times" same "$(cat "$dir/jobs.out")" \
"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy
a,hand,single,0.000000,2,-1,1,COMPLETED_SUCCESSFULLY,0.000000,115.000000,115.000000,0.000000,115.000000,1.000000,0-1,-1
c,hand,cpu,5.000000,1,-1,1,COMPLETED_SUCCESSFULLY,5.000000,10.000000,15.000000,0.000000,10.000000,1.000000,2,-1
b,hand,single,20.000000,2,-1,1,COMPLETED_SUCCESSFULLY,20.000000,10.000000,30.000000,0.000000,10.000000,1.000000,0-1,-1
d,hand,single,130.000000,1,-1,1,COMPLETED_SUCCESSFULLY,130.000000,20.000000,150.000000,0.000000,20.000000,1.000000,0,-1
e,hand,single,131.000000,1,-1,1,COMPLETED_SUCCESSFULLY,131.000000,9.000000,140.000000,0.000000,9.000000,1.000000,0,-1"

# Failures, restores, shares, gangs, under two policies that preempt: the counters are what was sampled.
check "the demo runs" "$fairway" run "$here/scenarios/demo/demo.yaml" -p srtf -p las -s 1 -d "$dir/demo.db" -q
# Of every attempt what is after all that began before it, summed: the union, worked out a second way.
check "the time that a job ran is that of its attempts, overlaps once" same "$(sqlite3 "$dir/demo.db" "
    WITH a AS (SELECT *, max(end_us) OVER (PARTITION BY run, ordinal ORDER BY start_us, end_us
                                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM attempt),
         u AS (SELECT run, ordinal, sum(max(0, end_us - max(start_us, coalesce(before, start_us)))) AS ran FROM a GROUP BY 1, 2)
    SELECT count(*) FILTER (WHERE ran <> ran_us), count(*), sum(n_tasks > 1 AND n_preempted > 0) > 0 FROM job JOIN u USING (run, ordinal)")" "0|10000|1"
for run in 1 2; do
    check "run $run of it has a timeline" "$fairway" timeline "$dir/demo.db" $run -o "$dir/d.json"
    check "which is valid" valid "$dir/d.json"
    check "and shows outages, restores and arrows" sh -c 'for w in "\"cat\":\"outage\"" "\"name\":\"restore\"" "\"ph\":\"s\"" ", shared 1"; do grep -qF "$w" "$1" || { echo "no $w"; exit 1; }; done' - "$dir/d.json"
    off=$(sqlite3 :memory: "ATTACH '$dir/demo.db' AS d; CREATE TABLE c AS SELECT e.value ->> 'ts' AS ts, e.value ->> 'name' AS n, v.value AS x
          FROM json_each(readfile('$dir/d.json'), '\$.traceEvents') e, json_each(e.value, '\$.args') v WHERE e.value ->> 'ph' = 'C';
        CREATE INDEX i ON c (n, ts);
        SELECT count(*) FILTER (WHERE abs(value - x) > 1e-6 OR x IS NULL), count(*) > 1000 FROM (
        SELECT value * m AS value, (SELECT x FROM c WHERE n = t AND ts <= at_us ORDER BY ts DESC LIMIT 1) AS x FROM d.series
          JOIN (SELECT 'tasks_waiting' AS name, 'tasks waiting' AS t, 1 AS m UNION ALL SELECT 'tasks_running', 'tasks running', 1
                UNION ALL SELECT 'jobs_in_system', 'jobs in the system', 1 UNION ALL SELECT 'gpu_util', 'GPUs held', 100) USING (name) WHERE run = $run)")
    check "its counters are what the run sampled" same "$off" "0|1"
done
check "jobs that read data run" "$fairway" run "$here/scenarios/flow-paper/flow-k6.yaml" -p gsp -s 1 -d "$dir/flow.db" --set output.attempts=true -q
check "and have a timeline" "$fairway" timeline "$dir/flow.db" gsp -o "$dir/f.json"
check "which is valid, too" valid "$dir/f.json"
check "and shows phases" sh -c 'for w in read compute; do grep -q "\"name\":\"$w\",\"cat\":\"phase\"" "$1" || exit 1; done' - "$dir/f.json"

for s in kube-mixed kube-fine; do
    check "$s runs" "$fairway" run "$here/scenarios/kube/$s.yaml" -d "$dir/$s.db" -q
    for run in $(sqlite3 "$dir/$s.db" "SELECT id FROM run"); do
        check "run $run of it has a timeline" "$fairway" timeline "$dir/$s.db" $run -o "$dir/k.json"
        check "which is valid" valid "$dir/k.json"
    done
done
check "a pod on a card without the memory it asks shows it" sh -c '"$1" timeline "$2" 1 -o - | grep -q "\"dur\":30000000,\"name\":\"mismatch\",\"cat\":\"phase\""' - "$fairway" "$dir/kube-fine.db"

# What cannot be shown.
check "a run that is not there: what there is" fails 2 "there is srtf:estimate=true/1 (run 1)" "$fairway" timeline "$dir/r.db" 99
check "a label that is not there: the nearest" fails 2 "did you mean 'fifo'" "$fairway" timeline "$dir/r.db" fivo
check "a label with several seeds: which" fails 2 "there is fifo/1 (run 2), fifo/2 (run 4)" "$fairway" timeline "$dir/r.db" fifo
check "a seed that is not there" fails 2 "there is no finished run 'fifo/7'" "$fairway" timeline "$dir/r.db" fifo/7
sqlite3 "$dir/r.db" "UPDATE run SET status = 'failed', message = 'it broke' WHERE id = 4"
check "a run that did not finish: why" fails 2 "run 4 (fifo/2) is not finished: failed: it broke" "$fairway" timeline "$dir/r.db" 4
"$fairway" run "$dir/s.yaml" --set output.attempts=false -p fifo -s 1 -d "$dir/bare.db" -q
check "a run without attempts: how to record them" fails 2 "output.attempts=true" "$fairway" timeline "$dir/bare.db" 1
check "and no file is left" [ ! -e timeline.json ]
sqlite3 "$dir/bare.db" "DELETE FROM run"
check "a database without runs" fails 2 "holds no finished run" "$fairway" timeline "$dir/bare.db" 1
sqlite3 "$dir/bare.db" "PRAGMA user_version = 1"
check "a database of another version" fails 3 "schema version 1" "$fairway" timeline "$dir/bare.db" 1
check "a folder that is not there" fails 3 "cannot write" "$fairway" timeline "$dir/r.db" 1 -o "$dir/no/t.json"
check "no run named" fails 2 "expected a database and a run" "$fairway" timeline "$dir/r.db"
exit $bad
