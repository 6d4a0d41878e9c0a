#!/bin/sh
# Cards cut into parts by MIG: how many there are, how much memory they have and how fast they are, by their names.
. "$(dirname "$0")/lib.sh"

# run CLUSTER-LINES TRACE-LINES: how long each job took and where, "job seconds node cards", in order of arrival
run() {
    printf '%s\n' "$1" 'trace: {format: native, path: t.csv}' 'policies: [{name: fifo, mode: skip}]' >"$dir/r.yaml"
    printf '%s\n' "$2" >"$dir/t.csv"
    rm -f "$dir/r.db"
    "$fairway" run -q --audit -d "$dir/r.db" "$dir/r.yaml" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
    sqlite3 "$dir/r.db" "SELECT id || ' ' || status || coalesce(' ' || round((end_us - start_us) / 1e6, 1), '') FROM job ORDER BY ordinal"
}
mixed='cluster:
  gpu_types: {A100: {speed: 2, mem: 40GiB}}
  groups:
    - {name: cut, count: 1, cpus: 48, mem: 256GiB, gpus: 2, gpu_type: A100, mig: 3g.20gb}
    - {name: fine, count: 1, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: A100, mig: 1g.5gb}
    - {name: whole, count: 1, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: A100}'

# 3/7 and 1/7 of an A100, whose speed is 2: 700 s of nominal work take 816.7, 2450 (a rate is a multiple of 1/65536) and 350 s.
names='id,submit_s,duration_s,user,cpus,gpus,gpu_type
half,0,700,a,1,1,A100-3g.20gb
slice,0,700,a,1,1,A100-1g.5gb
whole,0,700,a,1,1,A100'
check "a job asks for a part by its name, and goes at its share of the card" same "$(run "$mixed" "$names")" \
"half done 816.7
slice done 2449.9
whole done 350.0"
check "a model goes at its share, too, unless the row says more" same "$(run "$mixed
models: {m: {A100: 4, A100-1g.5gb: 1}}" "$(echo "$names" | sed '1s/$/,model/; 2,$s/$/,m/')")" \
"half done 408.3
slice done 700.0
whole done 175.0"
check "a part may have a speed of its own" same "$(run "$(echo "$mixed" | sed 's/40GiB}}/40GiB}, A100-1g.5gb: {speed: 0.7}}/')" "$names")" \
"half done 816.7
slice done 1000.0
whole done 350.0"
draw='power: {idle: 1W, peak: 3W}'
powered=$(echo "$mixed" | sed "s/^cluster:/&\n  $draw/; s/40GiB}}/40GiB, $draw}, A100-1g.5gb: {$draw}, A100-3g.20gb: {$draw}}/")
check "what the type of a part does not state is its share: its power alone changes no speed" same "$(run "$powered" "$names")" \
"half done 816.7
slice done 2449.9
whole done 350.0"

# Two cards make four halves of 20 GiB, and one seven slices of 5.
many() { echo 'id,submit_s,duration_s,user,cpus,gpus,gpu_type'; for i in $(seq "$1"); do echo "$i,0,70,a,1,1,A100-$2"; done; }
most() { run "$mixed" "$(many "$1" "$2")" >/dev/null && sqlite3 "$dir/r.db" "SELECT sum(start_us = 0) FROM job"; }
check "two cards are four halves" same "$(most 6 3g.20gb)" 4
check "one card is seven slices" same "$(most 9 1g.5gb)" 7
check "each with its eighths of the memory" same "$(run "$mixed
jobs: {infeasible: reject}" 'id,submit_s,duration_s,user,cpus,gpus,gpu_mem_mib,gpu_type
fits,0,70,a,1,1,5120,A100-1g.5gb
not,0,70,a,1,1,5121,A100-1g.5gb
half,0,70,a,1,1,20480,A100-3g.20gb')" \
"fits done 245.0
not rejected 0.0
half done 81.7"

# 1g.5gb has 4,864 MiB for users; and cores, which the card states none of.
own=$(echo "$mixed" | sed 's/40GiB}}/40GiB}, A100-1g.5gb: {mem: 4864MiB, cores: 14}}/')
check "or as much, and as many cores, as its own type states" same "$(run "$own
jobs: {infeasible: reject}" 'id,submit_s,duration_s,user,cpus,gpus,gpu_mem_mib,gpu_cores,gpu_type
fits,0,70,a,1,1,4864,14,A100-1g.5gb
large,0,70,a,1,1,4865,14,A100-1g.5gb
wide,0,70,a,1,1,4864,15,A100-1g.5gb
half,0,70,a,1,1,20480,,A100-3g.20gb')" \
"fits done 245.0
large rejected 0.0
wide rejected 0.0
half done 81.7"

# Every profile of both sizes of cards: parts, and the memory of each.
for line in 40:1g.5gb:7:5 40:1g.10gb:4:10 40:2g.10gb:3:10 40:3g.20gb:2:20 40:4g.20gb:1:20 40:7g.40gb:1:40 \
            80:1g.10gb:7:10 80:1g.20gb:4:20 80:2g.20gb:3:20 80:3g.40gb:2:40 80:4g.40gb:1:40 80:7g.80gb:1:80; do
    IFS=: read -r card name parts mem <<END2
$line
END2
    run "cluster: {groups: [{name: n, cpus: 48, mem: 256GiB, gpus: 1, gpu_type: H100, gpu_mem: ${card}GiB, mig: $name}]}
jobs: {infeasible: reject}" "id,submit_s,duration_s,user,cpus,gpus,gpu_mem_mib,gpu_type
fits,0,70,a,1,1,$((mem * 1024)),H100-$name
not,0,70,a,1,1,$((mem * 1024 + 1)),H100-$name" >/dev/null
    echo "$card $name $(sqlite3 "$dir/r.db" "SELECT n_gpu FROM node; SELECT status FROM job ORDER BY ordinal" | paste -sd' ')"
    echo "$card $name $parts done rejected" >>"$dir/wanted"
done >"$dir/found"
check "every profile of cards of 40 and 80 GB" same "$(cat "$dir/found")" "$(cat "$dir/wanted")"
exit $bad
