#!/bin/sh
# Sweeps of changes, and `compare --changes`: every figure is worked out again from the table of metrics, and every
# sentence follows from the figures.
. "$(dirname "$0")/lib.sh"
scn=$here/scenarios/demo/changes.yaml
sql() { sqlite3 "$dir/$1" "$2"; }
has() { grep -qF -- "$2" "$dir/$1" || { echo "no '$2'"; cat "$dir/$1"; return 1; }; }

# ---- the runs ----
check "a sweep of changes" expect 0 "$fairway" sweep "$scn" -q -d "$dir/c.db"
check "has the base, each change, and all together" same "$(sql c.db "SELECT place, name, sets, count(*) FROM change_run GROUP BY place")" \
"0|base||20
1|a tenth more load|trace.speedup=1.1|20
2|more large jobs|trace.generate.gpu_mix={1: 64, 2: 12, 4: 12, 8: 12}|20
3|newer GPUs in half|cluster.groups.1.gpu_type=A100|20
4|a rack lost|cluster.lose=[a-rack0]|20
5|all together|trace.speedup=1.1, trace.generate.gpu_mix={1: 64, 2: 12, 4: 12, 8: 12}, cluster.groups.1.gpu_type=A100, cluster.lose=[a-rack0]|20"
"$fairway" run "$scn" -p easy -s 3 -d "$dir/one.db" -q --set cluster.lose=[a-rack0]
check "a change alone is the run with it set" same "$(sql one.db "SELECT digest FROM run")" \
    "$(sql c.db "SELECT r.digest FROM change_run c JOIN run r USING (key) WHERE c.name = 'a rack lost' AND r.policy = 'easy' AND r.seed = 3")"
"$fairway" run "$scn" -p easy -s 1 -d "$dir/nodes.db" -q --set cluster.lose=[a-rack0,b-1] --set output.decisions=true
check "a rack and a node that are lost are not there" same "$(sql nodes.db "SELECT group_concat(name, ' ') FROM node")" "a-2 a-3 b-0 b-2 b-3"
check "and with a seed more it goes on" expect 0 "$fairway" sweep "$scn" -d "$dir/c.db" --set sweep.seeds=1..11
check "in the same rows" same "$(sql c.db "SELECT count(DISTINCT sweep), count(*) FROM change_run")" "1|132"

