#!/bin/sh
# Figures and tables from a small database made here.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN {
    print "id,submit_s,duration_s,user,gpus,gpu_milli,cpus,mem_mib"
    for (i = 0; i < 120; i++) {
        gpus = i % 5 == 0 ? 4 : i % 7 == 0 ? 0 : 1
        printf "j%d,%d,%d,%s,%d,%s,%d,1024\n", i, i * 40, 60 + (i * 7919) % 1800, \
               i % 3 == 0 ? "it'"'"'s \"me\"" : i % 3 == 1 ? "b_2" : "c#", gpus, gpus == 1 && i % 2 ? 500 : "", 1 + i % 3 }
}' | sed 's/it'"'"'s "me"/"it'"'"'s ""me"""/' >"$dir/jobs.csv"
cat >"$dir/s.yaml" <<END
name: small
cluster:
  groups:
    - {name: n, count: 3, cpus: 32, mem: 64GiB, gpus: 4, gpu_type: V100}
trace: {format: native, path: jobs.csv}
policies: ["fifo:mode=strict", "fifo:mode=skip", "sjf:estimate=true"]
seeds: [1, 2, 3]
output: {sample_every: 2m, attempts: true}
END
if ! "$fairway" run "$dir/s.yaml" -d "$dir/r.db" >"$dir/said" 2>&1; then
    echo "not ok - the small scenario runs"; cat "$dir/said"; exit 1
fi

check "compare prints the policies" sh -c '"$FAIRWAY" compare "$1" | grep -q "^sjf.* \*"' - "$dir/r.db"
for f in csv json markdown; do
    "$fairway" compare "$dir/r.db" --$f >"$dir/one" && "$fairway" compare "$dir/r.db" --$f >"$dir/two"
    check "compare --$f is the same twice" cmp "$dir/one" "$dir/two"
done
check "an unknown metric is named with the nearest" fails 2 "did you mean 'jct_mean'" "$fairway" compare "$dir/r.db" -m jct_maen
check "an unknown figure is named with the nearest" fails 2 "did you mean 'gantt'" "$fairway" plot "$dir/r.db" gannt
check "an option that a figure has no use for is refused" fails 2 "no use for --nodes" "$fairway" plot "$dir/r.db" cdf --nodes 2
check "an unknown format is refused" fails 2 "svg, .pdf, .png or .gp" "$fairway" plot "$dir/r.db" cdf -o "$dir/x.bmp"
check "a missing database is the world's failure" fails 3 "cannot open" "$fairway" compare "$dir/none.db"
check "a folder that is not there is the world's failure" fails 3 "cannot write" "$fairway" plot "$dir/r.db" cdf -o "$dir/none/x.gp"
check "levels names what a run has not" fails 2 "did you mean 'gpu_util'" "$fairway" plot "$dir/r.db" levels -m gpu_utli
check "levels says how its names are divided" fails 2 "expected names with ','" "$fairway" plot "$dir/r.db" levels -m gpu_util//cpu_util
check "levels draws no more panels than can be read" fails 2 "more than 6 panels" \
    "$fairway" plot "$dir/r.db" levels -m gpu_util/gpu_util/gpu_util/gpu_util/gpu_util/gpu_util/gpu_util
"$fairway" plot "$dir/r.db" levels --run 2 -m gpu_util,cpu_util/tasks_waiting -o "$dir/levels.gp" >/dev/null
check "levels draws each sample of the run" sh -c '[ "$(sed -n "/^\$levels/,/^EOD/p" "$1" | grep -c "	")" -eq $((3 + $(sqlite3 "$2" "SELECT count(*) FROM series WHERE run = 2 AND name IN ('"'gpu_util', 'cpu_util', 'tasks_waiting'"')"))) ]' - "$dir/levels.gp" "$dir/r.db"
check "a run that is not there is named" fails 2 "no finished run 99" "$fairway" plot "$dir/r.db" gantt --run 99
mkdir "$dir/empty"
check "without gnuplot it says what to install" fails 3 "apt-get install gnuplot" \
    env PATH="$dir/empty" "$fairway" plot "$dir/r.db" cdf -o "$dir/never.svg"
