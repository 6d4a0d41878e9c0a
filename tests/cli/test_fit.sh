#!/bin/sh
# fairway trace fit, generate --model and resample: what a model tells of nobody, what its table and words follow from,
# what may be asked of it, and weeks that stay whole.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 2

# Eight weeks of nine users with names.  Every duration and memory, and every second arrival, is there once alone; the
# sizes and limits of most jobs are common ones.
awk 'BEGIN {
    print "id,submit_s,duration_s,user,queue,gpus,cpus,mem_mib,limit_s,labels"
    x = 42
    for (day = 0; day < 56; day++) for (u = 1; u <= 9; u++) {
        x = (x * 16807) % 2147483647
        n = x % 7 < (u < 5 ? 5 : 2) ? 1 + x % (u < 4 ? 9 : 4) : 0
        for (i = 0; i < n; i++) {
            x = (x * 16807) % 2147483647; k++
            d = 61 + k * 7 + (x % 50) * 613 + 0.013
            t = day * 86400 + 28800 + (u * 977 % 28800) + i * 37 + k % 11
            printf "job%05d,%d,%.3f,petra%d,secretlab,%d,%d,%d,%d,zone%d\n",
                k, t, d, u, x % 5 == 0 ? 8 : x % 2 + 1, 4, 70001 + k * 3, d < 7200 ? 7200 : 86400, u } } }' >own.csv
(head -n 1 own.csv; tail -n +2 own.csv | sort -t, -k2,2n) >sorted.csv
check 'a model is learnt' expect 0 "$fairway" trace fit sorted.csv -o own.yaml -d fit.db --draws 4
cp out words
check 'who asks for more than it holds is told of' says 'jobs ask for more than cards, cores, memory and time'
"$fairway" trace fit sorted.csv -o again.yaml --draws 4 >words2 2>/dev/null
check 'the same trace gives the same model and words' eval 'cmp own.yaml again.yaml && cmp words words2'

# ---- what it tells of nobody ----
numbers() { sed '/^#/d; s/[^0-9.e+-]/ /g' "$1" | tr ' ' '\n' | sed '/[0-9]/!d' | sort -u; }
numbers own.yaml >in_model
# Of all numbers of the trace, those of one row alone; times and memory of a row have five digits and more.
for c in 2 3 8; do tail -n +2 own.csv | cut -d, -f$c | sort | uniq -u; done | sort -u >once
check 'the trace has values that are there once' test "$(wc -l <once)" -gt 2000
check 'no name, id, queue or label is in the model' expect 1 grep -E 'petra|secretlab|zone[0-9]|job0' own.yaml
check 'no value that is there once is in the model' same "$(comm -12 once in_model)" ''
check 'its numbers have three digits' same "$(sed '/gpus:/s/\(cpus\|gpus\|mem_mib\): *[0-9.]*//g; /^#/d' own.yaml |
    grep -oE '[0-9.]+' | awk '{ s = $0; gsub(/\./, "", s); sub(/^0+/, "", s); sub(/0+$/, "", s)
                               if (length(s) > 3) print $0 }')" ''
check 'what few ask for is rounded to three binary digits' same "$(grep -oE 'mem_mib: [0-9.]+' own.yaml | cut -d' ' -f2 |
    awk '{ x = $1 * 1048576; while (x >= 8 && x == int(x / 2) * 2) x /= 2; if (x >= 8) print $1 }')" ''
# A user of one job more or less is of a class of several.
check 'users of few jobs are not told apart' eval 'grep -c "^  - users: 1$" own.yaml >n && [ "$(cat n)" -le 9 ]'

# ---- what the words follow from ----
"$fairway" trace fit sorted.csv -o own.yaml --draws 4 --csv 2>/dev/null >table.csv
awk -F, 'NR > 1 { v = $7 != "" ? ($7 + 0 <= $8 + 0 ? "nearer" : "further") : $3 < $5 ? "above" : $3 > $6 ? "below" : "within"
    if (v != $9) print $1 ": " v " is called " $9 }' table.csv >wrong
