#!/bin/bash
# `make demo` and `make test` on a bare Debian 12: a fresh root with make and git, a clean clone and
# nothing else. Root only; takes some minutes.    test/bare.sh [FOLDER [MIRROR]]
# The package source is this machine's unless MIRROR is given.
set -eu
cd "$(dirname "$0")/.."
. test/root.sh
trap leave_root EXIT
fresh_root "${1:-$(mktemp -d /tmp/corun-bare.XXXXXX)}" make,git "${2:-}"

rm -rf "$root/corun"
git clone -q . "$root/corun"
for target in demo test; do
    SECONDS=0
    inside make -C /corun "$target" </dev/null
    echo "bare: make $target passed in $SECONDS s"
done
