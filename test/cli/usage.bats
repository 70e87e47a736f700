#!/usr/bin/env bats
# The commands, their help, and unknown names.
load common

@test "help and version go to standard output" {
    corun --help
    ended 0
    shows run compare list show ptx
    corun --version
    ended 0
    [[ $output =~ ^corun\ [0-9]+\.[0-9]+\.[0-9]+(\ \([0-9a-f]{12,}(-dirty)?\))?$ ]]
    version=$output
    corun -V
    ended 0
    [ "$output" = "$version" ]
    corun -V run
    refused "takes nothing else"
}

@test "the help says what an exit status means" {
    corun --help
    for meaning in '0 done' '1 the simulated run' '2 the input' '3 an internal' '130 interrupted' \
        '143 by SIGTERM'; do
        shows "$meaning"
    done
}

# bats test_tags=long
@test "help of the help, of a command, of none" {
    corun --help
    all=$output
    corun help
    ended 0
    [ "$output" = "$all" ]
    for command in run compare sweep report list show profile check ptx help; do
        [[ $all == *"corun $command "* ]]
        corun "$command" --help
        long=$output
        corun help "$command"
        ended 0
        [ "$output" = "$long" ]
    done
    corun help runn
    refused "unknown command 'runn'" "'run'"
    corun help run list
    refused "one command"
}

@test "help of list names every list" {
    corun list
    refused
    named=$(grep -oE 'note: [a-z_]+' <<<"$stderr" | cut -c 7-)
    [[ $named == *parameters* ]]
    corun help list
    ended 0
    for name in $named; do grep -qE "^  $name +[a-zA-Z]" <<<"$output"; done
    corun help
    shows parameters
}

@test "results name the commit as --version does" {
    corun -V
    commit=$(sed -nE 's/.*\((.*)\)/\1/p' <<<"$output")
    for command in 'run vecadd:size=test --alone skip' 'profile vecadd:size=test --cycles 500'; do
        corun $command --quiet --json -
        ended 0
        holds "d['commit'] == ('$commit' or None)"
    done
}

# bats test_tags=long
@test "the commit is no part of a key, any other byte of the binary is" {
    commit=$("$CORUN" -V | sed -nE 's/.*\((.*)\)/\1/p')
    [ -n "$commit" ] || skip "not built in a git checkout"
    copy() { # copies the binary, changing a few bytes
        python3 - "$CORUN" "$1" "$2" <<'END'
import sys
binary, old, new = open(sys.argv[1], 'rb').read(), *(a.encode() for a in sys.argv[2:])
assert binary.count(old) == 1 and len(new) <= len(old)
open('copy', 'wb').write(binary.replace(old, new.ljust(len(old), b'\0')))
END
        chmod +x copy
    }
    entries() {
        CORUN_CACHE=$PWD/cache "$1" run vecadd:size=test --policy leftover --quiet
        ls cache
    }
    first=$(entries "$CORUN")
    copy "$commit" 0123456789ab
    [[ $(./copy -V) == *'(0123456789ab)' ]]
    [ "$(entries ./copy)" = "$first" ]
    copy 'expected a command' 'Expected a command'
    [ "$(entries ./copy | wc -l)" = 2 ]
}

@test "every command has its help" {
    for command in run compare sweep report list show profile check ptx; do
        corun "$command" --help
        ended 0
        shows "$command"
    done
}

@test "help of run names every option of the contract" {
    corun run --help
    ended 0
    shows --gpu --set --policy --until --cycles --instructions --json --csv --text --alone \
        --skip --seed --threads --progress --quiet
}

@test "no command is an error that shows the way" {
    corun
    refused --help
}

@test "an error in an argument names no position; a caret only below a part of the argument" {
    corun foo
    refused
    [ "$stderr" = "error: unknown command 'foo'"$'\n    note: corun --help shows the commands' ]
    corun run mm:size=test --gpu nothing
    [[ $stderr == "error: unknown machine 'nothing'"* && $stderr != *^* ]]
    corun run synth:regs=24,bla=3
    refused "error: workload synth has no parameter 'bla'"
    pointed synth:regs=24,bla=3 15
    corun run vecadd:size=test --policy spatial+nothing
    pointed spatial+nothing 9
    printf 'base: maxwell16\nl1: {wais: 4}\n' >own.yaml # an error in a file keeps its position
    corun run mm:size=test --gpu ./own.yaml
    refused "./own.yaml:2:6: error: unknown option 'l1.wais'"
}

