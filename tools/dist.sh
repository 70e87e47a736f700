#!/bin/sh
# Writes the tree at HEAD to BUILD/corun-VERSION.tar.xz: dist.sh BUILD
set -eu
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(git show HEAD:meson.build | sed -nE "s/^project\(.* version: '([0-9.]+)'.*/\1/p")
[ -n "$version" ] || { echo "meson.build has no version" >&2; exit 1; }
file=$build/corun-$version.tar.xz
trap 'rm -f "$file.tar" "$file.new"' EXIT
git archive --prefix="corun-$version/" -o "$file.tar" HEAD
xz -T0 <"$file.tar" >"$file.new"
mv "$file.new" "$file"
echo "$file"
