# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'engine' is a whole number; expected a string
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"call","job":0,"task":0,"node":0,"engine":0}]}'; cat >/dev/null
