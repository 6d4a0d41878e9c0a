# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: no job 7 has arrived; the latest is 0
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"lend","job":0,"task":0,"lender":7}]}'; cat >/dev/null
