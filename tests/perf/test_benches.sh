#!/bin/sh
# The short forms of benches that print figures of documents: do they run, and is what they print what they say?
# Times are not asked for.
. "$(dirname "$0")/../cli/lib.sh"
measure=$(dirname "$fairway")/tests/perf/measure
[ -x "$measure" ] || { echo "skipped - no $measure"; exit 77; }
perf=$here/tests/perf

limits() {
    expect 0 sh "$perf/limits.sh" "$fairway" "$measure" short || return 1
    same "$(awk 'NR > 1 && / [1-9][0-9]* +[1-9][0-9]*$/' "$dir/out" | wc -l)" 5 || { cat "$dir/out"; return 1; }
}
sweep() {
    expect 0 sh "$perf/sweep.sh" "$fairway" "$measure" short || return 1
    same "$(grep -c ' x its runs one by one$' "$dir/out")" 2
}
# One window, one cell, and windows that begin with all that was before them are the whole run, job by job; four windows
# without that are not.
shard() {
    same "$(awk 'NR > 1 && / 100\.0 % +0\.0 %$/ { sub(/,/, "", $3); printf "%s %s %s;", $2, $3, $4 }' "$dir/out")" "$1"
}
rows() {
    TURNS=1 expect 0 sh "$perf/rows.sh" "$measure" "$fairway" || return 1
    same "$(grep -c ' jobs/s; program .* s CPU ' "$dir/out")" 6
}
# The shares of each run come to 100 %, and none is negative.
profile() {
    expect 0 sh "$perf/profile.sh" "$fairway" "$dir/p.csv" "" short || return 1
    same "$(awk -F, 'NR > 1 { sum[$1 " " $2] += $4; if ($4 < 0) print }
        END { for (r in sum) if (sum[r] < 99.5 || sum[r] > 100.5) print r, sum[r]; else n++; print n }' "$dir/p.csv")" 2
}
check "bytes of a waiting job, a finished one and a node are told" limits
check "what a sweep adds to its runs is told" sweep
if [ ! -f "${FAIRWAY_TRACES:-}/philly/sia_philly.csv" ] || ! command -v sqlite3 >/dev/null; then
    echo "skipped - rows, and one run in parts: no public traces, or no sqlite3"
else
    check "what rows cost is told" rows
    check "a run in parts is compared" expect 0 sh "$perf/shard.sh" "$fairway" "$measure" short
    check "parts that are the whole run are found to be" shard \
        "1 windows 0;1 windows 1000;4 windows 1000;1 cells 3000;"
fi
if ! command -v valgrind >/dev/null || grep -q __asan_init "$fairway"; then
    echo "skipped - where time goes: no valgrind, or a program with a sanitizer"
else
    check "shares of time come to the whole" profile
fi
exit $bad
