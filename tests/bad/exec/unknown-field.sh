# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output, decision 1 of 1: found the field 'because', expected one of do, job, task, node, cards, cpu, reason, mem
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","decisions":[{"do":"start","job":0,"task":0,"node":0,"because":"x"}]}'; cat >/dev/null