@test "an unknown command names the nearest" {
    corun runn mm
    refused runn "'run'"
}

@test "an unknown option names the nearest" {
    corun run mm:size=test --polcy spatial
    refused --polcy "--policy"
}

@test "an option without its value" {
    corun run mm:size=test --policy
    refused --policy
}

@test "an unknown workload names the nearest" {
    corun run vecad
    refused vecad "'vecadd'"
}

@test "a name that is not near is not proposed" {
    corun run foo
    refused "unknown workload 'foo'"
    [[ $stderr != *"did you mean"* ]]
    corun run mm:size=test --gpu rtx3090
    refused "unknown machine 'rtx3090'"
    [[ $stderr != *"did you mean"* ]]
}

@test "an unknown parameter of a workload names the nearest" {
    corun run bfs:nodse=1024
    refused nodse "'nodes'"
}

@test "a workload's parameter out of range or no number" {
    corun run bfs:nodes=-4
    refused nodes
    corun run bfs:nodes=many
    refused nodes many
    corun run bfs:nodes=64,
    refused "expected key=value" "corun list parameters"
    corun run bfs:size=huge
    refused size huge
}

@test "an unknown policy names the nearest" {
    corun run mm:size=test --policy spatiall
    refused spatiall "'spatial'"
}

@test "an unknown option of a policy names the nearest" {
    corun run mm:size=test bfs:size=test --policy 'spatial[spilt=even]'
    refused spilt "'split'"
}

# bats test_tags=long
@test "a policy's option with a wrong value" {
    corun run mm:size=test bfs:size=test --policy 'spatial[split=odd]'
    refused split odd
    corun run mm:size=test bfs:size=test --policy 'spatial[split=20/20]'
    refused "error: policy 'spatial': split adds up to 40 SMs"
    pointed 'spatial[split=20/20]' 15
    corun run mm:size=test bfs:size=test --policy 'fair+spatial[split=0/16]'
    refused "error: policy 'spatial': split gives an app no SM"
    pointed 'fair+spatial[split=0/16]' 20
    corun run mm:size=test bfs:size=test --policy 'fair+spatial[split=20/20,split=1/2]'
    refused "'split' is given twice"
    corun compare mm:size=test bfs:size=test --policies 'leftover,spatial[split=20/20]'
    refused "error: policy 'spatial'"
    pointed 'spatial[split=20/20]' 15
    corun run mm:size=test bfs:size=test --policy 'spatial[split=even'
    refused
}

@test "two mechanisms for the same group are named" {
    corun run mm:size=test bfs:size=test --policy leftover+spatial
    refused leftover spatial
}

@test "a ninth app, and one that does not fit" {
    corun run mm mm mm mm mm mm mm mm bfs
    refused "error: 9 apps, at most 8"
    pointed bfs 1
    corun run mm:size=test --set sm.threads=128 --alone skip
    refused "error: app mm: launch of" "does not fit an SM"
    pointed mm:size=test 1
}

@test "an unknown GPU names the nearest" {
    corun run mm:size=test --gpu maxwel16
    refused maxwel16 "'maxwell16'"
}

@test "a GPU file that is not there" {
    corun run mm:size=test --gpu ./nowhere.yaml
    refused nowhere.yaml ' ^' "relative to the current folder"
    corun run mm:size=test --gpu maxwell16,rtx2060
    refused "corun profile takes several"
}

@test "an unknown machine key names the nearest" {
    corun run mm:size=test --set l1.wais=8
    refused l1.wais "'l1.ways'"
}

@test "a machine value out of range, of a wrong kind, or missing" {
    corun run mm:size=test --set l1.ways=0
    refused l1.ways
    corun run mm:size=test --set l1.ways=four
    refused l1.ways four
    corun run mm:size=test --set sm.scheduler=gtoo
    refused sm.scheduler gtoo
    corun run mm:size=test --set l1.ways
    refused l1.ways
}

@test "option values that are no values" {
    corun run mm:size=test --until noon
    refused noon
    corun run mm:size=test --cycles -1
    refused --cycles
    corun run mm:size=test --cycles 99999999999999999999999999
    refused --cycles
    corun run mm:size=test --skip maybe
    refused maybe
    corun run mm:size=test --alone never
    refused never
    corun run mm:size=test --seed x
    refused --seed
    corun run mm:size=test --threads 0
    refused --threads
    corun run mm:size=test --progress loud
    refused loud
    corun run mm:size=test --interval 0 --csv -
    refused "from 100 to 1000000000000000000"
}

