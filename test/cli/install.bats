#!/usr/bin/env bats
# What an installed corun brings: files at their places, of use from there.
load common

TREE=$BATS_TEST_DIRNAME/../..

install_into() { # FOLDER: $share is where the data is then
    build=$(realpath "$(dirname "$CORUN")")
    [ -f "$build/build.ninja" ] || skip "not in its build folder"
    DESTDIR=$1 meson install --no-rebuild --quiet -C "$build" >&2
    share=$(dirname "$(find "$1" -name pkgconfig)")
}

@test "binary, header, pages, completion and examples are installed" {
    install_into "$PWD/dest"
    for command in '' $(sed -n 's/^COMMAND(\([a-z]*\),.*/-\1/p' "$TREE/src/cli/list.def"); do
        "$CORUN" --manual "${command#-}" | cmp - "$share/man/man1/corun$command.1"
    done
    [ -f "$share/bash-completion/completions/corun" ]
    [ -f "$share/zsh/site-functions/_corun" ]
    [ -f "$share/fish/vendor_completions.d/corun.fish" ]
    cmp "$TREE/README.md" "$share/doc/corun/README.md"
    cmp "$TREE/docs/how-to/using.md" "$share/doc/corun/docs/how-to/using.md"
    [ "$("$share/../bin/corun" --version)" = "$("$CORUN" --version)" ]
    run "$share/../bin/corun" run "$share/doc/corun/examples/saxpy/saxpy.yaml" --alone skip
    ended 0
}

@test "a policy is compiled against the installed header, where pkg-config says" {
    install_into "$PWD/dest"
    export PKG_CONFIG_PATH=$share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/dest
    [ "$(pkg-config --modversion corun)" = "$("$CORUN" --version | cut -d' ' -f2)" ]
    cp "$TREE/src/policy/blocks/smk_even.c" .
    ${CC:-cc} -shared -fPIC $(pkg-config --cflags corun) smk_even.c -o smk_even.so
    corun run vecadd:size=test mm:size=test --policy ./smk_even.so --alone skip
    ended 0
}

@test "one version everywhere, and CITATION.cff is one" {
    version=$(sed -nE "s/^project\(.* version: '([0-9.]+)'.*/\1/p" "$TREE/meson.build")
    grep -qx "version: $version" "$TREE/CITATION.cff"
    grep -q "^corun ($version) " "$TREE/debian/changelog"
    grep -qF "## [$version]" "$TREE/CHANGELOG.md"
    for key in cff-version message title authors license; do
        [ "$(grep -c "^$key: *" "$TREE/CITATION.cff")" = 1 ]
    done
}
