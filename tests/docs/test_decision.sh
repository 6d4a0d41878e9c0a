#!/bin/sh
# What is generated from policies/decision.h is what the files hold, and the module says every verb.
. "$(dirname "$0")/../cli/lib.sh"
cd "$here" || exit 1

sh policies/decision.sh python >"$dir/verbs.py"
sh policies/decision.sh protocol >"$dir/PROTOCOL.md"
check "python/fairway/verbs.py is decision.h's (policies/decision.sh write)" cmp "$dir/verbs.py" python/fairway/verbs.py
check "PROTOCOL.md is decision.h's (policies/decision.sh write)" cmp "$dir/PROTOCOL.md" policies/PROTOCOL.md
n=$(grep -c '^    VERB(' policies/decision.h)
check "every verb has a function in Python and a place in PROTOCOL.md" same \
    "$n $(grep -c '^def [a-z]' python/fairway/verbs.py) $(sed -n '/decision.sh: verbs/,/<!-- end/p' policies/PROTOCOL.md | grep -c '^- \*\*')" "13 $n $n"
n=$(grep -c '^    X(' policies/decision.h)
check "every refusal has a place in PROTOCOL.md" same \
    "$(sed -n '/decision.sh: refusals/,/<!-- end/p' policies/PROTOCOL.md | grep -c '^- \*\*')" "$n"
for verb in $(sed -n 's/^    VERB([A-Z_]*, "\([a-z_]*\)".*/\1/p' policies/decision.h); do
    check "policy.py says '$verb' by the table's function" grep -q "verbs\.$verb(" python/fairway/policy.py
done
exit $bad
