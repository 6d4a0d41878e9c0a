#!/bin/sh
# Policies on Pollux' workloads against what its authors' simulator made of them: the table at the end.
#
#   WORKLOAD FORM EQUAL NEAR SPREAD POLICY
#
# At least EQUAL jobs end at their second, at least NEAR within a minute of it, and the mean time of completion is
# within SPREAD % of theirs; FORM as scenarios/pollux/convert.py has it.  FAIRWAY_LONG=1 does all workloads.
. "$(dirname "$0")/../cli/lib.sh"
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit/golden/pollux" ] && [ -d "$lit/data/pollux" ] || { echo "skipped - no data or results of Pollux' authors"; exit 77; }
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }
command -v python3 >/dev/null || { echo "skipped - no python3"; exit 77; }
convert=$(dirname "$0")/../../scenarios/pollux/convert.py

# Jobs that end at their second and within a minute, and by how many % the mean time of completion is off.
differences() {
    awk -F, -v w="workload-$1" '
        NR == FNR { if ($1 == w) { want[$2] = $4; from[$2] = $3 } next }
        $1 in want { d = $2 / 1e6 - want[$1]; if (d < 0) d = -d; n++; equal += d < 0.5; near += d <= 60
                     ours += $2 / 1e6 - from[$1]; theirs += want[$1] - from[$1] }
        END { d = n == 160 ? (ours / theirs - 1) * 100 : 999; print equal + 0, near + 0, d }' "$2" "$dir/ends"
}
holds() {
    policy=$6
    theirs=$lit/golden/pollux/authors-raw-${policy%%:*}.csv
    [ -d "$dir/$1-$2" ] || python3 "$convert" "$lit/data/pollux" "$lit/data/pollux/workloads/workload-$1.csv" "$2" "$dir/$1-$2" || return 1
    rm -f "$dir/r.db"
    "$fairway" run "$dir/$1-$2/pollux.yaml" -q -p "$policy" -d "$dir/r.db" >"$dir/log" 2>&1 || { cat "$dir/log"; return 1; }
    sqlite3 -csv "$dir/r.db" 'SELECT id, end_us FROM job' | tr -d '\r' >"$dir/ends"
    differences "$1" "$theirs" >"$dir/got"
    awk -v e="$3" -v n="$4" -v s="$5" '{ print; exit !($1 >= e && $2 >= n && $3 <= s && $3 >= -s) }' "$dir/got"
}

while read -r workload form equal near spread policy; do
    case $workload in ''|'#'*) continue ;; esac
    case $workload in 2|6) ;; *) [ "${FAIRWAY_LONG:-0}" = 1 ] || continue ;; esac
    if holds "$workload" "$form" "$equal" "$near" "$spread" "$policy" >"$dir/said" 2>&1 </dev/null; then
        echo "ok - workload $workload by $policy: equal, within a minute, mean off by %: $(cat "$dir/said")"
    else
        echo "not ok - workload $workload by $policy"; sed 's/^/# /' "$dir/said"; bad=1
    fi
done <<'END'
1 rigid   143 160 0.1 tiresias:limits=57600,every=60s,order=submit,place=fill
2 rigid   154 160 0.1 tiresias:limits=57600,every=60s,order=submit,place=fill
3 rigid   144 156 0.3 tiresias:limits=57600,every=60s,order=submit,place=fill
4 rigid   152 156 0.4 tiresias:limits=57600,every=60s,order=submit,place=fill
5 rigid   120 156 0.4 tiresias:limits=57600,every=60s,order=submit,place=fill
6 rigid   146 160 0.1 tiresias:limits=57600,every=60s,order=submit,place=fill
7 rigid   142 155 0.8 tiresias:limits=57600,every=60s,order=submit,place=fill
8 rigid   157 160 0.1 tiresias:limits=57600,every=60s,order=submit,place=fill
1 elastic  69  90 1.7 optimus
2 elastic  59 101 0.6 optimus
3 elastic  73 125 0.6 optimus
4 elastic  70  98 1.3 optimus
5 elastic  75 109 2.7 optimus
6 elastic  54  96 1.9 optimus
7 elastic  63 103 1.8 optimus
8 elastic  56 100 0.3 optimus
# a search of a fifteenth of their size
6 adaptive 50  80 5   pollux:population=30,generations=20
1 adaptive 60  95 5   pollux
4 adaptive 60  95 5   pollux
5 adaptive 60  85 5   pollux
END
exit $bad
