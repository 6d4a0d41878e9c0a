# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 2 of 2: the field 'need' is missing; expected an object such as
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"wake","at":9},{"do":"reserve","job":0,"stage":0,"reserved":{"cpu":1}}]}'; cat >/dev/null
