#!/usr/bin/env bats
# Lanes of a warp waiting for each other in different branches (warps.cu; warps.ptx is stored):
# right results where sm.independent_threads is on, an error where off.
load common

# KERNEL [LOCK]: writes KERNEL.yaml, an app of the kernel, of three blocks or, with a lock, one
# block; `right KERNEL` checks the dump.
app() {
    local blocks=${2:+1}
    blocks=${blocks:-3}
    cp "$HERE/warps.ptx" .
    cat >"$1.yaml" <<END
app: $1
module: warps.ptx
buffers:
  out: {type: u32, count: $((64 * blocks)), init: zero}
  lock: {type: u32, count: 64, init: zero}
launches: [{kernel: $1, grid: $blocks, block: 64, args: [\$out${2:+, \$lock}]}]
dump: {out: $1.out}
END
}

right() {
    python3 - "$1" <<'END'
import struct, sys
name = sys.argv[1]
want = {
    'both_branches': lambda l: (l ^ 16) + 1,
    'ballots': lambda l: 0x55555555,
    'halves': lambda l: 100 + (l ^ 16) + 1000,
    'nested': lambda l: (l & ~3 | l >> 1 & 1 | (l & 1) << 1) + 1 + (100 if l & 1 else 200),
    'exited': lambda l: 7 if l >= 20 else 7 + (11 if l < 10 else 1),
    'leaving': lambda l: 7 + (0x3ff if l < 10 else l) + (1000 if l == 12 else 0),
    'own_masks': lambda l: sum(range(8)) if l < 8 else sum(range(8, 32)),
    'crossed_masks': lambda l: (l ^ 16) + 1,
    'spin_lock': lambda l: 64,
    'try_lock': lambda l: 64,
    'chain': lambda l: 32 - l,
    'patience': lambda l: 1,
    'beyond': lambda l: 1 if l else sum(range(17)),
}[name]
data = open(f'{name}.out', 'rb').read()
got = struct.unpack(f'<{len(data) // 4}I', data)
assert len(got) in (64, 192)
wrong = [(t, v, want(t % 32)) for t, v in enumerate(got) if v != want(t % 32)]
assert not wrong, (name, wrong[:5])
END
}

# bats test_tags=long,every
@test "lanes meet across branches, calls of a lock make progress" {
    for skip in on off; do
        for kernel in both_branches ballots halves nested exited leaving own_masks crossed_masks \
            beyond chain; do
            app $kernel
            corun run ./$kernel.yaml --gpu rtx2060 --alone skip --skip $skip --cycles 1000000 \
                --json $kernel.$skip.json
            ended 0
            right $kernel
        done
        for kernel in spin_lock try_lock; do
            app $kernel lock
            corun run ./$kernel.yaml --gpu rtx2060 --alone skip --skip $skip --cycles 10000000 \
                --json $kernel.$skip.json
            ended 0
            right $kernel
        done
    done
    for kernel in both_branches nested chain spin_lock; do
        python3 "$HERE/same.py" $kernel.on.json $kernel.off.json
    done
}

# bats test_tags=long
@test "where in a tree of branches lanes exchange values makes no difference" {
    for seed in 1 2 3; do
        rm -f tree*.out
        python3 "$HERE/branches.py" write $seed 40
        for skip in on off; do
            corun run ./branches.yaml --gpu rtx2060 --alone skip --skip $skip --cycles 10000000 \
                --json $skip.json
            ended 0
            python3 "$HERE/branches.py" check 40
        done
        python3 "$HERE/same.py" on.json off.json
    done
    corun run ./branches.yaml --gpu maxwell16 --alone skip --quiet
    ended 1
    corun run ./branches.yaml --gpu maxwell16 --alone skip --quiet --set sm.scheduler=two-level \
        --set sm.independent_threads=on
    ended 0
    python3 "$HERE/branches.py" check 40
}

@test "any machine has independent threads that is told so" {
    app both_branches
    corun run ./both_branches.yaml --gpu fermi30 --alone skip --set sm.independent_threads=on
    ended 0
    right both_branches
    app own_masks
    app beyond
    corun run ./own_masks.yaml ./beyond.yaml --gpu fermi30 --alone skip --quiet
    ended 0
    right own_masks
    right beyond
}