# ---- the figures ----
"$fairway" compare "$dir/c.db" --changes -m jct_mean,wait_p99,gpu_util >"$dir/text"
"$fairway" compare "$dir/c.db" --changes -m jct_mean,wait_p99,gpu_util --format csv >"$dir/rows.csv"
rows() { sqlite3 -cmd ".mode csv" -cmd ".import $dir/rows.csv w" -cmd ".mode list" -cmd "ATTACH '$dir/c.db' AS d" -cmd "
    CREATE TEMP VIEW x AS SELECT c.place, c.name AS change, r.policy, r.seed, m.name AS metric, m.value FROM d.change_run c JOIN d.run r USING (key)
        JOIN d.metric m ON m.run = r.id AND m.scope = 'all' AND m.name IN ('jct_mean', 'wait_p99', 'gpu_util');
    CREATE TEMP VIEW diff AS SELECT a.change, a.place, a.policy, a.metric, a.seed, a.value - b.value AS by FROM x a JOIN x b USING (policy, metric, seed) WHERE b.place = 0 AND a.place > 0;
    CREATE TEMP VIEW total AS SELECT policy, metric, seed, sum(by) FILTER (WHERE place < 5) AS alone, sum(by) FILTER (WHERE place = 5) AS together FROM diff GROUP BY policy, metric, seed;
    CREATE TEMP VIEW per AS SELECT policy, metric, change, seed, by FROM diff UNION ALL SELECT policy, metric, 'sum', seed, alone FROM total
        UNION ALL SELECT policy, metric, 'beyond', seed, together - alone FROM total;
    CREATE TEMP VIEW want AS SELECT policy, metric, change, count(*) AS n, avg(by) AS mean, 2.228138852 * sqrt((sum(by * by) - count(*) * avg(by) * avg(by)) / (count(*) - 1) / count(*)) AS half FROM per GROUP BY 1, 2, 3;" \
    :memory: "$1"; }
check "differences are means over the seeds" same "$(rows "SELECT count(*), count(*) FILTER (WHERE abs(w.difference - a.mean) > 1e-9 + 1e-7 * abs(a.mean) OR w.seeds <> a.n) FROM w JOIN want a USING (policy, metric, change)")" "42|0"
check "of eleven seeds" same "$(rows "SELECT DISTINCT seeds FROM w")" 11
check "with Student's intervals, which tails have corrected for skewness" same \
    "$(rows "SELECT w.metric, count(*) FILTER (WHERE abs(w.diff_hi - w.difference - a.half) > 1e-5 * a.half OR abs(w.difference - w.diff_lo - a.half) > 1e-5 * a.half) FROM w JOIN want a USING (policy, metric, change) GROUP BY 1")" \
"gpu_util|0
jct_mean|0
wait_p99|14"
check "the table for people begins with the largest" same "$(rows "SELECT change FROM w WHERE policy = 'easy' AND metric = 'jct_mean' AND change NOT IN ('base', 'all together', 'sum', 'beyond') ORDER BY abs(difference) DESC")" \
    "$(awk '/^Changes to changes, easy, jct_mean/ { on = 1 } on && /^base/ { row = 1; next } /^all together/ { if (on) exit } row { sub(/  .*/, ""); print }' "$dir/text")"

# ---- the sentences ----
flat() { awk '/^    / { sub(/^ +/, ""); line = line " " $0; next } { if (NR > 1) print line; line = $0 } END { print line }' "$dir/text" >"$dir/flat"; }
flat
for policy in fifo:mode=skip easy; do for metric in jct_mean wait_p99 gpu_util; do
    awk -v h="Changes to changes, $policy, $metric" '$0 == h { on = 1 } on && /^Changes to/ && $0 != h { exit } on' "$dir/flat" >"$dir/part"
    # The first over the second, of each seed, each in the direction of its mean.
    lead=$(rows "WITH o AS (SELECT change, mean, row_number() OVER (ORDER BY abs(mean) DESC) AS at FROM want WHERE policy = '$policy' AND metric = '$metric' AND change NOT IN ('all together', 'sum', 'beyond')),
        l AS (SELECT seed, sum(CASE at WHEN 1 THEN 1 ELSE -1 END * sign(o.mean) * p.by) AS by FROM per p JOIN o USING (change) WHERE p.policy = '$policy' AND p.metric = '$metric' AND at <= 2 GROUP BY seed)
        SELECT (SELECT change FROM o WHERE at = 1) || '|' || (SELECT change FROM o WHERE at = 2) || '|' || (avg(by) > 2.228138852 * sqrt((sum(by * by) - count(*) * avg(by) * avg(by)) / (count(*) - 1) / count(*))) FROM l")
    first=${lead%%|*} rest=${lead#*|}; second=${rest%%|*}
    if [ "$metric" != wait_p99 ] || [ "${rest##*|}" = 1 ]; then
        if [ "${rest##*|}" = 1 ]; then want="'$first' matters most for $metric:"; else want="Whether '$first' or '$second' matters more for $metric is not decided at 11 seeds."; fi
        check "$policy, $metric: what matters most, or that it is not decided" has part "$want"
    fi
    rows "SELECT change, CASE WHEN (ratio_lo - 1) * (ratio_hi - 1) > 0 THEN 1 ELSE 0 END FROM w WHERE policy = '$policy' AND metric = '$metric' AND change NOT IN ('base', 'sum', 'beyond')" |
        while IFS='|' read -r change told; do
            line=$(grep -F "$policy with '$change' " "$dir/part")
            case $line in *" than without"*) is=1 ;; *"not told apart"*) is=0 ;; *) is=none ;; esac
            [ "$is" = "$told" ] || echo "$change: told $told, but: $line"
        done >"$dir/wrong"
    check "$policy, $metric: a change is said to differ where the interval of its ratio leaves 1 out" same "$(cat "$dir/wrong")" ""
    beyond=$(rows "SELECT CASE WHEN diff_lo + 0 > 0 THEN 'higher' WHEN diff_hi + 0 < 0 THEN 'lower' ELSE 'not' END FROM w WHERE policy = '$policy' AND metric = '$metric' AND change = 'beyond'")
    if [ "$beyond" = not ]; then want="All together are not told apart from the sum"; else want="$beyond than by the sum of each alone."; fi
    check "$policy, $metric: all together beside the sum" has part "$want"
