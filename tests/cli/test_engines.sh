#!/bin/sh
# Tasks of API calls from scenarios to results: S2-4, S2-19, S2-20, measured DAGs, and mistakes.
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
query() { sqlite3 "$dir/$1.db" "$2"; }      # DATABASE QUERY
values() {      # DATABASE POLICY METRIC...
    db=$1 policy=$2 all=
    shift 2
    for m in "$@"; do all="$all $(query "$db" "SELECT value FROM v_metric WHERE policy = '$policy' AND name = '$m' AND scope = 'all'")"; done
    echo "${all# }"
}

# S2-19
check "engines-two runs" "$fairway" run -q -d "$dir/two.db" scenarios/engines/engines-two.yaml
check "S2-19: 20 s by affinity, 50 s by fewest tasks" same "$(values two affinity makespan) $(values two balance makespan)" "20.0 50.0"
check "task_time_mean is (10 + 20 + 10 + 20) / 4" same "$(values two affinity task_time_mean)" 15.0
# Useful: 40 s of work on 4 engines for 20 s; in the queue of each node one task waits for no time at all.
check "engine_useful is 40 / 80" same "$(values two affinity engine_useful)" 0.5
# Every call ran on the kind that is best for it: what engines did and the least that it takes are one.
check "engine_best is 40 / 80, best_share 1" same "$(values two affinity engine_best best_share)" "0.5 1.0"
# By fewest tasks G, N, N, G go to n1, n2, n1, n2 and take the best engine there: gpu 10, npu 10, gpu 40, npu 40: of 100 s 40 had sufficed.
check "by fewest tasks engine_useful is 100 / 200, engine_best 40 / 200, best_share 40 / 100" \
    same "$(values two balance engine_useful engine_best best_share)" "0.5 0.2 0.4"

# S2-4: six files that say the same, one digest
related() {     # PROFILE'S OPTION...
    "$fairway" profile scenarios/engines/engines-two.yaml "$@" -o "$dir/relation.csv" || return 1
    rm -f "$dir/r.db"
    "$fairway" run -q -d "$dir/r.db" scenarios/engines/engines-two.yaml -p affinity:cross=off,target=best --set "engines.relation=$dir/relation.csv" &&
        query r "SELECT digest FROM run" >>"$dir/digests"
}
for form in time rank efficiency; do
    check "S2-4: $form, in pairs, is read" related --form $form
    check "S2-4: $form, as a vector, is read" related --form $form --vector
done
check "S2-4: every form of the relation, pairs or vector, gives the same run" same "$(sort "$dir/digests" | uniq -c | sed 's/ *\([0-9]*\) .*/\1/')" 6
echo 'nobody/7,rank,cpu:1' >>"$dir/relation.csv"
"$fairway" run -q -d "$dir/r.db" scenarios/engines/engines-two.yaml -p affinity --set "engines.relation=$dir/relation.csv" 2>"$dir/err"
check "a relation of a task that the trace does not have is an error at its line" same "$? $(grep -c "relation.csv:$(wc -l <"$dir/relation.csv").*found task 'nobody/7', which the trace does not have" "$dir/err")" "2 1"

# Times drawn from the seed, in each order of the tables
for k in consistent semi inconsistent; do
    check "engines-$k runs" "$fairway" run -q -d "$dir/$k.db" scenarios/engines/engines-$k.yaml --set seeds=1..3
    check "$k: every seed is another run" same "$(query $k "SELECT count(DISTINCT digest) FROM run WHERE policy = 'mct'")" 3
    check "$k: a call pays for the way when it has one" same \
        "$(query $k "SELECT count(*) FROM v_call WHERE home = node AND way_us <> 0 OR home <> node AND way_us = 0 AND policy <> 'met'")" 0
    # One engine serves one call at a time: never more at once than the node has.
    check "$k: an engine serves one call at a time" same "$(query $k "SELECT count(*) FROM v_call a WHERE policy = 'affinity' AND engine IN ('npu', 'dsp', 'fpga') AND EXISTS (
        SELECT 1 FROM v_call b WHERE b.run = a.run AND b.node = a.node AND b.engine = a.engine AND b.start_us < a.end_us AND b.end_us > a.start_us
        AND (b.ordinal, b.task, b.call) <> (a.ordinal, a.task, a.call))")" 0
    # Of consistent times MET uses the one best kind, and wastes nothing.
    check "$k: useful work is never more than work" same "$(query $k "SELECT count(*) FROM v_metric a JOIN v_metric b USING (run, policy, scope)
        WHERE scope = 'all' AND a.name = 'engine_best' AND b.name = 'engine_useful' AND (a.value > b.value OR ('$k' = 'consistent' AND policy = 'met' AND a.value <> b.value))")" 0
