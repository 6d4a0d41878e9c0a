# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: the field 'lender' is missing; expected a whole number
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"lend","job":0,"task":0}]}'; cat >/dev/null
