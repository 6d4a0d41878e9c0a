# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'head' is a whole number; expected true or false
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"hold","job":0,"task":0,"head":1,"reason":"w"}]}'; cat >/dev/null
