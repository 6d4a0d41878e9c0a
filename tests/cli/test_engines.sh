#!/bin/sh
# Tasks of API calls from files to results: S2-4, S2-19, S2-20, measured DAGs, and mistakes.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0
ok() { echo "ok - $1"; }
bad() { echo "not ok - $1"; fail=1; }
value() { sqlite3 "$1" "SELECT value FROM v_metric WHERE policy = '$2' AND name = '$3' AND scope = 'all'"; }

# S2-19
"$FAIRWAY" run -q -d "$dir/two.db" scenarios/engines-two.yaml || bad "engines-two runs"
[ "$(value "$dir/two.db" affinity makespan)" = 20.0 ] && [ "$(value "$dir/two.db" balance makespan)" = 50.0 ] \
    && ok "S2-19: 20 s by affinity, 50 s by fewest tasks" || bad "S2-19"
[ "$(value "$dir/two.db" affinity task_time_mean)" = 15.0 ] && ok "task_time_mean is (10 + 20 + 10 + 20) / 4" || bad "task_time_mean"
# Useful: 40 s of work on 4 engines for 20 s; in the queue of each node one task waits for no time at all.
[ "$(value "$dir/two.db" affinity engine_useful)" = 0.5 ] && ok "engine_useful is 40 / 80" || bad "engine_useful"

# S2-4: six files that say the same, one digest
for form in time rank efficiency; do
    for vector in "" --vector; do
        "$FAIRWAY" profile scenarios/engines-two.yaml --form $form $vector -o "$dir/relation.csv" || bad "profile $form $vector"
        rm -f "$dir/r.db"
        "$FAIRWAY" run -q -d "$dir/r.db" scenarios/engines-two.yaml -p affinity:cross=off --set "engines.relation=$dir/relation.csv" || bad "run with $form $vector"
        sqlite3 "$dir/r.db" "SELECT digest FROM run"
    done
done | sort -u > "$dir/digests"
[ "$(wc -l < "$dir/digests")" = 1 ] && ok "S2-4: every form of the relation, pairs or vector, gives the same run" || bad "S2-4: $(cat "$dir/digests")"

# S2-20, and that the traces are what the generator makes
for k in consistent inconsistent; do
    sh traces/engines/braun.sh $k 20220301 "$dir"
    for f in jobs calls times; do cmp -s "$dir/$k-$f.csv" "traces/engines/$k-$f.csv" || bad "$k-$f.csv is not what braun.sh makes"; done
    "$FAIRWAY" run -q -d "$dir/$k.db" scenarios/engines-$k.yaml || bad "engines-$k runs"
    awk -v t="$(value "$dir/$k.db" affinity task_time_mean) $(value "$dir/$k.db" balance task_time_mean)" \
        -v c="$(value "$dir/$k.db" affinity calls_cross) $(value "$dir/$k.db" balance calls_cross)" \
        -v u="$(value "$dir/$k.db" balance useful_share) $(value "$dir/$k.db" affinity useful_share)" \
        'BEGIN { split(t, a); split(c, b); split(u, d); exit !(a[1] < a[2] && b[1] < b[2] && d[1] < d[2]) }' \
        && ok "S2-20, $k: lower task time, fewer calls to other nodes, more of the engines' time useful" || bad "S2-20, $k"
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(*) FROM v_call WHERE home = node AND way_us <> 0 OR home <> node AND way_us = 0 AND policy <> 'met'")" = 0 ] \
        && ok "$k: a call pays for the way when it has one" || bad "$k: ways"
    # One engine serves one call at a time: never more at once than the node has.
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(*) FROM v_call a WHERE policy = 'affinity' AND engine IN ('npu', 'dsp', 'fpga') AND EXISTS (
            SELECT 1 FROM v_call b WHERE b.run = a.run AND b.node = a.node AND b.engine = a.engine AND b.start_us < a.end_us AND b.end_us > a.start_us
            AND (b.ordinal, b.task, b.call) <> (a.ordinal, a.task, a.call))")" = 0 ] && ok "$k: an engine serves one call at a time" || bad "$k: two calls on one engine"
