#!/bin/sh
# The tutorials, scenarios/TUTORIAL.md, CALIBRATE.md and HOWMANY.md, command by command, each in an empty folder:
# each block of ```sh is run, and a block of ```text after it is what it prints,
# where a line of `...` stands for any lines.
. "$(dirname "$0")/lib.sh"
mkdir "$dir/bin"
ln -s "$fairway" "$dir/bin/fairway"
PATH=$dir/bin:$PATH
export PATH

export FAIRWAY_TRACES="${FAIRWAY_TRACES:-$here/../shared/traces}"

# What a block cannot do without, where that is not here.
lacks() {
    case $(cat "$1") in
    *helios-venus/* | *size.yaml* | *race.yaml*) [ -d "$FAIRWAY_TRACES/helios-venus" ] || echo "no $FAIRWAY_TRACES/helios-venus" ;;
    *"fairway plot"*) command -v gnuplot >/dev/null || echo "gnuplot is not installed" ;;
    *swf/*) [ -d "$FAIRWAY_TRACES/swf" ] || echo "no $FAIRWAY_TRACES/swf" ;;
    esac
}

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

# tutorial FILE BLOCKS: it has at least so many
tutorial() {
    own=$dir/${1%.md} n=0
    mkdir "$own" "$own/work" "$own/block"
    awk -v dir="$own/block" '
        /^```sh$/               { file = sprintf("%s/%02d.sh", dir, ++n); printf "" >file; next }
        /^```text$/             { file = sprintf("%s/%02d.out", dir, n); printf "" >file; next }
        /^```/                  { if (file == "") { print "a block of another kind: " $0 >"/dev/stderr"; exit 1 } close(file); file = ""; next }
        file != ""              { print >file }
    ' "$here/scenarios/$1" || bad=1
    for block in "$own"/block/*.sh; do
        n=$((n + 1))
        what=$(grep -o 'fairway [a-z]*' "$block" | head -n 1)
        name="$1, block $n (${what:-$(head -n 1 "$block" | cut -c 1-30)})"
        lack=$(lacks "$block")
        if [ -n "$lack" ]; then echo "skipped - $name: $lack"; continue; fi
        if ! (cd "$own/work" && sh -eu "$block") >"$dir/said" 2>"$dir/err"; then
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
    if [ $n -ge "$2" ]; then echo "ok - $1 was found"; else echo "not ok - $1 has $n blocks of commands"; bad=1; fi
}
tutorial TUTORIAL.md 8
tutorial CALIBRATE.md 7
tutorial HOWMANY.md 4
exit $bad
