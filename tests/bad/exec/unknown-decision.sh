# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 2 of 2: found the decision 'strat'; did you mean 'start'?
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"wake","at":7},{"do":"strat","job":0}]}'; cat >/dev/null
