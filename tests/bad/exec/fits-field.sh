# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: found the field 'node'; did you mean 'nodes'?
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","fits":[[0]],"node":[0]}'; cat >/dev/null
