# The objective of every set of a search against each variable, a panel a variable.
# $points: a block a variable of place on its side (0 to 1), objective, kind (0 drawn
# or an end, 1 of a simplex, 2 over a limit, 3 the best).  N, ROWS, COLUMNS, NAME[N],
# TICS0.. (xtics of each), OBJECTIVE, ISLOG, YMIN, YMAX.
left = 0.62 / W
top = 0.24 / H
gapx = 0.34 / W
cell = (1 - left - 0.1 / W) / COLUMNS
row = (1 - top) / ROWS
if (YMIN == YMAX) { YMIN = YMIN - 0.5; YMAX = YMAX + 0.5 }
if (ISLOG) set logscale y
if (ISLOG) set yrange [YMIN / 1.15:YMAX * 1.15]
if (!ISLOG) set yrange [YMIN - 0.05 * (YMAX - YMIN):YMAX + 0.05 * (YMAX - YMIN)]
set xrange [-0.04:1.04]
TINY = FONT(6.5)
set ytics font TINY
unset key
set label 1 OBJECTIVE at screen 0.1 / W,screen (1 - 0.09 / H) left font SMALL textcolor rgb "#404040" noenhanced
KIND(i) = i == 0 ? "drawn" : i == 1 ? "by simplexes" : i == 2 ? "over a limit" : "the best"
array COLOUR[4] = ["#56B4E9", "#D55E00", "#c8c8c8", "#000000"]
do for [i=0:3] {
    set label (10 + i) KIND(i) at screen (1 - (3.3 - 0.82 * i) / W),screen (1 - 0.09 / H) left font SMALL \
        textcolor rgb "#404040" point pt (i == 3 ? 3 : 7) ps 0.5 lc rgb COLOUR[i + 1] offset 0.6,0
}
set multiplot
do for [v=0:N - 1] {
    set lmargin at screen left + (v % COLUMNS) * cell
    set rmargin at screen left + (v % COLUMNS + 1) * cell - gapx
    set tmargin at screen 1 - top - (v / COLUMNS) * row - 0.05 / H
    set bmargin at screen 1 - top - (v / COLUMNS + 1) * row + 0.42 / H
    eval "set xtics (" . value("TICS" . v) . ") font TINY offset 0,0.4 noenhanced"
    set xlabel NAME[v + 1] noenhanced font SMALL offset 0,0.9
    if (v % COLUMNS == 0) { set ytics format "%g" } else { set ytics format "" }
    plot for [i=0:3] $points index v using ($3 == i ? $1 : NaN):2 \
        with points pt (i == 3 ? 3 : 7) ps (i == 3 ? 1.2 : 0.4) lc rgb COLOUR[i + 1]
    unset label 1
    do for [i=0:3] { unset label (10 + i) }
}
unset multiplot
