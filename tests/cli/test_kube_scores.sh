#!/bin/sh
# What each node was to a pod that asked: the filter that struck it out or what each score plugin gave it, recorded
# with output.scores and told by `fairway explain`.
. "$(dirname "$0")/lib.sh"

mixed=$here/scenarios/kube/kube-mixed.yaml
check "the paper's experiment runs with its scores recorded" \
    "$fairway" run -q --audit --set output.scores=true -d "$dir/s.db" "$mixed"
check "and without" "$fairway" run -q -d "$dir/plain.db" "$mixed"
digests() { sqlite3 "$1" "SELECT policy, digest FROM run ORDER BY policy"; }
check "recording changes no run" same "$(digests "$dir/s.db")" "$(digests "$dir/plain.db")"
check "nothing is recorded unasked" same "$(sqlite3 "$dir/plain.db" "SELECT count(*) FROM score")" 0

# of POLICY JOB: its first question, node by node
of() {
    sqlite3 "$dir/s.db" "SELECT n.name, plugin, round(points, 4), weight, is_chosen FROM score s
        JOIN run r ON r.id = s.run JOIN node n USING (run, node) JOIN job j USING (run, ordinal)
        WHERE r.policy = '$1' AND j.id = '$2'
        AND ask = (SELECT min(ask) FROM score t WHERE t.run = s.run AND t.ordinal = s.ordinal) ORDER BY seq"
}
# 50 + LRS/2 and LRS/2; LRS = 79.6875 of an empty node, 62.5 with one pod there (S3-15).
check "S3-15: the first pod's scores, 89.84 on a node without GPUs" \
    same "$(of kube-hybrid cpu-1)" "cpu-0|dominant|89.8438|1.0|1
cpu-0|gpu|0.0|1.0|1
cpu-1|dominant|89.8438|1.0|0
cpu-1|gpu|0.0|1.0|0
gpu-0|dominant|39.8437|1.0|0
gpu-0|gpu|0.0|1.0|0
gpu-1|dominant|39.8437|1.0|0
gpu-1|gpu|0.0|1.0|0"
check "S3-15: the next pod's, 81.25 where the first is" \
    same "$(of kube-hybrid cpu-2 | grep dominant)" "cpu-0|dominant|81.25|1.0|0
cpu-1|dominant|89.8438|1.0|1
gpu-0|dominant|39.8437|1.0|0
gpu-1|dominant|39.8437|1.0|0"
check "filters are told by name, and no plugin is asked of what they struck out" same "$(of kube-split cpu-12)" "cpu-0|fits||0.0|0
cpu-1|fits||0.0|0
gpu-0|partition||0.0|0
gpu-1|partition||0.0|0"
check "every pod has asked, also one like another that had just failed" same \
    "$(sqlite3 "$dir/s.db" "SELECT count(*) FROM job j
        WHERE NOT EXISTS (SELECT 1 FROM score s WHERE s.run = j.run AND s.ordinal = j.ordinal)")" 0
check "who started is where a question has it" same "$(sqlite3 "$dir/s.db" "SELECT count(*) FROM attempt a WHERE NOT EXISTS
    (SELECT 1 FROM score s WHERE s.run = a.run AND s.ordinal = a.ordinal AND s.node = a.node AND s.is_chosen = 1)")" 0
check "the highest sum is taken" same "$(sqlite3 "$dir/s.db" "WITH of_node AS
    (SELECT run, ask, node, max(is_chosen) AS got, sum(weight * points) AS x FROM score WHERE weight > 0 GROUP BY 1, 2, 3)
    SELECT count(*) FROM of_node a JOIN of_node b USING (run, ask) WHERE a.got = 1 AND b.x > a.x")" 0

check "explain tells them" expect 0 "$fairway" explain "$dir/s.db" kube-hybrid cpu-2
check "the taken one first, then by points, with each plugin's part" same "$(sed '1,/points of each/d' "$dir/out")" \
"           89.8438  cpu-1: dominant 89.8438, gpu 0; taken
             81.25  cpu-0: dominant 81.25, gpu 0
           39.8437  gpu-0: dominant 39.8437, gpu 0
           39.8437  gpu-1: dominant 39.8437, gpu 0"
check "explain tells what struck nodes out" expect 0 "$fairway" explain "$dir/s.db" kube-split cpu-12
check "by fits, and what was lacking" says "2 nodes by fits, short of CPUs and places for a task (the node's limit): cpu-0, cpu-1"
check "by another filter" says "2 nodes by partition: gpu-0, gpu-1"
"$fairway" explain "$dir/s.db" kube-split cpu-12 --json >"$dir/e.json"
check "as JSON too" same "$(sqlite3 :memory: "SELECT n.value ->> 'node', n.value ->> 'struck_by', n.value ->> 'lacks' FROM
    json_each(readfile('$dir/e.json') -> 'scores' -> 0 -> 'nodes') n")" "cpu-0|fits|CPUs and places for a task (the node's limit)
cpu-1|fits|CPUs and places for a task (the node's limit)
gpu-0|partition|
gpu-1|partition|"
"$fairway" explain "$dir/plain.db" kube-hybrid cpu-2 >"$dir/without"
check "of a run without scores nothing more is told" same "$(grep -c 'asked for a node' "$dir/without")" 0

# Weights, and a pod that gets its node by preemption: it asks twice at one instant.
cat >"$dir/w.csv" <<'END'
id,submit_s,duration_s,user,cpus,mem_mib,priority
low,0,100,u,8,1024,0
high,10,10,u,4,1024,5
END
cat >"$dir/w.yaml" <<'END'
cluster: {groups: [{name: n, cpus: 8, mem: 8GiB}]}
trace: {format: native, path: w.csv}
output: {scores: true}
END
check "with weights" "$fairway" run -q -p "kube-default:score=least:2;most:3" -d "$dir/w.db" "$dir/w.yaml"
check "who is let in by preemption is told of before and after" expect 0 "$fairway" explain "$dir/w.db" 1 high
# After it half the CPU is used and 1/8 of the memory: least (50 + 87)/2 = 68, most (50 + 12)/2 = 31.
check "points are without the weight, the sum with it" says "               229  n: least 68 x 2, most 31 x 3; taken"
check "before that the node was full" says "1 node by fits, short of CPUs: n"

check "a policy without scores runs" expect 0 "$fairway" run -q -p fifo -d "$dir/f.db" "$dir/w.yaml"
check "and is told of by name" grep -q "fifo.*: the policy tells no scores of nodes, so none are recorded" "$dir/err"
exit $bad
