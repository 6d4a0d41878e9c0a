# exit 4
# stderr: its query: there is no node 2; the cluster has 2
. "$(dirname "$0")/greet.inc"
echo '{"msg":"query","job":0,"task":0,"nodes":[0,2]}'; cat >/dev/null
