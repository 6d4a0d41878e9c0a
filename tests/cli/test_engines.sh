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

# Workflows measured on several engines, beside ordinary jobs of a native trace, and as instances.
mkdir "$dir/w"
printf 'a 4000 1000 -1\nb 2000 8000 -1 a\n' > "$dir/w/one.txt"
printf 'a 1000 1000 -1\n' > "$dir/w/two.txt"
printf 'id,submit_s,duration_s,cpus,workflow\nplain,0,5,1,\nw1,0,,,one.txt\nw2,1,,,two.txt\nw3,2,,,one.txt\n' > "$dir/w/jobs.csv"
cat > "$dir/w/native.yaml" <<Y
cluster: { groups: [ { name: n, cpus: 4, mem: 4GiB, engines: { cpu: 2, gpu: 1 } } ] }
trace: { format: native, path: jobs.csv, measured: [cpu, gpu] }
policies: [heft, affinity]
output: { attempts: true, audit: true }
Y
sed 's/format: native, path: jobs.csv/format: dag, instances: [one.txt, two.txt]/; s/^policies/seeds: 1..2\npolicies/' "$dir/w/native.yaml" > "$dir/w/many.yaml"
"$FAIRWAY" run -q -d "$dir/w/native.db" "$dir/w/native.yaml" || bad "measured workflows in a native trace run"
# w1: a on the GPU 0 to 1 s, b on a CPU to 3 s.
[ "$(sqlite3 "$dir/w/native.db" "SELECT group_concat(engine || ' ' || (start_us / 1000000) || '-' || (end_us / 1000000), ', ') FROM (SELECT * FROM v_call WHERE policy = 'heft' AND job = 'w1' ORDER BY task)")" = "gpu 0-1, cpu 1-3" ] \
    && ok "a measured workflow's tasks are calls at the times that the file has" || bad "measured workflow"
[ "$(sqlite3 "$dir/w/native.db" "SELECT count(*) FROM job WHERE status = 'done'")" = 8 ] && ok "ordinary jobs run beside them" || bad "ordinary jobs"
"$FAIRWAY" run -q -d "$dir/w/many.db" "$dir/w/many.yaml" || bad "instances run"
[ "$(sqlite3 "$dir/w/many.db" "SELECT group_concat(value, ' ') FROM (SELECT value FROM v_metric WHERE name = 'makespan' AND scope = 'all' AND policy = 'heft' ORDER BY seed)")" = "3.0 1.0" ] \
    && ok "a seed replays its instance" || bad "instances"
"$FAIRWAY" compare "$dir/w/many.db" -m makespan | grep -q '^affinity .* 2 .* 1 ' && ok "instances are one case, paired by seed" || bad "instances are compared"
"$FAIRWAY" sweep -q -d "$dir/w/sweep.db" "$dir/w/many.yaml" 2> /dev/null || bad "instances are swept"
[ "$(sqlite3 "$dir/w/sweep.db" "SELECT key, digest FROM run ORDER BY id")" = "$(sqlite3 "$dir/w/many.db" "SELECT key, digest FROM run ORDER BY id")" ] \
    && ok "a sweep makes the same runs of instances" || bad "instances swept"
"$FAIRWAY" run -q -s 3 -d "$dir/w/x.db" "$dir/w/many.yaml" 2>&1 | grep -q "seed 3: the trace has instances 1 to 2" && ok "a seed without an instance is named" || bad "seed 3"

# Measured work
if [ -d "${FAIRWAY_TRACES:-}/hetero-dag" ] && [ -d "${FAIRWAY_TRACES:-}/gavel" ]; then
    "$FAIRWAY" run -q -d "$dir/m.db" scenarios/engines-hetero.yaml 2> /dev/null || bad "engines-hetero runs"
    "$FAIRWAY" run -q -d "$dir/m.db" scenarios/engines-gavel.yaml 2> /dev/null || bad "engines-gavel runs"
    n=$(sqlite3 "$dir/m.db" "SELECT count(*) FROM v_metric a JOIN v_metric b USING (scenario, seed, name, scope) WHERE name = 'makespan' AND scope = 'all'
        AND scenario = 'engines-hetero' AND a.policy = 'heft' AND (b.policy LIKE 'affinity%' AND a.value > b.value OR b.policy = 'dmda' AND a.value > b.value * 1.002)")
    [ "$n" = 0 ] && ok "HEFT ends every measured DAG no later than affinity, and than dmda but for 0.2 %" || bad "HEFT is later on $n"
    n=$(sqlite3 "$dir/m.db" "SELECT count(*) FROM v_metric a JOIN v_metric b USING (run, scope) WHERE a.name = 'makespan' AND b.name = 'makespan_bound' AND a.value < b.value")
    [ "$n" = 0 ] && ok "no makespan is below its bound" || bad "$n makespans below their bounds"
    [ "$(sqlite3 "$dir/m.db" "SELECT count(*) FROM v_metric WHERE name = 'jobs_done' AND scope = 'all' AND scenario = 'engines-gavel' AND value = 230")" = 32 ] && ok "230 training jobs of each of Gavel's traces" || bad "Gavel's jobs"
else
    echo "skipped - measured DAGs and training jobs: no traces"
fi
exit $fail
