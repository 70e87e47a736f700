#!/usr/bin/env bats
# wgmma: products of matrices by four warps, in shared memory (test/op/group.case has the values).
load common

# chain COLUMNS DEPTH TYPES [LINES...]: writes chain.yaml, a group of eight products
# m64nCOLUMNSkDEPTH, then LINES (again: another group); out: cycles, then the sums. With late=N in
# the environment all warps but the first begin N rounds of a loop later.
chain() {
    python3 - "$@" >chain.ptx <<'END'
import os, sys
n, k, types = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
sums = n // 2 if types[:3] != 'f16' else n // 4
t = 'f' if types[:3] == 'f32' else 'r'
rest = {'f': ', 1, 1' + ', 0, 0' * ('tf32' not in types and '.e' not in types), 'r': ''}[t]
if types == 'f16.f16.f16':
    rest = ', 1, 1, 0, 0'
names = '{' + ', '.join(f'%{t}{9 + i}' for i in range(sums)) + '}'
print(f'''.version 8.0
.target sm_90a
.address_size 64
.shared .align 1024 .b8 s[32768];
.visible .entry chain(.param .u64 out) {{
.reg .pred %p<2>; .reg .b32 %r<160>; .reg .f32 %f<160>; .reg .b64 %d<9>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 8, %d0;
mov.u32 %r1, 0; mad.lo.u32 %r2, %r0, 4, 0;
fill: rem.u32 %r3, %r2, 119; and.b32 %r3, %r3, 0x3f; mul.lo.u32 %r3, %r3, 0x01010101;
mov.u32 %r4, s; add.u32 %r4, %r4, %r2; st.shared.u32 [%r4], %r3;
add.u32 %r2, %r2, 512; setp.lt.u32 %p0, %r2, 32768; @%p0 bra fill;
fence.proxy.async; bar.sync 0;
mov.u32 %r5, s; shr.u32 %r5, %r5, 4; cvt.u64.u32 %d2, %r5;
or.b64 %d2, %d2, 0x4000004000010000; add.u64 %d3, %d2, 1024;
mov.u32 %r6, {os.environ.get('late', 0)}; setp.lt.u32 %p1, %r0, 32; @%p1 bra begin;
late: setp.eq.u32 %p1, %r6, 0; @%p1 bra begin; sub.u32 %r6, %r6, 1; bra late;
begin:''')
for i in range(sums):
    print(f'mov.b32 %{t}{9 + i}, 0;')
print('mov.u64 %d4, %clock64; wgmma.fence.sync.aligned;')
sparse = k == 32 and types.endswith('f16') # half of A, with metadata
product = (f"wgmma.mma_async{'.sp' * sparse}.sync.aligned.m64n{n}k{k}.{types} {names}, %d2, %d3, "
           f"{'%r1, 0, ' * sparse}1{rest};\n")
print(8 * product + 'wgmma.commit_group.sync.aligned;')
if sys.argv[4:5] == ['again']:
    sys.argv[4:5] = [8 * product + 'wgmma.commit_group.sync.aligned;']
print('\n'.join(sys.argv[4:]) or 'wgmma.wait_group.sync.aligned 0;')
print('mov.u64 %d5, %clock64; sub.u64 %d5, %d5, %d4; st.global.u64 [%d1], %d5;')
for i in range(sums):
    print(f'st.global.b32 [%d1+{1024 * (1 + i)}], %{t}{9 + i};')
print('ret; }')
END
    cat >chain.yaml <<END
app: chain
module: chain.ptx
buffers: {out: {type: u64, count: $((128 * 130)), init: zero}}
launches: [{kernel: chain, grid: 1, block: 128, args: [\$out]}]
dump: {out: chain.out}
END
}

# cycles LEAST MOST: of the chain on an h100, by every warp's clock
cycles() {
    corun run ./chain.yaml --gpu h100 --alone skip
    ended 0
    python3 - "$@" <<'END'
import struct, sys
least, most = map(int, sys.argv[1:3])
data = open('chain.out', 'rb').read()
seen = set(struct.unpack('<128Q', data[:1024]))
assert least <= min(seen) and max(seen) <= most, seen
END
}

@test "wgmma takes the time that an H100 took" {
    chain 8 16 f32.f16.f16
    cycles 180 200 # measured: 189.8
    chain 64 16 f32.f16.f16
    cycles 300 325 # measured: 317
    chain 128 16 f16.f16.f16
    cycles 555 580 # measured: 573
}

@test "a sparse wgmma reads half of A and all of B" {
    # 64 * 16 and 8 * 32 elements of 2 bytes, 128 bytes a cycle; in place of 18 of the dense product
    chain 8 32 f32.f16.f16
    cycles 196 216
    chain 128 32 f16.f16.f16 # 80 cycles, more than the 64 of the tensor unit
    cycles 683 708
}

