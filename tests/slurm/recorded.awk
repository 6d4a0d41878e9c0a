# recorded.awk -- jobs.csv, happened.csv and clock of record.sh, from the job completion log, the list of what was
# sent and slurmctld's log: awk -f recorded.awk -v out=DIR -v tz=+0000 DONE SENT LOG
# A job runs from the round in which it is started until the daemon hears of its end; rounds.csv has when the daemon
# held its rounds, and which nodes were still being cleared of a job that had ended; time 0 is the first submission.
function seconds(stamp,    d, t, days) {    # since 1970, of 2026-01-31T12:00:00.000, in the zone of the machine
    split(substr(stamp, 1, 10), d, "-"); split(substr(stamp, 12), t, ":")
    if (d[2] <= 2) { d[1]--; d[2] += 12 }
    days = 365 * d[1] + int(d[1] / 4) - int(d[1] / 100) + int(d[1] / 400)
    days += int((153 * (d[2] - 3) + 2) / 5) + d[3] - 719469
    return days * 86400 + t[1] * 3600 + t[2] * 60 + t[3] - zone
}
BEGIN { zone = (substr(tz, 2, 2) * 3600 + substr(tz, 4, 2) * 60) * (substr(tz, 1, 1) == "-" ? -1 : 1) }
FILENAME ~ /done$/ {
    for (i = 1; i <= NF; i++) { k = index($i, "="); f[substr($i, 1, k - 1)] = substr($i, k + 1) }
    nodes[f["JobId"]] = f["NodeList"]
    next
}
FILENAME ~ /sent$/ { sent[++n] = $0; next }
/^\[/ { at = seconds(substr($1, 2, length($1) - 2)) }
/slurmctld version .* started/ { started = at }
/_slurm_rpc_submit_batch_job: JobId=/ { id($0); submit[job] = at; if (!first || at < first) first = at }
/sched: Allocate JobId=|_start_job: Started JobId=/ {
    id($0)
    start[job] = round_at[held]
    how[job] = /Allocate/ ? "main" : "backfill"
}
/_job_complete: JobId=[0-9]+ W/ {
    id($0)
    end[job] = at
    k = split(expand(nodes[job]), on, " ")
    for (i = 1; i <= k; i++) clearing[on[i], job] = 1
}
/_slurm_rpc_epilog_complete: JobId=/ { id($0); sub(/.*Node=/, ""); sub(/ .*/, ""); delete clearing[$0, job] }
/sched: Running job scheduler for / { hold(/full queue/ ? "full" : "main") }
/_attempt_backfill: beginning/ { hold("backfill") }
/sched: Running job scheduler for full queue/ { if (!looks++) look = at; last_look = at }
/_attempt_backfill: beginning/ { if (first && !round) round = at }
function hold(what,    x, k, seen, list) {
    for (x in clearing) {
        split(x, k, SUBSEP)
        if (!(k[1] in seen)) list = list (list == "" ? "" : " ") k[1]
        seen[k[1]] = 1
    }
    round_at[++held] = at; kind[held] = what; cleared[held] = list
}
function expand(list,    out, n, part, i, r, k) {       # n[1-3,5] or n7
    if (list !~ /\[/) return list
    sub(/^n\[/, "", list); sub(/\]$/, "", list)
    n = split(list, part, ",")
    for (i = 1; i <= n; i++) {
        if (split(part[i], r, "-") == 1) r[2] = r[1]
        for (k = r[1] + 0; k <= r[2] + 0; k++) out = out (out == "" ? "" : " ") "n" k
    }
    return out
}
function id(s) { match(s, /JobId=[0-9]+/); job = substr(s, RSTART + 6, RLENGTH - 6) }
END {
    zero = first
    print "id,submit_s,duration_s,user,queue,tasks,gang,cpus,mem_mib,gpus,labels,limit_s,priority" >(out "/jobs.csv")
    print "id,start_s,nodes,scheduler" >(out "/happened.csv")
    for (i = 1; i <= n; i++) {
        split(sent[i], j, " ")
        job = j[1]
        if (!(job in start) || !(job in end)) {
            print "job " job " has no start or no end in the log" >"/dev/stderr"
            bad = 1
            continue
        }
        printf "%s,%.3f,%.3f,%s,%s,%d,%d,%d,%d,%d,%s,%d,%d\n",
               job, submit[job] - zero, end[job] - start[job], j[2], j[3], j[4], (j[4] > 1),
               j[5], j[6], j[7], j[10] == "-" ? "" : j[10], j[8] * 60, -j[9] >(out "/jobs.csv")
        printf "%s,%.3f,\"%s\",%s\n", job, start[job] - zero, nodes[job], how[job] >(out "/happened.csv")
    }
    print "at_s,round,clearing" >(out "/rounds.csv")
    for (i = 1; i <= held; i++)
        if (round_at[i] >= zero) printf "%.3f,%s,%s\n", round_at[i] - zero, kind[i], cleared[i] >(out "/rounds.csv")
    ticks = int((last_look - look) / 1.002 + 0.5)
    tick = ticks > 0 ? (last_look - look) / ticks : 1
    printf "epoch=%.3fs,started=%.3fs,tick=%.3fms,bf_phase=%.3fs\n",
           zero, zero - look + int((look - started) / tick) * tick, 1000 * tick, round - zero >(out "/clock")
    exit bad
}
