#!/bin/sh
# fairway flow: every instance with a known optimum is solved to it, proved by
# an independent checker, and malformed files are refused with their line.
# The instances are beside the traces; without them those cases are skipped.
set -u
: "${FAIRWAY:?the program}"
case $FAIRWAY in /*) ;; *) FAIRWAY=$(cd "$(dirname "$FAIRWAY")" && pwd)/$(basename "$FAIRWAY") ;; esac
cd "$(dirname "$0")/../.." || exit 2
flow=${FAIRWAY_TRACES:-../shared/traces}/../flow
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1"; shift; [ $# -eq 0 ] || printf '    %s\n' "$@"; failed=1; }

# ---- instances with a known optimum ----

# first line of the program's answer, and its exit status, against flow $2 and cost $3
solves() {          # NAME FLOW COST ARGUMENTS...
    name=$1 want="flow $2 cost $3"; shift 3
    "$FAIRWAY" flow "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
    got=$(head -n 1 "$tmp/out")
    if [ $rc -eq 0 ] && [ "$got" = "$want" ]; then ok "$name"; else not_ok "$name" "exit $rc, $got; expected $want" "$(cat "$tmp/err")"; fi
}

known() {
    cp "$flow/check.py" "$flow/manifest.tsv" "$tmp/"
    tail -n +2 "$flow/manifest.tsv" >"$tmp/rows"
    while IFS='	' read -r id _ _ _ _ _ _ _ _ f c _; do
        xz -dc "$flow/$id.inst.xz" >"$tmp/$id.inst"
        solves "$id: the structured solver finds the optimum" "$f" "$c" "$tmp/$id.inst" --solution "$tmp/s" --duals "$tmp/d"
        if command -v python3 >/dev/null; then
            if python3 "$tmp/check.py" "$tmp/$id.inst" "$tmp/s" "$tmp/d" >"$tmp/out" 2>&1; then ok "$id: the independent checker proves it"
            else not_ok "$id: the independent checker proves it" "$(cat "$tmp/out")"; fi
        else
            echo "skipped $id: the independent checker needs python3"
        fi
        for form in agg full; do
            [ -f "$flow/$id.$form.min.xz" ] || continue
            xz -dc "$flow/$id.$form.min.xz" >"$tmp/$id.$form.min"
            solves "$id: network simplex finds it on the $form network" "$f" "$c" "$tmp/$id.$form.min" --solution "$tmp/s" --duals "$tmp/d"
        done
    done <"$tmp/rows"
    for seq in "$flow"/*.seq.xz; do
        id=$(basename "$seq" .seq.xz)
        base=${id%%.*}
        xz -dc "$flow/$base.inst.xz" >"$tmp/$base.inst"
        xz -dc "$seq" >"$tmp/$id.seq"
        for how in '' --cold; do
            # shellcheck disable=SC2086   # no word when empty
            "$FAIRWAY" flow "$tmp/$base.inst" --sequence "$tmp/$id.seq" $how >"$tmp/out" 2>"$tmp/err"
            rc=$?
            n=$(grep -c '^round .* flow' "$tmp/out") want=$(grep -c '^opt' "$tmp/$id.seq")
            name="$id: every round's optimum is found${how:+, from nothing}"
            if [ $rc -eq 0 ] && [ "$n" -ge "$want" ]; then ok "$name"; else not_ok "$name" "exit $rc, $n of $want rounds" "$(head -n 5 "$tmp/err")"; fi
        done
    done
}
if [ -f "$flow/manifest.tsv" ] && command -v xz >/dev/null; then known; else echo "skipped instances with known optimum: not here, or no xz"; fi

# ---- a round small enough to be read ----

cat >"$tmp/small.inst" <<'END'
gsched 1
# two nodes in two racks; task 0 lies on node 0, task 1 nowhere
net 1000 1000 2000 4000 9000000
racks 2
nodes 2
n 0 0 1000
n 1 1 1000
gpus 2
g 0 0 100
g 1 1 50
jobs 1
j 0 2 2
tasks 2
t 0 0 1000 60 1 0
t 1 0 1000 50 0
END
solves 'a round is read and solved' 2 5000000 "$tmp/small.inst" --solution "$tmp/s"
if [ "$(sort "$tmp/s")" = "0 0
1 1" ]; then ok 'the solution names task and GPU'; else not_ok 'the solution names task and GPU' "$(cat "$tmp/s")"; fi
cat >"$tmp/small.seq" <<'END'
gseq 1
round 0
+t 0
+t 1
+g 0
opt 1 1000000
round 1
+g 1
opt 2 5000000
END
"$FAIRWAY" flow "$tmp/small.inst" --sequence "$tmp/small.seq" >"$tmp/out" 2>&1 && ok 'a sequence is replayed' || not_ok 'a sequence is replayed' "$(cat "$tmp/out")"
sed 's/^opt 2 .*/opt 2 4999999/' "$tmp/small.seq" >"$tmp/wrong.seq"
"$FAIRWAY" flow "$tmp/small.inst" --sequence "$tmp/wrong.seq" >"$tmp/out" 2>"$tmp/err"
if [ $? -eq 1 ] && grep -q 'wrong.seq:7: round 1: the file states' "$tmp/err"; then ok 'another optimum than stated is a difference'; else not_ok 'another optimum than stated is a difference' "$(cat "$tmp/err")"; fi
printf 'p min 2 1\nn 1 3\nn 2 -3\na 1 2 0 2 7\n' >"$tmp/small.min"
solves 'a DIMACS problem ships what fits' 2 14 "$tmp/small.min" --solution "$tmp/s"
if grep -q '^f 1 2 2$' "$tmp/s"; then ok 'its solution names the arcs'; else not_ok 'its solution names the arcs'; fi

