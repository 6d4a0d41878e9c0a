#!/bin/sh
# Policies that give all elastic jobs their GPUs at once: what they need, and optimus by hand.
. "$(dirname "$0")/lib.sh"

scenario() {
    cat >"$dir/s.yaml" <<Y
cluster: {groups: [{name: n, count: 2, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: T4}]}
profiles: {scaling: s.csv, steps: t.csv}
trace: {format: native, path: j.csv, defaults: {cpus: 0, mem: 0B}}
output: {decisions: true, audit: true}
policies: [$1]
Y
}
sql() { sqlite3 -separator ' ' "$dir/a.db" "$1"; }
run() { rm -f "$dir/a.db"; "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db" >"$dir/out" 2>&1; }
sizes() { sql "SELECT ordinal, start_us / 1000000, CAST(round(end_us / 1e6) AS INTEGER), count(*) FROM attempt GROUP BY 1, 2 ORDER BY 1, 2"; }

# A step of 8 examples on 1, 2, 3, 4 GPUs takes 8, 4.5, 3.5 and 3 s, on 5 of two nodes 2.9: what one GPU more saves.
cat >"$dir/t.csv" <<'Y'
steps,placement,nodes,gpus,local,step_s,sync_s
m,1,1,1,4,4,0
m,1,1,1,8,8,0
m,2,1,2,4,4.5,0.5
m,3,1,3,3,3.5,0.5
m,4,1,4,2,3,1
m,1+4,2,5,2,2.9,1
Y
cat >"$dir/s.csv" <<'Y'
scaling,steps,gain,noise,batch,max_batch,min_local,max_local,fixed_batch,start_s,restart_s
f,m,8:1;16:1,100,8,16,1,8,8,10,5
Y
cp "$dir/s.csv" "$dir/measured.csv"
cat >"$dir/j.csv" <<'Y'
id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling
a,0,800,1,1,1,1,4,f
b,30,100,1,1,1,1,4,f
Y
scenario optimus:every=60s
check "runs" run
# a: 4 GPUs; 10 s, then 8 / 3 of its pace.  b: at 60 s, when half the cluster is free.
check "optimus by hand" same "$(sizes)" "0 0 310 4
1 60 107 4"
# One node: 1 each; then a's third saves 1 s of 87.5 steps or so, b's second 3.5 s of 12.5: a has three of the four
# while b runs, and all of them at the next multiple of 60 s.
sed -i 's/count: 2/count: 1/' "$dir/s.yaml"
check "runs on one node" run
check "the greatest saving first" same "$(sizes)" "0 0 60 4
0 60 180 3
0 180 336 4
1 60 170 1"
check "a start takes start_s, another restart_s" same "$(sql "SELECT name, round(value * 3600, 3) FROM metric WHERE scope = 'all' AND name = 'restart_gpu_hours'")" \
    "restart_gpu_hours 85.0"

printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus a,0,800,2,1,1 >"$dir/j.csv"
for policy in optimus pollux sia; do
    scenario $policy
    check "$policy refuses jobs of one size" sh -c "! '$fairway' run '$dir/s.yaml' -q -d '$dir/b.db' >'$dir/out' 2>&1"
    check "$policy says what they lack" grep -q "each needs 'min_tasks', 'max_tasks' and 'scaling'" "$dir/out"
done

# Speeds alone are no model of goodput.
printf '%s\n' scaling,one_node 'f,1:1;4:3' >"$dir/p.csv"
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling a,0,800,1,1,1,1,4,f >"$dir/j.csv"
for policy in pollux sia; do
    scenario $policy
    sed -i 's/scaling: s.csv/scaling: p.csv/' "$dir/s.yaml"
    check "$policy refuses jobs without a model" sh -c "! '$fairway' run '$dir/s.yaml' -q -d '$dir/b.db' >'$dir/out' 2>&1"
    check "$policy says what the model lacks" grep -q "has no model of goodput, which this policy needs" "$dir/out"
done

# Two jobs that gain by more GPUs share both nodes; what they get grows from one GPU by twos.
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling a,0,3600,1,1,1,1,8,g b,30,3600,1,1,1,1,8,g >"$dir/j.csv"
printf '%s\n' scaling,restart_s,alpha_c,beta_c,alpha_r,beta_r,alpha_n,beta_n,gamma,noise,batch,max_batch,min_local,max_local \
    g,5,0.05,0.002,0.03,0.002,0.08,0.004,2,1500,128,4096,16,256 >"$dir/s.csv"
for policy in pollux sia; do
    scenario $policy
    rm -f "$dir/a.db"
    check "$policy runs" "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db"
    "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db"
    check "$policy is the same again" same "$(sql "SELECT count(DISTINCT digest) FROM run")" 1
    check "$policy begins with one GPU" same "$(sizes | head -1 | cut -d' ' -f 2,4)" "0 1"
    check "$policy doubles at most" same "$(sql "SELECT max(n) FROM (SELECT count(*) AS n FROM attempt WHERE run = 1 AND start_us = 60000000 GROUP BY ordinal)")" 2
    check "$policy gives out all GPUs" same "$(sql "SELECT count(*) FROM attempt WHERE run = 1 AND start_us <= 500000000 AND end_us > 500000000")" 8
done

# What files of step times may not say.
cp "$dir/measured.csv" "$dir/s.csv"
wrong() {
    printf '%s\n' steps,placement,nodes,gpus,local,step_s,sync_s "$1" >"$dir/t.csv"
    "$fairway" run "$dir/s.yaml" -q -d "$dir/b.db" >"$dir/out" 2>&1
    check "$2" grep -q "$2" "$dir/out"
}
wrong m,2+2,2,5,4,1,0 "the placement has another number of nodes or GPUs"
wrong m,2/2,2,4,4,1,0 "a placement is GPUs on each node, such as 4+2"
wrong m,,2,4,4,1,1 "1 s of exchange leave nothing of a step of 1 s"
wrong n,,2,4,4,1,0 "has no 'm'"
exit $bad