check "a figure that failed leaves no file" sh -c '! ls "$1"/never.svg* 2>/dev/null' - "$dir"
# Data and ideal times: the flow paper's jobs, in a database of their own.
scenarios=$(cd "$(dirname "$0")/../../scenarios" && pwd)
check "the flow paper's jobs run" "$fairway" run "$scenarios/flow-paper/flow-k6.yaml" -p gs -p gsp -p gsd -s 1 -s 2 -d "$dir/data.db" -q
check "compare sets published figures beside ours" sh -c '"$FAIRWAY" compare "$1" | grep -q "^dt  *gsd : gs  *< 1 .* flow paper, 5.3.2"' - "$dir/data.db"
"$fairway" compare "$dir/data.db" --csv >"$dir/one" && "$fairway" compare "$dir/data.db" --csv >"$dir/two"
check "with them, too, the same is printed twice" cmp "$dir/one" "$dir/two"
check "jobs-ideal says what a run without ideal times lacks" fails 2 "no job of 'small' has an ideal time" "$fairway" plot "$dir/r.db" jobs-ideal
check "data-bars has no use for a run" fails 2 "no use for --run" "$fairway" plot "$dir/data.db" data-bars --run 1
"$fairway" run "$scenarios/kube/kube-mixed.yaml" -d "$dir/pods.db" -q
"$fairway" run "$scenarios/demo/demo.yaml" -p kube-default -p fifo:mode=skip,place=fgd -d "$dir/fill.db" -q --set trace.load= --set trace.fill=1.2 \
    --set output.sample_every=10s --set faults= -s 1 -s 2
check "pods says what a run without attempts lacks" fails 2 "no record of where" "$fairway" plot "$dir/data.db" pods
check "frag-load says what a run that fills nothing lacks" fails 2 "no samples of a cluster being filled" "$fairway" plot "$dir/r.db" frag-load
"$fairway" run "$scenarios/engines/engines-inconsistent.yaml" -d "$dir/calls.db" -q --set trace.etc.jobs=20 --set seeds=1..3 -p affinity -p balance -p mct
check "energy says what a run without power lacks" fails 2 "has energy or cost to draw" "$fairway" plot "$dir/r.db" energy
check "engine-bars says what a run without calls lacks" fails 2 "made of API calls" "$fairway" plot "$dir/r.db" engine-bars
check "engine-bars names the base that is not there" fails 2 "did you mean 'mct'" "$fairway" plot "$dir/calls.db" engine-bars --base mtc
"$fairway" plot "$dir/calls.db" engine-bars --base mct -o "$dir/bars.gp" >/dev/null
# Fields: makespan's ratio, calls_cross, engine_best and engine_taken of all, engine_taken of the first kind.
check "engine-bars has the numbers of the database, and ratios paired by seed" sh -c '
    q() { sqlite3 "$2" "SELECT printf(\"%.6g\", avg(value)) FROM v_metric WHERE policy = \"balance\" AND name = \"$1\" AND scope = \"$3\""; }
    sed -n "/^balance/p" "$1" | awk -F"\t" "{ printf \"%.6g %.6g %.6g %.6g %.6g\n\", \$2, \$8, \$17, \$20, \$24 }" >"$3/have"
    echo "$(sqlite3 "$2" "SELECT printf(\"%.6g\", avg(a.value / b.value)) FROM v_metric a JOIN v_metric b USING (seed, name, scope) WHERE name = \"makespan\" AND a.policy = \"balance\" AND b.policy = \"mct\"") $(q calls_cross "$2" all) $(q engine_best "$2" all) $(q engine_taken "$2" all) $(q engine_taken "$2" engine=cpu)" >"$3/want"
    cmp "$3/have" "$3/want"' - "$dir/bars.gp" "$dir/calls.db" "$dir"
db_of() { case $1 in energy | recorded) echo "$dir/$1.db" ;; pods) echo "$dir/pods.db" ;; frag-load) echo "$dir/fill.db" ;; engine-bars) echo "$dir/calls.db" ;; jobs-ideal | data-bars | fairness-traffic) echo "$dir/data.db" ;; *) echo "$dir/r.db" ;; esac; }
printf '%s\n' 'name: energy' 'cluster:' '  gpu_types: {T4: {power: {idle: 10W, peak: 70W}}}' \
    '  groups: [{name: n, count: 4, cpus: 64, mem: 512GiB, gpus: 4, gpu_type: T4, power: {idle: 90W, peak: 300W}, price: 1}]' \
    'trace: {format: generate, generate: {jobs: 300, span: 2d, gpu_mix: "1:1"}}' 'policies: [fifo, drf, srtf:estimate=true]' >"$dir/energy.yaml"
"$fairway" run "$dir/energy.yaml" -d "$dir/energy.db" -q -s 1..3
printf '%s\n' 'name: recorded' 'cluster: {groups: [{name: n, count: 1, cpus: 4, mem: 16GiB}]}' \
    'trace: {format: native, path: recorded.csv}' 'policies: [recorded, fifo, sjf]' >"$dir/recorded.yaml"
