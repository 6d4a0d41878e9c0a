# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'nodes' is a whole number; expected a list of node numbers
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"nodes":1}'; cat >/dev/null
