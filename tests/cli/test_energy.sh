#!/bin/sh
# What runs draw and cost, worked by hand; and on random clusters beside a slow integration from their tables.
# The formulas are in results/README.md, "Energy and money"; mistakes of scenarios in tests/bad/scn.
. "$(dirname "$0")/lib.sh"

# run SCENARIO-LINES TRACE-LINES [OPTION...]: into $dir/r.db
run() {
    printf '%s\n' "$1" 'trace: {format: native, path: t.csv}' 'policies: [fifo]' >"$dir/r.yaml"
    printf '%s\n' "$2" >"$dir/t.csv"
    shift 2
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -d "$dir/r.db" "$dir/r.yaml" "$@" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
}
told() { # the run's metrics, then those of users, then the rows of jobs
    sqlite3 -separator ' ' "$dir/r.db" "SELECT scope, name, round(value, 9) FROM metric
            WHERE name IN ('energy', 'energy_idle', 'cost', 'cost_idle') ORDER BY scope, name;
        SELECT id, round(kwh, 9), round(cost, 9) FROM v_energy ORDER BY ordinal"
}

# ---- an hour at which the price of electricity changes: 0.1 from 7 to 8, then 0.4 ----
# a draws half of the node's 100 W idle, all of the 100 W above it, and its card's 220 W: 370 W, and so beside b;
# b 20 W and 40 W.  The whole draws 440 W and then 480 W.  The node costs 1 and each card 2 an hour.
node='cluster:
  gpu_types: {T: {power: {idle: 20W, peak: 220W}, price: 2}}
  groups: [{name: n, count: 1, cpus: 10, mem: 64GiB, gpus: 2, gpu_type: T, power: {idle: 100W, peak: 0.3kW}, price: 1}]
output: {sample_every: 30m, attempts: true}'
jobs='id,submit_s,duration_s,user,cpus,gpus
a,0,7200,u,5,1
b,3600,3600,v,2,0'
check "two jobs and an hour's boundary run" run "$node
prices: {electricity: {0: 0.10, 8: 0.40}, starts_at: 7h}" "$jobs"
check "energy and cost of all, of users, of jobs" same "$(told)" \
"all cost 10.236
all cost_idle 4.827
all energy 0.92
all energy_idle 0.12
user=u cost 5.185
user=u energy 0.74
user=v cost 0.224
user=v energy 0.06
a 0.74 5.185
b 0.06 0.224"
check "the cluster's power is sampled" same "$(sqlite3 "$dir/r.db" "SELECT group_concat(value, ' ') FROM
    (SELECT value FROM series WHERE name = 'power' ORDER BY at_us)")" "0.44 0.44 0.48 0.48 0.14"
check "jobs.csv of Batsim has joules" "$fairway" timeline "$dir/r.db" 1 --batsim -o "$dir/jobs.out"
check "of each job" same "$(cut -d, -f1,16 "$dir/jobs.out")" "job_id,consumed_energy
a,2664000.000000
b,216000.000000"
shows() { words=$1; shift; "$fairway" compare "$dir/r.db" "$@" | grep -q "$words"; }
check "compare shows them" shows "energy, kWh  energy_idle, kWh   *cost  cost_idle"
check "and those of a user" shows "0.740  *5.185" --scope user=u -m energy,cost
digest=$(sqlite3 "$dir/r.db" "SELECT digest FROM run")
check "prices alone cost" run "$node" "$jobs" --set cluster.gpu_types.T.power= --set cluster.groups.0.power=
check "and no energy is known" same "$(told)" \
"all cost 10.0
all cost_idle 4.8
user=u cost 5.0
user=v cost 0.2
a  5.0
b  0.2"
check "nothing is said where nothing is stated" run "$node" "$jobs" --set cluster.gpu_types= \
    --set cluster.groups.0.power= --set cluster.groups.0.price=
check "not a row" same "$(told)" ""
check "and the run is the same" same "$(sqlite3 "$dir/r.db" "SELECT digest FROM run")" "$digest"

# ---- a node that fails: for half an hour it draws nothing and costs nothing; the job starts anew ----
printf 'at_s,node,event\n1800,n,down\n3600,n,up\n' >"$dir/f.csv"
check "a node fails" run 'cluster:
  groups: [{name: n, count: 1, cpus: 10, mem: 64GiB, power: {idle: 100W, peak: 300W}, price: 1}]
