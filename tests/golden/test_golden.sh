#!/bin/sh
# Every scenario here against its event log, NAME.yaml and NAME.log.  The logs were
# worked out by hand, as each scenario's comment shows, before they were run; a
# change of one is a change of behaviour and wants the same care.
cd "$(dirname "$0")" || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
rc=0
for s in *.yaml; do
    name=${s%.yaml}
    if "$FAIRWAY" run "$s" -q --audit -d "$tmp/$name.db" --log "$tmp/$name.log" >"$tmp/out" 2>&1 &&
       diff -u "$name.log" "$tmp/$name.log" >"$tmp/diff"; then
        echo "ok - $name"
    else
        echo "not ok - $name"
        cat "$tmp/out" "$tmp/diff" 2>/dev/null
        rc=1
    fi
done
exit $rc
