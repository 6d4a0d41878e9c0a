#!/bin/sh
# A short storm, the plans that once went wrong, and whether the check of the tables sees what it is for.
. "$(dirname "$0")/../cli/lib.sh"
storm=$(dirname "$fairway")/tests/storm/storm
[ -x "$storm" ] || { echo "skipped - $storm is not built: make test"; exit 77; }

short() { expect 0 "$storm" --runs 400 --first 1000 && says ' 0 findings'; }
check 'failures at the worst moments under every policy: nothing impossible in the tables' short

while read -r plan; do
    case $plan in ''|\#*) continue ;; esac
    again() { expect 0 "$storm" --plan "$plan" && says 'nothing is wrong'; }
    check "what once went wrong: $(echo "$plan" | cut -c1-60)" again
done <"$here/tests/storm/found.txt"

# sees PLAN WORDS SQL: the plan's rows are right, and once changed so found to be impossible
sees() {
    rm -f "$dir/runs.db"
    expect 0 "$storm" --plan "$1" --db "$dir/runs.db" && says 'nothing is wrong' || return 1
    sqlite3 "$dir/runs.db" "$3; SELECT CASE WHEN changes() = 0 THEN 'nothing changed' END" >"$dir/sql" 2>&1
    grep . "$dir/sql" && return 1
    expect 1 "$storm" --plan "$1" --check "$dir/runs.db" && says "$2"
}
if command -v sqlite3 >/dev/null; then
    jobs='5 srtf:place=pack,mode=skip 0:30-60' calls='3 mct 1:40-80'
    done="outcome = 'done' AND end_us > start_us"
    check 'a job without a row is seen' sees "$jobs" 'jobs were given' \
        "DELETE FROM job WHERE ordinal = (SELECT max(ordinal) FROM job)"
    check 'a lost task is seen' sees "$jobs" ', and its task' \
        "UPDATE attempt SET outcome = 'failed' WHERE ordinal = (SELECT min(ordinal) FROM attempt WHERE $done)"
    check 'work not done is seen' sees "$jobs" 'less time' \
        "CREATE TEMP TABLE f AS SELECT min(ordinal) o FROM attempt WHERE $done;
         UPDATE attempt SET end_us = start_us WHERE ordinal = (SELECT o FROM f);
         UPDATE job SET end_us = start_us, ran_us = 0 WHERE ordinal = (SELECT o FROM f)"
    check 'a task done twice is seen' sees "$jobs" 'comes after' \
        "INSERT INTO attempt
         SELECT run, ordinal, task, attempt + 1, node, cards, end_us, end_us, outcome, is_short, lender FROM attempt
         WHERE $done LIMIT 1"
    check 'a task in two places is seen' sees "$jobs" 'before it runs' \
        "UPDATE attempt SET start_us = (SELECT b.start_us FROM attempt b WHERE b.ordinal = attempt.ordinal
         AND b.task = attempt.task AND b.attempt = 1) WHERE attempt = 2"
    check 'a node that is down is seen' sees "$jobs" 'which is down' \
        "INSERT INTO outage SELECT run, node, start_us, end_us FROM attempt WHERE $done AND node <> 0 LIMIT 1"
    check 'a full node is seen' sees "$jobs" 'are held' \
        "UPDATE node SET cpu_milli = 600
         WHERE node = (SELECT node FROM attempt NATURAL JOIN request WHERE cpu_milli > 600 AND $done LIMIT 1)"
    check 'a card given twice is seen' sees "$jobs" 'is given out' "UPDATE request SET gpu_milli = 1500 WHERE n_gpu > 0"
    check 'a missing label is seen' sees "$jobs" 'its labels' "UPDATE capability SET labels = 0"
    check 'half a change of size is seen' sees '175 afs 0:30-60' 'is not together' \
        "UPDATE attempt SET end_us = end_us - 1 WHERE outcome = 'scaled' AND task = 1 AND end_us > start_us + 1"
    check 'a job that went for the wrong end of another is seen' sees '118 afs 0:30-60' 'did not end so' \
        "UPDATE job SET status = 'timeout' WHERE status = 'done' AND id IN (SELECT last FROM dependency)"
    check 'a call too few is seen' sees "$calls" 'of its' "DELETE FROM call WHERE call = 0 AND done = 1"
    check 'an engine used twice is seen' sees "$calls" 'engines of kind' \
        "UPDATE capability SET engines = '0,0,0,0,0,0'"
else
    echo 'skipped - what the check sees: no sqlite3'
fi
exit $bad
