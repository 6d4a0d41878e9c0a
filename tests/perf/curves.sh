#!/bin/sh
# How the cost of a job grows with the cluster, with the queue, with distinct requests and with the number of jobs,
# under every policy that places ordinary jobs, and with the GPUs under those for data-intensive ones: processor time,
# which other work on the machine hardly changes.
# Each point goes into a SQLite file, the curves into a chart, and what a job costs at one point over what it costs at
# another is held against ratios.csv: a quadratic never comes back unseen.
# usage: curves.sh FAIRWAY MEASURE quick|jobs|nodes|queue|flow|all DB CHART    status 1: a ratio is above its bound
# `jobs`: growth in jobs alone, up to MOST (10,000,000) of them; `nodes`: in nodes alone, with
# JOBS=10000 jobs, at the same load of each node, or with RATE=same as many jobs an hour on all; `queue`: in those that
# wait alone; `flow`: in GPUs alone, of jobs that read data.
# POLICIES: of these alone
set -eu
fairway=$1 measure=$2 size=$3 db=$4 chart=$5
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
limit=${LIMIT:-300} # seconds; a run that takes longer has no point

cat >"$dir/nodes.yaml" <<'END'
cluster: {groups: [{name: n, count: 1000, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 32}]}
trace: {format: generate, load: 0.9, generate: {jobs: 2000}}
policies: [fifo]
output: {jobs: false}
END
# Fifty times what the cluster can do: nearly all jobs wait, nearly each with a request of its own.
cat >"$dir/queue.yaml" <<'END'
cluster: {groups: [{name: n, count: 50, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 32}]}
trace: {format: generate, load: 50, generate: {jobs: 1000, limit_share: 1}}
policies: [fifo]
output: {jobs: false}
END
cat >"$dir/file.yaml" <<'END'
cluster: {groups: [{name: n, count: 100, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 32}]}
trace: {format: native, path: jobs.csv, load: 0.7}
policies: [fifo]
output: {jobs: false}
END

# jobs N SHAPES: a trace of so many jobs, in order, that ask for so many different things.
jobs() { awk -v n="$1" -v shapes="$2" -f "$here/jobs.awk" >"$dir/jobs.csv"; }

sqlite3 "$db" "DROP TABLE IF EXISTS point;
    CREATE TABLE point (axis TEXT, policy TEXT, x INTEGER, jobs INTEGER, cpu_s REAL, peak_kib INTEGER,
                        mean_us REAL, p99_us REAL, max_us REAL, there REAL, PRIMARY KEY (axis, policy, x))"

# point AXIS X JOBS POLICY OPTIONS...: the least of three processor times where they are short
point() {
    axis=$1 x=$2 n=$3 policy=$4
    shift 4
    echo "$axis,\"$policy\",$x" >>"$dir/asked"
    best=
    for turn in 1 2 3; do
        rm -f "$dir/r.db"
        took=$("$measure" timeout "$limit" "$fairway" run -q -s 1 -d "$dir/r.db" -p "$policy" "$@" 2>"$dir/err") || {
            cat "$dir/err" >&2
            echo "$axis $x $policy: no point: over $limit s, or failed" >&2
            return 0
        }
        best=$(printf '%s\n%s\n' "$took" "$best" | sort -n | awk 'NF { print; exit }')
        case $took in 0*) ;; *) break ;; esac
    done
    of() { sqlite3 "$dir/r.db" "SELECT value FROM $1 WHERE name = '$2'"; }
    mean=$(of wall decision_mean) most=$(of wall decision_max) there=$(of metric little_l)
    sqlite3 "$db" "INSERT INTO point VALUES ('$axis', '$policy', $x, $n, ${best% *}, ${best#* },
                                             $mean, $(of wall decision_p99), $most, $there)"
    echo "$axis $x $policy ${best% *} $n ${best#* } $mean $most $there" | awk '{
        printf "%-7s %8d  %-26s %8.3f s %9.2f us a job %7.1f MiB  decision mean %8.1f us, most %10.1f us  %8.0f jobs there\n",
               $1, $2, $3, $4, $4 / $5 * 1e6, $6 / 1024, $7, $8, $9 }'
}

