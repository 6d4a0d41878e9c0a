#!/bin/sh
# The regression gate: what it says, its exit status, what --update writes; and
# the project's own fairness numbers, guarded by it.
. "$(dirname "$0")/lib.sh"
exits() { want=$1; shift; expect "$want" "$fairway" "$@"; }     # STATUS ARGUMENTS...
b=$dir/b.csv

"$fairway" run "$here/scenarios/demo/demo.yaml" -s 1 -s 2 -q -d "$dir/r.db"
check "the project's own fairness numbers have not moved" exits 0 check "$dir/r.db" "$here/tests/baseline/demo.csv"

check "a baseline is made of what the database holds" exits 0 check "$dir/r.db" "$b" --create -m jct_mean,jain --tolerance 2%
check "seven policies, two metrics" [ "$(wc -l <"$b")" -eq 15 ]
check "nothing moved against itself" exits 0 check "$dir/r.db" "$b"
sed -i 's/^\(demo,DRF,jain,all,\)[^,]*/\10.3/' "$b"
check "a number outside its tolerance is a regression" exits 1 check "$dir/r.db" "$b"
check "named with its policy" says "DRF"
check "with the runs that its number is of" grep -q 'DRF .* 7 14  *run 7: 0\.' "$dir/out"
check "and counted" says "1 of 14 numbers moved"
check "as JSON too" exits 1 check "$dir/r.db" "$b" --json
check "with the old value" says "0.3"
sed -i 's/^\(demo,DRF,jain,all,0.3,\).*/\10.5/' "$b"
check "an absolute tolerance is in the metric's unit" exits 0 check "$dir/r.db" "$b"
sed -i 's/^\(demo,LAS,jct_mean,all,\).*/\11,ci/' "$b"
check "a value outside the interval over seeds is a regression" exits 1 check "$dir/r.db" "$b"
check "update shows it and takes it over" exits 0 check "$dir/r.db" "$b" --update
check "keeping the tolerance" grep -q '^demo,LAS,jct_mean,all,[0-9.]*,ci$' "$b"
check "after which nothing moved" exits 0 check "$dir/r.db" "$b"
sed -i 's/^demo,SJF,/demo,SJX,/' "$b"
check "a policy that is gone is a regression" exits 1 check "$dir/r.db" "$b"
check "and is called gone" says "gone"
sed -i '3s/[^,]*$/a lot/' "$b"
check "a tolerance that is none is bad input" exits 2 check "$dir/r.db" "$b"
check "at its place" says "b.csv:3:"
printf 'scenario,policy,metric,scope,value\n' >"$b"
check "a missing column is bad input" exits 2 check "$dir/r.db" "$b"
check "a missing baseline is bad input" exits 2 check "$dir/r.db" "$dir/none.csv"
exit $bad