@test "run without an app" {
    corun run
    refused
}

@test "more apps than a run can hold" {
    corun run mm mm mm mm mm mm mm mm mm
    refused
}

@test "list names what is there" {
    corun list gpus
    ended 0
    shows maxwell16 fermi30 gtx980 maxwell16-duet rtx2060 turing a100 h100 h200 rtx4090 rtx5090
    corun list values
    ended 0
    shows maxwell16-duet dram.bus_bytes
    corun list policies
    ended 0
    shows leftover sequential spatial 'preempt: how blocks leave'
    for policy in sequential mias oracle fair ideal; do # a line each
        [ "$(grep -cE "^$policy +[0-9 ]+ [A-Z].*\.$" <<<"$output")" = 1 ]
    done
    corun list policy_options
    ended 0
    shows 'mias[metric=]' 'fixed[blocks=]'
    corun list hooks
    ended 0
    shows 'an SM has more blocks of a kernel than the target'
    corun list workloads
    ended 0
    shows vecadd mm stencil bfs spmv hotspot kmeans gups class limiter '000 hs'
    corun list parameters
    ended 0
    shows bfs:nodes= 65536
    corun list stats
    ended 0
    shows inst.warp l1.misses dram.bytes stall.raw
    corun list options
    ended 0
    shows l1.ways policy.patience
    corun list opcodes
    ended 0
    shows fma setp atom shfl
    corun list workloadz
    refused workloadz "'workloads'"
}

@test "show tells one thing" {
    corun show gpu maxwell16
    ended 0
    shows l1.ways
    corun show policy spatial
    ended 0
    shows split
    corun show workload bfs
    ended 0
    shows nodes algorithm ptxas 'paper 001, BFS2' l2.mpki 5.3
    corun show workload nothing
    refused nothing
    corun show
    refused
}

@test "no colour when not a terminal" {
    corun run nothing
    [[ $stderr != *$'\e'* ]]
    corun list gpus
    [[ $output != *$'\e'* ]]
}

@test "shipped machines and programs are found from any folder" {
    cd /
    corun show gpu maxwell16
    ended 0
    corun run vecadd:size=test --alone skip --quiet --json -
    ended 0
    holds "d['apps'][0]['checked'] is True"
}

# bats test_tags=long
@test "an app that is a program, a CUDA source or a module: how it is run" {
    cp /bin/true infer
    printf '#!/bin/sh\n' >script
    chmod +x script
    printf 'int main() {}\n' >x.cu
    for command in run compare profile model; do
        options=''
        [ $command != compare ] || options='--policies leftover'
        for app in ./infer infer "$PWD/infer" script; do
            # shellcheck disable=SC2086
            corun $command $app $options
            path=$app
            [[ $app == */* ]] || path=./$app
            refused "note: give a program as 'cuda:$path'"
        done
        # shellcheck disable=SC2086
        corun $command x.cu $options
        refused "note: compile the file: corun cc x.cu -o x; then give the program as 'cuda:./x'"
        # shellcheck disable=SC2086
        corun $command ./scale.ptx $options
        refused "./scale.ptx is not an app file" "write an app file with module: ./scale.ptx"
    done
    printf '%s\n' 'apps: [./infer]' 'policies: leftover' >s.yaml
    corun sweep s.yaml -o r.db
    refused "s.yaml:1:8: error: ./infer is not an app file" "cuda:./infer"
    chmod +x scale.yaml # as on file systems where all files are
    corun run ./scale.yaml --alone skip
    ended 0
    corun run inferior
    refused "unknown workload 'inferior'"
    [[ $stderr != *cuda:* ]]
}

@test "nw:first= begins on the GPU at this antidiagonal of tiles" {
    for first in 1 3 11 50; do
        corun run nw:size=test,first=$first --json - --alone skip # of 11 antidiagonals
        holds "d['apps'][0]['checked'] and
            d['apps'][0]['launches'] == max(12 - $first, 1)"
    done
}

@test "registers= sets the registers per thread of a workload's kernels" {
    corun run mm:size=test,registers=62 --json - --alone skip
    ended 0
    holds "d['apps'][0]['kernels'][0]['registers_per_thread'] == 62"
    for spec in mm mm:registers=62; do # the cache has a run of each
        corun run $spec --until window --cycles 20000 --json -
        holds "d['apps'][0]['normalized_ipc'] == 1"
    done
    corun run mm:registers=256
    pointed mm:registers=256 14
    refused "error: registers must be a whole number from 1 to 255"
}
