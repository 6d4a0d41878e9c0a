# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'cpu' is -1; expected a number from 0 to
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"reserve","job":0,"stage":0,"reserved":{"cpu":-1},"need":{}}]}'; cat >/dev/null