done

# S2-20 of the defaults, paired by seed: 95 % of Student's t with 19, 29 and 39 degrees of freedom, beyond 1.97.
check "engines-affinity sweeps" "$fairway" sweep -q -d "$dir/s20.db" scenarios/engines/engines-affinity.yaml --set 'sweep={set: {trace.etc.gap: [0s, 1s, 4s]}}'
paired() {      # METRIC [BY]: a line a case (or all, BY ''), its seeds, mean of balance / affinity - 1, and half the interval
    query "$db" "SELECT replace(a.variant, ' ', '') || ' ' || (b.value / a.value - 1) FROM
        (SELECT r.variant, r.seed, m.value FROM metric m JOIN v_run r ON r.id = m.run WHERE r.policy = 'affinity' AND name = '$1' AND scope = 'all') a JOIN
        (SELECT r.variant, r.seed, m.value FROM metric m JOIN v_run r ON r.id = m.run WHERE r.policy = 'balance' AND name = '$1' AND scope = 'all') b USING (variant, seed)" |
    awk -v all="${2-no}" 'all == "" { $1 = "all" } { n[$1]++; s[$1] += $2; q[$1] += $2 * $2 } END { for (k in n) {
        t = n[k] == 20 ? 2.0930 : n[k] == 30 ? 2.0452 : n[k] == 40 ? 2.0227 : 1.97
        m = s[k] / n[k]; print k, n[k], m, t * sqrt((q[k] - n[k] * m * m) / (n[k] - 1) / n[k]) } }'
}
beyond() {      # METRIC SIGN CASES PATTERN [BY]: in so many cases of that pattern the interval lies on that side of 0
    paired "$1" ${5+"$5"} >"$dir/paired"
    awk -v sign="$2" -v cases="$3" -v pattern="$4" '$1 ~ pattern && $2 >= 20 && sign * $3 > $4 { n++ } END { exit n != cases }' "$dir/paired" || { cat "$dir/paired"; return 1; }
}
db=s20
check "S2-20: lower mean task time, at every load" beyond task_time_mean 1 3 .
check "S2-20: fewer calls to other nodes, at every load" beyond calls_cross 1 3 .
check "S2-20: fewer bytes to other nodes, at every load" beyond calls_cross_bytes 1 3 .
check "S2-20: of the time for which calls take engines more is useful, at every load" beyond best_share -1 3 .
check "S2-20: more useful work of the engines, where there is more work than time" beyond engine_best -1 2 '=[01]s'

# Where the defaults were not chosen: another cluster, other tasks and seeds, six cases of 40.
check "engines-others sweeps" "$fairway" sweep -q -d "$dir/others.db" scenarios/engines/engines-others.yaml
db=others
check "S2-20: lower mean task time over all cases that the defaults were not chosen on" \
    beyond task_time_mean 1 1 all ''
check "S2-20: in none of them is it higher" beyond task_time_mean -1 0 .
check "S2-20: fewer calls to other nodes, in each of them" beyond calls_cross 1 6 .
check "S2-20: fewer bytes to other nodes, in each of them" beyond calls_cross_bytes 1 6 .