nodes= queue= shapes= growth= gpus=
case $size in
jobs)  growth=$(printf '%s\n' 100000 1000000 "${MOST:-10000000}" | sort -nu) ;;
nodes) nodes="1000 10000 50000 100000" n_nodes=${JOBS:-10000} ;;
queue) queue="1000 10000 100000" ;;
flow)  gpus="30 100 1000 10000 100000" ;;
quick) nodes="1000 8000" n_nodes=2000 queue="500 4000" shapes="8 4000" n_shapes=20000 growth="20000 100000"
       gpus="100 1000" ;;
all)   nodes="1000 10000 50000 100000" n_nodes=10000 queue="1000 10000 100000" shapes="8 1000 50000" n_shapes=100000
       growth="100000 1000000 10000000" gpus="30 100 1000 10000 100000" ;;
esac
policies=${POLICIES:-fifo fifo:mode=skip,place=pack sjf:estimate=true srtf:estimate=true las easy:estimate=true drf
          kube-default multiqueue workflow gs tiresias}

for p in $policies; do
    for x in $nodes; do
        load=$(awk -v x="$x" -v rate="${RATE:-}" 'BEGIN { print rate == "same" ? 900 / x : 0.9 }')
        point nodes "$x" "$n_nodes" "$p" "$dir/nodes.yaml" --set cluster.groups.0.count="$x" \
            --set trace.generate.jobs="$n_nodes" --set trace.load="$load"
    done
    for x in $queue; do point queue "$x" "$x" "$p" "$dir/queue.yaml" --set trace.generate.jobs="$x"; done
done
for x in $shapes; do
    jobs "$n_shapes" "$x"
    for p in $policies; do point shapes "$x" "$n_shapes" "$p" "$dir/file.yaml"; done
done
for x in $growth; do
    jobs "$x" 40
    point jobs "$x" "$x" fifo "$dir/file.yaml"
done

# A hundred jobs at a time for 2,000 GPUs, as in the paper; 36 of each of 10 to 64 users, more the workload has not.
for x in $gpus; do
    users=$((x < 2000 ? 10 : x > 12800 ? 64 : x / 200))
    for p in ${POLICIES:-gs fs fsp fsu}; do
        point flow "$x" $((36 * users)) "$p" "$here/../../scenarios/flow-paper/flow-2000.yaml" \
            --set cluster.groups.0.count=$((x / 2)) --set trace.concurrency=$((x < 80 ? 4 : x / 20)) \
            --set trace.workload.users="$users" --set output.jobs=false
    done
done

axes="${nodes:+nodes }${queue:+queue }${shapes:+shapes }${growth:+jobs }${gpus:+flow}"
if command -v gnuplot >/dev/null; then
    gnuplot -e "db = '$db'; chart = '$chart'; axes = '$axes'" "$here/curves.gp"
    echo "chart: $chart"
fi

# What a job costs at `to` over what it costs at `from`, where both were asked for; a point that is missing is above.
sqlite3 "$db" 'CREATE TEMP TABLE bound (axis, policy, "from", "to", most)' ".import --csv --skip 1 $here/ratios.csv bound" \
    "CREATE TEMP TABLE asked (axis, policy, x)" ".import --csv $dir/asked asked" \
    "SELECT printf('%-7s %-26s %6d -> %-7d %6.2f times, at most %5.1f%s', axis, policy, \"from\", \"to\", ratio, most,
                   CASE WHEN ratio <= most THEN '' ELSE '  ABOVE' END)
       FROM (SELECT b.axis, b.policy, \"from\", \"to\", CAST(most AS REAL) AS most,
                    (t.cpu_s / t.jobs) / (f.cpu_s / f.jobs) AS ratio FROM bound b
               JOIN asked USING (axis, policy)
               JOIN asked a ON a.axis = b.axis AND a.policy = b.policy AND a.x = \"to\"
               LEFT JOIN point f ON f.axis = b.axis AND f.policy = b.policy AND f.x = CAST(\"from\" AS INTEGER)
               LEFT JOIN point t ON t.axis = b.axis AND t.policy = b.policy AND t.x = CAST(\"to\" AS INTEGER)
              WHERE asked.x = \"from\")" >"$dir/ratios"
cat "$dir/ratios"
! grep ABOVE "$dir/ratios" >&2
