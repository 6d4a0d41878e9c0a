#!/bin/sh
# Policies in a process of their own, on what only some scenarios have: workflows
# and licences, reservations that are lent, tasks made of API calls.
set -u
: "${FAIRWAY:?the program}"
case $FAIRWAY in /*) ;; *) FAIRWAY=$(cd "$(dirname "$FAIRWAY")" && pwd)/$(basename "$FAIRWAY") ;; esac
cd "$(dirname "$0")/../.." || exit 2
root=$(pwd)
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
verdict() { if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi; }
is() {  # CLAIM EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; echo "    expected: $2"; echo "    found:    $3"; failed=1; fi
}

# ---- decisions that the session of test_policy_exec.sh has nothing to try on ----
# says CLAIM STATUS SCENARIO FLAGS DECISIONS MESSAGE [OPTION...]: one round by hand
says() {
    claim=$1 status=$2 scn=$3 flags=$4 said=$5 message=$6
    shift 6
    cat >"$tmp/one.sh" <<END
flags='$flags'
. "$root/tests/bad/exec/greet.inc"
echo '$said'
cat >/dev/null
END
    "$FAIRWAY" run -q -d "$tmp/one.db" "$scn" -p "exec:exec sh $tmp/one.sh" "$@" 2>"$tmp/err" </dev/null
    [ $? -eq "$status" ] && grep -qF -- "$message" "$tmp/err" || { cat "$tmp/err"; false; }
    verdict $? "$claim"
}
decides() { claim=$1 scn=$2 flags=$3 list=$4 message=$5; shift 5; says "$claim" 4 "$scn" "$flags" "{\"msg\":\"decisions\",\"decisions\":[$list]}" "$message" "$@"; }
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
decides "a hold of what runs, where holds are recorded" $lend '[]' '{"do":"start","job":1,"task":0,"node":0},{"do":"hold","job":1,"task":0,"why":"w"}' \
    "decision 2 of 2: hold of job 'x': the task does not wait"
says "a question about a call that the task does not have" 4 $calls "$of_calls" '{"msg":"query","job":0,"task":0,"overhead":[[9,0,1]]}' \
    "its query: 'overhead' asks for call 9; the task has"

# ---- what is told ----
cat >"$tmp/hears.sh" <<END
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
hears() { "$FAIRWAY" run -q -d "$tmp/h.db" "$1" -s 7 -p "exec:exec sh $tmp/hears.sh $tmp/$2 '$3'" 2>/dev/null; }
hears $lend told '{"msg":"query","job":0,"task":1}'
is "a workflow: its stages, who is blocked, what each shape asks in licences; the seed and the audit; who waits for a task" \
'{"msg":"cluster","seed":7,"audited":true,"licences":{"matlab":3},"nodes":[{"node":0,"name":"n","rack":"rack0","cpu":8000,"mem":17179869184}]}
"shapes":[{"shape":0,"cpu":2000,"mem":0,"licences":{"matlab":1}},{"shape":1,"cpu":2000,"mem":0},{"shape":2,"cpu":4000,"mem":0,"licences":{"matlab":2}},
"tasks":[[0,2],[1,1],[2,1]],"n_stages":3,"stages":[[0,2],[1,1],[2,1]],"blocked":[[2,3]],"inputs":
"inputs":[{"task":1,"size":0,"nodes":[0]}],"followers":[2]' \
"$(sed -n 1p "$tmp/told"; sed -n 2p "$tmp/told" | grep -o '"shapes":.*"matlab":2}},'; sed -n 2p "$tmp/told" | grep -o '"tasks":\[\[0,2.*"blocked":[^"]*"inputs":'; sed -n 3p "$tmp/told" | grep -o '"inputs.*"followers":[^}]*')"

# One task of two calls, whose times lie on a line between the two that are given: 1,000 bytes take 0.3 s, 100,000 take 1.5 s
# on a gpu.  The way from g-0 to e-0 and back: twice 1 ms and 20 ms, and 49,500 + 500 bytes at 50 Mb/s (8 ms).
cat >"$tmp/jobs.csv" <<'END'
id,submit_s,tasks
a,0,1
END
printf 'job,task,call,api,size_b,result_b\na,0,0,conv,50500,500\na,0,1,conv,1000,0\n' >"$tmp/calls.csv"
cp tests/cli/exec/calls-times.csv "$tmp/"
sed "s/calls-jobs/jobs/;s/calls-calls/calls/;/^faults/d" $calls >"$tmp/calls.yaml"
hears "$tmp/calls.yaml" calls '{"msg":"query","job":0,"task":0,"overhead":[[0,0,2],[0,0,0]]}'
is "kinds of engines, tiers, calls with their times, what profiling knows, and the cost of a way" \
'"engines":["cpu","gpu","npu","dsp"],
"tier":1
"calls":[{"task":0,"calls":[{"api":0,"size":50500,"result":500,"us":{"cpu":4900000,"gpu":900000}},{"api":0,"size":1000,"us":{"cpu":800000,"gpu":300000}}]}]}]}
"next_call":0,"relation":{"form":"times","value":{"cpu":5.7,"gpu":1.2}},"overhead":[50160,0]' \
"$(grep -o '"engines":\[.*\],' "$tmp/calls" | sed 's/,"nodes.*/,/' | head -1; grep -o '"tier":1' "$tmp/calls" | sort -u; grep -o '"calls":\[{"task".*' "$tmp/calls"; grep -o '"next_call.*\]' "$tmp/calls")"

cat >"$tmp/gpu.yaml" <<'END'
cluster:
  gpu_types: {T4: {mem: 16GiB, tflops: 8.1, clock_mhz: 585}}
  groups: [{name: g, cpus: 8, mem: 32GiB, gpus: 2, gpu_type: T4}]
trace: {format: native, path: bound.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s,gpus,cpus,node\nb,0,10,1,2,g\nc,0,5,1,1,\n' >"$tmp/bound.csv"
hears "$tmp/gpu.yaml" bound '{"msg":"query","job":0,"task":0}'
is "what data sheets say of GPU types, and tasks that run already when their job comes" \
'"gpu_types":{"T4":{"compute_mflops":8100000,"clock_khz":585000}}
"tasks":[[0,1]],"running":[{"task":0,"node":0,"cards":[0]}]
"waiting":false,"running":true,' \
"$(grep -o '"gpu_types":.*}},' "$tmp/bound" | sed 's/,"nodes.*//;s/,$//' | head -1; grep -o '"tasks":\[\[0,1]],"running":[^]]*]}]' "$tmp/bound"; grep -o '"waiting":false,"running":true,' "$tmp/bound")"

# ---- what a child may declare ----
# once FLAGS DECISIONS: these in the first round, none later
cat >"$tmp/once.sh" <<'END'
read -r line
echo '{"msg":"hello","protocol":1,"name":"once","flags":'"$1"'}'
say=$2
while read -r line; do
    case $line in *'"msg":"decide"'*) echo "{\"msg\":\"decisions\",\"decisions\":[$say]}"; say= ;; esac
