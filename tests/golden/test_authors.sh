#!/bin/sh
# Policies against their authors' own simulators, job for job: the table at the end has a line for each run of theirs.
#
#   GOLDEN FORM COUNT POLICY    at least COUNT jobs end at the same second, give or take 1 ms
#
# GOLDEN is a table of their results, job_id,gpus,submit_s,start_s,finish_s,duration_s,...; its jobs are the input.
# FORM says how cluster and jobs are put, so that what their simulator does besides its rule is in the input:
#   count   320 GPUs that are only counted: a job is a gang of one-GPU tasks
#   node    40 nodes of 8: up to 8 GPUs are on one node, more are whole nodes and a rest
#   pairs   node; jobs of up to 8 GPUs may share them, and are of models that Gavel measured in pairs
#   late    node; a job holds its GPUs a second longer, and an interruption adds 40 s of work, above 8 GPUs 60 s
#   clock   late; and time begins 5 s before the first job, as their decisions come at multiples of 60 s of that clock
#   muri, muri-count    8 nodes of 8 as with node, or counted; jobs as the trace of the run's name has them, each
#           interruption takes the time in which the authors' models start off the end of an attempt
. "$(dirname "$0")/../cli/lib.sh"
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit/golden" ] || { echo "skipped - no results of the authors' simulators"; exit 77; }
gavel=${FAIRWAY_TRACES:-$lit/../traces}/gavel/simulation_throughputs.json
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

# The first $2 jobs (0: all) of the authors' trace $1 for Muri; form $3.  Iterations take 1.5 % longer than it says.
muri_jobs() {
    tr -d '\r' <"$lit/data/muri/$1.csv" | awk -F, -v most="$2" -v form="$3" '
        BEGIN {     # seconds, for 1, 2, 4, ... 32 GPUs; simulator/run_sim.py, overhead_dict
            split("vgg16 7 7 8 9 9 10 vgg19 7 7 8 9 10 10 resnet18 4 5 5 7 7 7 shufflenet_v2_x1_0 4 4 5 5 7 8 " \
                  "bert 10 10 10 10 10 10 gpt2 10 10 10 10 10 10 a2c 38 39 39 46 46 46 dqn 5 5 6 6 8 8", w, " ")
            for (i = 1; i in w; i += 7) for (k = 0; k < 6; k++) starts[w[i], 2 ^ k] = w[i + 1 + k]
        }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print "id,submit_s,duration_s,tasks,gang,gpus,restore_s"; next }
        most == 0 || NR <= most + 1 {
            g = $at["num_gpu"]; us = $at["iterations"] * $at["iteration_time"] * 1015; m = $at["model_name"]
            tasks = form == "muri-count" ? g : g > 8 ? g / 8 : 1
            printf "%s,%.3f,%d.%06d,%d,1,%d,%d\n", $at["job_id"], $at["submit_time"] / 1000, int(us / 1e6), us % 1e6,
                tasks, g / tasks, (m, g) in starts ? starts[m, g] : 10
        }'
}

# The jobs of a golden table, in the native format.
jobs() {
    case $2 in muri*)
        run=$(basename "$1")
        case $run in
        g150pr-*) muri_jobs trace1_pr 150 "$2" ;;
        g200-*) muri_jobs trace2 200 "$2" ;;
        *) muri_jobs "${run%%-*}" 0 "$2" ;;
        esac
        return ;;
    esac
    tr -d '\r' <"$1" | awk -F, -v form="$2" '
        BEGIN {
            n_models = split("ResNet-18 (batch size 64)|ResNet-50 (batch size 32)|Transformer (batch size 64)|" \
                "LM (batch size 20)|Recommendation (batch size 2048)|A3C|CycleGAN", model, "|")
        }
        NR == 1 { print "id,submit_s,duration_s,tasks,gang,gpus,restore_s" (form == "pairs" ? ",gpu_milli,model" : "") }
        NR == 1 && form == "clock" { print "clock,0,0,1,0,0," }
        NR == 1 { next }
        {
            late = form == "late" || form == "clock"; g = $2; full = int(g / 8); rest = g % 8
            if (form == "count") { tasks = g; each = 1 }
            else if (g <= 8) { tasks = 1; each = g }
            else if (rest == 0) { tasks = full; each = 8 }
            else { tasks = full "+1"; each = "8+" rest }
            restore = late ? (g > 8 ? 60 : 40) : 0
            pair = form == "pairs" ? "," (g > 8 ? 1000 : 500) "," model[int($1 / 2) % n_models + 1] "#1" : ""
            print $1 "," $3 + (form == "clock" ? 5 : 0) "," $6 + late "," tasks ",1," each "," restore pair
        }'
}
scenario() {
    case $1 in muri*) nodes=8 ;; *) nodes=40 ;; esac
    case $1 in muri*) as=save ;; late|clock) as=work ;; *) as= ;; esac
    cat <<END