@test "a warp that waits for another that is at work is no deadlock" {
    app patience
    for gpu in fermi30 rtx2060; do
        corun run ./patience.yaml --gpu $gpu --alone skip --cycles 10000000 --json -
        ended 0
        right patience
        holds "d['cycles'] > 100000"
    done
}

# bats test_tags=long
@test "a stack names the instruction and the lanes it cannot wait for" {
    for kernel in both_branches:16:shfl.sync ballots:0:vote.sync halves:16:bar.warp.sync \
        nested:0:shfl.sync exited:10:shfl.sync leaving:10:vote.sync crossed_masks:0:shfl.sync; do
        IFS=: read -r name lane what <<<"$kernel"
        app "$name"
        corun run "./$name.yaml" --gpu fermi30 --alone skip --cycles 1000000 --json -
        ended 1
        holds "d['status'] == 'deadlock' and d['fault']['kernel'] == '$name'"
        holds "d['fault']['what'] == 'lanes of a warp wait for each other'"
        says "$what for lane" 'which can continue only afterwards (sm.independent_threads is off)'
        line=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["fault"]["line"])' \
            <<<"$output")
        sed -n "${line}p" warps.ptx | grep -q "${what%%.sync}"
        says "warps.ptx:$line: deadlock"
    done
}

@test "a stack knows that a lock is never given back" {
    for kernel in spin_lock chain; do
        app $kernel $([ $kernel = chain ] || echo lock)
        for skip in on off; do
            corun run ./$kernel.yaml --gpu fermi30 --alone skip --skip $skip --cycles 10000000 \
                --json $skip.json
            ended 1
            says deadlock "wait or loop without effect" "repeats a loop without effect" \
                "can continue only afterwards (sm.independent_threads is off)"
        done
        python3 "$HERE/same.py" on.json off.json
    done
}

@test "a lane that asks beyond the membermask is warned of, once per instruction" {
    app beyond
    corun run ./beyond.yaml --gpu rtx2060 --alone skip --json -
    ended 0
    shuffles=$(grep -n shfl warps.ptx | sed -n 's/^\([0-9]*\):.*down.*/\1/p' | xargs | tr ' ' ,)
    holds "[(w['where'], w['line']) for w in d['warnings']] ==
        [('./warps.ptx', n) for n in [$shuffles]]"
    holds "all('outside the membermask' in w['text'] and w['count'] == 6 for w in d['warnings'])"
    corun run ./beyond.yaml --gpu rtx2060 --alone skip
    shows "warning: ./warps.ptx:${shuffles%%,*}: shfl reads a lane"
    app own_masks
    corun run ./own_masks.yaml --gpu rtx2060 --alone skip --json -
    holds "d['warnings'] == []"
}

# Three ways through a warp: a function with 64-bit registers, another with 32-bit registers, and
# both called a level deeper; all wait for each other while their registers hold values.
functions() {
    cat <<'PTX'
.version 7.0
.target sm_70
.address_size 64
.func (.param .b64 r) wide(.param .b64 x) {
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [x];
    mul.lo.u64 %d1, %d0, 3; xor.b64 %d2, %d0, 0x123456789abcdef;
    add.u64 %d3, %d0, 0x7edcba987654321;
    bar.warp.sync 0xffffffff;
    mul.lo.u64 %d1, %d1, 5; mad.lo.u64 %d1, %d2, 7, %d1; mad.lo.u64 %d1, %d3, 11, %d1;
    st.param.b64 [r], %d1; ret;
}
.func (.param .b32 r) narrow(.param .b32 x) {
    .reg .b32 %r<6>;
    ld.param.u32 %r0, [x];
    mul.lo.u32 %r1, %r0, 3; xor.b32 %r2, %r0, 0x1234567; add.u32 %r3, %r0, 0x7654321;
    bar.warp.sync 0xffffffff;
    mul.lo.u32 %r1, %r1, 5; mad.lo.u32 %r1, %r2, 7, %r1; mad.lo.u32 %r1, %r3, 11, %r1;
    st.param.b32 [r], %r1; ret;
}
.func (.param .b64 r) deeper(.param .b32 x) {
    .reg .b32 %r<6>; .reg .b64 %d<4>; .reg .pred %p;
    ld.param.u32 %r0, [x];
    and.b32 %r1, %r0, 1; setp.eq.u32 %p, %r1, 0; add.u32 %r3, %r0, 5; cvt.u64.u32 %d0, %r0;
    @%p bra WIDE;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), narrow, (a);
      ld.param.b32 %r2, [b]; }
    cvt.u64.u32 %d1, %r2; bra DONE;