done
END
once() { rm -f "$tmp/o.db"; "$FAIRWAY" run -q -d "$tmp/o.db" "$tmp/card.yaml" --audit -p "exec:exec sh $tmp/once.sh '$1' '$2'" 2>"$tmp/err"; }
cat >"$tmp/card.yaml" <<'END'
cluster: {gpu_types: {T4: {mem: 16GiB}}, groups: [{name: g, cpus: 8, mem: 32GiB, gpus: 1, gpu_type: T4}]}
trace: {format: native, path: card.csv}
policies: [fifo]
END
printf 'id,submit_s,duration_s,gpus,gpu_milli,gpu_mem_mib\na,0,10,1,500,12288\nb,0,10,1,500,12288\n' >"$tmp/card.csv"
both='{"do":"start","job":0,"task":0,"node":0,"cards":[0]},{"do":"start","job":1,"task":0,"node":0,"cards":[0]}'
once '[]' "$both"
[ $? -eq 4 ] && grep -q "policy 'once' broke its contract at t=0 us (0 s), decision 2 of 2: start of job 'b': it does not fit on the node" "$tmp/err" || { cat "$tmp/err"; false; }
verdict $? "a card's memory counts"
once '["by_count"]' "$both"
is "by_count: not for one that counts cards; the task fails there" "0 1.0" "$? $(sqlite3 "$tmp/o.db" "SELECT value FROM metric WHERE name = 'mismatches'")"
once '[]' '{"do":"start","job":0,"task":0,"node":0}'
[ $? -eq 4 ] && grep -q "waiting with nothing" "$tmp/err" || { cat "$tmp/err"; false; }
verdict $? "a task that is left waiting on an idle cluster fails the run"
once '["strands"]' '{"do":"start","job":0,"task":0,"node":0}'
is "strands: it ends unfinished, which exit status 1 says" "1 done 1.0" "$? $(sqlite3 "$tmp/o.db" "SELECT status, value FROM run JOIN metric ON run = id WHERE name = 'jobs_unfinished'" | tr '|' ' ')"

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped - the Python module: no python3 here"
    exit $failed
fi

# ---- the same digests as built-ins ----
# same SCENARIO BUILT-IN CHILD [OPTION...]
same() {
    scn=$1 built_in=$2 child=$3
    shift 3
    rm -f "$tmp/d.db"
    "$FAIRWAY" run -q -d "$tmp/d.db" "$scn" --audit -p "$built_in" -p "exec:python3 policies/python/$child" "$@" 2>"$tmp/err" &&
        [ "$(sqlite3 "$tmp/d.db" "SELECT count(*), count(DISTINCT digest) FROM run WHERE status = 'done'")" = "2|1" ] || { cat "$tmp/err"; false; }
    verdict $? "$child is $built_in on $scn $*"
}
for mode in strict skip; do
    for place in first best; do same tests/cli/exec/flow.yaml "fifo:mode=$mode,place=$place" "fifo.py mode=$mode place=$place" -s 1; done
