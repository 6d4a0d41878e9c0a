#!/bin/sh
# replay.sh DIR [clocks] -- what was recorded in DIR (record.sh) again under the policy `slurm`, and both compared in a
# line (compare.awk).  The policy is told when the daemon held its rounds; with `clocks` it keeps time itself.
# FAIRWAY names the program; LIST=1 lists the jobs that are on other nodes.
set -eu
[ $# -ge 1 ] || { echo "usage: replay.sh DIR [clocks]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
fairway=${FAIRWAY:-$here/../../build/fairway}
case $fairway in /*) ;; *) fairway=$PWD/$fairway ;; esac
from=$(cd "$1" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
spec=slurm:config=slurm.conf,tasks=node,$(cat "$from/clock")
[ ! -e "$from/accounts.cfg" ] || spec=$spec,accounts=accounts.cfg,qos=qos.txt
[ "${2:-}" = clocks ] || spec=$spec,rounds=rounds.csv
(cd "$from" && "$fairway" run scenario.yaml -q --audit -p "$spec" -d "$tmp/r.db") >&2 ||
    [ $? -eq 1 ]        # jobs were left, which are then missing below
sqlite3 -csv "$tmp/r.db" "
    SELECT j.id, min(a.start_us) / 1e6, group_concat(n.name, ' ')
    FROM (SELECT * FROM attempt ORDER BY node) a JOIN job j USING (run, ordinal)
    JOIN node n ON n.run = a.run AND n.node = a.node
    GROUP BY j.ordinal" | tr -d '"' >"$tmp/replay.csv"
awk -v list="${LIST:-0}" -f "$here/nodes.awk" -f "$here/compare.awk" \
    "$from/happened.csv" "$from/jobs.csv" "$tmp/replay.csv"
