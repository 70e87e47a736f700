#!/usr/bin/env bats
# Asynchronous copies to shared memory, mbarriers, the heap and the stack of kernels, and linked
# modules. copies.ptx is written by hand, heap.ptx compiled from heap.cu.
load common

copies() { # writes NAME.yaml, an app of kernel NAME, and the expected bytes
    cp "$HERE/copies.ptx" .
    cat >"$1.yaml" <<END
app: $1
module: copies.ptx
buffers:
  in: {type: f32, count: 1048576, init: ramp}
  out: {type: f32, count: 131072}
launches:
  - {kernel: $1, grid: $3, block: $2, args: [\$out, \$in, $4]}
dump: {out: $1.out}
END
    cat >right.py <<'END'
import struct, sys
kernel, blocks, n, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
out = struct.unpack('131072f', open(path, 'rb').read())
for b in range(blocks):
    if kernel == 'tiles':
        want = [float(sum((b * n + k) * 256 + 255 - t for k in range(n))) for t in range(256)]
    else:
        want = [float(sum((k * 128 + 127 - t) * 4 for k in range(n))) for t in range(128)]
    size = len(want)
    assert list(out[b * size:(b + 1) * size]) == want, (kernel, b)
END
}

same_without_skipping() { # compares all but the host's speed and the option itself
    corun run "$@" --json on.json --quiet
    ended 0
    corun run "$@" --json off.json --quiet --skip off
    ended 0
    python3 - <<'END'
import json
on, off = (json.load(open(f)) for f in ('on.json', 'off.json'))
for r in (on, off):
    for key in ('host', 'skip'):
        r.pop(key)
assert on == off, [k for k in on if on[k] != off[k]]
END
}

# bats test_tags=long
@test "copies and mbarriers give the right bytes on every machine, skipping or not" {
    copies tiles 256 24 8
    copies ring 128 24 16
    for gpu in maxwell16 rtx2060 fermi30; do
        same_without_skipping ./tiles.yaml ./ring.yaml --gpu "$gpu" --alone skip
        python3 right.py tiles 24 8 tiles.out
        python3 right.py ring 24 16 ring.out
    done
}

@test "copies and mbarriers of launches that run functionally" {
    copies tiles 256 24 8
    copies ring 128 24 16
    corun run ./tiles.yaml ./ring.yaml --gpu rtx2060 --alone skip --json - --skip-kernels all
    ended 0
    holds "all(a['functional_launches'] == 1 for a in d['apps'])"
    python3 right.py tiles 24 8 tiles.out
    python3 right.py ring 24 16 ring.out
}

# bats test_tags=long
@test "blocks with copies under way leave their SMs and come back" {
    copies tiles 256 100 8
    copies ring 128 100 8
    local shuffle="$HERE/../policy/shuffle.c[cycles=200]"
    ways='switch flush'
    [ "${CORUN_TEST:-}" != every ] || ways+=' chimera ideal drain'
    for by in $ways; do
        same_without_skipping ./tiles.yaml ./ring.yaml --policy "$shuffle+$by" --alone skip \
            --until end --set sm.count=4
        python3 right.py tiles 100 8 tiles.out
        python3 right.py ring 100 8 ring.out
        python3 - "$by" <<'END'
import json, sys
s = json.load(open('on.json'))['stats']
assert sys.argv[1] == 'drain' or s['blocks.preempted'] > 0, (sys.argv, s['blocks.preempted'])
if sys.argv[1] in ('switch', 'flush'):
    assert s['preempt.' + {'switch': 'switched', 'flush': 'flushed'}[sys.argv[1]]] > 0
END
    done
}

# bats test_tags=long,every
@test "extra blocks, two-level scheduling and independent threads change no byte" {
    copies tiles 256 24 8
    copies ring 128 24 16
    for how in '--policy virtual-thread' '--policy gpuduet' '--set sm.scheduler=two-level' \
        '--set sm.independent_threads=true' '--set sm.atomics_hold=true'; do
        same_without_skipping ./tiles.yaml ./ring.yaml $how --alone skip
        python3 right.py tiles 24 8 tiles.out
        python3 right.py ring 24 16 ring.out
    done
}

# bats test_tags=long,every
@test "a program with copies that is begun again while another runs, and one the oracle forks" {
    copies tiles 256 24 8
    copies ring 128 24 16
    same_without_skipping ./tiles.yaml ./ring.yaml --until all-complete --alone skip
    python3 right.py tiles 24 8 tiles.out
    same_without_skipping ./tiles.yaml ./ring.yaml --policy 'oracle[mode=window,window=2000]' \
        --alone skip --set sm.count=4
    python3 right.py tiles 24 8 tiles.out
    python3 right.py ring 24 16 ring.out
}

