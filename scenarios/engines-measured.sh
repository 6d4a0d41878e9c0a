#!/bin/sh
# Measured work on unlike engines: one DAG of each kind of hetero-dag (the
# largest of 320 tiles, or of the widest fork), and 300 of Gavel's training jobs;
# under HEFT, dmda and affinity, and what they are compared with.
# usage: engines-measured.sh FAIRWAY DATABASE    (traces from $FAIRWAY_TRACES)
set -eu
fairway=$1 db=$2 here=$(cd "$(dirname "$0")/.." && pwd)
traces=${FAIRWAY_TRACES:?names the folder of traces}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for dag in forkJoin/forkJoin-20-500 sgetrf_nopiv/sgetrf_nopiv-320-10 sposv/sposv-320-10 spotrf/spotrf-320-10 spotri/spotri-320-10 spotrs/spotrs-320-10; do
    name=${dag##*/}
    mkdir "$dir/$name"
    sh "$here/traces/engines/hetero.sh" "$traces/hetero-dag/3_resources/formatedTasks_3/$dag.txt" "$dir/$name"
    cat > "$dir/$name/$name.yaml" <<Y
title: $name on 8 CPUs, 2 GPUs and 2 second GPUs
cluster: { groups: [ { name: host, cpus: 16, mem: 64GiB, engines: { cpu: 8, gpu: 2, gpu2: 2 } } ] }
engines: { times: times.csv }
trace: { format: native, path: jobs.csv, stages: stages.csv, calls: calls.csv }
policies: [ heft, dmda, "affinity", "affinity:condition=above,call_least=0.1", mct, min-min, met ]
Y
    "$fairway" run -q -d "$db" "$dir/$name/$name.yaml"
done
mkdir "$dir/gavel"
sh "$here/traces/engines/gavel.sh" "$traces/gavel/simulation_throughputs.json" "$traces/gavel/msr-seed0/0e4a51.trace" 300 "$dir/gavel" 2>/dev/null
cat > "$dir/gavel/engines-gavel.yaml" <<Y
title: Gavel's training jobs on K80, P100 and V100
cluster:
  groups:
    - { name: k80, count: 4, cpus: 16, mem: 64GiB, engines: { k80: 4 } }
    - { name: p100, count: 2, cpus: 16, mem: 64GiB, engines: { p100: 4 } }
    - { name: v100, count: 1, cpus: 16, mem: 64GiB, engines: { v100: 4 } }
engines: { times: times.csv }
trace: { format: native, path: jobs.csv, calls: calls.csv }
policies: [ heft, dmda, "affinity", "affinity:target=above,least=0.3,condition=above,call_least=0.3", balance, mct, min-min, met ]
Y
"$fairway" run -q -d "$db" "$dir/gavel/engines-gavel.yaml"
