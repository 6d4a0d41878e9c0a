# Policies for tasks of API calls, horizontal bars in two rows of panels: makespan
# and mean task time as ratios, calls and bytes to other nodes, the share of
# taken engine time that is useful, useful work of all engines; then useful work
# by kind of engine, before the pale bar of all the time taken.  $bars: label,
# then value and ends of the interval for makespan, task time, calls, bytes,
# best_share, engine_best, then engine_taken; then for each kind engine_best with
# its ends, and engine_taken.  N, KINDS, KIND, LABELS (inches), MLEAST, MMOST,
# TLEAST, TMOST, CMOST, BDIV, BMOST, BUNIT, UMOST, BASE.
set datafile missing "nan"
PANELS = 6
left = LABELS / W
right = 0.985
gap = 0.022
w = (right - left - (PANELS - 1) * gap) / PANELS
row = (H - 1.1) / 2 / H               # height of the bars of one row
top1 = 1 - 0.22 / H
top2 = 0.32 / H + row
X(i) = left + i * (w + gap)
set multiplot
set yrange [N - 0.4:-0.6]
set ytics scale 0 noenhanced font SMALL
TINY = FONT(6)
set xtics font TINY offset 0,0.5
set xlabel font SMALL offset 0,1.1
set grid xtics noytics lc rgb "#dddddd" lw 0.5 dt 1
set errorbars 0
unset key
set label 1 BASE at screen left,screen (1 - 0.09 / H) left font SMALL textcolor rgb "#404040" noenhanced

# A ratio: a point and its interval; logarithmic where they span much.
set tmargin at screen top1
set bmargin at screen top1 - row
do for [i=0:1] {
    set lmargin at screen X(i)
    set rmargin at screen X(i) + w
    lo = i == 0 ? MLEAST : TLEAST
    hi = i == 0 ? MMOST : TMOST
    lo = lo < 1 ? lo : 1
    hi = hi > 1 ? hi : 1
    c = i == 0 ? 2 : 5
    unset logscale x
    if (hi / lo > 6) {
        set logscale x
        set xrange [lo / 1.25:hi * 1.25]
        set xtics autofreq
        set format x "%g"
    } else {
        set xrange [0:hi * 1.1]
        STEP = hi > 2.5 ? 1 : 0.5
        set xtics STEP
        set format x "%g"
    }
    set xlabel (i == 0 ? "Makespan" : "Mean task time")
    set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#404040" dt 3 lw 0.8
    if (i == 0) {
        plot $bars using c:0:(column(c + 1)):(column(c + 2)):ytic(1) with xerrorbars lc rgb C[1] pt 7 ps 0.5 lw 1.2
        unset label 1
    } else {
        set ytics format ""
        plot $bars using c:0:(column(c + 1)):(column(c + 2)) with xerrorbars lc rgb C[1] pt 7 ps 0.5 lw 1.2
    }
}
unset arrow 1
unset logscale x

# Amounts.
do for [i=2:5] {
    set lmargin at screen X(i)
    set rmargin at screen X(i) + w
    c = 8 + 3 * (i - 2)
    div = i == 3 ? BDIV : i == 2 ? 1 : 0.01
    most = i == 2 ? CMOST : i == 3 ? BMOST : i == 4 ? 100 : UMOST * 100
    most = most > 0 ? most * 1.06 : 1.0
    set xrange [0:most]
    STEP = 10.0 ** floor(log10(most / 2))
    STEP = most / STEP > 12 ? 5 * STEP : most / STEP > 5 ? 2 * STEP : STEP
    set xtics STEP
    set xlabel (i == 2 ? "Calls away" : i == 3 ? "Away (" . BUNIT . ")" : i == 4 ? "Useful/taken (%)" : "All engines (%)")
    if (i == 5) {
        plot $bars using (column(20) / div):0:(0):(column(20) / div):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb "#c8dff0", \
             '' using (column(c) / div):0:(0):(column(c) / div):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb F[1], \
             '' using (column(c + 1) / div):0:((column(c + 2) - column(c + 1)) / div):(0) with vectors nohead lc rgb "#202020" lw 0.9
    } else {
        plot $bars using (column(c) / div):0:(0):(column(c) / div):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb (i == 4 ? F[5] : F[2]), \
             '' using (column(c + 1) / div):0:((column(c + 2) - column(c + 1)) / div):(0) with vectors nohead lc rgb "#202020" lw 0.9
    }
}

# By kind of engine.
set label 1 "Of the engines' time, all and by kind: useful work (dark), and all that calls take (pale)" at screen left,screen (top2 + 0.1 / H) left font SMALL textcolor rgb "#404040" noenhanced
set tmargin at screen top2
set bmargin at screen top2 - row
set xrange [0:106]
set xtics 40
do for [i=0:KINDS - 1] {
    set lmargin at screen X(i)
    set rmargin at screen X(i) + w
    c = 21 + 4 * i
    set xlabel KIND[i + 1] . " (%)" noenhanced
    if (i == 0) { set ytics format "%s" }
    if (i == 0) {
        plot $bars using (column(c + 3) * 100):0:(0):(column(c + 3) * 100):($0 - 0.35):($0 + 0.35):ytic(1) with boxxyerror fs solid lc rgb "#c8dff0", \
             '' using (column(c) * 100):0:(0):(column(c) * 100):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb F[1], \
             '' using (column(c + 1) * 100):0:((column(c + 2) - column(c + 1)) * 100):(0) with vectors nohead lc rgb "#202020" lw 0.9
        unset label 1
    } else {
        set ytics format ""
        plot $bars using (column(c + 3) * 100):0:(0):(column(c + 3) * 100):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb "#c8dff0", \
             '' using (column(c) * 100):0:(0):(column(c) * 100):($0 - 0.35):($0 + 0.35) with boxxyerror fs solid lc rgb F[1], \
             '' using (column(c + 1) * 100):0:((column(c + 2) - column(c + 1)) * 100):(0) with vectors nohead lc rgb "#202020" lw 0.9
    }
}
unset multiplot
