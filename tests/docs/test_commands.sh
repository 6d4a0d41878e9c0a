#!/bin/sh
# The commands of the pages in scenarios/ and of policies/WRITING.md, page by page, as from the project's root: each block of ```sh is run,
# with one seed where the page asks for more, and searches with few sets.  (The tutorial and scenarios/literature have
# tests of their own, tests/cli/test_tutorial.sh and test_literature.sh.)
. "$(dirname "$0")/../cli/lib.sh"
unset MAKEFLAGS MFLAGS
# The commands run elsewhere, so a folder relative to this one would not do.
[ -d "${FAIRWAY_TRACES:-}" ] && FAIRWAY_TRACES=$(cd "$FAIRWAY_TRACES" && pwd) && export FAIRWAY_TRACES
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
[ -d "$lit" ] && FAIRWAY_LITERATURE=$(cd "$lit" && pwd) && export FAIRWAY_LITERATURE
mkdir "$dir/bin"
cat >"$dir/bin/fairway" <<END
#!/bin/sh
case \$1 in
run)   exec "$fairway" "\$@" -s 1 ;;
sweep) exec "$fairway" "\$@" --set sweep.seeds=1 ;;
search) exec "$fairway" "\$@" --set search.seeds=1 --set search.samples=2 --set search.starts=0 --set 'search.fresh_seeds=[99]' ;;
*)     exec "$fairway" "\$@" ;;
esac
END
chmod +x "$dir/bin/fairway"
scipy=$(python_with_scipy) && ln -s "$(command -v "$scipy")" "$dir/bin/python3"
PATH=$dir/bin:$PATH
export PATH

# The public trace that the last block lacked, if it is that which failed it: itself, or one before it on the page,
# whose database it reads.
lacks() {
    [ -z "$file" ] || ! grep -q 'cannot open the database: No such file' "$dir/err" || return 0
    file=$(sed -n "s/.*cannot find the file '\([^']*\)'.*/\1/p" "$dir/err" | head -n 1)
    case $file in '' | /* | ../*) return 1 ;; esac
    [ ! -e "${FAIRWAY_TRACES:-/nowhere}/$file" ]
}

pages=0 blocks=0
for page in "$here"/policies/WRITING.md "$here"/scenarios/REFERENCE.md "$here"/scenarios/*/README.md; do
    name=${page#"$here"/}
    [ "$name" != scenarios/literature/README.md ] || continue
    pages=$((pages + 1))
    rm -rf "$dir/root"
    mkdir "$dir/root"
    ln -s "$here/scenarios" "$here/traces" "$dir/root"
    blocks "$page" "$dir/block"
    file=
    for block in "$dir"/block/*.sh; do
        if [ ! -e "$block" ]; then echo "not ok - $name has commands"; bad=1; break; fi
        n=$(basename "$block" .sh)
        blocks=$((blocks + 1))
        if grep -q '^kubectl ' "$block"; then echo "skipped - $name, block $n: needs a Kubernetes cluster"; continue; fi
        if grep -q FAIRWAY_LITERATURE "$block" && [ ! -d "${FAIRWAY_LITERATURE:-}" ]; then echo "skipped - $name, block $n: no data of the authors"; continue; fi
        if grep -q -e ' --ran ' "$block" && [ -z "$scipy" ]; then
            echo "skipped - $name, block $n: no SciPy"
            continue
        fi
        if grep -q 'fairway plot' "$block" && ! command -v gnuplot >/dev/null; then echo "skipped - $name, block $n: no gnuplot"; continue; fi
        if (cd "$dir/root" && sh -eu "$block") >"$dir/out" 2>"$dir/err"; then echo "ok - $name, block $n"
        elif lacks; then echo "skipped - $name, block $n: no $file"
        else
            echo "not ok - $name, block $n"
            bad=1
            sed 's/^/# /' "$block" "$dir/out" "$dir/err"
        fi
    done
done
[ $pages -ge 10 ] && [ $blocks -ge 10 ] && echo "ok - the pages were found" || { echo "not ok - $pages pages with $blocks blocks were found"; bad=1; }
exit $bad
