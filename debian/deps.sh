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
as_root=env
[ "$(id -u)" -eq 0 ] || as_root='sudo env'
as_root="$as_root DEBIAN_FRONTEND=noninteractive"
[ -z "$(dpkg --audit)" ] || $as_root dpkg --configure -a        # an installation was cut short
$as_root apt-get update -qq
$as_root apt-get build-dep -y -qq ./
[ -z "$extra" ] || $as_root apt-get install -y -qq --no-install-recommends $extra
