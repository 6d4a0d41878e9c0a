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

# What a says is left counts, not what is: of its one epoch nothing, or from a tenth on four steps of a thousand, so it
# keeps one GPU while b runs.
cp "$dir/j.csv" "$dir/two.csv"
sed -i 's/^a\(.*\)f$/a\1e/' "$dir/j.csv"
told() { { sed 's/$/,epochs/;s/10,5,epochs$/10,5,/' "$dir/measured.csv"; echo "e,m,8:1;16:1,100,8,16,1,8,8,10,5,$1"; } >"$dir/s.csv"; }
for epochs in 1 '0:0.5;0.1:0.004'; do
    told "$epochs"
    check "runs with epochs $epochs" run
    check "what is told to be left, epochs $epochs" same "$(sizes)" "0 0 60 4
0 60 120 1
0 120 354 4
1 60 114 3"
done
while read -r epochs error; do
    told "$epochs"
    check "epochs $epochs are none" sh -c "! '$fairway' run '$dir/s.yaml' -q -d '$dir/b.db' >'$dir/out' 2>&1"
    check "epochs $epochs: why" grep -q "$error" "$dir/out"
done <<'Y'
0.1:0.5;0.2:0 expected points from 0 on
linear:4 expected points from 0 on
0:0.5;0.2:0.6 what is left never grows
0:0.5; expected points such as
0 0 is outside 1..1000
Y
cp "$dir/measured.csv" "$dir/s.csv"
cp "$dir/two.csv" "$dir/j.csv"

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

# Who never ran has a worth, too: all GPUs are taken as three more come, at 500 s, and the next round halves the first.
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling \
    a,0,36000,1,1,1,1,8,g b,500,3600,1,1,1,1,8,g c,500,3600,1,1,1,1,8,g d,500,3600,1,1,1,1,8,g \
    >"$dir/j.csv"
scenario sia
rm -f "$dir/a.db"
check "sia runs with three that come late" "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db"
check "it is full before" same "$(sql "SELECT count(*) FROM attempt WHERE start_us < 500000000 AND end_us > 500000000")" 8
check "sia makes room for who never ran" same "$(sql "SELECT DISTINCT start_us / 1000000 FROM attempt
    WHERE start_us BETWEEN 500000000 AND 1000000000 AND ordinal > 0 ORDER BY 1 LIMIT 1")" 540

# Of both nodes' cores there are enough for a second task of `y`, but on neither node: it stays as it is, in one attempt.
printf '%s\n' id,submit_s,duration_s,tasks,gang,cpus,gpus,min_tasks,max_tasks,scaling \
    y,0,3600,1,1,20,1,1,2,g b,1,3600,1,1,16,3,1,1,g >"$dir/j.csv"
scenario sia
sed -i 's/{name: n, count: 2, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: T4}/{name: a, count: 1, cpus: 32, mem: 64GiB, \
    gpus: 2, gpu_type: T4}, {name: b, count: 1, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: T4}/' "$dir/s.yaml"
check "sia runs where cores are scattered" run
check "who has no room to grow stays" same "$(sizes)" "0 0 3600 1
1 60 3660 1"

# sia: who lost its node has nothing left that a restart would cost, and starts in the next round, though it is young
# and changed its size before.
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling,labels \
    a,0,3600,1,1,1,1,4,g,lost b,0,3600,1,1,1,1,4,g,kept >"$dir/j.csv"
printf '%s\n' at_s,node,event 100,n,down 110,n,up >"$dir/f.csv"
sed -i 's/^g,5,/g,30,/' "$dir/s.csv"
scenario sia
{ sed 's/^cluster:.*/cluster: {groups: [{name: n, count: 1, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: T4, labels: [lost]},\
    {name: m, count: 1, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: T4, labels: [kept]}]}/' "$dir/s.yaml"
  echo 'faults: {trace: f.csv}'; } >"$dir/lost.yaml"
rm -f "$dir/a.db"
check "sia runs with a lost node" "$fairway" run "$dir/lost.yaml" -q -d "$dir/a.db"
check "sia starts at once again what lost its node" same "$(sql "SELECT min(start_us) / 1000000 FROM attempt
    WHERE ordinal = 0 AND start_us >= 100000000")" 120

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
