#!/bin/sh
# REQUIREMENTS.md beside what cites it and what it names.
. "$(dirname "$0")/../cli/lib.sh"
cd "$here" || exit 2
list=tests/REQUIREMENTS.md

# Numbers as text, S1-6, and in the names of tests, s1_6.
grep -rIohE '\bS[0-9]-[0-9]+|(\b|_)[Ss][0-4]_[0-9]+' sim policies tests scenarios traces plots results/README.md |
    tr s_ S- | sed 's/^-//' | sort -u >"$dir/cited"
sed -n 's/^\*\*\(S[0-9]-[0-9]*\|Decision [0-9]*\)\*\* .*/\1/p' $list | sort >"$dir/listed"
# Each test named, a line "FILE NAME".
awk -F '`' '/^- `/ { file = $2 } /^(- |  )`/ { for (i = /^-/ ? 4 : 2; i < NF; i += 2) print file, $i }' $list >"$dir/named"
missing() {
    while read -r file name; do
        case $file in
        *.c) grep -q "^Test(${name%%/*}, ${name#*/}[,)]" "tests/$file" ;;
        *)   grep -qF -e "\"$name\"" -e "ok $name\"" "tests/$file" ;;
        esac || echo "$file: $name"
    done <"$dir/named"
}

check "requirements are cited, and tests named" sh -c 'test -s "$1/cited" && test -s "$1/named"' - "$dir"
check "every requirement cited is listed" same "$(comm -23 "$dir/cited" "$dir/listed")" ""
check "no number is listed twice" same "$(uniq -d "$dir/listed")" ""
check "each has a test, or says why not" same "$(awk -v RS= '/^\*\*S/ && !/\n- (`[^`]*`:[ \n]+`|no test: .)/ { print $1 }' $list)" ""
check "every test named is where it is said to be" same "$(missing 2>&1)" ""
exit $bad
