# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 2 of 2: lend of job 'train': nothing is reserved for the lender
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start_gang","job":0,"nodes":[0,1]},{"do":"lend","job":0,"task":0,"lender":0}]}'; cat >/dev/null
