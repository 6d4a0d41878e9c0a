# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 2 of 2: 'states' names node 1 twice
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":1,"cpu":0},{"node":1}]}'; cat >/dev/null
