#!/bin/sh
# Which nodes kube-scheduler looks at, and what pods prefer of them: percentageOfNodesToScore and NodeAffinity,
# worked out by hand from 1.20's rules (S3-20).
. "$(dirname "$0")/lib.sh"

# ---- part of the nodes ----

cat >"$dir/p.csv" <<'END'
id,submit_s,duration_s,user,cpus,mem_mib
p1,1,1000,u,1,1024
p2,2,1000,u,1,1024
p3,3,1000,u,1,1024
END
# taken POLICY COUNT [MORE]: the nodes of the pods in order, of COUNT equal nodes n-000, n-001 ...
taken() {
    cat >"$dir/p.yaml" <<END
cluster: {groups: [{name: n, count: $2, cpus: 8, mem: 32GiB${3:-}}]}
trace: {format: native, path: p.csv}
output: {attempts: true}
END
    rm -f "$dir/p.db"
    "$fairway" run -q --audit -p "$1" -d "$dir/p.db" "$dir/p.yaml" || return 1
    sqlite3 "$dir/p.db" "SELECT group_concat(x, ' ') FROM (SELECT n.name AS x FROM attempt a
        JOIN node n ON n.run = a.run AND n.node = a.node ORDER BY a.start_us)"
}
# Of equal scores the first by name: of 0..99 n-000, then of 100..199 n-100, then of 0..99, where n-000 is in use,
# n-001.
check "S3-20: all nodes are scored by default" same "$(taken kube-default 200)" "n-000 n-001 n-002"
check "S3-20: 50 % of 200: a hundred, and the next search begins where that ended" \
    same "$(taken kube-default:percentage=50 200)" "n-000 n-100 n-001"
check "S3-20: at least a hundred" same "$(taken kube-hybrid:percentage=1 200,\ gpus:\ 0)" "n-000 n-100 n-001"
check "S3-20: fewer than a hundred nodes are all scored" same "$(taken kube-default:percentage=1 99)" "n-00 n-01 n-02"
# 0: 50 - 300/125 = 48 % of 300 is 144; the second search begins with n-144.
check "S3-20: by their number, 144 of 300" same "$(taken kube-default:percentage=0 300)" "n-000 n-144 n-001"
# Racks in turn: 0, 100, 1, 101 ...; the first hundred are 0..49 and 100..149, the next 50..99 and 150..199.
check "S3-20: of each rack in turn" \
    same "$(taken kube-default:percentage=50 200 ', nodes_per_rack: 100')" "n-000 n-050 n-001"
check "S3-20: kube-split looks past nodes that are for others" \
    same "$(taken kube-split:percentage=50 200)" "n-000 n-100 n-001"
printf '%s\n' "apiVersion: kubescheduler.config.k8s.io/v1beta1" "kind: KubeSchedulerConfiguration" >"$dir/s.yaml"
check "S3-20: a file that does not say leaves it to their number" \
    same "$(taken "kube-default:config=$dir/s.yaml" 300)" "n-000 n-144 n-001"
echo "percentageOfNodesToScore: 100" >>"$dir/s.yaml"
check "S3-20: a file that says 100 means all" same "$(taken "kube-default:config=$dir/s.yaml" 300)" "n-000 n-001 n-002"
check "a percentage above 100 is refused" fails 2 "percentage is 101; expected 0 to 100" \
    "$fairway" run -q -p kube-default:percentage=101 -d "$dir/e.db" "$dir/p.yaml"

sed -i 's/attempts: true/scores: true/' "$dir/p.yaml"
"$fairway" run -q --audit -p kube-default:percentage=40 -d "$dir/s.db" "$dir/p.yaml"
check "scores are of the nodes that were looked at: 40 % of 300" same \
    "$(sqlite3 "$dir/s.db" "SELECT ask, count(DISTINCT node), min(node), max(node) FROM score GROUP BY ask")" \
"1|120|0|119
2|120|120|239
3|120|0|299"

# ---- what pods prefer ----

