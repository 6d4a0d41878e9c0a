# exit 2
# stderr: its first line: the field 'name' is missing; expected a string
echo '{"msg":"hello","protocol":1}'; cat >/dev/null
