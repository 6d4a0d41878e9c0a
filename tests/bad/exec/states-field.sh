# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: found the field 'queued', expected one of node, up, tasks, cpu, mem, gpu, gpu_mem, gpu_cores, engines
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"queued":1}]}'; cat >/dev/null
