#!/bin/sh
# Gavel's training jobs as tasks of one call: the API is the job's type, the size
# its number of steps, and the time on k80, p100 and v100 steps / throughput, alone
# on one GPU.  Jobs of more GPUs, and types without a figure, are left out, and counted.
# usage: gavel.sh THROUGHPUTS TRACE JOBS FOLDER   writes jobs.csv, calls.csv, times.csv
set -eu
jq -r '["k80", "p100", "v100"][] as $g | .[$g] | to_entries[] | select(.key | endswith(", 1)")) |
       [(.key | capture("^\\(.(?<m>.*)., 1\\)$").m), $g, (.value.null | tostring)] | @tsv' "$1" > "$4/speeds.tsv"
awk -F '\t' -v jobs="$3" -v to="$4" '
NR == FNR { if ($3 > 0) speed[$1, $2] = $3; next }
n == jobs { exit }
{ gpus = $NF; type = $1; steps = $(NF - 2); at = $(NF - 1)
  if (gpus != 1 || !((type, "v100") in speed || (type, "p100") in speed || (type, "k80") in speed)) { left++; next }
  if (n++ == 0) { print "id,submit_s" > (to "/jobs.csv"); print "job,task,call,api,size_b,result_b" > (to "/calls.csv"); print "api,engine,size_b,time_s" > (to "/times.csv") }
  printf "g%d,%.6f\n", n, at > (to "/jobs.csv")
  printf "g%d,,0,\"%s\",%d,0\n", n, type, steps > (to "/calls.csv")
  if (type in has) next
  has[type] = 1
  for (k = split("k80 p100 v100", e, " "); k > 0; k--) if ((type, e[k]) in speed) {
      printf "\"%s\",%s,1,%.6f\n", type, e[k], 1 / speed[type, e[k]] > (to "/times.csv")
      s = speed[type, e[k]]; most = s < 1.5 ? int(6e7 * s) : 100000000      # no more time than can be counted
      printf "\"%s\",%s,%d,%.6f\n", type, e[k], most, most / s > (to "/times.csv")
  } }
END { printf "%d jobs; left out before the last of them: %d\n", n, left > "/dev/stderr" }' "$4/speeds.tsv" "$2"
rm "$4/speeds.tsv"
