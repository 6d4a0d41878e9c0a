#!/bin/sh
# The scenarios of scenarios/energy and scenarios/physics, shortened: what their pages say of the order of things.
. "$(dirname "$0")/lib.sh"

# value DB METRIC POLICY [WHERE]: the mean over seeds
value() {
    sqlite3 "$1" "SELECT avg(value) FROM metric JOIN run ON run.id = metric.run
        WHERE scope = 'all' AND name = '$2' AND policy = '$3' AND ${4:-1}"
}
holds() { [ "$(sqlite3 :memory: "SELECT $1")" = 1 ] || { echo "not so: $1"; return 1; }; }

check "energy runs" "$fairway" run -q "$here/scenarios/energy/energy.yaml" -s 1..2 -d "$dir/e.db" \
    --set trace.generate.jobs=1500 --set trace.generate.span=1d
energy() { value "$dir/e.db" energy "$1"; }
check "old nodes take more energy for the same work" holds "$(energy 'best fit') > 1.05 * $(energy 'new first')"
check "and cost more" holds "$(value "$dir/e.db" cost 'best fit') > $(value "$dir/e.db" cost 'new first')"
check "the order of jobs hardly changes it" holds "abs($(energy FIFO) / $(energy 'new first') - 1) < 0.03"
check "what users draw, and what nobody holds, is all" same "$(sqlite3 "$dir/e.db" "SELECT count(*) FROM (SELECT run,
    sum(value) FILTER (WHERE name = 'energy' AND scope = 'all') AS whole,
    sum(value) FILTER (WHERE name = 'energy_idle' OR name = 'energy' AND scope <> 'all') AS parts
    FROM metric GROUP BY run) WHERE abs(parts / whole - 1) < 1e-12")" 14
check "what jobs draw is what users draw" same "$(sqlite3 "$dir/e.db" "SELECT count(*) FROM
    (SELECT run, user, sum(kwh) AS kwh FROM v_energy GROUP BY 1, 2) JOIN metric USING (run) WHERE name = 'energy' AND scope = 'user=' || user
    AND abs(kwh - value) > 1e-9")" 0
for form in svg gp; do check "it is drawn as $form" "$fairway" plot "$dir/e.db" energy -o "$dir/e.$form"; done
drawn() { awk -F '\t' '/^best fit/ { printf "%.6g %.6g %.6g %.6g", $2, $5, $8, $11 }' "$dir/e.gp"; }
asked() { for m in energy energy_idle cost cost_idle; do value "$dir/e.db" $m 'best fit'; done; }
check "with the numbers of the database" same "$(drawn)" "$(asked | awk '{ printf "%s%.6g", (NR > 1 ? " " : ""), $1 }')"

# with and without what jobs do to each other
with() { value "$dir/m.db" "$1" "$2" "variant NOT LIKE '%profiles=%'"; }
without() { value "$dir/m.db" "$1" "$2" "variant LIKE '%profiles=%'"; }
check "coda-mixed runs" "$fairway" sweep -q "$here/scenarios/physics/coda-mixed.yaml" -d "$dir/m.db" \
    --set sweep.seeds=1..3
for p in multiqueue DRF 'FIFO packed' 'FIFO spread'; do
    check "under $p jobs run longer with contention" holds "$(with span_mean "$p") > 1.05 * $(without span_mean "$p")"
done
check "which costs multiqueue less than DRF" holds "$(with jct_mean multiqueue) / $(with jct_mean DRF)
    < $(without jct_mean multiqueue) / $(without jct_mean DRF)"

pairs=$here/scenarios/physics/gavel-pairs.yaml
check "gavel-pairs says what it lacks" env FAIRWAY_TRACES="$dir" sh -c '! "$1" run "$2" -d "$3/x.db" 2>"$3/err" &&
    grep -qF "cannot find the file '\''gavel/simulation_throughputs.json'\''" "$3/err"' - "$fairway" "$pairs" "$dir"
if [ ! -f "${FAIRWAY_TRACES:-}/gavel/simulation_throughputs.json" ]; then
    echo "skipped - gavel-pairs: no public traces"
    exit $bad
fi
check "gavel-pairs runs" "$fairway" sweep -q "$pairs" -d "$dir/p.db" --set sweep.seeds=1..4
cards() { value "$dir/p.db" jct_mean 'FIFO spread' "variant $1"; }
free=$(cards "= 'profiles='") measured=$(cards "= ''") half=$(cards "LIKE '%sharing%'") whole=$(cards "LIKE '%501%'")
check "sharing as measured is better than whole cards" holds "$measured < $whole"
check "half the speed would be worse than whole cards" holds "$whole < $half"
check "and sharing for free far better than either" holds "$free < 0.6 * $measured"
exit $bad
