#!/bin/sh
# Format table: any table by a map of its columns, the ready maps of published traces, and what is wrong with either.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 2
convert() { "$fairway" trace convert -f table --map "$1" "$2" >"$dir/out" 2>"$dir/err"; }
# cells COLUMNS: these columns of what was converted, without the header
cells() { awk -F, -v want="$1" 'NR == 1 { n = split(want, w, " "); for (i = 1; i <= NF; i++) at[$i] = i; next } { line = ""; for (i = 1; i <= n; i++) line = line (i > 1 ? " " : "") $(at[w[i]]); print line }' "$dir/out"; }
becomes() { convert "$1" "$2" || { cat "$dir/err"; return 1; }; same "$(cells "$3")" "$4"; }
told() { grep -qF -- "$1" "$dir/err" || { cat "$dir/err"; return 1; }; }
# refuses WORDS: m.yaml of t.csv
refuses() { fails 2 "$1" "$fairway" trace stats -f table --map m.yaml t.csv; }

# ---- ready maps, on rows as their publishers have them ----
cat >cluster_log.csv <<'X'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,u1,vc1,8,32,1,COMPLETED,2020-04-01 00:04:08,2020-04-01 00:04:10,2020-04-01 00:14:10,600,5
2,u2,vc1,16,64,2,FAILED,2020-04-01 00:05:08,2020-04-01 01:04:10,2020-04-01 01:14:10,600,3
3,u2,vc2,0,4,1,CANCELLED,2020-04-01 00:06:08,None,None,0,0
4,u3,vc2,1,4,1,TIMEOUT,2020-04-01 00:07:08,2020-04-01 00:07:08,2020-04-02 00:07:08,86400,0
X
check "Helios' cluster_log" becomes helios cluster_log.csv "id submit_s duration_s user queue tasks gang cpus gpus start_s end_s state" \
"1 0 600 u1 vc1 1 0 32 8 2 602 COMPLETED
2 60 600 u2 vc1 2 1 32 8 3602 4202 FAILED
4 180 86400 u3 vc2 1 0 4 1 180 86580 TIMEOUT"
check "which tells of the job that never started" told "row that the map's \`where\` leaves out: 1 rows, first at line 4"
cat >cluster_job_log.json <<'X'
[
  { "status": "Pass", "vc": "v", "jobid": "a", "user": "u",
    "submitted_time": "2017-10-07 01:00:00",
    "attempts": [
      { "start_time": "2017-10-07 02:00:00", "end_time": "2017-10-07 03:00:00",
        "detail": [ { "ip": "m1", "gpus": [ "gpu0", "gpu1" ] }, { "ip": "m2", "gpus": [ "gpu0", "gpu1" ] } ] },
      { "start_time": "2017-10-07 03:10:00", "end_time": "2017-10-07 04:00:00", "detail": [] } ] },
  { "status": "Killed", "vc": "v", "jobid": "b", "user": "u", "attempts": [], "submitted_time": "2017-10-07 01:00:00" },
  { "status": "Failed", "vc": "w", "jobid": "c", "user": "u", "submitted_time": "2017-11-05 03:00:00",
    "attempts": [ { "start_time": "2017-11-05 04:00:00", "end_time": "2017-11-05 05:00:00", "detail": [ { "ip": "m3", "gpus": [ "gpu7" ] } ] } ] }
]
X
# From 7 October 01:00 to 5 November 03:00 are 29 days and 2 hours, and one more as summer time ended in between.
check "Philly's cluster_job_log, whose clock was put back" becomes philly cluster_job_log.json \
"id submit_s duration_s queue tasks gpus start_s" "a 0 7200 v 2 2 3600
c 2516400 3600 w 1 1 2520000"
check "with the machines of the first attempt" grep -q '"m1,m2",Pass$' out
cat >v2020.csv <<'X'
j1,tensorflow,2,Terminated,1000,2000,600,29.296875,50,T4
j1,ps,1,Running,1000,,600,29.296875,,
j3,worker,4,Failed,1500.0,1800.5,1200,58.59375,200,V100
X
check "Alibaba v2020's pai_task_table, without a header" becomes alibaba-v2020 v2020.csv \
"id submit_s duration_s tasks cpus mem_mib gpus gpu_milli gpu_type" "j1/tensorflow 0 1000 2 6 30000 1 500 T4
j3/worker 500 300.5 4 12 60000 2  V100"
cat >v2025.csv <<'X'
instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time
i1,HN,app_0,12,16,1,1,25,100,120.0,120.0,384.0,600.0,-1,,,2592000
i2,CN,app_1,64,64,0,0,25,100,200.0,220.0,384.0,600.0,2,475.00000000000006,480.2,90000.0
i3,HN,app_0,12,16,1.0,1,25,100,120.0,120.0,384.0,600.0,-1,475.0,475.0,1.7e3
X
check "Alibaba v2025, with noise of floating point" becomes alibaba-v2025 v2025.csv "id submit_s duration_s user queue cpus mem_mib gpus start_s" \
"i2 0 89519.8 app_1 CN 64 204800 0 5.2
i3 0 1225 app_0 HN 12 122880 1 0"
check "which is rounded and counted" told "figure finer than a microsecond or a thousandth of a core, rounded: 1 rows, first at line 3"
printf '{"timestamp": 0, "input_length": 8000, "output_length": 100, "hash_ids": [1,2]}\n\n{"timestamp": 27, "input_length": 4000, "output_length": 25}' >req.jsonl
check "requests to a language model, at a stated rate" becomes inference req.jsonl "id submit_s duration_s gpus" "request-1 0 3 1
request-3 0.027 1 1"
check "every ready map is in the program" sh -c 'for m in "$2"/traces/maps/*.yaml; do n=$(basename "$m" .yaml); "$1" trace stats -f table --map "$n" /nonexistent.csv 2>&1 | grep -q "cannot be opened" || { echo "$n"; exit 1; }; done' - "$fairway" "$here"
check "one that is not there is told, with the nearest" fails 2 "did you mean 'helios'?" "$fairway" trace stats -f table --map heliso cluster_log.csv

