#!/usr/bin/env bats
# Products of matrices on tensor units (matrices.cu; matrices.ptx and matrices80.ptx are stored).
load common

# app KERNEL [MODULE]: writes KERNEL.yaml, an app of the kernel, N x N x K; `right KERNEL` checks
# the dump.
app() {
    cat >make.py <<'END'
import random, struct, sys
N, K = 64, 96
kernel, what = sys.argv[1:3]
types = {'wmma_f32': ('e', 'f'), 'wmma_f16': ('e', 'e'), 'wmma_s8': ('b', 'i'),
         'mma_f32': ('e', 'f'), 'mma_apart': ('e', 'f'), 'wmma_bf16': ('bf16', 'f'),
         'mma_bf16': ('bf16', 'f'),
         'wmma_tf32': ('f', 'f'), 'wmma_f64': ('d', 'd')}
given, made = types[kernel]
bytes_of = {'e': 2, 'b': 1, 'i': 4, 'f': 4, 'd': 8}
pick = random.Random(3)
a, b = ([[pick.randrange(-3, 4) for _ in range(K)] for _ in range(N)] for _ in 'ab')
def pack(rows):
    flat = [v for row in rows for v in row]
    if given == 'bf16':
        return b''.join(struct.pack('<f', v)[2:] for v in flat)
    return struct.pack(f'<{len(flat)}{given}', *flat)
if what == 'right':
    n, k = (8, 8) if kernel == 'mma_apart' else (N, K)
    rows = 16 if kernel == 'mma_apart' else N
    data = open(f'{kernel}.out', 'rb').read()
    got = struct.unpack(f'<{N * N}{made}', data)
    wrong = []
    for y in range(N):
        for x in range(N):
            inside = y < rows and x < n
            want = 2 * sum(p * q for p, q in zip(a[y][:k], b[x][:k])) if inside else 0
            if got[y * N + x] != want:
                wrong.append((y, x, got[y * N + x], want))
    assert not wrong, (kernel, len(wrong), wrong[:5])
    sys.exit()
for name, rows in (('a', a), ('b', b)):
    open(f'{kernel}.{name}', 'wb').write(pack(rows))
size = N * K * (2 if given == 'bf16' else bytes_of[given])
grid, block = ('1', 32) if kernel == 'mma_apart' else (f'[{N // 32}, {N // 32}]', 128)
print(f'''app: {kernel}
module: {what}
buffers:
  a: {{type: u8, count: {size}, init: file {kernel}.a}}
  b: {{type: u8, count: {size}, init: file {kernel}.b}}
  c: {{type: u8, count: {N * N * bytes_of[made]}, init: zero}}
launches: [{{kernel: {kernel}, grid: {grid}, block: {block}, args: [$a, $b, $c, {N}, {K}]}}]
dump: {{c: {kernel}.out}}''')
END
    cp "$HERE/${2:-matrices.ptx}" .
    python3 make.py "$1" "${2:-matrices.ptx}" >"$1.yaml"
}

right() { python3 make.py "$1" right; }

AMPERE=(--set sm.tensor_bf16_initiation=8 --set sm.tensor_tf32_initiation=8
    --set sm.tensor_f64_initiation=16)

# bats test_tags=long
@test "products are right, with and without skipping" {
    for kernel in wmma_f32 wmma_f16 wmma_s8 mma_f32 mma_apart; do
        app $kernel
        for skip in on off; do
            corun run ./$kernel.yaml --gpu rtx2060 --alone skip --skip $skip --json $kernel.$skip
            ended 0
            right $kernel
        done
        python3 "$HERE/same.py" $kernel.on $kernel.off
    done
}

# bats test_tags=long
@test "products of bf16, tf32 and f64 where a machine has them" {
    for kernel in wmma_bf16 mma_bf16 wmma_tf32 wmma_f64; do
        app $kernel matrices80.ptx
        corun run ./$kernel.yaml --gpu rtx2060 "${AMPERE[@]}" --alone skip
        ended 0
        right $kernel
    done
}

