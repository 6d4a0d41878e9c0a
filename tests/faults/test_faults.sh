#!/bin/sh
# The Nth failing call of each kind, for N = 1, 2, ... until none fails, over the commands that write or read results:
# the exit status and words that belong to it, and never a run that is counted and not whole.
#
# FAULTS=all tries every N, of malloc, read and step those that shim.c lists; otherwise every one up to 8, and then
# steps that grow.  COMMANDS and KINDS choose; a line for each goes to the file TALLY.
. "$(dirname "$0")/../cli/lib.sh"
shim=$(dirname "$fairway")/tests/faults/shim.so
[ -f "$shim" ] || { echo "skipped - $shim is not built: make test"; exit 77; }
command -v sqlite3 >/dev/null || { echo 'skipped - no sqlite3'; exit 77; }
nm -C "$fairway" 2>/dev/null | grep -q __asan_ && { echo 'skipped - a sanitizer allocates by itself'; exit 77; }
limit=60
cp "$here"/tests/fuzz/rows.yaml "$here"/tests/fuzz/rows.csv "$here"/tests/fuzz/faults.csv "$dir"
scn=$dir/rows.yaml many=$dir/many.yaml
# Six runs, some three in a part.
{ cat "$scn"; echo 'sweep: {set: {cluster.groups.0.count: [2, 3, 4]}}'; } >"$many"

# The runs of a database and how much of each is there; nothing where there is no database yet.
content() {
    [ -s "$1" ] || return 0
    sqlite3 "$1" "SELECT key, policy_spec, seed, status, digest, (SELECT count(*) FROM job WHERE run = id),
        (SELECT count(*) FROM attempt WHERE run = id), (SELECT count(*) FROM metric WHERE run = id)
        FROM run ORDER BY key" 2>"$dir/sql" ||
        { grep -qE 'no such table|file is not a database' "$dir/sql" || cat "$dir/sql"; }
}
# half DATABASE: the runs that it counts as done and that are not what they are without failures
half() { content "$1" | grep '|done|' | grep -vxF -- "$whole" | sed 's/^/half: /'; }
# goes_on COMMAND [WHEN]: without failures the same command ends well, and all is there
goes_on() {
    "$1_one" env LD_PRELOAD="$shim" >"$dir/told" 2>"$dir/err" && "$1_all" && return
    echo "${2:-}: and then it does not go on"
    cat "$dir/err"
    return 1
}

