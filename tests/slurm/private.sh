#!/bin/sh
# private.sh up DIR [SETTINGS [ACCOUNTS]] | down DIR | kill DIR NODE -- a Slurm of one's own on this machine:
# munged, slurmctld and a slurmd for each node with everything they write under DIR, on ports and a key of its own.
# Needs root, because slurmd does.  `up` prints the path of slurm.conf; set SLURM_CONF to it; where slurmd cannot run
# it says why, in slurmd's words, and exits with 77.
#   SETTINGS  a slurm.conf of what matters to scheduling alone, of nodes n1..nN; daemons' keys are added.
#             Without it: four nodes of a core, first come, first served
#   ACCOUNTS  commands for sacctmgr, a line each: mariadbd and slurmdbd run too, and limits are enforced
# `down` ends all of them, whatever their state.  SLURMCTLD, SLURMD and SLURMDBD name others than those in PATH.
set -eu
usage() { echo "usage: private.sh up DIR [SETTINGS [ACCOUNTS]] | down DIR | kill DIR NODE" >&2; exit 2; }
[ $# -ge 2 ] || usage
what=$1 dir=$2 node=${3:-} settings=${3:-} accounts=${4:-}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
conf=$dir/slurm.conf

# wait_for SECONDS COMMAND...: until it succeeds, no longer than that
wait_for() {
    tries=$(($1 * 10)); shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}
gone() { ! kill -0 "$1" 2>/dev/null; }
up_or_gone() { gone "$1" || grep -q " started on " "$dir/log/slurmd.$2" 2>/dev/null; }
pids() { cat "$dir"/pid/* 2>/dev/null || :; }
all_idle() { [ "$(SLURM_CONF=$conf timeout 5 sinfo -h -N -t idle -o %N | sort -u | wc -l)" -eq "$n_nodes" ]; }

# Does anything here use one of the n ports from this one on?
in_use() {
    i=0
    while [ $i -lt "$2" ]; do
        if grep -q ":$(printf %04X $(($1 + i))) " /proc/net/tcp; then return 0; fi
        i=$((i + 1))
    done
    return 1
}
# Sessions of jobs on a node, or on all: the step daemon and what it started.  Jobs
# carry the configuration and the node in their environment.
sessions() {
    for env in /proc/[0-9]*/environ; do
        pid=${env#/proc/}; pid=${pid%/environ}
        tr '\0' '\n' 2>/dev/null <"$env" | grep -qxF "SLURM_CONF=$conf" || continue
        tr '\0' '\n' 2>/dev/null <"$env" | grep -qx "SLURMD_NODENAME=${1:-n[0-9]*}" || continue
        ps -o sid= -p "$pid" || :
    done | sort -u
}
kill_sessions() {
    for sid in $(sessions "$@"); do
        for pid in $(ps -o pid= -s "$sid"); do kill -KILL "$pid" 2>/dev/null || :; done
    done
}

end_all() {
    kill_sessions
    for pid in $(pids); do kill "$pid" 2>/dev/null || :; done
    for pid in $(pids); do wait_for 5 gone "$pid" || kill -KILL "$pid" 2>/dev/null || :; done
    kill_sessions
    rm -rf "$dir/pid"
}

# What sets the cluster: SETTINGS, with each node on this machine at a port of its own.
cluster_lines() {
    if [ -n "$settings" ]; then
        while IFS= read -r line; do
            case $line in
            NodeName=n\[*)
                range=${line#NodeName=n[}; range=${range%%]*}
                ports=$((port + ${range%-*}))-$((port + ${range#*-}))
                echo "$line NodeHostname=$host NodeAddr=127.0.0.1 Port=[$ports]" ;;
            NodeName=n*)
                one=${line#NodeName=n}; one=${one%% *}
                echo "$line NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + one))" ;;
            *) echo "$line" ;;
            esac
        done <"$settings"
        return
    fi
    cat <<END
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=2
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=1 RealMemory=100
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=10 State=UP
END
}

# mariadbd and slurmdbd, on the two ports after the nodes'.
up_accounts() {
    db=$((port + n_nodes + 1)) dbd=$((port + n_nodes + 2))
    rm -rf "$dir/mariadb"
    mkdir -p "$dir/mariadb"
    mariadb-install-db --no-defaults --user=root --datadir="$dir/mariadb" >"$dir/log/mariadb-install" 2>&1
    # A statement a line.
    printf '%s;\n' "CREATE USER 'slurm'@'localhost' IDENTIFIED BY 'private'" \
                   "GRANT ALL ON *.* TO 'slurm'@'localhost'" >"$dir/grant.sql"
    mariadbd --no-defaults --user=root --datadir="$dir/mariadb" --socket="$dir/mariadb.sock" --bind-address=127.0.0.1 \
             --port="$db" --pid-file="$dir/pid/mariadbd" --init-file="$dir/grant.sql" --innodb-buffer-pool-size=64M \
             --innodb-lock-wait-timeout=900 >"$dir/log/mariadbd" 2>&1 &
    wait_for 30 test -s "$dir/pid/mariadbd"
    (umask 077
     cat >"$dir/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
DbdHost=$host
DbdAddr=127.0.0.1
DbdPort=$dbd
SlurmUser=root
PidFile=$dir/pid/slurmdbd
LogFile=$dir/log/slurmdbd
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$db
StorageUser=slurm
StoragePass=private
StorageLoc=slurm
END
    )
    "${SLURMDBD:-slurmdbd}" -D >"$dir/log/slurmdbd.out" 2>&1 &
    echo $! >"$dir/pid/slurmdbd"
    wait_for 40 timeout 5 sacctmgr -n show cluster || { tail -n 3 "$dir/log/slurmdbd" >&2; return 1; }
    sacctmgr -i add cluster private >/dev/null
    while read -r line; do
        [ -z "$line" ] || eval "sacctmgr -i $line" >>"$dir/log/sacctmgr" 2>&1 ||
            { echo "sacctmgr $line: $(tail -n 1 "$dir/log/sacctmgr")" >&2; return 1; }
    done <"$accounts"
}

up() {
    rm -rf "$dir/state" "$dir/log"
    mkdir -p "$dir/state" "$dir/log" "$dir/pid" "$dir/munge"
    chmod 755 "$dir" "$dir/munge" "$dir/pid"
    host=$(hostname -s)
    n_nodes=4
    last='s/^NodeName=n\[[0-9]*-\([0-9]*\)\].*/\1/p; s/^NodeName=n\([0-9]*\) .*/\1/p'
    [ -z "$settings" ] || n_nodes=$(sed -n "$last" "$settings" | sort -n | tail -n 1)
    port=$((20000 + $$ % 12000))        # below the range that the kernel gives out
    while in_use $port $((n_nodes + 3)); do port=$((port + n_nodes + 3)); done
    dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 2>/dev/null
    chmod 400 "$dir/munge/key"
    # --force: the folder may lie under /tmp, which munged distrusts
    munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/pid/munged" \
           --log-file="$dir/log/munged" --seed-file="$dir/munge/seed"
    cat >"$conf" <<END
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge/socket
SlurmctldPort=$port
SlurmctldPidFile=$dir/pid/slurmctld
SlurmdPidFile=$dir/pid/slurmd.%n
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=6
InactiveLimit=0
KillWait=1
SlurmdParameters=config_overrides
END
    if [ -n "$accounts" ]; then
        printf '%s\n' AccountingStorageType=accounting_storage/slurmdbd AccountingStorageHost=127.0.0.1 \
                      AccountingStoragePort=$((port + n_nodes + 2)) AccountingStoragePass="$dir/munge/socket" \
                      AccountingStorageEnforce=limits,qos >>"$conf"
    else
        echo AccountingStorageType=accounting_storage/none >>"$conf"
    fi
    cluster_lines >>"$conf"
    ! grep -q '^GresTypes=gpu' "$conf" || echo "Name=gpu File=/dev/tty[0-3]" >"$dir/gres.conf"
    SLURM_CONF=$conf
    export SLURM_CONF
    [ -z "$accounts" ] || up_accounts || { end_all; exit 1; }
    # slurmctld's delays are compared in whole seconds: it begins, and so ticks, away from where one passes to the next.
    until [ "$(date +%1N)" -eq 2 ]; do sleep 0.02; done
    # In the foreground, that what they say when they die is kept.
    ("${SLURMCTLD:-slurmctld}" -D -c -f "$conf"; echo "exit status $?") >"$dir/log/slurmctld.err" 2>&1 &
    i=1
    while [ $i -le "$n_nodes" ]; do
        mkdir -p "$dir/spool/n$i"
        "${SLURMD:-slurmd}" -N n$i -f "$conf" -D >"$dir/log/slurmd.n$i.err" 2>&1 &
        pid=$!
        # It needs a cgroup file system to write to, which a container may lack.
        if ! wait_for 10 up_or_gone $pid n$i || gone $pid; then
            sed -n 's/^\[[^]]*\] \(error\|fatal\): //p' "$dir/log/slurmd.n$i" | paste -s -d ';' | sed 's/;/; /g' >&2
            end_all
            exit 77
        fi
        i=$((i + 1))
    done
    if ! wait_for 20 all_idle; then
        timeout 5 sinfo >&2 || :
        tail -n 5 "$dir"/log/* >&2 || :
        end_all
        echo "private.sh: the $n_nodes nodes did not come up" >&2
        exit 1
    fi
    echo "$conf"
}

case $what in
up)   up ;;
down) end_all ;;
kill) [ -n "$node" ] || usage          # as if its power were cut: the daemon and whatever it runs
      kill -KILL "$(cat "$dir/pid/slurmd.$node")"
      rm -f "$dir/pid/slurmd.$node"
      kill_sessions "$node" ;;
*)    usage ;;
esac
