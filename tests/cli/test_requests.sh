#!/bin/sh
# More different requests than keep their ids: a sampled run, in which all do as its metrics count requests, has the
# digest and the numbers of one in which ids are used again.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
    print "id,submit_s,duration_s,user,cpus,mem_mib,gpus"
    for (i = 0; i < 12000; i++)
        printf "%d,%d,%d,u%d,%d,%d,%d\n", i, i * 20, 60 + i * 7919 % 1000, i % 5, 1 + i % 13, 1 + i, i % 3 == 0
}' >"$dir/jobs.csv"
cat >"$dir/s.yaml" <<'END'
cluster:
  groups:
    - {name: a, count: 6, cpus: 64, mem: 512GiB, gpus: 4, gpu_type: A100}
    - {name: b, count: 6, cpus: 64, mem: 512GiB}
trace: {format: native, path: jobs.csv}
policies: [fifo, "easy:estimate=true", drf, multiqueue, kube-default]
output: {jobs: false}
END
run() { db=$1; shift; expect 0 "$fairway" run -q -s 1 -d "$dir/$db.db" "$dir/s.yaml" "$@"; }
both_run() { run again && run stay --set output.sample_every=6h; }
# Of metrics that sampling does not add, and the digests.
differ() {
    sqlite3 "$dir/again.db" "ATTACH '$dir/stay.db' AS stay;
        CREATE TEMP VIEW a AS SELECT r.policy, m.name, m.scope, m.value FROM main.metric m JOIN main.run r ON r.id = m.run
            WHERE m.name NOT IN ('events', 'instants');
        CREATE TEMP VIEW b AS SELECT r.policy, m.name, m.scope, m.value FROM stay.metric m JOIN stay.run r ON r.id = m.run;
        SELECT * FROM a EXCEPT SELECT * FROM b;
        SELECT policy, digest FROM main.run EXCEPT SELECT policy, digest FROM stay.run"
}
are_equal() {
    [ "$(sqlite3 "$dir/again.db" 'SELECT count(*) > 200 FROM metric')" = 1 ] || { echo "too few metrics"; return 1; }
    differ >"$dir/differ" && [ ! -s "$dir/differ" ] || { head -20 "$dir/differ"; return 1; }
}
check "runs of 12,000 requests, sampled and not" both_run
check "what they measure is the same" are_equal
exit $bad
