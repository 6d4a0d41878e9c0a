# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'job' is a string; expected a whole number
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start","job":"train","task":0,"node":0}]}'; cat >/dev/null
