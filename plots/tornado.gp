# What each change does to its base: bars from 0, the largest first, whiskers their 95 % intervals; a panel a policy.
# $bars: one block a panel: place from above, difference, lower and upper end, colour, name.
# P panels, LABEL[] above them, ROWS of the fullest, HAS_ALL: the last two rows are of all; LEFT (inches), XMIN, XMAX, XLABEL.
below = 0.45 / H
each = (1 - below) / P
BAR(k) = k == 1 ? 0x0072B2 : k == 2 ? 0xD55E00 : k == 3 ? 0x606060 : 0xd4d4d4
set multiplot
set lmargin at screen LEFT / W
set rmargin at screen 0.97
set xrange [XMIN:XMAX]
set yrange [ROWS - 0.4:-0.6]
set grid noytics xtics lc rgb "#dddddd" lw 0.5 dt 1
set ytics scale 0 noenhanced
set border 1
unset key
set arrow 1 from first 0, graph 0 to first 0, graph 1 nohead lc rgb "#202020" lw 0.8 front
set format x ""
do for [p=1:P] {
    set tmargin at screen 1 - each * (p - 1) - 0.24 / H
    set bmargin at screen 1 - each * p + 0.03 / H
    set label 1 LABEL[p] noenhanced font SMALL at graph 0,1 offset 0,0.5 left
    if (p == P) { set format x "%g"; set xlabel XLABEL noenhanced }
    if (HAS_ALL) { set arrow 2 from graph 0, first ROWS - 2.5 to graph 1, first ROWS - 2.5 nohead lc rgb "#909090" dt 3 lw 0.7 }
    plot $bars index p-1 using ($2 / 2):1:(0):2:($1 - 0.32):($1 + 0.32):(BAR($5)):ytic(6) with boxxyerror lc rgb variable notitle, \
         $bars index p-1 using 2:1:3:4 with xerrorbars lc rgb "#202020" lw 0.9 pt 0 notitle
}
unset multiplot
