#!/usr/bin/env bats
# Machines: the shipped machines, a machine file of the user, and errors in a file.
load common

@test "a shipped machine shows every value with its source" {
    for gpu in maxwell16 fermi30 gtx980 maxwell16-duet rtx2060 turing a100 h100 h200 \
        rtx4090 rtx5090; do
        corun show gpu $gpu
        ended 0
        shows "$gpu" clock.sm_mhz dram.rtpl policy.patience
        [[ $output != *"named by no file"* ]]
    done
}

@test "every option is among the values of the machines" {
    corun list options
    keys=$(grep -oE '^[a-z0-9]+\.[a-z0-9_]+ ' <<<"$output")
    corun list values
    ended 0
    for key in $keys; do shows "$key"; done
}

@test "the example of a machine of one's own" {
    cp "$HERE/../../examples/machine/big-l1.yaml" .
    corun show gpu ./big-l1.yaml
    ended 0
    shows "./big-l1.yaml:7 < maxwell16" "maxwell16 with the 48 KB L1"
    corun run vecadd:size=test --gpu big-l1.yaml --alone skip --quiet --json -
    ended 0
    holds "d['config']['l1.ways'] == {'value': 12, 'origin': 'big-l1.yaml:7'} and
           d['config']['l1.sets']['origin'] == 'maxwell16' and d['gpu'] == 'big-l1.yaml'"
}

@test "a base beside the file, and one that is not there" {
    mkdir deep
    echo 'base: fermi30' >deep/own.yaml
    echo 'base: deep/own.yaml' >own.yaml
    corun show gpu ./own.yaml
    ended 0
    shows fermi30
    echo 'base: deep/none.yaml' >own.yaml
    corun show gpu ./own.yaml
    refused
    placed ./own.yaml 1 deep/none.yaml
    echo 'base: fermi3' >own.yaml
    corun show gpu ./own.yaml
    refused "'fermi30'"
    placed ./own.yaml 1 fermi3
}

@test "machines based on each other" {
    echo 'base: ./b.yaml' >a.yaml
    echo 'base: ./a.yaml' >b.yaml
    corun show gpu ./a.yaml
    refused "based on itself" "a file without base"
    placed ./b.yaml 1 ./a.yaml
}

@test "without a base the defaults are named as such" {
    printf 'machine: bare\nl1: {ways: 4}\n' >bare.yaml
    corun show gpu ./bare.yaml
    ended 0
    shows "named by no file"
}

@test "values that contradict each other, with the place of the later" {
    printf 'base: maxwell16\ndram:\n  groups: 8\n  banks: 4\n' >own.yaml
    corun run mm:size=test --gpu ./own.yaml
    refused "dram.groups is 8, dram.banks is 4"
    placed ./own.yaml 4 4
    corun run mm:size=test --gpu gtx980 --set map.slices_per_channel=8 --set map.channels=33
    refused "map.channels is 33, map.slices_per_channel is 8"
    pointed map.channels=33 14
    printf 'base: maxwell16\nhost: {capability: 7.5}\n' >own.yaml # all of them in one run
    corun run mm:size=test --gpu ./own.yaml --set dram.rc=20 --set sm.threads=1000 --set l1.sets=48
    refused "dram.rc is 20, dram.ras is 28" "sm.threads is 1000" "l1.sets is 48" \
        "a capability of 7.0 or more needs"
    corun run mm:size=test --set dram.rc=20
    refused "dram.rc is 20, dram.ras is 28"
    corun run mm:size=test --set sm.threads=1000
    refused "sm.threads is 1000" 32
    corun run mm:size=test --set clock.dram_mhz=924.00000001
    refused "clock.dram_mhz is" "fewer decimals"
}

@test "clocks with hardly a common divisor" {
    corun run vecadd:size=test --gpu rtx2060 --set clock.dram_mhz=3500.5 --alone skip --quiet \
        --json -
    ended 0
    holds "d['config']['clock.dram_mhz']['value'] == 3500.5 and d['apps'][0]['checked'] is True"
}

# L2 hits of six reads of 2 MB on a GPU with 1 MB of L2
hits_of_a_sweep() {
    corun run bandwidth:kind=0,bytes=2097152,blocks=16,threads=512,passes=6 --gpu gtx980 \
        --set l2.sets=32 --alone skip --until end --quiet --csv - "$@"
    ended 0
    hits=$(sed -n 's/^"gpu",l2.hits,//p' <<< "$output")
}

@test "l2.candidates: draws keep a part of a sweep larger than L2, with and without skip" {
    hits_of_a_sweep
    lru=$hits
    hits_of_a_sweep --set l2.candidates=8
    half=$hits
    hits_of_a_sweep --set l2.candidates=16
    any=$hits
    [ "$half" -gt $((3 * lru)) ]
    [ "$any" -gt $((2 * half)) ]
    hits_of_a_sweep --set l2.candidates=16 --skip off --sim-threads 2
    [ "$hits" = "$any" ]
}

