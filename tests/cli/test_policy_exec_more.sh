#!/bin/sh
# Policies in a process of their own, on what only some scenarios have: workflows
# and licences, reservations that are lent, tasks made of API calls.
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# ---- decisions that the session of test_policy_exec.sh has nothing to try on ----
# answers CLAIM STATUS SCENARIO FLAGS DECISIONS MESSAGE: one round by hand
answers() {
    cat >"$dir/one.sh" <<END
flags='$4'
. "$here/tests/bad/exec/greet.inc"
echo '$5'
cat >/dev/null
END
    check "$1" fails "$2" "$6" "$fairway" run -q -d "$dir/one.db" "$3" -p "exec:exec sh $dir/one.sh" </dev/null
}
decides() { answers "$1" 4 "$2" "$3" "{\"msg\":\"decisions\",\"decisions\":[$4]}" "$5"; }      # CLAIM SCENARIO FLAGS LIST MESSAGE
calls=tests/cli/exec/calls.yaml lend=tests/cli/exec/lend.yaml
of_calls='["runs_calls"]'
decides "calls are for those who say that they run them" $calls '[]' '' "does not run tasks that are made of API calls, as those of job 'c0' are"
decides "a misspelt engine" $calls "$of_calls" '{"do":"call","job":0,"task":0,"node":0,"engine":"gpuu"}' \
    "decision 1 of 1: found the engine 'gpuu'; did you mean 'gpu'?"
decides "an engine unlike any" $calls "$of_calls" '{"do":"call","job":0,"task":0,"node":0,"engine":"quantum"}' \
    "found the engine 'quantum', expected one of cpu, gpu, npu, dsp"
decides "a call of a task that does not run" $calls "$of_calls" '{"do":"call","job":0,"task":0,"node":0,"engine":"gpu"}' \
    "decision 1 of 1: call of job 'c0': the task is not running"
decides "a start before a send" $calls "$of_calls" '{"do":"start","job":0,"task":0,"node":0}' \
    "the task is made of calls: it is sent to a node's queue before that node starts it"
decides "a start elsewhere than in the queue" $calls "$of_calls" '{"do":"send","job":0,"task":0,"node":1},{"do":"start","job":0,"task":0,"node":0}' \
    "decision 2 of 2: start of job 'c0': the task is in the queue of another node"
decides "a misspelt licence" $lend '[]' '{"do":"reserve","job":0,"stage":0,"reserved":{"licences":{"mathlab":1}},"need":{}}' \
    "found the licence 'mathlab'; did you mean 'matlab'?"
decides "more licences than there are" $lend '[]' '{"do":"reserve","job":0,"stage":0,"reserved":{"licences":{"matlab":4}},"need":{}}' \
    "reserve of job 'wf': more is reserved than the cluster has"
decides "more lent than the stage leaves" $lend '[]' '{"do":"reserve","job":0,"stage":0,"reserved":{"cpu":4000},"need":{"cpu":3500}},{"do":"start","job":1,"task":0,"node":0},{"do":"lend","job":1,"task":0,"lender":0}' \
    "decision 3 of 3: lend of job 'x': more is lent than the lender's stage leaves"
decides "more licences than are free" $lend '[]' '{"do":"start","job":0,"task":0,"node":0},{"do":"start","job":0,"task":1,"node":0},{"do":"start","job":0,"task":3,"node":0}' \
    "start of job 'wf':"
decides "a hold of what runs, where holds are recorded" $lend '[]' '{"do":"start","job":1,"task":0,"node":0},{"do":"hold","job":1,"task":0,"reason":"w"}' \
    "decision 2 of 2: hold of job 'x': the task does not wait"
answers "a question about a call that the task does not have" 4 $calls "$of_calls" '{"msg":"query","job":0,"task":0,"overhead":[[9,0,1]]}' \
    "its query: 'overhead' asks for call 9; the task has"

