#!/bin/sh
# Policies in a process of their own: the session that policies/PROTOCOL.md shows,
# the digests of fifo.py beside the built-in's, and every way a child can misbehave
# (tests/bad/exec/*.sh; each says in its first lines what is expected of it).
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
session=tests/cli/exec/session.yaml
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

ok() { echo "ok - $1"; }
not_ok() { echo "not ok - $1"; bad=1; }
verdict() { if [ "$1" -eq 0 ]; then ok "$2"; else not_ok "$2"; fi; }

# ---- children that misbehave: each fails its run, and only that ----
for child in tests/bad/exec/*.sh; do
    "$fairway" run -q -d "$dir/bad.db" "$session" -p "exec:exec sh $child" >"$dir/out" 2>"$dir/err" </dev/null
    status=$? why=
    [ "$status" = "$(sed -n 's/^# exit //p' "$child")" ] || why="exit $status"
    sed -n 's/^# stderr: //p' "$child" >"$dir/want"
    [ -s "$dir/want" ] || why="$why; it says nothing of what is expected"
    while IFS= read -r line; do
        grep -qF -- "$line" "$dir/err" || why="$why; stderr lacks: $line"
    done <"$dir/want"
    if [ -z "$why" ]; then ok "$(basename "$child")"; else not_ok "$(basename "$child"): ${why#; }"; sed 's/^/    /' "$dir/err"; fi
done

"$fairway" run -q -d "$dir/x.db" "$session" -p 'exec:no-such-program --fast' 2>"$dir/err"
[ $? -eq 2 ] && grep -q "policy 'exec:no-such-program --fast' cannot be created: .*exited with status 127: the shell did not find the command" "$dir/err"
verdict $? "a command that is not there is an error of the input"

# A child that does not end after bye is killed, with what it started, and said to have been.
cat >"$dir/stays.sh" <<END
read -r line
echo '{"msg":"hello","protocol":1,"name":"stays"}'
echo \$\$ >>"$dir/pids"
exec sleep 300
END
"$fairway" run -q -d "$dir/x.db" "$session" -p "exec:sleep 300 & echo \$! >>$dir/pids; exec sh $dir/stays.sh" >/dev/null 2>"$dir/err"
left=0
while read -r pid; do
    case $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null) in ''|Z*) ;; *) left=1 ;; esac     # Z: whose parent has not asked yet
done <"$dir/pids"
grep -q "warning: policy 'stays': after bye its process did not end and was killed" "$dir/err" && [ $left -eq 0 ]
verdict $? "a child that does not end after bye is killed, with what it started"

# A killed simulator leaves no child that reads its input.
cat >"$dir/reads.sh" <<END
. "$here/tests/bad/exec/greet.inc"
echo \$\$ >"$dir/pid"
cat >/dev/null
rm "$dir/pid"
END
"$fairway" run -q -d "$dir/x.db" "$session" -p "exec:sh $dir/reads.sh" 2>/dev/null &
sim=$!
await $sim '[ -s "$dir/pid" ]'
kill -9 $sim
wait $sim 2>/dev/null
n=0
while [ -f "$dir/pid" ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
[ ! -f "$dir/pid" ]
verdict $? "a killed simulator leaves no child"

# After bye only a warning is left to give.
cat >"$dir/rude.sh" <<END
read -r line
echo '{"msg":"hello","protocol":1,"name":"rude"}'
echo 'words for people' >&2
while read -r line; do
    case \$line in
    *'"msg":"decide"'*) echo '{"msg":"decisions","decisions":[]}' ;;
    esac
done
exit 5
END
"$fairway" run -q -d "$dir/x.db" "$session" -p "exec:sh $dir/rude.sh" 2>"$dir/err"
grep -q '^words for people$' "$dir/err" && grep -q "warning: policy 'rude': after bye its process exited with status 5" "$dir/err"
verdict $? "standard error passes through, and a status after bye is a warning"

# ---- what a child is told ----
cat >"$dir/asks.sh" <<END
flags='["uses_limits","clairvoyant"]'
. "$here/tests/bad/exec/greet.inc"
echo "\$line" >"$dir/told"
echo '{"msg":"query","job":0,"task":1,"nodes":[1]}'
read -r line
echo "\$line" >"$dir/answer"
echo '{"msg":"decisions","decisions":[{"do":"note","name":"asked","value":1.5},{"do":"fail","message":"enough"}]}'
cat >/dev/null
END
"$fairway" run -q -d "$dir/asks.db" "$session" -p "exec:sh $dir/asks.sh" 2>/dev/null
grep -q '"limit":120000000,"duration":60000000,"tasks":\[\[0,2,60000000]]' "$dir/told"
verdict $? "limits and true durations are told to one that declares that it reads them"
[ "$(cat "$dir/answer")" = '{"msg":"answer","job":0,"task":1,"waiting":true,"running":false,"attained":0,"left":60000000,"transfer":[{"node":1,"local":0,"rack":0,"cross":0,"local_us":0,"rack_us":0,"cross_us":0}]}' ]
verdict $? "a query is answered with the state of the task"
[ "$(sqlite3 "$dir/asks.db" "SELECT clairvoyant, status FROM run")" = "1|failed" ] && [ "$(sqlite3 "$dir/asks.db" "SELECT name, value FROM note")" = "asked|1.5" ]
verdict $? "flags and notes are recorded, the run as failed"

cat >"$dir/plans.sh" <<END
. "$here/tests/bad/exec/greet.inc"
ask() { echo "{\"msg\":\"query\",\"fits\":\$1}"; read -r line; echo "\$line" >>"$dir/places"; }
ask '[[0,5],[0]],"states":[{"node":0,"gpu":[999,1000]}]'
ask '[[0,5]],"nodes":[1,0],"states":[{"node":0,"gpu":[1000,1000]},{"node":1,"up":false}]'
ask '[[0,5]],"empty":true'
echo '{"msg":"decisions","decisions":[]}'
read -r line
ask '[[0,5],[1]],"nodes":[1,0]'
echo '{"msg":"decisions","decisions":[{"do":"fail","message":"enough"}]}'
cat >/dev/null
END
"$fairway" run -q -d "$dir/plans.db" "$session" -p "exec:sh $dir/plans.sh" 2>/dev/null
[ "$(cat "$dir/places")" = '{"msg":"answer","fits":[[[1,[0,1]]],[[1,[0,1]]]]}
{"msg":"answer","fits":[[[0,[0,1]]]]}
{"msg":"answer","fits":[[[0,[0,1]],[1,[0,1]]]]}
{"msg":"answer","fits":[[[1,[0,1]],[0,[0,1]]],[[1,[0]],[0,[0]]]]}' ]
verdict $? "a query is answered with the places of tasks, on nodes as the child plans them until the round is over"

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped - the Python module: no python3 here"
    exit $bad
fi

# ---- the session of the specification ----
"$fairway" run -q -d "$dir/s.db" "$session" -p "exec:tee $dir/in | python3 python/fifo.py mode=skip | tee $dir/told" 2>"$dir/err"
verdict $? "the session runs"
# One line out for each line in, except that the cluster and bye are not answered.
awk -v answers="$dir/told" '{ print "> " $0 } !/"msg":"(cluster|bye)"/ { getline reply < answers; print "< " reply }' "$dir/in" >"$dir/session"
sed -n '/^[<>] {/p' policies/PROTOCOL.md >"$dir/printed"
diff "$dir/printed" "$dir/session"
verdict $? "PROTOCOL.md shows the session as it is"
grep -q '"limit"\|"duration"' "$dir/in"
[ $? -eq 1 ]
verdict $? "neither limits nor durations are told to one that does not declare it"

# ---- the same digests as the built-in ----
# digests SCENARIO SEED [OPTION...]: fifo and fifo.py under every mode and placement
digests() {
    scn=$1 seed=$2
    shift 2
    rm -f "$dir/d.db"
    for mode in strict skip; do
        for place in first best; do
            "$fairway" run -q -d "$dir/d.db" "$scn" -s "$seed" "$@" -p "fifo:mode=$mode,place=$place" \
                -p "exec:python3 python/fifo.py mode=$mode place=$place" 2>"$dir/err" || { cat "$dir/err"; return 1; }
        done
    done
    sqlite3 "$dir/d.db" "SELECT digest FROM run ORDER BY id" |
        awk -v n="$different" 'NR % 2 { want = $1; next } $1 != want { bad = 1 } !($1 in seen) { seen[$1]; k++ }
             END { if (NR != 8 || bad || k < n) { print NR " runs, " k " digests" (bad ? ", some differ" : ""); exit 1 } }'
}
different=4
digests scenarios/demo/demo.yaml 1
verdict $? "fifo.py has the digests of fifo on the sample trace, with faults"
different=2
digests tests/cli/exec/mix.yaml 1 --audit
verdict $? "and where tasks ask for types, labels, shares, memory of cards and whole nodes"
different=1
digests scenarios/demo/forms.yaml 1
verdict $? "and where tasks wait for others and read blocks"
different=4
digests tests/cli/exec/limits.yaml 1 --audit
verdict $? "and where nodes, cards, labels and licences limit tasks"

# Each of these limits counts: without it both find another schedule, and the same.
without() {         # LIMIT: the scenario in $dir/limits.yaml
    cp tests/cli/exec/limits.yaml tests/cli/exec/limits.csv "$dir/"
    case $1 in
    max_tasks) sed -i 's/, max_tasks: 2//' "$dir/limits.yaml" ;;
    gpu_cores) sed -i 's/, gpu_cores: 4000//' "$dir/limits.yaml" ;;
    gpu_mem)   sed -i '/gpu_types:/d' "$dir/limits.yaml" ;;
    labels)    sed -i 's/slow/fast/' "$dir/limits.yaml" ;;
    licences)  sed -i 's/solver: 3/solver: 999/' "$dir/limits.yaml" ;;
    exclusive) awk -F, -v OFS=, 'NR > 1 { $13 = "" } 1' tests/cli/exec/limits.csv >"$dir/limits.csv" ;;
    esac
}
rm -f "$dir/w.db"
for limit in none max_tasks gpu_cores gpu_mem labels licences exclusive; do
    without $limit
    "$fairway" run -q -d "$dir/w.db" "$dir/limits.yaml" -p fifo:mode=skip,place=first -p 'exec:python3 python/fifo.py mode=skip'
done
[ "$(sqlite3 "$dir/w.db" "SELECT count(*), count(DISTINCT digest), (SELECT count(*) FROM (SELECT 1 FROM run GROUP BY digest HAVING count(*) = 2)) FROM run")" = "14|7|7" ]
verdict $? "each limit counts, and fifo.py keeps it as fifo does"

# The policy that policies/README.md shows, as it stands there; and one that asks.
sed -n '/^```python$/,/^```$/{/^```/d;p}' policies/README.md >"$dir/mine.py"
cat >"$dir/query.py" <<'END'
import fairway

class Asks(fairway.Policy):
    name = "asks"
    flags = ("clairvoyant",)

    def decide(self):
        for unit in list(self.waiting):
            told = self.query(unit.tasks[0], self.nodes)
            assert told["left"] == unit.left and told["waiting"] and len(told["transfer"]) == len(self.nodes), told
            self.start(unit)
            assert unit.tasks[0].inputs or all(t["local"] == t["rack"] == t["cross"] == 0 for t in told["transfer"]), told

fairway.run(Asks)
END
PYTHONPATH=$here/python
export PYTHONPATH
"$fairway" run -q -d "$dir/m.db" tests/cli/exec/mix.yaml --audit -p "exec:python3 $dir/mine.py" &&
    [ "$(sqlite3 "$dir/m.db" "SELECT policy, status FROM run")" = "mine|done" ]
verdict $? "the policy of policies/README.md runs"
"$fairway" run -q -d "$dir/m.db" scenarios/demo/forms.yaml -s 1 --audit -p "exec:python3 $dir/query.py"
verdict $? "a Python policy can ask for the state of tasks and the cost of their inputs"
# a (2 s on n0) writes 5 MB for b, on their way to n1 for 5 s: 2 + 5 + 1.
cat >"$dir/overlap.py" <<'END'
import fairway

class Foresees(fairway.Policy):
    name = "foresees"

    def decide(self):
        for unit in list(self.waiting):
            task = unit.tasks[0]
            told = self.query(task, self.nodes)
            if task.index == 1:
                assert task.inputs == ({"size": 5000000, "nodes": [0], "writer": 0},), task.inputs
                assert [t["reading_us"] for t in told["transfer"]] == [0, 5000000], told
            self.start(unit, [(self.nodes[task.index], [])])

fairway.run(Foresees)
END
printf 'id,submit_s\nj,0\n' >"$dir/overlap-jobs.csv"
printf 'job,stage,after,duration_s,cpus\nj,a,,2,1\nj,b,a=5MB,1,1\n' >"$dir/overlap-stages.csv"
printf '%s\n' 'cluster: {groups: [{name: n, count: 2, cpus: 1, mem: 1GiB}]}' 'network: {mode: overlap, rack: 1MB/s}' \
    'trace: {format: native, path: overlap-jobs.csv, stages: overlap-stages.csv}' 'policies: [fifo]' \
    >"$dir/overlap.yaml"
"$fairway" run -q -d "$dir/o.db" "$dir/overlap.yaml" --audit -p "exec:python3 $dir/overlap.py" &&
    [ "$(sqlite3 "$dir/o.db" "SELECT value FROM metric WHERE name = 'makespan'")" = 8.0 ]
verdict $? "a Python policy knows who wrote an input and what of it is still on its way"
cat >"$dir/cores.py" <<'END'
import fairway

class Cores(fairway.Policy):
    """Starts tasks with half of their cores, and doubles them at the next chance."""
    name = "cores"

    def decide(self):
        for unit in self.running:
            for task in unit.tasks:
                told = self.query(task)
                assert (told["cpu"], told["node"], told["cards"]) == (task.cpu, task.node.index, sorted(task.cards)), told
                if not task.shape.exclusive and task.cpu < task.shape.cpu <= task.node.cpu_free + task.cpu:
                    self.resize(task, task.shape.cpu, "room for all its cores")
        for unit in list(self.waiting):
            places = self.place(unit)
            if places:
                exclusive = unit.tasks[0].shape.exclusive
                self.start(unit, places, cpu=None if exclusive else max(1, unit.tasks[0].shape.cpu // 2))

fairway.run(Cores)
END
"$fairway" run -q -d "$dir/m.db" tests/cli/exec/mix.yaml --audit --set output.decisions=true -p "exec:python3 $dir/cores.py" &&
    [ "$(sqlite3 "$dir/m.db" "SELECT count(*) > 50 FROM decision JOIN run ON run.id = run WHERE policy = 'cores' AND verb = 'resize'")" = 1 ]
verdict $? "a Python policy can give tasks other cores, and the module's books agree with the simulator's"
printf 'import fairway\nclass Bug(fairway.Policy):\n    name = "bug"\n    def decide(self):\n        return self.nothing\nfairway.run(Bug)\n' >"$dir/bug.py"
"$fairway" run -q -d "$dir/m.db" "$session" -p "exec:exec python3 $dir/bug.py" 2>"$dir/err"
[ $? -eq 4 ] && grep -q "AttributeError: 'Bug' object has no attribute 'nothing'" "$dir/err" &&
    grep -q "policy 'bug' failed at t=0 us (0 s): its process closed its pipe and exited with status 1" "$dir/err"
verdict $? "an exception of a Python policy shows its traceback and fails the run"
unset PYTHONPATH

# The command of a scenario runs in the scenario's folder, from wherever the run was started.
(cd "$dir" && "$fairway" run -q -d "$dir/rel.db" "$here/$session") 2>"$dir/err" &&
    [ "$(sqlite3 "$dir/rel.db" "SELECT policy, policy_spec, policy_source FROM run")" = \
      "fifo-py:mode=skip,place=first|exec:python3 ../../../python/fifo.py mode=skip|baseline: first come, first served" ]
verdict $? "paths of a scenario's command are relative to the scenario; the child gives the label"

"$fairway" run -q -d "$dir/l.db" "$session" --set 'policies=[{exec: python3 python/fifo.py, label: mine}]' &&
    [ "$(sqlite3 "$dir/l.db" "SELECT policy FROM run")" = mine ]
verdict $? "a scenario's label comes first"

"$fairway" run -q -d "$dir/l.db" "$session" -p 'exec:python3 python/fifo.py' -p 'exec:python3  python/fifo.py' 2>"$dir/err"
[ $? -eq 2 ] && grep -q "calls itself 'fifo-py:mode=strict,place=first', as another is called" "$dir/err"
verdict $? "no two policies are called the same"

"$fairway" run -q -d "$dir/p.db" scenarios/demo/demo.yaml --set trace.load=0.9 --set trace.max_jobs=800 -s 1 --audit -p 'exec:python3 python/priority.py patience=1' 2>"$dir/err" &&
    [ "$(sqlite3 "$dir/p.db" "SELECT max(value) > 0 FROM metric WHERE name = 'preemptions'")" = 1 ]
verdict $? "priority.py runs audited, and preempts"

"$fairway" run -q -d "$dir/p.db" "$session" -p 'exec:python3 python/fifo.py mode=skip plcae=best' 2>"$dir/err"
[ $? -eq 2 ] && grep -q "fifo-py: found the argument 'plcae=best', expected NAME=VALUE with a name of: mode, place" "$dir/err"
verdict $? "an argument that a Python policy does not know is refused"

# ---- beside the other doors for policies ----

for example in 'fifo.py mode=skip place=best' priority.py mapper.py; do
    "$fairway" policies --conform "exec:python3 python/$example" >"$dir/out" && grep -q 'keeps its contract' "$dir/out"
    verdict $? "$example keeps the contract of policies"
done

"$fairway" policies 'exec:python3 python/fifo.py mode=skip' >"$dir/out" &&
    grep -q 'source: baseline: first come, first served' "$dir/out" && grep -q 'calls itself fifo-py:mode=skip,place=first' "$dir/out"
verdict $? "fairway policies tells what a child says of itself"

printf 'import sys, time\nsys.stdin.readline()\ntime.sleep(60)\n' >"$dir/slow.py"
"$fairway" run -q -d "$dir/s.db" "$session" --decide-timeout 300ms -p "exec:exec python3 $dir/slow.py" 2>"$dir/err"
[ $? -eq 2 ] && grep -q 'gave no answer within 0.3 s' "$dir/err"
verdict $? "--decide-timeout bounds the answer of a child too"

exit $bad
