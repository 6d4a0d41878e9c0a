#!/bin/sh
# Where data lies, whole files instead of blocks; and how fast it comes, measured instead of stated.
. "$(dirname "$0")/lib.sh"
flow=$here/scenarios/flow-paper

# replay DB SCENARIO SET...: ten seeds of a scenario of the flow paper with these set
replay() {
    db=$dir/$1.db scenario=$flow/$2.yaml; shift 2
    for set; do set -- "$@" --set "$set"; shift; done
    "$fairway" run -q -d "$db" "$scenario" --set seeds=10 "$@" 2>"$dir/err" || { echo "not ok $scenario runs"; cat "$dir/err"; exit 1; }
}
# means DB: lines "POLICY|METRIC|MEAN"; the flow policies' labels have no commas
means() {
    "$fairway" compare "$dir/$1.db" --csv -m dt,bytes_read,bytes_local,bytes_rack,bytes_cross,rack_share,cross_share,local_share \
        2>"$dir/err" |
        sed 's/, /; /g; s/,"[a-z]*:[^"]*"/,spec/; s/"//g' | awk -F, 'NR > 1 && $6 == "all" { print $2 "|" $5 "|" $9 }'
}
# holds FILE EXPRESSION: of v(POLICY, METRIC), the means in a file
holds() {
    awk -F'|' '{ m[$1 "|" $2] = $3 }
        function v(p, x) { if (!((p "|" x) in m)) { print "no " x " of " p; exit bad = 1 } return m[p "|" x] }
        END { if (bad) exit 1; if ('"$2"') exit bad; print "found"; for (k in m) print k, m[k]; exit 1 }' "$1"
}

# Table 1: GS and FS read 25 and 23 % within racks, 15 and 12 % across; by blocks (flow-k1.yaml) 7 and 4 %.
replay files flow-k1 data.rule=file data.replicas=4 "policies=[gs, fs, {name: fsp, label: fsp, replace: true}]"
means files >"$dir/files"
check "S4-27: with copies of whole files GS reads at least 25 % within racks and 10 % across" \
    holds "$dir/files" 'v("gs", "rack_share") > 0.25 && v("gs", "cross_share") > 0.1'
check "S4-27: and FSP less of both than GS and FS" \
    holds "$dir/files" 'v("fsp", "rack_share") < 0.9 * v("gs", "rack_share") && v("fsp", "rack_share") < 0.9 * v("fs", "rack_share") &&
                        v("fsp", "cross_share") < 0.9 * v("gs", "cross_share") && v("fsp", "cross_share") < 0.9 * v("fs", "cross_share")'
check "S4-25: every byte is read once, wherever it lies" holds "$dir/files" 'v("gs", "bytes_read") == 1.26438e12 && v("fsp", "bytes_read") == 1.26438e12'

# Ten users' jobs: DT of FS is 0.887 of capacity's.
replay users flow-users data.rule=file data.replicas=4 "policies=[fs, capacity, fair]"
means users >"$dir/users"
check "S4-34: with copies of whole files FS beats fair and capacity" \
    holds "$dir/users" 'v("fs", "dt") < v("capacity", "dt") && v("fs", "dt") < v("fair", "dt")'

# Blocks of which the trace says that they are one file, as the rule has it.
cat >"$dir/parts.yaml" <<'END'
cluster:
  groups:
    - {name: n, count: 20, cpus: 4, mem: 8GiB, gpus: 1, gpu_type: GPU, gpu_mem: 10GB}
network: {disk: 100MB/s, rack: 10MB/s}
data: {replicas: 2}
trace: {format: native, path: jobs.csv, stages: stages.csv, blocks: blocks.csv}
policies: [gs]
output: {decisions: true}
END
printf 'id,submit_s\nj,0\n' >"$dir/jobs.csv"
printf 'job,stage,form,x,gpus,duration_s\nj,s,map,f/*,1,1\n' >"$dir/stages.csv"
{ echo 'block,size,file,offset'; echo f,1GB,,; for k in 0 1 2 3 4 5 6 7; do echo "f/$k,100MB,f,"; done; } >"$dir/blocks.csv"
# Eight tasks of a GPU each, at once, on as many nodes: of these two hold the file.
parts() { "$fairway" run -q -d "$dir/parts-$1.db" "$dir/parts.yaml" --set "data.rule=$1" && means "parts-$1" >"$dir/parts-$1"; }
check "a file's parts are read where it lies" parts file
check "and two nodes hold all of them" holds "$dir/parts-file" 'v("gs", "local_share") == 2 / 8'
check "by block they lie on many" parts random
check "so that all tasks read locally" holds "$dir/parts-random" 'v("gs", "local_share") == 1'

# With cards of 1 Gb/s the slowest link of a path across racks is the same whether the switch between them has 1 or
# 10 Gb/s; what transfers got is not.
for s in flow-k6 flow-k6-10g; do
    case $s in *-10g) between=10Gb/s ;; *) between=1Gb/s ;; esac
    replay $s $s data.rule=file data.replicas=4 network.estimate=measured "policies=[fs]" network.card=1Gb/s network.rack=4Gb/s \
        network.aggregation=$between network.disk=500MB/s trace.workload.compute=1038MB/s
    means $s | sed "s/^fs/$s/" >>"$dir/switches"
