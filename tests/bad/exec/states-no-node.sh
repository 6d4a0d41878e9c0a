# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: the field 'node' is missing; expected a whole number
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"cpu":0}]}'; cat >/dev/null
