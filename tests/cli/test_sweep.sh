#!/bin/sh
# Sweeps on this machine: the database that one worker would leave, whatever
# happens on the way; and merging.
. "$(dirname "$0")/lib.sh"
limit=100
sweep=
trap '[ -z "$sweep" ] || kill -KILL $sweep 2>/dev/null; rm -rf "$dir"' EXIT
sql() { sqlite3 "$dir/$1" "$2" 2>/dev/null; }
# Every table but wall, row ids included.
dump() {
    for t in $(sql "$1" "select name from sqlite_schema where type = 'table' and name <> 'wall' order by name"); do
        echo "-- $t"; sql "$1" "select * from $t"
    done
}
same() { dump "$1" >"$dir/a"; dump "$2" >"$dir/b"; [ -s "$dir/a" ] && cmp "$dir/a" "$dir/b"; }
# The same runs, whatever their row ids.
runs() { sql "$1" "select key, status, digest, variant, policy, seed from run order by key; select r.key, m.name, m.scope, m.value from metric m join run r on r.id = m.run order by 1, 2, 3"; }
same_runs() { runs "$1" >"$dir/a"; runs "$2" >"$dir/b"; [ -s "$dir/a" ] && cmp "$dir/a" "$dir/b"; }
scn=$here/scenarios/demo/sweep-load.yaml
so=$(dirname "$fairway")/tests/so

# ---- the plan, and the same by run ----
check "a dry run lists every run" expect 0 "$fairway" sweep "$scn" --dry-run -d "$dir/one.db"
check "and how many of what" says "72 runs: 6 cases x 4 policies x 3 seeds; 72 to do"
check "and makes no database" [ ! -e "$dir/one.db" ]
head -n 72 "$dir/out" | cut -d ' ' -f 1 | sort >"$dir/keys"
check "by one worker" expect 0 "$fairway" sweep "$scn" -j 1 -d "$dir/one.db"
check "it says where the results are" says "72 of 72 runs done, in $dir/one.db"
check "the keys are those of the plan" [ "$(sql one.db 'select key from run order by key')" = "$(cat "$dir/keys")" ]
check "four workers leave the same rows" expect 0 "$fairway" sweep "$scn" -j 4 -q -d "$dir/four.db"
check "in every table" same one.db four.db
check "and nothing beside the database" [ ! -e "$dir/four.db.parts" ]
for load in 0.7 0.9 1.1; do for count in 4 8; do
    timeout 100 "$fairway" run "$scn" -q --set trace.load=$load --set cluster.groups.0.count=$count \
        -p fifo:mode=skip -d "$dir/run.db" 2>/dev/null
done; done
check "run with --set makes the same runs" \
    [ "$(sql run.db 'select key, digest from run order by key')" = "$(sql one.db "select key, digest from run where policy_spec like 'fifo%' order by key")" ]
check "compare tells the cases apart" expect 0 "$fairway" compare "$dir/one.db"
check "by what was set" says "sweep-load (trace.load=1.1, cluster.groups.0.count=8)"
check "a plain run says that there is a sweep" expect 0 "$fairway" run "$scn" -p fifo -s 1 -d "$dir/x.db"
check "and how to run it" says "fairway sweep"

# ---- a run hangs on its own seed alone: flow-users draws other blocks for each ----
users=$here/scenarios/flow-paper/flow-users.yaml
"$fairway" run "$users" -q -s 1 -s 2 -s 3 -d "$dir/together.db" 2>/dev/null
for s in 3 1 2; do "$fairway" run "$users" -q -s $s -d "$dir/alone.db" 2>/dev/null; done
check "seeds run together are seeds run alone" same_runs together.db alone.db
"$fairway" sweep "$users" -q -j 3 --set sweep.seeds=1..3 -d "$dir/swept.db"
check "or swept" same_runs together.db swept.db

# ---- again, and more ----
check "a second time nothing is run" expect 0 "$fairway" sweep "$scn" -d "$dir/one.db"
check "since all is done" says "72 of 72 runs done, 72 of them before"
check "with a seed more" expect 0 "$fairway" sweep "$scn" --set sweep.seeds=1..4 -d "$dir/one.db"
check "only that is run" says "96 of 96 runs done, 72 of them before"

# ---- killed in the middle: runs that nap, so that the middle is there on a fast machine too ----
big=$dir/big.yaml
sed "s/^seeds: 3/seeds: 1/; s|^  - fifo.*|  - {name: '$so/naps.so', label: naps}|; /^  - {name: las/d
     s/LAS.queues: .*/naps.place: [first, best, worst, pack]/" "$scn" >"$big"