# ---- malformed files: FILE:LINE of the error, and words of it ----

refuses() {         # NAME FILE LINE TEXT [ARGUMENTS...]
    name=$1 file=$2 line=$3 text=$4; shift 4
    "$FAIRWAY" flow "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
    if [ $rc -eq 2 ] && grep -F "$file:$line:" "$tmp/err" | grep -qF -- "$text"; then ok "$name"
    else not_ok "$name" "exit $rc, expected '$file:$line: ... $text'" "$(cat "$tmp/err")"; fi
}
bad_min() {         # LINE TEXT NAME, the file on stdin
    cat >"$tmp/bad.min"
    refuses "$3" "$tmp/bad.min" "$1" "$2" "$tmp/bad.min"
}
bad_inst() {        # LINE TEXT NAME SED-SCRIPT: the small round, changed
    sed "$4" "$tmp/small.inst" >"$tmp/bad.inst"
    refuses "$3" "$tmp/bad.inst" "$1" "$2" "$tmp/bad.inst"
}
bad_seq() {         # LINE TEXT NAME SED-SCRIPT
    sed "$4" "$tmp/small.seq" >"$tmp/bad.seq"
    refuses "$3" "$tmp/bad.seq" "$1" "$2" "$tmp/small.inst" --sequence "$tmp/bad.seq"
}

printf 'n 1 3\n'                             | bad_min 1 "must come first"            'an arc or node before the problem line'
printf 'c x\np max 2 1\n'                    | bad_min 2 "expected 'min'"             'another problem than min'
printf 'p min 2 1\np min 2 1\n'              | bad_min 2 "a second 'p' line"          'two problem lines'
printf 'p min 2 1\nn 3 1\n'                  | bad_min 2 'expected 1 to 2'            'a node that is not there'
printf 'p min 2 1\nn 1 1\nn 1 2\n'           | bad_min 3 'has a supply already'       'a node with two supplies'
printf 'p min 2 1\na 1 2 0 5\n'              | bad_min 2 'ends before the cost'       'an arc without a cost'
printf 'p min 2 1\na 1 2 1 5 3\n'            | bad_min 2 'lower bound'                'an arc with a lower bound'
printf 'p min 2 1\na 1 2 0 -5 3\n'           | bad_min 2 'the capacity is -5'         'a negative capacity'
printf 'p min 2 1\na 1 2 0 5 3.5\n'          | bad_min 2 "the cost is '3.5'"          'a cost that is not whole'
printf 'p min 2 1\na 1 2 0 5 3 9\n'          | bad_min 2 'one word too many'          'a word too many'
printf 'p min 2 1\na 1 2 0 5 3\na 1 2 0 5 3\n' | bad_min 3 'more arcs than the 1'     'an arc too many'
printf 'p min 2 2\na 1 2 0 5 3\n'            | bad_min 3 'after 1 of 2 arcs'          'an arc too few'
printf 'p min 2 1\nq 1\n'                    | bad_min 2 "cannot begin with 'q'"      'an unknown line'
printf 'p min 2 1\na 1 2 0 5 99999999999999999999\n' | bad_min 2 'expected a whole number' 'a figure of more than 64 bits'
: | bad_min 1 "without a 'p min' line" 'an empty file'

