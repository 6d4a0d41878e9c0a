# exit 4
# stderr: policy 'bad' broke its contract at t=0 us (0 s), decision 2 of 2: wake: it asks to be woken at a time that is not in the future
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"wake","at":9},{"do":"wake","at":0}]}'; cat >/dev/null
