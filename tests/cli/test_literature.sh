#!/bin/sh
# scenarios/literature: the commands of its page as they stand, and that what the page says follows from what they leave.
# With one seed of five, and of adaptive jobs cluster A alone; FAIRWAY_LONG=1 does all.
. "$(dirname "$0")/lib.sh"
for needed in philly/sia_philly.csv helios-venus/helios_trace.csv gavel/simulation_throughputs.json synergy/synergy_tput_matrices.csv; do
    [ -f "${FAIRWAY_TRACES:-}/$needed" ] || { echo "skipped - no public traces"; exit 77; }
done
FAIRWAY_TRACES=$(cd "$FAIRWAY_TRACES" && pwd)
FAIRWAY_LITERATURE=${FAIRWAY_LITERATURE:-$FAIRWAY_TRACES/../literature}
[ -d "$FAIRWAY_LITERATURE/data/pollux" ] || { echo "skipped - no data of Pollux' authors"; exit 77; }
FAIRWAY_LITERATURE=$(cd "$FAIRWAY_LITERATURE" && pwd)
export FAIRWAY_TRACES FAIRWAY_LITERATURE
for needed in sqlite3 python3 gnuplot; do
    command -v $needed >/dev/null || { echo "skipped - no $needed"; exit 77; }
done

