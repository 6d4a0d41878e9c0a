#!/bin/sh
# Unpack the instances with known optimum, if they are here, and time the flow
# solvers on them in one run.
# usage: bench_flow.sh BENCH_FLOW [FOLDER]
set -eu
if [ $# -lt 2 ] || ! command -v xz >/dev/null; then
    echo "flow  instances with known optimum: skipped, not here or no xz"
    exec "$1"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for f in "$2"/*.inst.xz "$2"/*.agg.min.xz "$2"/*.seq.xz; do xz -dc "$f" >"$dir/$(basename "$f" .xz)"; done
"$1" "$dir"
