# profile.gp -- shares of profile.sh as stacked bars, regime by regime.  Given: csv, and what plots/style.gp wants.
set datafile separator ","
rooms = "events deciding model input rows metrics rest"
HEX = "#0072B2 #D55E00 #56B4E9 #009E73 #F2CF80 #CC79A7 #9a9a9a"
bars = system("grep -c ',rest,' ".csv)
# Bar, the sum of its shares up to room k, and its policy without options; `rest` is the last of each.
upto(k) = "<awk -F, -v upto=".k." 'BEGIN { split(\"".rooms."\", r, \" \"); for (i = 1; i <= upto; i++) is_in[r[i]] = 1 } \
    $3 in is_in { s += $4 } $3 == \"rest\" { sub(/:.*/, \"\", $2); print ++n \",\" s \",\" $2; s = 0 }' ".csv
# Of each regime: the middle of its bars, where they end, its name.
regimes = "<awk -F, 'function put() { if (n) print (first + n) / 2 \",\" n + 0.5 \",\" name } \
    $3 == \"rest\" { if ($1 != name) { put(); name = $1; first = n + 1 } n++ } END { put() }' ".csv
set boxwidth 0.8
set yrange [0:108]
set xrange [0.4:bars + 0.6]
set ylabel "estimated time, %"
set ytics 0,20,100
set xtics scale 0 rotate by 30 right noenhanced
set key outside right top vertical
# The whole first, and over it all but the last room, and so on.
plot for [k=7:1:-1] upto(k) using 1:2:xtic(3) with boxes lc rgb word(HEX, k) title word(rooms, k), \
     regimes using 1:(104):3 with labels font SMALL notitle, \
     regimes using 2:(0):(0):(100) with vectors nohead lc rgb "#404040" lw 0.8 notitle
