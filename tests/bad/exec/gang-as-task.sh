# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 1 of 1: start of job 'train': its job is a gang: all tasks start together
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start","job":0,"task":0,"node":0}]}'; cat >/dev/null
