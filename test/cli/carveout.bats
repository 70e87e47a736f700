#!/usr/bin/env bats
# Carve-outs: shared memory and L1 of an SM are one memory (sm.carveouts).
load common

UNIFIED='a100=192 h100=256 h200=256 rtx4090=128 rtx5090=128'

# GPU KB ARGUMENTS: prints "flat" if loads from a ring of KB KB, read by the block before, take the
# time of an L1 hit, and else "slow".
ring() {
    local bytes=$(($2 * 1024))
    "$CORUN" run "chase:bytes=$bytes,own=$bytes,warm=0,hops=2048,$3" --gpu "$1" --until end \
        --alone skip --quiet --launches launches.csv
    awk -F, '{ before = last; last = $0 } NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        END { split(before, a, ","); split(last, b, ","); s = at["start_cycle"]; e = at["end_cycle"]
              print (b[e] - b[s] - a[e] + a[s]) / 2048 < 40 ? "flat" : "slow" }' launches.csv
}

# Writes an app file with a kernel: name, grid, shared bytes, further keys, rounds of a loop.
spin() {
    cat >spin.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 rounds)
{
    .reg .b64 %d;
    .reg .b32 %r<4>;
    .reg .pred %p;
    .local .align 4 .b8 own[512];
    ld.param.u64 %d, [out];
    ld.param.u32 %r1, [rounds];
    mov.u32 %r2, 1;
    ld.local.u32 %r3, [own];
again:
    st.local.u32 [own], %r2;
    mad.lo.u32 %r2, %r2, %r2, %r1;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p, %r1, 0;
    @%p bra again;
    st.global.u32 [%d], %r2;
    ret;
}
END
    cat >"$1.yaml" <<END
app: $1
module: spin.ptx
buffers: {out: {type: u32, count: 1, init: zero}}
steps:
  - {kernel: spin, grid: $2, block: 64, shared_bytes: $3, args: [\$out, ${5:-2000}]${4:+, $4}}
END
}

# Runs small.yaml, for 32 KB of shared memory on an H100, and large.yaml, for 196 KB.
together() {
    corun run small.yaml large.yaml --gpu h100 --set sm.count=2 --set map.halves=1 \
        --set map.channels=1 --set launch.latency_ns=0 --alone skip --until end --quiet --json - \
        "$@"
    ended 0
}

