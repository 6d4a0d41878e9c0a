# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'empty' is a whole number; expected true or false
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"empty":1}'; cat >/dev/null
