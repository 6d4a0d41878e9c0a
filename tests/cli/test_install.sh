#!/bin/sh
# What `make install` leaves is whole: a scenario of it runs, and every document
# that the program names is there.  Beside it, what else make does for people.
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS FAIRWAY_TRACES
usr=$dir/root/usr documents=$dir/root/usr/share/doc/fairway
run_make() { (cd "$here" && make -s B="$(dirname "$fairway")" "$@"); }

check "make install" run_make install DESTDIR="$dir/root" PREFIX=/usr
check "the program, its manual and completions are where they are looked for" sh -c '
    cd "$1" && [ -x bin/fairway ] && [ -s share/man/man1/fairway.1 ] && [ -s share/man/man5/fairway-scenario.5 ] &&
    [ -s share/man/man7/fairway-policy.7 ] && [ -s include/fairway/policy.h ] &&
    [ -s include/fairway/lib/sched/list.h ] && [ -s lib/libfairway-policy.a ] &&
    [ -s share/bash-completion/completions/fairway ] && [ -s share/zsh/site-functions/_fairway ]' - "$usr"

check "the library, its header and what pkg-config tells of it, too" sh -c '
    cd "$1" && [ -s lib/libfairway.so.0 ] && [ "$(readlink lib/libfairway.so)" = libfairway.so.0 ] && [ -s include/fairway.h ] &&
    grep -q "^libdir=/usr/lib$" lib/pkgconfig/fairway.pc && grep -q "^Version: [0-9]" lib/pkgconfig/fairway.pc' - "$usr"

# ---- documents ----
there() { # reads names; each is of a document that is installed
    sort -u >"$dir/names"
    [ "$(wc -l <"$dir/names")" -ge "$1" ] || { echo "only these are named:"; cat "$dir/names"; return 1; }
    while read -r name; do [ -s "$documents/$name" ] || { echo "$name is not installed"; return 1; }; done <"$dir/names"
}
named_by_program() { grep -ao '[A-Za-z/]*/[A-Za-z]*\.md' "$usr/bin/fairway" | there 7; }
named_by_manual() { sed 's/\\-/-/g' "$usr/share/man/man1/fairway.1" | grep -o 'share/doc/fairway/[A-Za-z/]*\.md' | sed 's|share/doc/fairway/||' | there 2; }
place_told() {
    { "$fairway" help; "$fairway" help --list commands | while read -r c; do "$fairway" help "$c"; done; } >"$dir/help"
    [ "$(grep -c '\.md' "$dir/help")" -ge 8 ] || { echo "help names fewer documents than it did"; return 1; }
    ! grep '\.md' "$dir/help" | grep -v 'share/doc/fairway' || return 1
    ! grep -rn --include='*.c' '"[^"]*\.md' "$here/sim" | grep -v 'DIAG_DOC(' || return 1
}
links_hold() {
    (cd "$documents" && find . -name '*.md') | while read -r from; do
        grep -o '](\([A-Za-z./-]*\.\(md\|svg\)\)' "$documents/$from" | sed 's/](//' | while read -r to; do
            [ -s "$documents/$(dirname "$from")/$to" ] || { echo "$from: $to"; exit 1; }
        done || exit 1
    done
}
check "every document that the program names is installed" named_by_program
check "and every one that the manual names" named_by_manual
check "help and messages say where" place_told
check "links from one installed document to another hold" links_hold

# ---- scenarios ----
traces_there() {
    (cd "$here" && find scenarios -name "*.yaml" -o -name "*.sql" -o -name "*.csv") | while read -r f; do
        [ -s "$usr/share/fairway/$f" ] || { echo "$f is not installed"; exit 1; }
        grep -v '^ *#' "$here/$f" | grep -o '\.\./[A-Za-z0-9_./-]*' | while read -r trace; do
            [ ! -e "$here/$(dirname "$f")/$trace" ] || [ -e "$usr/share/fairway/$(dirname "$f")/$trace" ] || { echo "$f: $trace"; exit 1; }
        done || exit 1
    done
}
check "every scenario is installed, with the traces that come with it" traces_there
demo=$(find "$usr/share/fairway/scenarios" -name demo.yaml)
mkdir "$dir/work" && cd "$dir/work" || exit 2
check "an installed scenario runs, in any folder" "$usr/bin/fairway" run "$demo" -p fifo -p las -s 1 -d demo.db
check "its results compare" sh -c '"$1" compare demo.db | grep -q "^las "' - "$usr/bin/fairway"
check "and make a report" "$usr/bin/fairway" report demo.db -o demo.html
check "which says where its formulas are" grep -q '"document": *"results/README.md (installed in share/doc/fairway)"' demo.html

# ---- the rest of make ----
helped() {
    run_make help >"$dir/help"
    sed -n 's/^\.PHONY: //p' "$here/Makefile" "$here/tests/tests.mk" | tr ' ' '\n' | while read -r target; do
        grep -q "^make $target  *[a-z]" "$dir/help" || { echo "make $target"; exit 1; }
    done
}
version=$("$fairway" --version | sed 's/.* //')
versions_agree() {
    grep -q "^## \[$version\]" "$here/CHANGELOG.md" || { echo "CHANGELOG.md has no $version"; return 1; }
    head -n 1 "$here/debian/changelog" | grep -q "^fairway ($version)" || { head -n 1 "$here/debian/changelog"; return 1; }
}
same_archive() {
    run_make dist DIST="$dir/a.tar.xz" && sleep 1 && run_make dist DIST="$dir/b.tar.xz" && cmp "$dir/a.tar.xz" "$dir/b.tar.xz" &&
        tar -tf "$dir/a.tar.xz" | grep -qx "fairway-$version/Makefile"
}
check "make help tells of every target" helped
check "the change logs know the program's version" versions_agree
if git -C "$here" rev-parse HEAD >/dev/null 2>&1; then
    check "make dist gives the same bytes twice" same_archive
else
    echo "skipped - make dist: this is no git repository"
fi
exit $bad
