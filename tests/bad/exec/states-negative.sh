# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'mem' is -1; expected a number from 0 to 9223372036854775807
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"mem":-1}]}'; cat >/dev/null
