# Which call was on which engine when: a row an engine, a colour an API; the time
# on the way to another node and back hatched.  $bars: from, end of the way, to (s),
# row, colour.  $rows: row, name.  N, NAME[], ROWS, FROM, TO, TDIV, XLABEL, TITLE.
set title TITLE noenhanced font SMALL tc rgb "#505050" offset 0,-0.3
set key outside top center horizontal maxrows 2 samplen 1.2 width 1
set xrange [FROM / TDIV:TO / TDIV]
set yrange [ROWS:0]
unset grid
set xlabel XLABEL
set ylabel ""
TINY = FONT(6)
set ytics scale 0 noenhanced font TINY
array G[7] = ["#0072B2", "#F2CF80", "#D55E00", "#56B4E9", "#000000", "#CC79A7", "#c8c8c8"]
plot $rows using (NaN):($1 + 0.5):ytic(2) notitle, \
     for [k=1:N] $bars using ($5 == k ? ($2 + $3) / 2 / TDIV : NaN):($4 + 0.5):($2 / TDIV):($3 / TDIV):($4 + 0.1):($4 + 0.9) \
         with boxxyerror fs solid 0.95 border rgb "white" lc rgb G[k] lw 0.5 title NAME[k], \
     $bars using ($2 > $1 ? ($1 + $2) / 2 / TDIV : NaN):($4 + 0.5):($1 / TDIV):($2 / TDIV):($4 + 0.1):($4 + 0.9) \
         with boxxyerror fs pattern 4 border rgb "#505050" lc rgb "#505050" lw 0.5 notitle
