#!/usr/bin/env bats
# --kernels and --skip-kernels: launches that run functionally give the answers of timed launches,
# take no simulated time and are counted separately.
load common

kernel() { # writes a module with a kernel k(u64 p), and an app file
    { sed -n '2,/^\.address_size/p' scale.ptx
      printf '.visible .entry k(.param .u64 p) {\n'
      printf '.reg .b64 %%d<9>; .reg .b32 %%r<9>; .reg .pred %%p;\n'
      printf 'ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%ctaid.x; mov.u32 %%r1, %%tid.x;\n'
      printf '%s\nret; }\n' "$2"; } >"$1.ptx"
    { printf 'app: %s\nmodule: %s.ptx\nbuffers: {b: {type: u32, count: 64}}\n' "$1" "$1"
      printf 'steps: [{kernel: k, grid: 8, block: 64, args: [$b]}]\ndump: {b: %s.bin}\n' "$1"
    } >"$1.yaml"
}

# bats test_tags=long
@test "launches before, in and after the range: answers, counts, time" {
    cp "$HERE"/../../examples/frontier/frontier.* .
    corun run ./frontier.yaml --alone skip --json - --until end
    ended 0
    mv level.bin timed.bin
    holds "'functional_launches' not in d['apps'][0]"
    cycles=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["cycles"])' <<<"$output")
    corun run ./frontier.yaml --alone skip --json - --until end --kernels 4-6
    ended 0
    cmp level.bin timed.bin
    holds "(d['apps'][0]['launches'], d['apps'][0]['functional_launches']) == (16, 13)"
    holds "d['apps'][0]['kernels'][0]['launches'] == 3 and d['apps'][0]['checked'] is True"
    holds "0 < d['cycles'] < $cycles"
    corun run ./frontier.yaml --alone skip --json - --until end --skip-kernels 15
    holds "d['apps'][0]['functional_launches'] == 15 and d['cycles'] > 0"
    corun run ./frontier.yaml --alone skip --json - --until end --kernels 16
    holds "d['apps'][0]['functional_launches'] == 15 and d['cycles'] > 0"
    corun run ./frontier.yaml --alone skip --json - --until end --skip-kernels all
    ended 0
    cmp level.bin timed.bin
    holds "d['cycles'] == 0 and d['apps'][0]['functional_launches'] == 16"
    holds "d['apps'][0]['warp_instructions'] == 0 and d['apps'][0]['completions'] == 1"
    corun run ./frontier.yaml --alone skip --skip-kernels 3
    shows "frontier: 3 of 16 launches ran functionally, in no simulated time" "functionally "
}

