# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its process closed its pipe and exited with status 3
. "$(dirname "$0")/greet.inc"
exit 3
