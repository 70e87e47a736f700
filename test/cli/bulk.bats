#!/usr/bin/env bats
# Bandwidth of bulk copies (cp.async.bulk) from global to shared memory, on an eighth of an H100: 16
# SMs and 10 channels of 16 bytes at 2619 MHz, 211.6 bytes a cycle of 1980 MHz.
load common.bash

MACHINE=(--gpu h100 --set launch.latency_ns=0 --set sm.count=16 --set sm.gpcs=16
    --set map.channels=10)

# cycles_of APP: cycles of the last launch.
cycles_of() {
    corun run "$1" "${MACHINE[@]}" --until end --alone skip --quiet --json -
    ended 0
    cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' <<<"$output")
}

# copies EACH PASSES: cycles of 32 blocks that copy EACH pieces of 8 KB PASSES times.
copies() {
    cp "$HERE/bulk.ptx" .
    cat >bulk.yaml <<END
app: bulk
module: bulk.ptx
buffers: {from: {type: u8, count: $(($1 * 32 * 8192)), init: zero}, out: {type: u32, count: 32}}
launches: [{kernel: bulk, grid: 32, block: 1, args: [\$from, $1, $2, \$out]}]
END
    cycles_of ./bulk.yaml
}

@test "bulk copies reach nine tenths of the bandwidth of DRAM" {
    copies 32 1
    [ $((32 * 32 * 8192 * 10 / cycles)) -ge $((2116 * 9 / 10)) ]
    [ $((32 * 32 * 8192 * 10 / cycles)) -le 2116 ]
}

# bandwidth makes a pass, then as many as told: the difference is four passes.
@test "bulk copies have the bandwidth of reads from L2, within a tenth; L1 has no part" {
    local short
    copies 4 4
    short=$cycles
    copies 4 8
    local of_copies=$((cycles - short))
    cycles_of bandwidth:kind=0,bytes=1048576,blocks=32,threads=512,passes=4
    short=$cycles
    cycles_of bandwidth:kind=0,bytes=1048576,blocks=32,threads=512,passes=8
    [ $((of_copies * 10)) -le $(((cycles - short) * 11)) ]
    [ $((of_copies * 11)) -ge $(((cycles - short) * 10)) ]
}
