# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'fits' holds something that is not [shape] or [shape, how many] in whole numbers, at least one task
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0,1],[0,4294967296]]}'; cat >/dev/null
