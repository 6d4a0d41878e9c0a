#!/bin/sh
# One digest for each scenario under each policy (digests.txt), whatever built it and however it is run.
#
# In `make test`: the program under test as it is, and a sweep by one worker, by four, and killed and taken up again.
# DETERMINISM=all: sampled, recorded and audited runs too, and gcc and clang at -O0, -O2 and -O3 and under sanitizers,
# each built in a folder of its own.  DETERMINISM=write: the table anew.
# POLICIES='fifo sjf': the digests of those alone, of runs that record why jobs wait.
. "$(dirname "$0")/../cli/lib.sh"
table=$here/tests/determinism/digests.txt
made() { sh "$here/tests/determinism/table.sh" "$@"; }
if [ "${DETERMINISM:-}" = write ]; then made "$fairway" >"$table"; exit; fi

is_table() { made "$@" >"$dir/made"; diff "$table" "$dir/made"; }
if [ -n "${POLICIES:-}" ]; then
    awk -v those=" $POLICIES " 'index(those, " " $2 " ")' "$table" >"$dir/those"
    table=$dir/those
    some() { [ -s "$table" ] && is_table "$fairway" --set output.decisions=true; }
    check "the digests of $POLICIES" some
    exit $bad
fi
check "$(wc -l <"$table") digests are those of the table" is_table "$fairway"
each_policy() { same "$(cut -d ' ' -f 2 "$table" | sort -u)" "$("$fairway" help --list policies | sort)"; }
check 'each policy has a digest' each_policy

digests() { sqlite3 "$1" 'SELECT policy, seed, digest, status FROM run ORDER BY id'; }
if command -v sqlite3 >/dev/null; then
    scn=$here/tests/cli/determinism.yaml
    "$fairway" run -q "$scn" -d "$dir/run.db"
    alike() { [ -s "$dir/run.db" ] && same "$(digests "$1")" "$(digests "$dir/run.db")"; }
    by() { rm -f "$dir/sweep.db"; "$fairway" sweep -q -j "$1" "$scn" -d "$dir/sweep.db" && alike "$dir/sweep.db"; }
    check 'a sweep by one worker' by 1
    check 'a sweep by four' by 4
    resumed() {
        rm -rf "$dir"/sweep.db*
        "$fairway" sweep -q -j 2 "$scn" -d "$dir/sweep.db" >/dev/null 2>&1 & pid=$!
        await $pid '[ "$(sqlite3 "$dir/sweep.db" "SELECT count(*) >= 2 FROM run" 2>/dev/null)" = 1 ]'
        kill -9 $pid
        wait $pid 2>/dev/null
        "$fairway" sweep -q -j 2 "$scn" -d "$dir/sweep.db" && alike "$dir/sweep.db"
    }
    check 'a sweep that was killed and taken up again' resumed

    # Where nobody reads why units wait, the policy does not look at what cannot start: hundreds of distinct requests.
    digest() {
        rm -f "$dir/queue.db"
        "$fairway" run -q "$@" -d "$dir/queue.db" &&
            sqlite3 "$dir/queue.db" 'SELECT policy, seed, digest FROM run ORDER BY id'
    }
    alike_recorded() {
        said=$(digest "$@" --set 'output={decisions: false}') && [ "$(echo "$said" | wc -l)" -eq 8 ] &&
            same "$said" "$(digest "$@" --set 'output={decisions: true}')"
    }
    queue() {
        set -- "$@" -p multiqueue -p multiqueue:search=off,lend=empty -p multiqueue:gpu_arrays=count,mode=strict
        alike_recorded "$@" -p multiqueue:gpu_arrays=count,reclaim=true -s 1 -s 2
    }
    cat >"$dir/queue.yaml" <<'END'
cluster: {groups: [{name: n, count: 8, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100, nodes_per_rack: 4}]}
trace: {format: generate, load: 50, generate: {jobs: 300}}
policies: [multiqueue]
END
    check 'a long queue, with and without a record of decisions' queue "$dir/queue.yaml"
    check 'the same where cores are searched' queue "$here/scenarios/multiqueue/multiqueue.yaml" \
        --set cluster.groups.0.count=2 --set trace.generate.jobs=400 --set horizon=6h
else
    echo 'skipped - sweeps: no sqlite3'
fi

[ "${DETERMINISM:-}" = all ] || exit $bad
check 'sampled' is_table "$fairway" --set output.sample_every=1m
check 'recorded' is_table "$fairway" --set output.attempts=true --set output.decisions=true
check 'audited' is_table "$fairway" --audit
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS
# STRICT: at -O3 gcc guesses at more variables that may not be set.
for cc in gcc clang; do
    command -v $cc >/dev/null || { echo "skipped - no $cc"; continue; }
    for opt in -O0 -O2 -O3 '-O1 address,undefined'; do
        san=${opt#* } build=build/determinism-$cc$(echo "$opt" | tr ' ,' '--')
        [ "$san" != "$opt" ] || san=
        make -C "$here" -j2 STRICT= CC=$cc OPT="${opt% *}" SAN="$san" B="$build" "$build/fairway" >"$dir/build" 2>&1 ||
            { cat "$dir/build"; echo "not ok - $cc $opt builds"; bad=1; continue; }
        check "$cc $opt" is_table "$here/$build/fairway"
    done
done
exit $bad
