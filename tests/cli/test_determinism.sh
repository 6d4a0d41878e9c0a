#!/bin/sh
# The same inputs give the same digests: by gcc and clang, at -O0 and -O2, with and
# without samples, records and audit, and run twice.  The builds are kept (each
# variant has its own folder under build/), so only the first run of this script is slow.
root=$(cd "$(dirname "$0")/../.." && pwd)
scn=$root/tests/cli/determinism.yaml
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0

# digests PROGRAM OUT [OPTION...]: the digest of every run, without run numbers.
digests() {
    prog=$1 out=$2
    shift 2
    "$prog" run "$scn" -d "$tmp/$(basename "$out").db" "$@" >"$out.all" 2>"$out.err" || { cat "$out.err"; return 1; }
    sed -n 's/^run  *[0-9][0-9]*  *//p' "$out.all" >"$out"
    # and every number that is compared, to the last digit
    "$FAIRWAY" compare "$tmp/$(basename "$out").db" --csv >>"$out"
}

# same NAME PROGRAM [OPTION...]: the digests are those of the first run.
same() {
    name=$1 prog=$2
    shift 2
    if digests "$prog" "$tmp/got" "$@" && diff "$tmp/want" "$tmp/got"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        rc=1
    fi
    rm -f "$tmp/got.db"
}

digests "$FAIRWAY" "$tmp/want" || { echo "not ok - the scenario runs"; exit 1; }
if [ "$(grep -c digest "$tmp/want")" -eq 10 ] && [ "$(sed -n 's/.*digest //p' "$tmp/want" | sort -u | wc -l)" -eq 10 ]; then
    echo "ok - five policies under two seeds give ten different digests"
else
    cat "$tmp/want"
    echo "not ok - five policies under two seeds give ten different digests"
    rc=1
fi
same "run again" "$FAIRWAY"
same "with samples" "$FAIRWAY" --set output.sample_every=1m
same "with attempts and decisions recorded" "$FAIRWAY" --set output.attempts=true --set output.decisions=true
same "audited" "$FAIRWAY" --audit
same "with an event log" "$FAIRWAY" --log "$tmp/events"
cp "$tmp/want.db" "$tmp/got.db"
same "into a database that holds the runs already" "$FAIRWAY"

# Two builds may be variants of the one under test; make knows what is up to date.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS
for v in gcc-O0 clang-O0 clang-O2; do
    cc=${v%-O*} opt=-O${v#*-O} b=build/determinism-$v
    if ! command -v "$cc" >/dev/null 2>&1; then
        echo "skipped - $v: no $cc here"
    elif make -C "$root" -j2 CC="$cc" OPT="$opt" SAN= B="$b" "$b/fairway" >"$tmp/build" 2>&1; then
        same "$v" "$root/$b/fairway"
    else
        cat "$tmp/build"
        echo "not ok - $v builds"
        rc=1
    fi
done
exit $rc
