#!/bin/sh
# record.sh OUT JOBS -- run the jobs of a list (jobs.awk) on a private Slurm with OUT/slurm.conf, and what came of it
# into OUT: jobs.csv, the trace with the running times as they were; happened.csv, when and where each started.
# OUT/accounts, where it is, are commands for sacctmgr; then OUT/accounts.cfg is its dump and OUT/qos.txt its QOS.
# OUT/rounds.csv has when the daemon held its rounds, OUT/clock parameters of the policy by which it keeps time itself.
# Times are those of slurmctld's log, in milliseconds; nodes are those of its job completion log.
# CYCLE: the daemon starts its two loops every so many seconds (jobs.awk); they are to be half of that apart.
# RAW names a folder for the daemon's own log, the job completion log and what was sent.
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
    grep -v '^AccountingStorage' "$out/slurm.conf"       # private.sh says those
    printf '%s\n' SlurmctldDebug=debug2 LogTimeFormat=iso8601_ms DebugFlags=Backfill SlurmSchedLogLevel=1 \
                  SlurmSchedLogFile="$dir/sched" JobCompType=jobcomp/filetxt JobCompLoc="$dir/done"
} >"$dir/settings"
if [ -n "${CYCLE:-}" ]; then
    # Both loops count from the daemon's start on: backfill sleeps half a cycle longer before its first round.
    first_bf=$((CYCLE * 3 / 2))
    sed -i "s/bf_interval=$CYCLE/bf_interval=$first_bf/" "$dir/settings"
fi
set -- up "$dir/slurm" "$dir/settings"
[ ! -e "$out/accounts" ] || set -- "$@" "$out/accounts"
rc=0
SLURM_CONF=$(timeout 120 sh "$here/private.sh" "$@" 2>"$dir/why") || rc=$?
[ $rc -eq 0 ] || { cat "$dir/why" >&2; exit $rc; }
export SLURM_CONF
if [ -e "$out/accounts" ]; then
    sacctmgr -i dump private "File=$dir/accounts.cfg" >/dev/null 2>&1
    cp "$dir/accounts.cfg" "$out/accounts.cfg"
    sacctmgr -P show qos >"$out/qos.txt"
fi
if [ -n "${CYCLE:-}" ]; then
    sed -i "s/bf_interval=$first_bf/bf_interval=$CYCLE/" "$SLURM_CONF"
    scontrol reconfigure
    # A quarter of a cycle after a start of the main loop.
    looks() { grep -c "Running job scheduler for full queue" "$dir/slurm/log/slurmctld" || :; }
    seen=$(looks)
    tries=700
    until [ "$(looks)" -gt $((seen + 1)) ] || [ $tries -eq 0 ]; do sleep 0.1; tries=$((tries - 1)); done
    sleep $((CYCLE / 4))
else
    sleep 3
fi
begin=$(date +%s%3N)
while read -r at user partition nodes cpus mem gpus limit run nice feature qos account; do
    while [ $(($(date +%s%3N) - begin)) -lt $((1000 * at)) ]; do sleep 0.05; done
    set -- --parsable --uid="$user" -p "$partition" -N "$nodes" -n "$nodes" -c "$cpus" --mem="${mem}M" -t "$limit" \
           -o /dev/null -e /dev/null -D / --nice="$nice"
    [ "$gpus" -eq 0 ] || set -- "$@" --gres=gpu:"$gpus"
    [ "$feature" = - ] || set -- "$@" -C "$feature"
    [ -z "$qos" ] || set -- "$@" --qos="$qos" --account="$account"
    id=$(sbatch "$@" --wrap "sleep $run") || { echo "sbatch failed: $*" >&2; exit 1; }
    echo "$id $user $partition $nodes $cpus $mem $gpus $limit $nice $feature $qos $account"
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
[ -z "${RAW:-}" ] || { mkdir -p "$RAW"; cp "$dir/log" "$dir/done" "$dir/sent" "$RAW"; }
awk -f "$here/nodes.awk" -f "$here/recorded.awk" -v out="$out" -v tz="$(date +%z)" "$dir/done" "$dir/sent" "$dir/log"
