# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: the field 'nodes' is missing; expected a list of node numbers, one a task
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start_gang","job":0}]}'; cat >/dev/null
