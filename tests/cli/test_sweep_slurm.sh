#!/bin/sh
# A sweep on a real Slurm: one of four nodes loses its power in the middle, and
# every run arrives exactly once, as serially.  Every wait has an end.
. "$(dirname "$0")/lib.sh"
cannot() { # WHY
    [ -z "${FAIRWAY_SLURM:-}" ] || { echo "not ok - a sweep on Slurm, which FAIRWAY_SLURM asks for: $1"; exit 1; }
    echo "skipped - a sweep on Slurm: $1"
    exit 77
}
for c in munged slurmctld slurmd sbatch squeue scancel sinfo; do
    command -v $c >/dev/null 2>&1 || cannot "no $c here"
done
[ "$(id -u)" -eq 0 ] || cannot "slurmd needs root"
chmod 755 "$dir"
sweep=
end() {
    [ -z "$sweep" ] || kill -KILL "$sweep" 2>/dev/null
    timeout 30 sh "$here/tests/slurm/private.sh" down "$dir/slurm"
    rm -rf "$dir"
}
trap end EXIT
trap 'exit 1' INT TERM HUP
# until SECONDS SHELL-CONDITION
until_true() {
    tries=$(($1 * 10))
    while [ $tries -gt 0 ]; do
        if eval "$2"; then return 0; fi
        tries=$((tries - 1)); sleep 0.1
    done
    return 1
}
sql() { sqlite3 "$dir/$1" "$2" 2>/dev/null; }
# What must be equal: every run and every metric, row ids included.
dump() { sqlite3 "$dir/$1" "select * from run order by id; select * from metric; select count(*) from job;"; }

scn=$dir/s.yaml
sed 's/jobs: 1500/jobs: 6000/' "$here/scenarios/demo/sweep-load.yaml" >"$scn"
timeout 60 "$fairway" sweep "$scn" -j 1 -q --set sweep.seeds=1 -d "$dir/serial.db" || { echo "not ok - the sweep runs serially"; exit 1; }
n=$(sql serial.db "select count(*) from run")

mkdir "$dir/bin"
cat >"$dir/bin/slurmd" <<'END'
#!/bin/sh
echo "[2026-01-01T00:00:00.000] error: no cgroups here" >>"$(sed -n "s/^SlurmdLogFile=\(.*\)%n/\1$2/p" "$4")"
exit 1
END
chmod 755 "$dir/bin/slurmd"
check "where slurmd cannot run, that is no failure" expect 77 env "PATH=$dir/bin:$PATH" timeout 60 sh "$here/tests/slurm/private.sh" up "$dir/none"
check "and told in its words" same "$(cat "$dir/err")" "no cgroups here"

SLURM_CONF=$(timeout 60 sh "$here/tests/slurm/private.sh" up "$dir/slurm" 2>"$dir/why")
case $? in
0) export SLURM_CONF ;;
77) cannot "slurmd cannot run: $(cat "$dir/why")" ;;
*) echo "not ok - the private Slurm comes up"; sed 's/^/# /' "$dir/why"; exit 1 ;;
esac

# ---- one node is lost in the middle ----
timeout 120 "$fairway" sweep "$scn" --slurm --per-task 3 --set sweep.seeds=1 -d "$dir/slurm.db" --sbatch-opt=--comment=test >"$dir/out" 2>"$dir/err" &
sweep=$!
until_true 30 'nodes=$(squeue -h -t running -o %N | sort -u | wc -l); [ "$nodes" -ge 4 ]'
check "four nodes run it at once" [ "$nodes" -eq 4 ]
# Between two tasks of the array a node has none for a moment.
check "one of them is n2" until_true 30 '[ -n "$(squeue -h -t running -w n2 -o %i)" ]'
done_before=$(sql slurm.db "select count(*) from run where status = 'done'")
sh "$here/tests/slurm/private.sh" kill "$dir/slurm" n2
check "a node dies in the middle" [ "${done_before:-0}" -lt "$n" ]
wait $sweep
check "the sweep ends well all the same" [ $? -eq 0 ]
sweep=
case $(timeout 10 sinfo -h -N -n n2 -o %t) in idle|mix|alloc) lost=no ;; *) lost=yes ;; esac
check "Slurm has given the node up" [ $lost = yes ]
check "every run is there once" [ "$(sql slurm.db "select count(*), count(distinct key), sum(status = 'done') from run")" = "$n|$n|$n" ]
dump serial.db >"$dir/want"
dump slurm.db >"$dir/got"
check "equal to the serial ones, digests and metrics" cmp -s "$dir/want" "$dir/got"
check "nothing is left beside the database" [ ! -e "$dir/slurm.db.parts" ]
check "nor in the queue" until_true 10 '[ -z "$(squeue -h -t pending,running)" ]'

