# exit 2
# stderr: its first line: it is a list; expected an object
echo '[1]'; cat >/dev/null