done
check "S4-32: measuring, FS reads more across racks with 10 Gb/s, less in racks and locally" \
    holds "$dir/switches" 'v("flow-k6-10g", "bytes_cross") > 1.2 * v("flow-k6", "bytes_cross") && v("flow-k6-10g", "bytes_rack") < v("flow-k6", "bytes_rack") &&
    v("flow-k6-10g", "bytes_local") < v("flow-k6", "bytes_local")'

# Nothing but what policies are told changes: one that does not ask what reading costs decides the same.
digests() { sqlite3 "$dir/same.db" "SELECT count(*), count(DISTINCT digest) FROM run WHERE policy = '$1'"; }
for e in static measured; do
    "$fairway" run -q -s 1..2 -d "$dir/same.db" "$flow/flow-k6.yaml" --set network.estimate=$e -p capacity -p fs || bad=1
done
check "runs of a policy that does not look are the same" same "$(digests capacity)" "4|2"
check "those of one that does are not" same "$(digests fs)" "4|4"

# Two tasks read 100 MB each across 100 MB/s at once, 2 s; a third, which waits for one of their GPUs, asks what it
# would take: 1 s on its own as stated, 2 s as measured; and before anything was measured what it starts with.
cat >"$dir/asks.yaml" <<'END'
cluster:
  groups:
    - {name: a, cpus: 4, mem: 8GiB, rack: a}
    - {name: b, count: 2, cpus: 4, mem: 8GiB, gpus: 1, gpu_type: GPU, rack: b}
network: {mode: shared, aggregation: 100MB/s}
trace: {format: native, path: asks-jobs.csv, stages: asks-stages.csv, blocks: asks-blocks.csv}
END
printf 'id,submit_s\nj,0\n' >"$dir/asks-jobs.csv"
printf 'job,stage,form,x,gpus,duration_s\nj,s,map,B*,1,1\n' >"$dir/asks-stages.csv"
printf 'block,size,replicas\nB0,100MB,a\nB1,100MB,a\nB2,100MB,a\n' >"$dir/asks-blocks.csv"
cat >"$dir/asks.py" <<'END'
import fairway

class Asks(fairway.Policy):
    name = "asks"

    def decide(self):
        for unit in list(self.waiting):
            told = self.query(unit.tasks[0], [self.nodes[1]])["transfer"][0]
            assert (told["cross"], told["local_us"], told["rack_us"]) == (100000000, 0, 0), told
            self.record("%d at %d" % (unit.tasks[0].index, self.now), told["cross_us"])
            places = self.place(unit)
            if places:
                self.start(unit, places)

fairway.run(Asks)
END
asks() {        # SET...: what was told at 0, and then
    rm -f "$dir/asks.db"
    for set; do set -- "$@" --set "$set"; shift; done
    PYTHONPATH=$here/python "$fairway" run -q -d "$dir/asks.db" "$dir/asks.yaml" -p "exec:python3 $dir/asks.py" "$@"
    sqlite3 "$dir/asks.db" "SELECT name || ': ' || CAST(value AS INT) FROM note WHERE name IN ('2 at 0', '2 at 3000000') ORDER BY name"
}
check "a policy in a process is told stated speeds" same "$(asks)" "2 at 0: 1000000
2 at 3000000: 1000000"
check "or measured ones" same "$(asks network.estimate=measured)" "2 at 0: 1000000
2 at 3000000: 2000000"
check "which start where the scenario says" same "$(asks network.estimate=measured network.start.aggregation=50MB/s)" "2 at 0: 2000000
2 at 3000000: 2000000"

# heft reckons what followers read: two tasks of 3 s after one that writes 100 MB, for which another node takes 1 s.
cat >"$dir/plan.yaml" <<'END'
cluster:
  groups:
    - {name: n, count: 2, cpus: 4, mem: 8GiB, engines: {npu: 1}}
engines: {times: plan-times.csv}
network: {mode: shared, rack: 100MB/s, estimate: measured}
trace: {format: native, path: asks-jobs.csv, stages: plan-stages.csv, calls: plan-calls.csv}
output: {attempts: true}
END
printf 'job,stage,x,duration_s,output\nj,a,,0,100MB\nj,b,@a,0,\nj,c,@a,0,\n' >"$dir/plan-stages.csv"
printf 'job,task,call,api,size_b\nj,,0,work,1000\n' >"$dir/plan-calls.csv"
printf 'api,engine,size_b,time_s\nwork,npu,1000,3\n' >"$dir/plan-times.csv"
nodes() {       # SET...: on how many nodes they run
    rm -f "$dir/plan.db"
    for set; do set -- "$@" --set "$set"; shift; done
    "$fairway" run -q -d "$dir/plan.db" "$dir/plan.yaml" -p heft "$@" && sqlite3 "$dir/plan.db" "SELECT count(DISTINCT node) FROM call"
}
check "a planner uses both nodes at the stated speed" same "$(nodes)" 2
check "and one if reading from another takes long by what it is told" same "$(nodes network.start.rack=1MB/s)" 1
exit $bad
