#!/bin/sh
# The regression gate: what it says, its exit status, what --update writes; and
# the project's own fairness numbers, guarded by it.
. "$(dirname "$0")/lib.sh"
exits() { want=$1; shift; expect "$want" "$fairway" "$@"; }     # STATUS ARGUMENTS...
b=$dir/b.csv

"$fairway" run "$here/scenarios/demo/demo.yaml" -s 1 -s 2 -q -d "$dir/r.db"
check "the project's own fairness numbers have not moved" exits 0 check "$dir/r.db" "$here/tests/baseline/demo.csv"

check "a baseline is made of what the database holds" exits 0 check "$dir/r.db" "$b" --create -m jct_mean,jain --tolerance 2%
check "seven policies, two metrics" [ "$(wc -l <"$b")" -eq 15 ]
check "making it again changes nothing" exits 0 check "$dir/r.db" "$b" --create -m jct_mean,jain --tolerance 2%
check "another is not written over it" exits 2 check "$dir/r.db" "$b" --create -m jct_mean
check "and how it would be is said" grep -q 'hint: --update takes over what is now' "$dir/err"
check "it is as it was" [ "$(wc -l <"$b")" -eq 15 ]
without() { cut -d, -f1-6 "$b" >"$dir/six" && mv "$dir/six" "$b"; }    # what the numbers are of may be left out
without
check "nothing moved against itself" exits 0 check "$dir/r.db" "$b"
sed -i 's/^\(demo,DRF,jain,all,\)[^,]*/\10.3/' "$b"
check "a number outside its tolerance is a regression" exits 1 check "$dir/r.db" "$b"
check "named with its policy" says "DRF"
check "with the runs that its number is of" grep -q 'DRF .* 7 14  *run 7: 0\.' "$dir/out"
check "and counted" says "1 of 14 numbers moved"
check "as JSON too" exits 1 check "$dir/r.db" "$b" --json
check "with the old value" says "0.3"
sed -i 's/^\(demo,DRF,jain,all,0.3,\).*/\10.5/' "$b"
check "an absolute tolerance is in the metric's unit" exits 0 check "$dir/r.db" "$b"
sed -i 's/^\(demo,LAS,jct_mean,all,\).*/\11,ci/' "$b"
check "a value outside the interval over seeds is a regression" exits 1 check "$dir/r.db" "$b"
check "update shows it and takes it over" exits 0 check "$dir/r.db" "$b" --update
check "keeping the tolerance" grep -q '^demo,LAS,jct_mean,all,[0-9.]*,ci,[0-9a-f]*,[0-9a-f]*,"las:' "$b"
check "after which nothing moved" exits 0 check "$dir/r.db" "$b"
sed -i 's/^demo,SJF,/demo,SJX,/' "$b"
check "a policy that is gone is a regression" exits 1 check "$dir/r.db" "$b"
check "and is called gone" says "gone"
without
sed -i '3s/[^,]*$/a lot/' "$b"
check "a tolerance that is none is bad input" exits 2 check "$dir/r.db" "$b"
check "at its place" says "b.csv:3:"

# ---- what continuous integration reads ----
rm "$b"
"$fairway" check "$dir/r.db" "$b" --create -m jct_mean,jain --tolerance 2% >/dev/null
sed -i 's/^\(demo,DRF,jain,all,\)[^,]*/\10.3/' "$b"
check "annotations are at the row of the baseline" sh -c '"$1" check "$2" "$3" --github >"$4/gh"; [ $? -eq 1 ] &&
    [ "$(wc -l <"$4/gh")" -eq 1 ] &&
    grep -q "^::error file=.*b.csv,line=$(grep -n ^demo,DRF,jain "$3" | cut -d: -f1),title=fairway check::demo, DRF: jain (all) was 0.3 and is 0\." "$4/gh"' \
    - "$fairway" "$dir/r.db" "$b" "$dir"
all_numbers() {
    "$fairway" check "$dir/r.db" "$b" --json >"$dir/json"
    sqlite3 :memory: "SELECT count(*), sum(state = 'moved'), sum(typeof(base) = 'real' AND typeof(now) = 'real'), max(n)
        FROM (SELECT j.value ->> 'state' AS state, j.value ->> 'baseline' AS base, j.value ->> 'now' AS now,
                     json_array_length(j.value, '\$.runs') AS n FROM json_each(readfile('$dir/json')) AS j)" >"$dir/n" 2>&1
    same "$(cat "$dir/n")" '14|1|14|2'
}
check "JSON has every guarded number, as numbers" all_numbers
junit() {
    expect 1 "$fairway" check "$dir/r.db" "$b" --junit "$dir/j.xml"
    grep -q 'tests="14" failures="1"' "$dir/j.xml" && [ "$(grep -c '<testcase ' "$dir/j.xml")" -eq 14 ] &&
        [ "$(grep -c '<failure type="moved"' "$dir/j.xml")" -eq 1 ] &&
        { ! command -v python3 >/dev/null || python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "$dir/j.xml"; }
}
check "JUnit's XML has a case for each" junit
check "a table for a comment" sh -c '"$1" check "$2" "$3" --markdown | grep -q "^| *demo *| *DRF "' - "$fairway" "$dir/r.db" "$b"
rm "$b"
"$fairway" check "$dir/r.db" "$b" --create -m jct_mean --tolerance 90% >/dev/null
"$fairway" run "$here/scenarios/demo/demo.yaml" -s 1 -q -d "$dir/n.db" --set 'policies=[{name: drf, label: dominant}]' --set trace.max_jobs=4000
grep -e ^scenario -e ^demo,DRF "$b" >"$dir/c.csv"
sed -n 's/^demo,DRF,jct_mean,all,[^,]*,/demo,DRF,jct_mean,class=multi,1,/p' "$b" >>"$dir/c.csv"
check "a label that was renamed is told" exits 1 check "$dir/n.db" "$dir/c.csv"
check "with its new name" says "the policy is now called dominant"
check "and that the scenario changed" says "the scenario changed"
check "update takes over label and scenario" exits 0 check "$dir/n.db" "$dir/c.csv" --update
check "after which all is well" exits 0 check "$dir/n.db" "$dir/c.csv"
multi=$(sqlite3 "$dir/n.db" "SELECT printf('%.6g', value) FROM metric WHERE name = 'jct_mean' AND scope = 'class=multi'")
check "of every scope the number of that" [ "$(sed -n 's/^demo,dominant,jct_mean,class=multi,\([^,]*\),.*/\1/p' "$dir/c.csv" |
    awk '{ printf "%.6g", $1 }')" = "$multi" ]
