# exit 2
# stderr: its process closed its pipe and exited with status 7
exit 7
