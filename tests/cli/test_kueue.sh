#!/bin/sh
# Kueue's objects read as `config` of the policy kueue, and what the policy makes of them: cases of Kueue's own
# documentation and unit tests, worked out by hand; what is not modelled; what is wrong in a file, and where.
. "$(dirname "$0")/lib.sh"

cat >"$dir/k.yaml" <<'END'
cluster:
  groups: [{name: a, cpus: 16, mem: 64GiB}, {name: b, cpus: 16, mem: 64GiB},
           {name: g, cpus: 16, mem: 64GiB, gpus: 8, gpu_type: A100}]
trace: {format: native, path: t.csv}
output: {attempts: true}
END
db=$dir/k.db

object() { printf -- '---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: %s\nmetadata: {name: %s}\n' "$1" "$2"; } # KIND NAME
flavor() { object ResourceFlavor "$1"; [ $# -lt 2 ] || printf 'spec: {nodeLabels: {%s}}\n' "$2"; }      # NAME [LABELS]
queue() { # NAME CPUS [SPEC]: a ClusterQueue with CPUs of the flavor `all`
    object ClusterQueue "$1"
    printf 'spec:\n  namespaceSelector: {}\n'
    [ $# -lt 3 ] || printf '  %s\n' "$3"
    printf '  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n'
    printf '    - name: all\n      resources: [{name: cpu, nominalQuota: %s}]\n' "$2"
}
jobs() { { echo id,submit_s,duration_s,user,queue,cpus,priority; cat; } >"$dir/t.csv"; }
run() {
    rm -f "$db"
    (cd "$dir" && "$fairway" run -q --audit -p "kueue:config=q.yaml${1:-}" -d "$db" k.yaml) 2>"$dir/err" ||
        [ $? = 1 ] || { cat "$dir/err"; return 1; }      # 1: jobs were left unfinished
}
# starts [PARAMETERS]: who started when, in seconds, attempt by attempt; nodes: who started where
starts() {
    run "${1:-}" && sqlite3 "$db" "SELECT group_concat(x, ' ') FROM (SELECT j.id || '@' || (a.start_us / 1000000) AS x
        FROM attempt a JOIN job j USING (run, ordinal) ORDER BY a.start_us, j.id)"
}
nodes() {
    run && sqlite3 "$db" "SELECT group_concat(x, ' ') FROM (SELECT j.id || '@' || n.name AS x FROM attempt a
        JOIN job j USING (run, ordinal) JOIN node n ON n.run = a.run AND n.node = a.node ORDER BY a.start_us, j.id)"
}
notes() { sqlite3 "$db" "SELECT group_concat(x, ' ') FROM (SELECT name || ':' || (at_us / 1000000) AS x FROM note ORDER BY at_us)"; }

# ---- borrowing: the documentation's page on ClusterQueue, "Borrowing example" and "BorrowingLimit" ----

{ flavor all; queue a 9 'cohort: ab'; queue b 12 'cohort: ab'; } >"$dir/q.yaml"
jobs <<'END'
a1,0,100,u,a,9,0
a2,0,100,u,a,12,0
a3,0,100,u,a,1,0
END
check "a queue alone in its cohort takes 9 + 12 CPUs, and no more" same "$(starts)" "a1@0 a2@0 a3@100"
{ flavor all; queue a '9, borrowingLimit: 1' 'cohort: ab'; queue b 12 'cohort: ab'; } >"$dir/q.yaml"
jobs <<'END'
a1,0,100,u,a,9,0
a2,0,100,u,a,1,0
a3,0,100,u,a,1,0
b1,0,100,u,b,11,0
END
check "with borrowingLimit 1 it takes 9 + 1" same "$(starts)" "a1@0 a2@0 b1@0 a3@100"
{ flavor all; queue a 9 'cohort: ab'; queue b '12, lendingLimit: 2' 'cohort: ab'; } >"$dir/q.yaml"
jobs <<'END'
a1,0,100,u,a,11,0
a2,0,100,u,a,1,0
END
check "with lendingLimit 2 it takes 9 + 2" same "$(starts)" "a1@0 a2@100"
{ flavor all; queue a 9; queue b 12; } >"$dir/q.yaml"
jobs <<'END'
a1,0,100,u,a,9,0
a2,0,100,u,a,1,0
b1,0,100,u,b,12,0
END
check "without a cohort nobody borrows" same "$(starts)" "a1@0 b1@0 a2@100"

# ---- queueing strategies ----

{ flavor all; queue a 8 'queueingStrategy: StrictFIFO'; queue b 8; } >"$dir/q.yaml"
jobs <<'END'
a1,0,50,u,a,5,0
b1,0,50,u,b,5,0
a2,1,50,u,a,5,0
b2,1,50,u,b,5,0
a3,2,50,u,a,1,0
b3,2,50,u,b,1,0
END
check "StrictFIFO lets nobody past its head, BestEffortFIFO does" same "$(starts)" "a1@0 b1@0 b3@2 a2@50 a3@50 b2@50"

# ---- preemption: cases called so in pkg/scheduler/preemption/preemption_test.go, and their like ----

{ flavor all; queue a 6 'preemption: {withinClusterQueue: LowerPriority}'; } >"$dir/q.yaml"
jobs <<'END'
low,0,100,u,a,2,-1
mid,1,100,u,a,2,0
high,2,100,u,a,2,1
in,10,100,u,a,2,1
END
check "preempt lowest priority" same "$(starts)" "low@0 mid@1 high@2 in@10 low@101"
jobs <<'END'
low,0,100,u,a,2,-2
mid,1,100,u,a,4,-1
in,10,100,u,a,4,1
END
check "who was taken first stays when the next alone suffices" same "$(starts)" "low@0 mid@1 in@10 mid@110"
jobs <<'END'
a1,0,100,u,a,3,0
a2,1,100,u,a,3,0
in,10,100,u,a,3,0
END
check "equal priorities are left alone by LowerPriority" same "$(starts)" "a1@0 a2@1 in@100"
{ flavor all; queue a 6 'preemption: {withinClusterQueue: LowerOrNewerEqualPriority}'; } >"$dir/q.yaml"
jobs <<'END'
one,0,50,u,a,3,0
big,1,100,u,a,6,0
new,5,100,u,a,3,0
END
check "LowerOrNewerEqualPriority: who came first stops who came later" same "$(starts)" "one@0 new@5 big@50 new@150"

cohort='cohort: c
  preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: LowerPriority}'
{ flavor all; queue a 6 "$cohort"; queue b 6 'cohort: c'; } >"$dir/q.yaml"
jobs <<'END'
b-mid,0,100,u,b,4,0
b-high,1,100,u,b,4,1
a-low,2,100,u,a,3,-1
in,10,100,u,a,3,1
END
check "reclaim quota from borrower, not from the own queue" same "$(starts)" "b-mid@0 b-high@1 a-low@2 in@10 b-mid@101"
jobs <<'END'
b1,0,100,u,b,6,1
b2,1,100,u,b,6,1
in,10,100,u,a,3,0
END
check "reclaimWithinCohort LowerPriority stops no higher one" same "$(starts)" "b1@0 b2@1 in@100"
sed -i 's/reclaimWithinCohort: LowerPriority/reclaimWithinCohort: Any/' "$dir/q.yaml"
check "Any does, the last to be admitted first" same "$(starts)" "b1@0 b2@1 in@10 b2@100"
jobs <<'END'
b1,0,100,u,b,6,0
a1,1,100,u,a,6,0
in,10,100,u,a,3,0
END
check "nobody is stopped who uses the own quota alone" same "$(starts)" "b1@0 a1@1 in@100"
{ flavor all; queue a 2 'cohort: c
  preemption: {reclaimWithinCohort: LowerPriority, borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: 0}}'
  queue b 4 'cohort: c'; queue d 4 'cohort: c'; } >"$dir/q.yaml"
