#!/bin/sh
# fairway search with promises, and by a race: answers that are known in closed form or by counting, what cannot be told
# is not told, every sentence follows from the rows, and the same rows whoever does the runs.
. "$(dirname "$0")/lib.sh"
limit=300
sql() { sqlite3 "$dir/$1" "$2" 2>/dev/null; }
dump() { # every table but wall
    for t in $(sql "$1" "select name from sqlite_schema where type = 'table' and name <> 'wall' order by name"); do
        echo "-- $t"; sql "$1" "select * from $t"
    done
}
same_rows() { dump "$1" >"$dir/a"; dump "$2" >"$dir/b"; [ -s "$dir/a" ] && cmp "$dir/a" "$dir/b"; }
flat() { tr '\n' ' ' <"$dir/out" | tr -s ' '; }         # sentences are wrapped
says() { flat | grep -qF -- "$1" || { echo "no '$1'"; cat "$dir/out" "$dir/err"; return 1; }; }
n_tried() { sql "$1" "select count(*) from search_set where phase <> 'fresh'"; }
answer() { sql "$1" "select a.decided, coalesce(s.objective, 'none'), a.least from search_answer a
    left join search_set s on s.search = a.search and s.\"set\" = a.\"set\" where a.load = ${2:-1}"; }

# ---- every statement, from the rows ----
# A set's verdict from its intervals.
verdicts_hold() {
    same "$(sql "$1" "select group_concat(v.\"set\") from search_verdict v join search_set s using (search, \"set\")
        where s.error is null and verdict <> (select case max(x) when 2 then 'broken' when 1 then 'open' else 'kept' end from
            (select case when i.lo is null then 1
                when t.\"is\" = '<' then iif(i.lo > t.value, 2, i.hi > t.value) else iif(i.hi < t.value, 2, i.lo < t.value) end as x
            from search_interval i join search_target t using (search, target)
            where i.search = v.search and i.\"set\" = v.\"set\"))")" ""
}
# An answer from the verdicts, as sizes of one group have them: the cheapest that keeps, decided if the next below breaks.
answers_hold() {
    sql "$1" "create temp table seen as select s.\"set\" as id, s.objective as cost, verdict, cast(coalesce(c.value, 1) as real) as load
            from search_set s join search_verdict v using (search, \"set\")
            left join search_variable n on n.search = s.search and n.name = 'trace.speedup'
            left join search_value c on c.search = s.search and c.\"set\" = s.\"set\" and c.variable = n.variable
            where phase = 'size';
        select load, \"set\", (select id from seen where verdict = 'kept' and seen.load = a.load order by cost limit 1), least,
            (select max(cost) + 1 from seen where verdict = 'broken' and seen.load <= a.load), decided,
            least is (select cost from seen where id = a.\"set\")
        from search_answer a where \"set\" is not null" |
    awk -F'|' '$2 != $3 { print "load " $1 ": set " $2 ", the cheapest that keeps is " $3; bad = 1 }
        $5 != "" && $4 != $5 { print "load " $1 ": least " $4 ", expected " $5; bad = 1 }
        $6 != $7 { print "load " $1 ": decided " $6 ", expected " $7; bad = 1 } END { exit bad }'
}
# The sentence from both: the nodes of the answer, and of what breaks a promise the nodes and the interval.
words_hold() {
    sql "$1" "select a.words, a.decided, k.objective, b.objective, i.mean, i.lo, i.hi, f.verdict, k.objective <= cast(${2:-1} as real)
        from search_answer a
        left join search_set k on k.search = a.search and k.\"set\" = a.\"set\"
        left join search_set b on b.search = a.search and b.\"set\" = a.broken
        left join search_interval i on i.search = a.search and i.\"set\" = a.broken and i.target = 0
        left join search_verdict f on f.search = a.search and f.\"set\" = a.fresh" >"$dir/words"
    [ -s "$dir/words" ] && awk -F'|' '
        function has(s) { if (index($1, s) == 0) { print "no \"" s "\" in: " $1; bad = 1 } }
        { if ($3 != "") has(sprintf("%d node%s every promise", $3, $3 > 1 ? "s keep" : " keeps"))
          if ($2 == 0) has("ot decided")
          if ($2 == 1 && $3 != "") has($9 ? "and nothing smaller is in the ranges" : "and nothing smaller does")
          if ($2 == 1 && $3 == "") has("o size keeps every promise")
          if ($2 == 1 && $5 != "") { has(sprintf("with %d node", $4)); has(sprintf("%.4g [%.4g, %.4g]", $5, $6, $7)) }
          if ($8 == "kept") has("it keeps them too")
          if ($8 == "broken") has("it does not")
          if ($8 == "open") has("that is open") }
        END { exit bad }' "$dir/words"
}
hold() { verdicts_hold "$1" && answers_hold "$1" && words_hold "$1" "${2:-1}"; }  # FILE, least size of the ranges

# ---- M/M/c: 8 Erlang, mean service 100 s; 95 % wait less than log(C / 0.05) / (c - a) services, C by Erlang's formula ----
mkdir "$dir/mmc"
files=
for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    awk -v k=$k 'function draw() { x = x * 16807 % 2147483647; return -log(x / 2147483647) }
        BEGIN { x = 1000003 * k + 17; for (i = 0; i < 20; i++) draw(); print "id,submit_s,duration_s,cpus"
                for (i = 0; i < 3000; i++) { t += 100 / 8 * draw(); printf "j%d,%.6f,%.6f,1\n", i, t, 100 * draw() } }' \
        >"$dir/mmc/$k.csv"
    files="${files:+$files, }mmc/$k.csv"
done
erlang() { # LOAD BOUND
    awk -v a="$1" -v bound="$2" 'BEGIN { for (c = int(a) + 1; ; c++) {
        b = 1; for (k = 1; k <= c; k++) b = a * b / (k + a * b)
        wait = log(b / (1 - a / c * (1 - b)) / 0.05) / (c - a) * 100; if (wait <= bound) { print c; exit } } }'
}
cat >"$dir/mmc.yaml" <<END
name: mmc
cluster: {groups: [{name: a, count: 1, cpus: 1, mem: 8GiB}]}
trace: {format: native, instances: [$files]}
policies: [{name: fifo, label: F}]
search:
  set: {cluster.groups.0.count: {from: 1, to: 20}}
  objective: {minimise: nodes}
  promises: [{metric: wait_p95, policy: F, at_most: 75}]
  loads: [1.25]
  seeds: 5
  looks: 2
  budget: {runs: 200}
END
check "how many servers keep a wait" expect 0 "$fairway" search "$dir/mmc.yaml" -q -j 2 -d "$dir/mmc.db"
cp "$dir/out" "$dir/told"
check "as many as Erlang's formula has" same "$(answer mmc.db)" "1|$(erlang 8 75).0|$(erlang 8 75).0"
check "with a quarter more load, too" same "$(answer mmc.db 1.25)" "1|$(erlang 10 75).0|$(erlang 10 75).0"
check "every statement follows from the rows" hold mmc.db
check "by bisection: few sizes are tried" [ "$(n_tried mmc.db)" -le 13 ]
check "the choice has its seeds, the judgement others" same "$(sql mmc.db "select count(*) from (
    select r.seed from search_set s join search_run x using (search, \"set\") join run r on r.id = x.run where phase = 'size'
    intersect
    select r.seed from search_set s join search_run x using (search, \"set\") join run r on r.id = x.run where phase = 'fresh')")" 0
check "slack is what is left of the bound" grep -qF "$(sql mmc.db "select printf('%.4g %% [%.4g, %.4g]',
    100 * (75 - mean) / 75, 100 * (75 - hi) / 75, 100 * (75 - lo) / 75)
    from search_interval i join search_answer a using (search, \"set\") where load = 1")" "$dir/told"
check "of ranges that begin above the answer" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/above.db" \
    --set 'search.set={cluster.groups.0.count: {from: 15, to: 17}}' --set search.loads=[]
check "the first keeps every promise" same "$(answer above.db)" "1|15.0|15.0"
check "and what is smaller is not judged" hold above.db 15
check "one worker says the same" expect 0 "$fairway" search "$dir/mmc.yaml" -q -j 1 -d "$dir/one.db"
check "word for word" cmp "$dir/out" "$dir/told"
check "and leaves the same rows" same_rows one.db mmc.db
check "a second time nothing is run" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/one.db"
check "and the same is said" cmp "$dir/out" "$dir/told"
"$fairway" search "$dir/mmc.yaml" -q -j 1 -d "$dir/cut.db" >/dev/null 2>&1 & search=$!
await $search '[ "$(sql cut.db "select count(*) > 10 from run")" = 1 ]'
kill -KILL $search 2>/dev/null; wait $search 2>/dev/null
check "killed on the way, it goes on" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/cut.db"
check "to the same end" cmp "$dir/out" "$dir/told"
check "and the same rows" same_rows cut.db mmc.db
check "a budget too small for one size" fails 2 "found a budget of 4 runs, expected at least the 5 that one size takes" \
    "$fairway" search "$dir/mmc.yaml" -q -d "$dir/x.db" --set search.budget.runs=4
for runs in 5 20; do
    rm -f "$dir/small.db"
    check "a budget of $runs runs" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/small.db" --set search.budget.runs=$runs
    check "is too small to decide all, and says so" says "the budget of $runs runs is spent"
    check "and what it says follows from the rows" hold small.db
done
check "a bound within the intervals" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/band.db" --set search.loads=[] \
    --set search.promises.0.at_most=104 --set search.looks=1
check "is not decided" says "Not decided: "
check "and so it is in the rows" hold band.db
check "a figure of it" expect 0 "$fairway" plot "$dir/mmc.db" search-size -o "$dir/size.svg"
check "names the loads" grep -q 'load +25 %' "$dir/size.svg"

# ---- what no size keeps ----
check "a time that no size keeps" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/none.db" \
    --set search.promises.0.metric=jct_mean --set search.promises.0.at_most=50 --set search.loads=[]
check "is said" says "No size keeps every promise: with 20 nodes jct_mean of F is "
check "after one size" same "$(n_tried none.db)" 1
check "and follows from the rows" hold none.db
awk 'BEGIN { print "id,submit_s,duration_s,cpus"; for (i = 0; i < 10; i++) printf "j%d,0,10,%d\n", i, i == 5 ? 4 : 1 }' >"$dir/big.csv"
for infeasible in error reject; do
    rm -f "$dir/big.db"
    check "a job larger than any node ($infeasible)" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/big.db" \
        --set 'trace.instances=[big.csv, big.csv]' --set search.seeds=2 --set search.looks=1 --set jobs.infeasible=$infeasible
    check "is said at once" says "No size keeps every promise: with 20 nodes F"
    case $infeasible in error) why="job 'j5' (line 7 of the trace) cannot run" ;; *) why="1 jobs a run are rejected" ;; esac
    check "with the reason" says "$why"
    check "before anything else is tried" same "$(n_tried big.db)" 1
done

check "a policy that crashes is no size that is too small" fails 4 "no size can be told while a run fails: F, seed 1: policy 'bad' crashed" \
    "$fairway" search "$dir/mmc.yaml" -q -d "$dir/crash.db" \
    --set "policies=[{name: '$(dirname "$fairway")/tests/so/crashes.so', label: F}]" --set search.seeds=2 --set search.looks=1

# ---- two groups with prices, counted: ten jobs of 10 s on one core each; a has 1 core at 1 an hour, b has 4 at 3 ----
awk 'BEGIN { print "id,submit_s,duration_s,cpus"; for (i = 0; i < 10; i++) printf "j%d,0,10,1\n", i }' >"$dir/ten.csv"
cat >"$dir/two.yaml" <<END
name: two
cluster:
  groups:
    - {name: a, count: 1, cpus: 1, mem: 8GiB, price: 1}
    - {name: b, count: 1, cpus: 4, mem: 8GiB, price: {0: 2, 12: 4}}
trace: {format: native, instances: [ten.csv, ten.csv, ten.csv, ten.csv]}
policies: [fifo]
search:
  set:
    cluster.groups.0.count: {from: 1, to: 12}
    cluster.groups.1.count: {from: 1, to: 12}
  objective: {minimise: cost}
  promises: [{metric: makespan, policy: fifo, at_most: 10}]
  loads: []
  seeds: 2
  looks: 1
  budget: {runs: 100}
END
check "one history decides nothing by itself" expect 0 "$fairway" search "$dir/two.yaml" -q -d "$dir/one.db" \
    --set trace.instances= --set trace.path=ten.csv --set search.promises.0.metric=wait_p95
check "and what makes seeds differ is said" says "Nothing hangs on the seed here"
cheapest() { # CORES, what a node of a and of b costs
    awk -v cores="$1" -v one="$2" -v four="$3" 'BEGIN { best = 1e9
        for (a = 1; a <= 12; a++) for (b = 1; b <= 12; b++)
            if (a + 4 * b >= cores && one * a + four * b < best) best = one * a + four * b
        printf "1|%.1f|%.1f\n", best, best }'
}
check "the cheapest of two kinds of nodes" expect 0 "$fairway" search "$dir/two.yaml" -q -d "$dir/two.db"
check "is what counting all finds" same "$(answer two.db)" "$(cheapest 10 1 3)"
check "in words" says "A cost of 8 an hour (cluster.groups.0.count=2, cluster.groups.1.count=2) keeps every promise, and nothing cheaper"
check "with few of 144 sizes tried" [ "$(n_tried two.db)" -le 20 ]
check "of nodes alone" expect 0 "$fairway" search "$dir/two.yaml" -q -d "$dir/nodes.db" --set search.objective.minimise=nodes
check "too" same "$(answer nodes.db)" "$(cheapest 10 1 1)"
check "where nothing has a price" fails 2 "found no price of the nodes or cards" "$fairway" search "$dir/mmc.yaml" -q \
    -d "$dir/x.db" --set search.objective.minimise=cost

# ---- one run alone ----
check "a short run where no seed counts" expect 0 "$fairway" search "$dir/two.yaml" -q -d "$dir/alone.db" \
    --set trace.instances= --set trace.path=ten.csv
check "decides nothing" says "Not decided: no size is shown to keep every promise, or to break one"
check "and no number is told as if it were sure" says "(no interval)"
check "a long run has batches" expect 0 "$fairway" search "$dir/mmc.yaml" -q -d "$dir/long.db" --set trace.instances= \
    --set trace.path=mmc/1.csv --set search.loads=[] --set search.promises.0.metric=wait_mean --set search.promises.0.at_most=1
check "whose verdicts follow from their intervals" verdicts_hold long.db

# ---- races ----
cat >"$dir/race.yaml" <<END
name: race
cluster: {groups: [{name: a, count: 1, cpus: 1, mem: 8GiB}]}
trace: {format: native, instances: [$files]}
policies: [{name: fifo, label: F}]
search:
  set: {cluster.groups.0.count: [13, 9, 11, 10]}
  objective: {minimise: wait_mean, policy: F}
  race: true
  seeds: 4
  looks: 2
  budget: {runs: 100}
END
check "a race whose order is known" expect 0 "$fairway" search "$dir/race.yaml" -q -j 2 -d "$dir/race.db"
check "is won by the most nodes" says "Set 1 (cluster.groups.0.count=13) beats every other: wait_mean of F is "
race_holds() { # both numbers are of the rows; a beaten one's interval is above 0
    [ "$(sql "$1" "select count(*) from search_verdict where verdict = 'beaten' and lo <= 0")" = 0 ] &&
    says "$(sql "$1" "select printf('is %.4g [%.4g, %.4g] on the %d seeds that chose it, and %.4g [%.4g, %.4g] on %d fresh ones.',
        i.mean, i.lo, i.hi, v.seeds, f.mean, f.lo, f.hi, w.seeds)
        from search_answer a join search_interval i using (search, \"set\") join search_verdict v using (search, \"set\")
        join search_interval f on f.search = a.search and f.\"set\" = a.fresh and f.target = 0
        join search_verdict w on w.search = a.search and w.\"set\" = a.fresh where i.target = 0")"
}
check "and says both numbers, on its seeds and on fresh ones" race_holds race.db
check "which it never used" same "$(sql race.db "select s.phase = 'fresh' as f, min(r.seed), max(r.seed) > 8
    from search_set s join search_run x using (search, \"set\") join run r on r.id = x.run group by f order by f")" "0|1|0
1|9|1"
check "a difference is paired by seed" same "$(sql race.db "select count(*) from search_verdict v where verdict = 'beaten' and
    abs(diff - (select avg(x.value - y.value) from search_run a join run r on r.id = a.run
        join metric x on x.run = a.run and x.name = 'wait_mean' and x.scope = 'all'
        join search_run b on b.search = a.search and b.\"set\" = v.by join run q on q.id = b.run and q.seed = r.seed
        join metric y on y.run = b.run and y.name = 'wait_mean' and y.scope = 'all'
        where a.search = v.search and a.\"set\" = v.\"set\")) < 1e-9")" 3
cp "$dir/out" "$dir/told"
check "one worker" expect 0 "$fairway" search "$dir/race.yaml" -q -j 1 -d "$dir/race1.db"
check "says the same" cmp "$dir/out" "$dir/told"
check "and leaves the same rows" same_rows race.db race1.db
awk -F, '{ print NR == 5 ? $1 "," $2 "," $3 ",2" : $0 }' OFS=, "$dir/mmc/1.csv" >"$dir/mmc/two.csv"
check "a race in which a set cannot run" expect 0 "$fairway" search "$dir/race.yaml" -q -d "$dir/alone.db" \
    --set 'search.set={cluster.groups.0.cpus: [2, 1]}' --set cluster.groups.0.count=10 \
    --set 'trace.instances=[mmc/two.csv, mmc/two.csv, mmc/two.csv, mmc/two.csv]' --set search.seeds=2 \
    --set search.looks=1 --set jobs.infeasible=error
check "is won by no beating" says "(cluster.groups.0.cpus=2) alone ran: wait_mean of F is "
check "what makes no difference" expect 0 "$fairway" search "$dir/race.yaml" -q -d "$dir/equal.db" \
    --set 'search.set={output.sample_every: [1h, 2h]}' --set cluster.groups.0.count=10
check "has no winner" says "Not decided: 1 set cannot be told from the best one, set 1"
check "but both numbers" race_holds equal.db
check "a race too long for its budget" expect 0 "$fairway" search "$dir/race.yaml" -q -d "$dir/short.db" \
    --set search.budget.runs=5 --set 'search.set={cluster.groups.0.count: [14, 13]}' --set search.seeds=2
check "ends with what is known" says "Not decided: 1 set cannot be told"
check "where no seed counts there is no race" fails 2 "found a race where nothing hangs on the seed" \
    "$fairway" search "$dir/race.yaml" -q -d "$dir/x.db" --set trace.instances= --set trace.path=ten.csv
check "a budget below one look" fails 2 "found a budget of 15 runs, expected at least 16" \
    "$fairway" search "$dir/race.yaml" -q -d "$dir/x.db" --set search.budget.runs=15

# ---- a front, by brute force: the sooner jobs complete, the less is used ----
check "two objectives" expect 0 "$fairway" search "$dir/two.yaml" -q -d "$dir/front.db" --set cluster.groups.1= \
    --set 'search={race: true, looks: 1, seeds: 2, budget: {runs: 100}, set: {cluster.groups.0.count: {from: 1, to: 9, step: 1}},
    objective: [{minimise: jct_mean, policy: fifo}, {maximise: cpu_util, policy: fifo}]}'
front() {
    sql front.db "select s.\"set\", a.mean, b.mean, verdict from search_set s join search_verdict v using (search, \"set\")
        join search_interval a on a.search = s.search and a.\"set\" = s.\"set\" and a.target = 0
        join search_interval b on b.search = s.search and b.\"set\" = s.\"set\" and b.target = 1 where phase = 'race'" |
    awk -F'|' '{ x[NR] = $2; y[NR] = $3; is[NR] = $4 == "best" }
        END { for (i = 1; i <= NR; i++) { on = 1
                  for (k = 1; k <= NR; k++) if (x[k] <= x[i] && y[k] >= y[i] && (x[k] < x[i] || y[k] > y[i])) on = 0
                  if (on != is[i]) { print "set " i; bad = 1 }
                  n += on }
              exit bad || NR != 9 || n != 5 }'
}
check "have the front that brute force finds" front
check "in words" says "5 sets are on the front of jct_mean of fifo and cpu_util of fifo: set 9 (cluster.groups.0.count=9), set 8"
check "a figure of the front" expect 0 "$fairway" plot "$dir/front.db" search-race -o "$dir/front.svg"
check "with both objectives" grep -q 'cpu_util of fifo' "$dir/front.svg"
check "a figure of a race" expect 0 "$fairway" plot "$dir/race.db" search-race -o "$dir/race.svg"
check "with both seeds" grep -q 'fresh seeds' "$dir/race.svg"
check "a race is no size" fails 2 "the database holds no search by promises" "$fairway" plot "$dir/race.db" search-size -o "$dir/x.svg"
exit $bad
