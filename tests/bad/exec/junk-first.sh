# exit 2
# stderr: its first line: it is not JSON: column 7:
echo 'Loading the model ...'; cat >/dev/null
