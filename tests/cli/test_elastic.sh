#!/bin/sh
# Elastic jobs from a scenario to its story: changes of size over the line protocol, what refuses them, and the record.
. "$(dirname "$0")/lib.sh"

cat > "$dir/s.yaml" <<'Y'
cluster: {groups: [{name: n, count: 2, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: V100}]}
profiles: {scaling: s.csv}
trace: {format: native, path: j.csv}
policies: [fifo]
output: {decisions: true, speeds: true, audit: true}
Y
cat > "$dir/s.csv" <<'Y'
scaling,one_node,several_nodes,restart_s
r,1:1;2:1.8;4:3,2:1.5;4:2.5;8:4,10
Y
cat > "$dir/j.csv" <<'Y'
id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling
a,0,100,2,1,1,1,8,r
b,30,100,1,1,1,1,4,r
Y
cat > "$dir/p.py" <<Y
import sys
sys.path.insert(0, "$here/python")
import fairway

class Grow(fairway.Policy):
    name = "grow"
    flags = ("takes_refusals", "preempts")
    told = ""

    def on_refused(self, unit, do, refusal, node):
        self.told += f"{do}:{refusal}:{len(unit.tasks)} "

    def decide(self):
        for unit in list(self.waiting):
            self.size(unit, 8 if unit.job.number == 0 else unit.job.elastic["min"])
            if not self.start(unit):
                for other in list(self.running):
                    self.scale(other, 3)
                self.start(unit)
        if self.now == 40_000_000 and not self.told:
            first = next(iter(self.running))
            self._verbs.scale(first.job.number, [0] * 9)
            self._scaled[first] = (len(first.tasks), [(t.node, t.cards, t.cpu, t.mem) for t in first.tasks])
        if self.now == 50_000_000:
            for unit in list(self.running):
                self.scale(unit, 4)
            print(self.told, file=sys.stderr)
        if self.now < 50_000_000:
            self.wake(self.now + 10_000_000)

fairway.run(Grow)
Y
sql() { sqlite3 -separator ' ' "$dir/a.db" "$1"; }
check "runs" sh -c "'$fairway' run '$dir/s.yaml' -d '$dir/a.db' -p fifo -p 'exec:python3 $dir/p.py' -p afs >'$dir/out' 2>'$dir/err'"
check "a refusal is told, with its code" same "$(grep -c 'scale:size:3' "$dir/err")" 1
sed 's/ "preempts")/)/' "$dir/p.py" >"$dir/u.py"
check "who is not declared to preempt may not scale, which costs what a preemption does" \
    fails 4 "scale of job 'a': the policy is not declared as one that preempts" \
    "$fairway" run -q "$dir/s.yaml" -d "$dir/u.db" -p "exec:python3 $dir/u.py"
# On 8 of two nodes at 4 / 1.8 until 30 s, 10 s of restart, 3 of one node at 2.4 / 1.8 until 50 s, 10 s, then 4 of two at 2.5 / 1.8.
check "by hand" same "$(sql "SELECT ordinal, end_us FROM job WHERE run = 2")" "0 74399926
1 92000000"
check "attempts end as scaled" same "$(sql "SELECT ordinal, start_us, end_us, outcome, count(*) FROM attempt WHERE run = 2 GROUP BY 1, 2, 3, 4")" \
    "0 0 30000000 scaled 8
0 30000000 50000000 scaled 3
0 50000000 74399926 done 4
1 30000000 50000000 scaled 1
1 50000000 92000000 done 4"
check "speeds" same "$(sql "SELECT ordinal, at_us, round(scale, 4) FROM speed WHERE run = 2 ORDER BY seq")" "0 0 2.2222
1 30000000 1.0
0 40000000 1.3333
0 60000000 1.3889
1 60000000 2.5"
check "metrics" same "$(sql "SELECT name, round(value, 4) FROM metric WHERE run = 2 AND name IN ('scalings', 'restart_gpu_hours') AND scope = 'all' ORDER BY 1")" \
    "restart_gpu_hours 0.0306
scalings 3.0"
check "GPU hours are those of the attempts" same "$(sql "SELECT round(value, 9) FROM metric WHERE run = 2 AND name = 'gpu_hours' AND scope = 'all'")" \
    "$(sql "SELECT round(sum(end_us - start_us) / 3600e6, 9) FROM attempt WHERE run = 2")"
