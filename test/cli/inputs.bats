#!/usr/bin/env bats
# No command writes over one of its inputs: by name, by a symbolic link or by a hard link.
load common
load cuda

# FILE COMMAND...: the command, with each name of FILE in place of %, is refused; FILE stays
# unchanged and nothing new appears.
keeps() {
    local file=$1 name before
    shift
    cp "$file" "$BATS_TEST_TMPDIR/copy"
    ln -s "$file" soft
    ln "$file" hard
    before=$(echo .* *)
    for name in "$file" "./$file" "$PWD/$file" soft hard; do
        corun "${@//%/$name}"
        refused "would overwrite"
        says "${file##*/}, an input of the command"
        [[ $name == *"$file" ]] || says "$name is the same file"
        cmp "$file" "$BATS_TEST_TMPDIR/copy"
        [ "$(echo .* *)" = "$before" ]
    done
    rm soft hard
}

simulate=(./app.yaml --gpu ./m.yaml --alone skip)

app() { # writes an app file, a module, a buffer's file, a machine and the machine's base
    keep_compiled
    cp "$HERE/../../gpus/maxwell16.yaml" base.yaml
    printf 'machine: mine\nbase: base.yaml\n' >m.yaml
    head -c 4000 /dev/zero >x.bin
    sed 's/^  x:.*/  x: {type: f32, count: 1000, init: file x.bin}/' scale.yaml >app.yaml
    grep -q x.bin app.yaml
    printf '#include "mine.h"\n' >mine.c
    printf '#include "corun/policy.h"\nconst struct corun_policy corun_policy = {
        .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "mine",
        .sentence = "Nothing."};\n' >mine.h
}

# bats test_tags=long
@test "run, compare and profile: the app, its module and data, the machine, the policy" {
    app
    corun run "${simulate[@]}" --quiet --policy ./mine.c
    ended 0
    rm -f y.bin
    for file in app.yaml scale.ptx x.bin m.yaml base.yaml; do
        keeps "$file" run "${simulate[@]}" --json %
    done
    keeps x.bin run "${simulate[@]}" --csv % --interval 100
    keeps m.yaml run "${simulate[@]}" --text %
    keeps scale.ptx run "${simulate[@]}" --timeline %
    for file in mine.c mine.h; do
        keeps "$file" run "${simulate[@]}" --policy ./mine.c --json %
        keeps "$file" compare "${simulate[@]}" --policies leftover,./mine.c --html %
    done
    keeps x.bin compare "${simulate[@]}" --policies leftover --json %
    keeps x.bin profile ./app.yaml --gpu ./m.yaml --json %
    keeps base.yaml profile ./app.yaml --gpu ./m.yaml --csv %
    keeps scale.ptx profile mm:size=test ./app.yaml --csv %
    keeps scale.ptx model ./app.yaml --json %
    keeps m.yaml model 30/20 --gpu ./m.yaml --json %
    keeps mine.h check ./mine.c --json %
}

@test "a dump" {
    app
    for file in scale.ptx x.bin; do
        cp "$file" kept
        ln "$file" link
        sed 's#y.bin#link#' app.yaml >dump.yaml
        corun run ./dump.yaml --alone skip
        refused "the dump of y of scale would overwrite" "$file" "link is the same file"
        placed ./dump.yaml "$(grep -n link dump.yaml | cut -d: -f1)" link
        cmp "$file" kept
        mkdir folder
        mv link folder
        corun run ./dump.yaml --alone skip --dump-to folder
        refused "$file" "folder/link is the same file"
        cmp "$file" kept
        rm -r folder
    done
}

# bats test_tags=long
@test "a CUDA program, the files that it is told to read, and its arguments" {
    cp "$(program vecadd)" prog
    echo data >data.bin
    keeps prog run 'cuda:./prog 1000 1' --json %
    keeps prog cuda --json % ./prog 1000 1
    keeps data.bin run 'cuda:./prog 1000 1 data.bin' --csv %
    printf 'app: p\nprogram: [./prog, "1000", "1"]\ninputs: [data.bin]\n' >p.yaml
    for file in prog data.bin p.yaml; do keeps "$file" profile ./p.yaml --json %; done
}

# bats test_tags=long,every
@test "sweep: the sweep file and all that it names, the database of --known" {
    app
    printf '%s\n' 'apps: [./app.yaml]' 'policies: [leftover, ./mine.c]' 'gpus: [./m.yaml]' \
        'alone: skip' >s.yaml
    sed 's#, ./mine.c##' s.yaml >plain.yaml
    for file in s.yaml mine.c mine.h; do keeps "$file" sweep s.yaml -o %; done
    for file in app.yaml scale.ptx x.bin m.yaml base.yaml; do
        keeps "$file" sweep plain.yaml -o %
    done
    corun sweep s.yaml -o r.db --quiet
    ended 0
    keeps r.db sweep plain.yaml -o % --known r.db
    keeps r.db report r.db -o %
    keeps r.db export r.db --csv %
    keeps r.db merge r.db -o %
    keeps r.db diff r.db#0 r.db#1 --json %
    keeps m.yaml diff ./m.yaml maxwell16 --json %
    keeps base.yaml diff ./m.yaml maxwell16 --json %
}

