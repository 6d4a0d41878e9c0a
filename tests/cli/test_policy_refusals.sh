#!/bin/sh
# Refusals that a policy asks to be told of: in C, over the wire, in Python.
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 1
so=$(dirname "$fairway")/tests/so
cat >"$dir/s.yaml" <<'END'
cluster: {groups: [{name: n, count: 3, cpus: 8, mem: 32GiB}]}
trace: {format: native, path: s.csv}
policies: [fifo]
END
# Four tasks and one more of 6 cores, on three nodes of 8: two wait for the first end.
printf 'id,submit_s,duration_s,cpus,tasks\na,0,10,6,4\nb,0,10,6,1\n' >"$dir/s.csv"
run() { rm -f "$dir/r.db"; "$fairway" run -q -d "$dir/r.db" "$dir/s.yaml" --audit "$@"; }
query() { sqlite3 "$dir/r.db" "$1"; }

# ---- in C ----
run -p "$so/tries.so" --set output.decisions=true 2>"$dir/err"
check "a policy in C that plans nothing lives by POL_REFUSED" same "$? $(query "SELECT count(*) FROM decision WHERE verb = 'start'")" "0 5"
check "the run counts the refusals" same "$(query "SELECT value FROM metric WHERE name = 'refusals'")" 10.0
check "and records each with its reason" same \
    "$(query "SELECT DISTINCT reason FROM decision WHERE verb = 'refused'") $(query "SELECT count(*) FROM decision WHERE verb = 'refused'")" \
    "it does not fit on the node 10"
check "and says so" grep -qF "10 decisions were refused, and the policy told" "$dir/err"
digest=$(query "SELECT digest FROM run")
run -p "$so/tries.so" 2>"$dir/err"
check "a record changes nothing" same "$(query "SELECT digest FROM run")" "$digest"
check "it keeps its contract" expect 0 "$fairway" policies --conform "$so/tries.so"
check "one that does not listen fails the run" fails 4 "told of refusals in 100 rounds of this instant" run -p "$so/never_listens.so"
run -p fifo 2>"$dir/err"
check "of a policy that does not ask to be told, nothing is counted" same "$(query "SELECT count(*) FROM metric WHERE name = 'refusals'")" 0

# ---- over the wire ----
# tells FLAGS DECISIONS: these in the first round; what it hears of refusals goes to $dir/heard
cat >"$dir/tells.sh" <<'END'
read -r line
echo '{"msg":"hello","protocol":1,"name":"tells","flags":'"$1"'}'
say=$2
while read -r line; do
    case $line in *'"event":"refused"'*) echo "$line" >>"$3" ;; esac
    case $line in *'"msg":"decide"'*) echo "{\"msg\":\"decisions\",\"decisions\":[$say]}"; say= ;; esac
done
END
tells() { : >"$dir/heard"; run -p "exec:exec sh $dir/tells.sh '$1' '$2' $dir/heard" --set output.decisions=true; }
twice='{"do":"start","job":0,"task":0,"node":1},{"do":"start","job":0,"task":1,"node":1},{"do":"wake","at":0},{"do":"preempt","job":1,"task":0}'
check "without the flag the second start fails the run" fails 4 "decision 2 of 4: start of job 'a': it does not fit on the node" tells '[]' "$twice"
check "nothing was told" same "$(cat "$dir/heard")" ""
tells '["strands","takes_refusals"]' "$twice" 2>"$dir/err"
check "with it the others hold, and the child hears of each refusal" same "$(grep -o '"events":.*' "$dir/heard")" \
'"events":[{"event":"refused","do":"start","refusal":"no_room","words":"it does not fit on the node","job":0,"task":1,"node":1},{"event":"refused","do":"wake","refusal":"past","words":"it asks to be woken at a time that is not in the future"},{"event":"refused","do":"preempt","refusal":"not_declared","words":"the policy is not declared as one that preempts (POL_PREEMPTS)","job":1,"task":0}]}'
check "and the state of every node, changed or not" same "$(grep -o '"node":[0-9],"up":true,"tasks":[0-9]' "$dir/heard" | tr '\n' ' ')" \
    '"node":0,"up":true,"tasks":0 "node":1,"up":true,"tasks":1 "node":2,"up":true,"tasks":0 '
check "the run counts them" same "$(query "SELECT value FROM metric WHERE name = 'refusals'")" 3.0
check "a hold that is refused fails the run all the same" fails 4 "hold of job 'a': the task does not wait" \
    tells '["takes_refusals"]' '{"do":"start","job":0,"task":0,"node":1},{"do":"hold","job":0,"task":0,"reason":"w"}'

command -v python3 >/dev/null 2>&1 || { echo "skipped - the Python module: no python3 here"; exit $bad; }
# ---- in Python ----
cat >"$dir/tries.py" <<'END'
"""Every unit on the node that it has come to with it; where that is refused, on the next."""
import fairway

class Tries(fairway.Policy):
    name = "tries-py"
    flags = ("strands", "takes_refusals")

    def on_cluster(self):
        self.at = {}

    def on_task_end(self, task):
        self.at.clear()

    def on_refused(self, unit, do, refusal, node):
        assert (do, refusal, node.index) == ("start", "no_room", self.at[unit]) and unit in self.waiting
        assert not any(unit is u for u in self.running) and unit.tasks[0].node is None
        assert all(n.cpu_free >= 0 for n in self.nodes)
        self.at[unit] += 1

    def decide(self):
        for unit in sorted(self.waiting):
            at = self.at.setdefault(unit, 0)
            if at < len(self.nodes):
                self.start(unit, [(self.nodes[at], None)], "tries")

fairway.run(Tries)
END
PYTHONPATH="$here/python" run -p "exec:python3 $dir/tries.py" 2>"$dir/err"
check "a policy in Python is told by on_refused, and its plan is in step again" same \
    "$? $(query "SELECT value FROM metric WHERE name = 'refusals'") $(query "SELECT digest FROM run")" "0 10.0 $digest"
exit $bad
