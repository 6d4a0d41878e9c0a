# exit 2
# stderr: its first line: found the flag 'runs_call'; did you mean 'runs_calls'?
echo '{"msg":"hello","protocol":1,"name":"bad","flags":["strands","by_count","runs_call"]}'; cat >/dev/null
