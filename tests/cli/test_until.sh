#!/bin/sh
# run --until: seeds are added until the interval that was asked for is reached, and it is said where that cannot be.
. "$(dirname "$0")/lib.sh"
db=$dir/u.db
cat >"$dir/u.yaml" <<'END'
name: u
cluster: {groups: [{name: n, count: 4, cpus: 64, mem: 512GiB, gpus: 8}]}
trace: {format: generate, generate: {jobs: 200, span: 2d, dur_sigma: 0.5, tail_share: 0}}
jobs: {infeasible: reject}
policies: [fifo, srtf]
END
# Half the interval over the mean, of the policy for which that is most; and how many seeds.
share() {
    "$fairway" compare "$db" -m jct_mean --json >"$dir/json"
    sqlite3 ':memory:' "SELECT max(json_extract(value, '\$.ci95') / json_extract(value, '\$.mean')) < $1,
        max(json_extract(value, '\$.seeds')) FROM json_each(readfile('$dir/json'))"
}
check "seeds are added" expect 0 "$fairway" run "$dir/u.yaml" -q -d "$db" --until 'jct_mean ±2%'
got=$(share 0.02)
check "until the interval is as narrow as was asked for" [ "${got%|*}" = 1 ]
n=${got#*|}
check "which takes more than ten" [ "$n" -gt 10 ]
"$fairway" run "$dir/u.yaml" -q -d "$dir/v.db" -s "1..$n"
digests() { sqlite3 "$1" "SELECT policy, seed, digest FROM run ORDER BY policy, seed"; }
digests "$db" >"$dir/out"; digests "$dir/v.db" >"$dir/two"
check "the runs are those of so many seeds" cmp "$dir/out" "$dir/two"
rm "$db"
check "seeds of the command line come first" expect 0 "$fairway" run "$dir/u.yaml" -q -d "$db" -s 5..16 --until 'jct_mean 60%'
check "and are enough where they are" [ "$(sqlite3 "$db" "SELECT count(DISTINCT seed), min(seed), max(seed) FROM run")" = '12|5|16' ]
check "a metric that is none" expect 2 "$fairway" run "$dir/u.yaml" -q -d "$db" --until 'jct_men ±8%'
check "is named" says "no run in the database has the metric 'jct_men'"
check "a share that is none" expect 2 "$fairway" run "$dir/u.yaml" -q -d "$db" --until 'jct_mean'
check "with what is expected" says "expected a metric and a share of it, as 'wait_mean ±2%'"
cat >"$dir/f.yaml" <<'END'
name: f
cluster: {groups: [{name: n, count: 1, cpus: 1, mem: 1GiB, gpus: 0}]}
trace: {format: native, path: f.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s\na,0,1\n' >"$dir/f.csv"
check "where nothing hangs on the seed" expect 2 "$fairway" run "$dir/f.yaml" -q -d "$dir/f.db" --until 'jct_mean 8%'
check "it is said" says 'nothing hangs on the seed here'
check "with what has intervals" says 'fairway compare --batches'
exit $bad
