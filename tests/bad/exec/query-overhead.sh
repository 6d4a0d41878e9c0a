# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: 'overhead' holds something that is not [call, from, to] in whole numbers
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","job":0,"task":0,"overhead":[[0,1]]}'; cat >/dev/null