# S2-21: all engines alike, thirty instances at each of two loads.
check "engines-equal sweeps" "$fairway" sweep -q -d "$dir/equal.db" scenarios/engines/engines-equal.yaml
db=equal
check "S2-21: over a set of instances affinity is no worse than balance" beyond task_time_mean -1 0 .
check "S2-21: nor is the makespan" beyond makespan -1 0 .
check "S2-21: of single instances that is false" same "$(query equal "WITH v AS
    (SELECT r.variant, r.seed, r.policy, m.value FROM metric m JOIN v_run r ON r.id = m.run
     WHERE name = 'task_time_mean' AND scope = 'all')
    SELECT count(*) FROM v a JOIN v b USING (variant, seed)
    WHERE a.policy = 'affinity' AND b.policy = 'balance' AND a.value > b.value GROUP BY variant")" 14

# The engine chart, written without drawing it
check "plot engines writes" "$fairway" plot "$dir/two.db" engines --run 1 -o "$dir/e.gp"
rows() { sed -n "/^\$$1/,/^EOD/p" "$dir/e.gp" | grep -c '^[0-9]'; }
check "the chart has a bar a call and a row an engine" same "$(rows bars) $(rows rows)" "4 2"

# Mistakes
mistake() {     # CLAIM FILE-TO-EDIT SED MESSAGE
    rm -rf "$dir/x"
    mkdir "$dir/x"
    cp traces/engines/s19-*.csv "$dir/x"
    sed 's|../../traces/engines/||g' scenarios/engines/engines-two.yaml >"$dir/x/two.yaml"
    sed "$3" "$dir/x/$2" >"$dir/x/t" && mv "$dir/x/t" "$dir/x/$2"
    check "$1" fails 2 "$4" "$fairway" run -q -d "$dir/x/x.db" "$dir/x/two.yaml"
}
mistake "an unknown API, with the nearest" s19-calls.csv 's/^n2,0,0,infer/n2,0,0,infar/' "found API 'infar', which the table of times does not have"
mistake "a call out of order" s19-calls.csv 's/^n1,0,0/n1,0,1/' "found call 1, expected 0"
mistake "a task that is not there" s19-calls.csv 's/^n1,0,0/n1,1,0/' "but job 'n1' has tasks 0 to 0"
mistake "a size of 0 bytes" s19-calls.csv 's/^n1,0,0,infer,1024/n1,0,0,infer,0/' "size_b"
mistake "a job that comes in another order" s19-calls.csv 's/^g1/g9/' "is empty"
mistake "two times for one size" s19-times.csv 's/^conv,gpu/conv,cpu/' "has a time on 'cpu' for this size already"
mistake "no engine that can run it" s19-times.csv '/^infer/s/1024/1024/; /^infer,cpu/s/cpu/fpga/; /^infer,gpu/s/gpu/fpga2/; /^infer,npu/s/npu/dsp/' "no engine of this cluster has a time for API 'infer'"
mistake "calls without times" two.yaml '/^engines:/d' "'calls' needs an 'engines' section"
mistake "an unknown tier" two.yaml 's/name: n1,/name: n1, tier: edge,/' "found tier 'edge'"

# Workflows measured on several engines, beside ordinary jobs of a native trace, and as instances.
printf 'a 4000 1000 -1\nb 2000 8000 -1 a\n' >"$dir/one.txt"
printf 'a 1000 1000 -1\n' >"$dir/two.txt"
printf 'id,submit_s,duration_s,cpus,workflow\nplain,0,5,1,\nw1,0,,,one.txt\nw2,1,,,two.txt\nw3,2,,,one.txt\n' >"$dir/jobs.csv"
cat >"$dir/native.yaml" <<'END'
cluster: { groups: [ { name: n, cpus: 4, mem: 4GiB, engines: { cpu: 2, gpu: 1 } } ] }
trace: { format: native, path: jobs.csv, measured: [cpu, gpu] }
policies: [heft, affinity]
output: { attempts: true, audit: true }
END
sed 's/format: native, path: jobs.csv/format: dag, instances: [one.txt, two.txt]/; s/^policies/seeds: 1..2\npolicies/' "$dir/native.yaml" >"$dir/many.yaml"
check "measured workflows in a native trace run" "$fairway" run -q -d "$dir/native.db" "$dir/native.yaml"
# w1: a on the GPU 0 to 1 s, b on a CPU to 3 s.
check "a measured workflow's tasks are calls at the times that the file has" same "$(query native "SELECT group_concat(engine || ' ' || (start_us / 1000000) || '-' || (end_us / 1000000), ', ')
    FROM (SELECT * FROM v_call WHERE policy = 'heft' AND job = 'w1' ORDER BY task)")" "gpu 0-1, cpu 1-3"
