# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: 'overhead' asks for call 0; the task has 0, the first being 0
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","job":0,"task":0,"overhead":[[0,0,1]]}'; cat >/dev/null