WIDE:
    { .param .b64 a; .param .b64 b; st.param.b64 [a], %d0; call (b), wide, (a);
      ld.param.b64 %d1, [b]; }
DONE:
    cvt.u64.u32 %d2, %r3; add.u64 %d1, %d1, %d2;
    st.param.b64 [r], %d1; ret;
}
.visible .entry functions(.param .u64 out) {
    .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .pred %p<3>;
    ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 8; add.u64 %d0, %d0, %d1;
    mad.lo.u32 %r1, %r0, 0x10203, 0x1020304; rem.u32 %r2, %r0, 3;
    setp.eq.u32 %p0, %r2, 0; setp.eq.u32 %p1, %r2, 1;
    @%p0 bra WIDE; @%p1 bra NARROW;
    { .param .b32 a; .param .b64 b; st.param.b32 [a], %r1; call (b), deeper, (a);
      ld.param.b64 %d2, [b]; }
    bra DONE;
NARROW:
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), narrow, (a);
      ld.param.b32 %r3, [b]; }
    cvt.u64.u32 %d2, %r3; bra DONE;
WIDE:
    cvt.u64.u32 %d2, %r1; mul.lo.u64 %d2, %d2, 0x100000001;
    { .param .b64 a; .param .b64 b; st.param.b64 [a], %d2; call (b), wide, (a);
      ld.param.b64 %d2, [b]; }
DONE:
    st.global.u64 [%d0], %d2; ret;
}
PTX
}

@test "lanes in several functions at once keep their registers, whatever their widths" {
    functions >functions.ptx
    printf '%s\n' 'app: functions' 'module: functions.ptx' 'buffers: {o: {type: u64, count: 64}}' \
        'launches: [{kernel: functions, grid: 1, block: 64, args: [$o]}]' 'dump: {o: o.bin}' \
        >functions.yaml
    for how in '' '--skip-kernels all' '--set l1.mshrs=1'; do
        corun run ./functions.yaml --gpu rtx2060 --alone skip --until end $how
        ended 0
        python3 -c 'import struct
M = (1 << 64) - 1
def wide(x):
    return (x * 15 + (x ^ 0x123456789abcdef) * 7 + (x + 0x7edcba987654321) * 11) & M
def narrow(x):
    return (x * 15 + (x ^ 0x1234567) * 7 + (x + 0x7654321) * 11) & 0xffffffff
def right(t):
    x = t * 0x10203 + 0x1020304
    if t % 3 == 2: return ((narrow if x & 1 else wide)(x) + x + 5) & M
    return narrow(x) if t % 3 else wide(x * 0x100000001)
got = struct.unpack("<64Q", open("o.bin", "rb").read())
wrong = [t for t, v in enumerate(got) if v != right(t)]
assert not wrong, wrong'
        rm o.bin
    done
}

@test "a warp that has arrived at a barrier and ended counts as arrived, once" {
    # warp 0 arrives and ends, warp 1 waits and reads, warp 2 comes late and writes
    cat >late.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.shared .align 4 .u32 s;
.visible .entry late(.param .u64 out) {
.reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %d<2>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;
setp.ge.u32 %p0, %r0, 32; @%p0 bra others; bar.arrive 5, 96; ret;
others: setp.lt.u32 %p0, %r0, 64; @%p0 bra reads; mov.u32 %r1, 500;
spin: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra spin;
st.shared.u32 [s], 7; bar.sync 5, 96; ret;
reads: bar.sync 5, 96; ld.shared.u32 %r2, [s]; st.global.u32 [%d1], %r2; ret; }
END
    cat >late.yaml <<'END'
app: late
module: late.ptx
buffers: {out: {type: u32, count: 96, init: zero}}
launches: [{kernel: late, grid: 1, block: 96, args: [$out]}]
dump: {out: late.out}
END
    for how in '' '--skip-kernels all' '--gpu rtx2060'; do
        corun run late.yaml --alone skip $how
        ended 0
        [ "$(od -An -v -tu4 -w128 late.out | sed -n '2s/ *//gp')" = "$(printf '7%.0s' {1..32})" ]
    done
}
