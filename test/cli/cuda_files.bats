#!/usr/bin/env bats
# CUDA programs from app files, the folders they work in, and their cached isolated runs.
load common.bash
load cuda.bash

# data/work.sh is the program: lists the files there, leaves a file, and calls CUDA.
setup_file() {
    CORUN=${CORUN:-$BATS_TEST_DIRNAME/../../build/corun}
    export VECADD=$(program vecadd)
}

prepare() {
    mkdir data
    cat >data/work.sh <<'END'
echo "in $PWD, $WORD, $*, left by another: $(cat left 2>/dev/null)"
echo more >>left
mkdir -p below && touch below/file
exec $VECADD 3000
END
    cat >work.yaml <<'END'
app: work
program: [/bin/sh, work.sh, "a  b"]
cwd: data
env: {WORD: hello}
END
}

add() { printf '%s\n' "$@" >>work.yaml; }
change() { sed -i "$@" work.yaml; }
kept() { find "$CORUN_CACHE" -type f 2>/dev/null | wc -l; } # entries of the cache
mtimes() { find "$CORUN_CACHE" -type f -printf '%p %T@\n'; }
own_cache() { export CORUN_CACHE=$PWD/cache; }
# Runs corun without the right to mount, on few SMs.
without_overlay() {
    set -- "$1" "${FEW[@]}" "${@:2}"
    if unshare -Ur true; then
        run --separate-stderr unshare -Ur sh -c \
            'echo 0 >/proc/sys/user/max_mnt_namespaces; exec "$@"' sh "$CORUN" "$@"
    else
        corun "$@"
    fi
}

@test "an app file is a program with its arguments, its folder and its environment" {
    prepare
    small run ./work.yaml --show-output --quiet --until end
    ended 0
    shows ", hello, a  b, left by another: " '3000 sums are right'
    mkdir elsewhere && cd elsewhere
    small run ../work.yaml mm:size=test --json - --policy spatial --until end
    ended 0
    holds '[a["name"] for a in d["apps"]] == ["work", "mm"]'
    grep -q ', hello, a  b, left' work.stdout
    [ "$(ls)" = work.stdout ]
}

@test "PWD is the folder that it works in" {
    mkdir data tmp
    printf 'app: e\nprogram: [/usr/bin/env]\ncwd: data\n' >e.yaml
    small run ./e.yaml --show-output --quiet --until end
    shows "PWD=$(pwd -P)/data"
    TMPDIR=$PWD/tmp without_overlay run ./e.yaml --show-output --quiet --until end
    shows "PWD=$(pwd -P)/"
    [[ "$output" != *PWD=$PWD$'\n'* ]]
}

@test "the same run as on the command line" {
    printf 'app: vecadd\nprogram: [%s, "3000"]\nstart: 0\n' "$VECADD" >v.yaml
    small run ./v.yaml --json a.json --quiet --seed 3
    ended 0
    small run "cuda:$VECADD 3000" --json b.json --quiet --seed 3
    ended 0
    python3 - <<'END'
import json
a, b = (json.load(open(f)) for f in ('a.json', 'b.json'))
assert a['stats'] == b['stats'] and a['apps'][0]['stats'] == b['apps'][0]['stats']
END
    sed -i 's/start: 0/start: 5000/' v.yaml
    small run ./v.yaml mm:size=test --json - --policy spatial --alone skip
    ended 0
    holds 'd["apps"][0]["start"] == 5000'
}

@test "it works in the app file's folder, if that does not say where" {
    prepare
    mkdir app && mv data/work.sh app
    printf 'app: work\nprogram: [./work.sh]\n' >app/app.yaml
    sed -i '1i #!/bin/sh\nls' app/work.sh && chmod +x app/work.sh
    small run app/app.yaml --show-output --quiet --until end
    ended 0
    shows $'app.yaml\nwork.sh\n'
    [ "$(ls app)" = $'app.yaml\nwork.sh' ]
}

