#!/bin/sh
# A measured DAG of heterogeneous-SWF (lines: id, ms on CPU, on GPU, on the second
# GPU, parents; -1: cannot run there) as one job of a native trace: a stage and a
# call a task, each with an API of its own, since each was measured by itself.
# usage: hetero.sh DAG FOLDER     writes jobs.csv, stages.csv, calls.csv, times.csv
set -eu
awk -v to="$2" '
{ gsub(/\r/, "") }
NF < 4 { next }
{ id[n++] = $1; cpu[$1] = $2; gpu[$1] = $3; gpu2[$1] = $4; known[$1] = 1
  rest = ""; for (i = 5; i <= NF; i++) rest = rest $i
  parents[$1] = rest }
function put(api, engine, ms) { if (ms >= 0) printf "t%s,%s,1,%.6f\n", api, engine, ms / 1000 > (to "/times.csv") }
END {
    print "id,submit_s" > (to "/jobs.csv"); print "dag,0" > (to "/jobs.csv")
    print "job,stage,form,duration_s,after" > (to "/stages.csv")
    print "job,task,call,api,size_b,result_b" > (to "/calls.csv")
    print "api,engine,size_b,time_s" > (to "/times.csv")
    while (k < n) {                 # some parents stand after their children: as often as it takes
        was = k
        for (i = 0; i < n; i++) {
            t = id[i]; ok = !(t in done); m = split(parents[t], p, ","); after = ""
            for (j = 1; j <= m && ok; j++) {
                if (p[j] == "" || p[j] == "-1" || !(p[j] in known)) continue
                if (!(p[j] in done)) ok = 0
                if (index("|" after "|", "|s" p[j] "|") == 0) after = after (after == "" ? "" : "|") "s" p[j]
            }
            if (!ok) continue
            printf "dag,s%s,one,0,%s\n", t, after > (to "/stages.csv")
            printf "dag,%d,0,t%s,1,0\n", k++, t > (to "/calls.csv")
            put(t, "cpu", cpu[t]); put(t, "gpu", gpu[t]); put(t, "gpu2", gpu2[t])
            done[t] = 1
        }
        if (k == was) { print "hetero.sh: tasks wait for each other in a circle" > "/dev/stderr"; exit 1 }
    }
}' "$1"
