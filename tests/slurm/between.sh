#!/bin/sh
# between.sh A B -- two records of the same jobs on a real Slurm (record.sh) compared as a replay is with its record
# (compare.awk): how far two runs of the daemon differ by themselves.  LIST=1 lists the jobs that are on other nodes.
set -eu
[ $# -eq 2 ] || { echo "usage: between.sh A B" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/other.awk" <<'END'
NR > 1 { match($0, /"[^"]*"/); split($0, f, ","); print f[1] "," f[2] "," expand(substr($0, RSTART + 1, RLENGTH - 2)) }
END
awk -f "$here/nodes.awk" -f "$tmp/other.awk" "$2/happened.csv" >"$tmp/other.csv"
awk -v list="${LIST:-0}" -f "$here/nodes.awk" -f "$here/compare.awk" "$1/happened.csv" "$1/jobs.csv" "$tmp/other.csv"
