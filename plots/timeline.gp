# GPU utilisation above, tasks waiting below, over time; one line a run.
# $util, $queue: one block a run, time (s) and value.  $names.  N, LABEL[], KEYROWS, XLABEL, TDIV.
stats $queue using 2 name "Q" nooutput
q = Q_max > 0 ? Q_max : 1
step = 10 ** floor(log10(q / 2.5))
step = q / step > 12 ? step * 5 : q / step > 5 ? step * 2 : step
if (step < 1) step = 1
# What is left under the legend, split in two.
top = 1 - (0.10 + 0.125 * KEYROWS) / H
bottom = 0.46 / H
middle = (top + bottom) / 2
set multiplot
# The legend, in a plot as high as the figure: gnuplot gives it no more rows than fit beside its plot.
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
set key at screen 0.55,0.99 center top vertical maxrows KEYROWS width 1
if (!DIRECT) { plot for [i=1:N] NaN with lines ls i lw 1.3 title LABEL[i] }
unset key
set border 3
set xtics nomirror out scale 0.6 autofreq textcolor rgb "#202020"
set ytics nomirror out scale 0.6 autofreq textcolor rgb "#202020"
set lmargin at screen DIRECT ? 0.6 / W : 0.165
set rmargin at screen DIRECT ? 1 - 0.15 / W : 0.97
set xrange [0:TMAX / TDIV]
set tmargin at screen top
set bmargin at screen middle + 0.08 / H
set yrange [0:100]
set ytics 25
set format x ""
set ylabel "GPUs allocated (%)"
plot for [i=1:N] $util index i-1 using ($1 / TDIV):($2 * 100) with lines ls i lw 1.3 notitle, @DIRECTLY
set tmargin at screen middle - 0.08 / H
set bmargin at screen bottom
set yrange [0:q * 1.05]
set ytics step
set format x "%g"
set xlabel XLABEL noenhanced
set ylabel "Tasks waiting"
PANEL = 1
plot for [i=1:N] $queue index i-1 using ($1 / TDIV):2 with lines ls i lw 1.3 notitle, @DIRECTLY
unset multiplot
