#!/usr/bin/env bats
# Ways of sharing as GPUs have them: streams, mps, green, mig; launch.resident_grids; probes.
load common.bash
load cuda.bash

# Prints cycles and statistics of all apps.
figures() {
    corun run "$@" --alone skip --json r.json --quiet
    ended 0
    python3 -c "
import json
d = json.load(open('r.json'))
print(d['cycles'], json.dumps([a['stats'] for a in d['apps']], sort_keys=True))"
}

@test "halves are halves: mps, green and spatial" {
    for gpu in maxwell16 h100; do
        # without latency each app has a kernel at all times, and keeps its SMs
        pair=(vecadd:size=test triad:size=test --gpu $gpu --set launch.latency_ns=0)
        halves=$(figures "${pair[@]}" --policy 'spatial[fill=off]')
        [ "$(figures "${pair[@]}" --policy 'mps[percent=50]')" = "$halves" ]
        [ "$(figures "${pair[@]}" --policy leftover)" != "$halves" ]
    done
    split=$(figures "${pair[@]}" --policy 'spatial[split=64/68,fill=off]')
    [ "$(figures "${pair[@]}" --policy 'green[sms=60/68]')" = "$split" ]
    [ "$(figures "${pair[@]}" --policy 'mps[static=8/8]')" = \
        "$(figures "${pair[@]}" --policy 'spatial[split=64/64,fill=off]')" ]
}

@test "without priorities and limits every way is left-over" {
    pair=(vecadd:size=test triad:size=test --gpu maxwell16)
    all=$(figures "${pair[@]}" --policy leftover)
    for policy in streams mps 'mps[percent=100/100]' green 'green[sms=0/0]'; do
        [ "$(figures "${pair[@]}" --policy "$policy")" = "$all" ]
    done
    one=$(figures vecadd:size=test --gpu maxwell16 --policy leftover)
    [ "$(figures vecadd:size=test --gpu maxwell16 --policy 'mps[percent=100]')" = "$one" ]
    [ "$(figures vecadd:size=test --gpu maxwell16 --policy 'mps[percent=25]')" != "$one" ]
}

@test "impossible requests are refused with the reason" {
    pair=(vecadd:size=test triad:size=test --gpu h100)
    corun run "${pair[@]}" --policy 'green[sms=66/66]'
    refused "app 2 asks for 66 SMs, rounded up to 72 for compute capability 9.0; 60 of 132 SMs"
    corun run "${pair[@]}" --policy 'mps[static=10/10]'
    refused "app 2 asks for 10 chunks of 8 SMs, 6 of the machine's 16 chunks are left"
    corun run "${pair[@]}" --policy 'mps[static=10/6]' --set mps.chunks=15
    refused "app 2 asks for 6 chunks of 8 SMs, 5 of the machine's 15 chunks are left"
    corun run "${pair[@]}" --policy 'mps[percent=30/20/10]'
    refused 'percent has 3 numbers, the run has 2 apps'
    corun run "${pair[@]}" --policy 'mps[static=8/8,percent=50]'
    refused 'percent has no effect beside static partitions'
    corun run "${pair[@]}" --policy 'mps[static=8]'
    refused 'static names 1 apps, the run has 2'
    corun run "${pair[@]}" --policy 'green[sms=8]'
    refused 'sms names 1 apps, the run has 2'
    corun run "${pair[@]}" --policy 'mps[static=1/1]' --gpu maxwell16
    refused 'static partitions need compute capability 8.0'
}

