# When the tasks of each workflow ran: a band a workflow, a lane a task, a colour a stage.
# $bars: from, to (s), lane, stage (0: not known).  $flows: first lane, lanes, name.
# ROWS, FROM, TO, TDIV, XLABEL, TITLE.
set title TITLE noenhanced font SMALL tc rgb "#505050" offset 0,-0.3
unset key
set xrange [FROM / TDIV:TO / TDIV]
set yrange [ROWS:0]
unset grid
set xlabel XLABEL noenhanced
set ytics scale 0 noenhanced
set style fill solid 0.95 noborder
colour(stage) = stage < 1 ? 7 : (int(stage) - 1) % 6 + 1
array G[7] = [C[1], C[2], C[3], C[4], C[5], C[6], "#808080"]
plot $flows using (NaN):($1 + $2 / 2.0):ytic(3) notitle, \
     for [k=1:7] $bars using (colour($4) == k ? ($1 + $2) / 2 / TDIV : NaN):($3 + 0.5):($1 / TDIV):($2 / TDIV):($3 + 0.06):($3 + 0.94) \
         with boxxyerror lc rgb G[k] notitle, \
     $flows using (FROM / TDIV):($1 - 0.5):((TO - FROM) / TDIV):(0) with vectors nohead lc rgb "#b0b0b0" lw 0.5 notitle
