# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: there is no node 2; the cluster has 2
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","job":0,"task":0,"overhead":[[0,0,2]]}'; cat >/dev/null
