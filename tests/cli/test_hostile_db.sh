#!/bin/sh
# Databases come from others: whatever numbers one holds, what reads it answers, or says what is wrong.
# HOSTILE=all: every value in every column; otherwise one a column, the next for the next.
. "$(dirname "$0")/lib.sh"
limit=20
cat >"$dir/s.yaml" <<'END'
name: hostile
cluster:
  gpu_types: {T4: {power: {idle: 10W, peak: 70W}, price: 1}}
  groups: [{name: a, count: 2, cpus: 4, gpus: 2, gpu_type: T4, mem: 8GiB, power: {idle: 90W, peak: 300W}, price: 1}]
trace: {format: native, path: jobs.csv}
faults: {trace: faults.csv}
policies: [fifo, srtf]
output: {attempts: true, decisions: true, sample_every: 5s}
END
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,gpus,tasks,user
a,0,9,2,1,u
b,0,30,1,2,v
c,1,4,2,1,u
d,2,40,1,1,w
END
printf 'at_s,node,event\n3,a-1,down\n20,a-1,up\n' >"$dir/faults.csv"
"$fairway" run -q "$dir/s.yaml" -d "$dir/fine.db" || { echo "not ok - the run to damage"; exit 1; }
"$fairway" run -q "$here/scenarios/engines/engines-two.yaml" --set output.decisions=true -s 1 -p affinity -d "$dir/calls.db" >/dev/null 2>&1

# What any program may have made of it: neither types nor NOT NULL; and with both again, though rows are not so.
no() { ! "$@"; }
strip() {
    sqlite3 "$1" "pragma writable_schema = on;
        update sqlite_schema set sql = replace(replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'), ') STRICT', ')'), 'NOT NULL', '') where type = 'table'"
}
claim() {
    sqlite3 "$2" "attach '$1' as fine; pragma writable_schema = on;
        update main.sqlite_schema as s set sql = (select sql from fine.sqlite_schema f where f.name = s.name) where type = 'table'"
}
reads() { # every command that reads rows; it may refuse, in words, and never crash, hang or fail without a word
    for c in "compare $1" "compare $1 --from 1 --to 30" "timeline $1 1 -o $dir/t.json" "timeline $1 1 --batsim -o $dir/t.csv" "explain $1 1 $2" \
             "report $1 --no-charts -o $dir/r.html" "plot $1 gantt -o $dir/g.gp" "plot $1 timeline -o $dir/g.gp" "plot $1 cdf -o $dir/g.gp" "plot $1 energy -o $dir/g.gp" \
             "stages $1" "merge $dir/out.db $1" "merge $dir/out.db ${3:-$1}"; do
        rm -f "$dir/out.db"
        # shellcheck disable=SC2086   # the arguments are words
        timeout $limit "$fairway" $c >"$dir/out" 2>"$dir/err"
        got=$?
        case $got in
        0) ;;
        1|2|3) [ -s "$dir/err" ] || { echo "$c: exit $got without a word"; return 1; } ;;
        *) echo "$c: exit $got"; tail -n 40 "$dir/err"; return 1 ;;
        esac
        ! grep -qE 'runtime error|AddressSanitizer|internal error' "$dir/err" || { echo "$c"; head -n 40 "$dir/err"; return 1; }
    done
}
turn=0 values="-1 2147483648 9223372036854775807 -9223372036854775808 70000000 63 null 'x'"
damage() { # DATABASE JOB: every integer column of every table
    cp "$1" "$dir/with-types.db"
    strip "$1"
    for t in $(sqlite3 "$1" "select name from sqlite_schema where type = 'table'"); do
        name="$(basename "$1" .db): $t" why=
        [ "$(sqlite3 "$1" "select count(*) from $t")" -gt 0 ] || continue
        for col in $(sqlite3 "$1" "select name from pragma_table_info('$t') where type like 'INT%'"); do
            turn=$((turn % 8 + 1))
            v=$(echo "$values" | cut -d ' ' -f $turn)
            [ -z "${HOSTILE:-}" ] || v=$values
            for x in $v; do
                cp "$1" "$dir/bad.db"
                sqlite3 "$dir/bad.db" "pragma ignore_check_constraints = on; update or ignore $t set $col = $x" 2>/dev/null || continue
                cp "$dir/bad.db" "$dir/claims.db"
                claim "$dir/with-types.db" "$dir/claims.db"
                why=$(reads "$dir/bad.db" "$2" "$dir/claims.db") || { why="$col = $x: $why"; break 2; }
                why=
            done
        done
        if [ -z "$why" ]; then echo "ok - $name"; else echo "not ok - $name"; echo "$why" | sed 's/^/# /'; bad=1; fi
    done
}
check "as it was written all of them read it" reads "$dir/fine.db" b
damage "$dir/fine.db" b
damage "$dir/calls.db" g1

# ---- what is wrong is said; what the schema knows it does not let in ----
"$fairway" run -q "$dir/s.yaml" -d "$dir/said.db"
while IFS='|' read -r u words; do
    cp "$dir/said.db" "$dir/bad.db"
    sqlite3 "$dir/bad.db" "pragma ignore_check_constraints = on; update $u where run = 1"
    check "$u is told" fails 3 "bad.db: error: run 1 is damaged: table '${u%% *}' has a row whose $words" "$fairway" timeline "$dir/bad.db" 1 --batsim -o "$dir/t.csv"
    case $words in *'not there') continue ;; esac
    check "and refused" fails 3 "CHECK constraint failed" "$fairway" merge "$dir/merged.db" "$dir/bad.db"
    check "in SQLite too" no sqlite3 "$dir/said.db" "update $u where run = 1"
