#!/bin/sh
# The Nth failing call of each kind, for N = 1, 2, ... until none fails, over the commands that write or read results:
# the exit status and words that belong to it, and never a run that is counted and not whole.
#
# FAULTS=all tries every N; otherwise every one up to 8, and then steps that grow.
. "$(dirname "$0")/../cli/lib.sh"
shim=$(dirname "$fairway")/tests/faults/shim.so
[ -f "$shim" ] || { echo "skipped - $shim is not built: make test"; exit 77; }
command -v sqlite3 >/dev/null || { echo 'skipped - no sqlite3'; exit 77; }
nm -C "$fairway" 2>/dev/null | grep -q __asan_ && { echo 'skipped - a sanitizer allocates by itself'; exit 77; }
limit=60
cp "$here"/tests/fuzz/rows.yaml "$here"/tests/fuzz/rows.csv "$here"/tests/fuzz/faults.csv "$dir"
scn=$dir/rows.yaml

# The runs of a database and how much of each is there; nothing where there is no database yet.
content() {
    [ -s "$1" ] || return 0
    sqlite3 "$1" "SELECT policy_spec, seed, status, digest, (SELECT count(*) FROM job WHERE run = id),
        (SELECT count(*) FROM attempt WHERE run = id), (SELECT count(*) FROM metric WHERE run = id)
        FROM run ORDER BY policy_spec, seed" 2>"$dir/sql" ||
        { grep -qE 'no such table|file is not a database' "$dir/sql" || cat "$dir/sql"; }
}
"$fairway" run -q "$scn" -d "$dir/whole.db" || { echo 'not ok - the runs'; exit 1; }
whole=$(content "$dir/whole.db")
half() {
    content "$1" | grep '|done|' | while read -r run; do echo "$whole" | grep -qxF -- "$run" || echo "half: $run"; done
}
# goes_on COMMAND [WHEN]: without failures the same command ends well, and all is there
goes_on() {
    "$1_one" env >"$dir/said" 2>"$dir/err" && "$1_all" && return
    echo "${2:-}: and then it does not go on"
    cat "$dir/err"
    return 1
}

fresh() { rm -rf "$dir"/out.*; }
# What a command is, what it writes, and whether that is as it must be when the command says that all is well.
run_one() { "$@" "$fairway" run -q "$scn" -d "$dir/out.db"; }
run_all() { [ "$(content "$dir/out.db")" = "$whole" ]; }
sweep_one() { "$@" "$fairway" sweep -q -j 2 "$scn" -d "$dir/out.db"; }
sweep_all() { run_all; }
merge_one() { "$@" "$fairway" merge "$dir/out.db" "$dir/a.db" "$dir/b.db"; }
merge_all() { run_all; }
exec_one() { "$@" "$fairway" run -q "$scn" -s 1 -p "exec:python3 $here/python/fifo.py" -d "$dir/out.db"; }
exec_all() { content "$dir/out.db" | grep -q '|done|'; }
report_one() { "$@" "$fairway" report "$dir/whole.db" --no-charts -o "$dir/out.html"; }
report_all() { tail -c 20 "$dir/out.html" | grep -q '</html>'; }
"$fairway" run -q "$scn" -p fifo -d "$dir/a.db" && "$fairway" run -q "$scn" -p srtf -d "$dir/b.db"

# one COMMAND KIND N: run it so; the status is left in $got
one() {
    fresh
    rm -f "$dir/hit"
    "$1_one" timeout "$limit" env LD_PRELOAD="$shim" FAULT="$2:$3" FAULT_HIT="$dir/hit" >"$dir/said" 2>"$dir/err"
    got=$?
    case $got in
    0) "$1_all" || { echo "N=$3: exit 0, and not all is there"; return 1; } ;;
    2|3|4) [ -s "$dir/err" ] || { echo "N=$3: exit $got without a word"; return 1; } ;;
    *) echo "N=$3: exit $got"; tail -n 20 "$dir/err"; return 1 ;;
    esac
    ! grep -qE 'internal error|Assertion' "$dir/err" || { echo "N=$3:"; cat "$dir/err"; return 1; }
    case $1 in report|exec) return 0 ;; esac
    lost=$(half "$dir/out.db")
    [ -z "$lost" ] || { echo "N=$3, exit $got: $lost"; return 1; }
    goes_on "$1" "N=$3"
}
# every COMMAND KIND: until none fails
every() {
    n=1 step=1 tried=0
    while :; do
        one "$1" "$2" $n || return 1
        [ -e "$dir/hit" ] || break
        tried=$((tried + 1))
        [ -n "${FAULTS:-}" ] || [ $n -lt 8 ] || step=$((n / 2))
        n=$((n + step))
    done
    echo "$tried" >>"$dir/tried"
}

for command in ${COMMANDS:-run sweep merge report exec}; do
    kinds='write fsync open read unlink rename malloc step'
    case $command in
    exec)
        command -v python3 >/dev/null || { echo 'skipped - exec policies: no python3'; continue; }
        kinds='write open read malloc fork pipe' ;;
    sweep) kinds="$kinds fork pipe" ;;
    esac
    : >"$dir/tried"
    for kind in $kinds; do
        check "$command: a failing $kind" every "$command" "$kind"
    done
    check "$command: most kinds of calls did fail" [ "$(grep -vc '^0$' "$dir/tried")" -gt 3 ]
done
# ---- killed, out of room, two at once ----

# What is left of a sweep that was killed is whole or not there, and the same command goes on to the end.
killed() {
    for delay in $1; do
        fresh
        "$fairway" sweep -q -j 2 "$scn" -d "$dir/out.db" >"$dir/said" 2>"$dir/err" & pid=$!
        sleep "$delay"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "after $delay s: $lost"; return 1; }
        goes_on sweep "after $delay s" || return 1
    done
}
delays='0.002 0.01 0.02 0.03 0.05 0.08'
[ -z "${FAULTS:-}" ] || delays=$(awk 'BEGIN { srand(1); for (i = 0; i < 200; i++) printf "%.4f ", rand() * 0.15 }')
check 'a sweep that is killed leaves no half a run, and goes on' killed "$delays"

# A file may have so many blocks: as on a disk that is full, and the words say so.
full() {
    for blocks in 8 64 256 400; do
        fresh
        (ulimit -f $blocks; trap '' XFSZ; exec "$fairway" run -q "$scn" -d "$dir/out.db") >"$dir/said" 2>"$dir/err"
        got=$?
        case $got in
        0) run_all || return 1 ;;
        3) [ -s "$dir/err" ] || return 1 ;;
        *) echo "exit $got"; cat "$dir/err"; return 1 ;;
        esac
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "$blocks blocks: $lost"; return 1; }
        goes_on run "$blocks blocks" || return 1
    done
}
check 'without room for the database: exit status 3, and no half a run' full

two() {
    for i in 1 2 3; do
        fresh
        "$fairway" run -q "$scn" -d "$dir/out.db" >/dev/null 2>"$dir/err1" & pid=$!
        "$fairway" sweep -q -j 2 "$scn" -d "$dir/out.db" >/dev/null 2>"$dir/err2"; sweep=$?
        wait $pid; run=$?
        case $run$sweep in 00|03|30) ;; *) echo "exit $run and $sweep"; cat "$dir/err1" "$dir/err2"; return 1 ;; esac
        lost=$(half "$dir/out.db")
        [ -z "$lost" ] || { echo "$lost"; return 1; }
        [ $run$sweep != 00 ] || run_all || { echo 'both say that all is well'; content "$dir/out.db"; return 1; }
    done
}
check 'two that write the same database leave each run once' two
exit $bad
