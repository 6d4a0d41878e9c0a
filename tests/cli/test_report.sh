#!/bin/sh
# report: the data of the page, what it refuses, and the page in a headless Chromium with clicks (report_click.py).
# REPORT_SHOTS=FOLDER keeps screenshots.
. "$(dirname "$0")/lib.sh"
says() { grep -qF -- "$1" "$dir/$2.html" || { echo "no '$1'"; return 1; }; }
# PAGE PATH: what its data has there; PAGE PATH WANTED: is it that?
data() { sed -n '/id="data">/{n;p;}' "$dir/$1.html" >"$dir/$1.json"; sqlite3 :memory: "SELECT json_extract(readfile('$dir/$1.json'), '\$.$2')"; }
holds() { found=$(data "$1" "$2"); [ "$found" = "$3" ] || { echo "$2 is '$found', not '$3'"; return 1; }; }

# test_timeline.sh works these jobs out.  Names try to be markup.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,gpus,gpu_milli,cpus
a,0,100,<i>ann</i>,2,,1
c,5,10,</script><b><!--<script>,0,,1
b,20,10,bo,2,,1
d,130,20,<i>ann</i>,1,400,1
e,131,9,bo,1,400,1
END
cat >"$dir/s.yaml" <<'END'
name: hand
title: Is <b>srtf</b> & "co" worth it?
cluster: {groups: [{name: n, count: 1, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
jobs: {preemption: {mode: checkpoint, interval: 10s, restore_cost: 5s}}
policies: [{name: srtf, label: "<i>srtf</i>", estimate: true}, "fifo"]
seeds: 1
output: {attempts: true}
END
check "the hand-worked runs run" "$fairway" run "$dir/s.yaml" -d "$dir/r.db" -q
check "their report is written" "$fairway" report "$dir/r.db" --no-charts -o "$dir/hand.html"
"$fairway" report "$dir/r.db" --no-charts -o - >"$dir/again.html"
check "twice the same, byte for byte" cmp "$dir/hand.html" "$dir/again.html"
check "the title is as it is written" holds hand 'cases[0].facts[0][0]' 'Is <b>srtf</b> & "co" worth it?'
check "so is a label" holds hand 'cases[0].policies[0].label' '<i>srtf</i>'
check "so is a user" holds hand 'cases[0].policies[0].users.rows[0][0]' 'user=</script><b><!--<script>'
check "in the data nothing can end the script or begin another" sh -c '! grep -q "<" "$1"' - "$dir/hand.json"
check "the digest of every run is there" sh -c 'for x in $(sqlite3 "$1" "SELECT digest FROM run UNION ALL SELECT key FROM run UNION ALL SELECT trace_hash FROM run"); do grep -q "$x" "$2" || exit 1; done' - "$dir/r.db" "$dir/hand.html"
check "and the scenario" says 'interval: 10s' hand
check "the column after the jobs done is jct_mean" holds hand 'cases[0].columns[1].name' jct_mean
check "the mean is that of the database" holds hand 'cases[0].policies[0].means[1]' "$(sqlite3 "$dir/r.db" "SELECT value FROM metric WHERE run = 1 AND name = 'jct_mean' AND scope = 'all'")"
check "the conclusion is a sentence of compare's words" holds hand 'cases[0].conclusion' 'Of 2 policies <i>srtf</i>, which is told true durations, does best by completion times: fifo finishes jobs 39.6 % later than <i>srtf</i> (one seed: one case, no evidence).'
check "what became of the jobs is said of each policy" holds hand 'cases[0].policies[1].fates' 'all 5 jobs done'
check "a metric is explained" holds hand 'meanings.jct_mean' 'Time from the submission of a job to its end; mean over jobs'
check "no metric of the database lacks its meaning" [ -z "$(sqlite3 "$dir/r.db" "SELECT DISTINCT name FROM metric WHERE name NOT IN (SELECT key FROM json_each(readfile('$dir/hand.json'), '\$.meanings'))")" ]
check "nothing was mended" holds hand 'cases[0].repairs' '[]'
check "nothing points elsewhere" sh -c '! grep -oE "(src|href|url)[=(][\"'"'"']?(https?:)?//[^ ]*" "$1"' - "$dir/hand.html"
sqlite3 "$dir/r.db" "INSERT INTO repair VALUES (1, 'cpus <missing>, 1 assumed', 7, 3); UPDATE run SET status = 'interrupted' WHERE id = 2; INSERT INTO note VALUES (1, 0, 5, 'lent', 2.5)"
"$fairway" report "$dir/r.db" --no-charts -o "$dir/left.html" >/dev/null
check "a run that did not finish is in no number, and named" holds left 'unfinished[0]' '[2,"hand","fifo","1","interrupted",""]'
check "a repair is told with how often and where" holds left 'cases[0].repairs[0]' '["cpus \u003Cmissing>, 1 assumed",7,3]'
check "numbers that a policy kept are there" holds left 'cases[0].policies[0].notes[0]' '["lent",1,2.5,2.5,2.5]'

# Two scenarios, one with data and without attempts.
"$fairway" run "$here/scenarios/flow-paper/flow-k6.yaml" -p gs -p gsd -s 1 -s 2 -d "$dir/r.db" -q
check "several scenarios are written" "$fairway" report "$dir/r.db" --no-charts -o "$dir/two.html"
check "as several cases" holds two 'cases[1].name' flow-k6
check "without attempts there is no timeline" holds two 'cases[1].timeline' ''

# Pods that fail: jobs that did not end as they should are never left out.
check "pods run and have a report" sh -c '"$1" run "$2" -d "$3/kube.db" -q && "$1" report "$3/kube.db" --no-charts -o "$3/kube.html"' - "$fairway" "$here/scenarios/kube/kube-fine.yaml" "$dir"
check "jobs that failed have a column" holds kube 'cases[0].columns[2].name' failed
check "with how many" holds kube 'cases[0].policies[0].means[2]' "$(sqlite3 "$dir/kube.db" "SELECT printf('%d', value) FROM metric WHERE run = 1 AND name = 'jobs_failed' AND scope = 'all'")"

check "and those jobs are listed, with what became of them" holds kube 'cases[0].policies[0].troubled[2]' '["lab/test3","lab","single",1,"failed",0,0,null,4]'

check "without runs there is no page" sh -c 'sqlite3 "$1/r.db" "DELETE FROM run"; ! "$0" report "$1/r.db" -o "$1/none.html" 2>"$1/err" && grep -q "holds no finished run" "$1/err" && [ ! -e "$1/none.html" ]' "$fairway" "$dir"
check "a missing database is the world's failure" fails 3 "cannot open" "$fairway" report "$dir/no.db"
sqlite3 "$dir/r.db" "PRAGMA user_version = 1"
check "a database of another version" fails 3 "schema version 1" "$fairway" report "$dir/r.db"
check "no database is a usage error" fails 2 "expected one database" "$fairway" report

check "the demo runs" "$fairway" run "$here/scenarios/demo/demo.yaml" -s 1 -s 2 -d "$dir/demo.db" -q
mkdir "$dir/empty"
check "a folder that is not there" fails 3 "cannot write" "$fairway" report "$dir/demo.db" -o "$dir/no/x.html"
check "without gnuplot it says so, and how to do without" fails 3 "--no-charts" env PATH="$dir/empty" "$fairway" report "$dir/demo.db" -o "$dir/never.html"
check "and leaves no file" sh -c '! ls "$1"/never.html* 2>/dev/null' - "$dir"
if ! command -v gnuplot >/dev/null; then echo "skipped - charts: gnuplot is not installed"; exit $bad; fi
check "the demo has a report" "$fairway" report "$dir/demo.db" -o "$dir/demo.html"
"$fairway" report "$dir/demo.db" -o "$dir/again.html" >/dev/null
check "the same twice, charts included" cmp "$dir/demo.html" "$dir/again.html"
check "of a size that a mail can carry" [ "$(wc -c <"$dir/demo.html")" -lt 4000000 ]
check "every attempt is in the timeline" sh -c '[ "$1" = "$2" ]' - "$(data demo 'cases[0].timeline.shown')" "$(data demo 'cases[0].timeline.attempts')"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] || ! command -v python3 >/dev/null; then
    echo "skipped - clicking in the report: chromium or python3 is not installed"
    exit $bad
fi
check "a run of workflows draws what only such runs have" sh -c '"$1" run "$2" -d "$3/wf.db" -q; "$1" report "$3/wf.db" -o "$3/wf.html" >/dev/null && grep -q "Cores reserved for workflows" "$3/wf.html" && grep -q "coloured by stage" "$3/wf.html"' - "$fairway" "$here/scenarios/workflow/workflow-fig1.yaml" "$dir"
check "where they are not drawn nobody misses them" sh -c '! grep -qE "\"(lending|workflow-gantt|engines|frag-load)\"|coloured by stage" "$1"' - "$dir/demo.json"
# AXE=FILE is axe.min.js of npm's axe-core; else it is taken where npm puts it, and never fetched.
for f in "$here/node_modules" /usr/local/lib/node_modules /usr/lib/node_modules /usr/share/nodejs; do
    [ -n "${AXE:-}" ] || [ ! -f "$f/axe-core/axe.min.js" ] || AXE=$f/axe-core/axe.min.js
done
[ -n "${AXE:-}" ] || echo "skipped - axe-core: AXE=FILE does not say where its axe.min.js is, nor is it installed"
export AXE="${AXE:-}"
timeout 300 python3 "$here/tests/cli/report_click.py" "$browser" "$dir/hand.html" "$dir/demo.html" "$dir/kube.html" ${REPORT_SHOTS:+"$REPORT_SHOTS"} || bad=1
exit $bad
