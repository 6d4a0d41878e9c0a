#!/bin/sh
# Figures and tables from a small database made here.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; failed=1; }
failed=0
check() { claim=$1; shift; if "$@" >"$work/said" 2>&1; then ok "$claim"; else not_ok "$claim"; sed 's/^/# /' "$work/said"; fi; }
# fails STATUS WORDS COMMAND...: it exits so, and says so on standard error
fails() {
    want=$1 words=$2; shift 2
    "$@" >"$work/out" 2>"$work/err"; got=$?
    [ $got -eq "$want" ] && grep -q -- "$words" "$work/err" && return 0
    echo "exit $got, expected $want and '$words'"; cat "$work/err"; return 1
}

awk 'BEGIN {
    print "id,submit_s,duration_s,user,gpus,gpu_milli,cpus,mem_mib"
    for (i = 0; i < 120; i++) {
        gpus = i % 5 == 0 ? 4 : i % 7 == 0 ? 0 : 1
        printf "j%d,%d,%d,%s,%d,%s,%d,1024\n", i, i * 40, 60 + (i * 7919) % 1800, \
               i % 3 == 0 ? "it'"'"'s \"me\"" : i % 3 == 1 ? "b_2" : "c#", gpus, gpus == 1 && i % 2 ? 500 : "", 1 + i % 3 }
}' | sed 's/it'"'"'s "me"/"it'"'"'s ""me"""/' >"$work/jobs.csv"
cat >"$work/s.yaml" <<END
name: small
cluster:
  groups:
    - {name: n, count: 3, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: V100}
trace: {format: native, path: jobs.csv}
policies: ["fifo:mode=strict", "fifo:mode=skip", "sjf:estimate=true"]
seeds: [1, 2, 3]
output: {sample_every: 2m, attempts: true}
END
if ! "$FAIRWAY" run "$work/s.yaml" -d "$work/r.db" >"$work/said" 2>&1; then
    not_ok "the small scenario runs"; cat "$work/said"; exit 1
fi

check "compare prints the policies" sh -c '"$FAIRWAY" compare "$1" | grep -q "^sjf.* \*"' - "$work/r.db"
for f in csv json markdown; do
    "$FAIRWAY" compare "$work/r.db" --$f >"$work/one" && "$FAIRWAY" compare "$work/r.db" --$f >"$work/two"
    check "compare --$f is the same twice" cmp "$work/one" "$work/two"
done
check "an unknown metric is named with the nearest" fails 2 "did you mean 'jct_mean'" "$FAIRWAY" compare "$work/r.db" -m jct_maen
check "an unknown figure is named with the nearest" fails 2 "did you mean 'gantt'" "$FAIRWAY" plot "$work/r.db" gannt
check "an option that a figure has no use for is refused" fails 2 "no use for --nodes" "$FAIRWAY" plot "$work/r.db" cdf --nodes 2
check "an unknown format is refused" fails 2 "svg, .pdf, .png or .gp" "$FAIRWAY" plot "$work/r.db" cdf -o "$work/x.bmp"
check "a missing database is the world's failure" fails 3 "cannot open" "$FAIRWAY" compare "$work/none.db"
check "a folder that is not there is the world's failure" fails 3 "cannot write" "$FAIRWAY" plot "$work/r.db" cdf -o "$work/none/x.gp"
check "a run that is not there is named" fails 2 "no finished run 99" "$FAIRWAY" plot "$work/r.db" gantt --run 99
mkdir "$work/empty"
check "without gnuplot it says what to install" fails 3 "apt-get install gnuplot" \
    env PATH="$work/empty" "$FAIRWAY" plot "$work/r.db" cdf -o "$work/never.svg"
check "a figure that failed leaves no file" sh -c '! ls "$1"/never.svg* 2>/dev/null' - "$work"
# Data and ideal times: the flow paper's jobs, in a database of their own.
scenarios=$(cd "$(dirname "$0")/../../scenarios" && pwd)
check "the flow paper's jobs run" "$FAIRWAY" run "$scenarios/flow-k6.yaml" -p gs -p gsp -p gsd -s 1 -s 2 -d "$work/data.db" -q
check "compare sets published figures beside ours" sh -c '"$FAIRWAY" compare "$1" | grep -q "^dt  *gsd : gs  *< 1 .* flow paper, 5.3.2"' - "$work/data.db"
"$FAIRWAY" compare "$work/data.db" --csv >"$work/one" && "$FAIRWAY" compare "$work/data.db" --csv >"$work/two"
check "with them, too, the same is printed twice" cmp "$work/one" "$work/two"
check "jobs-ideal says what a run without ideal times lacks" fails 2 "no job of 'small' has an ideal time" "$FAIRWAY" plot "$work/r.db" jobs-ideal
check "data-bars has no use for a run" fails 2 "no use for --run" "$FAIRWAY" plot "$work/data.db" data-bars --run 1
db_of() { case $1 in jobs-ideal | data-bars) echo "$work/data.db" ;; *) echo "$work/r.db" ;; esac; }
figures="cdf bars timeline gantt jobs-ideal data-bars"
for f in $figures; do
    check "$f.gp is written without gnuplot" env PATH="$work/empty" "$FAIRWAY" plot "$(db_of $f)" $f -o "$work/$f.gp"
done

if ! command -v gnuplot >/dev/null; then
    echo "skipped - drawing: gnuplot is not installed"
    exit $failed
fi
for f in $figures; do
    rm -f "$work/one.svg" "$work/two.svg"
    db=$(db_of $f)
    "$FAIRWAY" plot "$db" $f -o "$work/one.svg" >/dev/null && "$FAIRWAY" plot "$db" $f -o "$work/two.svg" >/dev/null
    check "$f.svg is the same twice, byte for byte" cmp "$work/one.svg" "$work/two.svg"
    check "$f.svg is a whole picture" sh -c 'grep -q "<svg" "$1" && tail -n 2 "$1" | grep -q "</svg>"' - "$work/one.svg"
    check "$f.gp draws the same picture by itself" sh -c \
        'cd "$1" && gnuplot -d -e "out='"'alone.svg'"'" "$2.gp" && grep -v "gnuplot_canvas\|<title>\|<desc>" alone.svg >a && grep -v "gnuplot_canvas\|<title>\|<desc>" one.svg >b && cmp a b' - "$work" $f
    for e in png pdf; do
        check "$f.$e is drawn" "$FAIRWAY" plot "$db" $f -o "$work/$f.$e"
    done
done
for m in wait span slowdown bounded_slowdown rho; do
    check "cdf shows $m" "$FAIRWAY" plot "$work/r.db" cdf -m $m -o "$work/m.svg"
done
for m in s_whole s_share; do
    check "cdf shows $m" "$FAIRWAY" plot "$work/data.db" cdf -m $m -o "$work/m.svg"
done
check "bars takes a scope and a base" "$FAIRWAY" plot "$work/r.db" bars -m jct --scope class=multi --base "sjf:estimate=true" -o "$work/m.svg"
check "gantt takes nodes and a window" "$FAIRWAY" plot "$work/r.db" gantt --run 2 --nodes n-0,n-1 --from 10m --to 1h -o "$work/m.svg"
check "timeline takes a run" "$FAIRWAY" plot "$work/r.db" timeline --run 2 -o "$work/m.svg"
exit $failed
