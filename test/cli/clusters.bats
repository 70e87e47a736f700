#!/usr/bin/env bats
# Clusters of blocks and distributed shared memory (clusters.cu; clusters.ptx is stored, clusters.py
# computes the right results).
load common
load cuda.bash

RUN=(--gpu h100 --alone skip --quiet)

# app KERNEL SIZE: writes KERNEL.yaml, with clusters of SIZE blocks.
app() {
    cp "$HERE/clusters.ptx" .
    python3 "$HERE/clusters.py" app "$1" "$2" >"$1.yaml"
}

# right KERNEL SIZE OPTION...: runs the app and checks the result.
right() {
    local kernel=$1 size=$2
    shift 2
    rm -f "$kernel.out"
    corun run "$kernel.yaml" "${RUN[@]}" "$@"
    ended 0
    python3 "$HERE/clusters.py" right "$kernel" "$size"
}

# same KERNEL SIZE: right functionally and timed; equal statistics for threads and skipping.
same() {
    app "$1" "$2"
    right "$1" "$2" --skip-kernels all
    right "$1" "$2" --json one.json
    right "$1" "$2" --json three.json --sim-threads 3
    right "$1" "$2" --json off.json --skip off
    python3 - one.json three.json off.json <<'END'
import json, sys
one, *others = (json.load(open(name)) for name in sys.argv[1:])
assert one['cycles'] > 100
for other in others:
    assert other['cycles'] == one['cycles'], (other['cycles'], one['cycles'])
    assert other['stats'] == one['stats']
END
}

@test "histogram: atomics on shared memory of other blocks" { same histogram 8; }
@test "reduction: rank 0 reads the sums of 16 blocks" { same reduction 16; }
@test "ring: blocks store into the next block" { same ring 4; }
@test "halo: neighbours exchange the edges of a stencil" { same halo 8; }
@test "scan: a kernel with the shape 2 x 2" { same scan 4; }
@test "send: st.async completes at an mbarrier" { same send 8; }
@test "gather: red.async of all blocks into rank 0" { same gather 8; }
@test "pipeline: two blocks arrive at each other's mbarriers" { same pipeline 2; }
@test "multicast: a bulk copy into all blocks" { same multicast 8; }
@test "copies: a bulk copy into the next block" { same copies 8; }
@test "special registers, getctarank, isspacep" { same specials 6; }

@test "a load from another block takes sm.cluster_latency_cycles; the port has sm.cluster_bytes" {
    app ring 8
    right ring 8 --json a.json
    right ring 8 --json b.json --set sm.cluster_latency_cycles=1203
    right ring 8 --json c.json --set sm.cluster_bytes=1
    python3 - <<'END'
import json
a, b, c = (json.load(open(f'{n}.json'))['cycles'] for n in 'abc')
assert 8 * 1000 <= b - a < 10 * 1000, (a, b)
# 8 hops, in each four warps with four segments of 32 bytes
assert 8 * (4 * 128 - 4 * 8) * 0.9 < c - a < 8 * 4 * 128 * 1.2, (a, c)
END
    # loads between two barriers
    app gather 8
    right gather 8 --json a.json
    right gather 8 --json b.json --set sm.cluster_latency_cycles=1203
    python3 - <<'END'
import json
a, b = (json.load(open(f'{n}.json'))['cycles'] for n in 'ab')
assert 2.5 * 1000 < b - a < 3.5 * 1000, (a, b)
END
}

# placed: every cluster of the timeline t.json began at once, on different SMs of one GPC.
placed() {
    python3 - "$@" <<'END'
import collections, json, sys
size, sizes = int(sys.argv[1]), [int(n) for n in sys.argv[2].split('/')]
gpc = [g for g, n in enumerate(sizes) for _ in range(n)]
parts = collections.defaultdict(list)
for e in json.load(open('t.json'))['traceEvents']:
    if e.get('ph') == 'X' and 'block' in e.get('args', {}) and 'ring' in json.dumps(e):
        parts[e['args']['block'] // size].append((e['ts'], e['pid'] if 'sm' not in e['args']
                                                  else e['args']['sm']))
assert len(parts) == 6, len(parts)
for cluster, blocks in parts.items():
    assert len(blocks) == size, (cluster, blocks)
    assert len({t for t, _ in blocks}) == 1, (cluster, blocks)
END
}

@test "the blocks of a cluster start in the same cycle" {
    app ring 8
    right ring 8 --timeline t.json
    placed 8 16/16/16/16/16/16/18/18
}