long=${FAIRWAY_LONG:-0}
mkdir "$dir/bin"
cat >"$dir/bin/fairway" <<END
#!/bin/sh
case $long:\$1:\$3 in
0:sweep:*/adaptive/*) exec "$fairway" "\$@" --set sweep.seeds=1 --set 'sweep.cases=[{}]' ;;
0:sweep:*)            exec "$fairway" "\$@" --set sweep.seeds=1 ;;
*)                    exec "$fairway" "\$@" ;;
esac
END
chmod +x "$dir/bin/fairway"
PATH=$dir/bin:$PATH
blocks "$here/scenarios/literature/README.md" "$dir/block"
ln -s "$here/scenarios" "$dir/scenarios"
for block in "$dir"/block/*.sh; do
    check "block $(basename "$block" .sh) of the page runs" sh -c "cd '$dir' && sh -eu '$block'"
done

runs=$(cat "$here/scenarios/literature/runs.sql")
# claim TRACE SQL TEXT: true of f(CLUSTER FIGURE POLICY), written A.jct(POLICY), the mean over seeds
claim() {
    expression=$(printf '%s' "$2" | sed "s/\([AB]\)\.\([a-z]*\)(\([^)]*\))/(SELECT avg(\2) FROM figure WHERE cluster = '\1' AND policy = '\3')/g")
    check "$1: $3" same "$(sqlite3 "$dir/out/$1.db" "CREATE TEMP VIEW figure AS $runs" "SELECT $expression")" 1
}
# first TRACE CLUSTER FIGURE POLICY: least of all
first() {
    check "$1, $2: $4 has the least $3" same "$4" \
        "$(sqlite3 "$dir/out/$1.db" "CREATE TEMP VIEW figure AS $runs" "SELECT policy FROM figure WHERE cluster = '$2' GROUP BY policy ORDER BY avg($3) LIMIT 1")"
}
for t in philly helios gavel pollux elastic-philly elastic-helios synergy size; do
    check "every policy ended every job of $t" same \
        "$(sqlite3 "$dir/out/$t.db" "SELECT count(*) FROM job WHERE status <> 'done'; SELECT count(*) FROM run WHERE status <> 'done'" | tr '\n' ' ')" "0 0 "
done

# ---- what holds ----
for t in philly helios; do
    claim $t "A.jct(tiresias) < 1.06 * A.jct(srtf:estimate=true) AND A.jct(tiresias:order=gittins) < 1.06 * A.jct(srtf:estimate=true)" \
        "tiresias is near to who knows durations"
    claim $t "A.jct(tiresias) < 0.93 * A.jct(fifo:mode=skip) AND B.jct(tiresias) < 0.93 * B.jct(fifo:mode=skip)" "and before fifo that skips"
    claim $t "A.jct(qssf) < 0.85 * A.jct(fifo) AND A.jct(qssf) > A.jct(fifo:mode=skip)" "qssf is before strict fifo, not before fifo that skips"
done
for t in philly helios gavel; do
    claim $t "B.jct(gavel) < 0.9 * B.jct(gavel:aware=false) AND B.makespan(gavel) < 0.95 * B.makespan(gavel:aware=false)" \
        "gavel that knows types is before gavel that does not"
    claim $t "A.jct(gavel) = A.jct(gavel:aware=false) AND A.makespan(gavel) = A.makespan(gavel:aware=false)" "which is nothing where there is one type"
    first $t B makespan gavel:objective=makespan
    first $t B jct gavel:every=360s
done
claim gavel "A.jct(tiresias:order=gittins) < 0.95 * A.jct(tiresias)" \
    "where all jobs outlast the limits, Gittins' order is better"

# ---- what does not ----
for t in philly helios; do
    claim $t "A.jct(gavel) > 1.1 * A.jct(tiresias)" "gavel is behind tiresias on one type"
    claim $t "A.jct(gavel:every=360s) < 0.92 * A.jct(gavel) AND A.rho(gavel:every=360s) < 0.5 * A.rho(gavel)" "as new jobs wait for a solve"
    claim $t "B.rho(gavel:objective=finish-time) > 2 * B.rho(tiresias)" "finish-time fairness is not best under its objective"
done
claim gavel "A.jct(gavel) < A.jct(tiresias) AND A.jct(tiresias) > 1.02 * A.jct(srtf:estimate=true)" "of long jobs gavel is before tiresias"
claim gavel "B.rho(gavel:objective=finish-time) < 0.9 * B.rho(themis) AND B.rho(gavel:objective=finish-time) > B.rho(gavel:every=360s)" \
    "of long jobs its fairness is before that of others, but a solve every round does more"
for t in philly helios gavel; do
    claim $t "B.restarts(gavel) > 20 * B.restarts(tiresias)" "rounds interrupt far more where types differ"
    claim $t "A.jct(lucid) > A.jct(tiresias) AND B.jct(lucid) > B.jct(tiresias)" "lucid without shared cards is behind tiresias"
done
claim philly "A.jct(fsp) < A.jct(fifo:mode=skip) AND A.jct(fsu) < A.jct(fifo:mode=skip)" "flow policies are a little before fifo that skips"
for t in helios gavel; do
    claim $t "A.jct(fsp) > 1.02 * A.jct(fifo:mode=skip) AND A.jct(fsu) > 1.02 * A.jct(fifo:mode=skip)" "and behind it"
done
claim synergy "A.jct(synergy) < 0.95 * A.jct(synergy:alloc=proportional)" "cores and memory by what jobs profit shorten times where they are scarce"
claim synergy "A.jct(synergy:alloc=proportional) - A.jct(synergy) > 1.5 * (B.jct(synergy:alloc=proportional) - B.jct(synergy))" "less where they are not"
claim synergy "A.jct(synergy) > 0.97 * A.jct(synergy:alloc=greedy)" "tuning is no better than greed"
claim synergy "A.restarts(synergy) > 30 * A.restarts(tiresias)" "its rounds move jobs often"

# ---- elastic jobs ----
pollux="pollux:population=30,generations=20"
las="tiresias:limits=57600,every=60s,order=submit,place=fill"
claim pollux "A.jct($pollux, adaptive) < 0.65 * A.jct(optimus, elastic) AND A.jct($pollux, adaptive) < 0.85 * A.jct($las, rigid)" \
    "pollux is far before optimus and its authors' tiresias"
claim pollux "A.jct($pollux, adaptive) < A.jct(srtf:estimate=true, rigid) AND A.jct($pollux, adaptive) < A.jct(afs, elastic)" \
    "and before whoever keeps batches, even if told durations"
claim pollux "A.jct(afs, adaptive) < 0.9 * A.jct(afs, elastic) AND A.jct(afs, adaptive) < 1.1 * A.jct($pollux, adaptive)" \
    "much of that is the batch: afs with it is near to pollux"
claim pollux "abs(A.jct(sia, adaptive) / A.jct($pollux, adaptive) - 1) < 0.1 AND A.restarts(sia, adaptive) < 0.9 * A.restarts($pollux, adaptive)" \
    "where GPUs are alike sia restarts less, and is near to pollux"
for t in elastic-philly elastic-helios; do
    first $t A jct afs
    claim $t "A.jct(afs) < 0.6 * A.jct(srtf:estimate=true)" "elastic shares shorten times, told durations in both"
done
claim elastic-philly "A.jct($pollux,every=5m) < 1.1 * A.jct(afs)" "pollux is near to who knows durations"

# ---- finish-time fairness ----
for t in philly helios gavel; do
    claim $t "A.rho(themis) < 0.85 * A.rho(gavel:objective=finish-time) AND A.jct(themis) < 1.1 * A.jct(srtf:estimate=true)" \
        "themis is fairer than gavel's objective on one type, at little cost in mean time"
    claim $t "A.restarts(themis) > 3 * A.restarts(tiresias)" "its leases interrupt more"
done
[ "$long" = 0 ] && exit $bad

# ---- of adaptive jobs on cluster B ----
first pollux B jct "sia, adaptive"
claim elastic-philly "B.jct(optimus:every=5m) < B.jct(sia:every=5m) AND B.jct(sia:every=5m) < B.jct($pollux,every=5m)" \
    "whoever is told durations is before sia, and sia before pollux"
exit $bad