# bats test_tags=long
@test "diff: results" {
    for seed in 1 2; do
        corun run vecadd:size=test --set sm.count=2 --alone skip --quiet --seed $seed \
            --json "$seed.json"
    done
    keeps 1.json diff 1.json 2.json --json %
    keeps 2.json diff 1.json 2.json --json %
}

# bats test_tags=long
@test "cc: sources, objects, and what two sources become" {
    printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n' >a.cu
    printf 'int f() { return 0; }\n' >b.cpp
    printf 'object' >c.o
    for option in '' -c -ptx; do keeps a.cu cc a.cu $option -o %; done
    keeps b.cpp cc a.cu b.cpp -o %
    keeps c.o cc a.cu c.o -o %
    ln a.cu a.out
    corun cc a.cu
    refused "-o would overwrite a.cu"
    rm a.out
    mkdir d
    cp a.cu d
    before=$(ls -AR)
    corun cc a.cu d/a.cu -c
    refused "two results would go to a.o: the object of a.cu and the object of d/a.cu"
    corun cc a.cu d/a.cu -ptx
    refused "two results would go to a.ptx: the PTX of a.cu and the PTX of d/a.cu"
    corun cc a.cu --keep -o a.ptx
    refused "two results would go to a.ptx"
    ln -s a.cu a.o
    corun cc -c a.cu
    refused "the object of a.cu would overwrite a.cu" "a.o is the same file"
    rm a.o
    [ "$(ls -AR)" = "$before" ]
}

# bats test_tags=long
@test "cc: headers and libraries" {
    mkdir 'my headers'
    echo '#include "c.h"' >'my headers/b #$.h'
    touch 'my headers/c.h' libd.so libd.a
    printf '#include "b #$.h"\nint main() {}\n' >a.cu
    cp a.cu e.cpp
    set -- -I 'my headers'
    keeps 'my headers/c.h' cc a.cu "$@" -ptx -o %
    keeps 'my headers/b #$.h' cc e.cpp "$@" -o %
    for option in '' -c; do
        corun cc a.cu "$@" $option -o './my headers/c.h'
        refused ' would overwrite my headers/c.h, an input of the command'
    done
    keeps libd.so cc a.cu "$@" -L. -ld -o %
    keeps libd.a cc a.cu "$@" -L . -ld -o %
    ln 'my headers/c.h' a.ptx
    corun cc --keep a.cu "$@"
    refused 'the PTX of a.cu would overwrite my headers/c.h' 'a.ptx is the same file'
    [ ! -e a.out ]
    [ ! -s a.ptx ]
}

@test "headers of a policy, whatever their names and wherever they are found" {
    mkdir found
    names=($'a tab\t.h' 'two\ .h' 'back\#.h' 'slash\.h' 'd$$.h')
    for name in "${names[@]}"; do
        echo "static const unsigned LIMIT = 1;" >"$name"
        policy_with "\"$name\""
        corun run vecadd:size=test --alone skip --policy ./mine.c --json "$name"
        refused " would overwrite $name, an input of the command"
    done
    echo "static const unsigned LIMIT = 1;" | tee found/limit.h 'end\'
    policy_with "<limit.h>"
    export C_INCLUDE_PATH=$PWD/found
    corun run vecadd:size=test --alone skip --policy ./mine.c --json found/limit.h
    refused " would overwrite $PWD/found/limit.h"
    printf 'apps: [[vecadd:size=test]]\npolicies: [./mine.c]\n' >s.yaml
    corun sweep s.yaml -o s.db
    ended 0
    echo "static const unsigned LIMIT = 2;" >found/limit.h
    corun sweep s.yaml -o s.db
    ended 0
    [[ $stderr != *"1 already in the database"* ]]
    policy_with '"end\"'
    corun run vecadd:size=test --alone skip --policy ./mine.c
    refused "cannot read end , which it includes"
}

policy_with() { # INCLUDED: writes mine.c
    cat >mine.c <<END
#include $1
#include "corun/policy.h"
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "mine",
    .sentence = "Does nothing.", .state_bytes = LIMIT};
END
}

@test "two outputs that are one file by a link" {
    echo old >a.json
    ln a.json b.csv
    corun run vecadd:size=test --alone skip --json a.json --csv b.csv
    refused "two results would go to b.csv: --json and --csv"
    [ "$(cat b.csv)" = old ]
}

@test "corun's own binary is no output" {
    cp "$CORUN" own-corun
    CORUN=./own-corun corun run vecadd:size=test "${FEW[@]}" --alone fresh --json own-corun
    ended 2
    says 'would overwrite' 'own-corun is the same file'
    cmp "$CORUN" own-corun
}

@test "names as long as names can be, and longer" {
    local name
    name=$(printf 'n%.0s' {1..255})
    corun run "${FEW[@]}" mm:size=test --quiet --json "$name" --csv "./${name%n}"
    ended 0
    [ -s "$name" ]
    [ "$(ls | grep -c nnnn)" = 2 ] # no temporary file
    corun run "${FEW[@]}" mm:size=test --json "n$name"
    refused "File name too long" "choose a shorter name"
}
