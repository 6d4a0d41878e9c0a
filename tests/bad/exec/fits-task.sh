# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: found the field 'job', expected one of msg, fits, nodes, states, empty
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"job":0,"task":0}'; cat >/dev/null