done; done

# ---- the figure ----
"$fairway" plot "$dir/c.db" tornado -o "$dir/t.gp" >/dev/null
check "the figure has the differences, in minutes" same "$(awk -F '\t' '/^\$bars/ { on = 1 } /^EOD/ { on = 0 } on && NF == 6 { printf "%s %.4f\n", $6, $2 }' "$dir/t.gp" | sed -n 7,12p | sort)" \
    "$(rows "SELECT CASE change WHEN 'sum' THEN 'the sum of each alone' ELSE change END || printf(' %.4f', difference / 60) FROM w WHERE policy = 'easy' AND metric = 'jct_mean' AND change NOT IN ('base', 'beyond')" | sort)"
check "and is drawn" "$fairway" plot "$dir/c.db" tornado -m wait_p99 -o "$dir/t.svg"

# ---- what is not decided ----
"$fairway" sweep "$scn" -q -d "$dir/s1.db" --set sweep.seeds=1 --set sweep.policies=[easy]
"$fairway" compare "$dir/s1.db" --changes >"$dir/text"; flat
check "one seed decides nothing" has flat "What matters most is not decided: one seed is one case, no evidence."
check "nor what all do together" has flat "Whether all together are more than the sum of each alone is not decided."
check "and gives no interval" sh -c '! sed -n "/^base/,/^\$/p" "$1" | grep -q "±\|\[[-+0-9]"' - "$dir/text"
printf 'id,submit_s,duration_s,user,gpus,cpus\na,0,100,ann,8,1\nb,0,100,bo,8,1\n' >"$dir/jobs.csv"
cat >"$dir/s.yaml" <<'END'
name: same
cluster: {groups: [{name: n, count: 2, cpus: 8, mem: 16GiB, gpus: 8, gpu_type: V100}], gpu_types: {V100: {speed: 1}, A100: {speed: 2}}}
trace: {format: native, path: jobs.csv}
policies: [fifo]
sweep:
  seeds: 3
  changes:
    a node lost: {cluster.lose: [n-1]}
    faster: {cluster.groups.0.gpu_type: A100}
END
"$fairway" sweep "$dir/s.yaml" -q -d "$dir/s.db" 2>"$dir/err"
"$fairway" compare "$dir/s.db" --changes >"$dir/text"; flat
check "seeds that change nothing decide nothing" has flat "What matters most is not decided: the seeds change nothing, so this is one case."
# By hand: both end at 100 s; one after the other at 100 and 200; at 50; at 50 and 100.
check "by hand: 100 s; +50, -50; -25 together, which is as much less" same \
    "$("$fairway" compare "$dir/s.db" --changes --format json >"$dir/s.json"; sqlite3 :memory: "SELECT value ->> 'change', value ->> 'value', value ->> 'difference' FROM json_each(readfile('$dir/s.json'))")" \
"base|100|
a node lost|150|50
faster|50|-50
all together|75|-25
sum||0
beyond||-25"
cp "$dir/s.db" "$dir/gone.db"; cp "$dir/s.db" "$dir/noisy.db"
of_runs() { echo "IN (SELECT r.id FROM run r JOIN change_run c USING (key) WHERE c.name = '$1')"; }
sqlite3 "$dir/gone.db" "UPDATE run SET status = 'failed' WHERE id $(of_runs 'a node lost')"
check "a change without a run leaves no sum, nor anything beyond it" same \
    "$("$fairway" compare "$dir/gone.db" --changes --format json >"$dir/s.json"; sqlite3 :memory: "SELECT value ->> 'change', value ->> 'difference' FROM json_each(readfile('$dir/s.json')) WHERE value ->> 'change' IN ('sum', 'beyond')")" \
