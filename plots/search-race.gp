# The sets of a race: intervals of the objective, a row a set; or with two objectives points, and the front.
# $points: set, is it on fresh seeds (0, 1), verdict (0 beaten, 1 open, 2 best), row, then mean and ends of the first
# objective and of the last.  ISFRONT, NSETS, XLABEL, YLABEL.
array COLOUR[3] = ["#a0a0a0", "#E69F00", "#0072B2"]
array WORD[3] = ["beaten", "open", "best"]
set lmargin at screen 0.6 / W
set rmargin at screen 1 - 0.2 / W
set tmargin at screen 1 - 0.3 / H
set bmargin at screen 0.42 / H
unset errorbars
set datafile missing NaN
set errorbars 0.5
set xlabel XLABEL noenhanced
set key outside top center horizontal maxrows 1
OWN(x, v) = column(3) == v && column(2) == 0 ? x : NaN
FRESH(x) = column(3) == 2 && column(2) == 1 ? x : NaN
if (ISFRONT) {
    set ylabel YLABEL noenhanced
    plot for [v=0:2] $points using (OWN($5, v)):8 with points pt 7 ps 0.9 lc rgb COLOUR[v + 1] title WORD[v + 1], \
         $points using (FRESH($5)):8 with points pt 6 ps 1.2 lc rgb "#D55E00" title "best, fresh seeds", \
         $points using (OWN($5, 2)):8 with lines lc rgb COLOUR[3] dt 3 lw 1.0 notitle, \
         $points using (OWN($5, 2)):8:1 with labels left offset 0.5,0.5 font SMALL tc rgb "#202020" notitle
} else {
    set ylabel "Set"
    set yrange [NSETS + 0.7:0.5]
    set grid noytics xtics
    plot for [v=0:2] $points using (OWN($5, v)):4:6:7:ytic(sprintf("%d", $1)) with xerrorbars pt 7 ps 0.8 lw 1.1 \
             lc rgb COLOUR[v + 1] title WORD[v + 1], \
         $points using ($2 == 1 ? $5 : NaN):($4 + 0.28):6:7 with xerrorbars pt 6 ps 0.7 lw 0.9 lc rgb "#D55E00" \
             title "fresh seeds"
}