@test "mig: impossible requests are refused with the reason, machines without MIG by name" {
    pair=(vecadd:size=test triad:size=test)
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=4g/4g]'
    refused 'no place for instance 1: 4g.40gb takes 4 of 7 slices of SMs and 4 of 8 of memory; 3'
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=3g/5g]'
    refused "the machine has no profile '5g'; it has 1g.10gb (16 SMs, 1/8 of memory), 1g.20gb (26"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=auto/3g]'
    refused "the machine has no profile 'auto'"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=]'
    refused "mig.profiles is '', expected auto, or profiles A/B/..."
    corun run "${pair[@]}" --gpu h200 --policy 'mig[profiles=1g.18gb+me/3g]'
    refused "profile '1g.18gb+me': corun models no extensions of profiles" "give '1g.18gb'"
    corun run "${pair[@]}" --gpu h200 --policy 'mig[profiles=3g.40gb/3g]'
    refused "the machine has no profile '3g.40gb'; it has 1g.18gb" '3g.71gb (60 SMs'
    short=$(figures "${pair[@]}" --gpu h100 --policy 'mig[profiles=3g/4g]')
    [ "$(figures "${pair[@]}" --gpu h100 --policy 'mig[profiles=MIG 3g.40gb/4g.40gb]')" = "$short" ]
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=3g/4g,inside=smk-q]'
    refused "unknown policy 'smk-q'" "did you mean 'smk-p'?"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[profiles=3g/4g,inside=nonesuch]'
    refused "unknown policy 'nonesuch'"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[inside=mig]'
    refused "'mig' and 'mig' both decide instances"
    corun run "${pair[@]}" --gpu h100 --policy 'mig+spatial'
    refused "'mig' and 'spatial' both decide partition"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[inside=spatial]+smk-p'
    refused "'mig' and 'smk-p' both decide partition" "'spatial' and 'smk-p' both decide partition"
    corun run "${pair[@]}" --gpu h100 --policy 'mig[inside=oracle]'
    refused "oracle works on the whole GPU"
    corun run "${pair[@]}" --gpu h100 --policy mig --set map.channels=60
    refused 'MIG divides memory in eighths: give a map.channels divisible by 8'
    corun run "${pair[@]}" --gpu h100 --policy mig --set sm.count=100
    refused 'the instances have more SMs than the GPU'
    corun run "${pair[@]}" --gpu h100 --policy 'mig[inside=warped-slicer[mode=static]]'
    refused 'policies in instances cannot use isolated runs'
    have=
    for gpu in $("$CORUN" list gpus | awk 'NR > 1 && NF { print $1 }'); do
        [ "$("$CORUN" show gpu "$gpu" | awk '$1 == "mig.sms_1g" { print $2 }')" = 0 ] ||
            have+=" $gpu"
    done
    [ "$have" = ' a100 h100 h200' ]
    corun run "${pair[@]}" --gpu rtx5090 --policy mig
    refused 'the machine has no MIG: a100, h100 and h200 have'
}

@test "mig: a failing instance ends no other, and the message has the cycle of the fault" {
    printf '.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry fail()\n{ trap; }\n' \
        >fail.ptx
    printf 'app: fail\nmodule: fail.ptx\nlaunches:\n  - {kernel: fail, grid: 1, block: 32}\n' \
        >fail.yaml
    corun run bfs:size=test ./fail.yaml --gpu h100 --policy mig --alone skip --json r.json --quiet
    ended 1
    [[ $stderr == *'app fail, kernel fail, block 0, warp 0'* ]]
    cycle=$(sed -n 's/.*, cycle \([0-9]*\)$/\1/p' <<<"$stderr")
    [ "$cycle" -lt 5000 ] # a launch has a latency of 3960 cycles
    python3 -c "
import json
d = json.load(open('r.json'))
assert d['status'] == 'fault' and d['cycles'] > 20000, d['cycles']
assert [a['completions'] for a in d['apps']] == [1, 0]"
}

@test "mig: a policy from a file inside an instance that crashes ends the run, not corun" {
    mkdir policies
    cat >policies/crash.c <<'END'
#include "corun/policy.h"
static void share(void *state, const struct corun_view *view, uint32_t *target)
{
    (void)state, (void)view;
    *(volatile uint32_t *)8 = *target;
}
const struct corun_policy corun_policy_crash = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "crash",
    .sentence = "For a test.", .share = share};
