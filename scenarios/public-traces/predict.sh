#!/bin/sh
# Waits of the second half of public traces, predicted from the first half:
#     predict.sh FAIRWAY DIR [TRACE]...
# FAIRWAY is the program, DIR a folder for models, results (predict.db) and predict.md; traces: helios, philly, hpc2n,
# wagap, openb, ub-hpc, all that are in $FAIRWAY_TRACES unless some are named.  SEEDS (5) draws of each model.
# Four predictions: the first half itself; a model learnt from it; the model with as much more load as the second half
# has, which nobody knows beforehand (what is left is the error of the model, not of the year); its weeks, resampled.
set -eu
fairway=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- helios philly hpc2n wagap openb ub-hpc
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
seeds=${SEEDS:-5}
db=$out/predict.db
rm -f "$db"

# What of the trace's scenario is changed, and the policies: a cluster small enough for jobs to wait.
settings() {
    case $1 in
    helios) echo "helios.yaml fifo:mode=skip,place=pack srtf:estimate=true,place=pack drf:place=pack
                  trace.speedup=1 cluster.groups.0.count=90" ;;
    philly) echo "philly.yaml fifo:mode=skip,place=pack srtf:estimate=true,place=pack drf:place=pack" ;;
    hpc2n)  echo "swf.yaml fifo:mode=skip,place=first easy:place=first drf:place=first
                  trace.load= cluster.groups.0.count=80" ;;
    wagap)  echo "swf.yaml fifo:mode=skip,place=first easy:place=first drf:place=first trace.path=swf/wagap-2013.swf
                  trace.load= cluster.groups.0.count=100 cluster.groups.0.cpus=16 cluster.groups.0.mem=256GiB" ;;
    openb)  echo "openb-tenth.yaml fifo:mode=skip,place=best easy:place=best drf:place=best trace.load= trace.speedup=1" ;;
    ub-hpc) echo "slurm.yaml fifo:mode=skip,place=best easy:place=best drf:place=best" ;;
    *)      echo "no trace '$1'" >&2; exit 2 ;;
    esac
}

# A figure of the trace, under --set of its own.
figure() { name=$1; shift; "$fairway" trace stats --scenario "$yaml" "$@" --csv | awk -F, -v n="$name" '$1 == n { print $2 }'; }

# Runs under the three policies, as TRACE.NAME.
simulate() {
    name=$1 from=$2; shift 2
    # shellcheck disable=SC2086   # the policies are words
    "$fairway" run "$yaml" "$@" --set "name=$trace.$name" $policies -s "$from" -q -d "$db" 2>/dev/null
}

predict() {
    yaml= sets= policies=
    for word in $(settings "$trace"); do
        case $word in
        *.yaml)    yaml=$here/$word ;;
        *.*=*)     sets="$sets --set $word" ;;
        *)         policies="$policies -p $word" ;;
        esac
    done
    # shellcheck disable=SC2086   # the settings are words
    set -- $sets
    span=$(figure 'span of arrivals' "$@") || return 0
    half=$(awk -v s="$span" 'BEGIN { printf "%.0f", s / 2 }')
    rest=$(awk -v s="$span" -v h="$half" 'BEGIN { printf "%.0f", s - h }')
    if ! "$fairway" trace fit --scenario "$yaml" "$@" --set "trace.window.to=$half" -o "$out/$trace.yaml" -d "$db" \
        --draws "$seeds" >"$out/$trace.txt" 2>"$out/$trace.err"; then
        sed -n "s/.*error: /$trace: /p" "$out/$trace.err" | head -n 1
        return 0
    fi
    kind=GPU
    [ "$(figure 'offered GPU load' "$@")" != 0 ] || kind=CPU
    one=$(figure "offered $kind load" "$@" --set "trace.window.to=$half")
    two=$(figure "offered $kind load" "$@" --set "trace.window.from=$half")
    load=$(awk -v a="$one" -v b="$two" 'BEGIN { printf "%.3f", b / a }')
    echo "$trace: offered load $one in the first half, $two in the second"
    files=
    for seed in $(seq "$seeds"); do
        "$fairway" trace resample --scenario "$yaml" "$@" --set "trace.window.to=$half" "span=${rest}s" -s "$seed" \
            -o "$out/$trace.$seed.csv" 2>/dev/null && files="$files${files:+, }$out/$trace.$seed.csv"
    done
    simulate replayed 1 "$@" --set "trace.window.from=$half"
    simulate first 1 "$@" --set "trace.window.to=$half"
    model="format: model, model: {file: $out/$trace.yaml, span: ${rest}s"
    # The trace section is another one: the settings of the file's are left out.
    own=$(for word in $sets; do case $word in --set | trace.*) ;; *) echo "--set $word" ;; esac; done)
    # shellcheck disable=SC2086
    simulate model "1..$seeds" $own --set "trace={$model}}"
    # shellcheck disable=SC2086
    simulate loaded "1..$seeds" $own --set "trace={$model, load: $load}}"
    # shellcheck disable=SC2086
    [ -z "$files" ] || simulate weeks "1..$seeds" $own --set "trace={format: native, instances: [$files]}"
}

for trace in "$@"; do predict; done >"$out/notes.txt"
cat "$out/notes.txt"

