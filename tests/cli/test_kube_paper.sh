#!/bin/sh
# The Kubernetes paper's figures and tables as a user runs and draws them (S3-13
# to S3-18), and the FGD paper's experiment on openb, whose published order holds.
. "$(dirname "$0")/lib.sh"

# counts FILE.gp PANEL: "node cpu gpu" lines of a panel (0, 1, 2), joined by ';'.
counts() { sed -n '/^\$pods/,/^EOD/p' "$1" | awk -F'\t' -v want="$2" '/^\$|^EOD/ { next } /^$/ { if (++empty % 2 == 0) panel++; next } panel == want { printf "%s %s %s;", $1, $2, $3 }'; }
drawn() { got=$(counts "$dir/pods.gp" "$1"); [ "$got" = "$2" ] || { echo "found $got, expected $2"; return 1; }; }

check "the paper's experiment runs" "$fairway" run -q --audit -d "$dir/mixed.db" "$here/scenarios/kube/kube-mixed.yaml"
check "its pods are drawn" "$fairway" plot "$dir/mixed.db" pods -o "$dir/pods.gp"
check "S3-13: Figure 2" drawn 0 "cpu-0 4 0;cpu-1 4 0;gpu-0 4 1;gpu-1 4 1;pending 0 2;"
check "S3-14: Figure 3" drawn 1 "cpu-0 5 0;cpu-1 5 0;gpu-0 0 2;gpu-1 0 2;pending 6 0;"
check "S3-15: Figure 4" drawn 2 "cpu-0 5 0;cpu-1 5 0;gpu-0 3 2;gpu-1 3 2;pending 0 0;"

check "the fine-grained experiment runs" "$fairway" run -q --audit -d "$dir/fine.db" "$here/scenarios/kube/kube-fine.yaml"
"$fairway" compare "$dir/fine.db" -m mismatches --csv 2>/dev/null | sed 's/"[^"]*"/spec/' | awk -F, 'NR > 1 && $5 == "mismatches" { print $2, $9 }' >"$dir/mismatches"
check "S3-17, S3-18: one mismatch by count, none by the paper's" sh -c '[ "$(tr "\n" " " <"$1")" = "kube-default 1 kube-hybrid 0 " ]' - "$dir/mismatches"
check "its table is drawn" "$fairway" plot "$dir/fine.db" pods -o "$dir/pods.gp"
check "S3-17: Table 4, two pods on each node" drawn 0 "gpu0 0 2;gpu1 0 2;pending 0 0;"

# Cards of 16 GB alone, and a pod that asks for 30 GB: who counts cards binds it all the same, and it fails.
printf 'id,submit_s,duration_s,user,cpus,mem_mib,gpus,gpu_mem_mib\nbig,0,100,u,1,1024,1,30000\nok,0,100,u,1,1024,1,10000\n' >"$dir/big.csv"
cat >"$dir/big.yaml" <<'END'
cluster: {groups: [{name: g, cpus: 32, mem: 128GiB, gpus: 2, gpu_type: X, gpu_mem: 16GB}]}
trace: {format: native, path: big.csv}
output: {attempts: true}
END
for policy in kube-default kube-split; do
    rm -f "$dir/big.db"
    check "S3-18: $policy takes a pod that no card can hold" "$fairway" run -q --audit -p $policy -d "$dir/big.db" "$dir/big.yaml"
    found=$(sqlite3 "$dir/big.db" "SELECT j.id, a.start_us, a.end_us, a.outcome FROM attempt a JOIN job j USING (run, ordinal) ORDER BY j.id")
    check "S3-18: under $policy it fails after the stated minute" same "$found" "big|0|60000000|mismatch
ok|0|100000000|done"
done
check "S3-18: who looks into cards is told that it cannot run" fails 2 "job 'big' (line 2 of the trace) cannot run" \
    "$fairway" run -q -p kube-hybrid -d "$dir/big.db" "$dir/big.yaml"

# The same pods by a file that says where five of them run already: they stay, whatever the policy.
awk -F, 'NR == 1 { print $0 ",node"; next } { print $0 "," (NR <= 6 ? "gpu-1" : "") }' "$here/traces/kube/mixed.csv" >"$dir/bound.csv"
check "pods that are bound when they arrive run" "$fairway" run -q --audit -p kube-hybrid -d "$dir/bound.db" --set trace.path="$dir/bound.csv" "$here/scenarios/kube/kube-mixed.yaml"
check "they are drawn" "$fairway" plot "$dir/bound.db" pods -o "$dir/pods.gp"
check "and stay where they are" drawn 0 "cpu-0 5 0;cpu-1 5 0;gpu-0 1 2;gpu-1 5 0;pending 0 2;"