timeout 100 "$fairway" sweep "$big" -j 6 -q -d "$dir/whole.db"
"$fairway" sweep "$big" -j 2 -q -d "$dir/killed.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
await $sweep '[ "$(sql killed.db "select count(*) from run")" -ge 5 ] 2>/dev/null'
kill -KILL $sweep
wait $sweep 2>/dev/null
sweep=
before=$(sql killed.db "select count(*) from run where status = 'done'")
check "kill -9 in the middle leaves whole runs" [ "$before" -ge 5 ]
check "and not all" [ "$before" -lt 24 ]
check "the same command goes on" expect 0 "$fairway" sweep "$big" -j 2 -d "$dir/killed.db"
check "with what is missing" grep -q "^24 of 24 runs done, [1-9][0-9]* of them before" "$dir/out"
check "to the rows of an undisturbed sweep" same whole.db killed.db

# ---- Ctrl-C ----
"$fairway" sweep "$big" -j 2 -d "$dir/int.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
await $sweep '[ "$(sql int.db "select count(*) from run")" -ge 5 ] 2>/dev/null'
kill -INT $sweep
wait $sweep
check "an interrupt exits with 130" [ $? -eq 130 ]
sweep=
check "what was under way is marked" [ "$(sql int.db "select count(*) from run where status = 'interrupted'")" -ge 1 ]
check "and nothing is left running" [ "$(sql int.db "select count(*) from run where status = 'running'")" -eq 0 ]
check "it goes on" expect 0 "$fairway" sweep "$big" -q -d "$dir/int.db"
check "to the same rows" same whole.db int.db

# ---- a worker dies ----
"$fairway" sweep "$big" -j 2 -d "$dir/crash.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
await $sweep '[ "$(sql crash.db "select count(*) from run")" -ge 3 ] 2>/dev/null'
worker=$(ps -o pid= --ppid $sweep | head -n 1)
kill -KILL $worker          # no sanitizer can make an exit of it
wait $sweep
check "a worker that is killed fails its run" [ $? -eq 3 ]
sweep=
check "which is said" says "its worker was ended by signal 9"
check "and marked" [ "$(sql crash.db "select count(*) from run where status = 'failed' and message like '%signal 9%'")" -eq 1 ]
check "the others go on" [ "$(sql crash.db "select count(*) from run where status = 'done'")" -eq 23 ]
check "the failed one is tried again" expect 0 "$fairway" sweep "$big" -d "$dir/crash.db"
check "alone" says "24 of 24 runs done, 23 of them before"
check "to the same rows" same whole.db crash.db

# ---- a case that cannot be ----
sed 's/\[4, 8\]/[0, 4]/' "$scn" >"$dir/zero.yaml"
check "a value that no scenario may have is an error" expect 2 "$fairway" sweep "$dir/zero.yaml" -d "$dir/zero.db"
check "where it stands" says "zero.yaml:$(grep -n 'count: \[0' "$dir/zero.yaml" | cut -d : -f 1):"
check "and nothing is run" [ ! -e "$dir/zero.db" ]
sed 's/cluster.groups.0.count: \[4, 8\]/cluster.groups.0.gpus: [4, 8]/' "$scn" >"$dir/small.yaml"
check "a case in which a job cannot run fails" expect 2 "$fairway" sweep "$dir/small.yaml" -d "$dir/small.db"
check "with the reason" says "fits on no node"
check "and the other case is done" [ "$(sql small.db "select sum(status = 'done'), sum(status = 'failed') from run")" = "36|36" ]
"$fairway" sweep "$big" -q -d "$dir/lock.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
await $sweep '[ -e "$dir/lock.db.parts/lock" ]'
check "two sweeps of one database at once are refused" expect 3 "$fairway" sweep "$big" -q -d "$dir/lock.db"
kill -TERM $sweep; wait $sweep; sweep=

# ---- policies of shared objects: as built in; one that crashes takes its runs alone ----
check "a policy that crashes fails the sweep" expect 4 "$fairway" sweep "$scn" --set sweep.params= --set "sweep.policies=[las, '$so/las.so', '$so/crashes.so']" -j 2 -d "$dir/so.db"
check "in its own runs" [ "$(sql so.db "select count(*) from run where status = 'failed' and policy like '%crashes.so' and message <> ''")" -eq 18 ]
check "the others are as without it" [ "$(sql so.db "select count(*), sum(a.digest = b.digest) from run a join run b using (variant, seed) where a.policy = 'las' and b.policy like '%las.so' and b.status = 'done'")" = "18|18" ]
if command -v python3 >/dev/null 2>&1; then
    check "a policy in a program of its own" expect 0 "$fairway" sweep "$scn" --set trace.generate.jobs=50 --set sweep.params= --set sweep.seeds=1 \
        --set "sweep.policies=[{exec: 'python3 $here/python/fifo.py'}, fifo]" -j 2 -d "$dir/py.db"
    check "is a policy like any other" [ "$(sql py.db "select count(*), count(distinct policy) from run where status = 'done'")" = "12|2" ]
else
    echo "skipped - a policy in a program of its own: no python3 here"
fi