check "ordinary jobs run beside them" same "$(query native "SELECT count(*) FROM job WHERE status = 'done'")" 8
check "instances run" "$fairway" run -q -d "$dir/many.db" "$dir/many.yaml"
check "a seed replays its instance" same "$(query many "SELECT group_concat(value, ' ') FROM
    (SELECT value FROM v_metric WHERE name = 'makespan' AND scope = 'all' AND policy = 'heft' ORDER BY seed)")" "3.0 1.0"
"$fairway" compare "$dir/many.db" -m makespan >"$dir/compared"
check "instances are one case, paired by seed" grep '^affinity .* 2 .* 1 ' "$dir/compared"
check "instances are swept" "$fairway" sweep -q -d "$dir/sweep.db" "$dir/many.yaml"
check "a sweep makes the same runs of instances" same "$(query sweep "SELECT key, digest FROM run ORDER BY id")" "$(query many "SELECT key, digest FROM run ORDER BY id")"
check "a seed without an instance is named" fails 2 "seed 3: the trace has instances 1 to 2" "$fairway" run -q -s 3 -d "$dir/x.db" "$dir/many.yaml"

# A chain of 10, 20 and 30 s, its last task first: by the definition of a critical path.
printf '%s\n' 'c 30000 -1 -1 b' 'b 20000 -1 -1 a' 'a 10000 -1 -1' >"$dir/chain.txt"
printf '%s\n' 'name: chain' 'cluster: {groups: [{name: n, cpus: 100, mem: 4GiB}]}' 'policies: ["fifo:mode=skip"]' \
    "trace: {format: dag, path: $dir/chain.txt}" >"$dir/chain.yaml"
check "a chain whose last task comes first runs" "$fairway" run -q -d "$dir/chain.db" "$dir/chain.yaml"
check "its bound is the whole chain" same "$(query chain "SELECT value FROM metric WHERE name = 'makespan_bound'")" 60.0

# Mappers are for calls: an ordinary workflow is refused, not run in order of arrival under their names.
for p in affinity balance met mct min-min dmda heft; do
    check "$p refuses a workflow whose tasks make no calls" \
        fails 4 "job 'chain' is a workflow whose tasks make no API calls" \
        "$fairway" run -q -d "$dir/refused.db" "$dir/chain.yaml" -p $p
done

# A recorded run in WfFormat: b after a, 2 s and 3 s, of which the file says that they took 7.5 s.
cat >"$dir/wf.json" <<'END'
{"schemaVersion": "1.5", "workflow": {
  "specification": {"tasks": [{"id": "a", "parents": [], "children": ["b"]},
                              {"id": "b", "parents": ["a"], "children": []}]},
  "execution": {"makespanInSeconds": 7.5, "tasks": [{"id": "a", "runtimeInSeconds": 2},
                                                    {"id": "b", "runtimeInSeconds": 3}]}}}
END
sed "s|$dir/chain.txt|$dir/wf.json|" "$dir/chain.yaml" >"$dir/wf.yaml"
check "a recorded workflow runs" "$fairway" run -q -d "$dir/wf.db" "$dir/wf.yaml"
"$fairway" compare "$dir/wf.db" -m makespan,makespan_recorded >"$dir/beside"
check "its recorded makespan stands beside the simulated one" grep -q '^fifo.* 5  *7\.500$' "$dir/beside"
check "what was not recorded has no such metric" \
    same "$(query chain "SELECT count(*) FROM metric WHERE name = 'makespan_recorded'")" 0

