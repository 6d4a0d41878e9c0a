#!/bin/sh
# scenarios/public-traces/predict.sh: its sentences follow from its rows, and its rows from the runs.
. "$(dirname "$0")/lib.sh"
[ -f "${FAIRWAY_TRACES:-}/swf/hpc2n.swf" ] || { echo "skipped - no public traces"; exit 77; }
FAIRWAY_TRACES=$(cd "$FAIRWAY_TRACES" && pwd) && export FAIRWAY_TRACES
command -v gnuplot >/dev/null || { echo "skipped - no gnuplot"; exit 77; }
SEEDS=2 && export SEEDS
check 'a trace is predicted' expect 0 sh "$here/scenarios/public-traces/predict.sh" "$fairway" "$dir/p" hpc2n openb
cp "$dir/out" "$dir/told"
[ ! -d "$FAIRWAY_TRACES/openb" ] ||
    check 'one with too little in its first half is not decided on' grep -q '^openb: not decided: ' "$dir/told"
db=$dir/p/predict.db

check 'a row for each policy, metric and prediction' same "$(sqlite3 "$db" 'SELECT count(*) FROM predicted')" 45
# From the table of runs, without the views and the script's own query.
sqlite3 -separator ' ' "$db" "SELECT r.scenario, r.policy, m.value FROM run r JOIN metric m ON m.run = r.id
    WHERE m.name = 'wait_mean' AND m.scope = 'all'" |
    awk '{ split($1, a, "."); split($2, p, ":"); k = p[1] " " a[2]; s[k] += $3 / 3600; n[k]++ }
         END { for (k in s) { split(k, w, " "); printf "%s %.6f %.4f\n", k, s[k] / n[k], (s[k] / n[k] / (s[w[1] " replayed"]) - 1) * 100 } }' |
    sort >"$dir/ours"
sqlite3 -separator ' ' "$db" "SELECT policy, by, printf('%.6f', mean), printf('%.4f', error) FROM predicted
    WHERE metric = 'wait_mean'" | sort >"$dir/theirs"
check 'means and errors are those of the runs' cmp "$dir/ours" "$dir/theirs"

median() { # BY: of the errors of wait_mean
    awk -v b="$1" '$2 == b { e = $4 < 0 ? -$4 : $4; x[++n] = e } END {
        for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++) if (x[k] < x[i]) { t = x[i]; x[i] = x[k]; x[k] = t }
        printf "%.0f %%", n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2 }' "$dir/ours"
}
check 'the median errors follow from them' grep -qxF \
    "Median error of wait_mean: first half $(median first); model $(median model); model, load known $(median loaded); resampled weeks $(median weeks)." "$dir/told"
order() { awk -v b="$1" '$2 == b { print $3, $1 }' "$dir/ours" | sort -n | cut -d' ' -f2 | tr '\n' ' '; }
alike() { if [ "$(order "$1")" = "$(order replayed)" ]; then echo '1 of 1 traces'; else echo '0 of 1 traces'; fi; }
check 'the order of the policies follows from them' grep -qxF \
    "Policies in the order of the replay by mean wait: first half $(alike first); model $(alike model); model, load known $(alike loaded); resampled weeks $(alike weeks)." "$dir/told"
within() { sqlite3 "$db" "SELECT name || ' ' || (SELECT count(*) FROM predicted p WHERE p.by = q.by AND p.replayed >= p.least
    AND p.replayed <= p.most) || ' of 9' FROM prediction q WHERE q.by = '$1'"; }
check 'what is between the draws is counted' grep -qxF \
    "Replayed between the least and the most of the draws: $(within model); $(within loaded); $(within weeks)." "$dir/told"
check 'a chart is drawn' test -s "$dir/p/predict.svg"
exit $bad
