# Values of one run over time, as steps: a panel for each group of curves, its legend above it.
# $levels: one block a curve, time (s) and value.  P panels; curves FIRST[p] .. FIRST[p + 1] - 1
# are panel p's, from LOW[p] to HIGH[p], LABEL[] their names; XLABEL, TDIV, TMAX.
left = 0.42 / H
each = (1 - left) / P
set multiplot
set lmargin at screen 0.15
set rmargin at screen 0.97
set xrange [0:TMAX / TDIV]
set format x ""
do for [p=1:P] {
    high = 1 - each * (p - 1) - 0.22 / H
    low = 1 - each * p + 0.04 / H
    set tmargin at screen high
    set bmargin at screen low
    set key at screen 0.56,high + 0.2 / H center top horizontal maxrows 1 samplen 1.6 width -2
    span = HIGH[p] - LOW[p]
    step = 10 ** floor(log10(span / 2.0))
    step = span / step > 12 ? step * 5 : span / step > 5 ? step * 2 : step
    set yrange [LOW[p]:HIGH[p] + 0.05 * span]
    set ytics step
    if (p == P) { set format x "%g"; set xlabel XLABEL noenhanced }
    plot for [i=FIRST[p]:FIRST[p + 1] - 1] $levels index i-1 using ($1 / TDIV):2 with steps ls i-FIRST[p]+1 lw 1.2 title LABEL[i]
}
unset multiplot
