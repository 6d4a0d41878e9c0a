#!/bin/sh
# The public traces run under every built-in policy, every job ends (done, or at its
# limit where the scenario enforces limits), and nothing
# is said but notes of counted repairs.  A policy that may leave tasks waiting for
# ever says so, and then it is one warning and exit status 1; one that needs what no
# trace has refuses it in words.  Of Helios fifo replays all, others the first
# 20,000 jobs; FAIRWAY_LONG=1: all.
set -u
fairway=${FAIRWAY:?}
here=$(cd "$(dirname "$0")/../.." && pwd)
[ -d "${FAIRWAY_TRACES:-}" ] || { echo "skipped - no public traces"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
for pair in "openb openb 8152" "slurm ub-hpc 5000" "helios helios-venus 125303"; do
    set -- $pair
    if [ ! -d "$FAIRWAY_TRACES/$2" ]; then echo "skipped - no $2"; continue; fi
    for policy in $("$fairway" policies --csv | awk -F, 'NR > 1 { print $1 }'); do
        # gavel's programs have a column for each job that is there, of which these traces have thousands at once.
        [ "$policy" != gavel ] || continue
        n=$3 cut=
        case ${FAIRWAY_LONG:-0}:$1:$policy in 0:helios:fifo) ;; 0:helios:*) n=20000 cut="--set trace.max_jobs=$n" ;; esac
        rm -f "$dir/r.db"
        # shellcheck disable=SC2086
        "$fairway" run "$here/scenarios/public-traces/$1.yaml" -p "$policy" -s 1 -q -d "$dir/r.db" $cut 2>"$dir/err"
        status=$?
        jobs=$(sqlite3 "$dir/r.db" "select count(*) from job where status in ('done', 'timeout')")
        left=$(sqlite3 "$dir/r.db" "select count(*) from job where status = 'unfinished'")
        if [ $status -eq 1 ] && [ "$left" -gt 0 ] && [ $((jobs + left)) -eq "$n" ] &&
            "$fairway" policies "$policy" | grep -q 'may leave tasks waiting' &&
            [ "$(grep -v '^note: ' "$dir/err")" = "warning: $policy seed 1: $left jobs were left unfinished" ]; then
            echo "ok - $1 under $policy: $jobs jobs, and $left left waiting as it may"
        elif [ $status -eq 0 ] && [ "$jobs" -eq "$n" ] && ! grep -qv '^note: ' "$dir/err"; then
            echo "ok - $1 under $policy: $jobs jobs"
        elif [ $status -eq 4 ] && grep -q 'has no profile\|gives GPUs to elastic jobs alone\|asks for no GPU\|a part of a card' "$dir/err"; then
            echo "ok - $1 under $policy: refused, as the trace lacks what it needs"
        else
            echo "not ok - $1 under $policy: exit $status, $jobs jobs ended of $n"
            grep -v '^note: ' "$dir/err"
            bad=1
        fi
    done
done
exit $bad
