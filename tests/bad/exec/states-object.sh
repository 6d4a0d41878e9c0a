# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its query: state 2 of 2: it is a whole number; expected an object such as {"node":0,"tasks":1,"cpu":8000}
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"states":[{"node":0},1]}'; cat >/dev/null
