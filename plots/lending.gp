# What is reserved for workflows over time: used, lent, idle, stacked; stages begin at the thin lines.
# $steps: time (s), used, used + lent, reserved.  $bounds: time, stage.
# N_BOUNDS, FROM, TO, TDIV, YMAX, XLABEL, YLABEL, TITLE.
set title TITLE noenhanced font SMALL tc rgb "#505050" offset 0,-0.3
set key outside top center horizontal maxrows 1 samplen 1.2 width 1
set xrange [FROM / TDIV:TO / TDIV]
set yrange [0:YMAX]
set xlabel XLABEL noenhanced
set ylabel YLABEL noenhanced
TINY = FONT(5.5)
plot $steps using ($1 / TDIV):(0):2 with filledcurves lc rgb C[1] title "used", \
     $steps using ($1 / TDIV):2:3 with filledcurves lc rgb C[5] title "lent", \
     $steps using ($1 / TDIV):3:4 with filledcurves lc rgb "#dcdcdc" title "idle", \
     $steps using ($1 / TDIV):4 with lines lc rgb "#202020" lw 0.9 title "reserved", \
     $bounds using ($1 / TDIV):(0):(0):(YMAX) with vectors nohead lc rgb "#606060" dt 3 lw 0.7 notitle, \
     $bounds using (N_BOUNDS <= 24 ? $1 / TDIV : NaN):(YMAX * 0.96):2 with labels left offset 0.3,0 font TINY tc rgb "#202020" notitle
