# exit 2
# stderr: its first line: its name is 'My Policy'; expected up to 40 of a-z, 0-9 and '-'
echo '{"msg":"hello","protocol":1,"name":"My Policy"}'; cat >/dev/null
