#!/bin/sh
# fairway trace: what it writes is what it says, byte for byte.
set -u
: "${FAIRWAY:?the program}"
case $FAIRWAY in /*) ;; *) FAIRWAY=$(cd "$(dirname "$FAIRWAY")" && pwd)/$(basename "$FAIRWAY") ;; esac
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0
is() {      # NAME COMMAND...
    name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $name"; else echo "not ok $name"; cat "$tmp/log"; failed=1; fi
}
status() {  # WANTED COMMAND...
    want=$1; shift
    "$@"
    got=$?
    [ "$got" = "$want" ] || { echo "exit $got, expected $want"; return 1; }
}
has() { "$@" >"$tmp/has"; grep -q "$pattern" "$tmp/has" || { cat "$tmp/has"; return 1; }; }

recipe=$(sed -n 's/^fairway trace generate \(.*\) -o traces\/sample\/jobs.csv$/\1/p' traces/README.md)
# shellcheck disable=SC2086   # the recipe's words are the arguments
"$FAIRWAY" trace generate $recipe -o "$tmp/sample.csv"
is 'the shipped sample is what its recipe makes' cmp "$tmp/sample.csv" traces/sample/jobs.csv

"$FAIRWAY" trace generate -s 3 jobs=300 >"$tmp/a.csv"
"$FAIRWAY" trace generate --seed=3 --output="$tmp/b.csv" jobs=300
"$FAIRWAY" trace generate -s 4 jobs=300 -o "$tmp/c.csv"
is 'the same seed gives the same bytes, printed or written' cmp "$tmp/a.csv" "$tmp/b.csv"
is 'another seed gives other bytes' status 1 cmp -s "$tmp/a.csv" "$tmp/c.csv"

"$FAIRWAY" trace convert "$tmp/a.csv" -o "$tmp/d.csv"
"$FAIRWAY" trace convert "$tmp/d.csv" -o "$tmp/e.csv"
is 'converting the native format twice changes nothing' cmp "$tmp/d.csv" "$tmp/e.csv"

"$FAIRWAY" trace stats --csv "$tmp/a.csv" >"$tmp/a.txt"
cat >"$tmp/s.yaml" <<YAML
name: s
cluster:
  groups:
    - {name: n, count: 4, cpus: 64, mem: 256GiB, gpus: 8, gpu_type: V100}
trace:
  format: generate
  generate: {jobs: 300}
policies: [{name: fifo}]
seeds: [3]
YAML
"$FAIRWAY" trace stats --csv --scenario "$tmp/s.yaml" >"$tmp/s.txt"
grep -v 'offered\|gaps' "$tmp/s.txt" >"$tmp/s2.txt"
is 'a scenario generates the jobs that trace generate writes' cmp "$tmp/a.txt" "$tmp/s2.txt"

"$FAIRWAY" trace convert nowhere.csv -o "$tmp/none.csv" 2>/dev/null
is 'a failed conversion leaves no file' test ! -e "$tmp/none.csv" -a ! -e "$tmp/none.csv.part"
is 'a missing file is bad input' status 2 "$FAIRWAY" trace stats nowhere.csv
is 'a folder that is not there is a failure of the world' status 3 "$FAIRWAY" trace generate -o "$tmp/no/x.csv"
is 'an option of another verb is refused' status 2 "$FAIRWAY" trace stats -o x "$tmp/a.csv"
is 'an unknown verb is refused' status 2 "$FAIRWAY" trace stat "$tmp/a.csv"
pattern='"figure": *"jobs"'
is 'stats --json names its figures' has "$FAIRWAY" trace stats --json "$tmp/a.csv"
pattern='^jobs,300,'
is 'stats --csv has one figure a row' has "$FAIRWAY" trace stats --csv "$tmp/a.csv"
pattern='tail_alpha'
is 'generate --list names every parameter' has "$FAIRWAY" trace generate --list
exit $failed