printf 'id,submit_s,duration_s,cpus,start_s\na,0,100,2,0\nb,10,50,4,100\nc,20,10,1,150\nd,200,10,1,260\n' >"$dir/recorded.csv"
"$fairway" run "$dir/recorded.yaml" -d "$dir/recorded.db" -q
figures="cdf bars timeline levels gantt fairness jobs-ideal data-bars fairness-traffic pods frag-load engine-bars energy recorded"
for f in $figures; do
    check "$f.gp is written without gnuplot" env PATH="$dir/empty" "$fairway" plot "$(db_of $f)" $f -o "$dir/$f.gp"
done
# Recorded waits of 0, 60, 90 and 130 s, under fifo 0, 0, 90 and 130: what is below a second is drawn at one.
check "recorded sets sorted waits against each other" same "$(sed -n '/^\$recorded/,/^EOD/p' "$dir/recorded.gp" | awk 'NF == 0 { n++ } n == 2 && NF' | tr '\t\n' ' ,')" "1 1,60 1,90 90,130 130,"
check "recorded needs a record" fails 2 "no finished run of policy 'recorded'" "$fairway" plot "$dir/r.db" recorded -o "$dir/m.gp"

# Figures of a query: what is refused, and how.
sql() { "$fairway" plot "$dir/r.db" --sql "$@"; }
check "SQLite's words come with their place" fails 2 "line 2, column 8, at 'polcy" sql 'SELECT 1,
       polcy FROM v_job'
printf 'SELECT seed,\n  jctt FROM v_job\n' >"$dir/bad.sql"
check "in a file at its line and column" fails 2 "bad.sql:2:3: error: the query: no such column: jctt" sql "@$dir/bad.sql"
check "a query that writes is refused" fails 2 "would write" sql 'DELETE FROM job'
check "and so is a second one" fails 2 "more after it: 'DROP TABLE job'" sql 'SELECT 1, 2; DROP TABLE job'
check "nothing was written" sh -c '[ "$(sqlite3 "$1" "SELECT count(*) FROM job")" -gt 0 ]' - "$dir/r.db"
check "an empty query is refused" fails 2 "the query is empty" sql ' -- nothing'
check "no rows are nothing to draw" fails 2 "no row to draw" sql 'SELECT 1, 2 WHERE 0'
check "one column is too few" fails 2 "too few columns" sql 'SELECT 1'
check "a column that is not there is named with the nearest" fails 2 "did you mean 'waiting'" sql 'SELECT 1 AS x, 2 AS waiting' --y wating
check "text is no number, and the row is named" fails 2 "row 1 of the query: policy is 'fifo:mode=strict'" sql 'SELECT policy, seed FROM v_run ORDER BY id'
check "two rows for one bar are refused" fails 2 "two rows for policy 'fifo:mode=strict'" sql 'SELECT policy, seed FROM v_run ORDER BY id' --with bars
check "a logarithmic axis has no place for 0" fails 2 "row 2 of the query: y is 0, which a logarithmic axis" sql 'SELECT 1 AS x, 2 AS y UNION ALL SELECT 2, 0' --log y
check "and of the other axis 0 is drawn" sql 'SELECT 1 AS x, 2 AS y UNION ALL SELECT 2, 0' --log x -o "$dir/log.gp"
check "no axis has one for what is infinite" fails 2 "row 1 of the query: y is inf, which an axis" sql 'SELECT 1 AS x, 9e999 AS y'
# names SQL: how the names under the bars of that query stand
names() { "$fairway" plot "$dir/r.db" --sql "$1" --with bars -o "$dir/names.gp" >/dev/null && sed -n 's/^\(ROTATE\|SPLIT\) = //p' "$dir/names.gp" | tr '\n' ' '; }
eleven="WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 11) SELECT"
check "short names lie, longer ones lean, long ones stand, with a line for each parameter where there is room" test \
    "$(names "$eleven i, i FROM n")/$(names "$eleven 'policy' || i, i FROM n")/$(names "$eleven 'policy:a=1,b=2,place=x' || i, i FROM n")/$(names "SELECT 'policy:estimate=long,mode=very,place=x', 1 UNION ALL SELECT 'policy:estimate=true,mode=skip,place=y', 2")" = "0 0 /30 0 /90 0 /90 1 "
