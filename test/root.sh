# Sourced: makes a fresh Debian 12 root with the same package sources, accessed in the same way as
# on this machine. Root only.    fresh_root FOLDER PACKAGE,... [MIRROR]
# `inside COMMAND...` runs in the root; leave_root at the end unmounts /proc and /dev.
fresh_root() {
    root=$1
    local suite=bookworm mirror
    [ "$(id -u)" = 0 ] || { echo "only root can make a root" >&2; exit 1; }
    mirror=${3:-$(apt-get indextargets 'Created-By: Packages' "Codename: $suite" \
        --format '$(REPO_URI)' | head -1)}
    if [ ! -e "$root/etc/debian_version" ]; then
        mkdir -p "$root"
        debootstrap --variant=minbase --include="$2,ca-certificates" "$suite" "$root" "$mirror"
        rm -rf "$root"/etc/apt/sources.list*
        cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d "$root/etc/apt/"
        cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
        if [ -e /usr/local/share/ca-certificates ]; then
            cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
            chroot "$root" update-ca-certificates >/dev/null
        fi
    fi
    chmod 755 "$root" # not only root needs access
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
    mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
}

leave_root() { umount "$root/proc" "$root/dev" 2>/dev/null || true; }

inside() {
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" "$@"
}
