#!/bin/sh
# Installs missing dependencies on Debian: `user` for building, demo and tests, `hard` for `make
# hard`, `count` for `make bench-counts`, `cc` for `make test-cc`, `html` for `make test-html`,
# `slurm` for `make test-slurm`, `deb` for `make deb` and `make test-deb`.
# Checks for the tools themselves, not for package names: tools from other sources are accepted.
# Never prompts: without root or a passwordless sudo, prints the command to run.
set -eu

rows='
user command gcc           gcc
user header  stdlib.h      libc6-dev
user command meson         meson
user command ninja         ninja-build
user command pkg-config    pkgconf
user command python3       python3
user library yaml-0.1      libyaml-dev
user library jansson       libjansson-dev
user library sqlite3       libsqlite3-dev
user library libxxhash     libxxhash-dev
user library liblz4        liblz4-dev
user library libzstd       libzstd-dev
user header  Random123/philox.h librandom123-dev
user library cmocka        libcmocka-dev
user command bats          bats
user module  jsonschema    python3-jsonschema
hard command clang         clang
hard runtime clang         libclang-rt-dev
hard command valgrind      valgrind
count command valgrind     valgrind
cc   cuda    clang         clang-16
html command chromium      chromium
slurm command sbatch       slurm-client
slurm command slurmctld    slurmctld
slurm command slurmd       slurmd
slurm command munged       munge
deb  command dpkg-buildpackage dpkg-dev
deb  command dh            debhelper
deb  command lintian       lintian
deb  command debootstrap   debootstrap
deb  command mandoc        mandoc
deb  command zsh           zsh
deb  command fish          fish
'

# True if there is a clang accepted by `corun cc` without a warning: version 16 or later.
cuda_clang() {
    for i in clang $(seq -f clang-%g 16 30); do
        version=$("$i" -dumpversion 2>/dev/null) && [ "${version%%.*}" -ge 16 ] && return 0
    done
    return 1
}

there() { # KIND NAME
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    library) pkg-config --exists "$2" 2>/dev/null ;;
    header)  echo "#include <$2>" | gcc -E - >/dev/null 2>&1 ;;
    module)  python3 -c "import $2" 2>/dev/null ;;
    cuda)    cuda_clang ;;
    runtime) echo 'int main(void) { return 0; }' |
             "$2" -fsanitize=address -x c - -o /dev/null 2>/dev/null ;;
    esac
}

# Prints the name of the package: Debian 12 has clang-16 in addition to an older clang; later
# releases have a newer clang.
package_of() { # PACKAGE
    if [ "$1" = clang-16 ] && apt-cache show clang >/dev/null 2>&1 &&
       ! apt-cache show clang-16 >/dev/null 2>&1; then echo clang; else echo "$1"; fi
}

missing() { # WANTED...
    echo "$rows" | while read -r group kind name package; do
        case " $* " in *" $group "*) there "$kind" "$name" || package_of "$package" ;; esac
    done | sort -u | tr '\n' ' '
}

list=$(missing "$@")
[ -n "$list" ] || exit 0

line="apt-get install -y --no-install-recommends $list"
root=
if [ "$(id -u)" != 0 ]; then root=sudo; fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "corun needs these Debian packages, or the same from elsewhere: $list" >&2
    exit 1
fi
if [ -n "$root" ] && ! sudo -n true 2>/dev/null; then
    printf 'corun needs packages that only root can install. Run this, then try again:\n' >&2
    printf '  sudo sh -c "apt-get update && %s"\n' "${line% }" >&2
    exit 1
fi

echo "installing: $list"
install() {
    $root env DEBIAN_FRONTEND=noninteractive $line -qq </dev/null
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package lists may be absent or outdated: updates the lists and retries once.
if ! install >"$log" 2>&1; then
    $root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >"$log" 2>&1 &&
    install >>"$log" 2>&1 || {
        cat "$log" >&2
        printf 'apt could not install everything. The line was:\n  %s\n' "$line" >&2
        exit 1
    }
fi
list=$(missing "$@")
if [ -n "$list" ]; then
    echo "installed, yet not found: $list" >&2
    exit 1
fi