done <<'END'
attempt set cards = -1|node is 0 and cards is -1, which are not there
attempt set node = 7|node is 7 and cards is 3, which are not there
request set n_gpu = 2, gpu_milli = 0|n_gpu is 2 and gpu_milli is 0, a share that is not there
request set n_gpu = 1, gpu_milli = 1001|n_gpu is 1 and gpu_milli is 1001, a share that is not there
node set gpu_type = ''|n_gpu is 2, of a gpu_type that is not there
node set n_gpu = -1|n_gpu is -1
job set n_tasks = 1 << 40|n_tasks is 1099511627776
decision set task = -9|task is -9
END
cp "$dir/said.db" "$dir/bad.db"
sqlite3 "$dir/bad.db" "alter table job add column more integer"
check "a table of other columns is refused" fails 3 "table 'job' has 28 columns, expected 27" "$fairway" merge "$dir/merged.db" "$dir/bad.db"
cp "$dir/said.db" "$dir/bad.db"
sqlite3 "$dir/bad.db" "drop table repair; create view repair as select c0 as run, c1, c2, c3 from feed"
check "a view of what is being written too" fails 3 "bad.db: error: 'repair' is no table: view" "$fairway" merge "$dir/merged.db" "$dir/bad.db"
merge_tells() { # SQL WORDS: a file changed so is refused, by its name
    cp "$dir/said.db" "$dir/bad.db"
    sqlite3 "$dir/bad.db" "pragma writable_schema = on; $1"
    check "$2" fails 3 "bad.db: error: $2" "$fairway" merge "$dir/refused.db" "$dir/bad.db"
}
edit="update sqlite_schema set sql = replace(sql,"
merge_tells "drop table note" "there is no table 'note'"
merge_tells "$edit 'key           TEXT NOT NULL', 'key TEXT') where name = 'run'" "column 2 of table 'run' is 'key TEXT', expected 'key TEXT NOT NULL'"
merge_tells "$edit 'title ', 'words ') where name = 'run'" "column 4 of table 'run' is 'words TEXT NOT NULL', expected 'title TEXT NOT NULL'"
merge_tells "drop table note; create table note (run INTEGER NOT NULL, seq INTEGER NOT NULL, at_us INTEGER NOT NULL, name TEXT NOT NULL,
    value REAL AS (1.0))" "column 5 of table 'note' is 'value REAL GENERATED', expected 'value REAL'"
cp "$dir/said.db" "$dir/null.db"
strip "$dir/null.db"
sqlite3 "$dir/null.db" "update run set key = null, status = null where id = 1; update metric set unit = x'00ff' where run = 2"
claim "$dir/said.db" "$dir/null.db"
check "so are values of other types, and none" fails 3 "null.db: error: table 'run' has a row that cannot be: NOT NULL constraint failed: run.key" \
    "$fairway" merge "$dir/refused.db" "$dir/null.db"
sqlite3 "$dir/null.db" "delete from run where id = 1"
check "of any table" fails 3 "null.db: error: table 'metric' has a row that cannot be: cannot store BLOB value in TEXT column metric.unit" \
    "$fairway" merge "$dir/refused.db" "$dir/null.db"
check "and nothing is taken from such files" same "$(sqlite3 "$dir/refused.db" "select count(*) from run")" 0

# ---- a file that is written to ----
feed=$(seq 0 31 | sed 's/^/c/' | paste -sd ,)
rows() { sqlite3 "$1" "select * from run; select * from node; select * from job; select * from attempt; select * from metric"; }
"$fairway" run -q "$dir/s.yaml" -p las -d "$dir/new.db"
for is in "table feed ($feed)" "view feed as select $(seq 0 31 | paste -sd ,)"; do
    rm -f "$dir/shadow.db"
    "$fairway" merge -q "$dir/shadow.db" "$dir/new.db"
    sqlite3 "$dir/shadow.db" "delete from run; create $is"
    case $is in table\ feed*) sqlite3 "$dir/shadow.db" "insert into feed (c0, c1) values (7, 7)" ;; esac
    check "rows are written where the file has a ${is%% feed*} feed" expect 0 "$fairway" run -q "$dir/s.yaml" -p las -d "$dir/shadow.db"
    check "and are what they are without" same "$(rows "$dir/shadow.db")" "$(rows "$dir/new.db")"
    sqlite3 "$dir/shadow.db" "delete from run"
    check "merged, too" expect 0 "$fairway" merge "$dir/shadow.db" "$dir/new.db"
    check "they are the same" same "$(rows "$dir/shadow.db")" "$(rows "$dir/new.db")"
done
cp "$dir/said.db" "$dir/bad.db"
sqlite3 "$dir/bad.db" "create trigger t before insert on job begin select raise(ignore); end"
check "a trigger that keeps rows out is seen" fails 3 "bad.db: error: table 'job' took 0 rows of 4" "$fairway" run -q "$dir/s.yaml" -p las -d "$dir/bad.db"
check "and the run is not called done" same "$(sqlite3 "$dir/bad.db" "select status || ': ' || message from run where id = 3")" "failed: table 'job' took 0 rows of 4"
# ---- the story of a job is told where the damage is none of it ----
cp "$dir/said.db" "$dir/bad.db"
sqlite3 "$dir/bad.db" "pragma ignore_check_constraints = on; update or ignore series set at_us = -9; update attempt set node = 7 where ordinal = 3"
check "a run with damage is refused whole" fails 3 "is damaged" "$fairway" timeline "$dir/bad.db" 1 --batsim -o "$dir/t.csv"
check "and told of a job that it does not touch" expect 0 "$fairway" explain "$dir/bad.db" 1 a
check "not of one beside it" fails 3 "table 'attempt' has a row whose node is 7" "$fairway" explain "$dir/bad.db" 1 b
exit $bad
