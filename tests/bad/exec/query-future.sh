# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: no job 4 has arrived; the latest is 0
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","job":4,"task":0}'; cat >/dev/null
