# Quantiles of waits against the recorded ones, both logarithmic, one line a policy.
# $recorded: one block a policy, recorded and simulated wait, s.  $names.  N, LABEL[], KEYROWS, MOST.
set logscale xy
set format xy "10^{%L}"
set mxtics 10
set mytics 10
set xrange [1:MOST * 1.3]
set yrange [1:MOST * 1.3]
set xlabel "Recorded wait (s)"
set ylabel "Wait under the policy (s)"
if (DIRECT) {
    set lmargin at screen 0.6 / W
    set rmargin at screen 1 - 0.15 / W
    set tmargin at screen 1 - 0.1 / H
    set bmargin at screen 0.48 / H
    unset key
}
if (!DIRECT) set key outside top center vertical maxrows KEYROWS width 1
plot x lc rgb "#404040" dt 3 lw 0.8 notitle, \
     for [i=1:N] $recorded index i-1 using 1:2 with linespoints ls i pn 7 title LABEL[i], @DIRECTLY
