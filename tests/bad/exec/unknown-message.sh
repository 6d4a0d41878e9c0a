# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: found the message 'decision'; did you mean 'decisions'?
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decision"}'; cat >/dev/null