"$fairway" explain "$dir/a.db" 2 a >"$dir/story"
check "the story" same "$(grep -c 'stopped to go on at another size\|3 tasks started again, restoring\|number of GPUs' "$dir/story")" 6
check "the timeline" sh -c "'$fairway' timeline '$dir/a.db' 2 -o '$dir/t.json'"
check "a policy that knows no sizes starts what is asked" same "$(sql "SELECT ordinal, max(end_us), max(task) FROM attempt WHERE run = 1 GROUP BY 1")" "0 100000000 1
1 130000000 0"
check "bounds on time are not stated" same "$(sql "SELECT count(*) FROM metric WHERE name LIKE '%bound%' AND name LIKE 'makespan%'")" 0

# On a shared network b sends 1 GB/s of the 5 it would: 1 / (1 + 5) of its speed.  What a exchanges is in its scaling.
sed -e 's/s.csv/s.csv, net_bw: 5GB\/s/' \
    -e 's/^trace:.*/network: {mode: shared, card: 1GB\/s}\ntrace: {format: native, path: b.csv}/' \
    -e 's/count: 2/count: 3/' \
    "$dir/s.yaml" >"$dir/b.yaml"
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling a,0,100,6,1,1,1,8,r b,0,100,6,1,1,,, >"$dir/b.csv"
check "runs beside exchange" "$fairway" run -q "$dir/b.yaml" -d "$dir/b.db"
check "exchange that a scaling tells of takes nothing of the network" same "$(sqlite3 -separator ' ' "$dir/b.db" \
    "SELECT ordinal, round(end_us / 1e6) FROM job ORDER BY 1")" "0 100.0
1 600.0"

# A trace that tells no sizes, with scalings by the models' names: as if it had told them.
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,gpu_milli,model a,0,100,2,1,1,,r b,30,100,1,0,1,,r c,40,100,1,0,1,500,r \
    d,50,100,2,0,1,,r e,60,100,1,0,1,,other f,70,100,9,1,1,,r >"$dir/plain.csv"
printf '%s\n' id,submit_s,duration_s,tasks,gang,gpus,gpu_milli,min_tasks,max_tasks,scaling a,0,100,2,1,1,,1,8,r b,30,100,1,1,1,,1,8,r \
    c,40,100,1,0,1,500,,, d,50,100,2,0,1,,,, e,60,100,1,0,1,,,, f,70,100,9,1,1,,,, >"$dir/told.csv"
made() { sqlite3 "$dir/made.db" "SELECT ordinal, start_us, end_us, outcome, count(*) FROM attempt WHERE run = $1 GROUP BY 1, 2, 3, 4"; }
sed 's/j.csv/told.csv/; s/count: 2/count: 3/' "$dir/s.yaml" >"$dir/told.yaml"
sed 's/j.csv/plain.csv, defaults: {elastic_gpus: 8}/; s/count: 2/count: 3/' "$dir/s.yaml" >"$dir/plain.yaml"
check "runs with sizes told" "$fairway" run -q "$dir/told.yaml" -d "$dir/made.db" -p afs
check "and made up" "$fairway" run -q "$dir/plain.yaml" -d "$dir/made.db" -p afs
check "sizes change" sh -c "[ '$(made 1 | grep -c scaled)' -gt 0 ]"
check "whole jobs of a model with a scaling are elastic" same "$(made 2)" "$(made 1)"
check "who is, and who is not, is counted" same "$("$fairway" trace stats --scenario "$dir/plain.yaml" | grep -c 'on other numbers of GPUs,.* 2 \|as its model.s scaling does not know.* 1 ')" 2
sed 's/profiles:.*//' "$dir/plain.yaml" >"$dir/without.yaml"
check "without scalings none can be" fails 2 "'elastic_gpus' needs 'profiles.scaling'" "$fairway" run -q "$dir/without.yaml"

# Of an audited run each sample counts again which tasks wait, and of what shape.
for sampled in elastic/elastic workflow/workflow-fig1; do
    check "$sampled: samples know who waits" "$fairway" run -q --audit -s 1 -d "$dir/$(basename $sampled).db" \
        "$here/scenarios/$sampled.yaml" --set output.sample_every=1s
done
exit $bad
