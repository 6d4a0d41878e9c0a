# exit 2
# stderr: its first line: found the flag 'preempt'; did you mean 'preempts'?
echo '{"msg":"hello","protocol":1,"name":"bad","flags":["preempt"]}'; cat >/dev/null
