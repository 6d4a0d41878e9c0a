# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: there is no node 2; the cluster has 2
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":2}]}'; cat >/dev/null
