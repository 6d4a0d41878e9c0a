#!/bin/sh
# run --tie-seed: what is equal comes in every order, nothing else changes, and the table says how far results hang on it.
. "$(dirname "$0")/lib.sh"
db=$dir/t.db
cluster() { printf 'name: t\ncluster: {gpu_types: {A: {speed: 1}, B: {speed: 0.5}}, groups: [%s]}\ntrace: {format: native, path: t.csv}\npolicies: [fifo]\n%s\n' "$1" "${2:-}"; }
node() { echo "{name: $1, count: ${3:-1}, cpus: 8, mem: 64GiB, gpus: 1, gpu_type: $2}"; }

# Three jobs of 1, 2 and 3 s for one GPU: the six orders have mean times of 10/3 to 14/3 s.
printf 'id,submit_s,duration_s,gpus\na,0,1,1\nb,0,2,1\nc,0,3,1\n' >"$dir/t.csv"
cluster "$(node n A)" >"$dir/t.yaml"
check 'jobs that arrive together' expect 0 "$fairway" run "$dir/t.yaml" -d "$db" --tie-seed 1..30
row() { grep "^$1 " "$dir/out" | tr -s ' '; }
check 'come in every order: the means are those by hand' same "$(row jct_mean)" 'jct_mean fifo s 3.33333 3.33333 4.66667 40 %'
check 'and the makespan hangs on none' same "$(row makespan)" 'makespan fifo s 6 6 6 0 %'
check 'every order is a run' [ "$(sqlite3 "$db" 'SELECT count(*), count(DISTINCT digest) FROM run')" = '31|6' ]
"$fairway" run "$dir/t.yaml" -q -d "$dir/one.db" --set tie_seed=7
check 'the key in the scenario does the same' same \
    "$(sqlite3 "$dir/one.db" 'SELECT digest FROM run')" "$(sqlite3 "$db" "SELECT digest FROM run WHERE variant = 'tie_seed=7'")"

# Who waits for another stays behind it.
printf 'id,submit_s,duration_s,gpus,after\na,0,1,1,\nb,0,2,1,\nd,0,1,1,afterok:a\nc,0,3,1,\ne,0,1,1,afterany:d\n' >"$dir/t.csv"
rm "$db"
"$fairway" run "$dir/t.yaml" -q -d "$db" --tie-seed 1..30
check 'nobody waits for a job behind it' [ "$(sqlite3 "$db" 'SELECT count(*) FROM repair')" = 0 ]
check 'and who waits comes last' [ "$(sqlite3 "$db" "SELECT min(ordinal) FROM job WHERE id IN ('d', 'e')")" = 3 ]
check 'in the order of the trace' [ "$(sqlite3 "$db" "SELECT count(*) FROM job d JOIN job e USING (run) WHERE d.id = 'd' AND e.id = 'e' AND e.ordinal < d.ordinal")" = 0 ]

# Two nodes that are alike to the request, one twice as fast: one job goes to either.
printf 'id,submit_s,duration_s,gpus\na,0,10,1\n' >"$dir/t.csv"
rm "$db"
cluster "$(node n A), $(node m B)" 'output: {attempts: true}' >"$dir/t.yaml"
check 'nodes' expect 0 "$fairway" run "$dir/t.yaml" -d "$db" --tie-seed 1..10
check 'are met in either order' same "$(row jct_mean)" 'jct_mean fifo s 10 10 20 100 %'
check 'under their own names' [ "$(sqlite3 "$db" "SELECT count(*), sum((n.gpu_type = 'A') != (j.end_us - j.submit_us = 10000000)) FROM attempt a JOIN node n USING (run, node) JOIN job j USING (run, ordinal)")" = '11|0' ]

# Failures are of a node, whatever its number.
rm "$db"
cluster "$(node n A 6)" 'faults: {mtbf: 100s, mttr: 10s}' >"$dir/t.yaml"
echo 'output: {attempts: true}' >>"$dir/t.yaml"
printf 'id,submit_s,duration_s,gpus\na,0,1000,0\n' >"$dir/t.csv"
check 'with faults, audited' expect 0 "$fairway" run "$dir/t.yaml" -q -d "$db" --tie-seed 1..3 --audit
outages() { sqlite3 "$db" "SELECT n.name, down_us FROM outage o JOIN node n USING (run, node) WHERE run = $1 AND down_us < 1000000000 ORDER BY 1, 2"; }
numbers() { sqlite3 "$db" "SELECT name FROM node WHERE run = $1 ORDER BY node"; }
check 'some nodes fail' [ "$(outages 1 | wc -l)" -gt 20 ]
check 'the same ones at the same times' same "$(outages 1)" "$(outages 3)"
check 'under other numbers' [ "$(numbers 1)" != "$(numbers 3)" ]

for wrong in 0 x 3..1; do check "a tie seed $wrong" fails 2 'expected a whole number from 1' "$fairway" run "$dir/t.yaml" --tie-seed $wrong; done
check 'a tie seed in the scenario that is none' fails 2 "'tie_seed'" "$fairway" run "$dir/t.yaml" --set tie_seed=0
check 'not with --until' expect 2 "$fairway" run "$dir/t.yaml" --tie-seed 1 --until 'jct_mean 5%'
exit $bad
