#!/bin/sh
# memcheck.sh PROGRAM -- valgrind's memcheck over a run of each scenario of table.sh under each policy, which keep their
# digests, and over the commands that make, join and read databases.  Reads of what was never written or was given
# back, and memory that is lost, are errors.
set -u
program=$1
command -v valgrind >/dev/null || { echo 'skipped - memcheck: no valgrind'; exit 77; }
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/log"
cat >"$dir/checked" <<END
#!/bin/sh
exec valgrind -q --leak-check=full --show-leak-kinds=definite --log-file="$dir/log/\$1-%p" "$program" "\$@"
END
chmod +x "$dir/checked"
bad=0
said() {
    if [ "$1" -eq 0 ]; then echo "ok - memcheck: $2"; return; fi
    echo "not ok - memcheck: $2"
    bad=1
    return 1
}

sh tests/determinism/table.sh "$dir/checked" >"$dir/table"
if [ -n "${POLICIES:-}" ]; then
    for p in $POLICIES; do grep " $p " tests/determinism/digests.txt; done
else
    cat tests/determinism/digests.txt
fi | grep -v '^#' | sort >"$dir/digests"
sort "$dir/table" | diff "$dir/digests" - >"$dir/diff"
said $? "$(wc -l <"$dir/table") runs keep their digests"
cat "$dir/diff"

cp tests/fuzz/rows.yaml tests/fuzz/rows.csv tests/fuzz/faults.csv "$dir"
{ cat "$dir/rows.yaml"; echo 'sweep: {set: {cluster.groups.0.count: [3, 4]}}'; } >"$dir/many.yaml"
{ cat "$dir/rows.yaml"; echo 'search: {set: {cluster.groups.0.count: [2, 3]}, budget: {runs: 20},'
  echo '    objective: {minimise: jct_mean, policy: fifo}}'; } >"$dir/find.yaml"
# does COMMAND...
does() {
    "$dir/checked" "$@" >"$dir/out" 2>"$dir/err"
    said $? "$1" || cat "$dir/err"
}
does sweep -q -j 2 "$dir/many.yaml" -d "$dir/many.db"
does run -q "$dir/rows.yaml" -d "$dir/two.db"
does merge "$dir/all.db" "$dir/many.db" "$dir/two.db"
does report "$dir/all.db" --no-charts -o "$dir/out.html"
does search -q -j 2 "$dir/find.yaml" -d "$dir/find.db"
does compare "$dir/all.db"
does explain "$dir/all.db" 1 c
does timeline "$dir/all.db" 1 -o "$dir/out.json"
does check "$dir/all.db" "$dir/base.csv" --create
does check "$dir/all.db" "$dir/base.csv"

find "$dir/log" -type f -size +0 >"$dir/errors"
[ ! -s "$dir/errors" ]
said $? "$(find "$dir/log" -type f | wc -l) processes without an error"
while read -r log; do echo "# ${log##*/}"; head -n 40 "$log"; done <"$dir/errors"
exit $bad
