# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: it is a whole number; expected an object such as
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[5]}'; cat >/dev/null
