#!/bin/sh
# run.sh BUILD_DIR PROGRAM-OR-SCRIPT... -- run every test, say it in one line each.
#
# A program is a Criterion binary (counted test by test); a script (*.sh) prints
# lines that begin with 'ok', 'not ok' or 'skipped', one a case; exit 77 means
# that the whole script was skipped.  A program that dies without a failed case
# counts as one failure.  The output of what failed is shown in full.
# The last line is exactly 'N passed, N failed, N skipped'; exit status 1 when
# anything failed or nothing ran.  JUnit files go to BUILD_DIR/junit.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { echo "usage: run.sh BUILD_DIR TEST..." >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
shift

FAIRWAY=${FAIRWAY:-$build/fairway}
if [ -z "${FAIRWAY_TRACES:-}" ] && [ -d "$root/../shared/traces" ]; then
    FAIRWAY_TRACES=$(cd "$root/../shared/traces" && pwd)
fi
FAIRWAY_TRACES=${FAIRWAY_TRACES:-}
LC_ALL=C
export FAIRWAY FAIRWAY_TRACES LC_ALL
mkdir -p "$build/junit" "$build/log"
cd "$root" || exit 2

passed=0 failed=0 skipped=0
for t in "$@"; do
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
        "$t" --tap="$tap" --xml="$build/junit/$file.xml" </dev/null >"$log" 2>&1
        rc=$?
        # The cases are in the TAP file; what the tests printed is in the log.
        [ -f "$tap" ] && cat "$tap" >>"$log" ;;
    esac
    took=$(($(date +%s) - began))
    # A skipped case is a line 'skipped', or 'ok' with the TAP directive SKIP.
    set -- $(awk '
        /^not ok/                             { f++; next }
        /^skipped/ || /^ok.*# *[Ss][Kk][Ii][Pp]/ { s++; next }
        /^ok/                                 { p++ }
        END { print p + 0, f + 0, s + 0 }' "$log") "$@"
    p=$1 f=$2 s=$3
    shift 3
    if [ "$rc" -eq 77 ]; then
        [ "$s" -gt 0 ] || s=1
    elif [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    elif [ "$rc" -eq 0 ] && [ $((p + f + s)) -eq 0 ]; then
        case $t in *.sh) p=1 ;; esac
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    word=ok
    [ "$s" -gt 0 ] && [ $((p + f)) -eq 0 ] && word=skipped
    [ "$f" -gt 0 ] && word=FAILED
    printf '%-8s %-34s %3d passed' "$word" "$name" "$p"
    [ "$f" -gt 0 ] && printf ', %d failed' "$f"
    [ "$s" -gt 0 ] && printf ', %d skipped' "$s"
    [ "$took" -gt 1 ] && printf '  (%d s)' "$took"
    printf '\n'
    if [ "$f" -gt 0 ]; then
        [ "$rc" -ne 0 ] && echo "    exit status $rc"
        sed 's/^/    /' "$log"
    elif [ "$s" -gt 0 ]; then
        grep '^skipped' "$log" | sed 's/^/    /'
    fi
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + failed)) -gt 0 ]