check 'every verdict follows from its row' same "$(cat wrong)" ''
list() { awk -F, -v v="$1" 'NR > 1 && $9 == v { print $1 }' table.csv; }
sentence() {        # VERDICT WORDS: the sentence names these and no others
    found=$(sed -n "s/^$2: \(.*\)\.\$/\1/p" words | sed 's/ and /, /')
    same "$found" "$(list "$1" | awk '{ printf "%s%s", (NR > 1 ? ", " : ""), $0 }')"
}
check 'what is near is said of those that are'  sentence nearer 'As near to the trace as its two halves are to each other, or nearer'
check 'what is far is said of those that are'   sentence further 'Further from the trace than its two halves are from each other'
check 'what is between is said of those that are' sentence within 'The trace is between the least and the most of the draws'
check 'what is above is said of those that are' sentence above 'More in every draw than in the trace'
check 'what is below is said of those that are' sentence below 'Less in every draw than in the trace'
check 'the rows are those of the table' same \
    "$(sqlite3 fit.db "SELECT figure || ' ' || printf('%.4g', trace) || ' ' || verdict FROM fit_figure ORDER BY figure")" \
    "$("$fairway" trace fit sorted.csv -o own.yaml --draws 4 --json 2>/dev/null | tr '{' '\n' |
       sed -n 's/.*"figure": *"\([^"]*\)".*"trace": *\([0-9.e+-]*\).*"verdict": *"\([a-z]*\)".*/\1 \2 \3/p' |
       awk '{ x = $(NF - 1); v = $NF; NF -= 2; printf "%s %.4g %s\n", $0, x, v }' | LC_ALL=C sort)"
check 'hours of the rows hold every job' same "$(sqlite3 fit.db "SELECT sum(arrivals) FROM fit_hour WHERE of = 'trace'")" \
    "$(awk 'END { printf "%.1f", NR - 1 }' own.csv)"
check 'a figure is drawn of them' expect 0 "$fairway" plot fit.db fit -o fit.svg
check 'a figure needs a fit' fails 2 'holds no fit of' "$fairway" plot fit.db fit --scenario other.yaml -o no.svg

# Kolmogorov and Smirnov's distance by another program, of the durations of one draw.
if /usr/bin/python3 -c 'import scipy.stats' 2>/dev/null; then
    "$fairway" trace fit sorted.csv -o own.yaml --draws 1 --csv 2>/dev/null >one.csv
    "$fairway" trace generate --model own.yaml "span=$(awk -F, 'NR == 2 { a = $2 } NR > 1 { b = $2 } END { printf "%.3f", b - a }' sorted.csv)" -o draw.csv
    check 'the distance is the one that scipy finds' /usr/bin/python3 - <<'PY'
import csv, scipy.stats
def durations(name): return [float(r['duration_s']) for r in csv.DictReader(open(name))]
ks = scipy.stats.ks_2samp(durations('sorted.csv'), durations('draw.csv')).statistic
ours = [float(r['distance']) for r in csv.DictReader(open('one.csv')) if r['figure'] == 'duration'][0]
assert abs(ks - ours) < 2e-3, (ks, ours)
PY
else
    echo 'skipped - no scipy'
fi

# ---- jobs of a model ----
gen() { "$fairway" trace generate --model own.yaml "$@"; }
gen -s 3 -o a.csv; gen -s 3 >b.csv; gen -s 4 >c.csv; gen -s 3 load=2 >d.csv; gen -s 3 span=7d >e.csv
check 'the same seed gives the same jobs' cmp a.csv b.csv
check 'another seed gives others' expect 1 cmp -s a.csv c.csv
check 'what is made is a trace' expect 0 "$fairway" trace stats a.csv
check 'a shorter span ends earlier' eval '[ "$(tail -n 1 e.csv | cut -d, -f2 | cut -d. -f1)" -lt 604800 ]'
tail -n +2 a.csv | cut -d, -f2- | sort >a.rows
tail -n +2 d.csv | cut -d, -f2- | grep -vE ',u[0-9]+-2,' | sort >d.rows
check 'the jobs of load 1 are there at load 2, and new users with others' cmp a.rows d.rows
check 'those of new users are about as many' eval \
    'n=$(wc -l <a.csv) m=$(grep -cE ",u[0-9]+-2," d.csv) && [ $((m * 100 / n)) -ge 60 ] && [ $((m * 100 / n)) -le 150 ]'
cat >s.yaml <<'YAML'
name: s
cluster:
  groups:
    - {name: n, count: 4, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100}
trace:
  format: model
  model: {file: own.yaml, load: 1}
policies: [easy]
seeds: [3]
sweep:
  set: {trace.model.load: [1, 2]}
  seeds: 2
YAML
"$fairway" trace stats --csv a.csv >a.txt
"$fairway" trace stats --csv --scenario s.yaml 2>/dev/null | grep -v 'offered\|gaps' >s.txt
check 'a scenario draws the jobs that trace generate writes' cmp a.txt s.txt
check 'a sweep goes over loads and seeds' eval '"$fairway" sweep s.yaml -q -d s.db && same "$(sqlite3 s.db "SELECT count(DISTINCT digest) FROM run")" 4'
sed '/^sweep:/,$d' s.yaml >size.yaml
cat >>size.yaml <<'YAML'
search:
  set: {cluster.groups.0.count: {from: 1, to: 2}}
  objective: {minimise: nodes}
  promises: [{policy: easy, metric: wait_mean, at_most: 1e9}]
  loads: [2]
  seeds: 2
  looks: 1
  budget: {runs: 20}
