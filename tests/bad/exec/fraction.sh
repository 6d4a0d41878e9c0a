# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'at' is a number with a fraction; expected a whole number
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"wake","at":1.5}]}'; cat >/dev/null