# ---- the same jobs by the reader of old and by a map ----
traces=${FAIRWAY_TRACES:-$here/../shared/traces}
if [ -f "$traces/openb/openb_pod_list_gpuspec33.csv" ]; then
    for f in default gpuspec33 multigpu50; do
        pods=$traces/openb/openb_pod_list_$f.csv
        "$fairway" trace convert -f openb "$pods" 2>/dev/null | cut -d, -f1-21 >old
        convert alibaba-v2023 "$pods"
        check "openb $f: the map's jobs are those of format openb" sh -c 'cut -d, -f1-21 out | cmp - old'
    done
else
    echo "skipped - no $traces/openb"
fi

# ---- maps of one's own ----
printf 'columns:\n  id: job\n  submit: when\n  duration: took\n  gpus: "`GPU Count` * nodes"\n  cpus: "cores == %s ? 1 : cores"\n  mem: {value: mem, unit: GiB}\n  user: who\n  labels: part\n  tasks: nodes\n' "''" >m.yaml
printf 'job\twhen\ttook\tGPU Count\tnodes\tcores\tmem\twho\tpart\nj1\t2024-03-01T12:00:00+01:00\t00:10:00\t4\t2\t16\t2.5\tal\tfast\nj2\t2024-03-01T11:00:30Z\t1-02:03:04\t1\t1\t\t4G\t\t\n' >t.tsv
check "names with blanks, dates with zones, spans, an empty field" becomes m.yaml t.tsv "id submit_s duration_s tasks gpus cpus mem_mib user labels" \
"j1 0 600 2 4 8 1280 al fast
j2 30 93784 1 1 1 4096  "
printf 'separator: pipe\ndates: DD.MM.YYYY hh:mm:ss\nzone: Europe/Berlin\nempty: [Unknown]\nwhere:\n  - state == %s\ncolumns:\n  submit: sub\n  wait: {value: w, unit: m}\n  duration: {value: d, unit: ms}\n  gpus: "0.25"\n  id: {value: name, prefix: x-}\n  gang: "0"\n  tasks: n\n' "'OK'" >m.yaml
printf 'name|sub|w|d|state|n\n"a|31.03.2024 01:30:00|2|1500|OK|1\nb|31.03.2024 03:30:00|Unknown|2e3|OK|2\nc|31.03.2024 03:40:00|1|1|BAD|1\n' >t.txt
check "pipes with a quote, a pattern of dates across summer time, a filter, units" becomes m.yaml t.txt "id submit_s duration_s tasks gang gpus gpu_milli start_s" \
"\"x-\"\"a\" 0 1.5 1 0 1 250 120
x-b 3600 2 2 0 1 125 "
printf 'id,submit,dur,extra\na,0,1,\n' >t.csv
printf 'columns: {id: id, submit: submit, duration: dur}\n' >m.yaml
printf 'name: t\ncluster:\n  groups:\n    - {name: n, cpus: 4, mem: 16GiB}\ntrace: {format: table, path: t.csv, map: m.yaml, defaults: {cpus: 1}}\npolicies: [fifo]\n' >s.yaml
check "a scenario with a map file runs" expect 0 "$fairway" run s.yaml -d s.db
sed 's/map: m.yaml/map: {columns: {id: id, submit: submit, duration: dur}}/' s.yaml >inline.yaml
check "and with the map in place" expect 0 "$fairway" run inline.yaml -d s.db
check "to the same end" same "$(sqlite3 s.db 'SELECT count(DISTINCT digest) || count(*) FROM run')" 12
printf 'columns: {id: id, submit: submit, duration: 2 * dur}\n' >m.yaml
check "another map is another run" expect 0 "$fairway" run s.yaml -d s.db
check "of another key" same "$(sqlite3 s.db 'SELECT count(*) FROM run')" 3

