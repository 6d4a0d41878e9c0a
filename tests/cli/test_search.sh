#!/bin/sh
# fairway search: answers that are known beforehand, the same rows whoever does the
# runs and however often it is interrupted, and the tables and figures at the end.
. "$(dirname "$0")/lib.sh"
limit=100
sql() { sqlite3 "$dir/$1" "$2" 2>/dev/null; }
dump() { # every table but wall
    for t in $(sql "$1" "select name from sqlite_schema where type = 'table' and name <> 'wall' order by name"); do
        echo "-- $t"; sql "$1" "select * from $t"
    done
}
same_rows() { dump "$1" >"$dir/a"; dump "$2" >"$dir/b"; [ -s "$dir/a" ] && cmp "$dir/a" "$dir/b"; }
best() { # DATABASE VARIABLE: its value in the best set
    sql "$1" "select v.value from search_value v join search_variable n on n.search = v.search and n.variable = v.variable
        join search_set s on s.search = v.search and s.\"set\" = v.\"set\"
        where n.name = '$2' and s.phase <> 'fresh' and s.error is null order by s.excess, s.objective limit 1"
}
no() { ! "$@"; }
near() { awk -v x="$1" -v y="$2" -v e="$3" 'BEGIN { if (x < y - e || x > y + e) { print "found " x ", expected " y " +-" e; exit 1 } }'; }

# ---- a closed form ----
cat >"$dir/read.yaml" <<'END'
name: read
cluster: {groups: [{name: a, count: 1, cpus: 4, mem: 8GiB}]}
trace: {format: native, path: read.csv}
policies: [fifo, sjf]
search:
  set: {trace.speedup: {from: 0.1, to: 10, scale: log}}
  objective: {figures: read-figures.csv}
  budget: {runs: 40}
  samples: 12
END
# Two jobs of 10 s, 40 s apart, on one core each: the makespan is 40 / speedup + 10.
printf 'id,submit_s,duration_s,cpus\na,0,10,1\nb,40,10,1\n' >"$dir/read.csv"
printf 'policy,metric,value\nfifo,makespan,30\n' >"$dir/read-figures.csv"
check "a search of a figure" expect 0 "$fairway" search "$dir/read.yaml" -q -d "$dir/read.db"
check "finds where 40 / speedup + 10 is 30" near "$(best read.db trace.speedup)" 2 0.02
check "to a part in a thousand" near "$(sql read.db "select min(objective) from search_set")" 0 0.001
check "fewer runs than the budget may do" \
    [ "$(sql read.db "select count(*) from search_set where phase <> 'fresh'")" -le 40 ]
check "the policies that are not asked for are not run" [ "$(sql read.db "select distinct policy from run")" = fifo ]
check "it says that seeds change nothing here" says "Nothing here is drawn from the seed"

# ---- M/M/1: mean service 1 s, mean gap 2 s; a wait of 0.7 / 0.3 s is that of a load of 0.7, a speedup of 1.4 ----
awk 'function draw() { x = x * 16807 % 2147483647; return -log(x / 2147483647) }
    BEGIN { x = 20221122; print "id,submit_s,duration_s,cpus"
            for (i = 0; i < 40000; i++) { t += 2 * draw(); printf "j%d,%.6f,%.6f,1\n", i, t, draw() } }' >"$dir/mm1.csv"
printf 'policy,metric,is,value\nfifo,wait_mean,=,2.333333\nfifo,wait_mean,>,1\n' >"$dir/mm1-figures.csv"
cat >"$dir/mm1.yaml" <<'END'
name: mm1
cluster: {groups: [{name: a, count: 1, cpus: 1, mem: 8GiB}]}
trace: {format: native, path: mm1.csv}
policies: [fifo]
search:
  set: {trace.speedup: {from: 1, to: 1.9}}
  objective: {figures: mm1-figures.csv, weights: {statements: 0}}
  budget: {runs: 22}
  samples: 8
END
check "a queue's load from its wait" expect 0 "$fairway" search "$dir/mm1.yaml" -q -d "$dir/mm1.db"
check "as M/M/1 has it" near "$(best mm1.db trace.speedup)" 1.4 0.04
check "and how far off it is" says "1 of 1 statements hold"

# ---- weights, and a figure that is 0 ----
printf 'policy,metric,value\nfifo,makespan,30\nfifo,wait_max,0\nfifo,jct_max,0\n' >"$dir/zero.csv"
check "a metric of weight 0 is left out" expect 0 "$fairway" search "$dir/read.yaml" -q -d "$dir/zero.db" \
    --set search.objective.figures=zero.csv --set 'search.objective.weights={wait_max: 0, jct_max: 0}'
check "of the objective" near "$(best zero.db trace.speedup)" 2 0.02
check "no share of a figure of 0 is told, but ours" no grep -qw inf% "$dir/out"
check "a weight of what is no metric of a figure" \
    fails 2 "found 'wait', expected figures, statements or a metric of one" "$fairway" search "$dir/read.yaml" -q \
    -d "$dir/weight.db" --set 'search.objective.weights={wait: 0}'
