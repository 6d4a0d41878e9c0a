#!/bin/sh
# fuzz.sh PROGRAM FOLDER SECONDS [TARGET...] -- run the fuzz targets in FOLDER, each for so long, from its corpus.
#
# Prints what each did: executions, reached edges of the program's control flow, inputs kept.  What it found is left in
# build/fuzz/found/, to be mended, and then kept in tests/fuzz/corpus/TARGET/.  FUZZ_KEEP=N merges what it learnt into
# the corpus there: the N smallest of the inputs that together reach everything.  SECONDS 0: the corpus alone.
# Exit status 1 when anything was found.
set -u
program=$1 folder=$2 seconds=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- $(cd "$folder" && ls)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
found=$folder/../found
mkdir -p "$found"

# What any program may have made of it: neither types nor constraints.
cp "$here"/rows.yaml "$here"/rows.csv "$here"/faults.csv "$dir"
"$program" run -q "$dir/rows.yaml" -d "$dir/rows.db" || exit 2
command -v sqlite3 >/dev/null && sqlite3 "$dir/rows.db" "pragma writable_schema = on; update sqlite_schema set sql =
    replace(replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'), ') STRICT', ')'), 'NOT NULL', '')"
FUZZ_DB=$dir/rows.db
export FUZZ_DB

# Beginnings that the tree has anyway: scenarios good and bad, traces as each format, maps, what policies say.
root=$here/../..
seed() { # TARGET FOLDER
    case $1 in
    scenario) find "$root/tests/bad/scn" "$root/scenarios" -name '*.yaml' -size -4k -exec cp {} "$2" \; ;;
    model) find "$root/tests/bad/model" -name '*.yaml' -exec cp {} "$2" \; ;;
    trace)
        i=0
        find "$root/tests/bad/trace" "$root/traces/sample" "$root/traces/kube" -type f -size -3k \
            ! -name '*.expect' ! -name '*.md' | while read -r f; do
                i=$((i + 1))
                for format in a b c d e f g h i j k l m n; do { printf '%sf' $format; cat "$f"; } >"$2/$i$format"; done
            done
        head -c 1900 "$root/tests/cli/sacct-22.05.txt" >"$2/sacct"
        for format in a b c d e f g h i j k l m n; do { printf '%sf' $format; cat "$2/sacct"; } >"$2/sacct$format"; done ;;
    table)
        i=0
        for map in "$root"/traces/maps/*.yaml; do
            i=$((i + 1))
            for kind in A B C D E; do
                { printf %s $kind; grep -v '^#\|^separator' "$map"
                  printf -- '---\na,b,c\n1,2024-01-01 10:00:00,00:10:00\n'; } >"$2/$i$kind"
                { printf %s $kind; printf 'columns: {submit: a, duration: "b / 2 - (c > 1 ? 1 : 0)", gpus: b, mem: {value: c, unit: GiB}}\n'
                  printf -- '---\na,b,c\n1,2,3\n2,4,x\n{"a": 1, "b": [2], "c": 3e1}\n'; } >"$2/e$kind"
            done
        done ;;
    wire) { grep -ho '{"msg".*}' "$root"/tests/bad/exec/*.sh; sed -n 's/^< //p' "$root/policies/PROTOCOL.md"; } |
            awk -v to="$2" '{ print >(to "/" NR); close(to "/" NR) }' ;;
    esac
}

bad=0
printf '%-10s %12s %8s %8s %8s\n' target executions edges corpus found
for target in "$@"; do
    case $target in *.*) continue ;; esac
    mkdir -p "$dir/$target" "$dir/$target.seeds" "$here/corpus/$target"
    seed "$target" "$dir/$target.seeds"
    case $target in scenario|model|trace|table|wire) longest=2048 ;; files) longest=4096 ;; *) longest=256 ;; esac
    if [ "$seconds" -gt 0 ]; then limit=-max_total_time=$seconds; else limit=-runs=0; fi
    "$folder/$target" -close_fd_mask=3 -print_final_stats=1 -seed=1 -timeout=20 -rss_limit_mb=2048 \
        -max_len=$longest "$limit" \
        -artifact_prefix="$found/$target-" "$dir/$target" "$here/corpus/$target" "$dir/$target.seeds" >"$dir/log" 2>&1
    rc=$?
    n=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$dir/log" | tail -n 1)
    kept=$(ls "$here/corpus/$target" | wc -l)
    printf '%-10s %12s %8s %8s %8s\n' "$target" "${n:--}" "${edges:--}" "$kept" $((rc != 0))
    if [ $rc -ne 0 ]; then
        bad=1
        grep -vE '^(INFO|#[0-9]|stat::)' "$dir/log" | head -n 60
    elif [ -n "${FUZZ_KEEP:-}" ]; then
        mkdir "$dir/$target.least"
        least=$dir/$target.least
        "$folder/$target" -close_fd_mask=3 -merge=1 "$least" "$here/corpus/$target" "$dir/$target" >/dev/null 2>&1
        ls -Sr "$least" | head -n "$FUZZ_KEEP" | while read -r f; do cp "$least/$f" "$here/corpus/$target/"; done
    fi
done
exit $bad
