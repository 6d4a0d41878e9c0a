# exit 2
# stderr: its first line: 'params' is a whole number; expected strings in its object
echo '{"msg":"hello","protocol":1,"name":"bad","params":{"n":3}}'; cat >/dev/null