@test "no start sees what another has written, and nothing stays" {
    prepare
    add 'inputs: []'
    own_cache
    small run ./work.yaml "cuda:$VECADD 4000 3" --json - --policy spatial --alone fresh
    ended 0
    holds 'd["apps"][0]["completions"] > 1'
    [ "$(ls data)" = work.sh ]
    small run ./work.yaml ./work.yaml --show-output --quiet --until end
    ended 0
    shows 'left by another: '
    [[ "$output" != *more* ]]
}

@test "in a copy where no overlay can be mounted" {
    prepare
    mkdir tmp data/inner
    echo 'more text' >data/inner/text
    ln -s inner/text data/link
    sed -i '1i cat link; chmod -w inner' data/work.sh
    TMPDIR=$PWD/tmp without_overlay run ./work.yaml --show-output --quiet --until end
    ended 0
    shows 'more text' 'left by another: ' '3000 sums are right'
    [ "$(ls data)" = $'inner\nlink\nwork.sh' ]
    [ -z "$(ls -A tmp)" ]
}

@test "a copy of what lies in it, of links into it, of what may not be read" {
    prepare
    mkdir -p data/tmp data/inner data/closed
    echo kept >data/inner/text
    ln -s "$PWD/data/inner" data/link
    echo secret >data/secret
    chmod 500 data/inner
    chmod 0 data/secret data/closed
    [ "$(id -u)" != 0 ] || chown 1 data/secret data/closed
    sed -i '1i ls -A tmp; cat link/text secret; echo new >link/text' data/work.sh
    TMPDIR=$PWD/data/tmp without_overlay run ./work.yaml --show-output --quiet --until end
    ended 0
    shows kept '3000 sums are right'
    [[ "$output" != *secret* || "$(id -u)" != 0 ]]
    [ "$(cat data/inner/text)" = kept ]
    [ -z "$(ls -A data/tmp)" ]
}

@test "an interrupt ends the copying of a folder" {
    unshare -Ur true || skip 'no user may have a namespace here'
    prepare
    mkdir tmp data/many
    seq 9000 | (cd data/many && xargs touch)
    TMPDIR=$PWD/tmp unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_mnt_namespaces; exec "$@"' sh \
        "$CORUN" run "${FEW[@]}" ./work.yaml --quiet --until end >out.txt 2>err.txt 3>&- &
    corun=$!
    until [ -n "$(ls -A tmp)" ]; do :; done
    kill -TERM $corun
    status=0
    wait $corun || status=$?
    [ $status = 143 ]
    grep -q interrupted err.txt
    [ "$(grep -c 'cannot copy the working folder' err.txt)" = 0 ]
    [ -z "$(ls -A tmp)" ]
}

@test "a folder that may not be written is not" {
    prepare
    sed -i '1i ls -ld .' data/work.sh
    chmod 555 data
    small run ./work.yaml --show-output --quiet --until end
    shows 'dr-xr-xr-x'
    mkdir tmp
    TMPDIR=$PWD/tmp without_overlay run ./work.yaml --show-output --quiet --until end
    shows 'dr-xr-xr-x'
    [ -z "$(ls -A tmp)" ]
}

# bats test_tags=long
@test "a folder that is too large to be copied" {
    prepare
    mkdir tmp
    truncate -s 300M data/large
    TMPDIR=$PWD/tmp without_overlay run ./work.yaml --show-output --quiet --until end
    refused 'cannot copy the working folder' 'more than 256 MB' 'a smaller folder' '--in-place'
    [ -z "$(ls -A tmp)" ]
    rm data/large
    (cd data && mkdir many && cd many && seq 10001 | xargs touch)
    TMPDIR=$PWD/tmp without_overlay run ./work.yaml --show-output --quiet --until end
    refused '10000 files'
    [ -z "$(ls -A tmp)" ]
    TMPDIR=$PWD/tmp without_overlay run ./work.yaml --show-output --quiet --until end --in-place
    ended 0
    [ -e data/left ]
}