node() {
    echo "{\"kind\": \"Node\", \"metadata\": {\"name\": \"$1\", \"labels\": {$2}},"
    echo "\"status\": {\"allocatable\": {\"cpu\": \"8\", \"memory\": \"32Gi\"}}}"
}
cat >"$dir/nodes.json" <<END
{"kind": "List", "items": [$(node a '"disk": "ssd"'), $(node b '"disk": "ssd", "zone": "east"'), $(node c '')]}
END
term() {
    echo "{\"weight\": $1, \"preference\": {\"matchExpressions\": [{\"key\": \"$2\", \"operator\": \"In\", \"values\": [\"$3\"]}]}}"
}
prefers="\"affinity\": {\"nodeAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\":
    [$(term 30 disk ssd), $(term 50 zone east)]}},"
pod() {
    echo "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"$1\", \"creationTimestamp\": \"2023-01-01T00:00:0$2Z\"},"
    echo "\"spec\": {$4 \"containers\": [{\"resources\":"
    echo "{\"requests\": {\"cpu\": \"$3\", \"memory\": \"4Gi\"}}}]}, \"status\": {\"phase\": \"Pending\"}}"
}
cat >"$dir/pods.json" <<END
{"kind": "List", "items": [$(pod p1 1 4 "$prefers"), $(pod p2 2 4 "$prefers"), $(pod p3 3 6 "$prefers"),
$(pod p4 4 2 '')]}
END
cat >"$dir/k.yaml" <<'END'
cluster: {from: kubectl, nodes: nodes.json}
trace: {format: kubectl, path: pods.json, bound: replay, defaults: {duration: 1h}}
output: {attempts: true, scores: true}
policies: [kube-default, kube-hybrid, fifo]
END
check "pods with preferences run" expect 0 "$fairway" run -q --audit -d "$dir/k.db" "$dir/k.yaml"
cp "$dir/err" "$dir/told"
# scored POLICY POD: node by node, what each plugin gave
scored() {
    sqlite3 "$dir/k.db" "SELECT n.name || ':' || group_concat(' ' || plugin ||
            coalesce(' ' || CAST(points AS INTEGER) || ' x ' || CAST(weight AS INTEGER), ''))
        || iif(max(is_chosen), ', taken', '') FROM (SELECT * FROM score ORDER BY seq) s
        JOIN run r ON r.id = s.run JOIN node n USING (run, node) JOIN job j USING (run, ordinal)
        WHERE r.policy = '$1' AND j.id = 'default/$2' GROUP BY node"
}
# Sums of weights 30, 80 and 0: 100 at the most, 30 * 100/80 = 37.  On an empty node 4 of 8 cores and 4 of 32 GiB:
# least (50 + 87)/2 = 68, balanced 100 * (1 - (1/2 - 1/8)) = 62.
check "S3-20: NodeAffinity's points are of the most preferred" same "$(scored kube-default p1)" \
"a: least 68 x 1, balanced 62 x 1, affinity 37 x 1
b: least 68 x 1, balanced 62 x 1, affinity 100 x 1, taken
c: least 68 x 1, balanced 62 x 1, affinity 0 x 1"
# b would be full: least (0 + 75)/2 = 37, balanced 0; 137 against 167.
check "S3-20: other plugins weigh against it" same "$(scored kube-default p2)" \
"a: least 68 x 1, balanced 62 x 1, affinity 37 x 1, taken
b: least 37 x 1, balanced 0 x 1, affinity 100 x 1
c: least 68 x 1, balanced 62 x 1, affinity 0 x 1"
# a and b have 4 cores left: the most preferred of what fits is c, with nothing.  (25 + 87)/2 = 56; 1 - 5/8 = 0.375.
check "S3-20: only of the nodes that fit" same "$(scored kube-default p3)" \
"a: fits
b: fits
c: least 56 x 1, balanced 37 x 1, affinity 0 x 1, taken"
check "who prefers nothing has no such points" same "$(scored kube-default p4 | grep -c affinity)" 0
check "what is preferred counts by its weight" \
    expect 0 "$fairway" run -q -p "kube-default:score=least:1;affinity:9" -d "$dir/k.db" "$dir/k.yaml"
check "so that the second pod follows the first" same "$(scored 'kube-default:score=least:1;affinity:9' p2 | grep taken)" \
    "b: least 37 x 1, affinity 100 x 9, taken"
check "a policy that does not look at it is told of, with a count" \
    grep -q 'fifo: preferred nodeAffinity of pods is not looked at by the policy: 3 jobs' "$dir/told"
check "kube- policies are not" same "$(grep 'kube-' "$dir/told" | grep -c preferred)" 0
exit $bad
