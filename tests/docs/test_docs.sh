#!/bin/sh
# The documents, every tracked *.md:
#   - each relative link leads to a file or folder that is there, and its anchor to a heading;
#   - no line has more than 120 characters, but
#       what a program prints, in a block of ```text,
#       messages of policies/PROTOCOL.md, a JSON document a line: those that begin with `> {` or `< {`,
#       a line that is one word, as a link may be, and rows of tables up to 130;
#   - each path in backticks or in a block that begins with a folder of the project is there.
#     In such a path * stands for any name, and so do NAME and a $variable; {a,b} for both.
#   - the table of rules in policies/README.md is right for every built-in policy.
. "$(dirname "$0")/../cli/lib.sh"
cd "$here" || exit 2
git ls-files '*.md' >"$dir/docs" 2>/dev/null || find . -name '*.md' ! -path './build/*' >"$dir/docs"
[ "$(wc -l <"$dir/docs")" -ge 10 ] && echo "ok - there are documents" || { echo "not ok - there are documents"; exit 1; }

# What they have: lines "long FILE:LINE LENGTH", "link FILE:LINE TARGET", "path FILE:LINE WORD", "head FILE#ANCHOR".
# Anchors are GitHub's: lower case, no punctuation, - for a blank; a repeated one ends in -1, -2, ...
facts() {
    LC_ALL=C xargs awk '
        function paths(text,   n, i, word) {
            if (text ~ "^" folder "[^ ]*$") { sub(/\.+$/, "", text); print "path", at, text; return }
            n = split(text, word, /[] \t"(){},;:=<>|'\''[]+/)
            for (i = 1; i <= n; i++) if (word[i] ~ "^" folder) { sub(/\.+$/, "", word[i]); print "path", at, word[i] }
        }
        BEGIN { folder = "(sim|policies|tests|scenarios|traces|plots|results|debian)/" }
        FNR == 1 { fence = "" }
        { at = FILENAME ":" FNR; line = $0; chars = $0; gsub(/[\200-\277]/, "", chars) }
        length(chars) > 120 && fence !~ /^```text/ && !(fence != "" && /^[<>] \{/) && !/^ *([-*] )?[^ ]*$/ && !(/^\|/ && length(chars) <= 130) { print "long", at, length(chars) }
        /^ *```/ { fence = fence == "" ? $0 : ""; sub(/^ */, "", fence); next }
        fence != "" { paths(line); next }
        /^#+ / {
            head = tolower($0); sub(/^#+ +/, "", head)
            gsub(/\]\([^)]*\)/, "", head); gsub(/[^-a-z0-9_ \200-\377]/, "", head); gsub(/ /, "-", head)
            print "head", FILENAME "#" head (seen[FILENAME, head]++ ? "-" (seen[FILENAME, head] - 1) : "")
        }
        {
            while (match(line, /`[^`]*`/)) {
                span = substr(line, RSTART + 1, RLENGTH - 2)
                line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
                paths(span)
            }
            while (match(line, /\]\([^) ]*\)/)) {
                print "link", at, substr(line, RSTART + 2, RLENGTH - 3)
                line = substr(line, RSTART + RLENGTH)
            }
        }' <"$dir/docs"
}
facts >"$dir/facts" || exit 2
for kind in link path head; do
    [ "$(grep -c "^$kind " "$dir/facts")" -ge 50 ] && echo "ok - ${kind}s were found" || { echo "not ok - ${kind}s were found"; bad=1; }
done

lines_fit() { ! grep '^long ' "$dir/facts"; }
links_lead_somewhere() {
    grep '^link ' "$dir/facts" | {
        lost=0
        while read -r _ at target; do
            case $target in http://* | https://* | mailto:*) continue ;; esac
            file=${at%:*} path=${target%%#*}
            case $file in */*) folder=${file%/*} ;; *) folder=. ;; esac
            if [ -n "$path" ]; then to=$folder/$path; else to=$file; fi
            if [ ! -e "$to" ]; then echo "$at: no $target"; lost=1; continue; fi
            case $target in *'#'*) ;; *) continue ;; esac
            # The document by its own name: no ./ and no folder/.. in it.
            name=$(echo "$to" | sed -e ':a' -e 's|[^/.][^/]*/\.\./||; ta' -e 's|^\(\./\)*||')
            grep -qxF "head $name#${target#*#}" "$dir/facts" || { echo "$at: no heading $target"; lost=1; }
        done
        [ $lost -eq 0 ]
    }
}
# is_there PATH: with every {a,b} of it replaced by each, something is there
is_there() (
    case $1 in
    *'{'*,*'}'*)
        after=${1#*\{}
        for one in $(echo "${after%%\}*}" | tr , ' '); do is_there "${1%%\{*}$one${after#*\}}" || exit 1; done ;;
    *)  ls -d -- $(echo "$1" | sed -e 's/\$[a-z]*/*/g' -e 's/NAME/*/g') >/dev/null 2>&1 ;;
    esac
)
paths_are_there() {
    grep '^path ' "$dir/facts" | {
        lost=0
        while read -r _ at path; do
            is_there "$path" || { echo "$at: no $path"; lost=1; }
        done
        [ $lost -eq 0 ]
    }
}
# The table of policies/README.md names, for every policy that is built in, the file in which its table is.
rules_are_there() {
    "$fairway" policies --csv | sed '1d; s/,.*//' >"$dir/policies"
    [ "$(wc -l <"$dir/policies")" -ge 20 ] || { echo "no list of policies"; return 1; }
    lost=0
    while read -r policy; do
        file=$(sed -n "s/^|.*\`$policy\`.*| \`\(policies[^\`]*\)\` |.*/\1/p" policies/README.md)
        [ -f "$file" ] && grep -qF "\"$policy\"" "$file" || { echo "$policy: found '$file'"; lost=1; }
    done <"$dir/policies"
    [ $lost -eq 0 ]
}
check "no line has more than 120 characters" lines_fit
check "every link leads to a file and a heading that are there" links_lead_somewhere
check "every path that is named is there" paths_are_there
check "the rule of every policy is where policies/README.md says" rules_are_there
exit $bad
