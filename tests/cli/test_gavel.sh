#!/bin/sh
# gavel as a policy: what it refuses, who it serves how, and that the same run is the same twice.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

cat >s.yaml <<'END'
cluster:
  groups:
    - {name: v, count: 2, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100}
    - {name: k, count: 2, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: K80}
models:
  wide: {V100: 1, K80: 0.2}
  even: {V100: 1, K80: 0.9}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
horizon: 20h
END
# Twelve jobs each of two users, of two models, longer than the run.
awk 'BEGIN { print "id,submit_s,duration_s,gpus,user,model"
             for (i = 0; i < 24; i++) printf "j%d,0,900000,1,%s,%s\n", i, i % 2 ? "a" : "b", i % 4 < 2 ? "wide" : "even" }' >jobs.csv

run() { "$fairway" run s.yaml -q -d "$1" -p "$2" --set "${3:-name=s}" 2>err; }
# GPU hours of a user, on a type if one is given.
hours() { sqlite3 "$1" "SELECT printf('%.1f', sum(a.end_us - a.start_us) / 3.6e9) FROM attempt a JOIN job j USING (run, ordinal)
    JOIN node n ON n.run = a.run AND n.node = a.node WHERE $2"; }
near() { awk -v got="$1" -v want="$2" -v by="$3" 'BEGIN { exit !(got > want - by && got < want + by) }' || { echo "$1, expected $2"; return 1; }; }

"$fairway" run s.yaml -q -d r.db -p gavel --set output.attempts=true
check "equal weights, equal time" near "$(hours r.db "j.user = 'a'")" 80 2
# With a of the 4 fast cards for the wide: a / 0.6 = (4 - a + 0.9 x 4) / 0.95, as 0.6 and 0.95 are their mean speeds.
check "who gains most has more of the fast cards, and no slow one" near "$(hours r.db "j.model = 'wide' AND n.name LIKE 'v%'")" 58.8 1
"$fairway" run s.yaml -q -d w.db -p gavel:objective=hierarchical,weights='a:3;b:1' --set output.attempts=true
a=$(hours w.db "j.user = 'a' AND n.name LIKE 'v%'") b=$(hours w.db "j.user = 'b' AND n.name LIKE 'v%'")
fast() { awk -v a="$a" -v b="$b" 'BEGIN { exit !(a > 2 * b) }' || { echo "$a and $b hours"; return 1; }; }
check "an entity of three times the weight has more of the fast cards" fast

again() {
    run one.db gavel:pairs=true && run two.db gavel:pairs=true || return 1
    one=$(sqlite3 one.db 'SELECT digest FROM run') two=$(sqlite3 two.db 'SELECT digest FROM run')
    [ -n "$one" ] && [ "$one" = "$two" ]
}
check "the same run is the same twice" again

# Two that do 0.9 of their speed beside each other share the card in every round, for 1800 / 0.9 s.
mkdir pair
cat >pair/s.yaml <<'END'
cluster: {groups: [{name: v, count: 1, cpus: 1, mem: 1GiB, gpus: 1, gpu_type: V100}]}
profiles: {sharing: {file: pairs.json}}
models: {a#1: {V100: 1}, b#1: {V100: 1}}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
output: {attempts: true}
END
cat >pair/pairs.json <<'END'
{"v100": {"('a', 1)": {"null": 10, "('b', 1)": [9, 9]}, "('b', 1)": {"null": 10, "('a', 1)": [9, 9]}}}
END
printf 'id,submit_s,duration_s,gpus,gpu_milli,model\na,0,1800,1,500,a#1\nb,0,1800,1,500,b#1\n' >pair/jobs.csv
together() {
    expect 0 "$fairway" run pair/s.yaml -q -d pair/r.db -p gavel:pairs=true || return 1
    same "$(sqlite3 pair/r.db "SELECT group_concat((start_us / 1000000) || '-' || (end_us / 1000000)) FROM attempt")" 0-2000,0-2000
}
check "a pair goes on as a pair" together

refuses() { expect "$1" run n.db "$3" "${4:-name=s}" || return 1; grep -q "$2" err || { cat err; return 1; }; }
check "a price that is missing is named" refuses 2 'that of K80 is missing' gavel:objective=sum,prices=V100:2
check "a model without a speed on a type is refused" refuses 4 "how fast job 'j0' is on GPUs of type K80" gavel 'models.wide={V100: 1}'
check "unless types are not looked at" expect 0 "$fairway" run s.yaml -q -d q.db -p gavel:aware=false --set 'models.wide={V100: 1}'
check "fifo gives no time to pairs" refuses 2 'pairs=true is of objectives with a program' gavel:objective=fifo,pairs=true
check "a drawn optimum is of programs with floors" refuses 2 'optimum=drawn is of' gavel:objective=sum,optimum=drawn

# c waits for the card that a holds, on the slow type there is none left, and d, for whom there is one, does not pass it.
cat >s.yaml <<'END'
cluster:
  groups:
    - {name: v, count: 1, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100}
    - {name: k, count: 1, cpus: 8, mem: 8GiB, gpus: 3, gpu_type: K80}
models:
  m: {V100: 1, K80: 0.5}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
END
printf 'id,submit_s,duration_s,gpus,model\na,0,1800,2,m\nb,0,1440,2,m\nc,0,720,2,m\nd,0,720,1,m\n' >jobs.csv
starts() {
    run f.db gavel:objective=fifo
    same "$(sqlite3 f.db 'SELECT group_concat(id || (start_us / 1000000), " ") FROM (SELECT * FROM job ORDER BY ordinal)')" "$1"
}
check "fifo: by arrival the fastest type with room, and nobody passes" starts 'a0 b0 c1800 d1800'
exit $bad
