# exit 4
# stderr: policy 'bad' failed at t=0 us (0 s): line 2 of its output: it is not JSON: column 24: duplicate object key
. "$(dirname "$0")/greet.inc"
echo '{"msg":"decisions","msg":"decisions","decisions":[]}'; cat >/dev/null
