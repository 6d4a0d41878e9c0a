# curves.gp -- the points of curves.sh as curves: processor time of a job against each axis.  Given: db, chart, axes.
n_rows = (words(axes) + 1) / 2
set terminal svg size 1100,450 * n_rows font "sans,11" dynamic background "white"
set output chart
set multiplot layout n_rows,2
set logscale xy
set key outside right
set grid
set ylabel "processor time of a job, us"
what(a) = a eq "queue" ? "waiting jobs" : a eq "shapes" ? "distinct requests" : a eq "flow" ? "GPUs, jobs that read data" : a
rows(a, p) = "<sqlite3 -separator ' ' ".db." \"SELECT x, cpu_s / jobs * 1e6 FROM point WHERE axis = '".a. \
             "' AND policy = '".p."' ORDER BY x\""
do for [a in axes] {
    set xlabel what(a)
    names = system("sqlite3 ".db." \"SELECT DISTINCT policy FROM point WHERE axis = '".a."' ORDER BY 1\"")
    plot for [p in names] rows(a, p) using 1:2 with linespoints title p noenhanced
}
unset multiplot