# Cycles of 40 * `rounds` atomics of a chain: of a launch, less the cycles of a launch with half of
# the atomics, on a GPU with one half of L2: on `words` (lane, line, one) of the memory `where`
atomics() {
    local where=$1 words=$2
    shift 2
    corun run rate:op=atomic_$where,chains=1,warps=1,blocks=1,rounds=$rounds,where=$words \
        --gpu h100 --set launch.latency_ns=0 --set map.halves=1 --alone skip --until end --quiet \
        --launches - "$@"
    ended 0
    cycles=$(python3 -c 'import csv, sys
n = [int(r["end_cycle"]) - int(r["start_cycle"]) for r in csv.DictReader(sys.stdin)]
print(n[-1] - n[-2])' <<< "$output")
}

@test "atomics take longer than loads by cycles of the machine" {
    local rounds=2 steps=80
    atomics shared lane --set sm.shared_atomic_cycles=0
    load=$cycles
    atomics shared lane --set sm.shared_atomic_cycles=30
    [ "$cycles" -eq $((load + 30 * steps)) ]
    atomics shared one --set sm.shared_atomic_pass_cycles=1
    one=$cycles
    atomics shared one --set sm.shared_atomic_pass_cycles=3
    [ "$cycles" -eq $((one + 2 * 31 * steps)) ]
    atomics shared lane --set sm.shared_atomic_cycles=0 --set sm.shared_atomic_pass_cycles=3
    [ "$cycles" -eq $((load + steps)) ] # two passes; h100 has 2 cycles
    atomics global lane --set sm.atomic_cycles=0
    load=$cycles
    atomics global lane --set sm.atomic_cycles=50
    [ "$cycles" -eq $((load + 50 * steps)) ]
    atomics global lane --set sm.atomic_cycles=50 --skip off
    [ "$cycles" -eq $((load + 50 * steps)) ]
}

# bats test_tags=long
@test "accesses of an atomic are apart by sm.atomic_word_cycles or sm.atomic_line_cycles" {
    local rounds=1 steps=40 words skip l1 more
    for l1 in banks=1 banks=4 "banks=4 --set l1.pipe_cycles=0"; do
        more=2
        for words in one line; do
            atomics global $words --set l1.$l1 --set sm.atomic_word_cycles=2 \
                --set sm.atomic_line_cycles=3
            least=$cycles
            for skip in on off; do
                atomics global $words --set l1.$l1 --set sm.atomic_word_cycles=4 \
                    --set sm.atomic_line_cycles=4 --skip $skip
                [ "$cycles" -eq $((least + more * 31 * steps)) ]
            done
            more=1
        done
    done
}

# Cycles of 512 hops of a chase beyond L1, in `hops`
hops() {
    local cycles
    corun run chase:bytes=65536,warm=0,own=0,hops=512 --gpu h100 --set launch.latency_ns=0 \
        --set map.halves=1 --alone skip --until end --quiet --launches - "$@"
    ended 0
    cycles=($(python3 -c 'import csv, sys
for r in csv.DictReader(sys.stdin): print(int(r["end_cycle"]) - int(r["start_cycle"]))' \
        <<< "$output"))
    hops=$((cycles[-1] - cycles[-2]))
}

@test "a load that bypasses L1 takes l1.bypass_cycles more, on an h100 as long as a miss" {
    hops --set l1.bypass=true --set l1.bypass_cycles=0
    load=$hops
    hops --set l1.bypass=true --set l1.bypass_cycles=40
    [ "$hops" -gt $((load + 39 * 512)) ] # DRAM's refresh moves a little
    [ "$hops" -lt $((load + 41 * 512)) ]
    hops --set l1.bypass=true
    bypass=$hops
    hops
    miss=$hops
    [ "$bypass" -gt $((miss - 512)) ]
    [ "$bypass" -lt $((miss + 512)) ]
    hops --set l1.bypass_cycles=40
    [ "$hops" -eq "$miss" ]
}

# Cycles of a copy, --csv
copy_cycles() {
    corun run bandwidth:kind=$1,bytes=1048576,blocks=32,threads=256,passes=4 --gpu maxwell16 \
        --alone skip --until end --quiet --csv - "${@:2}"
    ended 0
    cycles=$(sed -n 's/^"gpu",cycles,//p' <<< "$output")
}

@test "flits to L2 of their own size slow stores, not loads" {
    copy_cycles 1
    stores=$cycles
    copy_cycles 1 --set xbar.request_flit_bytes=32
    [ "$cycles" -eq "$stores" ]
    copy_cycles 1 --set xbar.request_flit_bytes=8
    [ "$cycles" -gt $((2 * stores)) ]
    copy_cycles 0
    loads=$cycles
    copy_cycles 0 --set xbar.request_flit_bytes=8 # each thread stores its sum in the end
    [ "$cycles" -lt $((loads * 11 / 10)) ]
}

@test "xbar.sm_bytes limits the stores of each SM" {
    one() {
        copy_cycles 1 --set xbar.sm_bytes=$1 --set sm.count=$2 "${@:3}"
    }
    one 0 1
    stores=$cycles
    one 136 1
    [ "$cycles" -le $((stores * 11 / 10)) ]
    one 8 1
    slow=$cycles
    [ "$slow" -gt $((5 * stores)) ]
    # 5 passes over 8,192 lines, of 136 bytes with the header
    [ "$slow" -ge $((5 * 8192 * 17)) ]
    [ "$slow" -lt $((5 * 8192 * 18)) ]
    one 8 1 --skip off
    [ "$cycles" -eq "$slow" ]
    one 8 2
    [ "$cycles" -lt $((slow * 6 / 10)) ]
}

@test "bandwidth with ordered=1: right sums and vectors; a warp waits for each pair or group" {
    local kind ordered cycles=()
    for kind in 0 1 2 3 4; do
        for ordered in 0 1; do
            corun run bandwidth:kind=$kind,bytes=300016,blocks=2,threads=32,ordered=$ordered \
                --gpu h100 --alone skip --until end
            ended 0
            [[ $output =~ 'completed after '([0-9]+) ]]
            cycles[ordered]=${BASH_REMATCH[1]}
            shows ' yes '
        done
        [ "$kind" -eq 1 ] || [ "${cycles[1]}" -gt $((cycles[0] * 13 / 10)) ]
    done
}
