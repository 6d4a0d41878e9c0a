# Three panels by policy: DT, the deviation of fairness against either ideal,
# and the bytes read by level.  $data: label, then mean and half-width of the
# interval for dt, s_share_sigma, s_whole_sigma, bytes local, rack, cross, vain.
# A colour means one thing in all three.
# N, ROTATE, SPLIT, BELOW, TLABEL, TDIV, TMAX, SMAX, BLABEL, BDIV, BMAX, HAS_VAIN.
set datafile missing "nan"
left = 0.085
right = 0.99
gap = 0.075
BAR = "heads size graph 0.012,90 lc rgb '#202020' lw 0.9"
w = (right - left - 2 * gap) / 3
set multiplot
set tmargin at screen 1 - 0.2 / H
set bmargin at screen BELOW / H
set xrange [-0.7:N - 0.3]
set xtics scale 0 noenhanced font SMALL
@LEAN
set ytics font SMALL
set key center top horizontal maxrows 1 width -0.5 samplen 1

set lmargin at screen left
set rmargin at screen left + w
set ylabel TLABEL
set yrange [0:TMAX]
set boxwidth 0.6
unset key
plot $data using 0:($2 / TDIV):xtic(NAMED(stringcolumn(1))) with boxes lc rgb C[1], \
     '' using 0:(($2 - $3) / TDIV):(0):($3 > 0 ? 2 * $3 / TDIV : NaN) with vectors @BAR

set lmargin at screen left + w + gap
set rmargin at screen left + 2 * w + gap
set ylabel "Fairness deviation {/:Italic σ}"
set yrange [0:SMAX]
set boxwidth 0.36
set key at screen left + 1.5 * w + gap, screen 0.99
plot $data using ($0 - 0.19):4:xtic(NAMED(stringcolumn(1))) with boxes lc rgb C[3] title "ideal on a share", \
     '' using ($0 + 0.19):6 with boxes lc rgb "#8fd3bd" title "ideal on the whole", \
     '' using ($0 - 0.19):($4 - $5):(0):($5 > 0 ? 2 * $5 : NaN) with vectors @BAR notitle, \
     '' using ($0 + 0.19):($6 - $7):(0):($7 > 0 ? 2 * $7 : NaN) with vectors @BAR notitle

set lmargin at screen left + 2 * (w + gap)
set rmargin at screen right
set ylabel BLABEL
set yrange [0:BMAX]
set boxwidth 0.6
set key at screen left + 2.5 * w + 2 * gap, screen 0.99
if (HAS_VAIN) {
    plot $data using 0:(($8 + $10 + $12 + $14) / BDIV):xtic(NAMED(stringcolumn(1))) with boxes lc rgb "#404040" title "in vain", \
         '' using 0:(($8 + $10 + $12) / BDIV) with boxes lc rgb C[2] title "cross", \
         '' using 0:(($8 + $10) / BDIV) with boxes lc rgb C[5] title "rack", \
         '' using 0:($8 / BDIV) with boxes lc rgb "#bfe1f6" title "local"
} else {
    plot $data using 0:(($8 + $10 + $12) / BDIV):xtic(NAMED(stringcolumn(1))) with boxes lc rgb C[2] title "cross", \
         '' using 0:(($8 + $10) / BDIV) with boxes lc rgb C[5] title "rack", \
         '' using 0:($8 / BDIV) with boxes lc rgb "#bfe1f6" title "local"
}
unset multiplot
