# A figure of a query: curves, bars or box plots.
# $data: curves: a block each, x, y, lo, hi; bars: a row a name, the name and y,
# lo, hi of each series; boxes: a block a name, its values.  N, LABEL[], NAMES,
# NAME[] (with ROTATE, SPLIT, BELOW), WITH, HAS_CI, HAS_KEY, LOGX, LOGY, TITLE, XLABEL, YLABEL.
set datafile missing "nan"
if (strlen(TITLE) > 0) set title TITLE noenhanced font SMALL offset 0,-0.4
if (LOGX) { set logscale x; set format x "10^{%L}" }
if (LOGY) { set logscale y; set format y "10^{%L}" }
set xlabel XLABEL noenhanced
set ylabel YLABEL noenhanced
if (DIRECT) {
    set lmargin at screen 0.7 / W
    set rmargin at screen 1 - 0.15 / W
    set tmargin at screen 1 - 0.25 / H
    set bmargin at screen 0.48 / H
    set xrange [XFROM:XTO]
    set yrange [YFROM:YTO]
}
if (HAS_KEY && !DIRECT) { set key outside top center horizontal width 1 } else { unset key }
if (WITH eq "bars" || WITH eq "boxes") { if (strlen(XLABEL) == 0) { set bmargin at screen BELOW / H }; @LEAN }
if (WITH eq "boxes") {
    set style boxplot outliers pointtype 6
    set style fill solid 1.0 border rgb "#202020"
    set boxwidth 0.5
    set xrange [0.4:NAMES + 0.6]
    set xtics scale 0 noenhanced
    do for [i=1:NAMES] { set xtics add (NAMED(NAME[i]) i) }
    plot for [i=1:NAMES] $data index i-1 using (i):1 with boxplot lc rgb F[2] lw 0.8 ps 0.3 notitle
}
if (WITH eq "bars") {
    set style data histograms
    if (HAS_CI) { set style histogram errorbars gap 1.2 } else { set style histogram clustered gap 1.2 }
    set xrange [-0.7:NAMES - 0.3]
    if (!LOGY) { set yrange [* < 0:0 < *] }     # from 0, either way
    set xtics scale 0 noenhanced
    if (HAS_CI) {
        plot for [i=1:N] $data using (column(3 * i - 1)):(column(3 * i)):(column(3 * i + 1)):xtic(NAMED(stringcolumn(1))) lc rgb F[(i - 1) % 8 + 1] title LABEL[i]
    } else {
        plot for [i=1:N] $data using (column(3 * i - 1)):xtic(NAMED(stringcolumn(1))) lc rgb F[(i - 1) % 8 + 1] title LABEL[i]
    }
}
# Names of more than eight curves ($names, XFROM, XTO, YFROM, YTO).
BESIDE = DIRECT ? ", " . DIRECTLY : ""
if (WITH eq "points") {
    if (HAS_CI) { plot for [i=1:N] $data index i-1 using 1:2:3:4 with yerrorbars ls i ps 0.7 title LABEL[i] @BESIDE } \
    else { plot for [i=1:N] $data index i-1 using 1:2 with points ls i ps 0.6 title LABEL[i] @BESIDE }
}
if (WITH eq "lines" || WITH eq "linespoints" || WITH eq "steps") {
    if (HAS_CI) { set style fill transparent solid 0.2 noborder }
    if (WITH eq "lines" && HAS_CI) { plot for [i=1:N] $data index i-1 using 1:3:4 with filledcurves lc rgb C[(i - 1) % 8 + 1] notitle, \
                                          for [i=1:N] $data index i-1 using 1:2 with lines ls i title LABEL[i] @BESIDE }
    if (WITH eq "lines" && !HAS_CI) { plot for [i=1:N] $data index i-1 using 1:2 with lines ls i title LABEL[i] @BESIDE }
    if (WITH eq "linespoints" && HAS_CI) { plot for [i=1:N] $data index i-1 using 1:2:3:4 with yerrorlines ls i title LABEL[i] @BESIDE }
    if (WITH eq "linespoints" && !HAS_CI) { plot for [i=1:N] $data index i-1 using 1:2 with linespoints ls i title LABEL[i] @BESIDE }
    if (WITH eq "steps") { plot for [i=1:N] $data index i-1 using 1:2 with steps ls i title LABEL[i] @BESIDE }
}