YAML
check 'a search for a size asks for more users, not for a speedup' expect 0 "$fairway" search size.yaml -q -d size.db
check 'at each load' same "$(sqlite3 size.db "SELECT group_concat(value) FROM (SELECT DISTINCT value FROM search_value v
    JOIN search_variable x USING (search, variable) WHERE x.name = 'trace.model.load' ORDER BY 1)")" '1,2'
sed 's/^days: .*/days: 21/' own.yaml >changed.yaml && mv changed.yaml own.yaml
check 'other bytes of the model are another trace' eval '"$fairway" sweep s.yaml -q -d s.db && same "$(sqlite3 s.db "SELECT count(DISTINCT digest) FROM run")" 8'

# ---- what cannot be ----
check 'a trace of few jobs is not decided on' fails 2 'not decided: ' "$fairway" trace fit sorted.csv --to 1d -o no.yaml
check 'and leaves no model' test ! -e no.yaml
awk 'BEGIN { print "id,submit_s,duration_s,cpus"
    for (i = 0; i < 120; i++) print "j" i "," (i < 119 ? i * 60 : "4000000000") ",60,1" }' \
    >ages.csv
check 'one of more than a hundred years is refused' fails 2 'expected at most 36500 days' \
    "$fairway" trace fit ages.csv -o no.yaml
check 'fit needs a file' fails 2 'fit needs -o' "$fairway" trace fit sorted.csv
check 'an unknown parameter has a nearest one' fails 2 "did you mean 'load'" "$fairway" trace generate --model own.yaml laod=2
check 'a load is above 0' fails 2 'outside 0.001..1000' "$fairway" trace generate --model own.yaml load=0
check 'a model that makes too many jobs is refused' fails 2 'more than 10000000 or' "$fairway" trace generate --model own.yaml load=1000 span=9000w
check 'gaps of a model are not shrunk' fails 2 'would shrink the gaps of bursts too' "$fairway" run s.yaml --set trace.load=2
check 'a model is needed' fails 2 'found no model: {file: FILE}' "$fairway" run s.yaml --set trace.model=
"$fairway" trace generate -s 1 jobs=200 >fresh.csv

# ---- weeks ----
week=604800
"$fairway" trace resample sorted.csv by=user,week load=2 span=35d -s 5 -o r.csv 2>notes
"$fairway" trace resample sorted.csv by=user,week load=2 span=35d -s 5 2>/dev/null >r2.csv
check 'resampling hangs on the seed' eval 'cmp r.csv r2.csv && "$fairway" trace resample sorted.csv load=2 span=35d -s 6 2>/dev/null | expect 1 cmp -s - r.csv'
# Of each user and week: the jobs by id, with their second of the week; with the week of the trace in front of the original.
first=$(awk -F, 'NR == 2 { print $2 }' sorted.csv)
awk -F, -v w=$week -v f="$first" 'NR > 1 { t = $2 - f; k = $4 " " int(t / w); a[k] = a[k] sprintf(" %s@%d", $1, t - int(t / w) * w) }
    END { for (k in a) { split(k, p, " "); print p[1] a[k] } }' sorted.csv | sort >blocks
awk -F, -v w=$week 'NR > 1 { split($1, id, "~"); split($4, u, "~"); k = $4 " " int($2 / w)
        a[k] = a[k] sprintf(" %s@%d", id[1], $2 - int($2 / w) * w) }
    END { for (k in a) { split(k, p, " "); split(p[1], u, "~"); print u[1] a[k] } }' r.csv | sort -u >drawn
check 'weeks of users are drawn' test "$(wc -l <drawn)" -gt 20
check 'each is whole, of that user, and at its time of the week' same "$(comm -23 drawn blocks)" ''
check 'no id is there twice' same "$(cut -d, -f1 r.csv | sort | uniq -d)" ''
check 'twice the users' same "$(tail -n +2 r.csv | cut -d, -f4 | sed 's/.*~2/new/; s/^petra.*/old/' | sort -u | tr '\n' ' ')" 'new old '
check 'what it asks for is kept' same "$(tail -n +2 r.csv | cut -d, -f6- | sort -u | comm -23 - "$("$fairway" trace convert sorted.csv 2>/dev/null |
    tail -n +2 | cut -d, -f6- | sort -u >all; echo all)")" ''
check 'one week is not decided on' fails 2 'not decided: ' "$fairway" trace resample sorted.csv --to 5d
check 'nothing else is drawn by' fails 2 "'day' is not known, expected 'user,week'" "$fairway" trace resample sorted.csv by=day
exit $bad
