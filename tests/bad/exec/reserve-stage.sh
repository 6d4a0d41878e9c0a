# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 1 of 1: reserve of job 'train': the job has no such stage
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"reserve","job":0,"stage":1,"reserved":{},"need":{}}]}'; cat >/dev/null