# ---- what is wrong is told with its place ----
printf 'id,submit,dur\na,0,1\nb,x,1\n' >t.csv
printf 'columns:\n  id: id\n  submit: submit\n  duration: runtime\n' >m.yaml
check "a column that is not there" refuses "m.yaml:4:13: error: names column 'runtime', which t.csv does not have"
printf 'columns:\n  id: id\n  duration: dur\n' >m.yaml
check "a figure that is needed" refuses "m.yaml:2:3: error: found no 'submit', when each job arrived"
printf 'columns:\n  submit: submit\n  durations: dur\n' >m.yaml
check "a figure that there is not" refuses "did you mean 'duration'?"
printf 'columns:\n  submit: submit\n  duration: "dur +"\n' >m.yaml
check "an expression that is none" refuses "m.yaml:3:13: error: 'dur +': expected a name, a number, 'text' or '(' at character 6"
printf 'columns: {submit: submit, duration: dur}\nzone: Mars/North\n' >m.yaml
check "a zone that there is not" refuses "m.yaml:2:7: error: 'zone': found 'Mars/North'"
printf 'columns: {submit: submit, duration: dur}\n' >m.yaml
check "a date that does not parse: row and column" refuses "t.csv:3:3: error: submit: 'x' is not a time"
printf 'id,submit,dur\na,1700000000,1\nb,2023-11-14 22:13:25,1\n' >t.csv
check "two forms in one column" refuses "t.csv:3:3: error: submit: '2023-11-14 22:13:25' is a date, but line 2 has a number: two forms in one column"
printf 'id,submit,dur,mem\na,0,1,5\n' >t.csv
printf 'columns: {submit: submit, duration: dur, mem: mem}\n' >m.yaml
check "memory of no unit" refuses "t.csv:2:7: error: mem: '5' has no unit: state one in the map, as {value: mem, unit: MiB}"
printf 'columns: {submit: submit, duration: dur / (dur - 1)}\n' >m.yaml
check "a division by 0" refuses "t.csv:2: error: duration: a division by 0"
printf 'id,submit,dur\na,0,\nb,,1\nc,0,-1\nd,0,1\n' >t.csv
printf 'columns: {submit: submit, duration: dur}\n' >m.yaml
check "rows that say too little are counted" expect 0 "$fairway" trace stats -f table --map m.yaml t.csv
for w in "row without a run time, left out" "row without an arrival, left out" "run time unknown (negative), row left out"; do check "by kind" says "repair: $w"; done
check "or an error" fails 2 "t.csv:2: error: row without a run time, left out" "$fairway" trace stats -f table --map m.yaml --strict t.csv
printf '{"submit": 0, "dur": 1} {"submit": 1, "dur": 1}\n' >t.jsonl
check "two objects of JSON in one line have one name" fails 2 "t.jsonl:1: error: id 'row-1' was already used on line 1" \
    "$fairway" trace stats -f table --map m.yaml t.jsonl