@test "statistics are those of the timed launches" {
    cat >two.yaml <<'YAML'
app: two
module: scale.ptx
buffers:
  x: {type: f32, count: 1000, init: ramp}
  y: {type: f32, count: 1000}
steps:
  - {kernel: scale, grid: 4, block: 256, args: [1000, 2.0, $x, $y], repeat: 3}
YAML
    corun run ./two.yaml --alone skip --json - --until end --kernels 1
    holds "d['apps'][0]['launches'] == 3 and d['apps'][0]['functional_launches'] == 2"
    one=$(python3 -c 'import json, sys
print(json.load(sys.stdin)["apps"][0]["warp_instructions"])' <<<"$output")
    corun run ./two.yaml --alone skip --json - --until end
    holds "d['apps'][0]['warp_instructions'] == 3 * $one > 0"
}

@test "warps go on from a barrier together: what one stores later no other reads" {
    # the first warp stores 5 before the barrier, and 9 some 60 instructions later
    kernel again '.shared .b32 s[1]; setp.eq.u32 %p, %r1, 0; mov.u32 %r4, 5;
        @%p st.shared.u32 [s], %r4; bar.sync 0; mov.u32 %r5, 0;
        setp.ge.u32 %p, %r1, 32; @%p bra READ;
        W: add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 20; @%p bra W;
        mov.u32 %r4, 9; st.shared.u32 [s], %r4; bra END;
        READ: ld.shared.u32 %r2, [s];
        mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r2; END:'
    sed -i 's/count: 64/count: 256/; s/grid: 8, block: 64/grid: 1, block: 256/' again.yaml
    for how in '--skip-kernels all' ''; do
        corun run ./again.yaml --alone skip --until end $how
        ended 0
        python3 -c 'import struct
assert set(struct.unpack("<256I", open("again.bin", "rb").read())[32:]) == {5}'
        rm again.bin
    done
}

@test "blocks that wait for each other: cooperative, and by a flag of a later block" {
    cp "$HERE/grid.ptx" .
    { printf 'app: grid\nmodule: grid.ptx\nbuffers:\n  x: {type: u32, count: 32768}\n'
      printf '  y: {type: u32, count: 32768}\ndump: {y: y.bin}\nlaunches:\n'
      printf '  - {kernel: turn, grid: [60], block: [64], args: [$x, $y], repeat: 2, '
      printf 'cooperative: true}\n'; } >g.yaml
    corun run ./g.yaml --gpu rtx2060 --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
y = struct.unpack("<3840I", open("y.bin", "rb").read()[:15360])
assert all(v == (i + 64) % 3840 + 1 for i, v in enumerate(y)), y[:70]'
    # every block but the last waits for the next block
    kernel flags 'mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
        setp.eq.u32 %p, %r0, 7; @%p bra SET;
        W: ld.volatile.global.u32 %r2, [%d1+4]; setp.eq.u32 %p, %r2, 0; @%p bra W;
        SET: add.u32 %r3, %r0, 1; st.volatile.global.u32 [%d1], %r3;'
    corun run ./flags.yaml --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
assert struct.unpack("<8I", open("flags.bin", "rb").read()[:32]) == tuple(range(1, 9))'
    # the same with a pause and a changing register
    sed -i 's/W: /W: add.u32 %r4, %r4, 1; nanosleep.u32 %r4; /' flags.ptx
    sed -i 's/\.target sm_.*/.target sm_75/' flags.ptx
    corun run ./flags.yaml --gpu rtx2060 --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
assert struct.unpack("<8I", open("flags.bin", "rb").read()[:32]) == tuple(range(1, 9))'
}

@test "warps that wait for each other: barriers, counted barriers, a flag in shared memory" {
    # warp 0 waits for a value written by warp 1 behind a barrier of both; thread counts and bar.red
    kernel warps '.shared .align 4 .u32 s[64]; mul.wide.u32 %d1, %r1, 4; cvt.u32.u64 %r5, %d1;
        mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
        st.shared.u32 [%r6], %r1; bar.sync 0;
        mov.u32 %r7, s; sub.u32 %r7, %r7, %r5; ld.shared.u32 %r2, [%r7+252];
        bar.sync 1, 64; setp.lt.u32 %p, %r1, 5; bar.red.popc.u32 %r3, 0, %p;
        add.u32 %r2, %r2, %r3; setp.lt.u32 %p, %r1, 32; @%p bra FIRST;
        mov.u32 %r4, 100; st.volatile.shared.u32 [s], %r4; bra OUT;
        FIRST: ld.volatile.shared.u32 %r4, [s]; setp.ne.u32 %p, %r4, 100; @%p bra FIRST;
        OUT: add.u32 %r2, %r2, %r4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r2;'
    for option in "" "--skip-kernels all"; do
        corun run ./warps.yaml --alone skip --json - $option
        ended 0
        python3 -c 'import struct
got = struct.unpack("<64I", open("warps.bin", "rb").read())
assert got == tuple(63 - i + 105 for i in range(64)), got'
    done
}

@test "a warp that ends is not waited for, and a block begins with zeroes" {
    kernel zero '.shared .align 4 .u32 s[1]; setp.ge.u32 %p, %r1, 32; @%p bra OUT;
        bar.sync 0; ld.shared.u32 %r3, [s]; add.u32 %r4, %r4, 7; add.u32 %r4, %r4, %r3;
        mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1], %r4;
        st.shared.u32 [s], %r4; OUT:'
    corun run ./zero.yaml --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
got = struct.unpack("<8I", open("zero.bin", "rb").read()[:32])
assert got == (7,) * 8, got'
}

@test "what waits for nothing of the launch is named" {
    kernel stuck 'W: ld.volatile.global.u32 %r2, [%d0]; setp.eq.u32 %p, %r2, 0; @%p bra W;'
    corun run ./stuck.yaml --alone skip --json - --skip-kernels all
    ended 1
    says "stuck.ptx" "no warp of a launch that runs functionally can continue" \
         "warp 0 repeats a loop without changing memory" "block 0"
    holds "d['status'] == 'deadlock' and d['fault']['line'] is not None"
    kernel barrier 'setp.lt.u32 %p, %r1, 32; @%p bra OUT; bar.sync 3, 96; OUT:'
    corun run ./barrier.yaml --alone skip --json - --skip-kernels all
    ended 1
    says "warp 1 waits at barrier 3, where 1 of 3 warps have arrived"
    holds "d['status'] == 'deadlock'"
}

@test "a fault in a launch that runs functionally has its place" {
    kernel fault 'mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; st.global.u32 [%d1+128], %r1;'
    corun run ./fault.yaml --alone skip --json - --skip-kernels all
    ended 1
    says "out-of-bounds global store" "block 0, warp 1, lane 0" "nearest allocation: b"
    holds "d['status'] == 'fault' and d['fault']['block'] == 0"
}