@test "L1 has the rest of the unified memory, on each machine" {
    for machine in $UNIFIED; do
        gpu=${machine%=*} kb=${machine#*=}
        [ "$(ring "$gpu" $((kb - 8)) shared=0)" = flat ]
        [ "$(ring "$gpu" $((kb - 7)) shared=0)" = slow ]
        [ "$(ring "$gpu" $((kb - 32)) shared=20000,carveout=0)" = flat ] # and 1 KB of the system
        [ "$(ring "$gpu" $((kb - 31)) shared=20000,carveout=0)" = slow ]
        [ "$(ring "$gpu" 28 carveout=100)" = flat ]
        [ "$(ring "$gpu" 29 carveout=100)" = slow ]
    done
}

@test "L1 ends where it ends on an H100 and an H200" {
    # shared bytes, last size with the latency of a hit, second size without, as measured
    command python3 - "$HERE/../silicon/h100.jsonl" >h100 <<'END'
import json
import sys
rows = {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    if row['row'] == 'carveout':
        hits = sorted(row['cycles'])[5] < 40
        rows.setdefault(row['shared'], {True: [], False: []})[hits].append(row['bytes'] // 1024)
for shared, of in rows.items():
    print(shared, max(of[True]), sorted(of[False])[1])
END
    [ "$(wc -l <h100)" = 10 ]
    while read -r shared last beyond; do
        [ "$(ring h100 "$last" "shared=$shared,carveout=0")" = flat ]
        [ "$(ring h100 "$beyond" "shared=$shared,carveout=0")" = slow ]
    done <h100
}

@test "the carve-out that a kernel wants, and its occupancy" {
    # shared bytes, preference: carve-out in KB, blocks per SM, limit of a block of 64 threads
    while read -r shared prefers wants blocks limiter; do
        prefers=${prefers#-}
        spin k 1 "$shared" "${prefers/=/: }"
        corun run k.yaml --gpu h100 --alone skip --quiet --json -
        ended 0
        holds "(lambda k: [k['carveout_bytes'], k['blocks_per_sm'], k['limiter']])(
                d['apps'][0]['kernels'][0]) == [$wants * 1024, $blocks, '$limiter']"
    done <<'END'
0      -            32   32  threads
2048   -            100  32  threads
65536  -            196  3   shared
8192   -            228  25  shared
8192   carveout=0   16   1   shared
8192   carveout=1   16   1   shared
8192   carveout=25  64   7   shared
8192   carveout=58  164  18  shared
8192   carveout=100 228  25  shared
0      carveout=100 228  32  threads
232448 carveout=0   228  1   shared
END
    corun profile k.yaml --gpu h100
    ended 0
    shows carve-out 233,472
    corun profile k.yaml --gpu maxwell16 --set sm.shared_bytes=240000
    ended 0
    [[ $output != *carve-out* ]]
    spin k 1 232449
    corun run k.yaml --gpu h100 --alone skip
    refused "a block needs 232449 bytes of shared memory, an SM has 232448"
    spin k 1 0 'carveout: 101'
    corun run k.yaml --gpu h100 --alone skip
    refused "carveout must be a whole number from 0 to 100"
    says k.yaml:5: 'carveout: 101}'
}

@test "lists that are no carve-outs of the machine" {
    for list in 0/8 8/8/228 16/8/228 0/8/228/ /8/228 0,8,228 0/8/x/228 0/8/256; do
        corun run mm:size=test --gpu h100 --set sm.carveouts=$list
        refused "sm.carveouts is $list" "give none, or sizes in KB that ascend to sm.shared_bytes"
        pointed "sm.carveouts=$list" 14
    done
    corun run mm:size=test --gpu h100 --set sm.shared_bytes=262144 --set sm.carveouts=0/256
    refused "L1 keeps at least a way"
    corun run mm:size=test --gpu h100 --set sm.allocator=first-fit
    refused "with a list of carve-outs give sm.allocator=counters"
    corun run mm:size=test --gpu h100 --set l1.ways_launched=64
    refused "l1.ways_launched is 64"
    corun run mm:size=test --gpu h100 --set sm.shared_reserved_bytes=65536 --set sm.carveouts=none \
        --set sm.shared_bytes=8192
    refused "sm.shared_reserved_bytes is 65536, sm.shared_bytes is 8192"
}

@test "a kernel that needs more shared memory waits for an SM without blocks" {
    spin small 4 0
    spin large 2 65536
    sed -i '1a start: 500' large.yaml
    together --set policy.patience=1000 # less than the wait: no kernel is starved
    holds "d['status'] == 'completed' and
           [[a['stats']['sm.carveout_' + k] for k in ('changes', 'wait_cycles')] for a in d['apps']]
           [:1] == [[0, 0]]"
    # two SMs, each from cycle 500 until its blocks have ended
    holds "d['apps'][1]['stats']['sm.carveout_changes'] == 2 and
           abs(d['apps'][1]['stats']['sm.carveout_wait_cycles'] -
               2 * (d['apps'][0]['cycles'] - 500)) < 10"
    first=$output
    for option in --skip=off --threads=2; do
        together --set policy.patience=1000 "${option%=*}" "${option#*=}"
        command python3 -c 'import json, sys
a, b = (json.loads(t)["apps"] for t in sys.argv[1:])
assert [x["stats"] for x in a] == [x["stats"] for x in b]' "$first" "$output"
    done
}

@test "an SM without blocks takes the largest carve-out of the kernels that have a target" {
    cat >look.c <<'END'
#include "corun/policy.h"
#include <stdio.h>
static void watch(void *state, const struct corun_view *v, const struct corun_event *e)
{
    char line[64];
    (void)state;
    if (e->kind != CORUN_BLOCK_START) return;
    snprintf(line, sizeof line, "SM %u: %u of %u", e->sm, v->carveout[e->sm] / 1024,
             v->carveout_wanted[e->kernel] / 1024);
    v->log(v, line);
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "look",
    .sentence = "Logs carve-outs.", .watch = watch, .events = 1u << CORUN_BLOCK_START};
END
    keep_compiled
    spin small 2 0
    spin large 2 65536
    together --policy smk-even+./look.c --policy-log log.txt
    holds "not any([a['stats']['sm.carveout_wait_cycles'] for a in d['apps']])"
    grep -o 'SM .*' log.txt | sort >starts
    [ "$(<starts)" = $'SM 0: 196 of 196\nSM 0: 196 of 32\nSM 1: 196 of 196\nSM 1: 196 of 32' ]
    together --policy spatial+./look.c --policy-log log.txt
    grep -o 'SM .*' log.txt | sort >starts # an SM each
    [ "$(<starts)" = $'SM 0: 32 of 32\nSM 0: 32 of 32\nSM 1: 196 of 196\nSM 1: 196 of 196' ]
}

@test "a change writes dirty lines back and waits for accesses in flight" {
    back=(--set l1.write_local=back --set l1.write_miss=none --set l1.write=evict
          --set l1.invalidate=never)
    spin small 2 0
    spin large 2 65536
    sed -i '1a start: 500' large.yaml
    together "${back[@]}"
    holds "d['apps'][0]['stats']['l1.writebacks'] == 4"
    spin large 2 0
    sed -i '1a start: 500' large.yaml
    together "${back[@]}"
    holds "d['apps'][0]['stats']['l1.writebacks'] == 0"
    # blocks leave in cycle 3000, in the middle of loads from DRAM
    cat >turn.c <<'END'
#include "corun/policy.h"
enum { TURN = 3000 };
static void share(void *state, const struct corun_view *v, uint32_t *target)
{
    uint32_t waits = v->now < TURN;
    *(uint64_t *)state = v->now; /* of the last call */
    for (uint32_t s = 0; s < v->sm_n && v->kernel_n == 2; s++)
        for (uint32_t k = 0; k < 2; k++)
            if (v->kernels[k].app_id == waits) target[s * 2 + k] = 0;
}
static enum corun_preempt leave(void *state, const struct corun_view *v,
                                const struct corun_block *b)
{
    (void)state, (void)v, (void)b;
    return CORUN_IDEAL;
}
static uint64_t timer(const void *state)
{
    return *(const uint64_t *)state < TURN ? TURN : CORUN_NEVER;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "turn",
    .sentence = "App 0, then app 1.", .state_bytes = sizeof(uint64_t), .share = share,
    .preempt = leave, .timer = timer};
END
    keep_compiled
    spin large 2 65536
    corun run vecadd:size=test large.yaml --gpu h100 --set sm.count=2 --set map.halves=1 \
        --set map.channels=1 --set launch.latency_ns=0 \
        --alone skip --until end --quiet --json - --policy ./turn.c
    ended 0
    holds "d['apps'][1]['stats']['sm.carveout_changes'] == 1 and
           d['apps'][1]['stats']['sm.carveout_wait_cycles'] > 200"
}

@test "preferences of a CUDA program, and its limits" {
    program=$(dirname "$CORUN")/test/cuda
    corun cuda --quiet --gpu h100 "$program/carveout"
    ended 0
    [ "$output" = '8 1 7 8 1 8 1 8' ]
    corun cuda --quiet --gpu turing "$program/carveout"
    [ "$output" = '4 4 4 4 4 4 4 4' ]
    for most in a100=166912 h100=232448 rtx5090=101376; do # 163, 227, 99 KB
        corun cuda --quiet --gpu ${most%=*} "$program/limits"
        [ "$output" = "${most#*=} bytes, all right" ]
    done
}

@test "policies that sample L1 sets run on a machine with carve-outs" {
    corun run mm:size=test vecadd:n=60000 --gpu h100 --set sm.count=16 --alone skip --quiet \
        --policy l1-ucp --json -
    ended 0
    holds "d['status'] == 'completed'"
}
