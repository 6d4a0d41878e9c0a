#!/bin/sh
# compare as people use it: formats, the baseline, windows, bounds; its LaTeX compiles.
. "$(dirname "$0")/lib.sh"
exits() { want=$1; shift; expect "$want" "$fairway" "$@"; }     # STATUS ARGUMENTS...
says() { grep -q -- "$1" "$dir/out" "$dir/err"; }
same() { "$fairway" "$@" >"$dir/out" 2>"$dir/err" && "$fairway" "$@" >"$dir/two" 2>>"$dir/err" && cmp -s "$dir/out" "$dir/two"; }
db=$dir/r.db

"$fairway" run "$here/scenarios/demo/demo.yaml" -q -d "$db" -p "fifo:mode=skip" -p sjf -p "srtf:estimate=true" \
    -s 1 -s 2 -s 3 -s 4 -s 5 -s 6 -s 7 -s 8 || { echo "not ok - the runs"; exit 1; }
for f in text markdown latex csv json; do check "the same twice as $f" same compare "$db" --format $f; done
check "--latex is --format latex" exits 0 compare "$db" --latex
check "a tabular" says '^.begin{tabular}{lrrr'
check "an unknown format is bad usage" exits 2 compare "$db" --format html
check "with those there are" says 'expected text, markdown, latex, csv or json'
check "against another policy" exits 0 compare "$db" --against sjf
check "which heads the differences" says '^Difference to sjf, paired by seed:'
check "and is what the words are about" says '^fifo:mode=skip finishes jobs .* sooner than sjf'
check "an unknown policy is named with the nearest" exits 2 compare "$db" --against sfj
check "as a hint" says "did you mean 'sjf'"
check "bounds stand beside every policy" exits 0 compare "$db"
check "as how many times the bound" says '^fifo:mode=skip  *[0-9.]* ±[0-9.]*  [0-9.]*  1\.[0-9]* ±'
check "it says which wait is meant" says "^wait: until a job's first start; not_running: all the time"
unwrapped() { tr -s '\n ' '  ' <"$dir/out" | grep -q "$1"; }
check "in words as well" unwrapped 'lets jobs wait [0-9.]* % ± [0-9.]* % less for their first start'
check "beside the time not running" unwrapped 'has jobs not running for [0-9.]* % ± [0-9.]* % less time'
check "tails have their interval in brackets" says '^sjf .*% \[[-+0-9.]*, [-+0-9.]*\]'
check "where no wait is shown it does not" sh -c '"$1" compare "$2" -m jct_mean >"$3" && ! grep -q "^wait:" "$3"' - "$fairway" "$db" "$dir/out"
check "a window" exits 0 compare "$db" --from 10h --to 20h
check "is in the title" says 'jobs submitted from 10 h to 20 h'
check "and has no bounds" sh -c '! grep -q bound, "$1"' - "$dir/out"
check "a metric of whole runs is refused in it" exits 2 compare "$db" --from 10h -m makespan
check "by name" says "'makespan' is of a whole run"
check "a window without jobs is refused" exits 2 compare "$db" --from 500d
check "a window that ends before it begins too" exits 2 compare "$db" --from 2h --to 1h
check "a time that is none is bad usage" exits 2 compare "$db" --from soon

cp "$db" "$dir/broken.db"; sqlite3 "$dir/broken.db" "DROP TABLE metric"
check "a database that fails where values are read is an error, not a table of dashes" exits 3 compare "$dir/broken.db"
check "which is told" says 'the database failed: no such table: metric'

# Over the whole run a window's job metrics are the run's own.
"$fairway" compare "$db" -m jct_mean,jct_p99,wait_p95,not_running_mean,slowdown_max,rho_p50 --csv | cut -d, -f2,5,9 >"$dir/out"
"$fairway" compare "$db" -m jct_mean,jct_p99,wait_p95,not_running_mean,slowdown_max,rho_p50 --csv --to 10000d | cut -d, -f2,5,9 >"$dir/two"
check "a window over everything changes nothing" cmp "$dir/out" "$dir/two"
"$fairway" compare "$db" --json >"$dir/out" 2>"$dir/err"
sqlite3 ':memory:' "SELECT count(*) FROM json_each(readfile('$dir/out')) WHERE json_extract(value, '$.x_bound') >= 1" >"$dir/n"
check "in JSON two metrics of three policies are at or above their bound" [ "$(cat "$dir/n")" -eq 6 ]

