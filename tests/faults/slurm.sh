#!/bin/sh
# slurm.sh -- a Slurm for sweeps whose calls fail: linked as sbatch, squeue, scancel and scontrol.
#
# sbatch starts every task of the array at once, each in a session of its own; a task is in the queue while its file
# is in $STUB/queue.  FAULT=sbatch:N and the like: the Nth call of that command fails; unheard:N: the Nth sbatch sends
# its tasks and then fails.  TASK_FAULT is the FAULT of the first array's tasks, whose calls FAULT itself does not fail.
set -u
me=${0##*/}
mkdir -p "$STUB/queue"
# nth KIND: is this the call of the kind that has to fail?
nth() {
    case ${FAULT:-} in "$1":*) ;; *) return 1 ;; esac
    echo >>"$STUB/calls.$1"
    [ "$(wc -l <"$STUB/calls.$1")" -eq "${FAULT#*:}" ] || return 1
    : >"$FAULT_HIT"
}
fail() { echo "$me: error: Socket timed out on send/recv operation"; exit 1; }
# cancel JOB_INDEX
cancel() {
    pid=$(cat "$STUB/queue/$1" 2>/dev/null) && kill -9 -- "-$pid" 2>/dev/null
    rm -f "$STUB/queue/$1"
}
! nth "$me" || fail
case $me in
scontrol) echo 'MaxArraySize            = 1001' ;;
squeue)
    for at in "$STUB"/queue/*; do
        [ ! -e "$at" ] || echo "${at##*/}" | sed 's/_/ /; s/$/ RUNNING/'
    done ;;
scancel)
    case $2 in
    --name=*) for at in "$STUB"/queue/*; do [ ! -e "$at" ] || cancel "${at##*/}"; done ;;
    *) cancel "$2" ;;
    esac ;;
sbatch)
    for word; do
        case $word in
        --array=0-*) last=${word#--array=0-} ;;
        --output=*) log=${word#--output=}; log=${log%/*} ;;
        esac
        script=$word
    done
    echo >>"$STUB/jobs"
    job=$(wc -l <"$STUB/jobs") i=0
    fault=
    [ "$job" -gt 1 ] || fault=${TASK_FAULT:-}
    while [ $i -le "$last" ]; do
        : >"$STUB/queue/${job}_$i"
        FAULT=$fault SLURM_ARRAY_TASK_ID=$i setsid sh -c 'echo $$ >"$1"; sh "$2"; rm -f "$1"' - \
            "$STUB/queue/${job}_$i" "$script" >"$log/log-${job}_$i.txt" 2>&1 </dev/null &
        i=$((i + 1))
    done
    ! nth unheard || fail
    echo "$job" ;;
esac