check "an unknown style is named with the nearest" fails 2 "did you mean 'bars'" sql 'SELECT 1, 2' --with bras
check "--lo asks for --hi" fails 2 "go together" sql 'SELECT 1, 2, 3 AS a' --lo a
check "options of named figures are refused" fails 2 "'--run' is for figures by name" sql 'SELECT 1, 2' --run 1
check "and the other way round" fails 2 "'--with' goes with --sql" "$fairway" plot "$dir/r.db" cdf --with bars
check "too many rows are refused" fails 2 "more than 200000 rows" sql 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200001) SELECT i, i FROM n'
hostile='it'"'"'s "me" \`id\` $(id) \ @{x}_y'
check "a script holds any name as text" sql "SELECT '$(printf %s "$hostile" | sed "s/'/''/g")' AS x, 1 AS y" --with bars --title "$hostile" -o "$dir/hostile.gp"

# Users' fills in grey: CIE L* of two plain ones differs by 18 at least, and no two hatched ones have one pattern.
fills() { sed -n "s/^array $1\[7\] = \[\(.*\)\]/\1/p" "$here/plots/style.gp" | tr -d '" '; }
check "users of a Gantt chart differ in grey, too" sh -c 'awk -v fills="$1" -v hatches="$2" "
    function part(c) { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ^ 2.4 }
    function byte(s) { s = tolower(s); return 16 * (index(hex, substr(s, 1, 1)) - 1) + index(hex, substr(s, 2, 1)) - 1 }
    BEGIN { hex = \"0123456789abcdef\"; n = split(fills, f, \",\"); split(hatches, h, \",\")
        for (i = 1; i <= n; i++) {
            y = 0.2126 * part(byte(substr(f[i], 2))) + 0.7152 * part(byte(substr(f[i], 4))) + 0.0722 * part(byte(substr(f[i], 6)))
            l[i] = y > 0.008856 ? 116 * y ^ (1 / 3) - 16 : 903.3 * y
            for (k = 1; k < i; k++) if (h[i] == h[k] && (h[i] != 3 || (l[i] - l[k]) ^ 2 < 18 ^ 2)) { print f[i], f[k], l[i], l[k]; bad = 1 }
        }
        exit bad || n != 7 }"' - "$(fills FILL)" "$(fills HATCH)"
check "and have the fills of the report's timeline" same "$(fills FILL)" \
    "$(sed -n '/^const FILLS/,/^];/p' "$here/sim/report/page/timeline.js" | grep -o '\["#[0-9A-Fa-f]*' | tr -d '["' | tr '\n' ',' | sed 's/,$//')"

if ! command -v gnuplot >/dev/null; then
    echo "skipped - drawing: gnuplot is not installed"
    exit $bad
fi
"$fairway" plot "$dir/r.db" --sql "SELECT 1, 2" -o "$dir/x.gp" >/dev/null
check "hostile names are drawn as they are" sh -c 'cd "$1" && gnuplot hostile.gp && grep -q "it.*s.*me.*(id)" custom.svg' - "$dir"
for with in lines points linespoints steps bars boxes; do
    case $with in bars | boxes) x=policy ;; *) x=seed ;; esac
    group="run"; [ $with = boxes ] && group="run, ordinal"
    query="SELECT CASE '$x' WHEN 'seed' THEN seed ELSE policy || CASE '$with' WHEN 'bars' THEN seed ELSE '' END END AS x,
           avg(jct) AS y, policy, avg(jct) * .9 AS lo, avg(jct) * 1.1 AS hi FROM v_job GROUP BY $group ORDER BY run"
    by="--by policy"; [ $with = boxes ] && by=
    for ci in "" "--lo lo --hi hi"; do
        [ $with = boxes ] && [ -n "$ci" ] && continue
        # shellcheck disable=SC2086
        check "a query with $with $ci is drawn" sql "$query" --with $with $by $ci -o "$dir/one.svg"
        # shellcheck disable=SC2086
        sql "$query" --with $with $by $ci -o "$dir/two.svg" >/dev/null
        check "and is the same twice, byte for byte" cmp "$dir/one.svg" "$dir/two.svg"
    done
