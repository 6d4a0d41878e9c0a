#!/bin/sh
# What jobs on one machine cost each other, from the scenario to the table `job`: memory bandwidth that is
# divided, cores by the speed of the GPU, shared cards.  The model's own tests are unit/model/test_contention.c.
. "$(dirname "$0")/lib.sh"

# took: how long each job of the last run took, "job seconds", in order of arrival
took() { sqlite3 "$dir/r.db" "SELECT id || ' ' || round((end_us - start_us) / 1e6, 2) FROM job ORDER BY ordinal"; }
# run SCENARIO-LINES TRACE-LINES: and what each job took
run() {
    printf '%s\n' "$1" 'trace: {format: native, path: t.csv}' 'policies: [{name: fifo}]' >"$dir/r.yaml"
    printf '%s\n' "$2" >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -d "$dir/r.db" "$dir/r.yaml" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
    took
}
cat >"$dir/p.csv" <<'END'
model,kind,layout,util,mem_bw,slow
q,image,1N1G,linear:4,30GB/s,0:1;40:1.1;80:1.5;100:2
END

node='cluster: {groups: [{name: n, count: 1, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: V100, mem_bandwidth: 100GB/s}]}'
hogs='id,submit_s,duration_s,user,cpus,gpus,model,mem_bw_mbs
A,0,100,a,8,0,,90000
B,0,100,a,8,0,,90000
C,0,100,a,8,0,,90000
D,0,100,a,8,0,,90000'

# 90 of 25: 3.6 times as long.
check "four jobs of 90 GB/s on a node of 100 take 360 s" same "$(run "$node" "$hogs")" \
"A 360.01
B 360.01
C 360.01
D 360.01"
# 90 and 20: max-min 80 and 20; in proportion both get 10/11, and the large one has the node to itself after 110 s.
pair='id,submit_s,duration_s,user,cpus,gpus,mem_bw_mbs
A,0,100,a,8,0,90000
B,0,100,a,8,0,20000'
check "max-min lets the modest be" same "$(run "$node" "$pair")" \
"A 111.11
B 100.0"
check "in proportion all lose alike" same "$(run "$node
profiles: {division: proportional}" "$pair")" \
"A 110.0
B 110.0"

# The story tells the product: B asks for 20 of 100 GB/s beside 90, and goes at 1 once A has ended.
speeds() { "$fairway" explain "$dir/r.db" 1 "$1" | grep -F 'goes at' | sed 's/^ *//'; }
check "speeds are recorded" run "$node
output: {speeds: true}" "$pair" >/dev/null
check "explain tells how fast a job goes, and why" same "$(speeds A)" \
"00:00:00  goes at 0.889 of nominal speed (0.889 memory bandwidth)
00:01:40  goes at nominal speed"
check "and of one that is not slowed" same "$(speeds B)" "00:00:00  goes at nominal speed"

# Half the cores that a GPU of nominal speed needs are all that a K80 at a quarter needs, and an eighth of what an A100 at 4 does.
two="cluster:
  gpu_types: {K80: {speed: 0.25}, A100: {speed: 4}}
  groups: [{name: k, count: 1, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: K80},{name: a, count: 1, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: A100}]"
jobs='id,submit_s,duration_s,user,cpus,gpus,gpu_type,model
slow,0,1000,a,2,1,K80,q
fast,0,1000,a,2,1,A100,q'
check "half the cores hurt an A100 more than a K80" same "$(run "$two
profiles: {file: p.csv}" "$jobs")" \
"slow 4000.0
fast 2000.0"
check "cores as measured hurt both alike" same "$(run "$two
profiles: {file: p.csv, cores: as-measured}" "$jobs")" \
"slow 8000.0
fast 500.0"
sed 's/$/,/; 1s/,$/,gpu_type/; $p; $s/linear:4,30GB/linear:16,30GB/; $s/$/A100/' "$dir/p.csv" >"$dir/typed.csv"
check "a row of the type says what it needs there" same "$(run "$two
profiles: {file: typed.csv}" "$jobs")" \
"slow 4000.0
fast 2000.0"

