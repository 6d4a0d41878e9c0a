# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 1 of 1: preempt of job 'train': the task is not running
flags='["preempts"]'
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"preempt","job":0,"task":0}]}'; cat >/dev/null
