# What each size makes of a promise, a panel a promise and a line a load.  $points: blocks by promise, then load, of
# size, mean, the interval's ends, verdict (1 kept, -1 broken, 0 open), is it the answer.  N, LOADS, XLABEL, and by
# promise NAME, BOUND; by load LOAD.
top = 0.3 / H
row = (1 - top) / N
unset errorbars
set errorbars 0.5
set multiplot
do for [p=1:N] {
    set lmargin at screen 0.62 / W
    set rmargin at screen 1 - 0.12 / W
    set tmargin at screen 1 - top - (p - 1) * row
    set bmargin at screen 1 - top - p * row + 0.42 / H
    set ylabel NAME[p] noenhanced font SMALL
    set xlabel XLABEL
    stats $points index (p - 1) * LOADS:(p * LOADS - 1) using 2 nooutput
    most = BOUND[p] > 0 && STATS_max > 4 * BOUND[p] ? 4 * BOUND[p] : STATS_max > BOUND[p] ? STATS_max : BOUND[p]
    if (STATS_min >= 0) { set yrange [0:most * 1.08] } else { set yrange [*:*] }
    unset key
    if (p == 1) { set key at screen 1 - 0.1 / W,screen 1 - 0.04 / H right top horizontal maxrows 1 samplen 1.6 }
    set label 1 "promised" at graph 1,first BOUND[p] right offset -0.3,0.5 font SMALL textcolor rgb "#404040"
    first = (p - 1) * LOADS - 1
    plot BOUND[p] with lines lc rgb "#404040" dt 3 lw 0.9 notitle, \
         for [l=1:LOADS] $points index first + l using 1:2 with lines lc rgb C[l] dt D[l] lw 1.2 title LOAD[l], \
         for [l=1:LOADS] '' index first + l using 1:2:3:4 with yerrorbars lc rgb C[l] pt 0 lw 0.9 notitle, \
         for [l=1:LOADS] '' index first + l using ($5 > 0 ? $1 : NaN):2 with points pt 7 ps 0.8 lc rgb C[l] notitle, \
         for [l=1:LOADS] '' index first + l using ($5 < 0 ? $1 : NaN):2 with points pt 2 ps 0.9 lc rgb C[l] notitle, \
         for [l=1:LOADS] '' index first + l using ($5 == 0 ? $1 : NaN):2 with points pt 6 ps 0.8 lc rgb C[l] notitle, \
         for [l=1:LOADS] '' index first + l using ($6 == 1 ? $1 : NaN):2 with points pt 6 ps 1.7 lc rgb C[l] notitle
}
unset multiplot
