# jobs.awk -- the jobs of a recorded run: awk -f jobs.awk -v n=320 -v seconds=300 [-v cycle=8] [-v accounts=1]
# A line each: second of submission, user, partition, nodes, CPUs and MiB on each, GPUs on each, limit in minutes,
# seconds that it sleeps, nice, feature ("-": none), and with accounts QOS and account.  The same on every machine: its
# own generator.
#   cycle  the daemon starts each of its two loops every so many seconds, half a cycle apart: jobs are submitted and end
#          a quarter of it after a round, so that what a round finds does not hang on fractions of a second
function draw(k) { seed = (seed * 69069 + 1) % 4294967296; return int(seed / 65536) % k }
BEGIN {
    seed = 3
    split("games man lp mail news", user)
    split("physics physics biology biology biology", account)
    t = 0
    for (i = 0; i < n; i++) {
        # bursts: most come together, some after a pause
        if (draw(4) == 0) t += draw(int(8 * seconds / n) + 1)
        u = 1 + draw(5)
        d = draw(20)
        partition = d < 11 ? "main" : d < 18 ? "wide" : "urgent"
        d = draw(20)
        nodes = d < 14 ? 1 : d < 17 ? 2 : d < 19 ? 3 : 4
        d = draw(10)
        cpus = d < 4 ? 1 : d < 7 ? 2 : d < 9 ? 4 : partition == "urgent" ? 3 : 6
        if (cpus == 6 && nodes > 3) nodes = 3
        gpus = partition != "main" && draw(6) == 0 ? 1 + draw(2) : 0
        if (gpus > 0) { nodes = 1 + draw(2); if (cpus > 4) cpus = 4 }
        mem = 200 + 100 * draw(8)
        if (draw(12) == 0) mem = 3000
        feature = gpus == 0 && partition == "wide" && cpus < 5 && draw(8) == 0 ? "small" : "-"
        if (feature == "small") nodes = 1 + draw(2)
        limit = partition == "urgent" ? 1 + draw(2) : 1 + draw(6)
        run = 3 + draw(partition == "urgent" ? 12 : 22)
        if (run > limit * 60 - 10) run = limit * 60 - 10
        nice = draw(10) == 0 ? 100 + draw(400) : 0
        if (cycle) run = int(run / cycle) * cycle + cycle / 4
        at = cycle ? int(2 * t / cycle) * cycle / 2 : t
        if (accounts) qos = (draw(6) == 0 ? "high" : draw(5) == 0 ? "low" : "normal") " " account[u]
        print at, user[u], partition, nodes, cpus, mem, gpus, limit, run, nice, feature, qos
    }
}
