# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'mem' is 68719476737; node 1 has at most 68719476736
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":1,"mem":68719476737}]}'; cat >/dev/null
