#!/bin/sh
# The multi-queue experiments (scenarios/multiqueue/README.md): S0-28's signs with 95 % intervals
# over ten seeds, each module's part in them, the search's path and throttling alone.
. "$(dirname "$0")/lib.sh"
scenarios=$here/scenarios/multiqueue

run() { "$fairway" run -q -d "$dir/$1.db" "$scenarios/$1.yaml" 2>"$dir/err" || { echo "not ok $1 runs"; cat "$dir/err"; exit 1; }; }
# values DB BASE OPTIONS...: "POLICY METRIC SCOPE MEAN RATIO_LO RATIO_HI PAIRS" a line, blanks in labels as _
values() {
    db=$1 base=$2; shift 2
    "$fairway" compare "$dir/$db.db" --against "$base" --csv "$@" >"$dir/csv" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
    sed 's/"[^"]*"/spec/' "$dir/csv" | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { p = $at["policy"]; gsub(/ /, "_", p)
          print p, $at["metric"], $at["scope"], $at["mean"], $at["ratio_lo95"], $at["ratio_hi95"], $at["pairs"] }'
}
# holds CLAIM EXPRESSION: over mean, lo, hi, pairs of "POLICY METRIC SCOPE"
holds() {
    if awk '{ k = $1 " " $2 " " $3; mean[k] = $4; lo[k] = $5; hi[k] = $6; pairs[k] = $7 }
            function has(k) { if (!(k in mean)) { print "no " k; exit 1 } return k }
            function below(p, m, s) { k = has(p " " m " " s); return pairs[k] >= 10 && hi[k] < 1 }
            function above(p, m, s) { k = has(p " " m " " s); return pairs[k] >= 10 && lo[k] > 1 }
            function near(p, m, s, x) { k = has(p " " m " " s); return mean[k] > x - 0.0005 && mean[k] < x + 0.0005 }
            END { exit !('"$2"') }' "$dir/values" >"$dir/said"; then echo "ok $1"; else echo "not ok $1"; cat "$dir/said"; bad=1; fi
}

run multiqueue
{ values multiqueue DRF --from 1h --to 24h -m gpu_active,gpu_util,frag_lack_cpu,frag_stranded
  for c in class=cpu class=single class=multi gpus=1 gpus=2-3; do values multiqueue DRF --scope $c -m wait_mean; done; } >"$dir/values"
holds "S0-28: GPUs work more than under DRF"                'above("multiqueue", "gpu_active", "all")'
holds "S0-28: single-GPU jobs wait less"                    'below("multiqueue", "wait_mean", "class=single")'
holds "of these, those of one GPU do"                       'below("multiqueue", "wait_mean", "gpus=1")'
holds "and those of two and three do"                       'below("multiqueue", "wait_mean", "gpus=2-3")'
holds "S0-28: multi-GPU jobs wait less"                     'below("multiqueue", "wait_mean", "class=multi")'
holds "S0-28: fewer GPUs idle for want of CPUs"             'below("multiqueue", "frag_lack_cpu", "all")'
holds "S0-28: less GPU capacity is stranded"                'below("multiqueue", "frag_stranded", "all")'
holds "S0-28: CPU jobs do not wait longer"                  'below("multiqueue", "wait_mean", "class=cpu")'
holds "without the search they do, by far"                  'above("no_search", "wait_mean", "class=cpu")'

{ values multiqueue multiqueue --from 1h --to 24h -m gpu_active,gpu_util,frag_lack_cpu
  for c in cpu single multi; do values multiqueue multiqueue --scope class=$c -m wait_mean; done; } >"$dir/values"
holds "S0-28: without the search fewer GPUs are busy"       'below("no_search", "gpu_util", "all")'
holds "S0-28: without the arrays GPUs work less"            'below("no_arrays", "gpu_active", "all")'
holds "S0-28: throttling by a node's traffic lets GPUs work more" 'above("traffic_of_a_node", "gpu_active", "all")'
holds "for one CPU job's as well, though few move that much" 'below("no_contention", "gpu_active", "all")'
holds "without the search more GPUs lack CPUs"              'above("no_search", "frag_lack_cpu", "all")'
holds "without arrays more GPUs lack CPUs"                  'above("no_arrays", "frag_lack_cpu", "all")'
holds "what arrays and throttling cost: CPU jobs wait less without" \
    'below("no_arrays", "wait_mean", "class=cpu") && below("no_contention", "wait_mean", "class=cpu")'
