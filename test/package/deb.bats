#!/usr/bin/env bats
# The Debian package of `make deb` in a fresh Debian 12: installed, used by an ordinary user as the
# pages say, removed without a trace. Root only.    BUILD=FOLDER bats test/package/deb.bats
# ROOT=FOLDER keeps the root in FOLDER for the next time.

TREE=$BATS_TEST_DIRNAME/../..
PATH_OF_USER=/usr/bin:/bin

setup_file() {
    export ROOT_MADE=${ROOT:-$(mktemp -d /tmp/corun-deb.XXXXXX)}
    . "$TREE/test/root.sh"
    fresh_root "$ROOT_MADE" gcc,libc6-dev,clang,pkgconf,man-db,bash-completion >&2
    cp "$BUILD"/deb/corun_*.deb "$root/tmp/corun.deb"
    inside sh -c 'apt-get update -qq
        dpkg -P corun
        apt-get satisfy -qq -y --no-install-recommends "$(dpkg-deb -f /tmp/corun.deb Depends)"
        userdel -fr user; useradd --create-home user' >&2
    files >"$BATS_FILE_TMPDIR/before"
}

teardown_file() {
    . "$TREE/test/root.sh"
    root=$ROOT_MADE
    leave_root
    [ -n "${ROOT:-}" ] || rm -rf --one-file-system "$root"
}

setup() {
    . "$TREE/test/root.sh"
    root=$ROOT_MADE
}

# All files owned by packages; except a user's files, caches, logs and the package lists.
files() {
    inside find / -xdev '(' -path /tmp -o -path /home -o -path /var/cache -o -path /var/log \
        -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /run ')' -prune -o -print | sort
}

# As an ordinary user, in a folder with the contents of the package's share/doc.
as_user() {
    chroot --userspec=user "$root" env -i HOME=/home/user PATH=$PATH_OF_USER LANG=C.UTF-8 \
        bash -ec 'cd ~/work; eval "$1"' bash "$1"
}

@test "the package is installed, by itself and without a question" {
    DEBIAN_FRONTEND=noninteractive inside dpkg -i /tmp/corun.deb </dev/null
    inside dpkg --verify corun
    chroot --userspec=user "$root" cp -r /usr/share/doc/corun /home/user/work
    as_user 'test "$(corun --version | cut -d" " -f2)" = "$(dpkg-query -f "\${Version}" -W corun)"'
}

@test "the commands of docs/reference/commands.md" {
    # The last of the page's versions keeps the contract.
    awk '/^```c mine.c/ { text = ""; on = 1; next } /^```/ { on = 0 } on { text = text $0 "\n" }
        END { printf "%s", text }' "$TREE/docs/tutorials/your-first-policy.md" >"$root/tmp/mine.c"
    lines() { sed -n "/^$1/,/^END/{/^END/d;p}" "$TREE/test/cli/import.bats"; }
    lines '# a small GPU' >"$root/tmp/gpgpusim.config"
    lines '\/\/ a crossbar' >"$root/tmp/small.icnt"
    as_user 'cp /tmp/mine.c /tmp/gpgpusim.config /tmp/small.icnt .
        cp examples/machine/big-l1.yaml mine.yaml
        cp examples/saxpy/saxpy.ptx FILE
        cp examples/program/relax.cu FILE.cu
        corun cc FILE.cu -o a.out
        { echo "pairs: [vecadd:size=test, mm:size=test]"
          echo "policies: [leftover, ./mine.c]"; } >FILE.yaml'
    page=$(find "$TREE/docs" -name commands.md)
    sed -nE 's/^ +build\/(corun [^ ]+.*)/\1/p' "$page" | sed -E 's/ {2,}.*//' >commands
    [ "$(wc -l <commands)" -ge 12 ]
    while read -r command; do
        as_user "$command >out" </dev/null || { echo "failed: $command"; false; }
    done <commands
    as_user 'test -s report.html && test -s results.db'
}

@test "a policy of one's own, from C and compiled against the header" {
    as_user 'corun run mm:size=test bfs:size=test --csv - --policy ./mine.c >from-c
        gcc -shared -fPIC $(pkg-config --cflags corun) mine.c -o mine.so
        corun run mm:size=test bfs:size=test --csv - --policy ./mine.so >from-so
        cmp from-c from-so
        corun check ./mine.so'
}

@test "manual pages are shown" {
    as_user 'man corun | grep -q corun-sweep
        for page in $(man corun | grep -oE "corun-[a-z]+\(1\)" | sort -u | tr -d "()1"); do
            man "$page" | grep -q SYNOPSIS
        done
        whatis corun-run | grep -q simulate'
}

@test "bash completes" {
    as_user '. /usr/share/bash-completion/bash_completion
        _completion_loader corun || test $? = 124
        COMP_WORDS=(corun run mm --gpu fer) COMP_CWORD=4
        _corun
        test "${COMPREPLY[*]}" = fermi30'
}

@test "purged, it leaves nothing" {
    inside dpkg -P corun
    files | diff "$BATS_FILE_TMPDIR/before" -
    run inside dpkg-query -W corun
    [ "$status" != 0 ]
}

@test "make install puts everything below DESTDIR and PREFIX" {
    before=$(cd "$TREE" && meson introspect "$BUILD" --buildoptions |
        python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')
    make -C "$TREE" -s install BUILD="$BUILD" PREFIX=/opt/corun DESTDIR="$BATS_TEST_TMPDIR/dest"
    meson configure "$BUILD" --prefix="$before"
    cd "$BATS_TEST_TMPDIR/dest"
    [ "$(ls)" = opt ]
    grep -qx prefix=/opt/corun opt/corun/share/pkgconfig/corun.pc
    opt/corun/bin/corun --version
}