"sum|
beyond|"
jct() { echo "UPDATE metric SET value = $2 WHERE name = 'jct_mean' AND scope = 'all' AND run $(of_runs "$1") AND run IN (SELECT id FROM run WHERE seed = $3);"; }
sqlite3 "$dir/noisy.db" "$(jct 'a node lost' 200 1) $(jct 'a node lost' 40 2) $(jct 'a node lost' 150 3)
    $(jct faster 110 1) $(jct faster 111 2) $(jct faster 109 3)"
"$fairway" compare "$dir/noisy.db" --changes >"$dir/text"; flat
check "a smaller change that is told apart is not denied for a larger one that is not" has flat \
    "Whether 'a node lost' or 'faster' matters more for jct_mean is not decided at 3 seeds."
sed 's/^    faster:.*/&\n    larger: {cluster.groups.0.cpus: 9}/' "$dir/s.yaml" >"$dir/three.yaml"
"$fairway" sweep "$dir/three.yaml" -q -d "$dir/noisy.db" 2>"$dir/err"
sqlite3 "$dir/noisy.db" "DELETE FROM change_sweep WHERE id < 2; DELETE FROM change_run WHERE sweep < 2;
    $(jct 'a node lost' 200 1) $(jct 'a node lost' 201 2) $(jct 'a node lost' 198 3)
    $(jct larger 300 1) $(jct larger 10 2) $(jct larger 5 3)"
"$fairway" compare "$dir/noisy.db" --changes >"$dir/text"; flat
check "nor is the first called first while any other may be" has flat \
    "Whether 'a node lost' or 'larger' matters more for jct_mean is not decided at 3 seeds."
sed -i 's/faster: .*/another lost: {cluster.lose: [n-0]}/' "$dir/s.yaml"
"$fairway" sweep "$dir/s.yaml" -q -d "$dir/two.db" 2>"$dir/err"
"$fairway" compare "$dir/two.db" --changes >"$dir/text"
check "changes that set the same are not made together" has text "No case has all changes: some set the same."
check "nor is there such a run" same "$(sql two.db "SELECT group_concat(DISTINCT name) FROM change_run")" "base,a node lost,another lost"
sqlite3 "$dir/two.db" "UPDATE run SET status = 'failed' WHERE seed = 3 AND id IN (SELECT id FROM run r JOIN change_run USING (key) WHERE name = 'a node lost')"
check "a run that is not done is said to be missing" sh -c '"$1" compare "$2" --changes | grep -q "^1 runs of the sweep are not done"' - "$fairway" "$dir/two.db"
check "without changes there is nothing to show" fails 2 "no runs of a sweep of changes" "$fairway" compare "$dir/one.db" --changes
check "nor to draw" fails 2 "no runs of a sweep of changes" "$fairway" plot "$dir/one.db" tornado
check "of another scenario neither" fails 2 "no sweep of changes to 'other'" "$fairway" plot "$dir/s.db" tornado --scenario other
check "a metric that is none" fails 2 "did you mean 'jct_mean'" "$fairway" compare "$dir/c.db" --changes -m jct_men

# ---- the decision of scenarios/changes/README.md: LAS as it is there, FIFO with one seed ----
if [ -f "${FAIRWAY_TRACES:-}/philly/sia_philly.csv" ]; then
    philly() { "$fairway" sweep "$here/scenarios/changes/philly-changes.yaml" -q -d "$dir/p.db" "$@" 2>"$dir/err"; }
    philly --set "policies=[las]" && philly --set "policies=['fifo:mode=skip']" --set sweep.seeds=1
    "$fairway" compare "$dir/p.db" --changes >"$dir/text"; flat
    check "a rack lost matters most" grep -q "^'a V100 rack lost' matters most for jct_mean: 1.096 ± 0.302 h more than 'V100s for the K80s'" "$dir/flat"
    check "new GPUs make up for it and for more jobs under LAS" has flat "las with 'all together' finishes jobs 5.4 % ± 2.7 % sooner than without."
    check "but not under FIFO" grep -qE "^fifo:mode=skip with 'all together' finishes jobs [0-9.]+ % later than without" "$dir/flat"
    check "of which one seed is no evidence" has flat "What matters most is not decided: one seed is one case, no evidence."
else
    echo "skipped - the decision of scenarios/changes: no public traces"
fi
exit $bad