@test "a tensor unit is held for the steps of wgmma, and the wait is for the sums alone" {
    chain 64 8 f32.tf32.tf32
    cycles 300 325
    chain 64 32 f32.e4m3.e4m3
    cycles 300 325
    chain 64 32 s32.s8.u8
    cycles 300 325
    chain 64 16 f32.f16.f16 'wgmma.wait_group.sync.aligned 1;'
    cycles 20 280 # the last products are under way
    chain 64 16 f32.f16.f16 'wgmma.commit_group.sync.aligned;' \
        'wgmma.wait_group.sync.aligned 1;'
    cycles 300 330 # the second group is empty
    chain 64 16 f32.f16.f16 again 'wgmma.wait_group.sync.aligned 1;'
    cycles 400 450 # the products still wait in collectors when the last one is issued
    chain 64 16 f32.f16.f16 again 'wgmma.wait_group.sync.aligned 0;'
    cycles 550 600
}

@test "wgmma gives the same sums with and without time" {
    for types in f32.f16.f16 f32.bf16.bf16 f16.f16.f16; do
        chain 128 16 $types
        corun run ./chain.yaml --gpu h100 --alone skip
        ended 0
        tail -c +1025 chain.out >timed
        corun run ./chain.yaml --gpu h100 --alone skip --skip-kernels all
        ended 0
        tail -c +1025 chain.out | cmp - timed
        [ "$(tr -d '\0' <timed | wc -c)" -gt 10000 ]
    done
}

@test "a warp whose wait is over may write over the matrices of all four warps" {
    chain 64 16 f32.f16.f16
    corun run ./chain.yaml --gpu h100 --alone skip
    ended 0
    tail -c +1025 chain.out >right
    # after the wait warp 0 clears shared memory, and the other warps, which come later, do nothing
    late=500 chain 64 16 f32.f16.f16 'wgmma.wait_group.sync.aligned 0;' \
        'setp.ge.u32 %p0, %r0, 32;' \
        'mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4; mov.u32 %r3, 0; @%p0 bra done;' \
        'clear: st.shared.u32 [%r4], 0; add.u32 %r4, %r4, 128; add.u32 %r3, %r3, 1;' \
        'setp.lt.u32 %p0, %r3, 256; @%p0 bra clear; done:'
    for how in '' '--skip-kernels all' '--set sm.scheduler=lrr --skip off'; do
        corun run ./chain.yaml --gpu h100 --alone skip $how
        ended 0
        tail -c +1025 chain.out | cmp - right
    done
}

@test "a machine without wgmma says so" {
    chain 8 16 f32.f16.f16
    corun run ./chain.yaml --gpu a100
    refused "kernel 'chain' multiplies matrices of four warps (wgmma)" "sm.wgmma_latency is 0"
    corun run ./chain.yaml --gpu h100 --set sm.tensor_units=8
    refused "sm.wgmma_latency is 40" "wgmma is for a tensor unit in each sub-core"
}

@test "a matrix outside shared memory is a fault" {
    chain 8 16 f32.f16.f16
    sed 's/add.u64 %d3, %d2, 1024;/add.u64 %d3, %d2, 2044;/' chain.ptx >x
    mv x chain.ptx
    corun run ./chain.yaml --gpu h100 --alone skip
    ended 1
    says "out-of-bounds shared load"
}

@test "wrong operands of wgmma" {
    while read -r line; do
        what=${line#*: }
        printf '%s\n' '.version 8.0' '.target sm_90a' '.address_size 64' '.entry k() {' \
            '.reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>;' \
            "wgmma.mma_async.sync.aligned.$what" 'ret; }' >one.ptx
        corun ptx one.ptx
        ended 2
        says "one.ptx:6:" "${line%%: *}"
    done <<'END'
takes 8 operands, here are 7: m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 0;
takes 7 operands, here are 8: m64n8k16.f32.f16.f16 {%f0}, {%r0}, %d2, 1, 1, 1, 0, 0;
takes 4 operands, here are 6: m64n8k32.s32.s8.s8 {%r0, %r1, %r2, %r3}, %d1, %d2, 1, 1, 1;
expects 4 registers for the matrix, here are 2: m64n8k32.s32.s8.s8 {%r0, %r1}, %d1, %d2, 1;
expects a predicate, or an integer constant: m64n8k32.s32.s8.s8 {%r0, %r1, %r2, %r3}, %d1, %d2, %r5;
expects 1 or -1: m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 0;
expects 0 or 1: m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 1, 1, 1, 2, 0;
expects a matrix descriptor of 64 bits: m64n8k32.s32.s8.s8 {%r0, %r1, %r2, %r3}, %d1, [%d2], 1;
END
}
