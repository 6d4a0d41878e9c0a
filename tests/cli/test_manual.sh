#!/bin/sh
# The manual and the completions beside the program: neither may fall behind it.
. "$(dirname "$0")/lib.sh"
nothing() { "$@" >"$dir/all" 2>&1 && [ ! -s "$dir/all" ] || { cat "$dir/all"; return 1; }; }
list() { "$fairway" help --list "$@"; }

# ---- one table of options a command: help, the manual and shells say what the command line takes ----
try() { "$fairway" "$@" </dev/null >/dev/null 2>"$dir/err"; }      # says: its error on the command line, or nothing
options_taken() {
    list commands | while read -r c; do
        verb=$c; [ "$c" != trace ] || verb="trace stats"
        list options "$c" >"$dir/options"
        [ -s "$dir/options" ] || { echo "$c has no options"; exit 1; }
        while read -r option; do
            name=${option%=}
            "$fairway" help "$c" | grep -qE -- "^  (-., |    )?$name[ ,]" || { echo "help $c does not tell of $name"; exit 1; }
            case $option in
            *=) (cd "$dir" && try $verb "$name"); grep -q "option '$name' needs a value\|takes no" "$dir/err" ;;
            *)  (cd "$dir" && try $verb "$name" 1 2 3 4); ! grep -q "unknown option\|needs a value" "$dir/err" ;;
            esac || { echo "$c $option: $(cat "$dir/err")"; exit 1; }
        done <"$dir/options" || exit 1
    done
}
check "every option that a table lists is told of by help, and taken with its value or without" options_taken
check "options are parsed in one place, by the tables" [ "$(grep -rl 'getopt' "$here/sim/cmd")" = "$here/sim/cmd/line/option.c" ]
told_by_table() { # no command and no option stands in FILE but `fairway help --complete`
    sed 's/help --complete --//; /^ *#/d' "$1" >"$dir/words"
    { list commands; list commands | while read -r c; do list options "$c" | sed -n 's/^\(--.*[^=]\)=*$/\1/p'; done; } | sort -u >"$dir/names"
    [ "$(wc -l <"$dir/names")" -ge 60 ] && ! grep -nwF -f "$dir/names" "$dir/words"
}
for f in _fairway fairway.bash; do check "completion of $f comes from the tables alone" told_by_table "$here/debian/$f"; done
check "help lists every command" sh -c '"$1" help --list commands | while read -r c; do "$1" help | grep -q "^  $c " || exit 1; done' - "$fairway"
check "each command's help begins with its usage" sh -c \
    '"$1" help --list commands | while read -r c; do "$1" help $c | head -n 1 | grep -q "^usage: fairway $c" || { echo "$c"; exit 1; }; done' - "$fairway"
check "help plot tells of every figure what it is drawn from, and plots/ has its drawing" sh -c \
    '"$1" help --list figures | while read -r f; do "$1" help plot | sed -n "/^  $f  /,/ From /p" | tail -n 1 | grep -q "^ \{14\}" && [ -f "$2/plots/$f.gp" ] || { echo "$f"; exit 1; }; done' - "$fairway" "$here"
formats_told() { # but those that have no file
    "$fairway" trace stats -f nonesuch x 2>&1 | sed -n "s/.*expected //p" | tr -s ', ' '\n' | grep -vx 'or\|generate\|workload\|etc' >"$dir/formats"
    [ "$(wc -l <"$dir/formats")" -ge 8 ] || { cat "$dir/formats"; return 1; }
    while read -r f; do "$fairway" help trace | grep -q "[ ,]$f\([ ,]\|\$\)" || { echo "$f"; return 1; }; done <"$dir/formats"
}
check "help trace tells of every format" formats_told
options_documented() {
    list formats | while read -r f; do
        "$fairway" trace options --csv "$f" | sed '1d; s/,.*//; s/.*\.//' | while read -r key; do
            grep -q "\`$key\`\|[{, ]$key:" "$here/scenarios/REFERENCE.md" "$here/traces/README.md" || { echo "format $f: $key"; exit 1; }
        done || exit 1
    done
}
check "every option of a trace format is in scenarios/REFERENCE.md or traces/README.md" options_documented
version_told() {
    version=$(sed -n 's/.*SCHEMA_VERSION = \([0-9]*\).*/\1/p' "$here/sim/db/schema.h")
    grep -q "\`user_version\` the schema's version, $version\." "$here/results/README.md" || { echo "it is $version"; return 1; }
}
check "results/README.md states the schema's version" version_told
check "an unknown list is refused" sh -c '"$1" help --list nothing; [ $? -eq 2 ]' - "$fairway"

