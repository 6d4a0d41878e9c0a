#!/bin/sh
# A KubeSchedulerConfiguration read as `config` of the kube- policies: what is taken from it, what is told not to be
# modelled, what is wrong in it; expected places worked out from kube-scheduler's published rules (S3-20).
. "$(dirname "$0")/lib.sh"

api=kubescheduler.config.k8s.io
head="apiVersion: $api/v1beta1
kind: KubeSchedulerConfiguration"

# Two nodes of 8 cores and 32 GiB; the first pod lies on a, the first by name.
cat >"$dir/p.csv" <<'END'
id,submit_s,duration_s,user,queue,cpus,mem_mib,priority
first,0,1000,u,,2,8192,0
named,1,1000,u,packer,2,8192,0
last,2,1000,u,,2,8192,0
END
cat >"$dir/p.yaml" <<'END'
cluster: {groups: [{name: a, cpus: 8, mem: 32GiB}, {name: b, cpus: 8, mem: 32GiB}]}
trace: {format: native, path: p.csv}
output: {attempts: true}
END
db=$dir/c.db
# placed CONFIG [POLICY]: the run's pods and their nodes
placed() {
    printf '%s\n' "$1" >"$dir/s.yaml"
    rm -f "$db"
    # A path is looked for beside the scenario where a scenario names it; on the command line, from here.
    (cd "$dir" && "$fairway" run -q --audit -p "${2:-kube-default}:config=s.yaml" -d "$db" p.yaml) 2>"$dir/err" ||
        { cat "$dir/err"; return 1; }
    sqlite3 "$db" "SELECT group_concat(x, ' ') FROM (SELECT j.id || '@' || n.name AS x FROM attempt a
        JOIN job j USING (run, ordinal) JOIN node n ON n.run = a.run AND n.node = a.node ORDER BY a.start_us, j.id)"
}
packs="- schedulerName: default-scheduler
  plugins:
    score:
      disabled: [{name: NodeResourcesLeastAllocated}]
      enabled: [{name: NodeResourcesMostAllocated, weight: 5}]"
# Spread: the second pod goes to b; then both are alike.
# Packed: balanced is 100 everywhere, most (25 + 25)/2 against (50 + 50)/2.
check "without profiles it is the default scheduler" same "$(placed "$head")" "first@a named@b last@a"
check "a score plugin is taken out, and another put in with its weight" \
    same "$(placed "$head
profiles:
$packs")" "first@a named@a last@a"
check "so under kube-split" same "$(placed "$head
profiles:
$packs" kube-split)" "first@a named@a last@a"
check "v1: NodeResourcesFit scores by its strategy" same "$(placed "apiVersion: $api/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}")" \
    "first@a named@a last@a"
check "v1: and by a shape, here the less in use the better" same "$(placed "apiVersion: $api/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}")" \
    "first@a named@b last@a"
check "v1beta1: RequestedToCapacityRatio, the more in use the better" same "$(placed "$head
profiles:
- plugins: {score: {disabled: [{name: '*'}], enabled: [{name: RequestedToCapacityRatio, weight: 2}]}}
  pluginConfig:
  - name: RequestedToCapacityRatio
    args:
      shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]
      resources: [{name: memory, weight: 1}]")" \
    "first@a named@a last@a"
check "v1: a shape of every percentage there is" same "$(placed "apiVersion: $api/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        requestedToCapacityRatio:
          shape:
$(seq 0 100 | awk '{ printf "          - {utilization: %d, score: %d}\n", $1, (100 - $1) / 10 }')")" \
    "first@a named@b last@a"
check "v1: multiPoint switches scores off, too" same "$(placed "apiVersion: $api/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}]}}}]")" "first@a named@a last@a"
both="$head
profiles:
- schedulerName: default-scheduler
$(echo "$packs" | sed 's/default-scheduler/packer/')"
check "a pod goes by the profile that is called as its scheduler, others by the default one" \
    same "$(placed "$both")" "first@a named@a last@b"
check "who names none goes by the first" same "$(placed "$head")" "first@a named@b last@a"
check "and is counted in the run's notes" same \
    "$(sqlite3 "$db" "SELECT sum(value) FROM note WHERE name = 'pod_of_no_profile'")" 1.0

# ---- preemption and percentage ----

cat >"$dir/p.csv" <<'END'
id,submit_s,duration_s,user,cpus,mem_mib,priority
low1,0,1000,u,8,8192,0
low2,0,1000,u,8,8192,0
high,10,10,u,8,8192,5
END
check "preemption is on" same "$(placed "$head")" "low1@a low2@b high@a low1@a"
check "and off where DefaultPreemption is" same "$(placed "$head
profiles: [{plugins: {postFilter: {disabled: [{name: DefaultPreemption}]}}}]")" "low1@a low2@b high@a"

# ---- what is not modelled ----

placed "apiVersion: $api/v1beta1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - {name: NodeLabel, weight: 3}
      - name: SelectorSpread
    filter: {disabled: [{name: NodePorts}]}
    permit: {enabled: [{name: Coscheduling}]}
  pluginConfig:
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 1}
  - name: NodeResourcesLeastAllocated
    args: {resources: [{name: cpu}, {name: example.com/foo, weight: 2}]}
  nicknames: [x]" >/dev/null
