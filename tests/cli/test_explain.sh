#!/bin/sh
# explain: stories worked out by hand, and what must hold for every job of a run.
. "$(dirname "$0")/lib.sh"
story() { "$fairway" explain "$dir/$1.db" "$2" "$3" | sed 1,4d; }

# Two nodes of two cards.  a takes n-0 until 100 s.  b, a gang of two pairs, needs both nodes and waits; behind it c,
# for which n-1 has room all the while under strict order.  b runs from 100 to 150 s, and only then is there none.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,limit_s,user,gpus,cpus,tasks,gang
a,0,100,100,ann,2,1,1,0
b,10,50,60,bo,2,1,2,1
c,20,10,300,cy,1,1,1,0
END
cat >"$dir/s.yaml" <<'END'
name: hand
cluster: {groups: [{name: n, count: 2, cpus: 4, mem: 16GiB, gpus: 2, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
policies: ["fifo:mode=strict", "fifo:mode=skip", "easy"]
output: {decisions: true}
END
check "the hand-worked run runs" "$fairway" run "$dir/s.yaml" -d "$dir/r.db" -q
check "nothing fits: what is short, where, and who holds it" same "$(story r 1 b)" \
"        00:00:10  arrived; all those before it had started
        00:00:10  waited 1m 30s:
            1m 30s  no room: short of GPUs on the 2 nodes that could hold it, room for 1 of the 2 tasks that must start together; nearest is n-0 with 0 of 2 cards that would do, of the 2 it needs; there: a
        00:01:40  2 of 2 tasks started on n-0, n-1 (place=best): \"first in order, fits\"
        00:02:30  done, 2m 20s after it arrived"
check "there is room: who is ahead, and by which rule" same "$(story r 1 c)" \
"        00:00:20  arrived; had not started yet of those before it: b
        00:00:20  waited 2m 10s:
            1m 20s  there was room on 1 node, the first n-1; the policy held it back behind b: \"first in order; strict order starts nothing before it\"
              50 s  no room: short of GPUs on the 2 nodes that could hold it; nearest is n-0 with 0 of 2 cards that would do, of the 1 it needs; there: b
        00:02:30  started on n-0 (place=best, 1 of 2 cards idle there now): \"first in order, fits\"
        00:02:40  done, 2m 20s after it arrived"
check "who passed a job while it waited" same "$(story r 2 b | grep -c 'meanwhile jobs that arrived later started: c')" 1
check "a long limit: backfill would delay the head: held back behind it" \
    sh -c '"$1" explain "$2" 3 c | grep -q "held it back behind b: \"first in order; later units start only where they leave its reservation be\""' - "$fairway" "$dir/r.db"

# The timeline's example: preempted for a shorter one, resumed from a checkpoint.  And a node that fails.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,gpus,cpus
a,0,100,ann,2,1
b,20,10,bo,2,1
END
cat >"$dir/p.yaml" <<'END'
name: hand
cluster: {groups: [{name: n, count: 1, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
jobs: {preemption: {mode: checkpoint, interval: 10s, restore_cost: 5s}}
faults: {trace: faults.csv}
policies: ["srtf:estimate=true"]
output: {decisions: true}
END
printf 'at_s,node,event\n60,n,down\n90,n,up\n' >"$dir/faults.csv"
"$fairway" run "$dir/p.yaml" -d "$dir/p.db" -q 2>"$dir/err" || cat "$dir/err"
check "preempted for whom, resumed, failed with its node" same "$(story p 1 a)" \
"        00:00:00  arrived; all those before it had started
        00:00:00  started on n (place=best, 0 of 2 cards idle there now): \"fits\"
        00:00:20  preempted on n, for b: \"a shorter unit needs the room\"
        00:00:20  waited 10 s:
              10 s  no room: short of GPUs on the only node that could hold it; nearest is n with 0 of 2 cards that would do, of the 2 it needs; there: b
        00:00:30  started again, restoring a checkpoint first, on n (place=best, 0 of 2 cards idle there now): \"fits\"
        00:01:00  interrupted, the node failed, on n
        00:01:00  waited 30 s:
              30 s  no room: short of nodes that are up on the only node that could hold it
        00:01:30  started again, restoring a checkpoint first, on n (place=best, 0 of 2 cards idle there now): \"fits\"
        00:02:35  done, 2m 35s after it arrived

* clairvoyant: it was told true durations."
check "the outage is on the timeline, too" sh -c '"$1" timeline "$2" 1 -o - | grep -q "\"ts\":60000000,\"dur\":30000000,\"name\":\"down\""' - "$fairway" "$dir/p.db"

# What else can be short: CPUs for y while x has them; a GPU type; memory of a card; a second part of an array.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,gpus,gpu_milli,cpus,gpu_type,tasks
x,0,60,ann,1,,8,,1
y,5,10,bo,1,,8,,1
z,6,10,cy,1,500,,A100,3
END
cat >"$dir/q.yaml" <<'END'
name: hand
cluster:
  groups:
    - {name: v, count: 1, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100}
    - {name: a, count: 1, cpus: 4, mem: 16GiB, gpus: 1, gpu_type: A100}
trace: {format: native, path: jobs.csv, defaults: {cpus: 1}}
policies: ["fifo:mode=skip"]
output: {decisions: true}
END
"$fairway" run "$dir/q.yaml" -d "$dir/q.db" -q 2>"$dir/err" || cat "$dir/err"
check "CPUs are short though a card is free" same "$(story q 1 y | sed -n 3p)" \
"              55 s  no room: short of CPUs on the only node that could hold it; nearest is v with 1 of 2 cards that would do, of the 1 it needs; there: x"
check "two tasks of three share the one card of their type" same "$(story q 1 z | sed 1d)" \
"        00:00:06  2 of 3 tasks started on a (place=best, 0 of 1 cards idle there now): \"fits\"
        00:00:06  1 of 3 tasks waited 10 s:
              10 s  no room: short of GPUs on the only node that could hold it; nearest is a with 0 of 1 cards that would do, of the 1 it needs; there: z
        00:00:16  1 of 3 tasks started on a (place=best, 0 of 1 cards idle there now): \"fits\"
        00:00:26  done, 20 s after it arrived"

# Under a rule that tries every waiting unit, no job may ever be found to have had room: checked job by job against the
# replayed ledger.  The story's times are the job table's; its parts leave no gap.
check "the demo runs" "$fairway" run "$here/scenarios/demo/demo.yaml" -p fifo:mode=skip,place=fgd -p sjf:mode=skip -p srtf -p las -p drf -s 3 -d "$dir/demo.db" \
    --set output.decisions=true -q
cat >"$dir/all.sql" <<'END'
WITH s AS (SELECT @r AS run, value ->> 'job' AS job, value -> 'story' AS story FROM json_each(readfile(@f))),
 step AS (SELECT run, job AS id, e.key, e.value ->> 'step' AS kind, e.value ->> 'at_us' AS at, e.value ->> 'until_us' AS until, e.value -> 'parts' AS parts FROM s, json_each(story) e),
 part AS (SELECT step.id, step.key, at, until, p.key AS k, p.value ->> 'from_us' AS a, p.value ->> 'to_us' AS z, p.value ->> 'reason' AS reason FROM step, json_each(parts) p)
SELECT DISTINCT 'held', id FROM part WHERE reason = 'held'
UNION ALL SELECT 'gap', id FROM (SELECT *, lag(z, 1, at) OVER (PARTITION BY id, key ORDER BY k) AS before, lead(a, 1, until) OVER (PARTITION BY id, key ORDER BY k) AS after FROM part)
    WHERE a <> before OR z <> after
UNION ALL SELECT 'first start', j.id FROM s JOIN j ON j.run = s.run AND j.id = s.job WHERE start_us <> (SELECT min(at) FROM step t WHERE t.id = j.id AND kind = 'started')
UNION ALL SELECT 'end', j.id FROM s JOIN j ON j.run = s.run AND j.id = s.job WHERE end_us <> (SELECT max(at) FROM step t WHERE t.id = j.id AND kind = 'ended')
UNION ALL SELECT 'wait', j.id FROM s JOIN j ON j.run = s.run AND j.id = s.job WHERE start_us > submit_us AND n_tasks = 1 AND start_us - submit_us <> (SELECT until - at FROM step t WHERE t.id = j.id AND kind = 'waited' ORDER BY at LIMIT 1)
UNION ALL SELECT 'only ' || n, '' FROM (SELECT count(*) AS n FROM part) WHERE n < 20
UNION ALL SELECT 'checked', '';
END
for run in 1 2 3 4 5; do
    { echo '['; sep=
      for job in $(sqlite3 "$dir/demo.db" "SELECT id FROM job WHERE run = $run AND (start_us > submit_us OR n_preempted > 0) AND (ordinal % 13 = 7 OR n_tasks > 1) ORDER BY ordinal"); do
          printf '%s' "$sep"; sep=,
          "$fairway" explain "$dir/demo.db" $run $job --json
      done; echo ']'; } >"$dir/all.json"
    faults=$(sqlite3 -bail -cmd ".param set @f '$dir/all.json'" -cmd ".param set @r $run" -cmd "ATTACH '$dir/demo.db' AS d" -cmd "CREATE TEMP VIEW j AS SELECT * FROM d.job" :memory: <"$dir/all.sql")
    check "run $run: in no wait was there room, every microsecond has its reason" same "$faults" "checked|"
done
check "reads and waits for data: a task that declines is held" sh -c '"$1" run "$2" -p gsd -s 1 -d "$3" -q --set output.decisions=true && for j in $(sqlite3 "$3" "SELECT DISTINCT id FROM decision JOIN job USING (run, ordinal) WHERE verb = '"'hold'"' LIMIT 3"); do
    "$1" explain "$3" 1 $j || exit 1; done | grep -q "the policy declined it: \"declines free GPUs that are far from its data\""' - "$fairway" "$here/scenarios/flow-paper/flow-k6.yaml" "$dir/flow.db"
check "tasks that wait for others of their job are not said to wait" sh -c '"$1" run "$2" -d "$3" -q --set output.decisions=true && "$1" explain "$3" 1 "$(sqlite3 "$3" "SELECT id FROM phase JOIN job USING (run, ordinal) WHERE phase = '"'blocked'"' LIMIT 1")" --json >"$4"' \
    - "$fairway" "$here/scenarios/demo/forms.yaml" "$dir/forms.db" "$dir/forms.json"
sqlite3 "$dir/forms.db" "UPDATE decision SET reason = CAST(x'6dff6e3c' AS TEXT)"
check "a reason that is no text is told in part" sh -c '"$1" explain "$2" 1 "$(sqlite3 "$2" "SELECT id FROM decision JOIN job USING (run, ordinal) LIMIT 1")" --json >"$3"' - "$fairway" "$dir/forms.db" "$dir/why.json"
check "with a mark for what is none" same "$(sqlite3 :memory: "SELECT count(*) > 0 FROM json_tree(readfile('$dir/why.json')) WHERE key = 'why' AND value = 'm' || char(65533) || 'n<'")" 1
check "and the JSON is valid" same "$(sqlite3 :memory: "SELECT json_valid(readfile('$dir/forms.json'))")" 1

# Kubernetes (Liu et al. 2023): nodes that take five pods, nodes apart by what runs on them, cards that are counted.
check "pods on one cluster run" "$fairway" run "$here/scenarios/kube/kube-mixed.yaml" -d "$dir/mixed.db" -q
check "the node's limit on tasks is named, with who is there" same "$(story mixed 1 gpu-3)" \
"        00:00:00  arrived; all those before it had started
        00:00:00  waited 1h:
                1h  no room: short of CPUs and places for a task (the node's limit) on the 2 nodes that could hold it; nearest is gpu-0 with 1 of 2 cards that would do, of the 1 it needs, and 5 tasks of the 5 it allows; there: gpu-1, cpu-15, cpu-11, cpu-7, cpu-3
        01:00:00  unfinished, 1h after it arrived"
check "nodes kept for others are no room, and the policy says so" same "$(story mixed 2 cpu-11 | sed -n 3p)" \
"                1h  there was room on 2 nodes, the first gpu-0; the policy declined it: \"no room on the nodes that are for pods of its kind\""
check "pods that ask for memory of a card run" "$fairway" run "$here/scenarios/kube/kube-fine.yaml" -d "$dir/fine.db" -q
check "one that was placed by count fails" same "$("$fairway" explain "$dir/fine.db" 1 lab/test3 | sed '1d;3,4d')" \
'asks for 1 GPU, 29.8 GiB of a card, 2000 cores of a card, 2 CPUs, 4 GiB; class single
        00:00:00  arrived; all those before it had started
        00:00:00  started on gpu0 (0 of 2 cards idle there now): "fits"
        00:00:30  failed, its cards have not the memory or cores it asks, on gpu0
        00:00:30  failed, 30 s after it arrived'

# One card of 16 GiB, 100 cores.  m runs for 60 s.  Who counts cards has room beside it on the other half for n, o and p;
# who looks into them has not: n lacks memory, o cores, p both.
cat >"$dir/cards.csv" <<'END'
id,submit_s,duration_s,user,gpus,gpu_milli,cpus,gpu_mem_mib,gpu_cores
m,0,60,ann,1,400,1,10240,60
n,1,10,bo,1,400,1,10240,10
o,1,10,bo,1,400,1,1024,60
p,1,10,bo,1,400,1,10240,60
END
cat >"$dir/c.yaml" <<'END'
name: hand
cluster:
  gpu_types: {X: {mem: 16GiB, cores: 100}}
  groups: [{name: g, count: 1, cpus: 8, mem: 16GiB, gpus: 1, gpu_type: X, reserved: {cpus: 2}}]
trace: {format: native, path: cards.csv}
jobs: {mismatch_after: 5s}
policies: [fifo:mode=skip, kube-default]
output: {decisions: true}
END
check "a card is shared" "$fairway" run "$dir/c.yaml" -d "$dir/c.db" -q
short() { "$fairway" explain "$dir/c.db" 1 "$1" | sed -n 's/.*no room: \(.*\) on the only.*/\1/p' | head -1; }
check "memory of a card is short" same "$(short n)" "short of memory of a card"
check "or cores of a card" same "$(short o)" "short of cores of a card"
check "or both" same "$(short p)" "short of memory of a card and cores of a card"
check "who counts cards finds room for one more, and none for the next" same "$(for j in n o p; do story c 2 $j | grep -c 'mismatch\|failed, its cards\|no room: short of GPUs'; done | tr '\n' ' ')" "1 2 2 "

# No wait without a reason: what had room was held by a rule that said why.
check "tasks placed by a flow run" "$fairway" run "$here/scenarios/flow-paper/flow-k6.yaml" -p fs -p quincy -s 1 -d "$dir/flows.db" --set output.decisions=true -q
cat >"$dir/why.sql" <<'END'
WITH part AS (SELECT s.value ->> 'job' AS job, p.value AS v FROM json_each(readfile(@f)) s, json_each(s.value -> 'story') e, json_each(e.value -> 'parts') p)
SELECT job || ' waits without a reason' FROM part WHERE v ->> 'reason' = 'held' AND v ->> 'why' IS NULL
UNION ALL SELECT job || ' lacks nothing' FROM part WHERE v ->> 'reason' = 'no_room' AND v ->> 'lacks' = ''
UNION ALL SELECT job || ' waits no time' FROM part WHERE v ->> 'from_us' >= v ->> 'to_us'
UNION ALL SELECT count(*) >= @n FROM part;
END
reasons() {
    { echo '['; sep=
      for job in $(sqlite3 "$dir/$1.db" "SELECT id FROM job WHERE run = $2"); do
          printf '%s' "$sep"; sep=,
          "$fairway" explain "$dir/$1.db" $2 $job --json
      done; echo ']'; } >"$dir/why.json"
    same "$(sqlite3 -bail -cmd ".param set @f '$dir/why.json'" -cmd ".param set @n $3" :memory: <"$dir/why.sql")" 1
}
for run in 1 2 3; do check "kube-mixed, run $run: no wait without a reason" reasons mixed $run $((run == 1 ? 2 : run == 2 ? 6 : 0)); done
for run in 1 2; do check "kube-fine, run $run: no wait without a reason" reasons fine $run 0; done
check "fs on flow-k6: no wait without a reason" reasons flows 1 30
check "quincy on flow-k6: no wait without a reason" reasons flows 2 20

# The multi-queue policy.  6 cards, 3 in either array, and 4 of 16 cores kept.  m wants 4 cards and waits for 3; so s may
# not have a fourth, and d no core of those 4, until the three that hold 3 cards end at 100 s.
cat >"$dir/mq.csv" <<'END'
id,submit_s,duration_s,user,gpus,cpus
a,0,100,ann,1,1
b,0,100,ann,1,1
c,0,100,ann,1,1
z,0,200,cy,0,12
m,5,10,mo,4,1
s,10,10,ann,1,1
d,20,10,cy,0,1
END
cat >"$dir/mq.yaml" <<'END'
name: hand
cluster: {groups: [{name: n, cpus: 16, mem: 16GiB, gpus: 6, gpu_type: X}]}
trace: {format: native, path: mq.csv}
policies:
  - {name: multiqueue, search: off, reserve: 4, gpu_arrays: count, multi_share: 0.5, lend: empty}
  - {name: multiqueue, search: off, reserve: 4, gpu_arrays: count, multi_share: 0.5, lend: empty, mode: strict}
output: {decisions: true}
END
check "CPU and GPU jobs run in queues of their own" "$fairway" run "$dir/mq.yaml" -d "$dir/mq.db" -q
for run in 1 2; do
    check "run $run: GPUs of the other array are no room" same "$(story mq $run s | sed -n 3p)" \
'            1m 30s  there was room on 1 node, the first n; the policy declined it: "its array of GPUs is exhausted, and jobs wait for the other"'
    check "run $run: nor are cores kept for GPU jobs" same "$(story mq $run d | sed -n 3p)" \
'            1m 20s  there was room on 1 node, the first n; the policy declined it: "cores are kept for GPU jobs, of which some wait"'
done
# Two nodes of four cards, the second the multi array's, where e and f run until 150 s; m keeps all four of it: s waits until 100.
{ echo id,submit_s,duration_s,user,gpus,cpus; printf '%s,0,100,ann,1,1\n' a b c d; printf '%s,0,150,ann,1,1\n' e f
  echo m,10,10,mo,4,1; echo s,20,10,ann,1,1; } >"$dir/mq.csv"
sed -e '/^policies/,/mode/d' -e 's|^cluster.*|cluster: {groups: [{name: n, count: 2, cpus: 16, mem: 16GiB, gpus: 4, gpu_type: X}]}|' "$dir/mq.yaml" >"$dir/kept.yaml"
check "cards of a node are lent" "$fairway" run "$dir/kept.yaml" -p multiqueue:search=off,multi_share=0.5 -d "$dir/kept.db" -q
check "but not those that a job of its array waits for" same "$(story kept 1 s | sed -n 3p)" \
'            1m 20s  there was room on 1 node, the first n-1; the policy declined it: "GPUs are kept for the first job that waits for the other array"'
# It asks for a core, and begins with 6; there are 4.
printf 'id,submit_s,duration_s,user,gpus,cpus,model\nc,0,50,cy,0,4,\nt,10,10,tim,1,1,alexnet\n' >"$dir/mq.csv"
sed -i "s|^cluster.*|cluster: {groups: [{name: n, cpus: 8, mem: 16GiB, gpus: 1, gpu_type: V100}]}|; s|^trace|profiles: {file: $here/traces/profiles/coda.csv}\n&|; /^policies/,/mode/d" "$dir/mq.yaml"
echo "policies: ['multiqueue:arrays=false,cold=6']" >>"$dir/mq.yaml"
check "a job whose cores are searched runs" "$fairway" run "$dir/mq.yaml" -d "$dir/cold.db" -q
check "more cores than it asks may be wanted" same "$(story cold 1 t | sed -n 3p)" \
'              40 s  there was room on 1 node, the first n; the policy declined it: "no node has the cores that its search begins with"'
# b waits for the cores of a; no GPU job waits for anything, and then one does, for its card: b still has no room.
printf 'id,submit_s,duration_s,user,gpus,cpus\na,0,100,cy,0,6\nb,10,10,cy,0,4\ng,20,100,ann,1,1\nh,30,10,ann,1,1\n' >"$dir/mq.csv"
sed -i "/^profiles/d; s|^policies.*|policies: ['multiqueue:search=off,reserve=4']|" "$dir/mq.yaml"
check "a CPU job that waits for room runs" "$fairway" run "$dir/mq.yaml" -d "$dir/full.db" -q
check "and is not told of cores kept for GPU jobs" same "$(sqlite3 "$dir/full.db" "SELECT ordinal, reason FROM decision WHERE verb = 'hold'")" ""
# The mix of scenarios/multiqueue/multiqueue.yaml, 160 jobs on two nodes.  Without its modules the policy takes all the room there is.
check "the mix runs" "$fairway" run "$here/scenarios/multiqueue/multiqueue.yaml" -s 1 -d "$dir/mix.db" -q --set output.decisions=true --set output.attempts=true \
    --set cluster.groups.0.count=2 --set trace.generate.jobs=160 --set trace.generate.span=3h -p multiqueue -p multiqueue:mode=strict,lend=empty \
    -p multiqueue:gpu_arrays=off,arrays=false -p multiqueue:search=off,arrays=false,gpu_arrays=off,contention=false
for run in 1 2 3 4; do check "multiqueue, run $run: no wait without a reason" reasons mix $run 200; done
# A GPU job waits at t that came by t, has not ended and does not run.
waits_at() { echo "EXISTS (SELECT 1 FROM job g WHERE g.run = d.run AND g.n_gpu > 0 $1 AND g.submit_us <= d.at_us AND g.end_us > d.at_us
    AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.run = d.run AND a.ordinal = g.ordinal AND a.start_us <= d.at_us AND a.end_us > d.at_us))"; }
check "multiqueue: whenever cores are said to be kept as GPU jobs wait, one does" same "$(sqlite3 "$dir/mix.db" "SELECT count(*) > 20,
    sum(NOT $(waits_at '')) FROM decision d WHERE verb = 'hold' AND reason LIKE '%of which some wait%'")" "1|0"
check "multiqueue: whenever an array is said to be exhausted or kept, a GPU job of the other class waits" same "$(sqlite3 "$dir/mix.db" "SELECT count(*) > 10,
    sum(NOT $(waits_at 'AND g.class != j.class')) FROM decision d JOIN job j USING (run, ordinal) WHERE verb = 'hold' AND reason LIKE '%array%'")" "1|0"
check "and in the last none but want of room" same "$(sqlite3 "$dir/mix.db" "SELECT count(*) FROM decision WHERE run = 4 AND verb = 'hold'") $(grep -c '"held"' "$dir/why.json")" "0 0"

# Tasks of API calls (S2-8, S2-12, S2-14, S2-15).  n1 and n3 have a GPU each, n2 a CPU; a way takes 200 ms.  a is on n1 until
# 10 s, b on n3 for 1 s, so that c moves from n1's queue to n3 then.  d has a call for the CPU, at home, and one for a GPU,
# 15 s at home and 10 elsewhere: from 5 s on it waits for one, and n1's is free at 10 s.
printf 'api,engine,size_b,time_s\nG,gpu,1,10\nG,cpu,1,15\nS,gpu,1,1\nC,cpu,1,5\n' >"$dir/times.csv"
printf 'id,submit_s\na,0\nb,0\nc,0\nd,0\n' >"$dir/calljobs.csv"
printf 'job,task,call,api,size_b\na,0,0,G,1\nb,0,0,S,1\nc,0,0,G,1\nd,0,0,C,1\nd,0,1,G,1\n' >"$dir/calls.csv"
cat >"$dir/calls.yaml" <<'END'
name: hand
cluster:
  groups:
    - {name: n1, cpus: 4, mem: 1GiB, latency: 50ms, engines: {gpu: 1}}
    - {name: n2, cpus: 4, mem: 1GiB, latency: 50ms, engines: {cpu: 1}}
    - {name: n3, cpus: 4, mem: 1GiB, latency: 50ms, engines: {gpu: 1}}
engines: {times: times.csv}
trace: {format: native, path: calljobs.csv, calls: calls.csv}
policies: ["affinity:target=best,balance=load,condition=best"]
output: {decisions: true}
END
check "tasks of calls run" "$fairway" run "$dir/calls.yaml" -d "$dir/calls.db" -q
check "S2-8, S2-15: from the master's queue to a node's, and moved to an empty one" same "$(story calls 1 c)" \
"        00:00:00  arrived; all those before it had started
        00:00:00  sent to the queue of n1: \"target engine gpu, by load\"
        00:00:01  moved from the queue of n1 to that of n3 (after 1 s there): \"from a fuller queue to an empty one\"
        00:00:01  started on n3: \"first in the node's queue\"
        00:00:01  made call 0, G, on gpu of n3 (10 s): \"best free engine at home\"
        00:00:11  done: 0 s with the master, 1 s in queues, 0 s waiting for engines, 10 s in 1 call and 0 s on their way, 0 on other nodes
        00:00:11  done, 11 s after it arrived"
check "S2-12: a call to another node, how long it waited and what the way took" same "$(story calls 1 d | sed -n 5,6p)" \
"        00:00:10  made call 1, G, on gpu of n1 (waited 5 s; 10.200 s, on the way 200 ms): \"no such engine free at home\"
      00:00:20.2  done: 0 s with the master, 0 s in queues, 5 s waiting for engines, 15 s in 2 calls and 200 ms on their way, 1 on other nodes"
"$fairway" explain "$dir/calls.db" 1 d --json >"$dir/d.json"
check "and as JSON" same "$(sqlite3 :memory: "SELECT value ->> '\$.call.engine', value ->> '\$.call.waited_us', value ->> '\$.call.exec_us', value ->> '\$.call.way_us'
    FROM json_each(readfile('$dir/d.json') ->> 'story') WHERE value ->> 'step' = 'called'" | tr '\n' ' ')" "cpu|0|5000000|0 gpu|5000000|10000000|200000 "

# One node of a GPU and a CPU: the second task spills over.
printf 'id,submit_s,tasks\np,0,3\n' >"$dir/calljobs.csv"
printf 'job,task,call,api,size_b\np,,0,G,1\n' >"$dir/calls.csv"
sed 's/^    - {name: n[23].*//; s/name: n1,/name: n1, count: 1,/; s/gpu: 1/gpu: 1, cpu: 1/; s/condition=best/condition=above/' "$dir/calls.yaml" >"$dir/spill.yaml"
check "the next best engine runs" "$fairway" run "$dir/spill.yaml" -d "$dir/spill.db" -q
check "S2-14: what spills over, and what waits behind whom" same "$(story spill 1 p | grep 'task [12] [sm]')" \
"        00:00:00  task 1 sent to the queue of n1: \"target engine gpu, by load\"
        00:00:00  task 1 started on n1: \"first in the node's queue\"
        00:00:00  task 1 made call 0, G, on cpu of n1 (15 s): \"next best at home, the best is taken\"
        00:00:00  task 2 sent to the queue of n1: \"target engine gpu, by load\"
        00:00:10  task 2 started on n1 (after 10 s in its queue, where 2 started before it): \"first in the node's queue\"
        00:00:10  task 2 made call 0, G, on gpu of n1 (10 s): \"best free engine at home\""

# The node fails from 4 to 6 s with one task running and two in its queue; the run is cut off at 30 s.
printf 'at_s,node,event\n4,n1,down\n6,n1,up\n' >"$dir/faults.csv"
sed 's/^    - {name: n[23].*//' "$dir/calls.yaml" >"$dir/down.yaml"
printf 'faults: {trace: faults.csv}\nhorizon: 30s\n' >>"$dir/down.yaml"
"$fairway" run "$dir/down.yaml" -d "$dir/down.db" -q 2>"$dir/err" || cat "$dir/err"
check "a queue goes back to the master with its node" same "$("$fairway" explain "$dir/down.db" 1 p --task 1 | sed 1,4d)" \
"        00:00:00  arrived; all those before it had started
        00:00:00  task 1 sent to the queue of n1: \"target engine gpu, by load\"
        00:00:04  task 1 back with the master, as n1 failed
        00:00:06  task 1 sent to the queue of n1 (after 2 s with the master): \"target engine gpu, by load\"
        00:00:16  task 1 started on n1 (after 10 s in its queue, where 1 started before it): \"first in the node's queue\"
        00:00:16  task 1 made call 0, G, on gpu of n1 (10 s): \"best free engine at home\"
        00:00:26  task 1 done: 2 s with the master, 14 s in queues, 0 s waiting for engines, 10 s in 1 call and 0 s on their way, 0 on other nodes"
check "a call that is lost with its node, and one that is cut off" same "$(story down 1 p | grep 'lost\|interrupted\|cut off')" \
"        00:00:00  task 0 lost call 0, G, on gpu of n1 (4 s): \"best free engine at home\"
        00:00:04  task 0 interrupted, the node failed, on n1
        00:00:26  task 2 lost call 0, G, on gpu of n1 (4 s): \"best free engine at home\"
        00:00:30  task 2 still running when the run was cut off, on n1"
check "a task that is not there" fails 2 "has tasks 0 to 2, found --task 3" "$fairway" explain "$dir/down.db" 1 p --task 3
check "tasks that make no calls are not told apart" fails 2 "made no API call" "$fairway" explain "$dir/q.db" 1 z --task 1

# Of every task: waiting and calls add up to its time, whatever the policy.
"$fairway" run "$here/scenarios/engines/engines-affinity.yaml" -p affinity:target=above,condition=above -p heft -s 1 -d "$dir/many.db" -q --set output.decisions=true --set trace.etc.jobs=40 --set trace.etc.gap=0
for run in 1 2; do
    { echo '['; sep=
      for job in $(sqlite3 "$dir/many.db" "SELECT id FROM job WHERE run = $run"); do printf '%s' "$sep"; sep=,; "$fairway" explain "$dir/many.db" $run $job --json; done; echo ']'; } >"$dir/all.json"
    check "run $run: what is told of calls is what the record has, and leaves no gap" same "$(sqlite3 "$dir/many.db" "
        WITH c AS (SELECT j.value ->> 'job' AS job, s.value AS v FROM json_each(readfile('$dir/all.json')) j, json_each(j.value ->> 'story') s WHERE s.value ->> 'step' = 'called'),
        t AS (SELECT job, v ->> 'task' AS task, sum(v ->> '\$.call.waited_us') AS idle, sum((v ->> '\$.call.exec_us') + (v ->> '\$.call.way_us')) AS busy, count(*) AS n FROM c GROUP BY 1, 2)
        SELECT count(*), sum(n) = (SELECT count(*) FROM call WHERE run = $run), sum(idle + busy <> a.end_us - a.start_us) FROM t
        JOIN job ON job.run = $run AND job.id = t.job JOIN attempt a ON a.run = $run AND a.ordinal = job.ordinal AND a.task = t.task")" \
        "$(sqlite3 "$dir/many.db" "SELECT count(*) FROM attempt WHERE run = $run")|1|0"
done

# A job that is bound to its node: nobody chose.
printf 'id,submit_s,duration_s,cpus,gpus,node\na,0,100,1,1,g-0\nb,1,10,1,1,\n' >"$dir/bound.csv"
printf 'cluster: {groups: [{name: g, count: 2, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: A}]}\ntrace: {format: native, path: bound.csv}\npolicies: [fifo]\noutput: {decisions: true}\n' >"$dir/bound.yaml"
"$fairway" run "$dir/bound.yaml" -d "$dir/bound.db" -q
check "a bound job was placed by no policy" same "$(story bound 1 a | grep started\ on)" "        00:00:00  started on g-0 (bound there when it arrived, by no policy, 0 of 1 cards idle there now)"
check "the next one was" same "$(story bound 1 b | grep started\ on)" '        00:00:01  started on g-1 (place=best, 0 of 1 cards idle there now): "first in order, fits"'

check "a job that is not there: the nearest" fails 2 "did you mean 'job-00" "$fairway" explain "$dir/demo.db" 1 job-00713
check "a job unlike any: what they are called" fails 2 "its 5000 jobs are those of the trace, from 'job-000001'" "$fairway" explain "$dir/demo.db" 1 nothing-like-it
check "a run that is not there" fails 2 "there is no finished run 'lass'" "$fairway" explain "$dir/demo.db" lass job-000001
"$fairway" run "$dir/q.yaml" --set output.decisions=false -d "$dir/bare.db" -q
check "a run without decisions: what would record them" fails 2 "--set output.decisions=true" "$fairway" explain "$dir/bare.db" 1 x
check "a missing job argument" fails 2 "expected a database, a run and a job" "$fairway" explain "$dir/q.db" 1
exit $bad