# What a command is, what it writes, and whether that is as it must be when the command says that all is well.
fresh() { stop_tasks; rm -rf "$dir"/out.* "$STUB"; mkdir "$STUB"; }
run_one() { "$@" "$fairway" run -q "$scn" -d "$dir/out.db"; }
run_all() { [ "$(content "$dir/out.db")" = "$whole_rows" ]; }
sweep_one() { "$@" "$fairway" sweep -q -j 2 "$many" -d "$dir/out.db"; }
# What could not be removed may be left.
sweep_all() {
    [ "$(content "$dir/out.db")" = "$whole_many" ] && { [ "${kind:-}" = unlink ] || [ ! -e "$dir/out.db.parts" ]; }
}
merge_one() { "$@" "$fairway" merge "$dir/out.db" "$dir/a.db" "$dir/b.db"; }
merge_all() { run_all; }
exec_one() { "$@" "$fairway" run -q "$scn" -s 1 -p "exec:python3 $here/python/fifo.py" -d "$dir/out.db"; }
exec_all() { [ "$(content "$dir/out.db")" = "$whole_exec" ]; }
report_one() { "$@" "$fairway" report "$dir/whole.db" --no-charts -o "$dir/out.html"; }
report_all() { tail -c 20 "$dir/out.html" | grep -q '</html>'; }
# The calls of the sweep fail (slurm), or those of the tasks that it sends first (task).
slurm_one() { "$@" env "PATH=$dir/bin:$PATH" "$fairway" sweep -q --slurm --per-task 3 "$many" -d "$dir/out.db"; }
slurm_all() { sweep_all; }
task_one() {
    # shellcheck disable=SC2016
    "$@" env "PATH=$dir/bin:$PATH" sh -c 'TASK_FAULT=${FAULT-} FAULT= exec "$@"' - \
        "$fairway" sweep -q --slurm --per-task 3 "$many" -d "$dir/out.db"
}
task_all() { sweep_all; }
stop_tasks() {
    for at in "$STUB"/queue/*; do [ ! -s "$at" ] || kill -9 -- "-$(cat "$at")" 2>/dev/null; done
}
export STUB="$dir/stub"
mkdir "$dir/bin" "$STUB"
for name in sbatch squeue scancel scontrol; do ln -s "$here/tests/faults/slurm.sh" "$dir/bin/$name"; done
trap 'stop_tasks; rm -rf "$dir"' EXIT

for name in run sweep exec; do
    fresh
    "${name}_one" env || { echo "not ok - the runs of $name"; exit 1; }
    case $name in
    run) whole_rows=$(content "$dir/out.db"); cp "$dir/out.db" "$dir/whole.db" ;;
    sweep) whole_many=$(content "$dir/out.db") ;;
    exec) whole_exec=$(content "$dir/out.db") ;;
    esac
done
whole="$whole_rows
$whole_many
$whole_exec"
"$fairway" run -q "$scn" -p fifo -d "$dir/a.db" && "$fairway" run -q "$scn" -p srtf -d "$dir/b.db"

# one COMMAND KIND N: run it so
one() {
    fresh
    rm -f "$dir/hit"
    "$1_one" timeout "$limit" env LD_PRELOAD="$shim" FAULT="$2:$3" FAULT_HIT="$dir/hit" >"$dir/told" 2>"$dir/err"
    got=$?
    case $got in
    0) "$1_all" || { echo "N=$3: exit 0, and not all is there"; cat "$dir/err"; return 1; } ;;
    3) [ -s "$dir/err" ] || { echo "N=$3: exit $got without a word"; return 1; } ;;
    4) grep -q 'the pipe .* its process failed' "$dir/err" || { echo "N=$3: exit 4"; cat "$dir/err"; return 1; } ;;
    *) echo "N=$3: exit $got"; tail -n 20 "$dir/err"; return 1 ;;
    esac
    ! grep -qE 'internal error|Assertion|Success' "$dir/err" || { echo "N=$3:"; cat "$dir/err"; return 1; }
    lost=$(half "$dir/out.db")
    [ -z "$lost" ] || { echo "N=$3, exit $got: $lost"; return 1; }
    goes_on "$1" "N=$3"
}
# some COMMAND KIND: the N that are worth a failure, a line each
some() {
    fresh
    rm -f "$dir/list"
    "$1_one" env LD_PRELOAD="$shim" FAULT="$2" FAULT_LIST="$dir/list" >"$dir/told" 2>"$dir/err" || return 1
    sort -nu "$dir/list" 2>"$dir/err"
}
# every COMMAND KIND: until none fails; the first few that go wrong are shown
every() {
    n=1 step=1 tried=0 wrong=0 listed=
    case ${FAULTS:-}:$2 in all:malloc|all:step|all:read)
        some "$1" "$2" >"$dir/some" || { cat "$dir/err"; return 1; }
        exec 3<"$dir/some"
        listed=yes ;;
    esac
    while [ $wrong -lt 5 ]; do
        [ -z "$listed" ] || read -r n <&3 || break
        one "$1" "$2" "$n" || wrong=$((wrong + 1))
        [ ! -e "$dir/hit" ] || tried=$((tried + 1))
        [ -z "$listed" ] || continue
        [ -e "$dir/hit" ] || break
        [ -n "${FAULTS:-}" ] || [ "$n" -lt 8 ] || step=$((n / 2))
        n=$((n + step))
    done
    echo "$tried" >>"$dir/tried"
    echo "$1 $2: $tried failed" >>"${TALLY:-/dev/null}"
    [ $wrong -eq 0 ]
}

commands=${COMMANDS-run merge report exec sweep slurm task killed full two}
for command in $commands; do
    kinds='write fsync open read unlink rename malloc step'
    case $command in
    killed|full|two) continue ;;
    exec)
        command -v python3 >/dev/null || { echo 'skipped - exec policies: no python3'; continue; }
        kinds='write open read malloc fork pipe' ;;
    sweep) kinds="$kinds fork pipe" ;;
    slurm) kinds="$kinds pipe sbatch unheard squeue scancel scontrol" ;;
    esac
    [ -n "${FAULTS:-}" ] || case $command in
    slurm) kinds='write rename read sbatch unheard squeue' ;;
    task) kinds='write fsync rename malloc' ;;
    esac
    : >"$dir/tried"
    for kind in ${KINDS:-$kinds}; do
        check "$command: a failing $kind" every "$command" "$kind"
    done
    [ -n "${KINDS:-}" ] || check "$command: most kinds of calls did fail" [ "$(grep -vc '^0$' "$dir/tried")" -gt 2 ]
done
# ---- killed, out of room, two at once ----

# killed COMMAND DELAYS: what is left when it is killed is whole or not there, and the same command goes on to the end
killed() {
    for delay in $2; do
        fresh
        : >"$dir/pid"
        # shellcheck disable=SC2016
        "$1_one" env LD_PRELOAD="$shim" sh -c 'echo $$ >"$0"; exec "$@"' "$dir/pid" >"$dir/told" 2>"$dir/err" & job=$!
        sleep "$delay"
        kill -9 "$(cat "$dir/pid")" 2>/dev/null
        wait $job 2>/dev/null
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "after $delay s: $lost"; return 1; }
        goes_on "$1" "after $delay s" || return 1
    done
}
# bereft DELAYS: one worker of a sweep is killed; its run is marked, and what it had not handed over is done again
bereft() {
    for delay in $1; do
        fresh
        "$fairway" sweep -q -j 2 "$many" -d "$dir/out.db" >"$dir/told" 2>"$dir/err" & pid=$!
        sleep "$delay"
        child=$(pgrep -P $pid | head -n 1)
        [ -z "$child" ] || kill -9 "$child" 2>/dev/null
        wait $pid
        case $? in
        0) sweep_all || { echo "after $delay s: exit 0, and not all is there"; return 1; } ;;
        3) grep -q 'signal 9' "$dir/err" || { echo "after $delay s: exit 3"; cat "$dir/err"; return 1; } ;;
        *) echo "after $delay s:"; cat "$dir/err"; return 1 ;;
        esac
        [ "$(content "$dir/out.db" | wc -l)" -eq 6 ] || { echo "after $delay s:"; content "$dir/out.db"; return 1; }
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "after $delay s: $lost"; return 1; }
        goes_on sweep "after $delay s" || return 1
    done
}
# moments N MOST: that many random delays
moments() { awk -v n="$1" -v most="$2" 'BEGIN { srand(1); for (i = 0; i < n; i++) printf "%.4f ", rand() * most }'; }
n=3
[ -z "${FAULTS:-}" ] || n=200
case " $commands " in *' killed '*)
    for command in run merge sweep slurm; do
        check "$command: killed, it leaves no half a run, and goes on" killed $command "$(moments $n 0.15)"
    done
    check 'a worker that is killed costs one run' bereft "$(moments $n 0.1)" ;;
esac

# full COMMAND: a file may have so many blocks, as on a disk that is full, and the words say so
full() {
    for blocks in 8 32 64 128 256 400; do
        fresh
        (ulimit -f $blocks; trap '' XFSZ; "$1_one" env) >"$dir/told" 2>"$dir/err"
        got=$?
        case $got in
        0) "$1_all" || return 1 ;;
        3) [ -s "$dir/err" ] || return 1 ;;
        *) echo "exit $got"; cat "$dir/err"; return 1 ;;
        esac
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "$blocks blocks: $lost"; return 1; }
        goes_on "$1" "$blocks blocks" || return 1
    done
}
case " $commands " in *' full '*)
    for command in run sweep merge report slurm; do
        check "$command without room for files: exit status 3, and no half a run" full $command
    done ;;
esac

# two ONE OTHER: both write one database; at least one ends well, who says so has all, and no run is there twice
two() {
    for i in 1 ${FAULTS:+2 3 4 5}; do
        fresh
        "$1_one" env >/dev/null 2>"$dir/err1" & pid=$!
        "$2_one" env >/dev/null 2>"$dir/err2"; other=$?
        wait $pid; one=$?
        case $one$other in 00|03|30) ;; *) echo "exit $one and $other"; cat "$dir/err1" "$dir/err2"; return 1 ;; esac
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "$lost"; return 1; }
        for said in $1=$one $2=$other; do
            [ "${said#*=}" -ne 0 ] || has "${said%=*}" || { echo "${said%=*} says that all is well"; return 1; }
        done
    done
}
# has COMMAND: every run of it is in the database
has() {
    content "$dir/out.db" >"$dir/there"
    case $1 in sweep|slurm) echo "$whole_many" ;; *) echo "$whole_rows" ;; esac | { ! grep -vxF -f "$dir/there"; }
}
case " $commands " in *' two '*)
    for pair in run:run run:sweep sweep:sweep merge:run merge:sweep slurm:sweep slurm:slurm; do
        check "$pair: two that write the same database leave each run once" two "${pair%:*}" "${pair#*:}"
    done ;;
esac
exit $bad
