#!/bin/sh
# held.sh -- the policy `slurm` held to the real one: jobs run on a private Slurm and are replayed (record.sh,
# replay.sh).  `make slurm` runs it; it takes ten minutes, root, and Debian's slurmctld, slurmd and munge.
# JOBS and SECONDS_OF_JOBS make it shorter; KEEP names a folder for the record.
# Fails if near.sh finds the replay too far off.  Exit status 77 where slurmd cannot run, in its words.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in slurm.conf gres.conf scenario.yaml; do cp "$here/golden/plain/$f" "$tmp/"; done
awk -f "$here/jobs.awk" -v n="${JOBS:-320}" -v seconds="${SECONDS_OF_JOBS:-200}" >"$tmp/list"
sh "$here/record.sh" "$tmp" "$tmp/list"
said=$(sh "$here/replay.sh" "$tmp")
[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP"; cp "$tmp"/* "$KEEP/"; }
sh "$here/near.sh" "$said" || { echo "not ok - as slurmctld: $said"; exit 1; }
echo "ok - as slurmctld: $said"
