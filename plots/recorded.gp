# Quantiles of waits against the recorded ones, both logarithmic, one line a policy.
# $recorded: one block a policy, recorded and simulated wait, s.  N, LABEL[], KEYROWS, MOST.
set logscale xy
set format xy "10^{%L}"
set mxtics 10
set mytics 10
set xrange [1:MOST * 1.3]
set yrange [1:MOST * 1.3]
set xlabel "Recorded wait (s)"
set ylabel "Wait under the policy (s)"
set key outside top center vertical maxrows KEYROWS width 1
plot x lc rgb "#404040" dt 3 lw 0.8 notitle, \
     for [i=1:N] $recorded index i-1 using 1:2 with linespoints ls i pn 7 title LABEL[i]