# Means over seeds with their range, and the errors (none of 0); a row a trace, policy, metric and prediction.
sqlite3 "$db" "
CREATE TABLE predicted (trace TEXT, policy TEXT, metric TEXT, by TEXT, mean REAL, least REAL, most REAL, seeds INTEGER,
                        replayed REAL, error REAL, PRIMARY KEY (trace, policy, metric, by));
WITH x AS (SELECT substr(scenario, 1, instr(scenario, '.') - 1) AS trace,
                  substr(policy, 1, instr(policy, ':') - 1) AS policy,
                  CASE WHEN name LIKE '%util' THEN 'utilisation' ELSE name END AS metric,
                  substr(scenario, instr(scenario, '.') + 1) AS by,
                  value * CASE WHEN name LIKE '%util' THEN 100 ELSE 1 / 3600.0 END AS v
           FROM v_metric m WHERE scope = 'all' AND (name IN ('wait_mean', 'wait_p95') OR name =
                CASE WHEN EXISTS (SELECT 1 FROM metric g WHERE g.run = m.run AND g.name = 'gpu_util' AND g.value > 0)
                     THEN 'gpu_util' ELSE 'cpu_util' END)),
     s AS (SELECT trace, policy, metric, by, avg(v) AS mean, min(v) AS least, max(v) AS most, count(*) AS n
           FROM x GROUP BY 1, 2, 3, 4)
INSERT INTO predicted
SELECT s.trace, s.policy, s.metric, s.by, s.mean, s.least, s.most, s.n, r.mean, (s.mean - r.mean) / r.mean * 100
FROM s JOIN s r ON r.trace = s.trace AND r.policy = s.policy AND r.metric = s.metric AND r.by = 'replayed';
CREATE TABLE prediction (by TEXT PRIMARY KEY, name TEXT, number INTEGER);
INSERT INTO prediction VALUES ('first', 'first half', 1), ('model', 'model', 2), ('loaded', 'model, load known', 3),
                              ('weeks', 'resampled weeks', 4);"

# A cell: the prediction, the least and the most of its draws, its error.
cell="max(CASE WHEN by = '%s' THEN printf('%%.3g', mean) || CASE WHEN seeds > 1 THEN printf(' [%%.3g, %%.3g]', least, most)
      ELSE '' END || CASE WHEN error IS NULL THEN '' ELSE printf(' (%%+.0f %%%%)', error) END END) AS \"%s\""
cells() { sqlite3 -separator '	' "$db" "SELECT by, name FROM prediction ORDER BY number" |
    while IFS='	' read -r by name; do printf ", $cell" "$by" "$name"; done; }
for metric in wait_mean wait_p95 utilisation; do
    case $metric in utilisation) unit=% ;; *) unit=h ;; esac
    printf '\n%s, %s\n\n' "$metric" "$unit"
    sqlite3 -markdown "$db" "SELECT trace, policy, printf('%.3g', max(replayed)) AS replayed$(cells)
        FROM predicted WHERE metric = '$metric' GROUP BY trace, policy ORDER BY trace, policy"
done >"$out/predict.md"
{
    echo
    sqlite3 "$db" "
    WITH e AS (SELECT by, metric, abs(error) AS a, row_number() OVER (PARTITION BY by, metric ORDER BY abs(error)) AS k,
                      count(*) OVER (PARTITION BY by, metric) AS n FROM predicted WHERE by <> 'replayed' AND error IS NOT NULL),
         m AS (SELECT metric, name, number, avg(a) AS median FROM e JOIN prediction USING (by)
               WHERE 2 * k BETWEEN n AND n + 2 - n % 2 GROUP BY metric, name ORDER BY metric, number)
    SELECT 'Median error of ' || metric || ': ' || group_concat(printf('%s %.0f %%', name, median), '; ') || '.'
    FROM m GROUP BY metric ORDER BY metric;
    SELECT 'Replayed between the least and the most of the draws: ' || group_concat(n, '; ') || '.'
    FROM (SELECT printf('%s %d of %d', name, sum(replayed BETWEEN least AND most), count(*)) AS n
          FROM predicted JOIN prediction USING (by) WHERE seeds > 1 GROUP BY by ORDER BY number);
    WITH o AS (SELECT trace, by, group_concat(policy) AS ordered
               FROM (SELECT * FROM predicted WHERE metric = 'wait_mean' ORDER BY trace, by, mean) GROUP BY trace, by)
    SELECT 'Policies in the order of the replay by mean wait: ' || group_concat(n, '; ') || '.'
    FROM (SELECT printf('%s %d of %d traces', name, sum(o.ordered = r.ordered), count(*)) AS n
          FROM o JOIN o r ON r.trace = o.trace AND r.by = 'replayed' JOIN prediction ON prediction.by = o.by
          GROUP BY o.by ORDER BY number);"
} >>"$out/predict.md"
cat "$out/predict.md"
"$fairway" plot "$db" --with bars --by prediction --ylabel 'Mean wait (h)' --lo lo --hi hi -o "$out/predict.svg" --sql "
    SELECT trace || ' ' || policy AS case_, mean AS hours, coalesce(name, 'replayed') AS prediction, least AS lo, most AS hi
    FROM predicted LEFT JOIN prediction USING (by) WHERE metric = 'wait_mean' ORDER BY trace, policy, coalesce(number, 0)"
