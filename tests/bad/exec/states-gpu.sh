# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'gpu' is 1001; node 0 has at most 1000
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"gpu":[0,1001]}]}'; cat >/dev/null
