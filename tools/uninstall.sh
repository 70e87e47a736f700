#!/bin/sh
# Removes the files of `make install` from PREFIX below DESTDIR: uninstall.sh BUILD PREFIX [DESTDIR]
# Folders that `make install` can share with other packages stay; corun's own folders go if empty.
set -eu
build=$1
to=${3:-}$2
prefix=$(meson introspect "$build" --buildoptions | python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# A second installation into an empty folder yields the list of files.
DESTDIR=$stage meson install --no-rebuild --quiet -C "$build" >/dev/null
[ -d "$stage$prefix" ] || { echo "meson installed nothing below $prefix" >&2; exit 1; }
cd "$stage$prefix"
find . '(' -type f -o -type l ')' | while read -r file; do
    rm -f "$to/$file"
done
find . -depth -type d -path '*/corun*' | while read -r folder; do
    if [ -d "$to/$folder" ]; then rmdir --ignore-fail-on-non-empty "$to/$folder"; fi
done
