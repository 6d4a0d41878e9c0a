# compare.awk -- a replay beside what a real Slurm did:
#   awk -f nodes.awk -f compare.awk [-v tick=1] [-v list=1] happened.csv jobs.csv replay.csv
# replay.csv: id, start in seconds, nodes joined by spaces.  Prints the pairs of jobs that start in the same order
# (those within a tick of each other, in either, are in none and count as the same), both mean waits, and the jobs
# that are on the same nodes; with list=1 each job that is not.
BEGIN { FS = ","; if (tick == "") tick = 1 }
FNR == 1 { file++; if (file < 3) next }
file == 1 {
    id = $1; t = $2; match($0, /"[^"]*"/)
    real[id] = t; nodes[id] = expand(substr($0, RSTART + 1, RLENGTH - 2)); next
}
file == 2 { submit[$1] = $2; next }
($1 in real) {
    n++; job[n] = $1; mine[$1] = $2
    wait_real += real[$1] - submit[$1]; wait_mine += $2 - submit[$1]
    d = $2 - real[$1]; if (d < 0) d = -d
    if (d <= tick) near++
    if ($3 == nodes[$1]) same++
    else if (list) print $1 ": real " nodes[$1] " at " real[$1] ", replay " $3 " at " $2
}
END {
    for (i = 1; i <= n; i++)
        for (k = i + 1; k <= n; k++) {
            a = real[job[i]] - real[job[k]]; b = mine[job[i]] - mine[job[k]]
            pairs++
            if (a * b > 0 || (a <= tick && a >= -tick) || (b <= tick && b >= -tick)) agree++
        }
    printf "jobs %d, same order %.2f %%, wait %.2f s and %.2f s (%+.2f %%), ",
           n, 100 * agree / pairs, wait_real / n, wait_mine / n, 100 * (wait_mine / wait_real - 1)
    printf "same nodes %.2f %%, within a tick %.2f %%\n", 100 * same / n, 100 * near / n
}
