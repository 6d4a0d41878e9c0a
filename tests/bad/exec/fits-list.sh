# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'fits' is a whole number; expected a list of [shape] or [shape, how many]
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":0}'; cat >/dev/null