printf '{"submit": 0, "dur": 1}\n{"submit": 1, "dur": }\n' >t.jsonl
check "JSON that is none: line and column" fails 2 "t.jsonl:2:" "$fairway" trace stats -f table --map m.yaml t.jsonl
printf 'header: [submit, dur]\ncolumns: {submit: submit, duration: dur}\n' >h.yaml
check "a header of JSON" fails 2 "t.jsonl: error: is JSON" "$fairway" trace stats -f table --map h.yaml t.jsonl
printf '[{"submit": 0, "dur": 1}' >t.json
check "a list that is left open" fails 2 "the list is not closed" "$fairway" trace stats -f table --map m.yaml t.json
cp t.csv t.dat
check "a name that does not say what separates" fails 2 "say so in the map: \`separator: comma\`" "$fairway" trace stats -f table --map m.yaml t.dat

# ---- guess ----
guess() { expect 0 "$fairway" trace guess "$1" && cp out g.yaml; }
check "a map of Helios' file is guessed" guess cluster_log.csv
check "columns by their names" sh -c 'grep -q "^  submit: submit_time " g.yaml && grep -q "^  gpus: gpu_num " g.yaml'
check "what it cannot know is asked" sh -c 'grep -q "unit: TODO" g.yaml && grep -q "TODO: dates have no time zone" g.yaml && grep -q "not used: vc" g.yaml'
check "and refused until it is answered" fails 2 "'unit': found 'TODO', expected us, ms, s, m, h or d" "$fairway" trace stats -f table --map g.yaml cluster_log.csv
sed -i 's/unit: TODO/unit: s/' g.yaml
check "and then it reads the file" expect 0 "$fairway" trace stats -f table --map g.yaml cluster_log.csv
printf 'ID,Submitted At,run_time_ms,GPU-count,Mem_GB\n1,03/04/2024 10:00:00,1500,1,2\n2,03/05/2024 10:00:00,1500,1,2\n' >t.csv
check "a day that may be a month is asked" guess t.csv
check "by its place" grep -q 'submit: {value: "`Submitted At`", dates: TODO}' g.yaml
check "units by names" sh -c 'grep -q "duration: {value: run_time_ms, unit: ms}" g.yaml && grep -q "mem: {value: Mem_GB, unit: GB}" g.yaml'
sed -i 's/03.05/03\/25/' t.csv
check "a 25th month there is not" guess t.csv
check "so that is the day" grep -q 'dates: "MM/DD/YYYY hh:mm:ss"' g.yaml
check "and the map reads it" becomes g.yaml t.csv "id submit_s duration_s gpus mem_mib" "1 0 1.5 1 1907.3486328
2 1814400 1.5 1 1907.3486328"
printf 'Job Number;Queued At;Duration (min);GPU Count;Card;Mem [GB];Note\n7;28.03.2026 08:01;1.5;1;A100;2;"a; b"\n' >excel.csv
check "a .csv of a spreadsheet, with semicolons" guess excel.csv
check "is separated by them" grep -q "^separator: semicolon" g.yaml
check "units in brackets" sh -c 'grep -q "duration: {value: \"\`Duration (min)\`\", unit: m}" g.yaml && grep -q "Mem \[GB\]\`\", unit: GB}" g.yaml'
check "dates with the day first have no zone either" grep -q "TODO: dates have no time zone" g.yaml
check "and the map reads it" becomes g.yaml excel.csv "id submit_s duration_s gpus mem_mib" "7 0 90 1 1907.3486328"
check "a table taken for the native format is pointed to guess" fails 2 "\`fairway trace guess FILE\` writes a map" "$fairway" trace stats excel.csv
check "a table without a header" guess v2020.csv
check "is told so" grep -q "TODO: the first row has numbers, so the columns have no names" g.yaml
check "and lacks what is needed" fails 2 "'submit' is still to be filled in" "$fairway" trace stats -f table --map g.yaml v2020.csv
check "what sacct prints has a format of its own" guess "$here/tests/cli/sacct-22.05.txt"
check "which is said" grep -q "format: sacct" g.yaml
check "JSON lines" guess req.jsonl
check "have paths" grep -q 'not used: hash_ids.#' g.yaml
exit $bad
