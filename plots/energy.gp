# Energy and cost by policy, a panel for each that is known: what jobs hold,
# and above it what nobody holds.  $energy: label, then value and ends of the
# interval for energy, energy_idle, cost, cost_idle.
# N, ROTATE, SPLIT, BELOW, HAS_ENERGY, HAS_COST, ELABEL, EDIV, EMAX, CMAX.
set datafile missing "nan"
panels = HAS_ENERGY + HAS_COST
left = panels > 1 ? 0.1 : 0.2
right = 0.985
gap = 0.105
w = panels > 1 ? (right - left - gap) / 2 : right - left
BAR = "heads size graph 0.012,90 lc rgb '#202020' lw 0.9"
PALE = "#bfe1f6"
set multiplot
set tmargin at screen 1 - 0.2 / H
set bmargin at screen BELOW / H
set xrange [-0.7:N - 0.3]
set xtics scale 0 noenhanced font SMALL
@LEAN
set ytics font SMALL
set boxwidth 0.6
set key at screen 0.5, screen 0.99 center top horizontal maxrows 1 width -0.5 samplen 1

at = left
if (HAS_ENERGY) {
    set lmargin at screen at
    set rmargin at screen at + w
    set ylabel ELABEL
    set yrange [0:EMAX]
    plot $energy using 0:($2 / EDIV):xtic(NAMED(stringcolumn(1))) with boxes lc rgb PALE title "held by no job", \
         '' using 0:(($2 - $5) / EDIV) with boxes lc rgb C[1] title "held by jobs", \
         '' using 0:($3 / EDIV):(0):(($4 - $3) / EDIV) with vectors @BAR notitle
    unset key
    at = at + w + gap
}
if (HAS_COST) {
    set lmargin at screen at
    set rmargin at screen at + w
    set ylabel "Cost"
    set yrange [0:CMAX]
    plot $energy using 0:8:xtic(NAMED(stringcolumn(1))) with boxes lc rgb PALE title "held by no job", \
         '' using 0:($8 - $11) with boxes lc rgb C[1] title "held by jobs", \
         '' using 0:9:(0):($10 - $9) with vectors @BAR notitle
}
unset multiplot
