#!/bin/sh
# table.sh PROGRAM [OPTION...] -- the digest of each scenario under each built-in policy, a line each, as digests.txt
# has them.  A policy that is not for what the scenario asks has no line.  The options go to `fairway run`.
set -u
program=$1
shift
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
for name in determinism exec/calls exec/flow exec/lend exec/limits exec/mix exec/session; do
    scn=tests/cli/$name.yaml
    for policy in $("$program" policies | sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p'); do
        rm -f "$dir/runs.db"
        "$program" run "$scn" -s 1 -p "$policy" -d "$dir/runs.db" "$@" 2>/dev/null |
            sed -n "s|.* digest \([0-9a-f]*\).*|$scn $policy \1|p"
    done
done