# ---- merge ----
"$fairway" sweep "$scn" -q --set sweep.seeds=[1,2] -d "$dir/p1.db"
"$fairway" sweep "$scn" -q --set sweep.seeds=[2,3] -d "$dir/p2.db"
"$fairway" sweep "$scn" -q -j 1 -d "$dir/all.db"
check "parts merge by key" expect 0 "$fairway" merge "$dir/m.db" "$dir/p1.db" "$dir/p2.db"
check "runs that both have come once" says "72 runs added, 0 in place of unfinished ones, 24 there already"
check "into what one sweep leaves" same_runs all.db m.db
cp "$dir/m.db" "$dir/m1.db"
check "merging again" expect 0 "$fairway" merge "$dir/m.db" "$dir/p2.db" "$dir/p1.db" "$dir/all.db"
check "adds nothing" says "0 runs added, 0 in place of unfinished ones, 168 there already"
check "and changes nothing" same m.db m1.db
sqlite3 "$dir/p1.db" "update run set status = 'failed', message = 'x' where seed = 2; update run set status = 'running' where seed = 1 and id < 10"
check "unfinished runs come in" expect 0 "$fairway" merge "$dir/u.db" "$dir/p1.db"
check "counted" says "of those that came are not done"
check "a run under way as interrupted" [ "$(sql u.db "select count(*) from run where status = 'running'")" -eq 0 ]
check "done ones replace them" expect 0 "$fairway" merge "$dir/u.db" "$dir/all.db"
check "to what one sweep leaves" same_runs all.db u.db
check "and are not replaced by failed ones" expect 0 "$fairway" merge "$dir/u.db" "$dir/p1.db"
check "again" same_runs all.db u.db
cp "$dir/p2.db" "$dir/old.db"; sqlite3 "$dir/old.db" "pragma user_version = 1"
cp "$dir/p2.db" "$dir/other.db"; sqlite3 "$dir/other.db" "pragma application_id = 7"
echo text >"$dir/text.db"
cp "$dir/u.db" "$dir/u1.db"
check "a part of another schema version is refused" expect 3 "$fairway" merge "$dir/u.db" "$dir/p2.db" "$dir/old.db"
check "which is said" says "schema version 1"
check "a part of another program is refused" expect 3 "$fairway" merge "$dir/u.db" "$dir/p2.db" "$dir/other.db"
check "a part that is no database is refused" expect 3 "$fairway" merge "$dir/u.db" "$dir/text.db"
check "a part that is not there is refused" expect 3 "$fairway" merge "$dir/u.db" "$dir/none.db"
check "and the output was not touched" cmp "$dir/u.db" "$dir/u1.db"
check "nor made" expect 3 "$fairway" merge "$dir/new.db" "$dir/old.db"
check "when there was none" [ ! -e "$dir/new.db" ]
check "the output is no part" expect 2 "$fairway" merge "$dir/u.db" "$dir/u.db"
check "a merge needs a part" expect 2 "$fairway" merge "$dir/u.db"

# ---- parts that something else changed, or that have no room ----
key=$(sql p2.db "select key from run where seed = 2 order by id limit 1")
while IFS='|' read -r change words; do
    rm -rf "$dir/again.db" "$dir/again.db.parts"
    mkdir "$dir/again.db.parts"
    cp "$dir/p2.db" "$dir/again.db.parts/$key-0.part"
    sqlite3 "$dir/again.db.parts/$key-0.part" "pragma ignore_check_constraints = on; $change"
    check "a part is refused: $change" expect 0 env -C "$dir" "$fairway" sweep "$scn" -q -j 2 --set sweep.seeds=[2] -d again.db
    check "by its name, and done again" says "warning: again.db.parts/$key-0.part: $words; its runs will be done again"
    check "all of it" [ "$(sql again.db "select count(*), sum(status = 'done') from run")" = "24|24" ]
done <<'END2'
alter table note add column more integer|table 'note' has 6 columns, expected 5
update job set n_tasks = -1 where ordinal = 7|table 'job' has a row that cannot be: CHECK constraint failed: n_tasks BETWEEN 0 AND 4194303
END2
check "parts without room end the sweep" expect 3 sh -c 'ulimit -f 600; trap "" XFSZ; cd "$0" && exec "$@"' "$dir" \
    "$fairway" sweep "$scn" -q -j 2 --set sweep.seeds=[2] -d small-disk.db
check "and it names their folder" says 'small-disk.db.parts: error: the database failed: disk I/O error'

# ---- options ----
check "no scenario is a usage error" expect 2 "$fairway" sweep
check "no workers is a usage error" expect 2 "$fairway" sweep "$scn" -j 0
check "so is an option of Slurm without it" expect 2 "$fairway" sweep "$scn" --per-task 4
check "and a deadline that is none" expect 2 "$fairway" sweep "$scn" --slurm --deadline soon
check "sweep has help" expect 0 "$fairway" help sweep
check "merge has help" expect 0 "$fairway" help merge
exit $bad
