#!/bin/sh
# How far the results of each policy hang on the order of equals: the mean time of a job, with nodes and jobs as listed
# and in 20 other orders.
# usage: ties.sh FAIRWAY
set -eu
fairway=$1
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -F, -v OFS=, 'NR > 1 { $2 = int($2 / 60) * 60 } 1' traces/sample/jobs.csv >"$dir/minutes.csv"
ask() { "$fairway" run "$@" -d "$dir/runs.db" --tie-seed 1..20 2>"$dir/err" | sed -n 's/^jct_mean  //p'; }
printf '%-13s %s\n' '' 'unit   as listed  least  most  hangs on ties'
ask scenarios/demo/ties.yaml --set trace.path="$dir/minutes.csv"
ask scenarios/workflow/workflow-shared.yaml -p workflow
ask scenarios/engines/engines-affinity.yaml -p affinity -p heft
ask scenarios/elastic/elastic.yaml -p optimus