done

# The engine chart, written without drawing it
"$FAIRWAY" plot "$dir/two.db" engines --run 1 -o "$dir/e.gp" && [ "$(sed -n '/^\$bars/,/^EOD/p' "$dir/e.gp" | grep -c '^[0-9]')" = 4 ] \
    && [ "$(sed -n '/^\$rows/,/^EOD/p' "$dir/e.gp" | grep -c '^[0-9]')" = 2 ] && ok "the chart has a bar a call and a row an engine" || bad "plot engines"

# Mistakes
expect() { # NAME FILE-TO-EDIT SED MESSAGE
    rm -rf "$dir/x"; mkdir "$dir/x"
    cp traces/engines/s19-*.csv "$dir/x"
    sed 's|../traces/engines/||g' scenarios/engines-two.yaml > "$dir/x/two.yaml"
    sed "$3" "$dir/x/$2" > "$dir/x/t" && mv "$dir/x/t" "$dir/x/$2"
    "$FAIRWAY" run -q -d "$dir/x/x.db" "$dir/x/two.yaml" 2> "$dir/x/err"
    rc=$?
    if [ $rc = 2 ] && grep -qF -- "$4" "$dir/x/err"; then ok "$1"; else bad "$1: exit $rc, $(cat "$dir/x/err")"; fi
}
expect "an unknown API, with the nearest" s19-calls.csv 's/^n2,0,0,infer/n2,0,0,infar/' "found API 'infar', which the table of times does not have"
expect "a call out of order" s19-calls.csv 's/^n1,0,0/n1,0,1/' "found call 1, expected 0"
expect "a task that is not there" s19-calls.csv 's/^n1,0,0/n1,1,0/' "but job 'n1' has tasks 0 to 0"
expect "a size of 0 bytes" s19-calls.csv 's/^n1,0,0,infer,1024/n1,0,0,infer,0/' "size_b"
expect "a job that comes in another order" s19-calls.csv 's/^g1/g9/' "is empty"
expect "two times for one size" s19-times.csv 's/^conv,gpu/conv,cpu/' "has a time on 'cpu' for this size already"
expect "no engine that can run it" s19-times.csv '/^infer/s/1024/1024/; /^infer,cpu/s/cpu/fpga/; /^infer,gpu/s/gpu/fpga2/; /^infer,npu/s/npu/dsp/' "no engine of this cluster has a time for API 'infer'"
expect "calls without times" two.yaml '/^engines:/d' "'calls' needs an 'engines' section"
expect "an unknown tier" two.yaml 's/name: n1,/name: n1, tier: edge,/' "found tier 'edge'"

# Measured work
if [ -d "${FAIRWAY_TRACES:-}/hetero-dag" ] && [ -d "${FAIRWAY_TRACES:-}/gavel" ] && command -v jq > /dev/null; then
    sh scenarios/engines-measured.sh "$FAIRWAY" "$dir/m.db" || bad "engines-measured runs"
    n=$(sqlite3 "$dir/m.db" "SELECT count(*) FROM v_metric a JOIN v_metric b USING (scenario, name, scope) WHERE name = 'makespan' AND scope = 'all'
        AND a.policy = 'heft' AND b.policy IN ('dmda', 'affinity') AND scenario <> 'engines-gavel' AND a.value > b.value")
    [ "$n" = 0 ] && ok "HEFT ends every measured DAG no later than dmda and affinity" || bad "HEFT is later on $n"
    n=$(sqlite3 "$dir/m.db" "SELECT count(*) FROM v_metric a JOIN v_metric b USING (run, scope) WHERE a.name = 'makespan' AND b.name = 'makespan_bound' AND a.value < b.value")
    [ "$n" = 0 ] && ok "no makespan is below its bound" || bad "$n makespans below their bounds"
else
    echo "skipped - measured DAGs: no traces, or no jq"
fi
exit $fail
