# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its process closed its pipe and did not end and was killed
. "$(dirname "$0")/greet.inc"
exec >&-; sleep 60