# engines.tasks: a (4 s), then b (6 s) and c (2 s), then d (2 s), on a node of speed 1 and one of speed 2.
# HEFT and MCT: a, b, d on the fast one, c on the other: 2 + 3 + 1. min-min takes c before b:
# 2 + 1 + 3 + 1. MET: all fast.
cat >"$dir/diamond.json" <<'END'
{"schemaVersion": "1.5", "workflow": {
  "specification": {"tasks": [{"id": "a", "parents": [], "children": ["b", "c"]},
                              {"id": "b", "parents": ["a"], "children": ["d"]},
                              {"id": "c", "parents": ["a"], "children": ["d"]},
                              {"id": "d", "parents": ["b", "c"], "children": []}]},
  "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 4, "coreCount": 4}, {"id": "b", "runtimeInSeconds": 6},
                          {"id": "c", "runtimeInSeconds": 2}, {"id": "d", "runtimeInSeconds": 2}]}}}
END
cat >"$dir/speeds.yaml" <<'END'
cluster:
  groups:
    - {name: n0, cpus: 8, mem: 8GiB, engines: {cpu: 1}}
    - {name: n1, cpus: 8, mem: 8GiB, engines: {fast: 1}}
engines: {tasks: {cpu: 1, fast: 2}}
trace: {format: dag, path: diamond.json}
policies: [heft, mct, dmda, min-min, met, affinity, balance]
output: {attempts: true, audit: true}
END
printf 'id,submit_s\nj,0\n' >"$dir/speeds-jobs.csv"
printf 'job,stage,after,duration_s\nj,a,,4\nj,b,a,6\nj,c,a,2\nj,d,b|c,2\n' >"$dir/speeds-stages.csv"
sed 's/format: dag, path: diamond.json/format: native, path: speeds-jobs.csv, stages: speeds-stages.csv/' \
    "$dir/speeds.yaml" >"$dir/stages.yaml"
for form in speeds stages; do
    check "$form: a workflow of ordinary tasks runs under mappings of calls" \
        "$fairway" run -q -d "$dir/$form.db" "$dir/$form.yaml"
    check "$form: on nodes of differing speed they take 6 and 7 s" same \
        "$(for p in heft mct dmda min-min met; do values $form $p makespan; done | paste -sd ' ')" "6.0 6.0 6.0 7.0 7.0"
    check "$form: all tasks end" same "$(query $form "SELECT count(*) FROM job WHERE status = 'done'")" 7
done
# d asks for eight cores, which n1 alone has; engines are free on both.
sed 's/{name: n0, cpus: 8/{name: n0, cpus: 7/; s/cpu: 1}}/cpu: 4}}/; s/{fast: 1}/{fast: 4}/' \
    "$dir/speeds.yaml" >"$dir/cores.yaml"
sed 's/}]}}}/, "coreCount": 8}]}}}/' "$dir/diamond.json" >"$dir/t" && mv "$dir/t" "$dir/diamond.json"
check "what fits on one node alone is planned there" "$fairway" run -q -d "$dir/cores.db" "$dir/cores.yaml"
check "and ends" same "$(query cores "SELECT count(DISTINCT node), min(node) FROM v_call WHERE task = 3") \
$(query cores "SELECT count(*) FROM job WHERE status = 'done'")" "1|1 7"
speeds() {      # CLAIM FILE SED MESSAGE
    sed "$3" "$dir/$2" >"$dir/x.yaml"
    check "$1" fails 2 "$4" "$fairway" run -q -d "$dir/x.db" "$dir/x.yaml"
}
speeds "an engine that no node has" speeds.yaml 's/fast: 2}/fats: 2}/' \
    "found engine 'fats', which no node of the cluster has"
speeds "a speed of 0" speeds.yaml 's/fast: 2}/fast: 0}/' "'fast'"
speeds "no engine at all" speeds.yaml 's/tasks: {.*}}/tasks: {}}/' "expected at least one engine type with its speed"
speeds "neither times nor tasks" speeds.yaml 's/engines: {tasks.*/engines: {}/' \
    "found neither 'times' in the engines section"
printf 'job,stage,gpus,duration_s\nj,a,1,4\n' >"$dir/speeds-stages.csv"
speeds "a task that asks for GPUs" stages.yaml 's/cpus: 8,/cpus: 8, gpus: 1,/' \
    "a task asks for GPUs; 'engines.tasks' is about tasks on cores"

