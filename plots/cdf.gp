# Empirical distribution of a job metric, one curve a policy, all seeds together.
# $cdf: one block a policy, value and fraction.  $names.  N, LABEL[], KEYROWS, XLABEL, XDIV, XMIN, XMAX.
set logscale x
set format x "10^{%L}"
set mxtics 10
set xrange [XMIN:*]
set autoscale xfixmax
set yrange [0:1]
set ytics 0.25
set format y "%.2f"
set xlabel XLABEL
set ylabel "Fraction of jobs"
if (DIRECT) {
    set lmargin at screen 0.6 / W
    set rmargin at screen 1 - 0.15 / W
    set tmargin at screen 1 - 0.1 / H
    set bmargin at screen 0.48 / H
    set xrange [XMIN:XMAX]
    unset key
}
if (!DIRECT) set key outside top center vertical maxrows KEYROWS width 1
plot for [i=1:N] $cdf index i-1 using ($1 / XDIV < XMIN ? XMIN : $1 / XDIV):2 with linespoints ls i pn 7 title LABEL[i], @DIRECTLY