holds "GPU arrays cost no work of GPUs"                     '!above("no_GPU_arrays", "gpu_active", "all")'
holds "nor do arrays by number"                             '!below("GPU_arrays_by_number", "gpu_active", "all")'
holds "S0-18: and let multi-GPU jobs wait less"             'above("no_GPU_arrays", "wait_mean", "class=multi")'
holds "but lent to an empty queue alone, as the patent says, they do" \
    'below("lent_to_an_empty_queue", "gpu_active", "all") && below("by_number_and_so_lent", "gpu_active", "all")'

run multiqueue-search
[ "$(sqlite3 "$dir/multiqueue-search.db" "SELECT group_concat(value, ' ') FROM (SELECT CAST(value AS INTEGER) AS value
    FROM note WHERE run = 1 AND name = 'search_cores' ORDER BY seq)")" = \
  "1 2 3 4 5 6 7 6 6 5 7 6 5 4 3 2 1 2 2 1 3 4 3 1 2 3 4 5 6 7 6" ] && echo "ok the path of five searches, slim" || { echo "not ok the path of five searches, slim"; bad=1; }
[ "$(sqlite3 "$dir/multiqueue-search.db" "SELECT group_concat(value, ' ') FROM (SELECT CAST(value AS INTEGER) AS value
    FROM note WHERE run = 1 AND name = 'cores_found' ORDER BY seq)")" = "6 6 2 3 6" ] && echo "ok S0-10: each ends at its published best" || { echo "not ok S0-10: each ends at its published best"; bad=1; }

# A second month begins with what the first one found: image models on one card 2 cores, on four 6, speech models 3.
check() { name=$1; shift; if "$@" >"$dir/said" 2>&1; then echo "ok $name"; else echo "not ok $name"; cat "$dir/said"; bad=1; fi; }
same() { [ "$1" = "$2" ] || { printf 'found:    %s\nexpected: %s\n' "$1" "$2"; return 1; }; }
search() { "$fairway" run -q -d "$dir/month.db" "$@"; }
path_of() { sqlite3 "$dir/month.db" "SELECT group_concat(value, ' ') FROM (SELECT CAST(value AS INTEGER) AS value
    FROM note WHERE run = $1 AND name = 'search_cores' ORDER BY seq)"; }
saved() { sqlite3 "$dir/month.db" <"$scenarios/history.sql"; }
check "a run saves what its searches found" search -p multiqueue:save_history=true "$scenarios/multiqueue-search.yaml"
check "by category and layout, the last of each" same "$(saved)" "category,gpus,tasks,cores,util
image,1,1,2,1.0
image,4,1,6,1.0
speech,1,1,3,1.0"
saved >"$dir/history.csv"
sed -e "s|\.\./\.\.|$here|" -e '/^policies/,/^[a-z]*:/{/^ *-/d;s/^policies:.*/policies: [{name: multiqueue, save_history: true, history_file: history.csv}]/}' \
    "$scenarios/multiqueue-search.yaml" >"$dir/second.yaml"
check "another begins with it; the file is found beside the scenario" search "$dir/second.yaml"
check "the first of each kind begins where the last one of the month before ended" same "$(path_of 2 | cut -d' ' -f1-7) .. $(path_of 2 | rev | cut -d' ' -f1-4 | rev)" \
    "2 1 3 4 5 6 7 .. 6 5 7 6"
check "what it began with and did not search again is saved, too" same "$(saved | cut -d, -f1-3)" "category,gpus,tasks
image,1,1
image,4,1
speech,1,1"
key_of() { sqlite3 "$dir/month.db" "SELECT key FROM run WHERE id = $1"; }
before=$(key_of 2)
check "the same file again is the same run" search "$dir/second.yaml"
check "which is replaced" same "$(sqlite3 "$dir/month.db" "SELECT count(*), max(key = '$before') FROM run")" "2|1"
sed -i 's/image,1,1,2/image,1,1,5/' "$dir/history.csv"
check "another file of that name" search "$dir/second.yaml"
check "is another run" same "$(sqlite3 "$dir/month.db" "SELECT count(*) FROM run")" 3
{ cat "$dir/second.yaml"; echo 'sweep: {params: {multiqueue.cold: [1, 2]}}'; } >"$dir/sweep.yaml"
check "runs of a sweep read it at once" "$fairway" sweep -q -j 2 -d "$dir/sweep.db" "$dir/sweep.yaml"
check "and each saves what it found by itself" same "$(sqlite3 "$dir/sweep.db" "SELECT count(DISTINCT run),
    max(CASE WHEN name = 'history_cores:1:1:speech' THEN value END) FROM note WHERE name GLOB 'history_*'")" "2|3.0"
