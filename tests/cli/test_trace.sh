#!/bin/sh
# fairway trace: what it writes is what it says, byte for byte.
. "$(dirname "$0")/lib.sh"
cd "$here" || exit 2
has() { "$@" >"$dir/has"; grep -q "$pattern" "$dir/has" || { cat "$dir/has"; return 1; }; }

# Its two lines are one command.
recipe=$(sed -n '/^fairway trace generate .* \\$/ { N; s/\\\n//; s/^fairway trace generate \(.*\) -o traces\/sample\/jobs.csv$/\1/p; }' traces/README.md)
# shellcheck disable=SC2086   # the recipe's words are the arguments
"$fairway" trace generate $recipe -o "$dir/sample.csv"
check 'the shipped sample is what its recipe makes' cmp "$dir/sample.csv" traces/sample/jobs.csv

"$fairway" trace generate -s 3 jobs=300 >"$dir/a.csv"
"$fairway" trace generate --seed=3 --output="$dir/b.csv" jobs=300
"$fairway" trace generate -s 4 jobs=300 -o "$dir/c.csv"
check 'the same seed gives the same bytes, printed or written' cmp "$dir/a.csv" "$dir/b.csv"
check 'another seed gives other bytes' expect 1 cmp -s "$dir/a.csv" "$dir/c.csv"

"$fairway" trace convert "$dir/a.csv" -o "$dir/d.csv"
"$fairway" trace convert "$dir/d.csv" -o "$dir/e.csv"
check 'converting the native format twice changes nothing' cmp "$dir/d.csv" "$dir/e.csv"

"$fairway" trace stats --csv "$dir/a.csv" >"$dir/a.txt"
cat >"$dir/s.yaml" <<YAML
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
"$fairway" trace stats --csv --scenario "$dir/s.yaml" >"$dir/s.txt"
grep -v 'offered\|gaps' "$dir/s.txt" >"$dir/s2.txt"
check 'a scenario generates the jobs that trace generate writes' cmp "$dir/a.txt" "$dir/s2.txt"

"$fairway" trace convert nowhere.csv -o "$dir/none.csv" 2>/dev/null
check 'a failed conversion leaves no file' test ! -e "$dir/none.csv" -a ! -e "$dir/none.csv.part"
check 'a missing file is bad input' expect 2 "$fairway" trace stats nowhere.csv
check 'a folder that is not there is a failure of the world' expect 3 "$fairway" trace generate -o "$dir/no/x.csv"
check 'an option of another verb is refused' expect 2 "$fairway" trace stats -o x "$dir/a.csv"
check 'an unknown verb is refused' expect 2 "$fairway" trace stat "$dir/a.csv"
pattern='"figure": *"jobs"'
check 'stats --json names its figures' has "$fairway" trace stats --json "$dir/a.csv"
pattern='^jobs,300,'
check 'stats --csv has one figure a row' has "$fairway" trace stats --csv "$dir/a.csv"
check 'an option of another format is refused' expect 2 "$fairway" trace stats --pending skip "$dir/a.csv"
check 'options of a format wait for it, wherever it stands' expect 2 "$fairway" trace stats --pending skop --format openb "$dir/a.csv"
pattern="'skop' is not known, expected 'replay' or 'skip'"
check 'and are checked by its table' has sh -c '"$1" trace stats --pending skop --format openb x 2>&1 || true' - "$fairway"
pattern='^pending *replay '
check 'options tells what only one format takes' has "$fairway" trace options openb
pattern='^etc.size_min,1kB,'
check 'those in a map too' has "$fairway" trace options --csv etc
check 'a format that is none has no options' expect 2 "$fairway" trace options nonesuch
pattern='tail_alpha'
check 'generate --list names every parameter' has "$fairway" trace generate --list
exit $bad