jobs: {preemption: {mode: kill}}
faults: {trace: f.csv}
prices: {electricity: 1}' 'id,submit_s,duration_s,user,cpus
a,0,3600,u,10'
check "and draws nothing while it is down" same "$(told)" \
"all cost 1.95
all cost_idle 0.0
all energy 0.45
all energy_idle 0.0
user=u cost 1.95
user=u energy 0.45
a 0.45 1.95"

# ---- halves of a card: at half its use it draws 120 W, at its full 140 W, idle 20 W ----
check "a card is shared" run 'cluster:
  gpu_types: {T: {power: [[0, 20W], [0.5, 120W], [1, 140W]]}}
  power: {idle: 0W, peak: 0W}
  groups: [{name: n, count: 1, cpus: 10, mem: 64GiB, gpus: 1}]' 'id,submit_s,duration_s,user,cpus,gpus,gpu_milli
s1,0,7200,u,1,1,500
s2,3600,3600,v,1,1,500'
check "by halves, as its table has it" same "$(told)" \
"all energy 0.26
all energy_idle 0.01
user=u energy 0.18
user=v energy 0.07
s1 0.18 
s2 0.07 "

# ---- a profile: with half the cores that it needs the job takes twice as long, its card at half its use ----
printf 'model,kind,layout,util,mem_bw,slow\nq,image,1N1G,linear:4,1GB/s,0:1\n' >"$dir/p.csv"
check "a profile says how busy a card is" run 'cluster:
  gpu_types: {T: {power: {idle: 20W, peak: 220W}}}
  groups: [{name: n, count: 1, cpus: 10, mem: 64GiB, gpus: 1, power: {idle: 0W, peak: 0W}}]
profiles: {file: p.csv}' 'id,submit_s,duration_s,user,cpus,gpus,model
j,0,3600,u,2,1,q'
check "half of 200 W above 20 W for two hours" same "$(told)" \
"all energy 0.24
all energy_idle 0.0
user=u energy 0.24
j 0.24 "

# Cards of 0 to 100 W on nodes that draw nothing: 100 W x gpu_active x what cards there were, which another
# collector integrates.  Gangs, several profiles, contention, cores that change.
check "training and CPU jobs run" \
    "$fairway" run -q "$here/scenarios/multiqueue/multiqueue.yaml" -s 1 -p multiqueue -d "$dir/m.db" \
    --set trace.generate.jobs=400 --set trace.generate.span=4h --set cluster.groups.0.count=4 \
    --set 'cluster.gpu_types={V100: {power: {idle: 0W, peak: 100W}}}' --set 'cluster.power={idle: 0W, peak: 0W}'
of() { echo "max(value) FILTER (WHERE name = '$1') AS $1"; }
check "their cards draw as they are active" same "$(sqlite3 "$dir/m.db" "
    SELECT abs(energy / (0.1 * gpu_active * gpu_hours / gpu_util) - 1) < 1e-4, energy > 1, gpu_active < gpu_util * 0.95
      FROM (SELECT $(of energy), $(of gpu_active), $(of gpu_hours), $(of gpu_util) FROM metric
           WHERE scope = 'all')")" "1|1|1"

# ---- random ones: shares, gangs, tables, hours, failures, preemptions with restores, cores that change ----
if ! command -v python3 >/dev/null; then
    echo "skipped - random clusters: no Python"
    exit $bad
fi
seed=0
for policy in srtf:estimate=true las multiqueue drf; do
    seed=$((seed + 1))
    mkdir "$dir/$seed"
    db=$dir/$seed/r.db scenario=$dir/$seed/s.json
    python3 "$here/tests/cli/energy.py" make $seed "$dir/$seed" $policy
    check "a random cluster under $policy runs" "$fairway" run -q -d "$db" "$scenario"
    check "and draws and costs what its tables say" python3 "$here/tests/cli/energy.py" check "$db" "$scenario"
done
many() { sqlite3 "$dir/$1/r.db" "SELECT count(*) > 30 FROM $2"; }
check "jobs were preempted" same "$(many 1 "attempt WHERE outcome = 'preempted'")" 1
check "nodes failed" same "$(many 2 "attempt WHERE outcome = 'failed'")" 1
check "cores changed" same "$(many 3 cores)" 1
exit $bad