jobs <<'END'
b1,0,100,u,b,8,0
in,10,100,u,a,5,2
END
check "borrowWithinCohort: up to the threshold others go for one that borrows itself" same "$(starts)" "b1@0 in@10 b1@110"
sed -i 's/maxPriorityThreshold: 0/maxPriorityThreshold: -1/' "$dir/q.yaml"
check "above it they do not" same "$(starts)" "b1@0 in@100"

# ---- fair sharing (KEP 1714): what is borrowed over what could be lent, over the weight ----

any='cohort: c
  preemption: {withinClusterQueue: LowerPriority, reclaimWithinCohort: Any}'
{ printf 'apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: {enable: true}\n'
  flavor all; queue a 0 "$any"; queue b 0 "$any"; queue d 8 'cohort: c'; } >"$dir/q.yaml"
jobs <<'END'
a1,0,100,u,a,2,0
a2,1,100,u,a,2,0
a3,2,100,u,a,2,0
a4,3,100,u,a,2,0
b1,10,100,u,b,2,0
b2,11,100,u,b,2,0
b3,12,100,u,b,2,0
END
check "each of two queues comes to half of what is lent, and to no more" \
    same "$(starts)" "a1@0 a2@1 a3@2 a4@3 b1@10 b2@11 a3@100 a4@101 b3@110"
