# Mean and tail of a metric by policy, relative to a baseline: the mean over
# seeds of the ratio to the baseline's run of the same seed, with its 95 %
# interval.  $bars: label, then ratio and the interval's ends for mean, p95, p99.
# N, YLABEL, BASE, HAS_CI, YMAX, and of the names ROTATE, SPLIT, BELOW.
set style data histograms
if (HAS_CI) { set style histogram errorbars gap 1.4 } else { set style histogram clustered gap 1.4 }
set yrange [0:YMAX]
set xrange [-0.7:N - 0.3]
set xtics scale 0 noenhanced
@LEAN
set bmargin at screen BELOW / H
set ylabel YLABEL . "\n" . (strlen(BASE) > 18 ? BASE . " = 1" : "relative to " . BASE) noenhanced
set key outside top center horizontal width 1
if (HAS_CI) {
    plot $bars using 2:3:4:xtic(NAMED(stringcolumn(1))) lc rgb F[1] title "mean", '' using 5:6:7 lc rgb F[2] title "p95", \
         '' using 8:9:10 lc rgb F[3] title "p99", 1 lc rgb "#404040" dt 3 lw 0.8 notitle
} else {
    plot $bars using 2:xtic(NAMED(stringcolumn(1))) lc rgb F[1] title "mean", '' using 5 lc rgb F[2] title "p95", \
         '' using 8 lc rgb F[3] title "p99", 1 lc rgb "#404040" dt 3 lw 0.8 notitle
}
