# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'states' is an object; expected a list of nodes' states
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":{"node":0}}'; cat >/dev/null
