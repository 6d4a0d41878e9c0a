# lib.sh -- what most scripts here share.  A script begins with
#     . "$(dirname "$0")/lib.sh"
# and ends with `exit $bad`.
#   $fairway  the program       $here  the root of the sources
#   $dir      an empty folder, which goes when the script ends
set -u
fairway=${FAIRWAY:?the program}
case $fairway in /*) ;; *) fairway=$(cd "$(dirname "$fairway")" && pwd)/$(basename "$fairway") ;; esac
here=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0

# check CLAIM COMMAND...: one case; what the command says is shown when it fails
check() {
    name=$1; shift
    if "$@" >"$dir/said" 2>&1; then echo "ok - $name"; else echo "not ok - $name"; sed 's/^/# /' "$dir/said"; bad=1; fi
}
# Sanitizers make the program slower, and what it may take longer.
if grep -q __asan_init "$fairway" 2>/dev/null; then
    timeout() { seconds=$1; shift; command timeout $((seconds * 10)) "$@"; }
fi
# expect STATUS COMMAND...: it exits so, within $limit seconds if that is set; what it says is left in $dir/out and $dir/err
limit=
expect() {
    want=$1; shift
    ${limit:+timeout "$limit"} "$@" >"$dir/out" 2>"$dir/err"; got=$?
    [ $got -eq "$want" ] || { echo "exit $got, expected $want"; cat "$dir/out" "$dir/err"; return 1; }
}
# fails STATUS WORDS COMMAND...: it exits so, and says so on standard error
fails() {
    want=$1 words=$2; shift 2
    expect "$want" "$@" || return 1
    grep -qF -- "$words" "$dir/err" || { echo "expected '$words'"; cat "$dir/err"; return 1; }
}
# says WORDS: the last command that was expected to do something did say so
says() { grep -qF -- "$1" "$dir/out" "$dir/err" || { echo "no '$1'"; cat "$dir/out" "$dir/err"; return 1; }; }
# await PID SHELL-CONDITION: until it holds, or that process has ended
await() { until eval "$2"; do kill -0 "$1" 2>/dev/null || return 1; sleep 0.02; done; }
# python_with_scipy: names one; false: there is none
python_with_scipy() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import scipy' 2>/dev/null; then echo "$python"; return; fi
    done
    return 1
}
# blocks PAGE FOLDER: its blocks of ```sh, each as FOLDER/NN.sh
blocks() {
    rm -rf "$2"
    mkdir "$2"
    awk -v dir="$2" '
        /^```/     { if (file != "") { close(file); file = "" } else if ($0 == "```sh") { file = sprintf("%s/%02d.sh", dir, ++n); printf "" >file }; next }
        file != "" { print >file }' "$1"
}
# same FOUND EXPECTED
same() { [ "$1" = "$2" ] || { echo "found:"; echo "$1"; echo "expected:"; echo "$2"; return 1; }; }