# Files and machines of WfFormat: a (4 s on m1, of 1200 MHz) writes 5 MB for b (6 s on m2, of 2400 MHz).
cat >"$dir/files.json" <<'END'
{"schemaVersion": "1.5", "workflow": {
  "specification": {"files": [{"id": "x", "sizeInBytes": 5000000}, {"id": "z", "sizeInBytes": 1000}],
                    "tasks": [{"id": "a", "parents": [], "children": ["b"], "outputFiles": ["x"]},
                              {"id": "b", "parents": ["a"], "children": [], "inputFiles": ["x", "z"]}]},
  "execution": {"machines": [{"nodeName": "m1", "cpu": {"speedInMHz": 1200}},
                             {"nodeName": "m2", "cpu": {"speedInMHz": 2400}}],
                "tasks": [{"id": "a", "runtimeInSeconds": 4, "machines": ["m1"]},
                          {"id": "b", "runtimeInSeconds": 6, "machines": ["m2"]}]}}}
END
cat >"$dir/files.yaml" <<'END'
cluster:
  groups:
    - {name: n0, cpus: 8, mem: 8GiB, engines: {cpu: 1}, labels: [m1]}
    - {name: n1, cpus: 8, mem: 8GiB, engines: {fast: 1}, labels: [m2]}
network: {mode: overlap, rack: 1MB/s}
engines: {tasks: {cpu: 1, fast: 2}}
trace: {format: dag, path: files.json, files: true, machines: true}
policies: [heft, dmda]
output: {attempts: true, audit: true}
END
policy=heft
makespan_of() {
    rm -f "$dir/f.db"
    "$fairway" run -q -d "$dir/f.db" "$dir/files.yaml" "$@" && values f $policy makespan
}
check "tasks run where they were recorded, and files are carried: 4 + 5 + 6 / 2" same "$(makespan_of)" 12.0
check "so under dmda" same "$(values f dmda makespan)" 12.0
check "what nobody wrote is a block, on every node here, and read there" \
    same "$(values f heft bytes_read bytes_network)" "5001000.0 5000000.0"
check "without files they are not" same "$(makespan_of --set trace.files=)" 7.0
check "and anywhere both are best on the fast node: 2 + 3" \
    same "$(makespan_of --set trace.files= --set trace.machines=)" 5.0
policy=fifo
check "times are scaled to a clock: 4 at 1200, 12 for 6 at 2400 MHz" \
    same "$(makespan_of --set trace.files= --set trace.machine_mhz=1200 --set engines= -p fifo)" 16.0
wrong() {       # CLAIM SED MESSAGE OPTION...
    sed "$2" "$dir/files.json" >"$dir/wrong.json"
    claim=$1 words=$3
    shift 3
    check "$claim" fails 2 "$words" "$fairway" run -q -d "$dir/x.db" "$dir/files.yaml" --set trace.path=wrong.json "$@"
}
wrong "a machine that no node is labelled as" 's/"m2"/"m3"/' \
    "wrong.json:4: error: task 'b' ran on machine 'm3'; no node has that label"
wrong "a task without a machine" 's/, "machines": \["m2"\]//' \
    "wrong.json:4: error: task 'b' ran on no named machine, or several"
wrong "a machine without a clock" 's/, "cpu": {"speedInMHz": 2400}//' "task 'b' ran on machine 'm2' of unknown clock" \
    --set trace.machine_mhz=1000
wrong "a file that is not in the list" 's/"inputFiles": \["x"/"inputFiles": ["y"/' \
    "wrong.json:4: error: found file 'y', which is not in workflow.specification.files"
wrong "a file of less than nothing" 's/5000000/-5/' \
    "wrong.json:2: error: file 'x': expected sizeInBytes, a number from 0"

