# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: 'cards' names card 1 twice
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start","job":0,"task":0,"node":0,"cards":[1,1]}]}'; cat >/dev/null
