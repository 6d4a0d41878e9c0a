# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 1 of 1: start of job 'train': there is no such node
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start_gang","job":0,"nodes":[0,7]}]}'; cat >/dev/null