@test "beside others, restarted, and to the end of a window" {
    corun run bfs:size=test vecadd:size=test --alone skip --json - --policy spatial --skip-kernels 3
    ended 0
    holds "all(a['checked'] for a in d['apps'] if a['name'] == 'bfs')"
    # vecadd has one launch, which takes no time and is not started for ever
    holds "d['apps'][1]['launches'] == d['apps'][1]['functional_launches'] == 1"
    holds "d['apps'][0]['functional_launches'] >= 3 * d['apps'][0]['completions'] > 0"
    corun run bfs:size=test vecadd:size=test --alone skip --json - --policy spatial --until window \
        --cycles 60000 --kernels 2-3
    ended 0
    holds "d['apps'][0]['completions'] > 1 and d['cycles'] == 60000"
    corun run bfs:size=test mm:size=test --json - --kernels 1
    ended 0
    holds "d['apps'][0]['alone']['cycles'] > 0 and d['apps'][0]['normalized_ipc'] > 0"
}

@test "an isolated run of other launches is another" {
    export CORUN_CACHE=$PWD/cache
    corun run bfs:size=test mm:size=test --json - --kernels 2
    ended 0
    first=$(find cache -type f | wc -l)
    corun run bfs:size=test mm:size=test --json - --kernels 2
    [ "$(find cache -type f | wc -l)" -eq "$first" ]
    corun run bfs:size=test mm:size=test --json - --kernels 3
    [ "$(find cache -type f | wc -l)" -gt "$first" ]
}

@test "interrupted in the middle of a launch that runs functionally" {
    kernel counts 'W: add.u32 %r3, %r3, 1; st.global.u32 [%d0], %r3; bra W;'
    python3 - "$CORUN" run ./counts.yaml --alone skip --json r.json --skip-kernels all --quiet \
        <<'END'
import json, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL,
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
def noted():
    caught = [l for l in open('/proc/%d/status' % p.pid) if l.startswith('SigCgt:')]
    return int(caught[0].split()[1], 16) >> (signal.SIGINT - 1) & 1
while not noted(): time.sleep(0.01)
time.sleep(0.5) # most likely during the launch; an earlier signal interrupts, too
for i in range(3): # timeout(1) sends a signal to the process and to its group
    p.send_signal(signal.SIGINT)
    time.sleep(0.01)
assert p.wait() == 130, p.returncode
assert json.load(open('r.json'))['status'] == 'interrupted'
END
}

@test "which launches are timed: mistakes" {
    for wrong in 0 5-3 x 3- -4 1-2-3 0-7; do
        corun run mm:size=test "--kernels=$wrong"
        refused "error: --kernels takes the first and the last launch"
    done
    corun run mm:size=test --skip-kernels some
    refused "--skip-kernels takes a number of launches, or all"
    corun run mm:size=test --skip-kernels 3 --kernels 1-2
    refused "--kernels and --skip-kernels both choose the timed launches"
}

@test "a warp suspended by try_wait goes on with the phase, not at its time limit" {
    kernel tries '.shared .b64 m; .reg .pred %q; mov.u32 %r2, m; setp.ne.u32 %p, %r1, 0;
        @%p bra READY; mbarrier.init.shared.b64 [%r2], 32; READY: bar.sync 0;
        setp.ge.u32 %p, %r1, 32; @%p bra ARRIVE; mov.u64 %d1, %clock64; mov.u32 %r3, 10000000;
        W: mbarrier.try_wait.parity.shared.b64 %q, [%r2], 0, %r3; @!%q bra W;
        mov.u64 %d2, %clock64; sub.u64 %d2, %d2, %d1; st.global.u64 [%d0], %d2; bra OUT;
        ARRIVE: mbarrier.arrive.shared.b64 %d3, [%r2]; OUT:'
    sed -i 's/\.version .*/.version 8.0/; s/\.target sm_.*/.target sm_90/' tries.ptx
    corun run ./tries.yaml --gpu rtx2060 --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
assert 0 < struct.unpack("<Q", open("tries.bin", "rb").read()[:8])[0] < 100000'
}

@test "with all warps asleep time goes on with the first that wakes" {
    kernel naps 'mov.u64 %d1, %clock64; nanosleep.u32 100000; mov.u64 %d2, %clock64;
        sub.u64 %d2, %d2, %d1; mul.wide.u32 %d3, %r0, 8; add.u64 %d3, %d0, %d3;
        st.global.u64 [%d3], %d2;'
    sed -i 's/\.version .*/.version 8.0/; s/\.target sm_.*/.target sm_75/' naps.ptx
    corun run ./naps.yaml --gpu rtx2060 --alone skip --json - --skip-kernels all
    ended 0
    python3 -c 'import struct
assert min(struct.unpack("<8Q", open("naps.bin", "rb").read()[:64])) > 100000'
}
