# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'gpu_cores' is told of node 0, of whose cards it is not known
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"gpu_cores":[0,0]}]}'; cat >/dev/null
