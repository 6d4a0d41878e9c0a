#!/bin/sh
# coverage.sh BUILD_DIR -- after tests ran in a build made with --coverage: the
# share of lines they reached, a row a folder, and a page a file in BUILD_DIR/html.
set -eu
cd "$(dirname "$0")/.."
build=$1
[ -n "$(find "$build" -name '*.gcda' | head -n 1)" ] || { echo "nothing ran in $build" >&2; exit 1; }
mkdir -p "$build/html"
gcovr --root . --filter sim/ --filter policies/ --print-summary \
    --csv "$build/coverage.csv" --html-details "$build/html/index.html" "$build/obj" >"$build/coverage.txt"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        folder = $1; sub("/[^/]*$", "", folder)
        total[folder] += $at["line_total"]; hit[folder] += $at["line_covered"]
        all += $at["line_total"]; reached += $at["line_covered"]
    }
    END {
        for (f in total) printf "%-24s %6d of %6d lines %6.1f %%\n", f, hit[f], total[f], 100 * hit[f] / total[f] | "sort"
        close("sort")
        printf "%-24s %6d of %6d lines %6.1f %%\n", "all", reached, all, 100 * reached / all
    }' "$build/coverage.csv"
echo "pages: $build/html/index.html"