done
for rule in mct met; do
    for scn in two consistent inconsistent; do same scenarios/engines-$scn.yaml $rule "mapper.py rule=$rule"; done
    same $calls $rule "mapper.py rule=$rule" --set output.decisions=true
    for seed in 1 2; do same $calls $rule "mapper.py rule=$rule" -s $seed --set 'faults={mtbf: 40s, mttr: 15s}'; done
done
# Beyond the digest, which leaves them out: every decision with its reason, one for one.
"$FAIRWAY" run -q -d "$tmp/t.db" $calls -p met -p "exec:python3 policies/python/mapper.py rule=met" --set output.decisions=true &&
    [ "$(sqlite3 "$tmp/t.db" "SELECT count(*) FROM decision WHERE run = 1")" -gt 500 ] &&
    [ "$(sqlite3 "$tmp/t.db" "SELECT count(*) FROM (SELECT seq, at_us, verb, ordinal, task, node, why FROM decision GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING count(*) <> 2)")" = 0 ]
verdict $? "mapper.py gives the reasons of met, decision by decision"

# ---- reserved, lent and taken back: worked out by hand ----
# The workflow's stages ask for 4, 2 and 4 cores and for 2, 0 and 2 licences; 4 and 2 are kept of 8 and 3.  So four of x's five
# tasks of a core run from 0 to 12 s, and the fifth has no place.  At 10 s the second stage leaves 2 cores and both licences:
# x's fifth task and l borrow them, and give them back at 20 s, when they have run for nothing.  By then there are cores
# outside, but of licences one: l waits until the workflow ends at 30 s.
"$FAIRWAY" run -q -d "$tmp/l.db" $lend 2>"$tmp/err" || cat "$tmp/err"
query() { sqlite3 "$tmp/l.db" "$1"; }
is "who ran when" "wf 0 30, x 0 32, l 10 45" "$(query "SELECT group_concat(id || ' ' || (start_us / 1000000) || ' ' || (end_us / 1000000), ', ') FROM job")"
is "fairway stages tells what was kept, lendable, taken back and usable" \
    "1,0,cpu,4,4,0,0,4 1,0,matlab,2,2,0,0,2 2,10,cpu,4,2,2,0,4 2,10,matlab,2,0,2,0,2 3,20,cpu,4,4,0,2,2 3,20,matlab,2,2,0,2,0" \
    "$("$FAIRWAY" stages "$tmp/l.db" --run 1 --csv | awk -F, 'NR > 1 { printf "%s%s,%s,%s,%s,%s,%s,%s,%s", (NR > 2 ? " " : ""), $2, $3, $4, $5, $6, $7, $8, $9 }')"
is "every decision is in the record, with its reason" \
    "0 reserve wf: its stage begins, 0 start wf: its workflow's turn, 0 start x: there is room outside, 0 hold x: kept for wf, 1 head l: kept for wf, 10 reserve wf: its stage begins, 10 start wf: its workflow's turn, 10 start x: borrows, 10 lend x: the stage leaves it, 10 start l: borrows, 10 lend l: the stage leaves it, 20 preempt l: taken back, 20 preempt x: taken back, 20 reserve wf: its stage begins, 20 start wf: its workflow's turn, 20 head l: kept for wf, 20 start x: there is room outside, 30 start l: there is room outside" \
    "$(query "SELECT group_concat(said, ', ') FROM (SELECT (d.at_us / 1000000) || ' ' || verb || ' ' || id || ': ' || why AS said FROM decision d JOIN job USING (run, ordinal) GROUP BY d.at_us, verb, id, why ORDER BY min(d.seq))")"
is "explain tells the reasons" 'the policy had it first in order: "kept for wf"' "$("$FAIRWAY" explain "$tmp/l.db" 1 l | grep -o 'the policy had it.*')"
# 2 cores and 2 licences lent for 10 s, all of it for nothing.
is "what was lent and taken back is measured" "lent_cpu_hours 20, lent_licence_hours 20, reclaimed_cpu_hours 20, reclaims 2" \
    "$(query "SELECT group_concat(name || ' ' || printf('%g', value * CASE unit WHEN 'h' THEN 3600 ELSE 1 END), ', ') FROM (SELECT * FROM metric WHERE name IN ('lent_cpu_hours', 'lent_licence_hours', 'reclaimed_cpu_hours', 'reclaims') ORDER BY name)")"

# ---- the module's books of calls agree with the simulator's ----
cat >"$tmp/asks.py" <<'END'
import fairway, mapper

class Asks(mapper.Mapper):
    name = "asks"
    started, seen = {}, 0

    def call(self, task, node, engine, why=None):
        super().call(task, node, engine, why)
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
PYTHONPATH=$root/policies/python "$FAIRWAY" run -q -d "$tmp/a.db" $calls --audit -p "exec:python3 $tmp/asks.py rule=mct" -p mct 2>"$tmp/err" &&
    [ "$(sqlite3 "$tmp/a.db" "SELECT count(DISTINCT digest), (SELECT max(value) > 5 FROM note) FROM run")" = "1|1" ] || { cat "$tmp/err"; false; }
verdict $? "queues, calls that run, relations and ways are answered as they are"

exit $failed
