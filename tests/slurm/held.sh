#!/bin/sh
# held.sh [KIND] -- the policy `slurm` held to the real one: jobs run on a private Slurm and are replayed (record.sh,
# replay.sh).  `make slurm` runs all kinds; each takes ten minutes, root, and Debian's slurmctld, slurmd and munge.
#   KIND  plain, spaced, or accounts (slurmdbd and mariadbd besides), a folder of golden
# plain is replayed with the daemon's rounds as they were, the others with the policy's own clock.
# JOBS and SECONDS_OF_JOBS make it shorter; KEEP names a folder for the record.
# Fails if near.sh finds the replay too far off.  Exit status 77 where slurmd cannot run, in its words, or something
# is not installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kind=${1:-plain}
if [ "$kind" = accounts ]; then
    for c in slurmdbd mariadbd sacctmgr; do
        command -v $c >/dev/null 2>&1 || { echo "no $c here" >&2; exit 77; }
    done
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in slurm.conf gres.conf scenario.yaml accounts; do
    [ ! -e "$here/golden/$kind/$f" ] || cp "$here/golden/$kind/$f" "$tmp/"
done
set -- -v n="${JOBS:-320}" -v seconds="${SECONDS_OF_JOBS:-200}"
if [ "$kind" != plain ]; then
    CYCLE=8
    export CYCLE
    set -- "$@" -v cycle=$CYCLE
fi
[ "$kind" != accounts ] || set -- "$@" -v accounts=1
awk -f "$here/jobs.awk" "$@" >"$tmp/list"
# What else the machine does is to move the daemon's clocks as little as can be had.
urgent=
if chrt -r 1 true 2>/dev/null; then urgent="chrt -r 1"; fi
$urgent sh "$here/record.sh" "$tmp" "$tmp/list"
[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP"; cp "$tmp"/* "$KEEP/"; }
clocks=
[ "$kind" = plain ] || clocks=clocks
said="$(sh "$here/replay.sh" "$tmp" $clocks), load $(cut -d ' ' -f 1-3 /proc/loadavg)"
sh "$here/near.sh" "$said" || { echo "not ok - $kind, as slurmctld: $said"; exit 1; }
echo "ok - $kind, as slurmctld: $said"