sed -i '/name: b}/,/namespaceSelector/s/^spec:/spec:\n  fairSharing: {weight: 3}/' "$dir/q.yaml"
check "with three times the weight, to three quarters" \
    same "$(starts)" "a1@0 a2@1 a3@2 a4@3 b1@10 b2@11 b3@12 a2@100 a3@110 a4@111"

# ---- flavors: the queue's CPUs are tried on the node of GPUs, then on b ----

flavors() { # SPEC
    flavor gpus 'nvidia.com/gpu.product: A100'
    flavor second 'kubernetes.io/hostname: b'
    object ClusterQueue a
    printf 'spec:\n  namespaceSelector: {}\n  cohort: c\n  %s\n  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n' "$1"
    printf '    - {name: gpus, resources: [{name: cpu, nominalQuota: 4}]}\n'
    printf '    - {name: second, resources: [{name: cpu, nominalQuota: 8}]}\n'
    object ClusterQueue b
    printf 'spec:\n  namespaceSelector: {}\n  cohort: c\n  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n'
    printf '    - {name: gpus, resources: [{name: cpu, nominalQuota: 8}]}\n'
}
jobs <<'END'
a1,0,100,u,a,4,0
a2,1,100,u,a,4,0
END
flavors 'flavorFungibility: {whenCanBorrow: Borrow}' >"$dir/q.yaml"
check "whenCanBorrow Borrow: it borrows of the first flavor before it looks at the next" same "$(nodes)" "a1@g a2@g"
flavors 'flavorFungibility: {whenCanBorrow: TryNextFlavor}' >"$dir/q.yaml"
check "TryNextFlavor: its own quota of the next comes first" same "$(nodes)" "a1@g a2@b"

# ---- queues ----

{ flavor all; queue a 16; queue b 16; cat <<'END'
---
apiVersion: v1
kind: List
items:
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: LocalQueue
  metadata: {namespace: ann, name: lq}
  spec: {clusterQueue: a}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: LocalQueue
  metadata: {namespace: bob, name: lq}
  spec: {clusterQueue: b}
- apiVersion: kueue.x-k8s.io/v1beta1
  kind: LocalQueue
  metadata: {namespace: bob, name: held}
  spec: {clusterQueue: b, stopPolicy: Hold}
END
} >"$dir/q.yaml"
jobs <<'END'
a1,0,10,ann,lq,16,0
b1,0,10,bob,lq,16,0
a2,0,10,bob,ann/lq,16,0
h,0,10,bob,held,1,0
x,0,10,eve,lq,1,0
y,0,10,eve,nowhere,1,0
END
check "a queue is the LocalQueue of the user's namespace, or namespace/name; who has none never starts" \
    same "$(starts)" "a1@0 b1@0 a2@10"
check "and is counted" same "$(notes)" "workload_of_no_queue:0 workload_of_no_queue:0 workload_of_no_queue:0"
check "unless it is said which queue takes it" same "$(starts ,otherwise=b)" "a1@0 b1@0 a2@10 x@10 y@10"

# ---- waitForPodsReady ----

{ cat <<'END'
apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
waitForPodsReady:
  enable: true
  timeout: 20s
  requeuingStrategy: {backoffLimitCount: 1, backoffBaseSeconds: 30}
END
flavor all; queue a 64; queue b 8; } >"$dir/q.yaml"
jobs <<'END'
fill1,0,200,u,a,10,0
fill2,0,200,u,a,10,0
fill3,0,200,u,a,10,0
big,1,10,u,a,10,0
late,2,10,u,b,1,0
END
check "whose pods find no node in time gives its quota back, backs off, and is given up the second time" \
    same "$(starts) $(notes)" "fill1@0 fill2@0 fill3@0 late@2 evicted_not_ready:21 evicted_not_ready:71 workload_deactivated:71"
