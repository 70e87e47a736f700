#!/bin/bash
# `make demo` and `make test` on a bare Debian 12: a fresh root with make and git, a clean clone and
# nothing else. Root only; takes some minutes.    test/bare.sh [FOLDER [MIRROR]]
# The package source is this machine's own unless one is given.
set -eu
cd "$(dirname "$0")/.."
root=${1:-$(mktemp -d /tmp/corun-bare.XXXXXX)}
suite=bookworm
mirror=${2:-$(apt-get indextargets 'Created-By: Packages' "Codename: $suite" \
    --format '$(REPO_URI)' | head -1)}
[ "$(id -u)" = 0 ] || { echo "bare.sh: only root can make a root" >&2; exit 1; }

if [ ! -e "$root/etc/debian_version" ]; then
    mkdir -p "$root"
    debootstrap --variant=minbase --include=make,git,ca-certificates "$suite" "$root" "$mirror"
    # The new root asks the same places in the same way as this machine.
    rm -rf "$root"/etc/apt/sources.list*
    cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
    cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
    if [ -e /usr/local/share/ca-certificates ]; then
        cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
        chroot "$root" update-ca-certificates >/dev/null
    fi
fi
umount_all() { umount "$root/proc" "$root/dev" 2>/dev/null || true; }
trap umount_all EXIT
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"

rm -rf "$root/corun"
git clone -q . "$root/corun"
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" make -C /corun "$@"; }
for target in demo test; do
    SECONDS=0
    inside "$target" </dev/null
    echo "bare: make $target passed in $SECONDS s"
done