# ---- what is told ----
cat >"$dir/hears.sh" <<END
read -r line
echo '{"msg":"hello","protocol":1,"name":"hears","flags":["runs_calls"]}'
while read -r line; do
    case \$line in *'"msg":"bye"'*) exit 0 ;; esac
    echo "\$line" >>"\$1"
    case \$line in *'"msg":"decide"'*) break ;; esac
done
echo "\$2"
read -r line
echo "\$line" >>"\$1"
echo '{"msg":"decisions","decisions":[{"do":"fail","message":"enough"}]}'
cat >/dev/null
END
hears() { "$fairway" run -q -d "$dir/h.db" "$1" -s 7 -p "exec:exec sh $dir/hears.sh $dir/$2 '$3'" 2>/dev/null; }
hears $lend told '{"msg":"query","job":0,"task":1}'
check "a workflow: its stages, who is blocked, what each shape asks in licences; the seed and the audit; who waits for a task" same \
"$(sed -n 1p "$dir/told"; sed -n 2p "$dir/told" | grep -o '"shapes":.*"matlab":2}},'; sed -n 2p "$dir/told" | grep -o '"tasks":\[\[0,2.*"blocked":[^"]*"inputs":'; sed -n 3p "$dir/told" | grep -o '"inputs.*"followers":[^}]*')" \
'{"msg":"cluster","seed":7,"audited":true,"licences":{"matlab":3},"nodes":[{"node":0,"name":"n","rack":"rack0","cpu":8000,"mem":17179869184}]}
"shapes":[{"shape":0,"cpu":2000,"mem":0,"licences":{"matlab":1}},{"shape":1,"cpu":2000,"mem":0},{"shape":2,"cpu":4000,"mem":0,"licences":{"matlab":2}},
"tasks":[[0,2],[1,1],[2,1]],"n_stages":3,"stages":[[0,2],[1,1],[2,1]],"blocked":[[2,3]],"inputs":
"inputs":[{"task":1,"size":0,"nodes":[0]}],"followers":[2]'

cat >"$dir/hints.yaml" <<END
cluster: {groups: [{name: g, cpus: 8, mem: 32GiB, gpus: 2, gpu_type: V100}]}
profiles: {file: $here/traces/profiles/coda.csv}
trace: {format: native, path: hints.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s,gpus,model,hints\na,0,5,1,vgg16,pipelined+weights=138.25+complex=7.5\nb,0,5,1,vgg16,weights\n' >"$dir/hints.csv"
hears "$dir/hints.yaml" hints '{"msg":"query","job":0,"task":0}'
check "hints, and the figures that go with them" same "$(grep -o '"kind":[^{]*"tasks"' "$dir/hints")" \
'"kind":"image","hints":["pipelined","heavy_weights","complex_cpu"],"weights_thousands":138250,"work_us":7500,"tasks"
"kind":"image","hints":["heavy_weights"],"tasks"'

# One task of two calls, whose times lie on a line between the two that are given: 1,000 bytes take 0.3 s, 100,000 take 1.5 s
# on a gpu.  The way from g-0 to e-0 and back: twice 1 ms and 20 ms, and 49,500 + 500 bytes at 50 Mb/s (8 ms).
cat >"$dir/jobs.csv" <<'END'
id,submit_s,tasks
a,0,1
END
printf 'job,task,call,api,size_b,result_b\na,0,0,conv,50500,500\na,0,1,conv,1000,0\n' >"$dir/calls.csv"
cp tests/cli/exec/calls-times.csv "$dir/"
sed "s/calls-jobs/jobs/;s/calls-calls/calls/;/^faults/d" $calls >"$dir/calls.yaml"
hears "$dir/calls.yaml" calls '{"msg":"query","job":0,"task":0,"overhead":[[0,0,2],[0,0,0]]}'
check "kinds of engines, tiers, calls with their times, what profiling knows, and the cost of a way" same \
"$(grep -o '"engines":\[.*\],' "$dir/calls" | sed 's/,"nodes.*/,/' | head -1; grep -o '"tier":1' "$dir/calls" | sort -u; grep -o '"calls":\[{"task".*' "$dir/calls"; grep -o '"next_call.*\]' "$dir/calls")" \
'"engines":["cpu","gpu","npu","dsp"],
"tier":1
"calls":[{"task":0,"calls":[{"api":0,"size":50500,"result":500,"us":{"cpu":4900000,"gpu":900000}},{"api":0,"size":1000,"us":{"cpu":800000,"gpu":300000}}]}]}]}
"next_call":0,"relation":{"form":"times","value":{"cpu":5.7,"gpu":1.2}},"overhead":[50160,0]'

cat >"$dir/gpu.yaml" <<'END'
cluster:
  gpu_types: {T4: {mem: 16GiB, tflops: 8.1, clock_mhz: 585}}
  groups: [{name: g, cpus: 8, mem: 32GiB, gpus: 2, gpu_type: T4}]
trace: {format: native, path: bound.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s,gpus,cpus,node\nb,0,10,1,2,g\nc,0,5,1,1,\n' >"$dir/bound.csv"
hears "$dir/gpu.yaml" bound '{"msg":"query","job":0,"task":0}'
check "what data sheets say of GPU types, and tasks that run already when their job comes" same \
"$(grep -o '"gpu_types":.*}},' "$dir/bound" | sed 's/,"nodes.*//;s/,$//' | head -1; grep -o '"tasks":\[\[0,1]],"running":[^]]*]}]' "$dir/bound"; grep -o '"waiting":false,"running":true,' "$dir/bound")" \
'"gpu_types":{"T4":{"compute_mflops":8100000,"clock_khz":585000}}
"tasks":[[0,1]],"running":[{"task":0,"node":0,"cards":[0]}]
"waiting":false,"running":true,'

# ---- what a child may declare ----
# once FLAGS DECISIONS: these in the first round, none later
cat >"$dir/once.sh" <<'END'
read -r line
echo '{"msg":"hello","protocol":1,"name":"once","flags":'"$1"'}'
say=$2
while read -r line; do
    case $line in *'"msg":"decide"'*) echo "{\"msg\":\"decisions\",\"decisions\":[$say]}"; say= ;; esac
done
END
once() { rm -f "$dir/o.db"; "$fairway" run -q -d "$dir/o.db" "$dir/card.yaml" --audit -p "exec:exec sh $dir/once.sh '$1' '$2'"; }
cat >"$dir/card.yaml" <<'END'
cluster: {gpu_types: {T4: {mem: 16GiB}}, groups: [{name: g, cpus: 8, mem: 32GiB, gpus: 1, gpu_type: T4}]}
trace: {format: native, path: card.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s,gpus,gpu_milli,gpu_mem_mib\na,0,10,1,500,12288\nb,0,10,1,500,12288\n' >"$dir/card.csv"
both='{"do":"start","job":0,"task":0,"node":0,"cards":[0]},{"do":"start","job":1,"task":0,"node":0,"cards":[0]}'
check "a card's memory counts" fails 4 "policy 'once' broke its contract at t=0 us (0 s), decision 2 of 2: start of job 'b': it does not fit on the node" once '[]' "$both"
once '["by_count"]' "$both" 2>"$dir/err"
check "by_count: not for one that counts cards; the task fails there" same "$? $(sqlite3 "$dir/o.db" "SELECT value FROM metric WHERE name = 'mismatches'")" "0 1.0"
check "a task that is left waiting on an idle cluster fails the run" fails 4 "waiting with nothing" once '[]' '{"do":"start","job":0,"task":0,"node":0}'
once '["strands"]' '{"do":"start","job":0,"task":0,"node":0}' 2>"$dir/err"
check "strands: it ends unfinished, which exit status 1 says" \
    same "$? $(sqlite3 "$dir/o.db" "SELECT status, value FROM run JOIN metric ON run = id WHERE name = 'jobs_unfinished'" | tr '|' ' ')" "1 done 1.0"

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped - the Python module: no python3 here"
    exit $bad
fi

# ---- the same digests as built-ins ----
# twins SCENARIO BUILT-IN CHILD [OPTION...]
twins() {
    scn=$1 built_in=$2 child=$3
    shift 3
    rm -f "$dir/d.db"
    check "$child is $built_in on $scn $*" alike "$@"
}
alike() {
    "$fairway" run -q -d "$dir/d.db" "$scn" --audit -p "$built_in" -p "exec:python3 python/$child" "$@" &&
        same "$(sqlite3 "$dir/d.db" "SELECT count(*), count(DISTINCT digest) FROM run WHERE status = 'done'")" "2|1"
}
for mode in strict skip; do
    for place in first best; do twins tests/cli/exec/flow.yaml "fifo:mode=$mode,place=$place" "fifo.py mode=$mode place=$place" -s 1; done
done
for rule in mct met; do
    for scn in two consistent semi inconsistent; do twins scenarios/engines/engines-$scn.yaml $rule "mapper.py rule=$rule" -s 1; done
    twins $calls $rule "mapper.py rule=$rule" --set output.decisions=true
    for seed in 1 2; do twins $calls $rule "mapper.py rule=$rule" -s $seed --set 'faults={mtbf: 40s, mttr: 15s}'; done
done
# Beyond the digest, which leaves them out: every decision with its reason, one for one; so explain tells the same stories.
check "met and mapper.py run with a record of decisions" \
    "$fairway" run -q -d "$dir/t.db" $calls -p met -p "exec:python3 python/mapper.py rule=met" --set output.decisions=true
check "there are many" [ "$(sqlite3 "$dir/t.db" "SELECT count(*) FROM decision WHERE run = 1")" -gt 500 ]
check "mapper.py gives the reasons of met, decision by decision" \
    same "$(sqlite3 "$dir/t.db" "SELECT count(*) FROM (SELECT seq, at_us, verb, ordinal, task, node, reason FROM decision GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING count(*) <> 2)")" 0
stories() {     # RUN: without what names the policy
    for job in $(sqlite3 "$dir/t.db" "SELECT id FROM job WHERE run = $1 ORDER BY ordinal LIMIT 40"); do
        "$fairway" explain "$dir/t.db" "$1" "$job" | sed 's/, in run .*//; /^rule: /d'
    done
}
stories 1 >"$dir/built-in"
stories 2 >"$dir/child"
check "and explain tells of its calls what it tells of met's" diff "$dir/built-in" "$dir/child"
check "in the policy's words" grep -q 'sent to the queue of .*: "' "$dir/child"

# ---- reserved, lent and taken back: worked out by hand ----
# The workflow's stages ask for 4, 2 and 4 cores and for 2, 0 and 2 licences; 4 and 2 are kept of 8 and 3.  So four of x's five
# tasks of a core run from 0 to 12 s, and the fifth has no place.  At 10 s the second stage leaves 2 cores and both licences:
# x's fifth task and l borrow them, and give them back at 20 s, when they have run for nothing.  By then there are cores
# outside, but of licences one: l waits until the workflow ends at 30 s.
"$fairway" run -q -d "$dir/l.db" $lend 2>"$dir/err" || cat "$dir/err"
query() { sqlite3 "$dir/l.db" "$1"; }
check "who ran when" same "$(query "SELECT group_concat(id || ' ' || (start_us / 1000000) || ' ' || (end_us / 1000000), ', ') FROM job")" "wf 0 30, x 0 32, l 10 45"
check "fairway stages tells what was kept, lendable, taken back and usable" same \
    "$("$fairway" stages "$dir/l.db" --run 1 --csv | awk -F, 'NR > 1 { printf "%s%s,%s,%s,%s,%s,%s,%s,%s", (NR > 2 ? " " : ""), $2, $3, $4, $5, $6, $7, $8, $9 }')" \
    "1,0,cpu,4,4,0,0,4 1,0,matlab,2,2,0,0,2 2,10,cpu,4,2,2,0,4 2,10,matlab,2,0,2,0,2 3,20,cpu,4,4,0,2,2 3,20,matlab,2,2,0,2,0"
check "every decision is in the record, with its reason" same \
    "$(query "SELECT group_concat(said, ', ') FROM (SELECT (d.at_us / 1000000) || ' ' || verb || ' ' || id || ': ' || reason AS said FROM decision d JOIN job USING (run, ordinal) GROUP BY d.at_us, verb, id, reason ORDER BY min(d.seq))")" \
    "0 reserve wf: its stage begins, 0 start wf: its workflow's turn, 0 start x: there is room outside, 0 hold x: kept for wf, 1 head l: kept for wf, 10 reserve wf: its stage begins, 10 start wf: its workflow's turn, 10 start x: borrows, 10 lend x: the stage leaves it, 10 start l: borrows, 10 lend l: the stage leaves it, 20 preempt l: taken back, 20 preempt x: taken back, 20 reserve wf: its stage begins, 20 start wf: its workflow's turn, 20 head l: kept for wf, 20 start x: there is room outside, 30 start l: there is room outside"
check "explain tells the reasons" same "$("$fairway" explain "$dir/l.db" 1 l | grep -o 'the policy had it.*')" 'the policy had it first in order: "kept for wf"'
# 2 cores and 2 licences lent for 10 s, all of it for nothing.
check "what was lent and taken back is measured" same \
    "$(query "SELECT group_concat(name || ' ' || printf('%g', value * CASE unit WHEN 'h' THEN 3600 ELSE 1 END), ', ') FROM (SELECT * FROM metric WHERE name IN ('lent_cpu_hours', 'lent_licence_hours', 'reclaimed_cpu_hours', 'reclaims') ORDER BY name)")" \
    "lent_cpu_hours 20, lent_licence_hours 20, reclaimed_cpu_hours 20, reclaims 2"

# ---- the module's books of calls agree with the simulator's ----
cat >"$dir/asks.py" <<'END'
import fairway, mapper

class Asks(mapper.Mapper):
    name = "asks"
    started, seen = {}, 0

    def call(self, task, node, engine, reason=None):
        super().call(task, node, engine, reason)
        self.started[task] = (node, engine, self.now)

    def on_call(self, task, lost):
        self.started.pop(task, None)

    def on_stop(self, unit):
        self.started.pop(unit.tasks[0], None)

    def decide(self):
        for unit in [*self.waiting, *self.running]:
            task = unit.tasks[0]
            if not task.calls:
                continue
            far = self.nodes[0 if task.node is None or task.node.index else 2]
            told = self.query(task, ways=[(task.next_call, task.node or self.nodes[1], far)])
            assert told["next_call"] == task.next_call and told.get("queue") == (task.queue and task.queue.index), told
            call = told.get("call")
            assert (call is None) == (task not in self.started), (told, self.started.get(task))
            if call:
                node, engine, since = self.started[task]
                way = 0 if node is task.node else self.query(task, ways=[(task.next_call, task.node, node)])["overhead"][0]
                assert call == {"node": node.index, "engine": engine, "since": since, "us": task.calls[task.next_call]["us"][engine] + way}, call
                self.seen += way > 0
            assert all(abs(told["relation"]["value"][e] * 1e6 - us) < 1 for e, us in self.time[task].items()), told
        for node in self.nodes:
            assert node.queued == sum(u.tasks[0].queue is node for u in self.waiting), node.name
        super().decide()
        self.record("calls elsewhere", self.seen)

fairway.run(Asks)
END
PYTHONPATH=$here/python
export PYTHONPATH
check "a policy that asks about every task runs" "$fairway" run -q -d "$dir/a.db" $calls --audit -p "exec:python3 $dir/asks.py rule=mct" -p mct
check "queues, calls that run, relations and ways are answered as they are" same "$(sqlite3 "$dir/a.db" "SELECT count(DISTINCT digest), (SELECT max(value) > 5 FROM note) FROM run")" "1|1"
exit $bad
