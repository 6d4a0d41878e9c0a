# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: the field 'decisions' is missing; expected a list
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions"}'; cat >/dev/null
