# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: there is no shape 1; 1 have been told
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0],[1,2]]}'; cat >/dev/null
