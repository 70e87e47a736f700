#!/usr/bin/env bats
# Where the output of CUDA programs goes: to new files, to a folder, or through.
load common
load cuda

sums='1000 sums are right'
prog() { cp "$(program vecadd)" prog; }

@test "a program's output goes to a file that did not exist, and the name is said" {
    prog
    corun run 'cuda:./prog 1000 1' --alone skip
    ended 0
    says "prog wrote to prog.stdout"
    [ "$(cat prog.stdout)" = "$sums" ]
    corun run 'cuda:./prog 2000 1' --alone skip --quiet
    ended 0
    [ "$stderr" = "prog wrote to prog.2.stdout" ]
    [ "$(cat prog.stdout)" = "$sums" ]
    [ "$(cat prog.2.stdout)" = "2000 sums are right" ]
    rm prog.stdout
    corun run 'cuda:./prog 3000 1' --alone skip --quiet
    ended 0
    [ -z "$stderr" ]
    [ "$(cat prog.stdout)" = "3000 sums are right" ]
}

@test "neither a file nor what a link leads to is written over" {
    prog
    echo mine >kept
    cp kept copy
    ln -s kept prog.stdout
    ln kept prog.2.stdout
    ln -s nowhere prog.3.stdout
    mkdir prog.4.stdout
    mkfifo prog.5.stdout
    corun run 'cuda:./prog 1000 1' --alone skip --quiet
    ended 0
    [ "$stderr" = "prog wrote to prog.6.stdout" ]
    cmp kept copy
    [ ! -e nowhere ]
    [ "$(cat prog.6.stdout)" = "$sums" ]
    corun run 'cuda:./prog 1000 1' 'cuda:./prog 2000 1' --alone skip --quiet
    ended 0
    says "prog wrote to prog.7.stdout" "prog.2 wrote to prog.2.2.stdout"
    cmp kept copy
}

@test "--output-to is the folder, of which --dump-to is the default" {
    prog
    mkdir out dumps
    corun run 'cuda:./prog 1000 1' --alone skip --quiet --output-to out --dump-to dumps
    ended 0
    [ "$(ls out dumps)" = "$(printf 'dumps:\n\nout:\nprog.stdout')" ]
    corun run 'cuda:./prog 1000 1' --alone skip --output-to out
    says "prog wrote to out/prog.2.stdout"
    corun run 'cuda:./prog 1000 1' --alone skip --quiet --dump-to dumps
    [ "$(cat dumps/prog.stdout)" = "$sums" ]
    [ ! -e prog.stdout ]
    corun run 'cuda:./prog 1000 1' --output-to nowhere
    refused "cannot write nowhere/prog.stdout" "make the folder first"
    corun run 'cuda:./prog 1000 1' --output-to out --show-output
    refused "--output-to and --show-output"
    corun run 'cuda:./prog 1000 1' --alone skip --json prog.stdout
    refused "two results would go to prog.stdout: --json and the output of prog"
}

@test "compare: a file per policy and app" {
    prog
    mkdir out
    : >out/prog.leftover.stdout
    corun compare 'cuda:./prog 1000 1' 'cuda:./prog 2000 1' --alone skip \
        --policies 'leftover,spatial[split=9/7]' --output-to out
    ended 0
    says "prog under leftover wrote to out/prog.leftover.2.stdout" \
        "prog.2 under spatial[split=9/7] wrote to out/prog.2.spatial-split=9-7.stdout"
    [ "$(ls out)" = "$(printf '%s\n' prog.2.leftover.stdout 'prog.2.spatial-split=9-7.stdout' \
        prog.leftover.2.stdout prog.leftover.stdout 'prog.spatial-split=9-7.stdout')" ]
    [ ! -s out/prog.leftover.stdout ]
    [ "$(cat out/prog.leftover.2.stdout)" = "$sums" ]
    [ "$(cat out/prog.2.leftover.stdout)" = "2000 sums are right" ]
}

@test "compare --show-output: each line with policy and app" {
    cp "$(program calls)" .
    corun compare 'cuda:/bin/sh -c "echo one; printf two; echo error >&2"' --alone skip --quiet \
        --policies 'leftover,spatial' --show-output --until end
    ended 0
    [ "$output" = "$(printf '%s\n' 'leftover, sh: one' 'leftover, sh: twoerror' \
        'spatial, sh: one' 'spatial, sh: twoerror')" ]
    [ -z "$stderr" ]
    corun compare 'cuda:/bin/echo one' --alone skip --policies leftover --show-output \
        --until end --json -
    ended 0
    holds "d['schema'] == 'corun-compare/1'"
    says "leftover, echo: one"
    [ "$(ls)" = "$(printf '%s\n' calls scale.ptx scale.yaml)" ]
}