@test "a folder with a mount below it is copied, and that with it" {
    unshare -Urm true || skip 'no user may mount here'
    prepare
    mkdir tmp data/mounted
    sed -i '1i ls mounted' data/work.sh
    run unshare -Urm sh -c 'mount -t tmpfs none data/mounted && touch data/mounted/inside
        TMPDIR=$PWD/tmp exec "$@"' sh "$CORUN" run "${FEW[@]}" ./work.yaml --show-output \
            --quiet --until end
    [ "$status" = 0 ]
    shows inside "in $PWD/tmp/corun-"
    [ -z "$(ls -A tmp)" ]
}

# Runs corun in mounts of its own, a mount below data: the program works in a copy.
among_mounts() {
    TMPDIR=$PWD/tmp run --separate-stderr unshare "$@" sh -c 'mount -t tmpfs none data/mounted
        exec "$0" run ./work.yaml --show-output --quiet --until end' "$CORUN"
}

@test "what a program mounts in its copy is never emptied, and the copy stays with a word" {
    unshare -Urm true || skip 'no user may mount here'
    prepare
    mkdir tmp data/mounted users
    echo precious >users/file
    sed -i "1i mkdir bound memory; touch one other; ln -s $PWD/users link" data/work.sh
    sed -i "2i mount --bind $PWD/users bound; mount -t tmpfs none memory; touch memory/file" \
        data/work.sh
    sed -i "3i mount --bind $PWD/users/file one" data/work.sh
    for as in -Urm -m; do
        [ $as = -Urm ] || [ "$(id -u)" = 0 ] || continue
        among_mounts $as
        [ "$status" = 0 ]
        says "corun: the temporary folder $PWD/tmp/corun-" ' stays: ' \
            'a file system is mounted in the folder: unmount the file system'
        [ "$(cat users/file)" = precious ]
        [ "$(cd tmp/corun-* && find . | sort | xargs)" = '. ./bound ./memory ./one' ]
        rm -r tmp/corun-*
    done
}

@test "a copy with locked folders is removed" {
    unshare -Urm true || skip 'no user may mount here'
    prepare
    mkdir tmp data/mounted
    sed -i '1i mkdir -p a/b c/d e; touch a/b/file c/d/file; chmod 0 a/b e; chmod 500 c/d c a .' \
        data/work.sh
    sed -i 's/exec/exec 2>&1; exec/' data/work.sh
    among_mounts -Urm
    [ "$status" = 0 ]
    [ -z "$stderr" ]
    [ -z "$(ls -A tmp)" ]
}

@test "with corun killed its programs end, and its copies go" {
    mkdir data tmp
    printf 'app: long\nprogram: [%s, long]\ncwd: data\n' "$(program calls)" >long.yaml
    for how in '' 'echo 0 >/proc/sys/user/max_mnt_namespaces;'; do
        [ -z "$how" ] || unshare -Ur true || continue
        rm -f out.txt
        TMPDIR=$PWD/tmp ${how:+unshare -Ur} sh -c "$how"' exec "$@"' sh "$CORUN" run \
            "${FEW[@]}" ./long.yaml --show-output >out.txt 2>err.txt &
        ends_with_corun $!
        for i in $(seq 100); do
            [ -n "$(ls -A tmp)" ] || break
            sleep 0.1
        done
        [ -z "$(ls -A tmp)" ]
    done
}

@test "with corun killed a program ends that makes no call" {
    printf 'app: idle\nprogram: [/bin/sh, -c, "echo $$; exec sleep 30"]\n' >idle.yaml
    "$CORUN" run "${FEW[@]}" ./idle.yaml --show-output >out.txt 2>err.txt 3>&- &
    corun=$!
    until grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.05; done
    pid=$(grep -m1 '^[0-9][0-9]*$' out.txt)
    kill -9 $corun
    wait $corun || true
    gone "$pid"
}

