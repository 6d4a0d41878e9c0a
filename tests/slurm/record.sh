#!/bin/sh
# record.sh OUT JOBS -- run the jobs of a list (jobs.awk) on a private Slurm with OUT/slurm.conf, and what came of it
# into OUT: jobs.csv, the trace with the running times as they were; happened.csv, when and where each started.
# OUT/rounds.csv has when the daemon held its rounds, OUT/clock parameters of the policy by which it keeps time itself.
# Times are those of slurmctld's log, in milliseconds; nodes are those of its job completion log.
# Exit status 77 where slurmd cannot run, in its words.  Nothing is left running.
set -eu
[ $# -eq 2 ] || { echo "usage: record.sh OUT JOBS" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$1" && pwd) jobs=$2
dir=$(mktemp -d)
chmod 755 "$dir"
trap 'timeout 60 sh "$here/private.sh" down "$dir/slurm"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM HUP
{
    cat "$out/slurm.conf"
    printf '%s\n' SlurmctldDebug=debug2 LogTimeFormat=iso8601_ms DebugFlags=Backfill SlurmSchedLogLevel=1 \
                  SlurmSchedLogFile="$dir/sched" JobCompType=jobcomp/filetxt JobCompLoc="$dir/done"
} >"$dir/settings"
rc=0
SLURM_CONF=$(timeout 120 sh "$here/private.sh" up "$dir/slurm" "$dir/settings" 2>"$dir/why") || rc=$?
[ $rc -eq 0 ] || { cat "$dir/why" >&2; exit $rc; }
export SLURM_CONF
sleep 3
begin=$(date +%s)
while read -r at user partition nodes cpus mem gpus limit run nice feature; do
    while [ $(($(date +%s) - begin)) -lt "$at" ]; do sleep 0.1; done
    set -- --parsable --uid="$user" -p "$partition" -N "$nodes" -n "$nodes" -c "$cpus" --mem="${mem}M" -t "$limit" \
           -o /dev/null -e /dev/null -D / --nice="$nice"
    [ "$gpus" -eq 0 ] || set -- "$@" --gres=gpu:"$gpus"
    [ "$feature" = - ] || set -- "$@" -C "$feature"
    id=$(sbatch "$@" --wrap "sleep $run") || { echo "sbatch failed: $*" >&2; exit 1; }
    echo "$id $user $partition $nodes $cpus $mem $gpus $limit $nice $feature"
done <"$jobs" >"$dir/sent"
tries=1500
until squeue -h >"$dir/left" 2>"$dir/why" && [ ! -s "$dir/left" ]; do
    tries=$((tries - 1))
    kill -0 "$(cat "$dir/slurm/pid/slurmctld")" 2>/dev/null ||
        { echo "slurmctld died: $(tail -n 3 "$dir/slurm/log/slurmctld.err")" >&2; exit 1; }
    [ $tries -gt 0 ] || { echo "jobs are left after 25 minutes" >&2; cat "$dir/left" >&2; exit 1; }
    sleep 1
done
sleep 2
cp "$dir/slurm/log/slurmctld" "$dir/log"
awk -f "$here/recorded.awk" -v out="$out" -v tz="$(date +%z)" "$dir/done" "$dir/sent" "$dir/log"