END
    corun run vecadd:size=test mm:size=test --gpu h100 --alone skip --quiet \
        --policy 'mig[profiles=3g/4g,inside=./policies/crash.c]'
    ended 1
    says 'policy-failed: in `share` of ./policies/crash.c'
    # a sweep finds the file beside the sweep file
    printf '%s\n' 'sweep: inside' 'apps: [["vecadd:size=test", "mm:size=test"]]' 'gpus: [h100]' \
        'rules: end' 'policies: ["mig[profiles=3g/4g,inside=crash.c]"]' >policies/sweep.yaml
    corun sweep policies/sweep.yaml -o s.db --quiet
    ended 1
    says 'policies/crash.c at cycle'
}

# NAME GRID PRIORITY: an app whose blocks fill an SM of 1024 threads and note their start.
stamps() {
    {
        printf '.version 7.0\n.target sm_75\n.address_size 64\n'
        printf '.visible .entry stamp(.param .u64 t)\n'
        printf '{ .reg .pred %%p; .reg .b32 %%r; .reg .b64 %%d<5>;\n'
        printf 'ld.param.u64 %%d1, [t]; mov.u32 %%r, %%ctaid.x; mul.wide.u32 %%d4, %%r, 8;\n'
        printf 'add.s64 %%d1, %%d1, %%d4; mov.u64 %%d2, %%clock64; st.global.u64 [%%d1], %%d2;\n'
        printf 'again: mov.u64 %%d3, %%clock64; sub.u64 %%d3, %%d3, %%d2;\n'
        printf 'setp.lt.u64 %%p, %%d3, 300; @%%p bra again; ret; }\n'
    } >stamp.ptx
    {
        printf 'app: %s\nmodule: stamp.ptx\nbuffers:\n  t: {type: u64, count: %d}\n' "$1" "$2"
        printf 'launches:\n  - {kernel: stamp, grid: %d, block: 1024, priority: %d, args: [$t]}\n' \
            "$2" "$3"
        printf 'dump: {t: %s.bin}\n' "$1"
    } >"$1.yaml"
}

# Prints the apps of the blocks in the order of their starts.
order() {
    corun run ./a.yaml ./b.yaml --set sm.count=1 --set sm.threads=1024 --alone skip --until end "$@"
    ended 0
    python3 -c "
at = []
for app in 'ab':
    bytes = open(app + '.bin', 'rb').read()
    at += [(int.from_bytes(bytes[i:i + 8], 'little'), app) for i in range(0, len(bytes), 8)]
print(''.join(app for _, app in sorted(at)))"
}

@test "streams: pending blocks of higher priority first, also across apps; none is preempted" {
    stamps a 4 0
    stamps b 3 -1
    [ "$(order --policy leftover)" = aaaabbb ]
    [ "$(order --policy mps)" = aaaabbb ]
    [ "$(order --policy streams)" = bbbaaaa ]
    printf 'start: 100\n' >>b.yaml # the first block of `a` is running by then
    [ "$(order --policy streams)" = abbbaaa ]
    stamps b 3 0
    [ "$(order --policy streams)" = aaaabbb ]
}

@test "streams: the timeline shows each block once and whole, in the order of priorities" {
    stamps a 6 0
    stamps b 3 -1
    stamps c 4 -2
    printf 'start: 100\n' >>b.yaml # the first blocks of `a` are running by then
    printf 'start: 600\n' >>c.yaml # the first blocks of `b`, too
    corun run ./a.yaml ./b.yaml ./c.yaml --set sm.count=2 --set sm.threads=1024 --until end \
        --alone skip --quiet --timeline t.json --policy streams
    ended 0
    python3 - <<'END'
import json
blocks = []
for e in json.load(open('t.json'))['traceEvents']:
    if e['ph'] != 'X' or 'block' not in e['args']: continue
    assert e['name'] == e['cat'] + ' stamp', e # not "preempted" or "absent"
    blocks.append((e['ts'], e['pid'], e['cat'], e['args']['block'], e['ts'] + e['dur']))
blocks.sort()
assert ''.join(b[2] for b in blocks) == 'aabbccccbaaaa', blocks
for app, n in (('a', 6), ('b', 3), ('c', 4)): # each block once, in order
    assert [b[3] for b in blocks if b[2] == app] == list(range(n)), blocks
for sm in (0, 1): # a block runs to its end; the next follows, a cycle later after a launch
    own = [b for b in blocks if b[1] == sm]
    assert all(x[4] <= y[0] <= x[4] + 1 for x, y in zip(own, own[1:])), own
    assert all(b[4] - b[0] >= 300 for b in own), own
END
}

