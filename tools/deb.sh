#!/bin/sh
# Builds the Debian package and checks the package with lintian. `tools/deb.sh BUILD` writes to
# BUILD/deb. Builds from a copy of the sources, without other build folders and leftover files.
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
