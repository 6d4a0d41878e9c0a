#!/bin/sh
# Print a C file that holds the files named, byte for byte: see embed.h.
# The program then needs no data files beside it, built or installed.
set -eu
echo '#include "base/embed.h"'
n=0
for f; do
    echo "static const char file_$n[] = {"
    od -An -v -td1 "$f" | sed 's/ *\(-\{0,1\}[0-9][0-9]*\)/\1,/g'
    echo '0 };'
    n=$((n + 1))
done
echo 'const struct embed_file embed_files[] = {'
n=0
for f; do
    echo "    { \"${f##*/}\", file_$n },"
    n=$((n + 1))
done
echo '    { 0, 0 }'
echo '};'