# A gang of four on as many racks, 1 MB/s each way between them, of which each task sends a quarter at nominal speed.
racks='cluster: {groups: [{name: n, count: 4, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: V100}], nodes_per_rack: 1}
network: {rack: 8Mb/s, aggregation: 8Mb/s}
profiles: {net_bw: 250kB/s}'
check "a gang pays for distance, and not on one node" same "$(run "$racks" 'id,submit_s,duration_s,user,cpus,gpus,tasks,gang
one,0,100,a,4,4,1,0
spread,0,100,a,4,4,4,1')" \
"one 100.0
spread 125.0"

halves='id,submit_s,duration_s,user,cpus,gpus,gpu_milli
s1,0,100,a,1,1,500
s2,0,100,a,1,1,500
f,200,100,a,1,1,1000'
one='cluster: {groups: [{name: n, count: 1, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: V100}]}'
check "sharing a card is free unless the scenario says otherwise" same "$(run "$one" "$halves")" \
"s1 100.0
s2 100.0
f 100.0"
check "two halves in full use take twice as long" same "$(run "$one
profiles: {sharing: {}}" "$halves")" \
"s1 200.0
s2 200.0
f 100.0"
check "at utilisations of .6 each, 1.2 times" same "$(run "$one
profiles: {sharing: {utilisation: 0.6}}" "$halves")" \
"s1 120.0
s2 120.0
f 100.0"
printf 'model,beside,speed\na,b,0.8\nb,a,0.5\n' >"$dir/pairs.csv"
check "measured pairs as they were measured" same "$(run "$one
profiles: {sharing: {file: pairs.csv}}" 'id,submit_s,duration_s,user,cpus,gpus,gpu_milli,model
a,0,80,u,1,1,500,a
b,0,50,u,1,1,500,b')" \
"a 100.0
b 100.0"

# Gavel's table: each beside the other as its co-located steps/s over those alone say, for every pair on a K80.
gavel=${FAIRWAY_TRACES:-}/gavel/simulation_throughputs.json
if [ ! -f "$gavel" ] || ! command -v python3 >/dev/null; then
    echo "skipped - Gavel's co-located jobs: no public traces, or no Python"
else
    cat >"$dir/pairs.py" <<'END'
import json, math, sys
table = json.load(open(sys.argv[1]))["k80"]
name = lambda key: "%s#%d" % eval(key)
pairs = [(a, b, v) for a in table for b, v in table[a].items() if b != "null" and min(v) > 0 and a != b and table[b].get("null")]
with open(sys.argv[2] + "/t.csv", "w") as t, open(sys.argv[2] + "/expected", "w") as e:
    print("id,submit_s,duration_s,user,cpus,gpus,gpu_milli,model", file=t)
    at = 0
    for i, (a, b, v) in enumerate(pairs):
        for k, (x, alone) in enumerate([(a, table[a]["null"]), (b, table[b]["null"])]):
            print(f'{i}{"ab"[k]},{at},1000000,u,1,1,500,"{name(x)}"', file=t)
        # How far each is when the first ends; the speeds are in 1/65536.
        speed = [math.floor(min(1, v[k] / table[[a, b][k]]["null"]) * 65536 + 0.5) / 65536 for k in (0, 1)]
        first = min(1e6 / speed[0], 1e6 / speed[1])
        for k in (0, 1): print(f'{i}{"ab"[k]} {first + 1e6 - first * speed[k]:.3f}', file=e)
        at += 10 ** 9
END
    # Exactly: all but the pairs whose speed lies between two multiples of 1/65536, at most a part in a million of these.
    exact() {
        python3 "$dir/pairs.py" "$gavel" "$dir" || return 1
        cat >"$dir/g.yaml" <<END
cluster: {groups: [{name: n, count: 1, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: K80}]}
profiles: {sharing: {file: $gavel}}
trace: {format: native, path: t.csv}
policies: [{name: fifo}]
END
        "$fairway" run -q -d "$dir/g.db" "$dir/g.yaml" || return 1
        sqlite3 -separator ' ' "$dir/g.db" "SELECT id, (end_us - start_us) / 1e6 FROM job ORDER BY ordinal" >"$dir/found"
        paste -d ' ' "$dir/found" "$dir/expected" |
            awk '$1 != $3 || ($2 - $4) ^ 2 > ($4 * 1e-9 + 0.002) ^ 2 { print; bad = 1 } END { if (NR < 500) { print NR " jobs"; bad = 1 } exit bad }'
    }
    check "Gavel's co-located jobs, every pair on a K80" exact
fi
exit $bad
