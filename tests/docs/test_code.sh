#!/bin/sh
# The code as CONTRIBUTING.md has it: what each file says of itself, and what public names begin with.
. "$(dirname "$0")/../cli/lib.sh"
cd "$here" || exit 1
build=$(dirname "$fairway")

unopened() { # every .c begins with what it is
    for f in $(find sim policies -name '*.c'); do head -n 1 "$f" | grep -q '^/\*' || echo "$f"; done >"$dir/unopened"
    [ ! -s "$dir/unopened" ] || { cat "$dir/unopened"; return 1; }
}

# A public name begins with its file's name, the first word of that, one of its folders, the plural of any of
# these, or an abbreviation of sim/GLOSSARY.md; a policy's table with pol_.
unprefixed() {
    find "$build/obj/sim" "$build/obj/policies" -name '*.o' | while read -r o; do
        source=${o#"$build/obj/"}
        [ ! -f "${source%.o}.c" ] || nm -g --defined-only "$o" | sed "s|^.* |${source%.o} |"
    done >"$dir/public"
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

check "every .c opens with what it is" unopened
check "public names begin with their file's or folder's name" unprefixed
exit $bad
