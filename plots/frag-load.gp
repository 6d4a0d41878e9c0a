# A cluster being filled: fragments, GPUs and CPUs allocated, and pods waiting,
# against the GPUs asked for so far.  $fill0 .. $fill3: one block a policy, load
# and value.  $names.  N, LABEL[], KEYROWS, XMAX, YMAX.
top = 1 - (0.14 + 0.125 * KEYROWS) / H
left = 0.55 / W
gap = 0.62 / W
w = (1 - left - gap - 0.10 / W) / 2
low = 0.5 / H
mid = 0.16 / H
h = (top - low - mid) / 2
set multiplot
# The legend, in a plot as high as the figure: gnuplot gives it no more rows than fit beside its plot.
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
set key at screen 0.5,0.99 center top vertical maxrows KEYROWS width 1
if (!DIRECT) { plot for [i=1:N] NaN with lines ls i lw 1.3 title LABEL[i] }
unset key
set border 3
set xtics nomirror out scale 0.6 autofreq textcolor rgb "#202020"
set ytics nomirror out scale 0.6 autofreq textcolor rgb "#202020"
set xrange [0:XMAX]
set yrange [0:100]
set ytics 25
do for [k=0:3] {
    PANEL = k
    c = k % 2
    r = k / 2
    set lmargin at screen left + c * (w + gap)
    set rmargin at screen left + c * (w + gap) + w
    set tmargin at screen top - r * (h + mid)
    set bmargin at screen top - r * (h + mid) - h
    if (r == 0) { set format x ""; unset xlabel } else { set format x "%g"; set xlabel "GPUs asked for so far (% of those there are)" }
    if (k == 0) {
        set ylabel "Fragments among free GPUs (%)"
        plot for [i=1:N] $fill0 index i-1 using ($1 * 100):($2 * 100) with lines ls i lw 1.3 notitle, @DIRECTLY
    }
    if (k == 1) {
        set ylabel "GPUs allocated (%)"
        plot for [i=1:N] $fill1 index i-1 using ($1 * 100):($2 * 100) with lines ls i lw 1.3 notitle, @DIRECTLY
    }
    if (k == 2) {
        set ylabel "CPUs allocated (%)"
        plot for [i=1:N] $fill2 index i-1 using ($1 * 100):($2 * 100) with lines ls i lw 1.3 notitle, @DIRECTLY
    }
    if (k == 3) {
        set ylabel "Pods unscheduled"
        set yrange [0:YMAX]
        set ytics autofreq
        plot for [i=1:N] $fill3 index i-1 using ($1 * 100):2 with lines ls i lw 1.3 notitle, @DIRECTLY
    }
}
unset multiplot