# Whatever a category is called.
sed "s/,image,/,\"pictures: \"\"all\"\", us\",/" "$here/traces/profiles/coda.csv" >"$dir/coda.csv"
sed "s|file: .*coda.csv|file: coda.csv|; s/, history_file: history.csv//" "$dir/second.yaml" >"$dir/third.yaml"
check "a category may have any name" search "$dir/third.yaml"
saved >"$dir/named.csv"
check "which is saved" same "$(sed -n 2p "$dir/named.csv")" '"pictures: ""all"", us",1,1,2,1.0'
check "and read" search -p "multiqueue:history_file=$dir/named.csv" "$dir/third.yaml"
# refuses NAME MESSAGE ROW...: with the file's path in front
refuses() {
    name=$1 want=$2; shift 2
    printf '%s\n' "$@" >"$dir/history.csv"
    search "$dir/second.yaml" >"$dir/said" 2>&1
    code=$?
    if [ $code = 2 ] && grep -qF "history.csv:$want" "$dir/said"; then echo "ok $name"; else echo "not ok $name ($code)"; cat "$dir/said"; bad=1; fi
}
head=category,gpus,tasks,cores,util
refuses "another heading" "1:1: error: unknown column 'kind'" kind,cores image,2
refuses "cores that are no number" "3:12: error: cores: 'six' is not" $head image,1,1,2,1 speech,1,1,six,1
refuses "no GPUs" "2:7: error: gpus: 0 is outside 1..1000000" $head image,0,1,2,1
refuses "more than all of the time" "2:13: error: util: '1.5'" $head image,1,1,2,1.5
refuses "a field too few" "2: error: row has 4 fields, expected 5" $head image,1,1,2
refuses "an empty field" "2:13: error: util: " $head image,1,1,2,
refuses "two rows of one kind" "3:1: error: category: a second row of 'image' with gpus 1 and tasks 1" $head image,1,1,2,1 image,1,1,3,1
printf '%s\nvideo,1,1,2,1\n' $head >"$dir/history.csv"
search "$dir/second.yaml" 2>"$dir/gone"
check "models that this scenario does not have" grep -q "history_file, line 2: no model of the scenario's profiles is of the category 'video'" "$dir/gone"
sed -i '/^profiles/d' "$dir/second.yaml"
printf '%s\nimage,1,1,2,1\n' $head >"$dir/history.csv"
search "$dir/second.yaml" 2>"$dir/gone"
check "nor has one without profiles" grep -q "history_file, line 2: no model of the scenario's profiles is of the category 'image'" "$dir/gone"
rm "$dir/history.csv"
search "$dir/second.yaml" 2>"$dir/gone"
check "a file that is not there" grep -q "error: cannot find the file 'history.csv'" "$dir/gone"

# alexnet: 600 s alone, 10 s until the first look, the rest; of 7200 s.
run multiqueue-contention
for c in alexnet resnet50 copy; do values multiqueue-contention none --scope class=$c -m slowdown_mean; done >"$dir/values"
holds "S0-24: slowed by 1.19 without throttling"  'near("none", "slowdown_mean", "class=alexnet", (600 + 6600 * 1.19) / 7200)'
holds "S0-24: by 1.07 once the CPU job is halved" 'near("throttling", "slowdown_mean", "class=alexnet", (610 + (6600 - 10 / 1.19) * 1.07) / 7200)'
holds "S0-25: who is not slowed has its neighbour left alone" \
    'near("throttling", "slowdown_mean", "class=resnet50", 1) && near("throttling", "slowdown_mean", "class=copy", (1 + (10 + 14390 * 2) / 14400) / 2)'
exit $bad
