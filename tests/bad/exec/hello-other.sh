# exit 2
# stderr: its first line: found the message 'decisions', expected 'hello'
echo '{"msg":"decisions","decisions":[]}'; cat >/dev/null
