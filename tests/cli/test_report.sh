#!/bin/sh
# report: the page as text, what it refuses, and in a headless Chromium with clicks (report_click.py).
# REPORT_SHOTS=FOLDER keeps screenshots.
. "$(dirname "$0")/lib.sh"
says() { grep -qF -- "$1" "$dir/$2.html" || { echo "no '$1'"; return 1; }; }
never() { ! grep -qF -- "$1" "$dir/$2.html" || { echo "found '$1'"; return 1; }; }

# test_timeline.sh works these jobs out.  Names try to be markup.
cat >"$dir/jobs.csv" <<'END'
id,submit_s,duration_s,user,gpus,gpu_milli,cpus
a,0,100,<i>ann</i>,2,,1
c,5,10,</script><script>alert(1)</script>,0,,1
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
check "the title is escaped" says 'Is &lt;b&gt;srtf&lt;/b&gt; &amp; &quot;co&quot; worth it?' hand
check "so is a label" says '&lt;i&gt;srtf&lt;/i&gt;' hand
check "no user's text is markup" never '<script>alert' hand
check "nor is it inside of data" never '</script><script>' hand
check "the digest of every run is there" sh -c 'for x in $(sqlite3 "$1" "SELECT digest FROM run UNION ALL SELECT key FROM run UNION ALL SELECT trace_hash FROM run"); do grep -q "$x" "$2" || exit 1; done' - "$dir/r.db" "$dir/hand.html"
check "and the scenario" says 'interval: 10s' hand
check "the best mean is that of the database" says "data-v=\"$(sqlite3 "$dir/r.db" "SELECT printf('%.12g', value) FROM metric WHERE run = 1 AND name = 'jct_mean' AND scope = 'all'")\"" hand
check "it says what was mended" says 'Nothing in the trace had to be mended.' hand
check "nothing points elsewhere" sh -c '! grep -oE "(src|href|url)[=(][\"'"'"']?(https?:)?//[^ ]*" "$1"' - "$dir/hand.html"
sqlite3 "$dir/r.db" "INSERT INTO repair VALUES (1, 'cpus <missing>, 1 assumed', 7, 3); UPDATE run SET status = 'interrupted' WHERE id = 2; INSERT INTO note VALUES (1, 0, 5, 'lent', 2.5)"
"$fairway" report "$dir/r.db" --no-charts -o "$dir/left.html" >/dev/null
check "a run that did not finish is in no number, and named" says 'run 2 (hand, fifo, seed 1): interrupted' left
check "a repair is told with how often and where" says '<td>cpus &lt;missing&gt;, 1 assumed</td><td class="n">7</td><td class="n">3</td>' left
check "numbers that a policy kept are there" says '<td>lent</td><td class="n">1</td><td class="n">2.5</td>' left

# Two scenarios, one with data and without attempts.
"$fairway" run "$here/scenarios/flow-paper/flow-k6.yaml" -p gs -p gsd -s 1 -s 2 -d "$dir/r.db" -q
check "several scenarios make several sections" sh -c '"$1" report "$2" --no-charts -o "$3/two.html" && [ "$(grep -c "<section id=\"k" "$3/two.html")" -eq 2 ]' - "$fairway" "$dir/r.db" "$dir"
check "without attempts it says how to have a timeline" says 'No timeline: these runs have no record' two

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
check "and says what it shows" says 'GPUs</i> has every attempt on 40 of 40 nodes with GPUs' demo

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] || ! command -v python3 >/dev/null; then
    echo "skipped - clicking in the report: chromium or python3 is not installed"
    exit $bad
fi
check "a run of workflows draws what only such runs have" sh -c '"$1" run "$2" -d "$3/wf.db" -q; "$1" report "$3/wf.db" -o "$3/wf.html" >/dev/null && grep -q "Cores reserved for workflows" "$3/wf.html" && grep -q "coloured by stage" "$3/wf.html"' - "$fairway" "$here/scenarios/workflow/workflow-fig1.yaml" "$dir"
check "where they are not drawn nobody misses them" sh -c '! grep -qE "<b>(lending|workflow-gantt|engines|frag-load)</b>|coloured by stage" "$1"' - "$dir/demo.html"
check "pods run and have a report" sh -c '"$1" run "$2" -d "$3/kube.db" -q && "$1" report "$3/kube.db" --no-charts -o "$3/kube.html"' - "$fairway" "$here/scenarios/kube/kube-fine.yaml" "$dir"
timeout 300 python3 "$here/tests/cli/report_click.py" "$browser" "$dir/hand.html" "$dir/demo.html" "$dir/kube.html" ${REPORT_SHOTS:+"$REPORT_SHOTS"} || bad=1
exit $bad
