#!/bin/sh
# Every malformed input kept under tests/bad is refused with its message and its
# exit status.  NAME.expect beside the input says:
#     cmd: ARGUMENTS       optional first line; {} stands for the input's path
#     exit N
#     TEXT                 each further line must be a line of stderr, or begin or end one
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2

check() {           # INPUT DEFAULT-ARGUMENTS
    input=$1 args=$2
    expect=${input%.*}.expect
    name=${input#tests/bad/}
    why=
    if [ ! -f "$expect" ]; then
        echo "not ok $name: no .expect beside it"; bad=1; return
    fi
    case $(head -n 1 "$expect") in 'cmd: '*) args=$(sed -n '1s/^cmd: //p' "$expect") ;; esac
    args=$(printf '%s' "$args" | sed "s|{}|$input|g; s|{tmp}|$dir|g")
    # shellcheck disable=SC2086   # the arguments are words
    "$fairway" $args </dev/null >"$dir/out" 2>"$dir/err"
    status=$?
    want=$(sed -n 's/^exit //p' "$expect" | head -n 1)
    [ "$status" = "$want" ] || why="exit $status, expected $want"
    sed '/^cmd: /d; /^exit /d; /^$/d' "$expect" >"$dir/lines"
    while IFS= read -r line; do
        grep -qF -- "$line" "$dir/err" || { why="$why; stderr lacks: $line"; }
    done <"$dir/lines"
    [ -s "$dir/lines" ] || why="$why; the .expect has no message"
    if [ -n "$why" ]; then
        echo "not ok $name: ${why#; }"; sed 's/^/    /' "$dir/err"; bad=1
    else
        echo "ok $name"
    fi
}

for input in tests/bad/trace/*; do
    case $input in
    *.expect|*/throughputs*.json) ;;
    *.events) check "$input" "trace stats --format slurm {}" ;;
    *.swf)    check "$input" "trace stats --format swf {}" ;;
    *)        check "$input" "trace stats --format native {}" ;;
    esac
done
for input in tests/bad/model/*.yaml; do
    [ -f "$input" ] && check "$input" "trace generate --model {} span=1d"
done
for input in tests/bad/scn/*.yaml; do
    [ -f "$input" ] && check "$input" "run -q -d {tmp}/run.db {}"
done
exit $bad
