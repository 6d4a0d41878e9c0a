#!/bin/sh
# Policy synergy: cores and memory that a round gives and takes back, worked out by hand, and what it refuses.
. "$(dirname "$0")/lib.sh"

# On a node of 4 cores and 100 GB with 2 GPUs, `cores` goes at its best with 4 cores, `memory` with 100 GB; with its
# fair share, 2 cores and 50 GB, each goes at half of that.
cat >"$dir/p.csv" <<'END'
model,kind,layout,util,memory
cores,image,1N1G,2:0.5;4:1,10:1
memory,image,1N1G,1:1,50:0.5;100:1
END
columns=id,submit_s,duration_s,user,cpus,gpus,mem_mib,model
# run SPEC MODEL: how both jobs end, in seconds, and that the ledger is as the record has it at every instant
run() {
    cat >"$dir/s.yaml" <<END
cluster: {groups: [{name: n, count: 1, cpus: 4, mem: 100GB, gpus: 2, gpu_type: V100}]}
profiles: {file: p.csv}
trace: {format: native, path: t.csv}
output: {decisions: true}
END
    printf '%s\nlong,0,600,u,1,1,1024,%s\nshort,10,300,u,1,1,1024,%s\n' $columns "$2" "$2" >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -p "synergy:$1" -d "$dir/r.db" "$dir/s.yaml" || return 1
    "$fairway" explain "$dir/r.db" 1 short >/dev/null || return 1
    sqlite3 "$dir/r.db" "SELECT group_concat(id || ' ' || CAST(round(end_us / 1e6) AS INT), ', ')
                         FROM (SELECT * FROM job ORDER BY ordinal)"
}
held() {
    sqlite3 "$dir/r.db" "SELECT id, at_us / 1000000, c.cpu_milli, round(c.mem_b / 1e9, 1)
                         FROM cores c JOIN job USING (run, ordinal) ORDER BY seq"
}

# Alone the first has all; when the second is there, at 300 s, both have half and end 600 s later.
check "tune takes back what a peer has above its fair share" same "$(run order=fifo cores)" "long 900, short 900"
check "cores as they were given: what shrinks first, then what grows" same "$(held)" "long|0|4000|10.0
long|300|2000|10.0
long|300|2000|50.0
short|300|2000|50.0"
check "and the same of memory" same "$(run order=fifo memory)" "long 900, short 900"
check "memory as it was given" same "$(held)" "long|0|1000|100.0
long|300|1000|50.0
long|300|2000|50.0
short|300|2000|50.0"
check "greedy: who does not find its best waits for another round" \
    same "$(run alloc=greedy,order=fifo cores)" "long 600, short 900"
check "proportional: half for each" same "$(run alloc=proportional,order=fifo cores)" "long 1200, short 900"
check "srtf: the shorter has its turn at the next round" \
    same "$(run alloc=greedy,order=srtf cores)" "long 600, short 900"
check "las: who had less comes first, and the other waits for it" \
    same "$(run alloc=greedy,order=las cores)" "long 900, short 600"

# Each alone would have all that it profits by.  Together the program gives the first three cores and the other one: 0.75
# of its best and 0.5.  At 600 the other ends, and the first has 150 s left; with tune both have half.
mixed() {
    run "$1" cores >/dev/null || return 1
    printf '%s\nlong,0,600,u,1,1,1024,cores\nshort,0,300,u,1,1,1024,memory\n' $columns >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -p "synergy:$1" -d "$dir/r.db" "$dir/s.yaml" || return 1
    sqlite3 "$dir/r.db" "SELECT group_concat(id || ' ' || CAST(round(end_us / 1e6) AS INT), ', ')
                         FROM (SELECT * FROM job ORDER BY ordinal)"
}
check "opt: cores to whom they help" same "$(mixed alloc=opt,order=fifo)" "long 750, short 600"
check "where tune falls back to fair shares" same "$(mixed alloc=tune,order=fifo)" "long 900, short 600"

# At 300 `short` is done and `long` moves to the first node, which fails at 400: it waits for the round of 600.
moved() {
    cat >"$dir/m.yaml" <<END
cluster:
  groups:
    - {name: a, cpus: 4, mem: 100GB, gpus: 1, gpu_type: V100}
    - {name: b, cpus: 4, mem: 100GB, gpus: 1, gpu_type: V100}
profiles: {file: p.csv}
trace: {format: native, path: t.csv}
faults: {trace: f.csv}
END
    printf 'at_s,node,event\n400,a,down\n2000,a,up\n' >"$dir/f.csv"
    printf '%s\nshort,0,300,u,1,1,1024,cores\nlong,0,900,u,1,1,1024,cores\n' $columns >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -p synergy:order=fifo,place=first -d "$dir/r.db" --log "$dir/m.log" "$dir/m.yaml" ||
        return 1
    awk '$2 == "start" && $3 == "long" { print $1 / 1000000, $5 }' "$dir/m.log"
}
check "who moved and lost its node starts with the next round" same "$(moved)" "0 b
300 a
600 b"

# Random jobs, by a second writing of the rule.
printf 'model,kind,layout,util,memory\ncores,image,1N1G,2:0.5;4:1,10:1\n' >"$dir/q.csv"
cat >"$dir/q.yaml" <<'END'
cluster: {groups: [{name: n, count: 3, cpus: 24, mem: 160GB, gpus: 8, gpu_type: V100}]}
profiles: {file: q.csv}
trace: {format: native, path: t.csv}
END
agree() {
    for seed in 1 2 3 4; do
        (cd "$dir" && python3 "$here/tests/cli/synergy.py" $seed "$1" "$2" "$3" $4) || return 1
        rm -f "$dir/q.db"
        spec=synergy:alloc=$1,order=$2,place=$3${4:+,refill=false}
        "$fairway" run -q --audit -p "$spec" -d "$dir/q.db" "$dir/q.yaml" || return 1
        found=$(sqlite3 -separator ' ' "$dir/q.db" "SELECT id, end_us FROM job ORDER BY ordinal")
        same "$found" "$(cat "$dir/expected")" || return 1
    done
}
if command -v python3 >/dev/null; then
    for alloc in proportional greedy tune; do
        check "random jobs, $alloc: by arrival, on the first node" agree $alloc fifo first ""
        check "random jobs, $alloc: by time left, packed" agree $alloc srtf pack ""
        check "random jobs, $alloc: by service, packed, GPUs picked first" agree $alloc las pack norefill
    done
else
    echo "skipped - random jobs: no Python"
fi

refuses() {
    printf '%s\nodd,0,600,u,1,%s,1024,%s\n' $columns "$2" "$3" >"$dir/t.csv"
    fails 4 "$1" "$fairway" run -q -p synergy -d "$dir/r.db" "$dir/s.yaml"
}
check "a job without a profile is named, and what is missing" refuses "job 'odd' has no profile" 1 other
check "and one that asks for no GPU" refuses "job 'odd' asks for no GPU" 0 cores
exit $bad
