#!/bin/sh
# Priorities under the Kubernetes profiles: who goes first, and who is preempted for whom, worked out by hand from
# kube-scheduler's rules (S3-19).
. "$(dirname "$0")/lib.sh"

# ran POLICY NODES JOB...: each attempt that ran, "job@node from-to outcome", by time.
# A job is id,submit_s,duration_s,cpus,priority; a node has 8 cores; what is preempted keeps its progress.
ran() {
    policy=$1 nodes=$2; shift 2
    { echo "id,submit_s,duration_s,cpus,priority,mem_mib,user"; for job in "$@"; do echo "$job,1024,u"; done; } >"$dir/jobs.csv"
    cat >"$dir/p.yaml" <<END
cluster: {groups: [{name: n, count: $nodes, cpus: 8, mem: 128GiB}]}
trace: {format: native, path: jobs.csv}
output: {attempts: true}
END
    rm -f "$dir/p.db"
    "$fairway" run -q --audit -p "$policy" -d "$dir/p.db" "$dir/p.yaml" || return 1
    sqlite3 "$dir/p.db" "SELECT j.id || '@' || n.name || ' ' || (a.start_us / 1000000) || '-' || (a.end_us / 1000000) || ' ' || a.outcome
        FROM attempt a JOIN job j USING (run, ordinal) JOIN node n ON n.run = a.run AND n.node = a.node
        ORDER BY a.start_us, n.name, j.id"
}
starts() { ran "$@" | sed 's/ [a-z]*$//; s/-[0-9]*$//'; }
# stopped POLICY NODES JOB...: "victim@node" of every preemption
stopped() { ran "$@" | sed -n 's/ .* preempted$//p'; }

for policy in kube-default kube-split kube-hybrid; do
    check "S3-12: $policy takes the higher priority first" same "$(starts "$policy:preempt=false" 1 a,0,10,8,0 low,1,10,8,-5 mid,1,10,8,0 high,1,10,8,7)" \
"a@n 0
high@n 10
mid@n 20
low@n 30"
    check "S3-19: $policy preempts lower priorities, which go on after" same "$(ran $policy 1 low1,0,1000,4,0 low2,0,1000,4,0 high,10,100,8,100)" \
"low1@n 0-10 preempted
low2@n 0-10 preempted
high@n 10-110 done
low1@n 110-1100 done
low2@n 110-1100 done"
done
check "S3-19: with preempt=false it waits" same "$(starts kube-default:preempt=false 1 low1,0,1000,4,0 low2,0,1000,4,0 high,10,100,8,100)" \
"low1@n 0
low2@n 0
high@n 1000"
check "S3-19: equals are not preempted" same "$(stopped kube-default 1 a,0,100,8,5 b,1,10,8,5 c,1,10,8,4)" ""

# Kept is first who has the higher priority, then who runs longer.
check "S3-19: of one node the least important goes, and no more than must" same \
    "$(stopped kube-default 1 old,0,100,2,0 young,1,100,2,0 better,1,100,4,5 high,10,10,2,10)" young@n
check "S3-19: the latest start, not the latest arrival, is the least important" same \
    "$(stopped kube-default 1 blocks,0,50,6,9 waits,1,100,4,1 runs,2,100,2,1 high,60,10,4,10)" waits@n

# Which node.  Ties go by name, so what must win stands on the later node wherever that can be.
check "S3-19: the node whose best victim is the lowest, though it has more" same \
    "$(stopped kube-default 2 best,0,100,8,5 q1,1,100,4,1 q2,2,100,4,1 high,10,10,8,100)" "q1@n-1
q2@n-1"
check "S3-19: of these the least sum of priorities; who is stopped may stop a lower one" same \
    "$(stopped kube-default 2 a1,0,100,4,3 b1,1,100,4,3 a2,2,100,4,2 b2,3,100,4,1 high,10,10,8,100)" "b1@n-1
a2@n-0
b2@n-1"
check "S3-19: and so one victim rather than two" same \
    "$(stopped kube-default 2 q1,0,100,4,1 one,1,100,8,1 q2,2,100,4,1 high,10,10,8,100)" one@n-1
check "S3-19: of these who began last" same "$(stopped kube-default 2 old,0,100,8,1 young,5,100,8,1 high,10,10,8,100)" young@n-1
check "S3-19: of these the first by name" same "$(stopped kube-default 2 a,0,100,8,1 b,0,100,8,1 high,10,10,8,100)" a@n-0
check "S3-19: two that ask at one instant each take a node" same \
    "$(stopped kube-default 2 low,0,100,8,1 mid,1,100,8,5 top,10,10,8,9 next,10,10,8,9)" "low@n-0
mid@n-1"
exit $bad
