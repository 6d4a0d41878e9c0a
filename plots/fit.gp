# A trace beside a draw of the model learnt from it, day by day.
# $days: two blocks (trace, model) of day, arrivals, mean demand.  MODEL, ARRIVALS, DEMAND.
set multiplot
set lmargin at screen 0.62 / W
set rmargin at screen 1 - 0.1 / W
array TOP[2] = [ARRIVALS, DEMAND]
array NAME[2] = ["Arrivals in a day", "Demand"]
array OF[2] = ["trace", "draw of " . MODEL]
do for [p=1:2] {
    set tmargin at screen 1 - 0.24 / H - (p - 1) * (0.5 - 0.28 / H)
    set bmargin at screen 1 - 0.24 / H - p * (0.5 - 0.28 / H) + 0.1 / H
    set yrange [0:1.05 * TOP[p]]
    set ylabel NAME[p]
    set xrange [0:*]
    if (p == 1) { set key at screen 0.5,1 - 0.02 / H center top horizontal maxrows 1 noenhanced; set format x "" } \
    else { unset key; set format x "%g"; set xlabel "Days from the first arrival" }
    plot for [i=1:2] $days index i - 1 using 1:(column(p + 1)) with steps ls i lw 1.2 title OF[i]
}
unset multiplot
