# Each job's time when it shares the cluster, beside its ideal times, a panel a policy.
# $jobs: one block a policy: label, then single-job time, ideal on the whole
# cluster, ideal on a share of it (s), which is a mark on the bar of the first: so it covers no other.  N, LABEL[], COLUMNS, ROWS, JOBS, YLABEL, TDIV, YMAX.
set datafile missing "nan"
left = COLUMNS > 1 ? 0.075 : 0.15
right = 0.985
top = 1 - (N % COLUMNS != 0 && ROWS > 1 ? 0.06 : 0.24) / H
bottom = 0.34 / H
gap = 0.045                                     # between columns
w = (right - left - gap * (COLUMNS - 1)) / COLUMNS
h = (top - bottom) / ROWS
every = ceil(JOBS * 0.3 / (w * W * 1.8))        # as many labels as there is room for
if (every < 1) every = 1
TINY = FONT(5.5)
set multiplot
set style fill solid 1.0 noborder
set xrange [-0.8:JOBS - 0.2]
set yrange [0:YMAX]
set boxwidth 0.4
# The legend: in the place that no panel takes, else over all panels.
empty = N % COLUMNS != 0 && ROWS > 1
set lmargin at screen left
set rmargin at screen right
set tmargin at screen top
set bmargin at screen bottom
unset border
unset tics
unset grid
if (empty) { set key at screen left + (COLUMNS - 1) * (w + gap) + w / 2, screen top - (ROWS - 0.5) * h center center vertical } \
else { set key at screen 0.5,0.995 center top horizontal maxrows 1 width 1 }
plot NaN with boxes lc rgb C[6] title "ideal: alone on the whole cluster", NaN with boxes lc rgb C[1] title "shared", \
     NaN with lines lc rgb C[5] lw 2.2 title "ideal: alone on a share of it"
unset key
set border 3
set ytics nomirror out font SMALL
set grid ytics lc rgb "#dddddd" lw 0.5 dt 1
do for [i=1:N] {
    col = (i - 1) % COLUMNS
    row = (i - 1) / COLUMNS
    last = i + COLUMNS > N                      # nothing below it
    set lmargin at screen left + col * (w + gap)
    set rmargin at screen left + col * (w + gap) + w
    set tmargin at screen top - row * h - 0.17 / H
    set bmargin at screen top - (row + 1) * h + 0.06 / H
    set label 1 LABEL[i] at graph 0.01,1.075 left noenhanced
    if (col == 0) { set ylabel YLABEL font SMALL } else { set ylabel "" }
    plot $jobs index i-1 using ($0 - 0.2):($3 / TDIV) with boxes lc rgb C[6], \
         '' index i-1 using ($0 + 0.2):($2 / TDIV) with boxes lc rgb C[1], \
         '' index i-1 using ($0 + 0.02):($4 / TDIV):(0.36):(0) with vectors nohead lc rgb C[5] lw 2.2, \
         '' index i-1 using 0:(0):(last && int($0) % every == 0 ? stringcolumn(1) : "") with labels rotate by 90 right offset 0,-0.3 noenhanced font TINY
}
unset multiplot