check "fresh seeds that are none are told by their name" fails 2 "'fresh_seeds': found a list of 0" \
    "$fairway" search "$dir/read.yaml" -q -d "$dir/weight.db" --set 'search.fresh_seeds=[]'

# ---- a limit, and an optimum that can be counted ----
# Ten jobs of 10 s on n nodes of one core take ceil(10 / n) rounds; all cores are busy all the time with 1, 2, 5 and 10.
awk 'BEGIN { print "id,submit_s,duration_s,cpus"; for (i = 0; i < 10; i++) printf "j%d,0,10,1\n", i }' >"$dir/ten.csv"
cat >"$dir/ten.yaml" <<'END'
name: ten
cluster: {groups: [{name: a, count: 1, cpus: 1, mem: 8GiB}]}
trace: {format: native, path: ten.csv}
policies: [{name: fifo, label: F}]
search:
  set: {cluster.groups.0.count: {from: 1, to: 9, step: 1}}
  objective: {minimise: makespan, policy: F}
  limits: [{metric: cpu_util, policy: F, at_least: 0.99}]
  budget: {runs: 60}
END
check "the shortest makespan with every core busy" expect 0 "$fairway" search "$dir/ten.yaml" -q -d "$dir/ten.db"
check "takes five nodes" [ "$(best ten.db cluster.groups.0.count)" = 5 ]
check "two rounds" [ "$(sql ten.db "select min(objective) from search_set where excess = 0")" = 20.0 ]
check "of nine sizes, each tried once" \
    [ "$(sql ten.db "select count(*), count(distinct variant) from run where seed = 1")" = "9|9" ]
check "a promise that no size keeps" \
    expect 0 "$fairway" search "$dir/ten.yaml" -q -d "$dir/no.db" --set search.limits.0.at_least=1.5
check "is said" says "No set keeps every limit"

# ---- several scenarios, a value times a factor, a parameter of one policy ----
cat >"$dir/demo.yaml" <<'END'
name: small
cluster: {groups: [{name: a, count: 2, cpus: 96, mem: 768GiB, gpus: 8, gpu_type: GPU}]}
trace: {format: generate, load: 1.0, generate: {jobs: 120, gpu_types: "GPU:8", span: 1d, weekend: 1, gpu_mix: "1:80,8:20"}}
policies: [fifo:mode=skip, {name: las, label: LAS}]
seeds: 3
search:
  with: [other.yaml]
  set:
    small/trace.load: {from: 1, to: 2, also: {other/trace.load: 0.5}}
  params:
    LAS.queues: [2, 3, 5]
  objective: {figures: both.csv, missed: 0.1}
  limits: [{metric: gpu_util, policy: fifo, at_least: 0.4}]
  budget: {runs: 180}
  samples: 8
END
sed 's/^name: small/name: other/; /^search:/,$d' "$dir/demo.yaml" >"$dir/other.yaml"
cat >"$dir/both.csv" <<'END'
scenario,policy,against,metric,is,value,weight
small,LAS,fifo,jct_mean,<,1,2
other,LAS,small/LAS,jct_mean,<,1,1
small,LAS,,gpu_util,=,0.6,1
END
check "two scenarios, by two workers" expect 0 "$fairway" search "$dir/demo.yaml" -q -j 2 -d "$dir/two.db"
cp "$dir/out" "$dir/told"
check "both are run" \
    [ "$(sql two.db "select group_concat(distinct scenario) from (select scenario from run order by scenario)")" = other,small ]
check "the other at half the load" \
    [ "$(sql two.db "select count(*) from run where scenario = 'other' and variant = 'trace.load=0.75'")" -gt 0 ]
check "runs that sets have in common are made once" \
    [ "$(sql two.db "select count(*) from run where scenario = 'small' and variant = 'trace.load=1.5' and policy = 'fifo:mode=skip' and seed = 1")" = 1 ]
check "one worker leaves the same rows" expect 0 "$fairway" search "$dir/demo.yaml" -q -j 1 -d "$dir/one.db"
check "in every table" same_rows one.db two.db
check "and says the same" cmp "$dir/out" "$dir/told"
check "a second time" expect 0 "$fairway" search "$dir/demo.yaml" -q -d "$dir/two.db"
check "nothing is run, and the same is said" cmp "$dir/out" "$dir/told"
check "and nothing is left beside the database" [ ! -e "$dir/two.db.parts" ]
"$fairway" search "$dir/demo.yaml" -q -j 1 -d "$dir/cut.db" >/dev/null 2>&1 & search=$!
await $search '[ "$(sql cut.db "select count(*) > 30 from run")" = 1 ]'
kill -KILL $search 2>/dev/null; wait $search 2>/dev/null
check "killed on the way, it goes on" expect 0 "$fairway" search "$dir/demo.yaml" -q -d "$dir/cut.db"
check "to the same end" cmp "$dir/out" "$dir/told"
check "and the same rows" same_rows cut.db two.db
check "what each variable did is told" grep -q '^LAS.queues  *2 .* 5 ' "$dir/told"

