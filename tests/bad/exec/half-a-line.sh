# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: it is not JSON: column 18:
. "$(dirname "$0")/greet.inc"
printf '{"msg":"decisions"'; exit 0
