# Which node runs what, and what is pending; a panel a policy.
# $pods: one block a policy; node (the last: pending), CPU pods, GPU pods.
# COLUMNS, ROWS, BARS, N, LABEL[], YMAX.
left = 0.45 / W
gap = 0.30 / W
w = (1 - left - 0.06 / W - (COLUMNS - 1) * gap) / COLUMNS
top = 0.30 / H
h = (1 - top) / ROWS
set multiplot
set xrange [-0.7:BARS - 0.3]
set yrange [0:YMAX]
set ytics ceil(YMAX / 6.0) font SMALL
set xtics scale 0 noenhanced font SMALL
if (BARS > 6) set xtics rotate by 45 right offset 0.6,0.2
set boxwidth 0.66
set arrow 1 from BARS - 1.5, graph 0 to BARS - 1.5, graph 1 nohead dt 3 lw 0.8 lc rgb "#606060"
do for [i=1:N] {
    c = (i - 1) % COLUMNS
    r = (i - 1) / COLUMNS
    set lmargin at screen left + c * (w + gap)
    set rmargin at screen left + c * (w + gap) + w
    set tmargin at screen 1 - top - r * h - 0.22 / H
    set bmargin at screen 1 - top - (r + 1) * h + (BARS > 6 ? 0.5 : 0.28) / H
    set label 1 LABEL[i] at graph 0.5, screen 1 - top - r * h - 0.10 / H center noenhanced font SMALL
    if (c == 0) { set ylabel "Pods" } else { unset ylabel }
    if (i == 1) {
        set key at screen 0.5, screen 1 - 0.08 / H center top horizontal maxrows 1 samplen 1 width 2
        plot $pods index i-1 using 0:($2 + $3):xtic(1) with boxes lc rgb C[2] title "GPU pods", \
             '' index i-1 using 0:2 with boxes lc rgb C[1] title "CPU pods"
    } else {
        unset key
        plot $pods index i-1 using 0:($2 + $3):xtic(1) with boxes lc rgb C[2] notitle, \
             '' index i-1 using 0:2 with boxes lc rgb C[1] notitle
    }
}
unset multiplot
