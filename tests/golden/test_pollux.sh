#!/bin/sh
# Policies on Pollux' workloads against what its authors' simulator made of them: the table at the end.
#
#   WORKLOAD FORM EQUAL NEAR SPREAD POLICY
#
# At least EQUAL jobs end at their second, at least NEAR within a minute of it, and the mean time of completion is
# within SPREAD % of theirs; FORM as scenarios/pollux/convert.py has it.  All but adaptive ones are repeated with the
# epochs that the run before comes to in their whole seconds, until these stay.  FAIRWAY_LONG=1 does all workloads by
# optimus and pollux, too, and then the mean over them is within 5 %.
. "$(dirname "$0")/../cli/lib.sh"
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit/golden/pollux" ] && [ -d "$lit/data/pollux" ] || { echo "skipped - no data or results of Pollux' authors"; exit 77; }
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }
python=$(python_with_scipy) || { echo "skipped - no Python with SciPy, whose Qhull is theirs"; exit 77; }
convert=$(dirname "$0")/../../scenarios/pollux/convert.py

# Jobs that end at their second and within a minute, by how many % the mean time of completion is off, ours, theirs.
differences() {
    awk -F, -v w="workload-$1" '
        NR == FNR { if ($1 == w) { want[$2] = $4; from[$2] = $3 } next }
        $1 in want { d = $2 / 1e6 - want[$1]; if (d < 0) d = -d; n++; equal += d < 0.5; near += d <= 60
                     ours += $2 / 1e6 - from[$1]; theirs += want[$1] - from[$1] }
        END { d = n == 160 ? (ours / theirs - 1) * 100 : 999; print equal + 0, near + 0, d, ours / 160, theirs / 160 }' "$2" "$dir/ends"
}
converts() {        # WORKLOAD FORM [--ran RUN]
    w=$1 f=$2
    shift 2
    "$python" "$convert" "$@" "$lit/data/pollux" "$lit/data/pollux/workloads/workload-$w.csv" "$f" "$dir/$w-$f"
}
runs() {            # WORKLOAD FORM POLICY
    rm -f "$dir/r.db"
    "$fairway" run "$dir/$1-$2/pollux.yaml" -q -p "$3" -d "$dir/r.db" \
        --set output.speeds="$([ "$2" = adaptive ] && echo false || echo true)" >"$dir/log" 2>&1 ||
        { cat "$dir/log"; return 1; }
}
settles() {         # WORKLOAD FORM POLICY
    for pass in 1 2 3 4 5 6 7 8 9 10 11 12; do
        was=$(cat "$dir/$1-$2"/*.csv | cksum)
        converts "$1" "$2" --ran "$dir/r.db" || return 1
        [ "$was" != "$(cat "$dir/$1-$2"/*.csv | cksum)" ] || return 0
        runs "$1" "$2" "$3" || return 1
    done
    echo "the epochs do not settle in $pass passes"
    return 1
}
holds() {
    policy=$6
    theirs=$lit/golden/pollux/authors-raw-${policy%%:*}.csv
    [ -d "$dir/$1-$2" ] || converts "$1" "$2" || return 1
    runs "$1" "$2" "$policy" || return 1
    [ "$2" = adaptive ] || settles "$1" "$2" "$policy" || return 1
    sqlite3 -csv "$dir/r.db" 'SELECT id, end_us FROM job' | tr -d '\r' >"$dir/ends"
    differences "$1" "$theirs" >"$dir/got"
    [ "$form" != adaptive ] || [ "$policy" = pollux ] && sed "s/^/${policy%%:*} $1 /" "$dir/got" >>"$dir/means"
    awk -v e="$3" -v n="$4" -v s="$5" '{ print; exit !($1 >= e && $2 >= n && $3 <= s && $3 >= -s) }' "$dir/got"
}

while read -r workload form equal near spread policy; do
    case $workload in ''|'#'*) continue ;; esac
    case $workload-$policy in *-pollux) is_long=1 ;; *-tiresias:*|3-*|4-*|6-pollux:*) is_long=0 ;; *) is_long=1 ;; esac
    [ "${FAIRWAY_LONG:-0}" -ge $is_long ] || continue
    if holds "$workload" "$form" "$equal" "$near" "$spread" "$policy" >"$dir/said" 2>&1 </dev/null; then
        echo "ok - workload $workload by $policy: equal, within a minute, mean off by %, ours, theirs: $(cat "$dir/said")"
    else
        echo "not ok - workload $workload by $policy"; sed 's/^/# /' "$dir/said"; bad=1
    fi
done <<'END'
1 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
2 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
3 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
4 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
5 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
6 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
7 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
8 rigid   160 160 0.01 tiresias:limits=57600,every=60s,order=entry,choose=count,place=fill
# with one of their two rules alone
3 rigid   148 151 0.2 tiresias:limits=57600,every=60s,order=entry,place=fill
7 rigid   155 155 0.8 tiresias:limits=57600,every=60s,order=submit,choose=count,place=fill
1 elastic 160 160 0.01 optimus
2 elastic 160 160 0.01 optimus
3 elastic 160 160 0.01 optimus
4 elastic 160 160 0.01 optimus
5 elastic 160 160 0.01 optimus
6 elastic 160 160 0.01 optimus
7 elastic 160 160 0.01 optimus
8 elastic 160 160 0.01 optimus
# a search of a fifteenth of their size
6 adaptive 50  80 5   pollux:population=30,generations=20
1 adaptive 60  95 5   pollux
2 adaptive 50  75 5   pollux
3 adaptive 50  75 5   pollux
4 adaptive 60  95 5   pollux
5 adaptive 60  85 5   pollux
6 adaptive 50  75 5   pollux
7 adaptive 50  75 5   pollux
8 adaptive 50  75 6   pollux
END
mean_holds() {      # POLICY
    awk -v p="$1" '$1 == p && !seen[$2]++ { n++; ours += $6; theirs += $7 }
        END { print ours / n, theirs / n; d = ours / theirs - 1; exit !(n == 8 && d <= 0.05 && d >= -0.05) }' "$dir/means"
}
for policy in tiresias optimus pollux; do
    [ "${FAIRWAY_LONG:-0}" = 1 ] || continue
    if mean_holds "$policy" >"$dir/said" 2>&1; then
        echo "ok - mean over all workloads by $policy, ours, theirs: $(cat "$dir/said")"
    else
        echo "not ok - mean over all workloads by $policy: $(cat "$dir/said")"; bad=1
    fi
done
exit $bad