# One run each: intervals from its batches, where the run is long enough.
cat >"$dir/long.yaml" <<'END'
name: long
cluster: {groups: [{name: n, count: 1, cpus: 1, mem: 1GiB, gpus: 0}]}
trace: {format: native, path: long.csv}
policies: [fifo, 'sjf:estimate=true']
END
awk 'BEGIN { srand(7); print "id,submit_s,duration_s,tasks,cpus"
    for (i = 0; i < 30000; i++) { printf "%d,%.3f,%.3f,1,1\n", i, at, -log(1 - rand()); at -= 2 * log(1 - rand()) } }' >"$dir/long.csv"
"$fairway" run -q "$dir/long.yaml" -d "$dir/long.db"
check "batches of one run" exits 0 compare "$dir/long.db" --batches -m wait_mean,wait_p99
check "give an interval where it is long enough" says '^fifo .* ±[0-9.]* '
check "leave open what it is too short for" says '^fifo .*(open)'
check "and pair policies" unwrapped 'sjf:estimate=true lets jobs wait [0-9.]* % ± [0-9.]* % less for their first start than fifo; waiting for the first start (p99) open'
check "after a warm-up" unwrapped 'batches of [0-9]* jobs in the order of submission, after a warm-up of [0-9.]* h that MSER-5'
"$fairway" compare "$dir/long.db" --batches -m wait_mean,wait_p99 --csv | tr -d '\r' >"$dir/out"
check "for programs as well" says '^long,fifo,.*,wait_mean,.*,batches,$'
check "and so is what is open" says '^long,fifo,.*,wait_p99,.*,open,$'
check "they are refused where seeds differ" exits 2 compare "$db" --batches
check "with what to do" says 'without --batches intervals come from the seeds'
check "a metric of whole runs has none" exits 2 compare "$dir/long.db" --batches -m makespan

# Every policy on data, stages and a closed system: none below a bound.  One that
# keeps nodes apart may end no job at all, and then has none; one that maps calls to
# engines refuses workflows whose tasks make none, and others ask for profiles or elastic jobs.
for scn in flow-paper/flow-k6 flow-paper/flow-users demo/forms; do
    one=${scn##*/}
    policies=$("$fairway" help --list policies | sed 's/^/-p /')
    # shellcheck disable=SC2086
    "$fairway" run "$here/scenarios/$scn.yaml" -q -d "$dir/$one.db" $policies -s 1 -s 2 >"$dir/out" 2>"$dir/err"
    "$fairway" compare "$dir/$one.db" -m makespan,jct_mean --json >"$dir/out" 2>>"$dir/err"
    sqlite3 ':memory:' "SELECT count(*) || ' ' || sum(json_extract(value, '\$.x_bound') < 1) FROM json_each(readfile('$dir/out'))
        WHERE json_extract(value, '\$.x_bound') IS NOT NULL" >"$dir/n"
    ended=$(sqlite3 "$dir/$one.db" "SELECT count(DISTINCT policy) FROM v_job")
    stranded=$(sqlite3 "$dir/$one.db" "SELECT count(DISTINCT policy) FROM run WHERE status = 'failed'
        AND (message LIKE '%is a workflow whose tasks make no API calls%' OR message LIKE '%has no profile%'
            OR message LIKE '%gives GPUs to elastic jobs alone%')")
    for p in $("$fairway" help --list policies); do
        [ "$(sqlite3 "$dir/$one.db" "SELECT count(*) FROM v_job WHERE policy = '$p'")" -gt 0 ] && continue
        "$fairway" policies "$p" | grep -q 'may leave tasks waiting' && stranded=$((stranded + 1))
    done
    check "no policy of $one is below a bound" [ "$(cat "$dir/n")" = "$((ended * 2)) 0" ]
    check "and on $one all end jobs, but one that may strand them, and those that lack what they need" [ "$((ended + stranded))" -eq "$("$fairway" help --list policies | wc -l)" ]
done

if ! command -v pdflatex >/dev/null; then
    echo "skipped - compiling the LaTeX: pdflatex is not installed"
    exit $bad
fi
"$fairway" run "$here/scenarios/demo/demo.yaml" -q -d "$dir/odd.db" -p fifo -p "sjf" -s 1 --set 'name=50% of $a_b & {c} #1 ^~\d [e]' || bad=1
for one in r odd; do
    { printf '\\documentclass{article}\n\\begin{document}\n'; "$fairway" compare "$dir/$one.db" --latex; printf '\\end{document}\n'; } >"$dir/$one.tex"
    (cd "$dir" && pdflatex -interaction=nonstopmode -halt-on-error "$one.tex" >"$dir/out" 2>&1)
    check "the LaTeX of $one compiles" [ -s "$dir/$one.pdf" ]
done
exit $bad
