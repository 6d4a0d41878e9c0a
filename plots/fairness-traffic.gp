# Fairness deviation against the bytes read over the network, a point a policy
# with the 95 % intervals of both.  $data: a block a policy of x, its interval, y,
# its interval.  $names.  N, LABEL[N], XLABEL, IDEAL, XDIV, XMAX, YMAX, KEYWIDTH.
left = 0.55 / W
set lmargin at screen left
set rmargin at screen 1 - KEYWIDTH / W
set tmargin at screen 1 - 0.12 / H
set bmargin at screen 0.4 / H
set xlabel XLABEL
set ylabel "Fairness deviation {/:Italic σ}\n" . IDEAL
set xrange [0:XMAX]
set yrange [0:YMAX]
if (DIRECT) unset key
if (!DIRECT) set key at screen 1 - (KEYWIDTH - 0.1) / W, screen 1 - 0.1 / H left top samplen 0.6
WHISKER = "nohead lw 0.7 lc rgb '#a0a0a0'"
plot for [i=1:N] $data index i - 1 using ($2 / XDIV):4:(($3 - $2) / XDIV):(0) with vectors @WHISKER notitle, \
     for [i=1:N] $data index i - 1 using ($1 / XDIV):5:(0):($6 - $5) with vectors @WHISKER notitle, \
     for [i=1:N] $data index i - 1 using ($1 / XDIV):4 with points ls i ps 0.9 title LABEL[i], @DIRECTLY
