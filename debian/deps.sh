#!/bin/sh
# Install what debian/control lists under Build-Depends and is not here yet;
# `deps.sh tests`: and what debian/tests/control lists besides, for tests alone.
# With everything present it does nothing, and needs neither root nor a network.
# A compiler and make are a matter of course for a Debian package, so control does
# not list them; debhelper it does, but only a package needs it.
set -eu
cd "$(dirname "$0")/.."
names=$(sed -n '/^Build-Depends:/,/^[^ ]*:/{ s/^Build-Depends://; /^[^ ]/d; p; }' debian/control | tr ',' '\n' | awk 'NF && $1 !~ /^debhelper/ { print $1 }')
extra=
[ "${1:-}" != tests ] || extra=$(sed -n 's/^Depends: *@builddeps@, *//p' debian/tests/control | tr ',' ' ')
missing=
for p in gcc make $names $extra; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "installing:$missing"
if [ "$(id -u)" -eq 0 ]; then sudo=; else sudo=sudo; fi
export DEBIAN_FRONTEND=noninteractive
$sudo dpkg --configure -a        # what an installation that was cut short left undone
$sudo apt-get update -qq
$sudo apt-get build-dep -y -qq ./
[ -z "$extra" ] || $sudo apt-get install -y -qq --no-install-recommends $extra