# ---- a search sends the runs of each batch of sets ----
size=$here/scenarios/demo/search-load.yaml
small='search.budget.runs=24'
timeout 100 "$fairway" search "$size" -q -j 2 --set $small -d "$dir/local-search.db" >"$dir/searched"
check "a search on Slurm" expect 0 timeout 100 "$fairway" search "$size" -q --slurm --per-task 4 --set $small -d "$dir/search.db"
check "says what it says on this machine" cmp "$dir/out" "$dir/searched"
check "and leaves the same runs" same "$(dump search.db | cksum)" "$(dump local-search.db | cksum)"

# ---- killed, then Ctrl-C, then the same command again, on three nodes ----
"$fairway" sweep "$scn" --slurm --per-task 2 --set sweep.seeds=1 -d "$dir/int.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
until_true 30 '[ -n "$(squeue -h -t running)" ]'
kill -KILL $sweep
wait $sweep 2>/dev/null
"$fairway" sweep "$scn" --slurm --per-task 2 --set sweep.seeds=1 -d "$dir/int.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
until_true 30 '[ "$(sql int.db "select count(*) from run")" -ge 3 ] 2>/dev/null'
kill -INT $sweep
wait $sweep
check "an interrupt exits with 130" [ $? -eq 130 ]
sweep=
check "and cancels the jobs" until_true 10 '[ -z "$(squeue -h -t pending,running)" ]'
check "what had ended is kept" [ "$(sql int.db "select count(*) from run where status = 'done'")" -ge 3 ]
timeout 120 "$fairway" sweep "$scn" --slurm --per-task 2 --set sweep.seeds=1 -d "$dir/int.db" >"$dir/out" 2>"$dir/err"
check "the same command goes on" [ $? -eq 0 ]
check "with what is missing" grep -q "^$n of $n runs done, [1-9][0-9]* of them before" "$dir/out"
dump int.db >"$dir/got"
check "to the same rows" cmp -s "$dir/want" "$dir/got"

# ---- a task that hangs ----
"$fairway" sweep "$scn" --slurm --per-task 3 --deadline 6s --set sweep.seeds=1 -d "$dir/hang.db" >"$dir/out" 2>"$dir/err" &
sweep=$!
hung=
until_true 30 'hung=$(pgrep -f -- "--parts $dir/hang.db.parts" | head -n 1); [ -n "$hung" ] && kill -STOP $hung 2>/dev/null'
until_true 60 '! kill -0 $sweep 2>/dev/null'
wait $sweep
check "a task that hangs is cancelled at the deadline and sent again" [ $? -eq 0 ]
sweep=
check "it did hang" [ -n "$hung" ]
dump hang.db >"$dir/got"
check "with the same rows" cmp -s "$dir/want" "$dir/got"

# ---- tasks that can do nothing: another user may not write here ----
timeout 60 "$fairway" sweep "$scn" --slurm --per-task 12 --retries 1 --set sweep.seeds=1 -d "$dir/bad.db" --sbatch-opt=--uid=nobody >"$dir/out" 2>"$dir/err"
check "runs that never arrive fail in the end" [ $? -eq 3 ]
check "with where to look" grep -q "no result after it was sent 2 times; see $dir/bad.db.parts/log-" "$dir/err"
check "and are marked" [ "$(sql bad.db "select count(*) from run where status = 'failed' and message like 'no result%'")" = "$n" ]
timeout 60 "$fairway" sweep "$scn" --slurm --set sweep.seeds=1 -d "$dir/refused.db" --sbatch-opt=--no-such-option >"$dir/out" 2>"$dir/err"
check "what sbatch refuses is the world's fault" [ $? -eq 3 ]
check "and is shown" grep -q "'sbatch' failed" "$dir/err"
[ $bad -eq 0 ] || { cat "$dir/out" "$dir/err"; sinfo; }
exit $bad
