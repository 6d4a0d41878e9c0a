# What parties held over time beside what they were entitled to: a panel for each, with the shortfall filled.
# $shares: one block a panel: time (s), held, entitled.  P panels, LABEL[] above them;
# XLABEL, YLABEL, TDIV, TMAX, YMAX.
left = 0.62 / H
each = (1 - left) / P
set multiplot
set lmargin at screen 0.12
set rmargin at screen 0.97
set xrange [0:TMAX / TDIV]
set yrange [0:YMAX]
set format x ""
set key at screen 0.55,1 - 0.1 / H center center horizontal maxrows 1 samplen 1.2 width 1
do for [p=1:P] {
    set tmargin at screen 1 - 0.2 / H - each * (p - 1) - 0.16 / H
    set bmargin at screen 1 - 0.2 / H - each * p + 0.06 / H
    set label 1 LABEL[p] noenhanced font SMALL at graph 0,1 offset 0,0.5 left
    if (p == P) { set format x "%g"; set xlabel XLABEL noenhanced }
    if (p == (P + 1) / 2) { set ylabel YLABEL } else { unset ylabel }
    plot $shares index p-1 using ($1 / TDIV):(0):2 with filledcurves lc rgb F[2] title "held", \
         $shares index p-1 using ($1 / TDIV):2:($3 > $2 ? $3 : $2) with filledcurves lc rgb F[4] title "short of it", \
         $shares index p-1 using ($1 / TDIV):3 with lines lc rgb "#202020" lw 0.9 title "entitled to"
    unset key
}
unset multiplot
