# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'gpu_mem' is 17179869185; node 0 has at most 17179869184
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"gpu_mem":[17179869185,0]}]}'; cat >/dev/null
