#!/bin/sh
# What jobs pay for distance, from the scenario to the table `job`: links between the cards of a node, links
# between nodes beside others' transfers, measured speeds.  The model's own tests are unit/model/test_distance.c.
. "$(dirname "$0")/lib.sh"

# run SCENARIO-LINES TRACE-LINES: how long each job took, "job seconds", in order of arrival
run() {
    printf '%s\n' "$1" 'policies: [{name: fifo}]' >"$dir/r.yaml"
    printf '%s\n' "$2" >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -d "$dir/r.db" "$dir/r.yaml" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
    sqlite3 "$dir/r.db" "SELECT id || ' ' || round((end_us - start_us) / 1e6, 1) FROM job ORDER BY ordinal"
}
trace='trace: {format: native, path: t.csv}'
speeds() { "$fairway" explain "$dir/r.db" 1 "$1" | grep -E 'goe?s? at .*nominal' | sed 's/^ *//'; }

# Two groups of two cards: two are near each other, three are not.  1 GB/s over 10 or over 2.
wired='cluster: {groups: [{name: n, count: 1, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: V100,
                   topology: {nvlink: 10GB/s, groups: [2, 2], pcie: 2GB/s}}]}'
jobs='id,submit_s,duration_s,user,cpus,gpus
one,0,100,a,1,1
two,1000,100,a,1,2
three,2000,100,a,1,3'
check "cards of a group exchange over NVLink, others over PCIe" same "$(run "$wired
profiles: {gpu_bw: 1GB/s}
output: {speeds: true}
$trace" "$jobs")" \
"one 100.0
two 110.0
three 150.0"
check "explain says that it is distance" same "$(speeds three)" "00:33:20  goes at 0.667 of nominal speed (0.667 distance)"
check "who exchanges nothing pays nothing" same "$(run "$wired
$trace" "$jobs")" \
"one 100.0
two 100.0
three 100.0"
printf 'model,kind,layout,util,gpu_bw\nq,image,1N2G,linear:1,4GB/s\n' >"$dir/p.csv"
check "a profile says what its model's cards exchange" same "$(run "$wired
profiles: {file: p.csv, gpu_bw: 1GB/s}
$trace" 'id,submit_s,duration_s,user,cpus,gpus,model
q,0,100,a,4,2,q')" "q 140.0"

# A gang on a and b, whose cards move 100 MB/s, exchanges as much; from a comes a block of 1 GB to c as well.
# 20 s at a third of nominal speed, then at a half.
printf 'job,stage,form,x,cpus,duration_s\nreader,s,map,f,4,1\n' >"$dir/stages.csv"
printf 'block,size,replicas\nf,1GB,a\n' >"$dir/blocks.csv"
three='cluster:
  groups:
    - {name: a, cpus: 2, mem: 8GiB, gpus: 1, gpu_type: V100}
    - {name: b, cpus: 2, mem: 8GiB, gpus: 1, gpu_type: V100}
    - {name: c, cpus: 4, mem: 8GiB}
profiles: {net_bw: 100MB/s}
trace: {format: native, path: t.csv, stages: stages.csv, blocks: blocks.csv}
output: {speeds: true}'
gang='id,submit_s,duration_s,user,cpus,gpus,tasks,gang
gang,0,100,a,2,1,2,1
reader,0,,a,,,,'
check "a gang shares its links with transfers" same "$(run "$three
network: {mode: shared, card: 100MB/s}" "$gang")" \
"gang 206.7
reader 21.0"
check "explain tells when it had them to itself" same "$(speeds gang)" \
"00:00:00  2 of 2 tasks go at 0.333 of nominal speed (0.333 distance)
00:00:20  2 of 2 tasks go at 0.5 of nominal speed (0.5 distance)"
check "in nominal mode neither knows of the other" same "$(run "$three
network: {disk: 100MB/s, rack: 100MB/s}" "$gang")" \
"gang 200.0
reader 11.0"

# Measured: .8 in a rack, .5 over two.
printf 'model,span,speed\nq,rack,0.8\nq,cross,0.5\n' >"$dir/apart.csv"
two_racks='cluster: {nodes_per_rack: 2, groups: [{name: n, count: 4, cpus: 48, mem: 256GiB, gpus: 2, gpu_type: V100}]}
network: {rack: 1Mb/s}
profiles: {net_bw: 1GB/s, distance: apart.csv}'
check "a measured speed takes the place of links" same "$(run "$two_racks
$trace" 'id,submit_s,duration_s,user,cpus,gpus,tasks,gang,model
node,0,100,a,1,2,1,0,q
rack,1000,100,a,1,2,2,1,q
cross,2000,100,a,1,2,3,1,q')" \
"node 100.0
rack 125.0
cross 200.0"

# Gavel's rows: each configuration of two GPUs and more, unconsolidated over consolidated steps/s, on every type.
gavel=${FAIRWAY_TRACES:-}/gavel/simulation_throughputs.json
if [ ! -f "$gavel" ] || ! command -v python3 >/dev/null; then
    echo "skipped - Gavel's unconsolidated jobs: no public traces, or no Python"
else
    cat >"$dir/apart.py" <<'END2'
import json, math, sys
table = json.load(open(sys.argv[1]))
with open(sys.argv[2] + "/t.csv", "w") as t, open(sys.argv[2] + "/expected", "w") as e:
    print("id,submit_s,duration_s,user,cpus,gpus,tasks,gang,gpu_type,model", file=t)
    at = 0
    for kind in ("k80", "p100", "v100"):
        for key, row in table[kind].items():
            model, gpus = eval(key)
            far = table[kind + "_unconsolidated"].get(key, {}).get("null")
            if gpus < 2 or not far or not row.get("null"): continue
            speed = math.floor(min(1, far / row["null"]) * 65536 + 0.5) / 65536
            print(f'{at},{at * 10 ** 8},1000000,u,1,1,2,1,{kind},"{model}#{gpus}"', file=t)
            print(f'{at} {1e6 / speed:.3f}', file=e)
            at += 1
END2
    exact() {
        python3 "$dir/apart.py" "$gavel" "$dir" || return 1
        cat >"$dir/g.yaml" <<END2
cluster:
  groups:
    - {name: k, count: 2, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: k80}
    - {name: p, count: 2, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: p100}
    - {name: v, count: 2, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: v100}
profiles: {distance: $gavel}
trace: {format: native, path: t.csv}
policies: [{name: fifo}]
END2
        "$fairway" run -q -d "$dir/g.db" "$dir/g.yaml" || return 1
        sqlite3 -separator ' ' "$dir/g.db" "SELECT id, (end_us - start_us) / 1e6 FROM job ORDER BY ordinal" >"$dir/found"
        paste -d ' ' "$dir/found" "$dir/expected" |
            awk '$1 != $3 || ($2 - $4) ^ 2 > ($4 * 1e-9 + 0.002) ^ 2 { print; bad = 1 } END { if (NR < 150) { print NR " jobs"; bad = 1 } exit bad }'
    }
    check "Gavel's unconsolidated jobs, every configuration on every type" exact
fi
exit $bad