sed -i 's/  timeout: 20s/  timeout: 10m\n  blockAdmission: true/' "$dir/q.yaml"
check "blockAdmission: until they run nobody else is admitted" same "$(starts)" "fill1@0 fill2@0 fill3@0 big@200 late@200"

# ---- what is not modelled ----

{ object AdmissionCheck check; object ResourceFlavor all; echo 'spec: {topologyName: racks}'
  queue a 16 'admissionChecks: [check]'; } >"$dir/q.yaml"
run
told() { sqlite3 "$db" 'SELECT what FROM repair' | grep -qxF "$1" || { sqlite3 "$db" 'SELECT what FROM repair'; return 1; }; }
check "objects that are not modelled are told with their line" told "q.yaml:2: AdmissionCheck is not modelled"
check "so are fields: of a flavor" told "q.yaml:9: a ResourceFlavor's topologyName is not modelled"
check "and of a queue" told "q.yaml:16: a ClusterQueue's admissionChecks is not modelled"

# ---- what is wrong in a file ----

refused() { # TEXT MESSAGE: the file q.yaml of that text is refused so
    printf '%s\n' "$1" >"$dir/q.yaml"
    (cd "$dir" && "$fairway" run -q -p kueue:config=q.yaml -d "$db" k.yaml) >"$dir/out" 2>"$dir/err"
    rc=$?
    [ $rc = 2 ] && grep -qF -- "$2" "$dir/err" || { echo "exit $rc:"; cat "$dir/err"; return 1; }
}
cq=$(flavor all; queue a 9 'cohort: c')
with() { echo "$cq" | sed "$1"; }
check "an unknown kind" refused "$(with s/ResourceFlavor/ResourceFlavour/)" \
    "q.yaml:3:7: error: 'kind': found 'ResourceFlavour', expected a kind of Kueue's"
check "an unknown field" refused "$(with 's/cohort: c/cohorts: c/')" "q.yaml:11:3: error: found unknown key 'cohorts' in a ClusterQueue"
check "a quota below 0" refused "$(with 's/nominalQuota: 9/nominalQuota: -1/')" \
    "q.yaml:16:45: error: 'nominalQuota': found '-1', expected a quantity of at least 0"
check "a borrowing limit without a cohort" refused "$(flavor all; queue a '9, borrowingLimit: 1')" \
    "q.yaml:15:48: error: found borrowingLimit, but the object has no cohort to borrow from"
check "a flavor that no object describes" refused "$(with 's/- name: all/- name: none/')" \
    "q.yaml:15:13: error: there is no ResourceFlavor 'none' in the file"
check "a flavor that no node is of" refused "$(with 's/metadata: {name: all}/metadata: {name: all}\nspec:\n  nodeLabels: {zone: mars}/')" \
    "q.yaml:6:16: no node is of flavor 'all'"
check "a LocalQueue of no queue" refused "$cq
$(object LocalQueue q)
spec: {clusterQueue: none}" "q.yaml:21:22: error: there is no ClusterQueue 'none' in the file"
check "cohorts that are above each other" refused "$cq
$(object Cohort c)
spec: {parentName: d}
$(object Cohort d)
spec: {parentName: c}" "q.yaml:21:20: error: cohort 'c' is, by its parents, above itself"
check "cohorts without an end" refused "$cq
$(i=0; while [ $i -lt 70 ]; do object Cohort c$i; echo "spec: {parentName: c$((i + 1))}"; i=$((i + 1)); done)" "cohort 'c0' has more than 64 above it"
check "the same object twice" refused "$cq
$(queue a 3)" "found a second ClusterQueue 'a'; the first is at line 6"
check "borrowWithinCohort without reclaim" \
    refused "$(with 's/cohort: c/cohort: c\n  preemption: {borrowWithinCohort: {policy: LowerPriority}}/')" \
    "found borrowWithinCohort beside reclaimWithinCohort: Never"
check "no queue at all" refused "$(flavor all)" "q.yaml:1:1: error: found no ClusterQueue"
check "flavors that do not follow the covered resources" refused "$(with 's/\[cpu\]/[cpu, memory]/')" \
    "found quotas of 1 resources, expected the 2 of coveredResources"
check "strategies in the wrong order" refused "apiVersion: config.kueue.x-k8s.io/v1beta1
kind: Configuration
fairSharing: {enable: true, preemptionStrategies: [LessThanInitialShare, LessThanOrEqualToFinalShare]}
$cq" "q.yaml:3:51: error: expected one of the two strategies"
exit $bad
