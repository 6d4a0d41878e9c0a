#!/bin/sh
# Elastic jobs whose cores, memory, labels or type of GPU bind before GPUs do: each gets a size for which there is room,
# and ends.
. "$(dirname "$0")/lib.sh"
policies='optimus pollux:population=20,generations=10 sia afs'

scenario() {        # GROUPS POLICY
    cat >"$dir/s.yaml" <<Y
cluster: {groups: [$1]}
profiles: {scaling: s.csv}
trace: {format: native, path: j.csv, defaults: {cpus: 0, mem: 0B}}
output: {decisions: true, audit: true}
policies: ['$2']
Y
}
group() { echo "{name: $1, count: $2, cpus: $3, mem: $4, gpus: 4, gpu_type: $5${6:+, labels: [$6]}}"; }
sql() { sqlite3 -separator ' ' "$dir/a.db" "$1"; }
most() { sql "SELECT max(n) FROM (SELECT count(*) AS n FROM attempt $1 GROUP BY ordinal, start_us)"; }

# all_end WHAT JOBS GROUPS CONDITION...: under each policy every job is done, and CONDITION, a command, holds
all_end() {
    what=$1 jobs=$2 groups=$3; shift 3
    for policy in $policies; do
        scenario "$groups" "$policy"
        rm -f "$dir/a.db"
        of="$what: ${policy%%:*}"
        check "$of runs" timeout 60 "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db"
        check "$of ends every job" same "$(sql "SELECT count(*) FROM job WHERE status = 'done'")" "$jobs"
        check "$of keeps to what there is room for" "$@"
    done
}
at_most() { [ "$(most "$2")" -le "$1" ]; }
at_most_at_once() {     # no more than so many tasks of all jobs at any instant
    [ "$(sql "SELECT max((SELECT count(*) FROM attempt b WHERE b.start_us <= a.start_us AND b.end_us > a.start_us))
              FROM attempt a")" -le "$1" ]
}

names=scaling,restart_s,alpha_c,beta_c,alpha_r,beta_r,alpha_n,beta_n,gamma,noise,batch,max_batch,min_local,max_local
printf '%s\n' $names g,5,0.05,0.002,0.03,0.002,0.08,0.004,2,1500,128,4096,16,256 >"$dir/s.csv"
head=id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling,cpus,mem_mib,labels,gpu_type

# 4 GPUs and 12 cores on each of two nodes, tasks of 4 cores: three on a node.
printf '%s\n' $head a,0,3600,1,1,1,1,8,g,4,0,, b,30,3600,1,1,1,1,8,g,4,0,, c,70,900,1,1,1,1,8,g,4,0,, >"$dir/j.csv"
all_end cores 3 "$(group n 2 12 64GiB T4)" at_most_at_once 6
# The same of memory; one of the jobs asks for none.
printf '%s\n' $head \
    a,0,3600,1,1,1,1,8,g,0,4096,, b,30,3600,1,1,1,1,8,g,0,0,, c,70,900,1,1,1,1,8,g,0,4096,, >"$dir/j.csv"
all_end memory 3 "$(group n 2 12 10GiB T4)" at_most 4 'WHERE ordinal <> 1'
# One of three nodes has the label that two of the jobs want.
printf '%s\n' $head \
    a,0,3600,1,1,1,1,8,g,0,0,fast, b,30,3600,1,1,1,1,8,g,0,0,, c,70,900,1,1,1,1,8,g,0,0,fast, >"$dir/j.csv"
all_end label 3 "$(group n 2 12 64GiB T4), $(group m 1 12 64GiB T4 fast)" at_most 4 'WHERE ordinal <> 1'
# Two types, of which the smaller group is the only one for two of the jobs; the third may have either.
printf '%s\n' $head a,0,3600,1,1,1,1,8,g,0,0,,B b,30,3600,1,1,1,1,8,g,0,0,, c,70,900,1,1,1,1,8,g,0,0,,B >"$dir/j.csv"
all_end types 3 "$(group n 2 12 64GiB A), $(group m 1 12 64GiB B)" at_most 4 'WHERE ordinal <> 1'
# A least size beyond a node, and no power of two.
printf '%s\n' $head a,0,3600,6,1,1,6,8,g,0,0,, b,30,900,1,1,1,1,8,g,0,0,, >"$dir/j.csv"
all_end 'least of several nodes' 2 "$(group n 2 12 64GiB T4)" at_most 8 ''
# GPUs for all tasks, but cores for two at a time.
printf '%s\n' $head a,0,600,2,1,1,2,4,g,5,0,, b,0,600,2,1,1,2,4,g,5,0,, c,0,600,1,1,1,1,4,g,7,0,, >"$dir/j.csv"
all_end 'cores of several jobs' 3 "$(group n 1 12 64GiB T4)" at_most_at_once 2

# On A, whose nodes are larger, another GPU brings nothing; on B as much as the first.  Who may have B alone gets all of
# it under optimus; and who may have both goes there where A has none left.
printf '%s\n' scaling,gpu_type,restart_s,one_node g,A,5,'1:1;2:1;8:1' g,B,5,'1:1;4:4' >"$dir/s.csv"
scenario "{name: n, count: 1, cpus: 8, mem: 8GiB, gpus: 8, gpu_type: A}, $(group m 1 8 8GiB B)" optimus
sizes() {
    rm -f "$dir/a.db"
    "$fairway" run "$dir/s.yaml" -q -d "$dir/a.db" || return 1
    same "$(sql "SELECT ordinal, count(*), gpu_type FROM attempt JOIN node USING (run, node) WHERE start_us = 0
                 GROUP BY 1 ORDER BY 1")" "$1"
}
printf '%s\n' $head a,0,600,1,1,1,1,4,g,0,0,,B >"$dir/j.csv"
check 'optimus asks for speeds on the type that a job has' sizes '0 4 B'
printf '%s\n' $head a,0,600,8,1,1,8,8,g,0,0,,A b,0,600,1,1,1,1,4,g,0,0,, >"$dir/j.csv"
check 'optimus counts the GPUs of each type' sizes '0 8 A
1 4 B'
exit $bad