# bats test_tags=long
@test "policies keep clusters whole" {
    local policy
    app ring 8
    for policy in leftover spatial smk-p sequential fair mps timeslice[us=1] \
        "timeslice[us=1,state=resident]" "timeslice[us=1,state=none]" smk-p+switch; do
        rm -f ring.out
        corun run ring.yaml vecadd:n=200000 "${RUN[@]}" --policy "$policy" --json -
        if [ "$status" = 2 ]; then continue; fi # not in this list of policies
        ended 0
        holds "d['status'] == 'completed'"
        python3 "$HERE/clusters.py" right ring 8
    done
}

@test "a cluster that does not fit is refused, with the reason" {
    app ring 16
    corun run ring.yaml "${RUN[@]}" --set sm.gpcs=12/12/12/12/12/12/12/12/12/12/12
    ended 2
    says "a cluster of 16 blocks fits no GPC: the largest has 12 SMs (sm.gpcs)"
    corun run ring.yaml --gpu a100 --alone skip
    ended 2
    says "clusters need compute capability 9.0"
    sed 's/grid: 96/grid: 90/' ring.yaml >part.yaml
    corun run part.yaml "${RUN[@]}"
    ended 2
    says "a grid of 90 x 1 x 1 blocks is no multiple of clusters of 16 x 1 x 1"
    sed 's/16, 1, 1/17, 1, 1/' ring.yaml >large.yaml
    corun run large.yaml "${RUN[@]}"
    ended 2
    says "a cluster of 17 blocks is over the limit of 16"
    sed 's/16, 1, 1/16, 0, 1/' ring.yaml >none.yaml
    corun run none.yaml "${RUN[@]}"
    ended 2
    says "a cluster has at least one block"
    corun run ring.yaml "${RUN[@]}" --set sm.gpcs=16/x
    ended 2
    says "give none, or the numbers of SMs of the GPCs, as 16/16/18"
    corun run ring.yaml "${RUN[@]}" --set sm.count=14
    ended 2
    says "a cluster of 16 blocks fits no GPC: the largest has 14 SMs"
}

@test "a launch cannot change the shape that the kernel gives" {
    app scan 4
    sed -i 's/cluster: \[2, 2, 1\]/cluster: [4, 1, 1]/; s/grid: \[2/grid: [4/' scan.yaml
    corun run scan.yaml "${RUN[@]}"
    ended 2
    says "the launch gives clusters of 4 x 1 x 1 blocks, the kernel 'scan' 2 x 2 x 1"
}

@test "faults: mapa beyond the cluster, memory of a block that has ended; a deadlock" {
    local how
    app beyond 2
    app ended 2
    app stuck 2
    for how in "" "--skip-kernels all"; do
        corun run beyond.yaml "${RUN[@]}" $how
        ended 1
        says "fault: block rank out of range of the cluster"
        corun run ended.yaml "${RUN[@]}" $how
        ended 1
        says "fault: access to shared memory of a block that has ended"
        corun run stuck.yaml "${RUN[@]}" $how
        ended 1
        says "warp 0 waits at barrier.cluster, where 7 of 8 warps have arrived"
    done
}

