#!/bin/sh
# run.sh BUILD_DIR PROGRAM-OR-SCRIPT... -- run every test, say it in one line each.
#
# A program is a Criterion binary (counted test by test); a script (*.sh) prints
# lines that begin with 'ok', 'not ok' or 'skipped', one a case; exit 77 means
# that the whole script was skipped.  A program that dies without a failed case,
# or of which the leak sanitizer misses memory, counts as one failure.  The output
# of what failed is shown in full.
# TEST_JOBS tests run at a time (default: as many as there are processors), each
# told when it ends.
# The last line is exactly 'N passed, N failed, N skipped'; exit status 1 when
# anything failed or nothing ran.  JUnit files go to BUILD_DIR/junit.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)

# Run test $1, say its line, leave 'PASSED FAILED SKIPPED' in a file of the folder $counts.
one() {
    t=$1 passed=0 failed=0 skipped=0
    name=$(basename "$(dirname "$t")")/$(basename "$t")     # unit/test_x and prop/test_x may both be
    file=$(echo "$name" | tr / -)
    log=$build/log/$file.txt
    began=$(date +%s)
    case $t in
    *.sh)
        sh "$t" </dev/null >"$log" 2>&1
        rc=$? ;;
    *)
        tap=$build/log/$file.tap
        rm -f "$tap"
        # Criterion loses some memory itself, of tests that have a time limit, and does not mind what these lose.
        LSAN_OPTIONS=exitcode=0 "$t" --tap="$tap" --xml="$build/junit/$file.xml" </dev/null >"$log" 2>&1
        rc=$?
        ! sed -n '/ERROR: LeakSanitizer/,/^SUMMARY/p' "$log" | grep -qE '^ +#.* (sim|policies|tests)/' || rc=23
        # The cases are in the TAP file; what the tests printed is in the log.
        [ -f "$tap" ] && cat "$tap" >>"$log" ;;
    esac
    took=$(($(date +%s) - began))
    # A skipped case is a line 'skipped', or 'ok' with the TAP directive SKIP.
    set -- $(awk '
        /^not ok/                             { f++; next }
        /^skipped/ || /^ok.*# *[Ss][Kk][Ii][Pp]/ { s++; next }
        /^ok/                                 { p++ }
        END { print p + 0, f + 0, s + 0 }' "$log")
    passed=$1 failed=$2 skipped=$3
    if [ "$rc" -eq 77 ]; then
        [ "$skipped" -gt 0 ] || skipped=1
    elif [ "$rc" -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1
    elif [ "$rc" -eq 0 ] && [ $((passed + failed + skipped)) -eq 0 ]; then
        case $t in *.sh) passed=1 ;; esac
    fi
    word=ok
    [ "$skipped" -gt 0 ] && [ $((passed + failed)) -eq 0 ] && word=skipped
    [ "$failed" -gt 0 ] && word=FAILED
    {
        printf '%-8s %-34s %3d passed' "$word" "$name" "$passed"
        [ "$failed" -gt 0 ] && printf ', %d failed' "$failed"
        [ "$skipped" -gt 0 ] && printf ', %d skipped' "$skipped"
        [ "$took" -gt 1 ] && printf '  (%d s)' "$took"
        printf '\n'
        if [ "$failed" -gt 0 ]; then
            [ "$rc" -ne 0 ] && echo "    exit status $rc"
            sed 's/^/    /' "$log"
        elif [ "$skipped" -gt 0 ]; then
            grep '^skipped' "$log" | sed 's/^/    /'
        fi
    } >"$counts/$file.said"
    flock "$counts" cat "$counts/$file.said"
    echo "$passed $failed $skipped" >"$counts/$file.count"
}

if [ "${1:-}" = --one ]; then
    build=$2 counts=$3
    one "$4"
    exit 0
fi
[ $# -ge 1 ] || { echo "usage: run.sh BUILD_DIR TEST..." >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
shift

FAIRWAY=${FAIRWAY:-$build/fairway}
if [ -z "${FAIRWAY_TRACES:-}" ] && [ -d "$root/../shared/traces" ]; then
    FAIRWAY_TRACES=$(cd "$root/../shared/traces" && pwd)
fi
FAIRWAY_TRACES=${FAIRWAY_TRACES:-}
# A python3 that is a script which finds one, as pyenv has it, takes several times as long to start as that one.
python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null)
[ "$python" = "$(dirname "$(command -v python3)")" ] || PATH=${python:+$python:}$PATH
LC_ALL=C
export FAIRWAY FAIRWAY_TRACES LC_ALL PATH
mkdir -p "$build/junit" "$build/log"
counts=$(mktemp -d) || exit 2
trap 'rm -rf "$counts"' EXIT
cd "$root" || exit 2

printf '%s\n' "$@" | xargs -d '\n' -r -n 1 -P "${TEST_JOBS:-$(nproc)}" sh tests/run.sh --one "$build" "$counts"
# A test whose runner was itself ended has no count: it failed.
cat "$counts"/*.count 2>/dev/null | awk -v of=$# '
    { p += $1; f += $2; s += $3 }
    END { f += of - NR; print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit !(f == 0 && p > 0) }'