@test "with corun killed all ends that a program has started" {
    printf 'app: idle\nprogram: [/bin/sh, -c, "sleep 30 & echo $!; wait"]\n' >idle.yaml
    for signal in TERM KILL; do
        "$CORUN" run "${FEW[@]}" ./idle.yaml --show-output >out.txt 2>err.txt 3>&- &
        corun=$!
        until grep -q '^[0-9][0-9]*$' out.txt; do sleep 0.05; done
        pid=$(grep -m1 '^[0-9][0-9]*$' out.txt)
        kill -$signal $corun
        wait $corun || true
        gone "$pid"
        rm out.txt
    done
}

@test "what leaves a program's session ends with the program, and with corun" {
    cat >leave.sh <<'END'
daemon='trap "" TERM HUP INT; echo $$; exec <&- >&- 2>&-; while :; do sleep 30; done'
(setsid sh -c "$daemon" &)
setsid sh -c "setsid sh -c '$daemon' &"
until [ "$(grep -c . out.txt)" = 2 ]; do sleep 0.05; done
[ -z "$1" ] || sleep 30
END
    "$CORUN" cuda --quiet /bin/sh leave.sh >out.txt 2>err.txt 3>&-
    for pid in $(cat out.txt); do gone "$pid"; done
    for signal in TERM KILL; do
        "$CORUN" cuda --quiet /bin/sh leave.sh stay >out.txt 2>err.txt 3>&- &
        corun=$!
        until [ "$(grep -c . out.txt)" = 2 ]; do sleep 0.05; done
        kill -$signal $corun
        wait $corun || true
        for pid in $(cat out.txt); do gone "$pid"; done
    done
}

@test "corun cuda leaves what the first execution writes, corun run only in place" {
    prepare
    cd data
    small cuda --quiet --until window --cycles 4000 --policy sequential /bin/sh work.sh
    ended 0
    [ "$(cat left)" = more ]
    rm -r left below
    small run 'cuda:/bin/sh work.sh' --quiet --until window --cycles 4000
    ended 0
    [ "$(wc -l <sh.stdout)" = 2 ]
    [ ! -e left ]
    small run 'cuda:/bin/sh work.sh' --quiet --until window --cycles 4000 --in-place
    ended 0
    [ "$(wc -l <left)" -gt 1 ]
}

# bats test_tags=long
@test "an isolated run is kept when the inputs are listed" {
    prepare
    own_cache
    beside() { small run ./work.yaml --policy spatial --json - "$@"; ended 0; }
    beside
    [ "$(kept)" = 0 ]
    add 'inputs: [data/work.sh]'
    beside
    [ "$(kept)" = 1 ]
    first=$(mtimes)
    beside
    [ "$(mtimes)" = "$first" ]
    echo '# another' >>data/work.sh # each of these gives another run
    beside
    [ "$(kept)" = 2 ]
    change 's/hello/hallo/'
    beside
    [ "$(kept)" = 3 ]
    change 's/a  b/a b/'
    beside
    [ "$(kept)" = 4 ]
    change 's/inputs: .*/inputs: []/'
    beside
    [ "$(kept)" = 5 ]
    change 's/cwd: data/cwd: .\/data\//' # gives the same run
    beside
    [ "$(kept)" = 5 ]
    cp -r data other
    change 's/cwd: .*/cwd: other/' # relative paths now lead elsewhere
    beside
    [ "$(kept)" = 6 ]
}

# bats test_tags=long
@test "the program's bytes and those of its libraries are in the key" {
    own_cache
    mkdir libraries
    cp "$VECADD" vecadd
    echo 'int extra(void) { return 1; }' >extra.c
    echo 'int extra(void) { return 2; }' >other.c
    printf '#include <unistd.h>\nint extra(void);\nint main(int n, char **a) { (void)n;
        if (extra() > 2) return 1; execv(a[1], a + 1); return 1; }\n' >main.c
    cc -shared -fPIC -o libraries/libextra.so extra.c
    cc -o main main.c -Llibraries -lextra
    printf 'app: linked\nprogram: [./main, %s, "3000"]\ninputs: []\n' "$VECADD" >linked.yaml
    printf 'env: {LD_LIBRARY_PATH: %s/libraries}\n' "$PWD" >>linked.yaml
    beside() { small run ./linked.yaml --policy spatial --json -; ended 0; }
    beside
    beside
    [ "$(kept)" = 1 ]
    cc -shared -fPIC -o libraries/libextra.so other.c
    beside
    [ "$(kept)" = 2 ]
    cc -O2 -o main main.c -Llibraries -lextra
    beside
    [ "$(kept)" = 3 ]
}