bad_inst 2  "must be 'gsched 1'"            'a round without its first line'      '1d'
bad_inst 1  'the version is 2'              'a round of another version'          '1s/1/2/'
bad_inst 3  'rack bandwidth is 0'           'a bandwidth of zero'                 's/^net 1000/net 0/'
bad_inst 6  'the rack is 2, expected 0 to 1' 'a node in a rack that is not there' 's/^n 0 0/n 0 2/'
bad_inst 7  "'n 0' is there already"        'a node told twice'                   's/^n 1/n 0/'
bad_inst 7  'the disk rate is 0'            'a disk that does not turn'           's/^n 1 1 1000/n 1 1 0/'
bad_inst 10 "found 'jobs' where 1 more 'g'" 'a GPU too few'                       '/^g 1/d'
bad_inst 10 'the node is 7'                 'a GPU on a node that is not there'   's/^g 1 1/g 1 7/'
bad_inst 14 'the job is 1, expected 0 to 0' 'a task of a job that is not there'   's/^t 0 0/t 0 1/'
bad_inst 14 'two replicas on node 0'        'a replica told twice'                's/60 1 0/60 2 0 0/'
bad_inst 14 "ends before the replica's node" 'a replica too few'                  's/60 1 0/60 2 0/'
bad_inst 14 'one word too many'             'a replica too many'                  's/60 1 0/60 1 0 1/'
bad_inst 15 'takes more than 2^50'          'a transfer of centuries'             's/^t 1 0 1000/t 1 0 999999999999999/'
bad_inst 16 'says that it has 3 tasks'      'a job with another number of tasks'  's/^j 0 2/j 0 3/'
bad_inst 16 'after the last task'           'a line after the last task'          '$a\
t 2 0 1 1 0'
bad_seq 1 "must be 'gseq 1'"                'a sequence without its first line'   '1d'
bad_seq 2 "where 'round' was expected"      'a change before the first round'     '2d'
bad_seq 4 'task 0 is there already'         'a task that comes twice'             's/^+t 1/+t 0/'
bad_seq 8 'GPU 1 is not there'              'a GPU that goes before it came'      's/^+g 1/-g 1/'
bad_seq 3 'the task is 9'                   'a task that is not in the round'     's/^+t 0/+t 9/'
bad_seq 7 'round 0 after round 0'           'rounds out of order'                 's/^round 1/round 0/'
bad_seq 8 'cannot begin with'               'an unknown change'                   's/^+g 1/g+ 1/'

usage() {           # NAME TEXT ARGUMENTS...
    name=$1 text=$2; shift 2
    "$FAIRWAY" flow "$@" >"$tmp/out" 2>"$tmp/err"
    if [ $? -eq 2 ] && grep -qF -- "$text" "$tmp/err"; then ok "$name"; else not_ok "$name" "$(cat "$tmp/err")"; fi
}
usage 'no file is a usage error' 'expected one file'
usage 'another ending is a usage error' 'ends neither in .min' "$tmp/s"
usage 'a sequence over a DIMACS problem is a usage error' 'needs a scheduling round' --sequence "$tmp/small.seq" "$tmp/small.min"
usage '--cold without a sequence is a usage error' '--cold needs --sequence' --cold "$tmp/small.inst"
usage 'a missing file is bad input' 'cannot be opened' "$tmp/none.min"
exit $failed
