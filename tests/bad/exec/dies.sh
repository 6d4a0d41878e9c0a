# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): its process closed its pipe and was killed by signal 11
. "$(dirname "$0")/greet.inc"
kill -s SEGV $$
