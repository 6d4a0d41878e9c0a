# One look for every figure.  Set before it, or with gnuplot -e: fmt (svg, pdf
# or png), out (file; "" is standard output), W and H (inches).
#
# Colours: Okabe and Ito's, told apart with the common colour-vision
# deficiencies; dash and point differ too, so lines survive a grey printer.
if (!exists("W")) W = 3.5            # one column of a paper; two are 7.0
if (!exists("H")) H = 2.2
PT = fmt eq "svg" ? 1.9 : fmt eq "png" ? 3.0 : 1.0      # the terminal's units in a point
FONT(points) = sprintf("Liberation Sans,%.1f", points * PT)
if (fmt eq "pdf") set terminal pdfcairo enhanced size W,H font FONT(8) linewidth 1 dashlength 0.6
if (fmt eq "svg") set terminal svg enhanced size W*144,H*144 font FONT(8) linewidth 2 dashlength 0.6 background "white"
if (fmt eq "png") set terminal pngcairo enhanced size W*300,H*300 font FONT(8) linewidth 3 dashlength 0.6
if (out ne "") set output out
set encoding utf8
set datafile separator "\t"
set datafile commentschars ""
array C[8] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800"]
# Fills that stand beside one another: each of another lightness than its neighbours, for grey print.
array F[8] = ["#0072B2", "#56B4E9", "#F2CF80", "#D55E00", "#8fd3bd", "#000000", "#CC79A7", "#9a9a9a"]
# Fills of users, which stand anywhere (also sim/report/page/timeline.js): plain ones differ in lightness (CIE L*) by 18
# at least, hatched ones in their pattern, so grey print tells all seven apart.  Pattern 3 is plain; text is in INK.
array FILL[7] = ["#0072B2", "#56B4E9", "#C04000", "#00704F", "#000000", "#A03C78", "#e0e0e0"]
array HATCH[7] = [3, 3, 4, 5, 3, 2, 3]
array EDGE[7] = ["#ffffff", "#ffffff", "#C04000", "#00704F", "#ffffff", "#A03C78", "#ffffff"]
array INK[7] = [0xffffff, 0x000000, 0x000000, 0x000000, 0xffffff, 0x000000, 0x000000]
array D[8] = [1, 2, 4, 3, 5, 1, 2, 4]
do for [i=1:24] { k = (i - 1) % 8 + 1; set style line i lc rgb C[k] dt D[(k - 1 + 3 * ((i - 1) / 8)) % 8 + 1] lw 1.6 pt 4 + (i - 1) % 11 ps 0.55 }
# Names beside points and lines where there are more than a legend tells apart (sim/plot/direct.h): a plot ends with
# @DIRECTLY.  $names: the mark, where the line from it to its name ends, series, the name's place, the name; a block a
# panel.
if (!exists("DIRECT")) DIRECT = 0
PANEL = 0
HUE(i) = int("0x" . C[(int(i) - 1) % 8 + 1][2:7])
DIRECTLY = "for [z=1:DIRECT] $names index PANEL using 1:2:($3-$1):($4-$2):(HUE($5)) with vectors nohead lw 0.7 \
lc rgb variable notitle, \
for [z=1:DIRECT] $names index PANEL using 1:2:(HUE($5)) with points pt 7 ps 0.35 lc rgb variable notitle, \
for [z=1:DIRECT] $names index PANEL using 6:7:8 with labels center noenhanced font SMALL tc rgb '#202020' notitle"
set border 3 lc rgb "#404040" lw 0.7
set tics nomirror out scale 0.6 textcolor rgb "#202020"
set grid ytics lc rgb "#dddddd" lw 0.5 dt 1
set xlabel offset 0,0.4
set ylabel offset 0.6,0
SMALL = FONT(7)
set key font SMALL samplen 2.6 spacing 1.05 Left reverse noopaque noenhanced
set style fill solid 1.0 noborder
# Names under bars (sim/plot/compare/bar_names.c): ROTATE 0, 30 or 90; upright ones with a line for each parameter if SPLIT.
BREAK(s) = strstrt(s, ":") == 0 || (strstrt(s, ",") > 0 && strstrt(s, ",") < strstrt(s, ":")) ? strstrt(s, ",") : strstrt(s, ":")
LINES(s) = BREAK(s) == 0 || BREAK(s) == strlen(s) ? s : s[1:BREAK(s)] . "\n" . LINES(s[BREAK(s) + 1:strlen(s)])
NAMED(s) = SPLIT ? LINES(s) : s
LEAN = "if (ROTATE == 30) { set xtics rotate by 30 right offset 0.5,0.2 }; if (ROTATE == 90) { set xtics rotate by 90 right offset 0,-0.1 }"
set errorbars 0.7 lc rgb "#202020" lw 0.9
