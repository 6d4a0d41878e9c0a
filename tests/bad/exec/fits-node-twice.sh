# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: 'nodes' names node 1 twice
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"nodes":[1,0,1]}'; cat >/dev/null
