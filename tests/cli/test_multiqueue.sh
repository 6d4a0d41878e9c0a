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
holds "while one CPU job seldom moves that much"            '!above("no_contention", "gpu_active", "all") && !below("no_contention", "gpu_active", "all")'
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

# alexnet: 600 s alone, 10 s until the first look, the rest; of 7200 s.
run multiqueue-contention
for c in alexnet resnet50 copy; do values multiqueue-contention none --scope class=$c -m slowdown_mean; done >"$dir/values"
holds "S0-24: slowed by 1.19 without throttling"  'near("none", "slowdown_mean", "class=alexnet", (600 + 6600 * 1.19) / 7200)'
holds "S0-24: by 1.07 once the CPU job is halved" 'near("throttling", "slowdown_mean", "class=alexnet", (610 + (6600 - 10 / 1.19) * 1.07) / 7200)'
holds "S0-25: who is not slowed has its neighbour left alone" \
    'near("throttling", "slowdown_mean", "class=resnet50", 1) && near("throttling", "slowdown_mean", "class=copy", (1 + (10 + 14390 * 2) / 14400) / 2)'
exit $bad
