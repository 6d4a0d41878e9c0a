# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'engines' is a list; expected an object such as {"NAME":2}
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"engines":["npu"]}]}'; cat >/dev/null
