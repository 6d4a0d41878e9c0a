#!/bin/sh
# The tutorial, scenarios/TUTORIAL.md, command by command, in an empty folder:
# each block of ```sh is run, and a block of ```text after it is what it prints,
# where a line of `...` stands for any lines.
. "$(dirname "$0")/lib.sh"
mkdir "$dir/work" "$dir/block" "$dir/bin"
ln -s "$fairway" "$dir/bin/fairway"
PATH=$dir/bin:$PATH
export PATH

awk -v dir="$dir/block" '
    /^```sh$/               { file = sprintf("%s/%02d.sh", dir, ++n); printf "" >file; next }
    /^```text$/             { file = sprintf("%s/%02d.out", dir, n); printf "" >file; next }
    /^```/                  { if (file == "") { print "a block of another kind: " $0 >"/dev/stderr"; exit 1 } close(file); file = ""; next }
    file != ""              { print >file }
' "$here/scenarios/TUTORIAL.md" || bad=1

# Does the text hold what is expected?  Between two `...` everything is literal.
matches() {
    awk -v want="$1" '
        BEGIN { while ((getline line <want) > 0) w[++nw] = line }
        { g[++ng] = $0 }
        END {
            for (i = j = 1; i <= nw; i++) {
                if (w[i] == "...") { any = 1; continue }
                while (any && j <= ng && g[j] != w[i]) j++
                if (j > ng || g[j] != w[i]) { print "expected: " w[i] (j <= ng && !any ? "\nfound:    " g[j] : ""); exit 1 }
                any = 0; j++
            }
            if (!any && j <= ng) { print "not expected: " g[j]; exit 1 }
        }' "$2"
}

n=0
for block in "$dir"/block/*.sh; do
    n=$((n + 1))
    what=$(grep -o 'fairway [a-z]*' "$block" | head -n 1)
    name="block $n (${what:-$(head -n 1 "$block" | cut -c 1-30)})"
    if case $(cat "$block") in *"fairway plot"*) ! command -v gnuplot >/dev/null ;; *) false ;; esac; then
        echo "skipped - $name: gnuplot is not installed"
        continue
    fi
    if ! (cd "$dir/work" && sh -eu "$block") >"$dir/said" 2>"$dir/err"; then
        echo "not ok - $name is run"
        bad=1
        sed 's/^/    /' "$block" "$dir/said" "$dir/err"
        continue
    fi
    echo "ok - $name is run"
    out=${block%.sh}.out
    [ -f "$out" ] || continue
    if matches "$out" "$dir/said" >"$dir/differs"; then echo "ok - and prints what is shown"
    else
        echo "not ok - $name prints what is shown"
        bad=1
        sed 's/^/    /' "$dir/differs" "$dir/said"
    fi
done
if [ $n -ge 8 ]; then echo "ok - the tutorial was found"; else echo "not ok - the tutorial has $n blocks of commands"; bad=1; fi
exit $bad