@test "the end of a phase wakes who has tried to wait for it" {
    copies ring 128 24 16
    corun run ./ring.yaml --json r.json --quiet --alone skip
    ended 0
    python3 -c "import json; n = json.load(open('r.json'))['cycles']; assert n < 50000, n"
}

@test "who reads before the wait sees what was there before" {
    copies early 32 1 0
    sed -i 's/, \$in, 0\]/, $in]/' early.yaml
    corun run ./early.yaml --quiet
    ended 0
    python3 - <<'END'
import struct
data = open('early.out', 'rb').read()
assert struct.unpack('32I', data[:128]) == (77,) * 32
assert struct.unpack('32f', data[128:256]) == tuple(float(k) for k in range(32))
END
}

@test "a copy and its wait take what a load and its first use do; a copy alone takes nothing" {
    copies cycles 1 1 0
    sed -i 's/, \$in, 0\]/, $in]/' cycles.yaml
    for gpu in maxwell16 rtx2060; do
        corun run ./cycles.yaml --gpu "$gpu" --quiet
        ended 0
        python3 - <<'END'
import struct
load, copy, alone = struct.unpack('3Q', open('cycles.out', 'rb').read()[:24])
assert load > 100 and abs(copy - load) < 40 and alone < 20, (load, copy, alone)
END
    done
}

@test "waiting for copies is waiting for memory" {
    copies tiles 256 1 8
    corun run ./tiles.yaml --json r.json --quiet --alone skip
    ended 0
    python3 - <<'END'
import json
r = json.load(open('r.json'))
s = r['stats']
assert s['sm.memory_stall_cycles'] > r['cycles'] / 4, s
assert s['stall.raw_cycles'] > r['cycles'], s
END
}

heap() { # KERNEL BLOCKS ARGUMENTS: launches of an app with a list and a result
    cp "$HERE/heap.ptx" .
    cat >heap.yaml <<END
app: heap
module: heap.ptx
buffers:
  list: {type: u64, count: 5120}
  to: {type: s32, count: 5120}
launches:
$1
dump: {to: to.out}
END
}

@test "what kernels allocate stays until it is free, over launches and restarts" {
    heap '  - {kernel: fill, grid: 40, block: 128, args: [$list]}
  - {kernel: sum, grid: 40, block: 128, args: [$to, $list]}'
    same_without_skipping ./heap.yaml vecadd:size=test --until all-complete --alone skip
    python3 - <<'END'
import struct
to = struct.unpack('5120i', open('to.out', 'rb').read())
for t, is_ in enumerate(to):
    n = t % 7 + 1
    assert is_ == (0 if t & 1 else n * t * 10 + n * (n - 1) // 2), t
END
}

@test "the heap has 8 MB, and takes back only what it has given" {
    heap '  - {kernel: too_much, grid: 1, block: 1, args: [$to]}'
    corun run ./heap.yaml --quiet
    ended 0
    [ "$(od -An -tu4 -N4 to.out | tr -d ' ')" = 1 ]
    heap '  - {kernel: wrong, grid: 1, block: 1, args: [$to]}'
    corun run ./heap.yaml --quiet
    ended 1
    says "free of an address not allocated by malloc" "heap.ptx"
}

@test "a function's stack is free when it returns" {
    heap '  - {kernel: stack, grid: 40, block: 128, args: [$to]}'
    corun run ./heap.yaml --quiet
    ended 0
    python3 - <<'END'
import struct
def reversed_(n, t):
    row = [0] * n
    for i in range(n):
        row[n - 1 - i] = t + i * i
    s = 0
    for v in row:
        s = (s * 3 + v) & 0xffffffff
    return s
to = struct.unpack('5120I', open('to.out', 'rb').read())
for t, is_ in enumerate(to):
    assert is_ == (reversed_(t % 5 + 1, t) + reversed_(100, t)) & 0xffffffff, t
END
}

# ---- modules ----

HEAD='.version 8.0
.target sm_75
.address_size 64
'

linked() { # writes an app file of these modules
    local list
    list=$(printf '%s, ' "$@")
    cat >linked.yaml <<END
app: linked
module: [${list%, }]
buffers:
  to: {type: u32, count: 32}
launches:
  - {kernel: k, grid: 1, block: 32, args: [\$to]}
dump: {to: to.out}
END
}

user() { # writes a module that calls and reads definitions of other modules
    cat >user.ptx <<END
$HEAD
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .b8 table[128];
.extern .const .align 4 .u32 more;
.weak .func (.param .b32 r) add(.param .b32 a) { .reg .b32 %r<2>;
ld.param.u32 %r0, [a]; add.u32 %r0, %r0, 1000; st.param.u32 [r], %r0; ret; }
.func (.param .b32 r) own(.param .b32 a) { .reg .b32 %r<2>;
ld.param.u32 %r0, [a]; add.u32 %r0, %r0, 5; st.param.u32 [r], %r0; ret; }
.global .u64 where[2] = {twice, table};
.visible .entry k(.param .u64 to)
{
    .reg .b32 %r<9>; .reg .b64 %d<9>; .param .b32 a; .param .b32 b;
    ld.param.u64 %d0, [to]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;
    st.param.b32 [a], %r0; call (b), twice, (a); ld.param.b32 %r1, [b];
    mov.u64 %d1, table; mad.wide.u32 %d1, %r0, 4, %d1; ld.global.u32 %r2, [%d1];
    ld.const.u32 %r3, [more]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
    st.param.b32 [a], %r1; call (b), add, (a); ld.param.b32 %r1, [b];
    st.param.b32 [a], %r1; call (b), own, (a); ld.param.b32 %r1, [b];
    ld.global.u64 %d2, [where]; st.param.b32 [a], %r1;
p: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %d2, (a), p; ld.param.b32 %r1, [b];
    st.global.u32 [%d0], %r1;
    ret;
}
END
}

owner() {
    cat >owner.ptx <<END
$HEAD
.visible .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>;
ld.param.u32 %r0, [a]; add.u32 %r0, %r0, %r0; st.param.u32 [r], %r0; ret; }
.visible .global .align 4 .b8 table[128] = {1, 0, 0, 0, 2, 0, 0, 0};
.visible .const .align 4 .u32 more = 70;
.weak .func (.param .b32 r) add(.param .b32 a) { .reg .b32 %r<2>;
ld.param.u32 %r0, [a]; add.u32 %r0, %r0, 3; st.param.u32 [r], %r0; ret; }
.func (.param .b32 r) own(.param .b32 a) { trap; }
END
}

