# Statements that hold against the largest error of a figure (%), a point a set of a
# search; the frontier is the steps.  $points: error, statements, on the frontier (0, 1),
# number.  XMAX, STATEMENTS (how many there are), YMOST (the most that hold at once).
set lmargin at screen 0.55 / W
set rmargin at screen 1 - 0.15 / W
set tmargin at screen 1 - 0.3 / H
set bmargin at screen 0.42 / H
set xlabel "Figures: the largest error (%)"
set ylabel sprintf("Statements that hold, of %d", STATEMENTS)
set xrange [0:XMAX]
set yrange [YMOST - 25:YMOST + 2]
set key outside top center horizontal maxrows 1
plot $points using ($3 == 0 ? $1 : NaN):2 with points pt 7 ps 0.28 lc rgb C[6] title "a set", \
     $points using ($3 == 1 ? $1 : NaN):2 with fsteps lc rgb C[2] lw 1.2 notitle, \
     $points using ($3 == 1 ? $1 : NaN):2 with points pt 7 ps 0.6 lc rgb C[2] title "no set is better in both", \
     $points using ($3 == 1 && $1 <= XMAX ? $1 : NaN):2:4 with labels left offset 0.4,0.5 \
         font SMALL tc rgb "#202020" notitle
