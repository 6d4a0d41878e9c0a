# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: it is not JSON: column 35: invalid token near
# stderr: there it reads: ns","decisions":[nan]}
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[nan]}'; cat >/dev/null
