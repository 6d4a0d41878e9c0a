# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: the field 'reason' is missing; expected a string
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"hold","job":0,"task":0}]}'; cat >/dev/null