# bats test_tags=long
@test "libraries by paths that are relative to the folder are in the key, too" {
    own_cache
    mkdir -p work/libraries
    cp "$VECADD" work/vecadd
    echo 'int extra(void) { return EXTRA; }' >extra.c
    printf '#include <unistd.h>\nint extra(void);\nint second(void);
        int main(int n, char **a) { (void)n;
        if (extra() + second() > 20) return 1; execv(a[1], a + 1); return 1; }\n' >main.c
    cc -DEXTRA=1 -shared -fPIC -o work/libextra.so extra.c
    cc -DEXTRA=1 -Dextra=second -shared -fPIC -o work/libraries/libsecond.so extra.c
    (cd work && cc -o main ../main.c ./libextra.so -Llibraries -lsecond) # no soname: a path
    printf 'app: linked\nprogram: [work/main, ./vecadd, "3000"]\ninputs: []\n' >linked.yaml
    printf 'cwd: work\nenv: {LD_LIBRARY_PATH: libraries}\n' >>linked.yaml
    beside() { small run ./linked.yaml --policy spatial --json -; ended 0; }
    beside
    beside
    [ "$(kept)" = 1 ]
    cc -DEXTRA=2 -shared -fPIC -o work/libextra.so extra.c
    beside
    [ "$(kept)" = 2 ]
    cc -DEXTRA=2 -Dextra=second -shared -fPIC -o work/libraries/libsecond.so extra.c
    beside
    [ "$(kept)" = 3 ]
}

# bats test_tags=long
@test "what is not deterministic or fails is never kept" {
    own_cache
    printf 'app: t\nprogram: [%s, calls]\ninputs: []\n' "$(program threads)" >t.yaml
    small run ./t.yaml --policy spatial --json -
    ended 0
    holds 'any("not deterministic" in w["text"] for w in d["warnings"])'
    [ "$(kept)" = 0 ]
    printf 'app: t\nprogram: [%s, exit, "3"]\ninputs: []\n' "$(program calls)" >t.yaml
    small run ./t.yaml --policy spatial --json -
    ended 1
    says 'exit status 3'
    [ "$(kept)" = 0 ]
    printf 'app: t\nprogram: [%s]\ninputs: []\n' "$VECADD" >t.yaml
    small run ./t.yaml --policy spatial --json - --set host.scale=0.1
    ended 0
    [ "$(kept)" = 0 ]
}

# bats test_tags=long
@test "in compare, profiles and sweeps as any app" {
    prepare
    own_cache
    add 'inputs: [data/work.sh]'
    small compare ./work.yaml vecadd:size=test --policies leftover,spatial --json - \
        --until window --cycles 3000
    ended 0
    holds 'len(d["runs"]) == 2'
    small profile ./work.yaml --cycles 3000
    ended 0
    shows work
    printf 'apps: [[./work.yaml, "vecadd:size=test"]]\npolicies: [leftover, spatial]\n' >s.yaml
    echo 'rules: {until: window, cycles: 3000}' >>s.yaml
    printf 'gpus: [maxwell16]\noptions: {sm.count: 2, map.channels: 1}\n' >>s.yaml
    corun sweep s.yaml -o s.db --dry-run
    ended 0
    corun sweep s.yaml -o s.db --quiet
    ended 0
    corun export s.db --csv t.csv
    ended 0
    [ "$(grep -c '\bwork\b' t.csv)" -ge 2 ]
    corun sweep s.yaml -o s.db --dry-run
    ended 0
    [ "$(ls data)" = work.sh ]
}

