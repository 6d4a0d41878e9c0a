# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'tasks' is 4294967296; expected a number from 0 to 2147483647
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"tasks":4294967296}]}'; cat >/dev/null
