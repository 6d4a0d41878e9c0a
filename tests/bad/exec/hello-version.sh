# exit 2
# stderr: its first line: it speaks version 2 of the protocol; this program speaks version 1
echo '{"msg":"hello","protocol":2,"titel":"x"}'; cat >/dev/null
