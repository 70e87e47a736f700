#!/usr/bin/env bats
# Bandwidth of bulk copies (cp.async.bulk) and of copies of boxes (cp.async.bulk.tensor) from global
# to shared memory, on an eighth of an H100: 16 SMs and 10 channels of 16 bytes at 2619 MHz, 211.6
# bytes a cycle of 1980 MHz.
load common.bash

MACHINE=(--gpu h100 --set launch.latency_ns=0 --set launch.gap_ns=0 --set sm.count=16
    --set sm.gpcs=16 --set map.channels=10)

# cycles_of APP: cycles until the end of the last launch.
cycles_of() {
    corun run "$1" "${MACHINE[@]}" --until end --alone skip --quiet --json -
    ended 0
    cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' <<<"$output")
}

# app BYTES LAUNCH...: cycles of launches of bulk.ptx by 16 blocks, from a buffer of BYTES.
app() {
    local bytes=$1 launch
    shift
    cp "$HERE/bulk.ptx" .
    cat >bulk.yaml <<END
app: bulk
module: bulk.ptx
buffers:
  from: {type: u8, count: $bytes, init: zero}
  map: {type: u64, count: 16, init: zero}
  out: {type: u32, count: 16}
launches:
END
    for launch in "$@"; do echo "  - {$launch}" >>bulk.yaml; done
    cycles_of ./bulk.yaml
}

# copies EACH PASSES: cycles of 16 blocks that copy EACH pieces of 16 KB PASSES times.
copies() {
    app $(($1 * 16 * 16384)) \
        "kernel: bulk, grid: 16, block: 1, args: [\$from, 16384, 8, $1, $2, \$out]"
}

# boxes EACH PASSES ACROSS: the same by boxes, ACROSS in a row of the matrix, beyond making the map.
boxes() {
    local bytes=$(($1 * 16 * 16384)) map
    map="kernel: describe, grid: 1, block: 1"
    map+=", args: [\$map, \$from, $((64 * $3)), $((bytes / 128 / $3))]"
    app $bytes "$map"
    local before=$cycles
    app $bytes "$map" "kernel: boxes, grid: 16, block: 1, args: [\$map, $3, $1, $2, \$out]"
    cycles=$((cycles - before))
}

# of_dram MB: the bandwidth at `cycles` is between nine tenths and the whole of DRAM's.
of_dram() {
    [ $(($1 * 1048576 * 10 / cycles)) -ge $((2116 * 9 / 10)) ]
    [ $(($1 * 1048576 * 10 / cycles)) -le 2116 ]
}

@test "bulk copies reach nine tenths of the bandwidth of DRAM" {
    copies 32 1
    of_dram 8
}

@test "copies of boxes reach nine tenths of the bandwidth of DRAM, in any width of the matrix" {
    boxes 32 1 1
    of_dram 8
    boxes 32 1 32
    of_dram 8
}

# like_reads CYCLES: four passes over 1 MB in L2 take as long as reads by loads, within a tenth.
# bandwidth makes a pass, then as many as told: the difference is four passes.
like_reads() {
    local short
    cycles_of bandwidth:kind=0,bytes=1048576,blocks=32,threads=512,passes=4
    short=$cycles
    cycles_of bandwidth:kind=0,bytes=1048576,blocks=32,threads=512,passes=8
    [ $(($1 * 10)) -le $(((cycles - short) * 11)) ]
    [ $(($1 * 11)) -ge $(((cycles - short) * 10)) ]
}

@test "bulk copies have the bandwidth of reads from L2, within a tenth; L1 has no part" {
    local short
    copies 4 4
    short=$cycles
    copies 4 8
    like_reads $((cycles - short))
}

@test "copies of boxes have the bandwidth of reads from L2, within a tenth, in any width" {
    local short across
    for across in 1 8; do
        boxes 4 4 $across
        short=$cycles
        boxes 4 8 $across
        like_reads $((cycles - short))
    done
}

# one_by_one BULK_CYCLES: cycles of 64 copies of 16 bytes in L2, each waited for.
one_by_one() {
    local short plain=("${MACHINE[@]}")
    MACHINE+=(--set sm.bulk_cycles="$1")
    app 4096 "kernel: bulk, grid: 1, block: 1, args: [\$from, 16, 1, 16, 3, \$out]"
    short=$cycles
    app 4096 "kernel: bulk, grid: 1, block: 1, args: [\$from, 16, 1, 16, 7, \$out]"
    cycles=$((cycles - short))
    MACHINE=("${plain[@]}")
}

@test "each bulk copy takes sm.bulk_cycles longer than its loads" {
    one_by_one 0
    local short=$cycles
    one_by_one 100
    [ $((cycles - short)) -eq $((64 * 100)) ]
}

@test "other copies to shared memory take no sm.bulk_cycles" {
    cycles_of gemm-tensor:size=test
    local before=$cycles plain=("${MACHINE[@]}")
    MACHINE+=(--set sm.bulk_cycles=1000)
    cycles_of gemm-tensor:size=test
    [ "$cycles" -eq "$before" ]
    MACHINE=("${plain[@]}")
}