check "and nothing is told" [ ! -s "$dir/err" ]
sed -i 's/^\(demo,dominant,jct_mean,all,[^,]*,90%,[^,]*,\)[^,]*/\10123/' "$dir/c.csv"
check "a trace that changed is told, though the number stands" exits 0 check "$dir/n.db" "$dir/c.csv"
check "as a note" says "note: demo: the trace changed since the baseline was made"

# ---- the workflows of results/CI.md ----
awk -v dir="$dir" '/^```yaml$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > (dir "/workflow" n ".yml") }' "$here/results/CI.md"
parses() {
    for f in "$dir/workflow1.yml" "$dir/workflow2.yml"; do
        "$1" -c "import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); assert isinstance(d, dict) and d" "$f" || return 1
    done
}
yaml=$(for p in python3 /usr/bin/python3; do "$p" -c 'import yaml' 2>/dev/null && { echo "$p"; break; }; done)
if [ -n "$yaml" ]; then check "example workflows parse" parses "$yaml"; else echo "skipped - example workflows parse: no Python has yaml"; fi
needed() {  # each package of ours that `fairway` depends on is installed with it
    for p in fairway $(sed -n '/^Package: fairway$/,/^$/s/^Depends: //p' "$here/debian/control" | tr ',' '\n' |
        sed -n 's/^ *\(\(lib\)\{0,1\}fairway[^ ]*\).*/\1/p'); do
        [ "$(grep -c "apt-get install .*\./${p}_\*\.deb" "$dir/workflow1.yml" "$dir/workflow2.yml" | grep -c ':1$')" -eq 2 ] ||
            { echo "$p is not installed"; return 1; }
    done
}
check "they install all packages that they need" needed
sed -n 's/^ *\(- \|run: \)\(fairway .*\)$/\2/p' "$dir/workflow1.yml" "$dir/workflow2.yml" >"$dir/commands"
commands_work() {
    mkdir "$dir/ci" && cd "$dir/ci" && sed "s|path: .*/traces|path: $here/traces|" "$here/scenarios/demo/demo.yaml" >fairness.yaml || return 1
    [ "$(wc -l <"$dir/commands")" -eq 5 ] || { cat "$dir/commands"; return 1; }
    PATH=$(dirname "$fairway"):$PATH GITHUB_STEP_SUMMARY=$dir/ci/summary
    export PATH GITHUB_STEP_SUMMARY
    fairway run fairness.yaml -q -d first.db -s 1 && fairway check first.db baseline.csv --create >/dev/null || return 1
    sed 's/-q$/-q -s 1/' "$dir/commands" | while read -r line; do sh -ec "$line" || exit 1; done &&
        [ -s fairness.xml ] && [ -e summary ]
}
check "and their commands work" commands_work
printf 'scenario,policy,metric,scope,value\n' >"$b"
check "a missing column is bad input" exits 2 check "$dir/r.db" "$b"
check "a missing baseline is bad input" exits 2 check "$dir/r.db" "$dir/none.csv"
check "which --create makes" grep -q -e '--create makes one' "$dir/err"

# ---- a trace that changed, run into the same database ----
small() {   # ROWS
    { echo id,submit_s,duration_s,gpus; seq 1 "$1" | awk '{ print "j" $1 ",0," 60 * $1 ",8" }'; } >"$dir/small.csv"
    printf '%s\n' 'name: small' 'cluster: {groups: [{name: n, count: 1, cpus: 64, mem: 64GiB, gpus: 8}]}' \
        'trace: {format: native, path: small.csv}' 'policies: [fifo]' >"$dir/small.yaml"
    "$fairway" run "$dir/small.yaml" -q -d "$dir/small.db"
}
small 3
"$fairway" check "$dir/small.db" "$dir/small-b.csv" --create -m jct_mean >/dev/null
small 4
check "runs before it are still judged" exits 0 check "$dir/small.db" "$dir/small-b.csv"
check "and those after it named as not guarded" grep -q '^note: small (variant 2): not guarded; ' "$dir/err"
rm "$dir/small.db"
small 4
check "in a database of its own the number moved" exits 1 check "$dir/small.db" "$dir/small-b.csv"
check "and nothing else is said" [ ! -s "$dir/err" ]
exit $bad
