# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: job 0 has 2 tasks, the first being 0; there is no task 2
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"preempt","job":0,"task":2}]}'; cat >/dev/null
