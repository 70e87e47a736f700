#!/usr/bin/env bats
# An installed corun: files in the right folders, usable from there.
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

@test "uninstall removes all installed files and nothing else" {
    build=$(realpath "$(dirname "$CORUN")")
    mkdir -p here/opt/share/man/man1 here/opt/share/corun
    echo theirs >here/opt/share/man/man1/theirs.1
    echo theirs >here/opt/share/corun/theirs
    find here -type f | sort >before
    install_into "$PWD/dest"
    prefix=$(realpath -m "$share/..")
    cp -a "$prefix/." here/opt
    [ "$(find here -type f | wc -l)" -gt 50 ]
    "$TREE/tools/uninstall.sh" "$build" /opt "$PWD/here"
    find here ! -type d | sort | diff before -
    [ "$(find here -type d -name 'corun*')" = here/opt/share/corun ] # not empty
    rm here/opt/share/corun/theirs
    "$TREE/tools/uninstall.sh" "$build" /opt "$PWD/here" # safe to repeat
    [ -z "$(find here -name 'corun*')" ]
}

@test "dist writes the tree at HEAD, named after the version" {
    git -C "$TREE" rev-parse -q HEAD || skip "not in a repository"
    version=$("$CORUN" --version | cut -d' ' -f2)
    XZ_OPT=-0 "$TREE/tools/dist.sh" made
    [ "$(ls made)" = "corun-$version.tar.xz" ]
    tar -tf made/*.xz | grep -v '/$' | sed "s|^corun-$version/||" | sort >have
    git -C "$TREE" ls-tree -r --name-only --full-tree HEAD | sort | diff - have
    tar -xOf made/*.xz "corun-$version/meson.build" |
        cmp - <(git -C "$TREE" show HEAD:meson.build)
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
