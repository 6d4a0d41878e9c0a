# nodes.awk -- nodes as Slurm writes them, "n[1-3,5]" or "n7", of one prefix, as names joined by spaces.
function expand(list,    out, n, part, i, r, k) {
    if (list !~ /\[/) return list
    sub(/^n\[/, "", list); sub(/\]$/, "", list)
    n = split(list, part, ",")
    for (i = 1; i <= n; i++) {
        if (split(part[i], r, "-") == 1) r[2] = r[1]
        for (k = r[1] + 0; k <= r[2] + 0; k++) out = out (out == "" ? "" : " ") "n" k
    }
    return out
}
