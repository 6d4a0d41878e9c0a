#!/bin/sh
# Tasks of API calls from scenarios to results: S2-4, S2-19, S2-20, measured DAGs, and mistakes.
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
# Every call ran on the kind that is best for it: what engines did and the least that it takes are one.
[ "$(value "$dir/two.db" affinity engine_best)" = 0.5 ] && [ "$(value "$dir/two.db" affinity best_share)" = 1.0 ] && ok "engine_best is 40 / 80, best_share 1" || bad "engine_best"
# By fewest tasks G, N, N, G go to n1, n2, n1, n2 and take the best engine there: gpu 10, npu 10, gpu 40, npu 40: of 100 s 40 had sufficed.
[ "$(value "$dir/two.db" balance engine_useful)" = 0.5 ] && [ "$(value "$dir/two.db" balance engine_best)" = 0.2 ] && [ "$(value "$dir/two.db" balance best_share)" = 0.4 ] \
    && ok "by fewest tasks engine_useful is 100 / 200, engine_best 40 / 200, best_share 40 / 100" || bad "engine_best of balance"

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

# Times drawn from the seed, in each order of the tables
for k in consistent semi inconsistent; do
    "$FAIRWAY" run -q -d "$dir/$k.db" scenarios/engines-$k.yaml --set seeds=1..3 || bad "engines-$k runs"
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(DISTINCT digest) FROM run WHERE policy = 'mct'")" = 3 ] && ok "$k: every seed is another run" || bad "$k: seeds"
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(*) FROM v_call WHERE home = node AND way_us <> 0 OR home <> node AND way_us = 0 AND policy <> 'met'")" = 0 ] \
        && ok "$k: a call pays for the way when it has one" || bad "$k: ways"
    # One engine serves one call at a time: never more at once than the node has.
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(*) FROM v_call a WHERE policy = 'affinity' AND engine IN ('npu', 'dsp', 'fpga') AND EXISTS (
            SELECT 1 FROM v_call b WHERE b.run = a.run AND b.node = a.node AND b.engine = a.engine AND b.start_us < a.end_us AND b.end_us > a.start_us
            AND (b.ordinal, b.task, b.call) <> (a.ordinal, a.task, a.call))")" = 0 ] && ok "$k: an engine serves one call at a time" || bad "$k: two calls on one engine"
    # Of consistent times MET uses the one best kind, and wastes nothing.
    [ "$(sqlite3 "$dir/$k.db" "SELECT count(*) FROM v_metric a JOIN v_metric b USING (run, policy, scope)
            WHERE scope = 'all' AND a.name = 'engine_best' AND b.name = 'engine_useful' AND (a.value > b.value OR ('$k' = 'consistent' AND policy = 'met' AND a.value <> b.value))")" = 0 ] \
        && ok "$k: useful work is never more than work" || bad "$k: engine_best"
done

# S2-20, paired by seed: 95 % of Student's t with 19 degrees of freedom.
"$FAIRWAY" sweep -q -d "$dir/s20.db" scenarios/engines-affinity.yaml --set 'sweep={set: {trace.etc.gap: [0s, 1s, 4s]}}' || bad "engines-affinity sweeps"
paired() { # METRIC: a line a case, its variant, mean of balance - affinity, and half the interval
    sqlite3 -separator ' ' "$dir/s20.db" "SELECT replace(a.variant, ' ', ''), b.value - a.value FROM
        (SELECT r.variant, r.seed, m.value FROM metric m JOIN v_run r ON r.id = m.run WHERE r.policy = 'affinity' AND name = '$1' AND scope = 'all') a JOIN
        (SELECT r.variant, r.seed, m.value FROM metric m JOIN v_run r ON r.id = m.run WHERE r.policy = 'balance' AND name = '$1' AND scope = 'all') b USING (variant, seed)" |
    awk '{ n[$1]++; s[$1] += $2; q[$1] += $2 * $2 } END { for (k in n) { m = s[k] / n[k]; print k, n[k], m, 2.0930 * sqrt((q[k] - n[k] * m * m) / (n[k] - 1) / n[k]) } }'
}
all_of() { # METRIC SIGN MESSAGE: in each of the three cases, of 20 seeds each, the interval lies on that side of 0
    paired "$1" > "$dir/paired"
    awk -v sign="$2" '$2 == 20 && sign * $3 > $4 { n++ } END { exit n != 3 }' "$dir/paired" && ok "S2-20: $3" || bad "S2-20: $3: $(cat "$dir/paired")"
}
all_of task_time_mean 1 "lower mean task time, at every load"
all_of calls_cross 1 "fewer calls to other nodes, at every load"
all_of calls_cross_bytes 1 "fewer bytes to other nodes, at every load"
all_of best_share -1 "of the time for which calls take engines more is useful, at every load"
paired engine_best | awk '/=[01]s/ && -$3 > $4 { n++ } END { exit n != 2 }' && ok "S2-20: more useful work of the engines, where there is more work than time" || bad "S2-20: engine_best"

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
