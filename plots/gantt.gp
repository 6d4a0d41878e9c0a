# Who held which GPU when: a row a card, a fill a user, stacked where jobs
# share a card.  $gantt: from, to (s), bottom, top (rows), colour, label.
# $rows: row, name.  $lines: row boundaries between nodes.  N, NAME[], ROWS,
# FROM, TO, TDIV, XLABEL, TITLE.
TINY = FONT(5.5)
set title TITLE noenhanced font SMALL tc rgb "#505050" offset 0,-0.3
set key outside top center horizontal maxrows 1 samplen 1.2 width 1
set xrange [FROM / TDIV:TO / TDIV]
set yrange [ROWS:0]
unset grid
set xlabel XLABEL
set ylabel ""
set ytics scale 0 noenhanced
of(k) = NAME[k] eq "others" ? 7 : k
plot $rows using (NaN):($1 + 0.5):ytic(2) notitle, \
     for [k=1:N] $gantt using ($5 == k ? ($1 + $2) / 2 / TDIV : NaN):(($3 + $4) / 2):($1 / TDIV):($2 / TDIV):3:4 \
         with boxxyerror fs pattern HATCH[of(k)] border rgb EDGE[of(k)] lc rgb FILL[of(k)] lw 0.5 title NAME[k], \
     $gantt using (($1 + $2) / 2 / TDIV):(($3 + $4) / 2):6:(INK[of(int($5))]) with labels noenhanced font TINY tc rgb variable notitle, \
     $lines using (FROM / TDIV):1:((TO - FROM) / TDIV):(0) with vectors nohead lc rgb "#909090" lw 0.5 notitle
