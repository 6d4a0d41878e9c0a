#!/bin/sh
# Every fuzz target over its corpus and for some seconds more; `make fuzz` is the long form.  Without -O, since to
# compile would take most of the time.
. "$(dirname "$0")/../cli/lib.sh"
command -v clang >/dev/null || { echo 'skipped - fuzz targets: no clang'; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS
make -C "$here" -j2 fuzzers B=build/fuzz/O0 CC=clang OPT=-O0 SAN=address,undefined CFLAGS=-fsanitize=fuzzer-no-link \
    CPPFLAGS=-Itests/fuzz/stub >"$dir/build" 2>&1 ||
    { cat "$dir/build"; echo 'not ok - the fuzz targets are built'; exit 1; }
for target in $(cd "$here/build/fuzz/O0/fuzz" && ls); do
    check "fuzz: $target" sh "$here/tests/fuzz/fuzz.sh" "$fairway" "$here/build/fuzz/O0/fuzz" 2 "$target"
done
exit $bad
