# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'nodes' names 1 places; job 0 has 2 tasks
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start_gang","job":0,"nodes":[0]}]}'; cat >/dev/null
