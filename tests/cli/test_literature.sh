#!/bin/sh
# The scenarios of scenarios/literature with two seeds: what their page says of the order of things.
. "$(dirname "$0")/lib.sh"
for needed in philly/sia_philly.csv helios-venus/helios_trace.csv; do
    [ -f "${FAIRWAY_TRACES:-}/$needed" ] || { echo "skipped - no public traces"; exit 77; }
done
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

holds() { [ "$(sqlite3 :memory: "SELECT $1")" = 1 ] || { echo "not so: $1"; return 1; }; }
# of TYPES METRIC POLICY: on the trace at hand and `one` or `mixed` GPU types, the mean over seeds
of() {
    sqlite3 "$dir/$trace.db" "SELECT avg(value) FROM metric JOIN run ON run.id = metric.run WHERE scope = 'all'
        AND name = '$2' AND policy = '$3' AND (variant = '') = ('$1' = 'one')"
}
interrupted() {
    sqlite3 "$dir/$trace.db" "SELECT sum(n_preempted * n_gpu) FROM job JOIN run ON run.id = job.run
        WHERE policy = '$2' AND (variant = '') = ('$1' = 'one')"
}
for trace in philly helios; do
    check "$trace runs" "$fairway" sweep -q "$here/scenarios/literature/literature-$trace.yaml" -d "$dir/$trace.db" \
        --set sweep.seeds=1..2
    check "every policy ended every job of $trace" same \
        "$(sqlite3 "$dir/$trace.db" "SELECT count(*), (SELECT count(*) FROM run) FROM job WHERE status <> 'done'")" "0|60"
    check "its table has a row a policy" same \
        "$(sqlite3 "$dir/$trace.db" <"$here/scenarios/literature/table.sql" | wc -l | tr -d ' ')" 15
    skip=$(of one jct_mean fifo:mode=skip) srtf=$(of one jct_mean srtf:estimate=true) las=$(of one jct_mean tiresias)
    gavel=$(of one jct_mean gavel)
    check "tiresias is before fifo that skips" holds "$las < $skip
        AND $(of mixed jct_mean tiresias) < $(of mixed jct_mean fifo:mode=skip)"
    check "and within a tenth of who knows durations" holds "$las < 1.1 * $srtf"
    check "qssf is before strict fifo, and not before fifo that skips" holds "$(of one jct_mean qssf) BETWEEN $skip AND
        $(of one jct_mean fifo)"
    check "gavel that knows types is before gavel that does not" holds "
        $(of mixed jct_mean gavel) < 0.9 * $(of mixed jct_mean gavel:aware=false)
        AND $(of mixed makespan gavel) < $(of mixed makespan gavel:aware=false)"
    check "which is nothing where there is one type" holds "$gavel = $(of one jct_mean gavel:aware=false)"
    check "and there gavel is behind tiresias" holds "$gavel > 1.1 * $las"
    check "in good part as new jobs wait for a solve" holds "$(of one jct_mean gavel:every=360s) < 0.95 * $gavel"
    best=$(of mixed makespan gavel:objective=makespan)
    sqlite3 "$dir/$trace.db" "SELECT DISTINCT policy FROM run WHERE policy <> 'gavel:objective=makespan'" >"$dir/others"
    while read -r other; do
        check "the makespan objective is before $other" holds "$best < $(of mixed makespan "$other")"
    done <"$dir/others"
    check "finish-time fairness is not best under its objective" holds "
        $(of mixed rho_p95 gavel:objective=finish-time) > 2 * $(of mixed rho_p95 tiresias)"
    check "rounds interrupt far more where types differ" holds "
        $(interrupted mixed gavel) > 10 * $(interrupted mixed tiresias)"
    check "lucid without shared cards is behind tiresias" holds "$(of one jct_mean lucid) > $las"
done
exit $bad