@test "modules are linked: functions, variables, weak ones, addresses, names of their own" {
    user
    owner
    linked user.ptx owner.ptx
    corun run ./linked.yaml --quiet
    ended 0
    python3 - <<'END'
import struct
to = struct.unpack('32I', open('to.out', 'rb').read())
table = [1, 2] + [0] * 30
assert to == tuple(2 * (2 * t + table[t] + 70 + 1000 + 5) for t in range(32)), to
END
    # the first weak definition counts, or the strong definition
    linked owner.ptx user.ptx
    corun run ./linked.yaml --quiet
    ended 0
    [ "$(od -An -tu4 -N4 to.out | tr -d ' ')" = $((2 * (1 + 70 + 3 + 5))) ]
    sed -i 's/.weak .func \(.*\) add/.visible .func \1 add/' owner.ptx
    linked user.ptx owner.ptx
    corun run ./linked.yaml --quiet
    ended 0
    [ "$(od -An -tu4 -N4 to.out | tr -d ' ')" = $((2 * (1 + 70 + 3 + 5))) ]
}

@test "what two modules define, or declare otherwise, is told with both places" {
    user
    owner
    sed 's/.weak .func/.visible .func/' owner.ptx >again.ptx
    linked user.ptx owner.ptx again.ptx
    corun run ./linked.yaml
    refused "again.ptx:5:" "'twice' is defined in two of the modules" "first defined in" \
        "owner.ptx, line 5" "'table' is defined in two" "'more' is defined in two"
    sed -i 's/twice(.param .b32 a)/twice(.param .b64 a)/; s/table\[128\]/table[256]/' owner.ptx
    linked user.ptx owner.ptx
    corun run ./linked.yaml
    refused "user.ptx:5:" "'twice' has other parameters than in another module" \
        "'table' has another size than in another module" "owner.ptx, line 7"
    sed -i 's/.visible .const/.visible .global/' owner.ptx
    corun run ./linked.yaml
    refused "'more' has another state space than in another module"
}

@test "what no module defines is told; a fault in another module has its place" {
    printf '%s.extern .func f();\n.entry k(.param .u64 to) {\ncall f;\nret; }\n' "$HEAD" >lone.ptx
    linked lone.ptx
    corun run ./linked.yaml
    refused lone.ptx:6: "calls 'f': no body in the module" \
        "give all PTX files of the program as a list"
    user
    owner
    sed -i 's/^ld.param.u32 %r0, \[a\]; add.u32 %r0, %r0, %r0/trap/' owner.ptx
    linked user.ptx owner.ptx
    corun run ./linked.yaml --quiet
    ended 1
    says "owner.ptx:6: fault: trap"
    linked user.ptx missing.ptx
    corun run ./linked.yaml
    refused "missing.ptx"
    printf 'app: a\nmodule: {a: b}\nlaunches: []\n' >linked.yaml
    corun run ./linked.yaml
    refused "module is a PTX file or a list of them"
}

