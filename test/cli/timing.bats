#!/usr/bin/env bats
# Time of launches and copies: launch.*, link.*. The program is test/cuda/timing.c.
load common.bash
load cuda.bash

timed="--set launch.latency_ns=2000 --set launch.gap_ns=1000 --set launch.node_gap_ns=500 \
    --set link.gbs=10 --set link.pageable_gbs=5 --set link.latency_ns=1000"

@test "a program's events see latency and gap of launches, and the link's copies" {
    for how in '' '--skip off --sim-threads 2'; do
        corun cuda --quiet --gpu rtx2060 $timed $how "$(program timing)" check
        ended 0
        [ "$output" = 'all right' ]
    done
}

@test "a program's events see copies within the device and fills at a part of the DRAM's peak" {
    for how in '' '--skip off --sim-threads 2'; do
        corun cuda --quiet --gpu rtx2060 $timed --set link.dram_percent=50 \
            --set link.dram_latency_ns=1000 --timeline t.json $how "$(program timing)" within
        ended 0
        [ "$output" = 'all right' ]
    done
    [ "$(grep -c '"copy within device"' t.json)" = 5 ]
    [ "$(grep -c '"fill"' t.json)" = 5 ]
}

@test "launches and copies take no time on the papers' machines" {
    corun cuda --quiet --gpu rtx2060 "$(program timing)"
    ended 0
    shows 'launch latency 0.02' 'launch gap 0.02' 'graph node 0.02' 'pinned to device, 64 MB 0.00' \
        'device to pageable, 64 MB 0.00' 'device to device, 64 MB 0.00' 'fill, 256 MB 0.00'
}

times() {
    corun cuda --quiet --gpu rtx2060 $timed "$@" "$(program timing)"
    ended 0
}

@test "pageable memory has a rate each way, and its first bytes wait for the link" {
    times --set link.pageable_to_host_gbs=4 --set link.staging_bytes=100000
    shows 'pinned to device, 1 MB 105.' 'device to pinned, 1 MB 105.' \
        'pageable to device, 16 KB 5.9' 'device to pageable, 16 KB 6.7' \
        'pageable to device, 1 MB 220.' 'device to pageable, 1 MB 273.'
}

@test "a copy within the device whose bytes fit in L2 takes L2's bandwidth" {
    within="--set link.dram_percent=50 --set link.dram_latency_ns=1000 --set link.l2_gbs=1000"
    times $within
    shows 'device to device, 1 MB 3.1' 'device to device, 16 MB 200.7' 'fill, 256 MB 1598.'
    times $within --set map.channels=8 # L2 of 2 MB
    shows 'device to device, 1 MB 3.1'
    times $within --set map.channels=4
    shows 'device to device, 1 MB 38.'
}

@test "copies beyond link.inline_bytes and to pageable memory take link.engine_ns more" {
    times
    shows 'pinned to device, 16 KB 2.' 'pageable to device, 16 KB 4.' \
        'device to pinned, 16 KB 2.' 'device to pageable, 16 KB 4.'
    times --set link.engine_ns=3000 --set link.inline_bytes=16384
    shows 'pinned to device, 16 KB 2.' 'pageable to device, 16 KB 4.' \
        'device to pinned, 16 KB 2.' 'device to pageable, 16 KB 7.'
    times --set link.engine_ns=3000 --set link.inline_bytes=16383
    shows 'pinned to device, 16 KB 5.' 'pageable to device, 16 KB 7.' \
        'device to pinned, 16 KB 2.' 'device to pageable, 16 KB 7.'
}

@test "one copy engine takes copies of both directions in turn, two apps share the engines" {
    corun cuda --quiet --gpu rtx2060 $timed --set link.engines=1 "$(program timing)" check
    ended 1
    shows 'not is(two_copies(100000, true), 11)'
    alone=$(corun_cycles "cuda:$(program timing)")
    both=$(corun_cycles "cuda:$(program timing)" "cuda:$(program timing)")
    [ "$both" -gt $((alone * 18 / 10)) ]
    [ "$both" -lt $((alone * 21 / 10)) ]
}

corun_cycles() {
    mkdir "out$#"
    corun run "$@" --gpu rtx2060 $timed --set link.engines=1 --until end --alone skip --quiet \
        --json r.json --output-to "out$#"
    ended 0
    output=$(cat r.json)
    python3 -c 'import json; print(json.load(open("r.json"))["cycles"])'
}

@test "the GPU starts at most the given number of blocks in a cycle" {
    for how in launch.blocks_per_cycle=0 launch.blocks_per_cycle=30 launch.blocks_per_cycle=4 \
               launch.blocks_per_cycle=1 policy.dispatch=gpu; do
        for skip in on off; do
            corun run vecadd:size=test --gpu rtx2060 --set "$how" --until end --alone skip --quiet \
                --skip "$skip" --timeline "$how.$skip.json"
            ended 0
        done
        cmp "$how.on.json" "$how.off.json"
    done
    python3 - <<'END'
import collections, json

def starts(how):
    with open(how + '.on.json') as f:
        events = json.load(f)['traceEvents']
    return [e['ts'] for e in events if e['ph'] == 'X' and 'block' in e.get('args', {})]

free = starts('launch.blocks_per_cycle=0')
assert free == starts('launch.blocks_per_cycle=30') and free.count(free[0]) == 30
assert starts('launch.blocks_per_cycle=1') == starts('policy.dispatch=gpu')
for most in 1, 4:
    counts = collections.Counter(starts('launch.blocks_per_cycle=%d' % most))
    assert max(counts.values()) == most, counts
    assert all(counts[cycle] == most for cycle in range(min(counts), min(counts) + 30 // most))
END
}

@test "the latency of a launch counts once, in workloads and for each request" {
    for latency in 0 1000; do # 1000 ns are 1365 cycles of rtx2060
        corun run vecadd:size=test --gpu rtx2060 --set launch.latency_ns=$latency --until end \
            --alone skip --quiet --json "$latency.json"
        ended 0
    done
    corun run vecadd:size=test --gpu rtx2060 --set launch.latency_ns=1000 --until end --alone skip \
        --skip-kernels all --quiet --json functional.json
    ended 0
    output=$(cat functional.json)
    holds 'd["cycles"] == 0'
    python3 -c '
import json
a, b = (json.load(open(n + ".json"))["cycles"] for n in ("0", "1000"))
assert b - a == 1365, (a, b)'
}

@test "the timeline shows each copy while a copy engine performs the copy" {
    corun cuda --quiet --gpu rtx2060 $timed --timeline t.json "$(program timing)" check
    ended 0
    python3 -c '
import json
events = json.load(open("t.json"))["traceEvents"]
copies = [e for e in events if e.get("name", "").startswith("copy to ")]
names = [e["name"] for e in copies]
assert names.count("copy to device") == 6, names
assert names.count("copy to host") == 4, names
assert all(e["dur"] > 0 for e in copies)'
}
