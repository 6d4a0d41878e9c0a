#!/bin/sh
# A million API calls over 1,000 nodes of two tiers, reading and database included.
# usage: bench_calls.sh FAIRWAY
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -v to="$dir" 'BEGIN {
    print "id,submit_s,tasks" > (to "/jobs.csv"); print "job,task,call,api,size_b,result_b" > (to "/calls.csv")
    for (i = 0; i < 10000; i++) {
        printf "j%d,%.3f,20\n", i, i * 0.02 > (to "/jobs.csv")
        for (k = 0; k < 5; k++) printf "j%d,,%d,a%d,%d,100\n", i, k, (i + k) % 8, 1000 + (i * 7919 + k * 104729) % 90000 > (to "/calls.csv")
    }
    print "api,engine,size_b,time_s" > (to "/times.csv")
    n = split("cpu gpu npu", e, " ")
    for (a = 0; a < 8; a++) for (k = 1; k <= n; k++) for (s = 1000; s <= 100000; s *= 10)
        printf "a%d,%s,%d,%.6f\n", a, e[k], s, ((a * 7 + k * 5) % 11 + 1) * (0.1 + s / 200000) > (to "/times.csv")
}'
cat > "$dir/calls.yaml" <<Y
cluster:
  tiers: { cloud: { latency: 1ms, bandwidth: 10Gb/s }, edge: { latency: 5ms, bandwidth: 1Gb/s } }
  groups:
    - { name: cloud, count: 500, cpus: 8, mem: 8GiB, tier: cloud, engines: { cpu: 4, gpu: 1 } }
    - { name: edge, count: 500, cpus: 8, mem: 8GiB, tier: edge, engines: { cpu: 4, npu: 1 } }
engines: { times: times.csv }
trace: { format: native, path: jobs.csv, calls: calls.csv }
policies: [affinity]
Y
for p in affinity affinity:target=best,condition=best affinity:balance=load balance; do
    best=
    for i in 1 2 3; do
        rm -f "$dir/b.db"
        start=$(date +%s%N)
        "$1" run "$dir/calls.yaml" -p "$p" -q -d "$dir/b.db" 2>/dev/null
        took=$((($(date +%s%N) - start) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    awk -v p="$p" -v t="$best" 'BEGIN { printf "1M calls %-36s %6.3f s\n", p, t / 1000 }'
done