# Two tasks, 1000 MB between them, two nodes in two racks: a takes 2 s on the CPU, b 6 s there and 5 s on the GPU.
printf 'api,engine,size_b,time_s\nA,cpu,1,2\nA,gpu,1,20\nB,cpu,1,6\nB,gpu,1,5\n' >"$dir/edge-times.csv"
printf 'id,submit_s\nj,0\n' >"$dir/edge-jobs.csv"
printf 'job,task,call,api,size_b,result_b\nj,0,0,A,1,0\nj,1,0,B,1,0\n' >"$dir/edge-calls.csv"
edge() {        # BYTES: HEFT's makespan
    printf 'job,stage,form,x,duration_s,output\nj,a,one,,0,%s\nj,b,one,@a,0,0B\n' "$1" >"$dir/edge-stages.csv"
    cat >"$dir/edge.yaml" <<'END'
cluster:
  groups:
    - {name: n0, cpus: 8, mem: 8GiB, engines: {cpu: 1}, rack: r0}
    - {name: n1, cpus: 8, mem: 8GiB, engines: {gpu: 1}, rack: r1}
network: {disk: 10GB/s, rack: 1GB/s, aggregation: 100MB/s}
engines: {times: edge-times.csv}
trace: {format: native, path: edge-jobs.csv, stages: edge-stages.csv, calls: edge-calls.csv}
policies: [heft]
output: {audit: true}
END
    rm -f "$dir/edge.db"
    "$fairway" run -q -d "$dir/edge.db" "$dir/edge.yaml" &&
        query edge "SELECT value FROM v_metric WHERE name = 'makespan' AND scope = 'all'"
}
# Written in 0.1 s, read in 0.1 s on the same node (2 + 0.1 + 0.1 + 6) or in 10 s on the other (17.1).
check "heft counts what an edge carries: b stays where its data are" same "$(edge 1000MB)" 8.2
# 10 MB: 1 ms to write, 100 ms to the other node, where b then ends at 7.101 s; at home at 8.002.
check "heft moves a task where less is carried" same "$(edge 10MB)" 7.101

# S2-22, figure 3 (a) of Topcuoglu, Hariri, Wu: tasks 1, 3, 5 and 7 on the third processor, and so on, from and to (s).
check "engines-topcuoglu runs" \
    "$fairway" run -q -d "$dir/topcuoglu.db" scenarios/engines/engines-topcuoglu.yaml --set output.audit=true
check "S2-22: HEFT runs Topcuoglu's example in 80 s" same "$(values topcuoglu heft makespan)" 80.0
check "S2-22: each task when and where the paper has it" same \
    "$(query topcuoglu "SELECT group_concat((task + 1) || ' p' || (node + 1) || ' ' ||
        (start_us / 1000000) || '-' || (end_us / 1000000), ', ')
        FROM (SELECT * FROM v_call WHERE policy = 'heft' ORDER BY task)")" \
    "$(echo 1 p3 0-9, 2 p1 27-40, 3 p3 9-28, 4 p2 18-26, 5 p3 28-38, \
        6 p2 26-42, 7 p3 38-49, 8 p1 57-62, 9 p2 56-68, 10 p2 73-80)"

# The same network from stages: a (2 s on n0) writes 5 MB for b alone, which takes 1 s on n1 or 9 on n0; at 1 MB/s
# that is 2 + 5 + 1.
printf 'api,engine,size_b,time_s\nA,cpu,1,2\nB,cpu,1,9\nB,gpu,1,1\n' >"$dir/part-times.csv"
printf 'job,stage,after,duration_s\nj,a,,0\nj,b,a=5MB,0\n' >"$dir/part-stages.csv"
sed 's/edge-times/part-times/; s/edge-stages/part-stages/; s/disk: .*}/mode: overlap, aggregation: 1MB\/s}/
    s/heft]/heft, dmda, met]/' "$dir/edge.yaml" >"$dir/part.yaml"
check "a stage that reads what another writes for it runs" "$fairway" run -q -d "$dir/part.db" "$dir/part.yaml"
check "it carries its 5 MB in 5 s" same \
    "$(values part heft makespan) $(values part dmda makespan) $(values part heft bytes_network)" "8.0 8.0 5000000.0"
part() {        # AFTER MESSAGE
    printf 'job,stage,after,duration_s\nj,a,,0\nj,b,%s,0\n' "$1" >"$dir/part-stages.csv"
    check "after: $1 is an error" fails 2 "$2" "$fairway" run -q -d "$dir/x.db" "$dir/part.yaml"
}
part a=-5MB "'-5MB'"
part a=5 "'5'"
part a=600TB "above 2^49 bytes"
part z=5MB "no earlier stage 'z'"

