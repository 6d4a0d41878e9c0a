#!/bin/sh
# Policies against their authors' own simulators, job for job: the table at the end has a line for each run of theirs.
#
#   GOLDEN FORM COUNT POLICY    at least COUNT jobs end at the same second, give or take 1 ms
#
# GOLDEN is a table of their results, job_id,gpus,submit_s,start_s,finish_s,duration_s,...; its jobs are the input.
# FORM says how cluster and jobs are put, so that what their simulator does besides its rule is in the input:
#   count   320 GPUs that are only counted: a job is a gang of one-GPU tasks
#   node    40 nodes of 8: up to 8 GPUs are on one node, more are whole nodes and a rest
#   late    node; a job holds its GPUs a second longer, and a restart costs 40 s
#   clock   late; and time begins 5 s before the first job, as their decisions come at multiples of 60 s of that clock
. "$(dirname "$0")/../cli/lib.sh"
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit/golden" ] || { echo "skipped - no results of the authors' simulators"; exit 77; }
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

# The jobs of a golden table, in the native format.
jobs() {
    tr -d '\r' <"$1" | awk -F, -v form="$2" '
        NR == 1 { print "id,submit_s,duration_s,tasks,gang,gpus"; if (form == "clock") print "clock,0,0,1,0,0"; next }
        {
            late = form == "late" || form == "clock"; g = $2; full = int(g / 8); rest = g % 8
            if (form == "count") { tasks = g; each = 1 }
            else if (g <= 8) { tasks = 1; each = g }
            else if (rest == 0) { tasks = full; each = 8 }
            else { tasks = full "+1"; each = "8+" rest }
            print $1 "," $3 + (form == "clock" ? 5 : 0) "," $6 + late "," tasks ",1," each
        }'
}
scenario() {
    cat <<END
cluster: {groups: [{name: n, count: 40, cpus: 1, mem: 1GiB, gpus: 8}]}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
END
    case $1 in late|clock) echo 'jobs: {preemption: {restore_cost: 40s}}' ;; esac
}
# How many jobs of $dir/out end when they do in the golden table.
equal() {
    awk -F, -v shift="$2" 'NR == FNR { if (FNR > 1) want[$1] = $5; next }
        { d = $2 / 1e6 - shift - want[$1]; if ($1 in want && d < 1e-3 && d > -1e-3) n++ } END { print n + 0 }' "$1" "$dir/ends"
}
holds() {
    theirs=$lit/golden/$1.csv
    jobs "$theirs" "$2" >"$dir/jobs.csv"
    scenario "$2" >"$dir/s.yaml"
    rm -f "$dir/r.db"
    "$fairway" run "$dir/s.yaml" -q -p "$4" -d "$dir/r.db" >"$dir/log" 2>&1 || { cat "$dir/log"; return 1; }
    sqlite3 -csv "$dir/r.db" 'SELECT id, end_us FROM job' | tr -d '\r' >"$dir/ends"
    n=$(equal "$theirs" $([ "$2" = clock ] && echo 5 || echo 0))
    of=$(($(wc -l <"$theirs") - 1))
    [ "$n" -ge "$3" ] && [ "$of" -ge "$3" ] && [ "$n" -gt 0 ] || { echo "$n of $of jobs, expected $3"; return 1; }
    echo "$n of $of" >"$dir/count"
}
# The authors' sample of services.
samples() { tr -d '\r' <"$lit/data/tiresias/yarn-gput1000.csv" | tail -n +2 | tr '\n' ';'; }

while read -r golden form count policy; do
    case $golden in ''|'#'*) continue ;; esac
    [ -f "$lit/golden/$golden.csv" ] || { echo "skipped - no $golden"; continue; }
    echo '' >"$dir/count"
    spec=$policy
    case $policy in *SAMPLES*) spec=$(echo "$policy" | sed "s/SAMPLES/$(samples)/") ;; esac
    if holds "$golden" "$form" "$count" "$spec" >"$dir/said" 2>&1 </dev/null; then
        echo "ok - $golden by $policy: $(cat "$dir/count")"
    else
        echo "not ok - $golden by $policy"; sed 's/^/# /' "$dir/said"; bad=1
    fi
done <<'END'
# Tiresias' simulator
tiresias/helios1740-fifo-count              count  1740 fifo
tiresias/helios1740-fjf-count               count  1740 fifo:mode=skip
tiresias/helios1740-shortest-count          count  1740 srtf:estimate=true
tiresias/helios1740-shortest-gpu-count      count  1740 srtf:estimate=true,by=gpu
tiresias/helios1740-dlas-count              count  1740 tiresias:gpu=false
tiresias/helios1740-dlas-gpu-count          count  1740 tiresias:foresee=late
tiresias/helios1740-dlas-gpu-1-count        count  1740 tiresias:foresee=late,knob=1
tiresias/helios1740-dlas-gpu-gittins-count  count  1740 tiresias:foresee=late,order=gittins,samples=SAMPLES
# the same with demotions when they are due
tiresias/helios1740-dlas-gpu-count          count  1632 tiresias
tiresias/helios1740-dlas-gpu-1-count        count  1563 tiresias:knob=1
tiresias/helios1740-dlas-gpu-gittins-count  count  1729 tiresias:order=gittins,samples=SAMPLES
# Lucid's simulator
lucid-helios/fifo-vc8Gr                     node   1740 fifo
lucid-helios/sjf-vc8Gr                      node   1740 sjf:estimate=true
# it preempts for jobs that then find no place, and charges 60 s to those above 8 GPUs
lucid-helios/srtf-vc8Gr                     late   1591 srtf:estimate=true
lucid-helios/tiresias-vc8Gr                 clock  1491 tiresias:limits=18000,order=submit,every=60s
END
exit $bad