@test "a sweep of programs that are never kept has its cache for the others" {
    own_cache
    printf 'app: t\nprogram: [%s, calls]\ninputs: []\n' "$(program threads)" >t.yaml
    printf 'app: v\nprogram: [%s]\n' "$VECADD" >v.yaml
    printf 'apps: [./t.yaml, ./v.yaml, "mm:size=test"]\npolicies: [spatial]\n' >s.yaml
    echo 'options: {sm.count: 2, map.channels: 1}' >>s.yaml
    corun sweep s.yaml --isolated-only --quiet
    ended 0
    [ "$(kept)" = 1 ]
    corun sweep s.yaml -o s.db --quiet
    ended 0
    [ "$(kept)" = 1 ]
}

# bats test_tags=long
@test "mistakes have their place" {
    prepare
    wrong() { # an error at the line
        small run ./work.yaml --alone skip
        refused "${@:3}"
        placed ./work.yaml "$1" "$2"
        prepare_again
    }
    prepare_again() { rm -r data && prepare; }
    change 's/^program/progam/'
    wrong 2 progam "unknown key 'progam'" "did you mean 'program'"
    change 's/\/bin\/sh/.\/none/'
    wrong 2 ./none 'cannot run ./none: No such file' 'relative to the file'
    change 's/\/bin\/sh/none-such/'
    wrong 2 none-such "no program 'none-such' on PATH" './none-such'
    change 's/\/bin\/sh/.\/work.yaml/'
    wrong 2 ./work.yaml 'cannot run ./work.yaml'
    change 's/^program: .*/program: []/'
    wrong 2 '[]' 'beginning with the program' './a.out'
    change 's/^program: .*/program: [""]/'
    wrong 2 '""' 'expected the name of a program'
    change 's/^program: .*/program: .\/a.out 1/'
    wrong 2 ./a.out "'program' must be a list, not a single value"
    change 's/"a  b"/[1]/'
    wrong 2 '[1]' 'must be a text, not a list'
    change 's/^cwd: .*/cwd: none/'
    wrong 3 none 'cannot work in ./none: No such file'
    change 's/^cwd: .*/cwd: data\/work.sh/'
    wrong 3 data 'not a folder'
    change 's/WORD/WO=RD/'
    wrong 4 WO=RD "a variable's name" 'NAME: VALUE'
    change 's/hello/[1]/'
    wrong 4 '[1]' 'must be a single value'
    change 's/^cwd: .*/cwd: \//'
    small run ./work.yaml --alone skip
    refused 'the working folder /: the root folder holds everything; name a smaller folder'
    prepare_again
    add 'inputs: [none.txt]'
    wrong 5 none.txt 'cannot read ./none.txt: No such file' 'relative to the app file'
    add 'inputs: [data]'
    wrong 5 'data]' 'is a directory'
    add 'launches: []'
    wrong 5 launches "'launches' does not go with 'program'"
    add 'module: x.ptx' 'buffers: {}'
    wrong 6 buffers "'buffers' does not go with 'program'" "'module' does not go with 'program'"
    change 's/^program: .*/module: x.ptx/'
    wrong 3 cwd "'cwd' goes with 'program' only" "'env' goes with 'program' only"
    change '2,4d'
    wrong 1 app "lacks the key 'module'" "program: [./a.out"
    change 's/^app: .*/app: "a b"/'
    wrong 1 '"a b"' "an app's name"
}

@test "a program is called by the name that it has, links and all" {
    ln -s /bin/sh named
    printf 'app: n\nprogram: [./named, -c, "echo called $0"]\n' >n.yaml
    small run ./n.yaml --show-output --quiet --until end
    ended 0
    shows "called $PWD/named"
    PATH=:$PATH small run 'cuda:named -c "echo here"' --show-output --quiet --until end
    ended 0 # an empty part of PATH is the current folder
    shows here
}
