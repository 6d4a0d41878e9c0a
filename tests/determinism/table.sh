#!/bin/sh
# table.sh PROGRAM [OPTION...] -- the digest of each scenario under each built-in policy, a line each, as digests.txt
# has them.  A policy that is not for what the scenario asks has no line.  The options go to `fairway run`.
# POLICIES, if set: those alone.
set -u
program=$1
shift
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
for name in cli/determinism cli/exec/calls cli/exec/flow cli/exec/lend cli/exec/limits cli/exec/mix cli/exec/session \
    determinism/elastic; do
    scn=tests/$name.yaml
    for policy in $("$program" help --list policies); do
        case " ${POLICIES:-$policy} " in *" $policy "*) ;; *) continue ;; esac
        rm -f "$dir/runs.db"
        "$program" run "$scn" -s 1 -p "$policy" -d "$dir/runs.db" "$@" 2>/dev/null |
            sed -n "s|.* digest \([0-9a-f]*\).*|$scn $policy \1|p"
    done
done