# ---- the seeds ----
check "the search has its seeds, the judgement others" \
    [ "$(sql two.db "select s.phase = 'fresh' as f, group_concat(distinct r.seed)
    from search_set s join search_run x on x.search = s.search and x.\"set\" = s.\"set\" join run r on r.id = x.run group by f order by f")" = "0|1,2,3
1|4,5,6" ]

# ---- values that do not go together: gsd refuses a second threshold above the third ----
cp "$here/scenarios/flow-paper/flow-k6.yaml" "$dir/pair.yaml"
cat >>"$dir/pair.yaml" <<'END'
search:
  params: {gsd.second_after: [0, 5], gsd.any_after: [2, 8]}
  objective: {minimise: dt, policy: gsd}
  seeds: 1
  budget: {runs: 20}
END
check "two parameters that exclude each other somewhere" expect 0 "$fairway" search "$dir/pair.yaml" -q -d "$dir/pair.db"
check "cost the sets in which they do" says "1 set has no objective; set 3: policy 'gsd' cannot be created"
check "and no other" [ "$(sql pair.db "select count(*) from search_set where phase <> 'fresh' and error is null")" = 3 ]

# ---- minutes, figures, and a database without a search ----
check "a budget in minutes" \
    expect 0 "$fairway" search "$dir/read.yaml" -q -d "$dir/min.db" --set 'search.budget={minutes: 0.05}'
check "however short it is, the middle is tried" \
    expect 0 "$fairway" search "$dir/read.yaml" -q -d "$dir/late.db" --set 'search.budget={minutes: 1e-9}'
check "and nothing else" [ "$(sql late.db "select group_concat(phase) from search_set")" = middle,fresh ]
check "a figure of every variable" expect 0 "$fairway" plot "$dir/two.db" search -o "$dir/s.svg"
check "names them" grep -q 'LAS.queues' "$dir/s.svg"
cp "$dir/two.db" "$dir/told.db"
sql told.db "update search_value set value = '\`touch $dir/ran\`' || value;
    update search_variable set name = '\`touch $dir/ran\`'; update search set objective = '\`touch $dir/ran\`'"
check "of a database from elsewhere, too" expect 0 "$fairway" plot "$dir/told.db" search -o "$dir/t.svg"
check "whose values are no commands" [ ! -e "$dir/ran" ]
while IFS='|' read -r change words; do
    cp "$dir/two.db" "$dir/bad.db"
    sqlite3 "$dir/bad.db" "pragma writable_schema = on;
        update sqlite_schema set sql = replace(replace(sql, ') STRICT', ')'), 'NOT NULL', '') where name like 'search%'"
    sqlite3 "$dir/bad.db" "$change"
    check "$change is told" fails 3 "bad.db: error: search 1 is damaged: table '$words" \
        "$fairway" plot "$dir/bad.db" search -o "$dir/x.svg"
done <<'END'
update search_variable set variable = 70000000 where variable = 1|search_variable' has a row whose variable is 70000000, and there are fewer
update search_target set "is" = 'x' where target = 1|search_target' has a row whose is is 'x'
update search_target set role = null where target = 1|search_target' has a row whose role is NULL
update search_target set value = 'y' where target = 1|search_target' has a row whose value, within and weight are 'y', 
update search_set set "set" = -1 where "set" = 3|search_set' has a row whose set is -1
update search_set set phase = 'end ' where "set" = 3|search_set' has a row whose phase is 'end '
update search_set set objective = null where "set" = 3|search_set' has a row whose objective is NULL, and it has no error
update search_value set "set" = 999 where "set" = 3|search_value' has a row whose set is 999, which is not there
update search_value set variable = 9 where variable = 1|search_value' has a row whose variable is 9, which is not there
update search_value set at = 1.5 where "set" = 3|search_value' has a row whose at is 1.5
update search_ours set "set" = 999 where "set" = 3|search_ours' has a row whose set is 999, which is not there
update search_ours set target = 9 where target = 1|search_ours' has a row whose target is 9, which is not there
update search_ours set error = -1 where target = 1|search_ours' has a row whose error is -1
update search_run set "set" = 999 where "set" = 3|search_run' has a row whose set is 999, which is not there
END
check "statements against figures" expect 0 "$fairway" plot "$dir/two.db" search-frontier -o "$dir/f.svg"
"$fairway" run -q -d "$dir/run.db" "$dir/read.yaml" 2>/dev/null
check "a database of runs alone has no search" \
    fails 2 "the database holds no search" "$fairway" plot "$dir/run.db" search -o "$dir/x.svg"
check "the section is no part of a run's key" \
    [ "$(sql run.db "select scenario_text like '%search%' from run limit 1")" = 0 ]
exit $bad
