#!/bin/sh
# Builds the Debian package and lets lintian judge it: tools/deb.sh BUILD leaves it in BUILD/deb.
# Of a copy, so that no other build and no leftover has a part in it.
set -eu
cd "$(dirname "$0")/.."
folder=$1/deb
rm -rf "$folder"
mkdir -p "$folder/corun"
tar --exclude=./.git --exclude='./build*' --exclude=__pycache__ -c . | tar -x -C "$folder/corun"
(cd "$folder/corun" && dpkg-buildpackage --build=binary --no-sign) >"$folder/log" 2>&1 || {
    tail -50 "$folder/log" >&2
    exit 1
}
rm -rf "$folder/corun"
lintian --allow-root --fail-on error,warning "$folder"/*.changes
ls "$folder"/corun_*.deb
