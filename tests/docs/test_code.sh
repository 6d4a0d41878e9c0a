#!/bin/sh
# The code as CONTRIBUTING.md has it: what each file says of itself, and what public names begin with.
. "$(dirname "$0")/../cli/lib.sh"
cd "$here" || exit 1
build=$(dirname "$fairway")

unopened() { # every .c begins with what it is
    find sim policies -name '*.c' -exec awk 'FNR == 1 && !/^\/\*/ { print FILENAME }' {} + >"$dir/unopened"
    [ ! -s "$dir/unopened" ] || { cat "$dir/unopened"; return 1; }
}

# A public name begins with its file's name, the first word of that, one of its folders, the plural of any of
# these, or an abbreviation of sim/GLOSSARY.md; a policy's table with pol_.
unprefixed() {
    find "$build/obj/sim" "$build/obj/policies" -name '*.o' -exec nm -A -g --defined-only {} + | grep -v __odr_asan |
        sed "s|^$build/obj/\([^:]*\)\.o:.* |\1 |" |
        awk '$1 != last { last = $1; is_there = (getline line <(last ".c")) > 0; close(last ".c") } is_there' >"$dir/public"
    [ "$(wc -l <"$dir/public")" -gt 500 ] || { echo "only $(wc -l <"$dir/public") names were found"; return 1; }
    awk '
    function begins(name, with) { return name == with || index(name, with "_") == 1 || index(name, with "s_") == 1 }
    {
        n = split($1, part, "/")
        split(part[n], word, "_")
        ok = begins($2, part[n]) || begins($2, word[1])
        for (i = 2; i < n; i++) ok = ok || begins($2, part[i])
        for (i = 2; i <= n; i++) {
            s = part[i]
            short = s == "scenario" ? "scn" : s == "generator" ? "gen" : s == "multiqueue" ? "mq" : s == "workflow" ? "wf" : ""
            ok = ok || (short != "" && begins($2, short))
        }
        if (part[1] == "policies") ok = ok || begins($2, "pol")
        if (!ok) print $1 ": " $2
    }' "$dir/public" >"$dir/unprefixed"
    [ ! -s "$dir/unprefixed" ] || { cat "$dir/unprefixed"; return 1; }
}

# Rooms whose lines all end by column 120; a room that is brought there is added.
narrow='policies/builtin.[ch] policies/gavel policies/themis policies/synergy policies/pollux policies/tiresias
    policies/lib/lp policies/lib/sched'
too_long() {
    # shellcheck disable=SC2086
    find $narrow -name '*.[ch]' -exec awk 'length($0) > 120 { print FILENAME ":" FNR ": " length($0) " bytes" }' {} + >"$dir/long"
    [ ! -s "$dir/long" ] || { cat "$dir/long"; return 1; }
}

check "every .c opens with what it is" unopened
check "lines end by column 120 where a room was brought there" too_long
check "public names begin with their file's or folder's name" unprefixed
exit $bad
