#!/bin/sh
# Where a run's time goes, by room of the program, in each regime: callgrind counts instructions and the misses of
# modelled caches, so the figures hang neither on the machine nor on what else it does.  Time is taken as KCachegrind's
# estimate, instructions + 10 a miss of the first level + 100 a miss of the last; what the kernel does is not in it.
# Libraries, sim/base, heaps and maps count where they are called from.
# usage: profile.sh FAIRWAY CSV [CHART] [short]     CSV: shares, regime by regime; CHART: them as .svg or .png; short: two tiny ones
set -eu
fairway=$1 csv=$2 chart=${3:-}
here=$(cd "$(dirname "$0")/../.." && pwd)
command -v valgrind >/dev/null || { echo "skipped - no valgrind"; exit 0; }
jobs=20000 waiting=2000 nodes=20000 each=6 policies="fifo easy:estimate=true drf" flow="gs fs fsp" short=
[ "${4:-}" != short ] || { jobs=200 each=1 policies=fifo flow=fs short=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cat >"$dir/file.yaml" <<'END'
cluster: {groups: [{name: n, count: 100, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 32}]}
trace: {format: native, path: jobs.csv, load: 0.7}
policies: [fifo]
END
cat >"$dir/made.yaml" <<'END'
cluster: {groups: [{name: n, count: 50, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 32}]}
trace: {format: generate, load: 0.9, generate: {jobs: 2000, limit_share: 1}}
policies: [fifo]
END

# room FILE OBJECT in awk: whose the work of a function is; "": its caller's
cat >"$dir/rooms.awk" <<'AWK'
function room(file, object) {
    file = "/" file                     # it may be from where the program was built
    if (object ~ /libsqlite3/ || file ~ /\/sim\/db\//) return "rows"
    if (file ~ /\/policies\/lib\/(heap|map)\.[ch]$/ || file ~ /\/sim\/base\//) return ""
    if (file ~ /\/policies\// || file ~ /\/sim\/host\//) return "deciding"
    if (file ~ /\/sim\/core\//) return "events"
    if (file ~ /\/sim\/model\//) return "model"
    if (file ~ /\/sim\/input\//) return "input"
    if (file ~ /\/sim\/metrics\//) return "metrics"
    return file ~ /\/sim\// ? "rest" : ""
}
# The name of "(7) name" or, as it was given before, of "(7)".
function name(kind, text,    id) {
    id = substr(text, 1, index(text, ")"))
    if (length(text) > length(id)) known[kind, id] = substr(text, length(id) + 2)
    return known[kind, id]
}
function cost() { return $2 + 10 * ($5 + $6 + $7) + 100 * ($8 + $9 + $10) }
{ key = $0; sub(/=.*/, "", key); value = substr($0, length(key) + 2) }
key == "ob"               { object = name("ob", value); next }
key == "fl"               { file = now = name("fl", value); next }
key == "fi" || key == "fe" { now = name("fl", value); next }      # inlined: still the function's own
key == "fn"               { in_room = room(file, object); is_start = name("fn", value) == "start_thread"
                            to_object = object; to_file = ""; next }
key == "cfn"              { name("fn", value); next }
key == "cob"              { to_object = name("ob", value); next }
key == "cfi" || key == "cfl" { to_file = name("fl", value); next }
key == "calls"            { is_call = 1; next }
/^[0-9+*-]/ {
    c = cost()
    if (is_call) {
        to = room(to_file == "" ? now : to_file, to_object)
        if (in_room != "" && to == "") spent[in_room] += c        # what it has others do
        if (in_room == "" && to != "" && !is_start) spent[to] -= c     # called back: counted there already
        is_call = 0; to_object = object; to_file = ""
    } else { total += c; if (in_room != "") spent[in_room] += c }
}
END {
    n = split("events deciding model input rows metrics", r, " ")
    for (i = 1; i <= n; i++) { known_part += spent[r[i]]; printf "%s,%s,%s,%.1f\n", regime, policy, r[i], 100 * spent[r[i]] / total }
    printf "%s,%s,rest,%.1f\n", regime, policy, 100 * (1 - known_part / total)
}
AWK

echo regime,policy,room,percent >"$csv"
# profile REGIME POLICY RUN...
profile() {
    regime=$1 policy=$2
    shift 2
    rm -f "$dir/r.db"
    valgrind -q --tool=callgrind --callgrind-out-file="$dir/out" --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 \
        --LL=8388608,16,64 "$fairway" run -q -s 1 -d "$dir/r.db" -p "$policy" "$@" >"$dir/err" 2>&1 ||
        { cat "$dir/err" >&2; exit 1; }
    awk -v regime="$regime" -v policy="$policy" -f "$dir/rooms.awk" "$dir/out" >"$dir/shares"
    cat "$dir/shares" >>"$csv"
    awk -F, '{ s = s sprintf("  %s %5.1f", $3, $4) } END { printf "%-12s %-20s%s\n", $1, $2, s }' "$dir/shares"
}
# requests SHAPES: the trace, of so many different requests
requests() { awk -v n="$jobs" -v shapes="$1" -f "$here/tests/perf/jobs.awk" >"$dir/jobs.csv"; }
requests 40
for p in $policies; do profile "few shapes" "$p" "$dir/file.yaml"; done
if [ -z "$short" ]; then
    requests 5000
    for p in $policies; do profile "many shapes" "$p" "$dir/file.yaml"; done
    for p in $policies; do
        profile "long queue" "$p" "$dir/made.yaml" --set trace.load=50 --set trace.generate.jobs="$waiting"
    done
    for p in $policies; do
        profile "big cluster" "$p" "$dir/made.yaml" --set cluster.groups.0.count="$nodes" --set trace.generate.jobs="$waiting"
    done
fi
for p in $flow; do
    profile flow "$p" "$here/scenarios/flow-paper/flow-2000.yaml" --set trace.workload.jobs_per_user="$each"
done

if [ -n "$chart" ] && command -v gnuplot >/dev/null; then
    gnuplot -e "csv = '$csv'; fmt = '${chart##*.}'; out = '$chart'; W = 7; H = 2.6" "$here/plots/style.gp" "$(dirname "$0")/profile.gp"
    echo "chart: $chart"
fi