@test "launch.resident_grids limits the launches with blocks, under every policy" {
    stamps a 1 0
    stamps b 1 0
    few=(--gpu maxwell16 --set sm.count=2 --set sm.threads=1024 --alone skip --until end --quiet)
    starts() {
        corun run ./a.yaml ./b.yaml "${few[@]}" "$@"
        ended 0
        python3 -c "
a, b = (int.from_bytes(open(n + '.bin', 'rb').read(), 'little') for n in 'ab')
print('together' if abs(a - b) < 300 else 'apart')"
    }
    for policy in leftover 'spatial' 'smk-even' streams; do
        [ "$(starts --policy $policy)" = together ]
        [ "$(starts --policy $policy --set launch.resident_grids=1)" = apart ]
    done
}

@test "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is honoured under mps" {
    app="cuda:$(program vecadd) 5000 1"
    few=(--gpu maxwell16 --until end)
    half=$(figures "$app" "${few[@]}" --policy 'mps[percent=25]')
    export CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25
    [ "$(figures "$app" "${few[@]}" --policy mps)" = "$half" ]
    [ "$(figures "$app" "${few[@]}" --policy 'mps[percent=50]')" = "$half" ]
    corun run "$app" "${few[@]}" --alone skip --policy leftover
    ended 0
    [[ $output == *'CUDA_MPS_ACTIVE_THREAD_PERCENTAGE has no effect under this policy'* ]]
    corun run "$app" "${few[@]}" --alone skip --policy mps
    ended 0
    [[ $output != *'no effect'* ]]
    for wrong in 0 101 half -1 nan; do
        CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=$wrong corun run "$app" "${few[@]}" --policy mps
        refused "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE is '$wrong': give a number above 0"
    done
}

@test "every kind of probe computes what a CPU computes" {
    for kind in {0..11}; do
        reps=3
        [ $kind != 0 ] || reps=3000
        threads=64
        [ $kind -lt 4 ] || threads=1024 # chains start from the thread's number
        corun run probe:kind=$kind,blocks=6,threads=$threads,bytes=4096,reps=$reps --gpu h100 \
            --alone skip --json - --until end
        ended 0
        holds 'd["apps"][0]["checked"] is True'
    done
}

@test "a launch beyond launch.resident_grids does not keep others from starting blocks" {
    cat >stamp.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry stamp(.param .u64 t, .param .u32 n)
{
.reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<5>;
ld.param.u64 %d1, [t]; ld.param.u32 %r1, [n]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %d4, %r0, 8;
add.s64 %d1, %d1, %d4; mov.u64 %d2, %clock64; st.global.u64 [%d1], %d2;
cvt.u64.u32 %d0, %r1;
again: mov.u64 %d3, %clock64; sub.u64 %d3, %d3, %d2;
setp.lt.u64 %p, %d3, %d0; @%p bra again; ret; }
END
    local name priority start
    while read -r name priority start; do
        printf '%s\n' "app: $name" "start: $start" 'module: stamp.ptx' 'buffers:' \
            '  t: {type: u64, count: 400}' 'launches:' \
            "  - {kernel: stamp, grid: 200, block: 256, priority: $priority," \
            '     args: [$t, 300], repeat: 3}' >"$name.yaml"
    done <<<'low 0 0
high -3 100'
    corun run ./low.yaml ./high.yaml --gpu maxwell16 --set sm.count=4 --alone skip --quiet \
        --set launch.resident_grids=1 --until end --policy streams --json -
    ended 0
    holds "d['status'] == 'completed'"
}
