#!/bin/sh
# Names come from others' files: whatever is in them, what is printed for people cannot steer a terminal.
. "$(dirname "$0")/lib.sh"
esc=$(printf '\033')
# shows STATUS COMMAND...: it exits so, with the name written out and no control character but newlines
shows() {
    want=$1; shift
    expect "$want" "$@" || return 1
    cat "$dir/out" "$dir/err" >"$dir/both"
    LC_ALL=C grep -q '\\x1b\[2J' "$dir/both" || { echo "no name"; od -c "$dir/both" | head -n 20; return 1; }
    ! LC_ALL=C tr -d '\n\40-\377' <"$dir/both" | grep -q . || { od -c "$dir/both" | head -n 40; return 1; }
}
cat >"$dir/s.yaml" <<'END'
name: terminal
title: "title \e[2J"
cluster: {groups: [{name: a, count: 1, cpus: 4, gpus: 1, gpu_type: T4, mem: 8GiB}]}
trace: {format: native, path: jobs.csv}
policies: [{name: fifo, label: "label \e[2J"}, sjf]
seeds: [1, 2]
output: {attempts: true, decisions: true}
END
printf 'id,submit_s,duration_s,gpus,user\nj%s[2J,0,9,1,u%s[2J\nk,0,9,1,v%s[2J\n' "$esc" "$esc" "$esc" >"$dir/jobs.csv"
db=$dir/t.db
check "run" shows 0 "$fairway" run "$dir/s.yaml" -d "$db"
check "sweep" shows 0 "$fairway" sweep "$dir/s.yaml" -d "$dir/sweep.db"
check "sweep --dry-run" shows 0 "$fairway" sweep "$dir/s.yaml" --dry-run -d "$dir/none.db"
check "compare" shows 0 "$fairway" compare "$db"
check "compare, by user" shows 0 "$fairway" compare "$db" --scope "user=u$esc[2J"
for f in markdown latex; do
    check "compare in $f" expect 0 "$fairway" compare "$db" --format $f
    check "has no control character either" sh -c '! LC_ALL=C grep -q "$(printf "\033")" "$1"' - "$dir/out"
done
check "explain, a job that waited" shows 0 "$fairway" explain "$db" 1 k
check "explain, a job that is not there" shows 2 "$fairway" explain "$db" 1 "x$esc[2J"
printf 'id,submit_s,duration_s,%s[2J\nj,0,9,1\n' "$esc" >"$dir/jobs.csv"
check "a header that is not known" shows 2 "$fairway" run "$dir/s.yaml" -d "$db"
printf 'id,submit_s,duration_s,gpus\nj,0,%s[2J,1\n' "$esc" >"$dir/jobs.csv"
check "a value that is none" shows 2 "$fairway" run "$dir/s.yaml" -d "$db"
check "an option that is none" shows 2 "$fairway" run "--x$esc[2J"
check "a policy that is none" shows 2 "$fairway" run "$dir/s.yaml" -p "x$esc[2J" -d "$db"
exit $bad