# ---- the manual ----
sh "$here/debian/man.sh" "$fairway" >"$dir/fairway.1" || { echo "not ok - the manual is made"; exit 1; }
plain() { sed 's/\\-/-/g; s/\\e/\\/g; s/^\\&//' "$dir/fairway.1"; }
in_manual() {
    list commands | while read -r c; do
        plain | grep -qx ".SS $c" || { echo "no section on $c"; exit 1; }
        "$fairway" help "$c" | while IFS= read -r line; do
            [ -z "$line" ] || plain | grep -qxF -- "$line" || { echo "not in the manual: $line"; exit 1; }
        done || exit 1
    done
}
check "every command and every line of its help is in the manual" in_manual
if command -v man >/dev/null; then
    check "man formats it without a warning" nothing sh -c 'LC_ALL=C.UTF-8 MANWIDTH=80 MAN_KEEP_FORMATTING= man --warnings -E UTF-8 -l -Tutf8 -Z "$1" >/dev/null' - "$dir/fairway.1"
else
    echo "skipped - the manual through man: it is not installed"
fi
if command -v mandoc >/dev/null; then
    check "mandoc finds nothing to warn of" nothing mandoc -Tlint -W warning "$dir/fairway.1"
else
    echo "skipped - the manual through mandoc: it is not installed"
fi

# ---- bash ----
mkdir "$dir/work"
mkdir "$dir/work/r.parts"
touch "$dir/work/r.db" "$dir/work/r.parts/k-0.part" "$dir/work/s.yaml" "$dir/work/b.csv" "$dir/work/jobs.txt"
bin=$(dirname "$fairway")
completes() { # EXPECTED WORDS... ; the last one is being completed, "" for nothing yet
    want=$1; shift
    got=$(cd "$dir/work" && PATH="$bin:$PATH" bash -c '
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _fairway
        printf "%s\n" "${COMPREPLY[@]}"' - "$here/debian/fairway.bash" "$@" 2>&1 | LC_ALL=C sort | tr '\n' ' ')
    [ "$got" = "$want " ] || { echo "got '$got', expected '$want '"; return 1; }
}
if command -v bash >/dev/null && [ "$(basename "$fairway")" = fairway ]; then
    check "bash completes commands" completes "compare" fairway com
    check "and those of help" completes "plot policies profile" fairway help p
    check "options" completes "--markdown --metric" fairway compare r.db --m
    check "policies" completes "gs gsd gsp" fairway run s.yaml -p gs
    check "what one policy is asked about" completes "easy" fairway policies ea
    check "figures" completes "cdf" fairway plot r.db c
    check "figures after options with values" completes "cdf" fairway plot --base fifo r.db c
    check "styles" completes "bars boxes" fairway plot r.db --with b
    check "formats of tables" completes "latex" fairway compare r.db --format l
    check "formats of traces" completes "philly" fairway trace stats -f ph
    check "kinds of trace commands" completes "convert" fairway trace c
    check "scenarios, and folders on the way to them" completes "r.parts s.yaml" fairway run ""
    check "databases" completes "r.db r.parts" fairway compare ""
    check "scenarios to sweep" completes "r.parts s.yaml" fairway sweep ""
    check "what is merged, every one" completes "r.db r.parts" fairway merge r.db r
    check "parts too" completes "r.parts/k-0.part" fairway merge r.db r.parts/
    check "folders of parts" completes "r.parts" fairway sweep s.yaml --parts ""
    for c in explain report timeline; do check "databases to $c" completes "r.db r.parts" fairway $c ""; done
    check "baselines" completes "b.csv r.parts" fairway check r.db ""
    check "nothing where a value of its own is due" completes "" fairway compare r.db --metric ""
    check "bash reads it without a complaint" nothing bash -n "$here/debian/fairway.bash"
else
    echo "skipped - completion in bash: it is not installed"
fi
if command -v zsh >/dev/null; then
    check "zsh reads its completion without a complaint" nothing zsh -n "$here/debian/_fairway"
    # The words that compadd is given, for a command line as the completion system hands it over.
    zsh_says() {
        want=$1; shift
        got=$(PATH="$bin:$PATH" zsh -f -c '
            file=$1; shift
            compadd() { shift; print -l -- "$@" }
            _files() { print -- files "$@" }
            words=("$@") CURRENT=$# PREFIX=${@[-1]}
            source $file' - "$here/debian/_fairway" "$@" 2>&1 | tr '\n' ' ')
        case " $got" in *" $want "*) ;; *) echo "got '$got', expected '$want' in it"; return 1 ;; esac
    }
    check "zsh completes commands" zsh_says compare fairway ""
    check "options" zsh_says --metric fairway compare r.db --
    check "policies" zsh_says gsp fairway run s.yaml -p ""
    check "figures" zsh_says gantt fairway plot r.db ""
    check "databases" zsh_says "files -g *.db" fairway compare ""
    check "what is merged" zsh_says "files -g *.db *.part" fairway merge all.db one.db ""
    check "folders of parts" zsh_says "files -/" fairway sweep s.yaml --parts ""
else
    echo "skipped - completion in zsh: it is not installed"
fi
exit $bad