done
# Upright labels are not cut off by the left edge, for which gnuplot leaves them out, too: capitals of 8 points are
# 11 units high.
upright() { grep -o 'translate([-0-9.]*,[-0-9.]*) rotate(270)' "$1"; }
whole() { # SVG FIGURE
    [ "$(upright "$1" | wc -l)" -ge "$(grep -c '^ *set ylabel' "$here/plots/$2.gp")" ] || { echo "a label is lost"; return 1; }
    ! upright "$1" | awk -F '[(,]' '$2 < 11' | grep .
}
for f in $figures; do
    rm -f "$dir/one.svg" "$dir/two.svg"
    db=$(db_of $f)
    "$fairway" plot "$db" $f -o "$dir/one.svg" >/dev/null && "$fairway" plot "$db" $f -o "$dir/two.svg" >/dev/null
    check "$f.svg is the same twice, byte for byte" cmp "$dir/one.svg" "$dir/two.svg"
    check "$f.svg is a whole picture" sh -c 'grep -q "<svg" "$1" && tail -n 2 "$1" | grep -q "</svg>"' - "$dir/one.svg"
    check "$f.svg has its labels of axes whole" whole "$dir/one.svg" $f
    check "$f.gp draws the same picture by itself" sh -c \
        'cd "$1" && gnuplot -d -e "out='"'alone.svg'"'" "$2.gp" && grep -v "gnuplot_canvas\|<title>\|<desc>" alone.svg >a && grep -v "gnuplot_canvas\|<title>\|<desc>" one.svg >b && cmp a b' - "$dir" $f
    for e in png pdf; do
        check "$f.$e is drawn" "$fairway" plot "$db" $f -o "$dir/$f.$e"
    done
done
for m in wait span slowdown bounded_slowdown rho; do
    check "cdf shows $m" "$fairway" plot "$dir/r.db" cdf -m $m -o "$dir/m.svg"
done
for m in s_whole s_share; do
    check "cdf shows $m" "$fairway" plot "$dir/data.db" cdf -m $m -o "$dir/m.svg"
done
check "fairness-traffic takes the other deviation" "$fairway" plot "$dir/data.db" fairness-traffic -m s_whole_sigma -o "$dir/m.svg"
check "fairness-traffic takes no other metric" fails 2 "draws a fairness deviation, not 'dt'" "$fairway" plot "$dir/data.db" fairness-traffic -m dt
check "bars takes a scope and a base" "$fairway" plot "$dir/r.db" bars -m jct --scope class=multi --base "sjf:estimate=true" -o "$dir/m.svg"
check "gantt takes nodes and a window" "$fairway" plot "$dir/r.db" gantt --run 2 --nodes n-0,n-1 --from 10m --to 1h -o "$dir/m.svg"
"$fairway" run "$dir/s.yaml" -s 1 $(for p in first best worst pack spread fgd kube; do echo "-p fifo:mode=skip,place=$p -p sjf:estimate=true,mode=skip,place=$p"; done) -q -d "$dir/many.db"
named() { grep -c "<text.*place=" "$dir/many.svg"; }
"$fairway" plot "$dir/many.db" timeline -o "$dir/many.svg" >/dev/null
check "more lines than a legend tells apart have their names beside them, in each panel" same "$(named)" 28
"$fairway" plot "$dir/many.db" cdf -o "$dir/many.svg" >/dev/null
check "so have the curves of a distribution" same "$(named)" 14
for with in points lines linespoints steps; do
    for n in 8 9; do
        sql "SELECT run, avg(jct) AS y, 'place=' || (ordinal % $n) AS name FROM v_job GROUP BY 1, 3 ORDER BY 1" --by name --with $with -o "$dir/$n.gp" >/dev/null
        (cd "$dir" && gnuplot -e "out='many.svg'" $n.gp)
        check "each of $n $with of a query is named once" same "$(named)" $n
    done
    check "eight have a legend, nine their names beside them" same "$(sed -n 's/^DIRECT = //p' "$dir/8.gp" "$dir/9.gp")" 1
done
"$fairway" run "$scenarios/flow-paper/flow-k6.yaml" -s 1 -d "$dir/eleven.db" -q
"$fairway" plot "$dir/eleven.db" fairness-traffic -o "$dir/eleven.gp" >/dev/null
"$fairway" plot "$dir/eleven.db" fairness-traffic -o "$dir/eleven.svg" >/dev/null
check "each of eleven points has its name beside it" same "$(sed -n '/^\$names/,/^EOD/p' "$dir/eleven.gp" | awk -F'\t' 'NF == 8 { print $8 }' | sort)" \
    "$(sqlite3 "$dir/eleven.db" "SELECT DISTINCT policy FROM run" | sort)"
check "and no legend besides" same "$(grep -c '<text.*gs-node' "$dir/eleven.svg")" 1
check "timeline takes a run" "$fairway" plot "$dir/r.db" timeline --run 2 -o "$dir/m.svg"
exit $bad