@test "clusters of CUDA programs: attributes, errors, occupancy" {
    local how
    for how in "" "--skip-kernels all"; do
        rm -f clusters*.stdout
        corun run "cuda:$(program clusters)" --gpu h100 --alone skip --quiet $how
        cat clusters.stdout
        ended 0
        [ "$(tail -1 clusters.stdout)" = "all right" ]
    done
    rm clusters.stdout
    local gpcs
    gpcs=12$(printf '/12%.0s' {1..10})
    for how in "small --gpu h100 --set sm.gpcs=$gpcs" "old --gpu rtx2060"; do
        corun run "cuda:$(program clusters) ${how%% *}" ${how#* } --alone skip --quiet
        cat clusters.stdout
        ended 0
        [ "$(tail -1 clusters.stdout)" = "all right" ]
        rm clusters.stdout
    done
}

# boxes SEVERAL OPTION...: each block of four loads a box of a tensor into the other block of its
# cluster, or, if SEVERAL is 1, into both.
boxes() {
    local several=$1
    shift
    cat >boxes.ptx <<'END'
.version 8.6
.target sm_90
.address_size 64
.visible .entry boxes(.param .u64 in, .param .u64 out, .param .u32 several) {
.reg .pred p<4>; .reg .b16 h0; .reg .b32 r<16>; .reg .b64 d<8>;
.shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 m;
ld.param.u64 d0, [in]; ld.param.u64 d1, [out]; ld.param.u32 r3, [several];
mov.u32 r0, %tid.x; mov.u32 r1, %cluster_ctarank; mov.u32 r2, %ctaid.x;
mov.u32 r4, s; mov.u32 r5, m; setp.eq.u32 p1, r0, 0; setp.ne.u32 p3, r3, 0;
@p1 mbarrier.init.shared.b64 [r5], 1;
add.u64 d4, d0, 128; @p1 st.global.u64 [d0+8], d4; fence.proxy.async;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
@!p1 bra wait;
selp.u32 r6, 512, 256, p3; shl.b32 r8, r2, 6;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [r5], r6;
@p3 bra all;
xor.b32 r7, r1, 1;
mapa.shared::cluster.u32 r9, r4, r7; mapa.shared::cluster.u32 r10, r5, r7;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    [r9], [d0, {r8}], [r10];
bra wait;
all: mov.u16 h0, 3; mad.lo.u32 r9, r1, 256, r4;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
    [r9], [d0, {r8}], [r5], h0;
wait: mbarrier.try_wait.parity.shared::cta.b64 p2, [r5], 0; @!p2 bra wait;
mad.lo.u32 r11, r0, 4, r4; ld.shared.u32 r12, [r11]; ld.shared.u32 r13, [r11+256];
mad.lo.u32 r12, r13, 3, r12;
mad.lo.u32 r14, r2, 64, r0; mad.wide.u32 d1, r14, 4, d1; st.global.u32 [d1], r12;
barrier.cluster.arrive; barrier.cluster.wait; ret; }
END
    cat >boxes.yaml <<END
app: boxes
module: boxes.ptx
buffers:
  in: {type: u8, count: 1152, init: file in.bin}
  out: {type: u8, count: 1024, init: zero}
launches: [{kernel: boxes, grid: 4, block: 64, cluster: [2, 1, 1], args: [\$in, \$out, $several]}]
dump: {out: boxes.out}
END
    python3 -c 'import struct
words = [0x20174, 0, 0, 0, 256] + [0] * 17 + [64, 0, 0x10000] + [0] * 7
open("in.bin", "wb").write(struct.pack("<288I", *words, *(7 * k + 1 for k in range(256))))'
    rm -f boxes.out
    corun run boxes.yaml "${RUN[@]}" "$@"
    ended 0
    python3 - "$several" <<'END'
import struct, sys
several = int(sys.argv[1])
got = struct.unpack('<256I', open('boxes.out', 'rb').read())
box = [[7 * (64 * b + t) + 1 for t in range(64)] for b in range(4)]
right = [box[b & 2][t] + 3 * box[b | 1][t] if several else box[b ^ 1][t]
         for b in range(4) for t in range(64)]
assert list(got) == right, (got[:4], right[:4])
END
}

@test "a copy of a box into another block, and into several" {
    local several
    for several in 0 1; do
        boxes $several
        boxes $several --skip off --sim-threads 3
        boxes $several --skip-kernels all
    done
}

@test "clusters in instances of the GPU, and with exact blame" {
    app ring 16
    rm -f ring.out
    corun run ring.yaml vecadd:n=200000 "${RUN[@]}" --policy 'mig[profiles=1g/3g]'
    ended 0
    python3 "$HERE/clusters.py" right ring 16
    rm ring.out
    corun run ring.yaml vecadd:n=200000 "${RUN[@]}" --policy smk-p --blame exact
    ended 0
    python3 "$HERE/clusters.py" right ring 16
}

@test "a policy that allows too few SMs of a GPC starves the kernel" {
    app ring 16
    corun run ring.yaml vecadd:n=60000 "${RUN[@]}" --set sm.count=16 --set sm.gpcs=none \
        --policy "green[sms=8/8]" --set policy.patience=2000
    ended 1
    says "kernel 'ring' was admitted, but a cluster of 16 blocks got no SMs of a GPC"
}

@test "a cluster with an ended block leaves and returns with the others" {
    cat >parted.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry parted(.param .u64 p)
{
.reg .b64 %d<3>; .reg .b32 %r<3>; .reg .pred %p;
ld.param.u64 %d0, [p]; mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p, %r0, 0; @%p bra done;
mov.u32 %r1, 0;
again: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 3000; @%p bra again;
mov.u32 %r2, %ctaid.x; mul.wide.u32 %d1, %r2, 4; add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r1;
done: ret;
}
END
    cat >parted.yaml <<'END'
app: parted
module: parted.ptx
buffers: {p: {type: u32, count: 8, init: zero}}
launches: [{kernel: parted, grid: 8, block: 128, cluster: [4, 1, 1], args: [$p]}]
dump: {p: p.out}
END
    for state in none resident; do
        corun run ./parted.yaml vecadd:n=400000 --gpu h100 --set sm.count=32 --alone skip --quiet \
            --until end --cycles 400000 --policy "timeslice[us=1,state=$state]" --json r.json
        ended 0
        output=$(cat r.json)
        holds 'd["apps"][0]["completions"] == 1'
        holds 'd["policy_stats"]["timeslice"]["switches"] > 2'
        python3 -c '
import struct
assert struct.unpack("<8I", open("p.out", "rb").read()) == (0, 3000, 3000, 3000) * 2'
    done
}
