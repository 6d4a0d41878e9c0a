# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'node' is -1; expected a number from 0 to 4294967294
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start","job":0,"task":0,"node":-1}]}'; cat >/dev/null
