# Fairness by policy, three panels: Jain's index of the users' dominant shares,
# finish-time fairness of jobs (median and p95; logarithmic), and the share of
# jobs later than on an equal share of the cluster.  $fair: label, then value
# and ends of the interval for jain, rho_p50, rho_p95, rho_above_1.  N, ROTATE, SPLIT, BELOW, RMAX.
set datafile missing "nan"
left = 0.085
right = 0.99
gap = 0.075
w = (right - left - 2 * gap) / 3
BAR = "heads size graph 0.012,90 lc rgb '#202020' lw 0.9"
set multiplot
set tmargin at screen 1 - 0.2 / H
set bmargin at screen BELOW / H
set xrange [-0.7:N - 0.3]
set xtics scale 0 noenhanced font SMALL
@LEAN
set ytics font SMALL
unset key

set lmargin at screen left
set rmargin at screen left + w
set ylabel "Jain's index of users"
set yrange [0:1]
set boxwidth 0.6
plot $fair using 0:2:xtic(NAMED(stringcolumn(1))) with boxes lc rgb F[1], '' using 0:3:(0):($4 - $3) with vectors @BAR

set lmargin at screen left + w + gap
set rmargin at screen left + 2 * w + gap
set ylabel "Finish-time fairness {/:Italic ρ}"
set logscale y
set yrange [0.5:RMAX * 1.3]
set format y "%g"
set boxwidth 0.36
set key at screen left + 1.5 * w + gap, screen 0.99 center top horizontal maxrows 1 width -0.5 samplen 1
plot $fair using ($0 - 0.19):5:xtic(NAMED(stringcolumn(1))) with boxes lc rgb F[5] title "median", \
     '' using ($0 + 0.19):8 with boxes lc rgb C[3] title "p95", \
     '' using ($0 - 0.19):6:(0):($7 - $6) with vectors @BAR notitle, \
     '' using ($0 + 0.19):9:(0):($10 - $9) with vectors @BAR notitle, \
     1 lc rgb "#404040" dt 3 lw 0.8 notitle
unset logscale y
unset key

set lmargin at screen left + 2 * (w + gap)
set rmargin at screen right
set ylabel "Jobs with {/:Italic ρ} > 1 (%)"
set yrange [0:100]
set boxwidth 0.6
plot $fair using 0:($11 * 100):xtic(NAMED(stringcolumn(1))) with boxes lc rgb F[4], '' using 0:($12 * 100):(0):(($13 - $12) * 100) with vectors @BAR
unset multiplot