# dmda books the time in which a task reads: t0 reads 200 MB in 20 s on either node and computes 10 s, as t1 and t2 do.
# t0 keeps n0 until 30 s, t1 n1 until 10 s, and so t2 goes to n1, too; after t0 it would end at 40 s.
printf 'api,engine,size_b,time_s\nA,gpu,1,10\n' >"$dir/book-times.csv"
printf 'id,submit_s\nj,0\n' >"$dir/book-jobs.csv"
printf 'block,size,replicas\nx,200MB,n2\n' >"$dir/book-blocks.csv"
printf 'job,stage,x,duration_s\nj,a,x,0\nj,b,,0\nj,c,,0\n' >"$dir/book-stages.csv"
printf 'job,task,call,api,size_b,result_b\nj,,0,A,1,0\n' >"$dir/book-calls.csv"
cat >"$dir/book.yaml" <<'END'
cluster:
  groups:
    - {name: n0, cpus: 8, mem: 8GiB, engines: {gpu: 1}}
    - {name: n1, cpus: 8, mem: 8GiB, engines: {gpu: 1}}
    - {name: n2, cpus: 8, mem: 8GiB}
network: {rack: 10MB/s}
engines: {times: book-times.csv}
trace: {format: native, path: book-jobs.csv, stages: book-stages.csv, blocks: book-blocks.csv, calls: book-calls.csv}
policies: [dmda]
output: {audit: true}
END
check "dmda with data runs" "$fairway" run -q -d "$dir/book.db" "$dir/book.yaml"
check "dmda books the time in which a task reads" same "$(values book dmda makespan)" 30.0

# Measured work
if [ ! -d "${FAIRWAY_TRACES:-}/hetero-dag" ] || [ ! -d "${FAIRWAY_TRACES:-}/gavel" ]; then
    echo "skipped - measured DAGs and training jobs: no traces"
    exit $bad
fi
check "engines-hetero runs" "$fairway" run -q -d "$dir/m.db" scenarios/engines/engines-hetero.yaml
check "engines-gavel runs" "$fairway" run -q -d "$dir/m.db" scenarios/engines/engines-gavel.yaml
if [ -d "$FAIRWAY_TRACES/wfinstances" ]; then
    check "engines-wfformat runs" \
        "$fairway" run -q -d "$dir/w.db" scenarios/engines/engines-wfformat.yaml --set output.audit=true
    check "HEFT ends every recorded workflow no later than others, and all read the same bytes" same "$(query w "SELECT
        (SELECT count(*) FROM v_metric a JOIN v_metric b USING (seed, name, scope) WHERE name = 'makespan'
         AND scope = 'all' AND a.policy = 'heft' AND a.value > b.value),
        (SELECT count(*) FROM (SELECT 1 FROM v_metric WHERE name = 'bytes_read' AND scope = 'all'
         GROUP BY seed HAVING count(DISTINCT value) = 1))")" "0|6"
else
    echo "skipped - recorded workflows: no traces"
fi
check "HEFT ends every measured DAG no later than affinity, and than dmda but for 0.2 %" same "$(query m "SELECT count(*) FROM v_metric a JOIN v_metric b USING (scenario, seed, name, scope)
    WHERE name = 'makespan' AND scope = 'all' AND scenario = 'engines-hetero' AND a.policy = 'heft'
    AND (b.policy LIKE 'affinity%' AND a.value > b.value OR b.policy = 'dmda' AND a.value > b.value * 1.002)")" 0
check "no makespan is below its bound" same "$(query m "SELECT count(*) FROM v_metric a JOIN v_metric b USING (run, scope)
    WHERE a.name = 'makespan' AND b.name = 'makespan_bound' AND a.value < b.value")" 0
check "230 training jobs of each of Gavel's traces" same "$(query m "SELECT count(*) FROM v_metric WHERE name = 'jobs_done' AND scope = 'all' AND scenario = 'engines-gavel' AND value = 230")" 32
exit $bad