# bats test_tags=long
@test "a machine without tensor units, or without the kind, says so" {
    app wmma_f16
    for gpu in fermi30 gtx980 maxwell16 maxwell16-duet; do
        corun run ./wmma_f16.yaml --gpu $gpu
        refused "kernel 'wmma_f16' multiplies matrices" "sm.tensor_units is 0"
        placed ./wmma_f16.yaml 7 '128, args'
    done
    for kernel in bf16 tf32 f64; do
        app wmma_$kernel matrices80.ptx
        corun run ./wmma_$kernel.yaml --gpu rtx2060
        refused "kernel 'wmma_$kernel' multiplies matrices of a type" \
            "sm.tensor_${kernel}_initiation is 0"
    done
    corun run ./wmma_f16.yaml --gpu rtx2060 --set sm.tensor_units=6
    refused "sm.tensor_units" "equal share"
    # tensor units of a machine without sub-cores
    corun run ./wmma_f16.yaml --gpu gtx980 --set sm.tensor_units=4 \
        --set sm.tensor_f16_initiation=8 --alone skip
    ended 0
    right wmma_f16
}

# bats test_tags=long,every
@test "moved, begun anew and shared, products stay right" {
    cp "$HERE/../../examples/saxpy/saxpy".* .
    app wmma_f32
    app mma_f32
    for policy in smk-p chimera spatial warped-slicer; do
        rm -f ./*.out
        corun run ./wmma_f32.yaml ./mma_f32.yaml ./saxpy.yaml --gpu rtx2060 --policy $policy \
            --alone skip
        ended 0
        right wmma_f32
        right mma_f32
    done
}

# rate CHAINS WORDS D A B TYPE: cycles per product of 4096 in each of THREADS / 32 warps, in as many
# chains of dependent products, into $cycles. D, A, B: registers of TYPE.
rate() {
    python3 - "$@" >rate.ptx <<'END'
import sys
chains, words, d, a, b, t = int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6]
print('.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry rate(.param .u64 out) {')
print('.reg .pred %p<2>; .reg .b32 %r<200>; .reg .b64 %d<200>;')
print('mov.u32 %r0, 0;')
names = lambda first, n: '{' + ', '.join(f'%{t}{first + k}' for k in range(n)) + '}'
for k in range(1, 60):
    print(f'mov.b{64 if t == "d" else 32} %{t}{k + 1}, 0;')
print('again:')
for chain in [*range(chains)] * (32 // chains):
    of = names(20 + chain * d, d)
    print(f'{words} {of}, {names(2, a)}, {names(8, b)}, {of};')
print('add.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r0, 128; @%p0 bra again; ret; }')
END
    cat >rate.yaml <<END
app: rate
module: rate.ptx
buffers: {out: {type: u32, count: 1, init: zero}}
launches: [{kernel: rate, grid: 1, block: ${THREADS:-128}, args: [\$out]}]
END
    corun run ./rate.yaml --gpu rtx2060 "${AMPERE[@]}" --set sm.collector_order=sub-core \
        --alone skip --json rate.json "${@:7}"
    ended 0
    cycles=$(python3 -c "
import json
d = json.load(open('rate.json'))
of = d['apps'][0]['stats']
warps = ${THREADS:-128} // 32
assert of['inst.tensor'] == 4096 * warps, of['inst.tensor']
held = of['tensor.held_cycles'] / 4096 / 4 # of a unit in each sub-core
print(d['cycles'] / 4096, held)")
    read -r cycles held <<<"$cycles"
}

near() { # $cycles, up to the cycles before the first product
    python3 -c "assert $1 <= $cycles < 1.01 * $1 and $held == ${2:-$1}, ($cycles, $held)"
}

# bats test_tags=long,every
@test "a unit is held for the steps of a product, one unit in each sub-core" {
    rate 8 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 2 2 1 r; near 8
    rate 8 mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 4 2 1 r; near 16
    rate 8 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 4 4 2 r; near 32
    rate 8 mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 4 4 2 r; near 16
    rate 8 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 4 4 2 r; near 16
    rate 8 mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 4 4 2 r; near 16
    rate 8 mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 4 4 2 r; near 16
    rate 8 mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc 4 2 1 r; near 8
    rate 8 mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 2 1 1 d; near 16
    THREADS=256 rate 8 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 2 2 1 r; near 16
    THREADS=256 rate 8 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 2 2 1 r \
        --set sm.tensor_units=8
    near 8 16
}

# bats test_tags=long
@test "a product waits for the one whose result it adds to" {
    rate 1 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 2 2 1 r
    local short=$cycles
    python3 -c "assert 16 < $short < 16 + 10, $short"
    rate 1 mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 2 2 1 r --set sm.tensor_f16_latency=48
    python3 -c "assert abs($cycles - $short - 32) < 0.1, ($cycles, $short)"
    # two steps: the second enters when the first has held the unit
    rate 1 mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 2 4 2 r
    python3 -c "assert abs($cycles - $short - 8) < 0.1, ($cycles, $short)"
}

# costs STATISTIC CODE...: value of the statistic for a warp running the code, on gtx980, into $cost
costs() {
    local key=$1
    shift
    {
        printf '.version 8.0\n.target sm_90\n.address_size 64\n'
        printf '.visible .entry costs(.param .u64 out) {\n.reg .b32 %%r<40>; .reg .b64 %%d<9>;\n'
        printf '.shared .align 128 .b8 s[8192];\nld.param.u64 %%d0, [out]; mov.u32 %%r0, %%tid.x;\n'
        printf '%s\n' "$@" 'ret; }'
    } >costs.ptx
    cat >costs.yaml <<END
app: costs
module: costs.ptx
buffers: {out: {type: u8, count: 65536, init: zero}}
launches: [{kernel: costs, grid: 1, block: 32, args: [\$out]}]
END
    corun run ./costs.yaml --gpu gtx980 --alone skip --json costs.json
    ended 0
    cost=$(python3 -c "
import json
of = json.load(open('costs.json'))['apps'][0]['stats']
print(of['$key'])")
}

# lines LANES_APART: %r1 is the address of a line of shared memory for each lane
lines() { echo "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, $1, %r1;"; }

# bats test_tags=long,every
@test "ldmatrix and stmatrix wait for banks as vectors of eight lanes do" {
    local load=ldmatrix.sync.aligned.m8n8 store=stmatrix.sync.aligned.m8n8
    for ways in "16 0 0 0" "128 7 14 28" "144 0 0 0" "64 3 6 12"; do
        read -r apart one two four <<<"$ways"
        costs ldst.shared_conflict_cycles "$(lines "$apart")" "$load.x1.shared.b16 {%r2}, [%r1];"
        [ "$cost" = "$one" ]
        costs ldst.shared_conflict_cycles "$(lines "$apart")" \
            "$load.x2.trans.shared.b16 {%r2, %r3}, [%r1];"
        [ "$cost" = "$two" ]
        costs ldst.shared_conflict_cycles "$(lines "$apart")" \
            "$load.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];"
        [ "$cost" = "$four" ]
        costs ldst.shared_conflict_cycles "$(lines "$apart")" \
            "$store.x4.shared.b16 [%r1], {%r2, %r3, %r4, %r5};"
        [ "$cost" = "$four" ]
    done
    costs ldst.shared "$(lines 16)" "$load.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];"
    [ "$cost" = 1 ]
}

# bats test_tags=long,every
@test "wmma.load and wmma.store access the lines that the matrix lies in" {
    local r8="{%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}" load=wmma.load
    local f16=sync.aligned.row.m16n16k16.global.f16 f32=sync.aligned.row.m16n16k16.global.f32
    costs l1.accesses "$load.a.$f16 $r8, [%d0], 16;" # 512 bytes
    [ "$cost" = 4 ]
    costs l1.accesses "$load.a.$f16 $r8, [%d0], 32;" # 16 lines of 32, 64 apart
    [ "$cost" = 8 ]
    costs l1.accesses "$load.b.$f16 $r8, [%d0], 64;"
    [ "$cost" = 16 ]
    costs l1.accesses "$load.c.$f32 $r8, [%d0], 16;" # 64 bytes each, in two instructions
    [ "$cost" = 16 ]
    costs ldst.minst "$load.c.$f32 $r8, [%d0], 16;"
    [ "$cost" = 2 ]
    costs l1.accesses "$load.a.sync.aligned.col.m32n8k16.global.s8 {%r2, %r3, %r4, %r5}, [%d0], 32;"
    [ "$cost" = 4 ]
    costs ldst.minst "wmma.store.d.$f16 [%d0], {%r2, %r3, %r4, %r5}, 16;"
    [ "$cost" = 1 ]
    # 128 bytes a cycle without a conflict; lines 128 bytes apart meet in their banks
    costs ldst.shared_conflict_cycles "mov.u64 %d0, s;" \
        "$load.a.sync.aligned.row.m16n16k16.shared.f16 $r8, [%d0], 16;"
    [ "$cost" = 0 ]
    costs ldst.shared_conflict_cycles "mov.u64 %d0, s;" \
        "$load.a.sync.aligned.row.m16n16k16.shared.f16 $r8, [%d0], 64;"
    [ "$cost" = 12 ]
}

# doubles K N: a kernel in which each warp makes N products m16n8kK of doubles, eight independent.
doubles() {
    local a b c k
    a=$(seq -s, -f '%%a%g' $(($1 / 2)))
    b=$(seq -s, -f '%%b%g' $(($1 / 4)))
    cat <<END
.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 out)
{ .reg .f64 %a<9>, %b<5>, %c<33>; .reg .b64 %d;
END
    for ((k = 0; k < $2; k++)); do
        c=$(seq -s, -f '%%c%g' $((k % 8 * 4 + 1)) $((k % 8 * 4 + 4)))
        echo "mma.sync.aligned.m16n8k$1.row.col.f64.f64.f64.f64 {$c}, {$a}, {$b}, {$c};"
    done
    for ((k = 2; k <= 32; k++)); do echo "add.f64 %c1, %c1, %c$k;"; done
    echo 'ld.param.u64 %d, [out]; st.global.f64 [%d], %c1; ret; }'
}

# doubles_cycles K N: cycles of `doubles`, with two warps on each tensor unit of h100.
doubles_cycles() {
    doubles "$1" "$2" >doubles.ptx
    cat >doubles.yaml <<END
app: doubles
module: doubles.ptx
buffers: {out: {type: u8, count: 16, init: zero}}
launches: [{kernel: f, grid: 1, block: 256, args: [\$out]}]
dump: {out: doubles.out}
END
    corun run ./doubles.yaml --gpu h100 --alone skip --until end --quiet --json -
    ended 0
    cycles=$(sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' <<<"$output")
}

@test "doubles of 16 rows: 32 products a cycle and tensor unit on h100" {
    local k each short
    for k in 4:17 8:32 16:64; do
        each=${k#*:}
        doubles_cycles "${k%:*}" 16
        short=$cycles
        doubles_cycles "${k%:*}" 48
        # 32 products more of each of two warps
        [ $((cycles - short)) -ge $((64 * each - 64)) ]
        [ $((cycles - short)) -le $((64 * each + 64)) ]
    done
}

@test "doubles of 16 rows are refused by a machine without them" {
    doubles_cycles 4 8
    corun run ./doubles.yaml --gpu a100 --alone skip
    ended 2
    says 'sm.tensor_f64_wide_initiation is 0'
}
