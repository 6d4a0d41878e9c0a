# recorded.awk -- jobs.csv, happened.csv and clock of record.sh, from the job completion log, the list of what was
# sent and slurmctld's log: awk -f nodes.awk -f recorded.awk -v out=DIR -v tz=+0000 DONE SENT LOG
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
/_slurm_rpc_epilog_complete: JobId=/ {
    id($0); sub(/.*Node=/, ""); sub(/ .*/, "")
    delete clearing[$0, job]
    took[++n_took] = at - end[job]
}
/sched: Running job scheduler for / { hold(/full queue/ ? "full" : "main") }
/_attempt_backfill: beginning/ { hold("backfill") }
/decay_apply_weighted_factors: priority for job/ { if (at - weighed > 1) hold("priorities"); weighed = at }
/sched: Running job scheduler for full queue/ { full[++looks] = at }
/_attempt_backfill: beginning/ && first {
    bf[++n_bf] = at
    if (n_bf > 1 && (!least || at - bf[n_bf - 1] < least)) least = at - bf[n_bf - 1]
}
function median(x, n,    i, k, swap) {
    for (i = 2; i <= n; i++)
        for (k = i; k > 1 && x[k] < x[k - 1]; k--) { swap = x[k]; x[k] = x[k - 1]; x[k - 1] = swap }
    return n ? x[int((n + 1) / 2)] : 0
}
function hold(what,    x, k, seen, list) {
    for (x in clearing) {
        split(x, k, SUBSEP)
        if (!(k[1] in seen)) list = list (list == "" ? "" : " ") k[1]
        seen[k[1]] = 1
    }
    round_at[++held] = at; kind[held] = what; cleared[held] = list
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
        queue = j[3] (j[11] == "" ? "" : "/" j[11] "/" j[12])
        printf "%s,%.3f,%.3f,%s,%s,%d,%d,%d,%d,%d,%s,%d,%d\n",
               job, submit[job] - zero, end[job] - start[job], j[2], queue, j[4], (j[4] > 1),
               j[5], j[6], j[7], j[10] == "-" ? "" : j[10], j[8] * 60, -j[9] >(out "/jobs.csv")
        printf "%s,%.3f,\"%s\",%s\n", job, start[job] - zero, nodes[job], how[job] >(out "/happened.csv")
    }
    print "at_s,round,clearing" >(out "/rounds.csv")
    for (i = 1; i <= held; i++)
        if (round_at[i] >= zero) printf "%.3f,%s,%s\n", round_at[i] - zero, kind[i], cleared[i] >(out "/rounds.csv")
    # From one full round to the next it is a whole number of looks.
    tick = 1.001
    for (i = 2; i <= looks; i++) {
        ticks += int((full[i] - full[i - 1]) / tick + 0.5)
        if (ticks > 20) tick = (full[i] - full[1]) / ticks
    }
    look = full[1]
    for (i = 2; i <= n_bf; i++)
        if (bf[i] - bf[i - 1] < least + 0.5) { length_of_all += bf[i] - bf[i - 1]; n_lengths++ }
    printf "epoch=%.3fs,started=%.3fs,tick=%.3fms,bf_phase=%.3fs,bf_length=%.0fms,clearing=%.0fms\n",
           zero, zero - look + int((look - started) / tick) * tick, 1000 * tick, bf[1] - zero,
           n_lengths ? 1000 * (length_of_all / n_lengths - int(least)) : 0,
           1000 * median(took, n_took) >(out "/clock")
    exit bad
}
