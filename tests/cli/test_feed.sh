#!/bin/sh
# How fast data come to jobs, from the scenario to the table `job`: what their memory keeps of a set, what the node's
# disk gives of the rest, what was measured.  The model's own tests are unit/model/test_feed.c.
. "$(dirname "$0")/lib.sh"

# run SCENARIO-LINES TRACE-LINES: how long each job took, "job seconds", in order of arrival
run() {
    printf '%s\n' "$1" 'trace: {format: native, path: t.csv}' 'policies: [{name: fifo}]' 'output: {speeds: true}' >"$dir/r.yaml"
    printf '%s\n' "$2" >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -d "$dir/r.db" "$dir/r.yaml" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
    sqlite3 "$dir/r.db" "SELECT id || ' ' || round((end_us - start_us) / 1e6, 1) FROM job ORDER BY ordinal"
}
speeds() { "$fairway" explain "$dir/r.db" 1 "$1" | grep -E 'goe?s? at .*nominal' | sed 's/^ *//'; }

node='cluster: {groups: [{name: n, count: 1, cpus: 48, mem: 256GiB, gpus: 4, gpu_type: V100}]}
profiles: {file: p.csv}'
printf 'model,kind,layout,util,data,data_bw\nq,image,1N1G,linear:1,40GiB,1GB/s\n' >"$dir/p.csv"
# Half and a quarter of the set from a disk of 600 MB/s: 250 MB/s are left over what an equal part would give; 350 of 500.
jobs='id,submit_s,duration_s,user,cpus,gpus,mem_mib,model
half,0,100,a,1,1,20480,q
most,0,100,a,1,1,30720,q
all,0,100,a,1,1,40960,q'
check "what memory does not keep comes from a disk that jobs share" same "$(run "$node
network: {disk: 600MB/s}" "$jobs")" \
"half 130.0
most 100.0
all 100.0"
check "explain says that it is data" same "$(speeds half)" \
"00:00:00  goes at 0.7 of nominal speed (0.7 data)
00:01:40  goes at nominal speed"
check "disks without a speed limit nobody" same "$(run "$node" "$jobs")" \
"half 100.0
most 100.0
all 100.0"

# Synergy's matrices: speed by cores and memory of each model on one GPU.  The best of each row and column are the curves;
# every cell is the lesser of the two.
synergy=${FAIRWAY_TRACES:-}/synergy/synergy_tput_matrices.csv
if [ ! -f "$synergy" ] || ! command -v python3 >/dev/null; then
    echo "skipped - Synergy's matrices: no public traces, or no Python"
else
    cat >"$dir/synergy.py" <<'END2'
import csv, math, sys
cpus, mib = (1, 2, 3, 4, 5, 6, 9, 12, 24), [round(gb * 1e9 / 2 ** 20) for gb in (20.83, 62.5, 125, 187.5, 250)]
models = {}
for row in csv.DictReader(open(sys.argv[1])):
    if row["set"] == "models" and row["gpus"] == "1": models.setdefault(row["model"], []).append([float(row["c%d" % m]) for m in range(5)])
t, p, e = (open(sys.argv[2] + "/" + f, "w") for f in ("t.csv", "p.csv", "expected"))
print("id,submit_s,duration_s,user,cpus,gpus,mem_mib,model", file=t)
print("model,kind,layout,util,memory", file=p)
at = 0
for model, cell in models.items():
    best = max(map(max, cell))
    by_cpu, by_mem = [max(row) for row in cell], [max(row[m] for row in cell) for m in range(5)]
    curve = lambda xs, ys: ";".join("%.9f:%.9f" % (x, y / best) for x, y in zip(xs, ys))
    print(f'{model},image,1N1G,{curve(cpus, by_cpu)},{curve([m * 2 ** 20 / 1e9 for m in mib], by_mem)}', file=p)
    for c in range(9):
        for m in range(5):
            print(f'{at},{at * 10 ** 8},100000,u,{cpus[c]},1,{mib[m]},{model}', file=t)
            print(f'{at} {1e5 * best / cell[c][m]:.3f}', file=e)
            at += 1
END2
    matrices() {
        python3 "$dir/synergy.py" "$synergy" "$dir" || return 1
        cat >"$dir/s.yaml" <<END2
cluster: {groups: [{name: n, count: 1, cpus: 24, mem: 256GiB, gpus: 1, gpu_type: V100}]}
profiles: {file: p.csv}
trace: {format: native, path: t.csv}
policies: [{name: fifo}]
END2
        "$fairway" run -q -d "$dir/s.db" "$dir/s.yaml" || return 1
        sqlite3 -separator ' ' "$dir/s.db" "SELECT id, (end_us - start_us) / 1e6 FROM job ORDER BY ordinal" >"$dir/found"
        # A rate is a multiple of 1/65536: of the slowest, 1/29.4 of the best, within half a part in two thousand.
        paste -d ' ' "$dir/found" "$dir/expected" |
            awk '$1 != $3 || ($2 - $4) ^ 2 > ($4 * 3e-4) ^ 2 { print; bad = 1 } END { if (NR != 540) { print NR " jobs"; bad = 1 } exit bad }'
    }
    check "Synergy's matrices, every cell of every model on one GPU" matrices
fi
exit $bad