cp "$dir/err" "$dir/told"
check "each thing that is not modelled is told, with its line" same "$(sed 's/.*s.yaml:/s.yaml:/' "$dir/told" | sort -t: -k2n)" \
"s.yaml:3: leaderElection is not modelled
s.yaml:9: score plugin NodeLabel is not modelled
s.yaml:10: score plugin SelectorSpread is not modelled
s.yaml:11: filter plugin NodePorts (disabled) is not modelled
s.yaml:12: permit plugin Coscheduling (enabled) is not modelled
s.yaml:15: InterPodAffinity's hardPodAffinityWeight is not modelled
s.yaml:17: resource example.com/foo in scores is not modelled
s.yaml:18: a profile's nicknames is not modelled"
check "and stored with the run" same \
    "$(sqlite3 "$db" "SELECT count(*) FROM repair WHERE first_line = 0 AND what LIKE 's.yaml:%'")" 8
{ cat "$dir/p.yaml"; echo "sweep: {policies: ['kube-default:config=s.yaml'], seeds: [1]}"; } >"$dir/w.yaml"
(cd "$dir" && "$fairway" sweep -q -d w.db w.yaml) >/dev/null 2>"$dir/swept"
check "a sweep tells them too" same "$(sort "$dir/swept")" "$(sort "$dir/told")"
check "a file that says nothing unmodelled is told nothing of" same "$(placed "$head" >/dev/null; cat "$dir/err")" ""

# ---- who a run is ----

rm -f "$db"
run() {
    printf '%s\n' "$1" >"$dir/s.yaml"
    (cd "$dir" && "$fairway" run -q -p kube-default:config=s.yaml -d "$db" p.yaml)
}
run "$head" && run "# a comment
$head"
check "a comment in the file makes no other run" same "$(sqlite3 "$db" "SELECT count(*) FROM run")" 1
run "$head
percentageOfNodesToScore: 30"
check "what the file says does" same "$(sqlite3 "$db" "SELECT count(*) FROM run")" 2
mkdir "$dir/sub" && sed 's/path: p.csv/path: ..\/p.csv/' "$dir/p.yaml" >"$dir/sub/q.yaml"
printf '%s\n' "policies: [{name: kube-default, config: ../s.yaml}]" >>"$dir/sub/q.yaml"
check "a scenario's path is from its own folder" expect 0 "$fairway" run -q -d "$dir/q.db" "$dir/sub/q.yaml"

# ---- what is wrong ----

# wrong LINE:COL WORDS TEXT
wrong() {
    printf '%s\n' "$3" >"$dir/s.yaml"
    fails 2 "$2" "$fairway" run -q -p "kube-default:config=$dir/s.yaml" -d "$dir/e.db" "$dir/p.yaml" &&
    says "$dir/s.yaml:$1: error: "
}
score() {
    printf '%s\n' "$head" "profiles:" "- plugins:" "    score:" "      enabled: [{name: NodeResourcesMostAllocated, weight: $1}]"
}
check "a negative weight" wrong 6:60 "'weight': found '-1', expected a whole number from 0 to 100000" "$(score -1)"
check "a weight that is none" wrong 6:60 "'weight': found 'x'" "$(score x)"
check "an unknown kind" wrong 2:7 "'kind': found 'KubeletConfiguration', expected KubeSched" "apiVersion: $api/v1
kind: KubeletConfiguration"
check "an unknown version" wrong 1:13 "found '$api/v2', expected" "apiVersion: $api/v2
kind: KubeSchedulerConfiguration"
check "no kind" wrong 1:1 "found no 'kind'" "apiVersion: $api/v1"
check "two profiles of one name" wrong 5:3 "found a second profile 'x'" "$head
profiles:
- schedulerName: x
- schedulerName: x"
check "two without a name" wrong 5:3 "found a second profile 'default-scheduler'" "$head
profiles:
- pluginConfig: []
- schedulerName: default-scheduler"
check "a percentage above 100" wrong 3:27 "expected a whole number from 0 to 100" "$head
percentageOfNodesToScore: 101"
check "a plugin enabled twice" wrong 7:9 "found plugin 'X' enabled twice" "$head
profiles:
- plugins:
    score:
      enabled: [{name: X},
        {name: X}]"
check "arguments given twice" wrong 5:18 "found arguments of plugin 'X' twice" "$head
profiles:
- pluginConfig: [{name: X, args: {}},
                 {name: X, args: {}}]"
check "a shape that does not rise" wrong 6:49 "found utilization 50 after 50, expected a greater one" "$head
profiles:
- plugins: {score: {enabled: [{name: RequestedToCapacityRatio}]}}
  pluginConfig: [{name: RequestedToCapacityRatio,
    args: {shape: [{utilization: 50, score: 0}, {utilization: 50, score: 1}]}}]"
check "no shape" wrong 4:31 "found no 'shape', which RequestedToCapacityRatio needs" "$head
profiles:
- plugins: {score: {enabled: [{name: RequestedToCapacityRatio}]}}"
check "arguments of another plugin" wrong 4:67 "expected NodeResourcesLeastAllocatedArgs" "$head
profiles:
- pluginConfig: [{name: NodeResourcesLeastAllocated, args: {kind: NodeResourcesFitArgs}}]"
check "no such file" fails 2 "nowhere.yaml" \
    "$fairway" run -q -p kube-default:config=nowhere.yaml -d "$dir/e.db" "$dir/p.yaml"
printf '%s\n' "$head" >"$dir/s.yaml"
check "it and its parameters exclude each other" fails 2 "\`config\` states what score, preempt and percentage do" \
    "$fairway" run -q -p "kube-default:preempt=false,config=$dir/s.yaml" -d "$dir/e.db" "$dir/p.yaml"
check "no run was begun by any of these" same "$(ls "$dir" | grep -c '^e\.db$')" 0
exit $bad