# ---- unsupported code ----

# bats test_tags=long
@test "what is not supported is refused by name, and only the kernels that reach it" {
    while IFS= read -r line; do
        cat >one.ptx <<END
$HEAD
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) cudaDeviceSynchronize();
.visible .entry bad(.param .u64 p) { .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;
.param .b64 a; .param .b64 b; .param .b32 r; .shared .align 128 .b8 s[256];
$line
ret; }
.visible .entry good(.param .u64 p) { ret; }
END
        corun ptx one.ptx
        ended 2
        shows good
        name=$(printf '%s' "$line" | sed 's/[ ;].*//')
        [[ $line == call* ]] && name=$(printf '%s' "$line" | sed 's/.*, \(cuda[A-Za-z0-9]*\).*/\1/')
        says "'$name'" "not supported"
        case $name in
        tcgen05*) says "tensor memory of sm_100" ;;
        multimem*) says "several GPUs" ;;
        clusterlaunchcontrol*) says "no block takes over the work" ;;
        *block_scale*) says "no scales per block" ;;
        *f8f6f4*) says "no elements of 6 and 4 bits" ;;
        *im2col*) says "a box is a tile" ;;
        *gather4*) says "rows of a box follow one another" ;;
        esac
    done <<'END'
cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1];
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r1];
cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r1];
mma.sync.aligned.kind::mxf8f6f4.block_scale.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 {%f1};
mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m3.e4m3.f32 {%f1}, {%r1}, {%r2}, {%f1};
tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%d1], 0;
wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %d1, %d2, %r1, 0, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %d1, %d2, 1;
wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r1}, %d1, %d2, 1, 1, 1, 0, 0;
tcgen05.fence::before_thread_sync;
multimem.red.relaxed.sys.global.add.u32 [%d1], %r1;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];
call (r), cudaLaunchDeviceV2, (a, b);
call (r), cudaDeviceSynchronize, ();
END
}

@test "tensormap.replace: constants out of range are refused with the reason" {
    local field value why
    while read -r field value why; do
        cat >map.ptx <<END
.version 8.4
.target sm_90a
.address_size 64
.visible .entry f(.param .u64 p) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p];
tensormap.replace.tile.$field.global.b1024.b32 [%d], $value; ret; }
END
        corun ptx map.ptx
        ended 2
        says "'tensormap.replace': $why"
    done <<'END'
rank 5 the rank less 1 is 0 to 4
box_dim 5,%r dimensions of a box are 0 to 4
global_dim 5,%r dimensions of a tensor are 0 to 4
element_stride 5,%r dimensions of steps are 0 to 4
elemtype 13 types of elements are 0 to 12
swizzle_mode 4 swizzles are 0 to 3
interleave_layout 1 interleaved layouts are not supported
fill_mode 2 the fill is 0, zeros, or 1, NaN
END
    sed -i 's/fill_mode/rank/; s/, 2;/, 4;/' map.ptx
    corun ptx map.ptx
    ended 0
}

@test "old PTX and 32-bit addresses are refused with what to do" {
    printf '.version 1.4\n.target sm_10\n.entry k() { ret; }\n' >old.ptx
    corun ptx old.ptx
    refused "PTX version 1.4 is not known" "nvcc -m64 -arch=sm_60 -ptx FILE.cu"
    printf '.version 6.0\n.target sm_60\n.address_size 32\n.entry k() { ret; }\n' >old.ptx
    corun ptx old.ptx
    refused "only PTX with .address_size 64 is supported" "nvcc -m64 -ptx FILE.cu"
}

@test "what is wrong with a copy is told where it stands" {
    while IFS='|' read -r line text; do
        printf '%s.entry k() { .reg .b32 %%r<3>; .reg .b64 %%d<3>;\n%s\nret; }\n' "$HEAD" "$line" \
            >one.ptx
        corun ptx one.ptx
        refused one.ptx:5: "$text"
    done <<'END'
cp.async.ca.shared.global [%r1], [%d1], 12;|4, 8 or 16, a constant
cp.async.cg.shared.global [%r1], [%d1], 8;|16, a constant
cp.async.ca.shared.global [%d1], [%r1], 8;|an address of 64 bits
cp.async.shared.global [%r1], [%d1], 8;|'cp.async' needs .ca or .cg
cp.async.ca.global [%r1], [%d1], 8;|'cp.async' needs .shared
cp.async.wait_group %r1;|an integer constant
mbarrier.arrive.shared.b64 %r1, [%r2];|64 bits
mbarrier.test_wait.shared.b64 %d1, [%r2], %d2;|predicate
END
}
