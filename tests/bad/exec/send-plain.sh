# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 1 of 1: send of job 'train': the task is not made of calls: it waits in no node
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"send","job":0,"task":0,"node":0}]}'; cat >/dev/null