# A real cluster's state: nodes and pods as kubectl prints them.  One pod runs on
# the tainted node and stays; of two that wait, one tolerates the taint and needs
# the ssd there, the other may only go to node b.
cat >"$dir/nodes.json" <<'END'
{"kind": "List", "items": [
 {"kind": "Node", "metadata": {"name": "a", "labels": {"disk": "ssd"}}, "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]},
  "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "10", "nvidia.com/gpu": "1"}}},
 {"kind": "Node", "metadata": {"name": "b"}, "spec": {}, "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "10"}}}]}
END
cat >"$dir/pods.json" <<'END'
{"kind": "List", "items": [
 {"kind": "Pod", "metadata": {"name": "plain"}, "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}, "status": {"phase": "Pending"}},
 {"kind": "Pod", "metadata": {"name": "runs"}, "spec": {"nodeName": "a", "containers": [{"resources": {"requests": {"cpu": "2"}}}]}, "status": {"phase": "Running"}},
 {"kind": "Pod", "metadata": {"name": "wants-ssd"}, "spec": {"nodeSelector": {"disk": "ssd"}, "tolerations": [{"operator": "Exists"}], "hostNetwork": true,
  "containers": [{"ports": [{"hostPort": 80}], "resources": {"limits": {"nvidia.com/gpu": "1", "cpu": "1"}}}]}, "status": {"phase": "Pending"}}]}
END
cat >"$dir/real.yaml" <<'END'
cluster: {from: kubectl, nodes: nodes.json}
trace: {format: kubectl, path: pods.json, defaults: {duration: 1h}}
policies: [kube-default, kube-hybrid]
output: {attempts: true}
END
check "a cluster's state from kubectl runs" sh -c '"$1" run -q --audit -d "$2/real.db" "$2/real.yaml" 2>"$2/err"' - "$fairway" "$dir"
check "what is not modelled is told" grep -q "hostPort not modelled: 1 row" "$dir/err"
check "it is drawn" "$fairway" plot "$dir/real.db" pods -o "$dir/pods.gp"
check "each pod is where it may be" drawn 0 "a 1 1;b 1 0;pending 0 0;"
check "under the paper's scheduler too" drawn 1 "a 1 1;b 1 0;pending 0 0;"
check "strict makes what is not modelled an error" sh -c '! "$1" run -q --strict -d "$2/strict.db" "$2/real.yaml" 2>"$2/err"' - "$fairway" "$dir"
check "which names its line" grep -q "pods.json:4: error: hostPort not modelled" "$dir/err"

if [ ! -f "${FAIRWAY_TRACES:-}/openb/openb_node_list_gpu_node.csv" ]; then
    echo "skipped - openb: the trace is not here"
    exit $bad
fi
check "FGD's experiment runs" "$fairway" run -q -s 1 -s 2 -s 3 -d "$dir/fgd.db" "$here/scenarios/fgd/fgd.yaml"
"$fairway" compare "$dir/fgd.db" -m frag_at_80,frag_at_90 --csv 2>/dev/null | sed 's/"[^"]*"/spec/' | awk -F, 'NR > 1 { print $2, $5, $9 }' >"$dir/means"
mean() { awk -v p="$1" -v m="$2" '$1 == p && $2 == m { print $3; exit }' "$dir/means"; }
near() { awk -v x="$(mean "$1" "$2")" -v want="$3" -v by="$4" 'BEGIN { print x; exit !(x > want - by && x < want + by) }'; }
below() { awk -v a="$(mean "$1" "$3")" -v b="$(mean "$2" "$3")" 'BEGIN { print a, b; exit !(a > 0 && a < b) }'; }
check "FGD fragments 29.9 % at load 80, published; within 3 points" near fgd frag_at_80 0.299 0.03
check "FGD fragments 50.0 % at load 90, published; within 5 points" near fgd frag_at_90 0.500 0.05
check "BestFit fragments 41.5 % at load 80, published; within 5 points" near best frag_at_80 0.415 0.05
for at in frag_at_80 frag_at_90; do
    check "FGD fragments less than BestFit, $at" below fgd best $at
    check "FGD fragments less than Packing, $at" below fgd packing $at
done
check "the three policies fill openb" "$fairway" run -q -d "$dir/openb.db" "$here/scenarios/kube/kube-openb.yaml"
check "and are drawn" "$fairway" plot "$dir/openb.db" frag-load -o "$dir/load.gp"
exit $bad
