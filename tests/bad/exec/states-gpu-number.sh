# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 1 of 1: 'gpu' holds something that is not what is free of a card, a whole number from 0 on
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0,"gpu":[0,-5]}]}'; cat >/dev/null