cluster: {groups: [{name: n, count: $nodes, cpus: 1, mem: 1GiB, gpus: 8, gpu_type: V100}]}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
END
    [ "$1" != pairs ] || echo "profiles: {sharing: {file: $gavel}}"
    [ -z "$as" ] || echo "jobs: {preemption: {restore_as: $as}}"
}
# Mean JCT in whole seconds: of $dir/ends, whose jobs were submitted when the golden table says, and of the table.
means() {
    awk -F, -v shift="$2" 'NR == FNR { if (FNR > 1) { at[$1] = $3; theirs += $5 - $3; n++ }; next }
        $1 in at { ours += $2 / 1e6 - shift - at[$1] }
        END { printf "mean JCT %.0f s, theirs %.0f s\n", ours / n, theirs / n }' \
        "$1" "$dir/ends"
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
    shift_s=$([ "$2" = clock ] && echo 5 || echo 0)
    n=$(equal "$theirs" "$shift_s")
    of=$(($(wc -l <"$theirs") - 1))
    [ "$n" -ge "$3" ] && [ "$of" -ge "$3" ] && [ "$n" -gt 0 ] || { echo "$n of $of jobs, expected $3"; return 1; }
    echo "$n of $of, $(means "$theirs" "$shift_s")" >"$dir/count"
}
# The authors' sample of services.
samples() { tr -d '\r' <"$lit/data/tiresias/yarn-gput1000.csv" | tail -n +2 | tr '\n' ';'; }

while read -r golden form count policy; do
    case $golden in ''|'#'*) continue ;; esac
    [ -f "$lit/golden/$golden.csv" ] || { echo "skipped - no $golden"; continue; }
    [ "$form" != pairs ] || [ -f "$gavel" ] || { echo "skipped - $golden by $policy: no pairs of Gavel's"; continue; }
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
tiresias/helios1740-fifo-yarn               node   1740 fifo:place=first
# the same with demotions when they are due
tiresias/helios1740-dlas-gpu-count          count  1632 tiresias
tiresias/helios1740-dlas-gpu-1-count        count  1563 tiresias:knob=1
tiresias/helios1740-dlas-gpu-gittins-count  count  1729 tiresias:order=gittins,samples=SAMPLES
# Lucid's simulator
lucid-helios/fifo-vc8Gr                     node   1740 fifo
lucid-helios/sjf-vc8Gr                      node   1740 sjf:estimate=true
lucid-helios/srtf-vc8Gr                     late   1740 srtf:estimate=true,choose=count,every=1s
lucid-helios/tiresias-vc8Gr                 clock  1740 tiresias:limits=18001,order=submit,every=60s,choose=count
# the same where only those make room who must
lucid-helios/srtf-vc8Gr                     late   1591 srtf:estimate=true
lucid-helios/tiresias-vc8Gr                 clock  1492 tiresias:limits=18001,order=submit,every=60s
lucid-helios/tiresias-vc8Gr                 clock  1587 tiresias:limits=18000,order=submit,every=60s,choose=count
# its predictions are not free: here with true durations, and with means of jobs of as many GPUs
lucid-helios/qssf-vc8Gr                     node   1316 qssf:estimate=true
lucid-helios/qssf-vc8Gr                     node   1395 qssf
lucid-helios/lucid-vc8Gr                    pairs  787 lucid:estimate=true
# Muri's simulator
muri/trace1-shortest                        muri   1494 srtf:estimate=true,choose=anew,place=first
muri/trace1-shortest-gpu                    muri   1494 srtf:estimate=true,by=gpu,choose=anew,place=first
muri/trace1-dlas-gpu                        muri-count 1494 tiresias:foresee=second,choose=anew
muri/trace3-shortest                        muri   992 srtf:estimate=true,choose=anew,place=first
muri/trace3-shortest-gpu                    muri   992 srtf:estimate=true,by=gpu,choose=anew,place=first
muri/trace3-dlas-gpu                        muri-count 992 tiresias:foresee=second,choose=anew
# the same where only who is preempted pays
muri/trace1-shortest                        muri   216 srtf:estimate=true,place=first
muri/trace1-shortest-gpu                    muri   225 srtf:estimate=true,by=gpu,place=first
muri/trace1-dlas-gpu                        muri-count 138 tiresias:foresee=second
# what it calls Themis is a linear program, not the auction: for the means alone
muri/trace3-themis                          muri   1 themis
muri/g200-themis                            muri   1 themis
# parts of other traces
muri/g200-shortest                          muri   200 srtf:estimate=true,choose=anew,place=first
muri/g200-shortest-gpu                      muri   200 srtf:estimate=true,by=gpu,choose=anew,place=first
muri/g200-dlas-gpu                          muri-count 200 tiresias:foresee=second,choose=anew
muri/g150pr-shortest                        muri   150 srtf:estimate=true,choose=anew,place=first
muri/g150pr-shortest-gpu                    muri   150 srtf:estimate=true,by=gpu,choose=anew,place=first
muri/g150pr-dlas-gpu                        muri-count 150 tiresias:foresee=second,choose=anew
END
exit $bad
