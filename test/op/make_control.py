"""Cases of special registers, address conversion, exchange between lanes, barriers, control flow.

Expected words come from the manual's definitions, computed here.
"""
from case import Case, LANES
from pick import Pick, to_signed

ALL = 0xffffffff
STORE = "st.global.u32 [%d1], %r2;"


def make_special(out):
    threads = 40
    t = range(threads)
    zero = lambda k: 0
    lane = lambda k: k % 32
    narrow = {"%tid.x": lambda k: k, "%tid.y": zero, "%tid.z": zero, "%ntid.x": lambda k: threads,
              "%ntid.y": lambda k: 1, "%ntid.z": lambda k: 1, "%laneid": lane,
              "%warpid": lambda k: k // 32, "%nwarpid": lambda k: 2, "%smid": zero,
              "%nsmid": lambda k: 1,
              "%lanemask_eq": lambda k: 1 << lane(k), "%lanemask_le": lambda k: (2 << lane(k)) - 1,
              "%lanemask_lt": lambda k: (1 << lane(k)) - 1,
              "%lanemask_ge": lambda k: ALL << lane(k) & ALL,
              "%lanemask_gt": lambda k: ALL << lane(k) + 1 & ALL, "%clock": zero, "%clock_hi": zero,
              "%globaltimer_lo": zero, "%globaltimer_hi": zero, "%total_smem_size": lambda k: 256,
              "%dynamic_smem_size": zero}
    for axis in "xyz":
        for name in ("ctaid", "clusterid", "cluster_ctaid"):
            narrow[f"%{name}.{axis}"] = zero
        for name in ("nctaid", "nclusterid", "cluster_nctaid"):
            narrow[f"%{name}.{axis}"] = lambda k: 1
    for number in range(32):
        narrow[f"%envreg{number}"] = zero
    narrow["%cluster_ctarank"], narrow["%cluster_nctarank"] = zero, lambda k: 1
    narrow["%aggr_smem_size"] = lambda k: 256
    for name, f in narrow.items():
        Case(out, name[1:], threads, ".shared .align 8 .b8 s[256];").code(
            "mov.u32 %r3, s;", f"mov.u32 %r2, {name};", STORE).expect(0, [f(k) for k in t]).end()
    for name in ("%tid.x", "%ntid.x"):
        Case(out, name[1:] + "_u16", threads).code(
            f"mov.u16 %h1, {name}; cvt.u32.u16 %r2, %h1;", STORE).expect(
                0, [narrow[name](k) for k in t]).end()
    for name, where in (("begin", 256), ("end", 1280), ("cap", 1024), ("0", 256), ("1", 768)):
        Case(out, f"reserved_{name}", threads, ".shared .align 8 .b8 s[256];").code(
            "mov.u32 %r3, s;", f"mov.u32 %r2, %reserved_smem_offset_{name};", STORE).expect(
                0, [where] * threads).end()
    Case(out, "is_explicit_cluster").code(
        "mov.pred %p1, %is_explicit_cluster; selp.u32 %r2, 1, 2, %p1;", STORE).expect(
            0, [2] * 32).end()
    for name in ("%gridid", "%clock64", "%globaltimer", "%current_graph_exec"):
        Case(out, name[1:], threads).code("mad.wide.u32 %d1, %r0, 8, %d0;", f"mov.u64 %d4, {name};",
                                          "st.global.u64 [%d1], %d4;").expect(
                                              0, [0] * 2 * threads).end()


LOCAL = """.func (.reg .u32 r) f(.reg .u32 a) { .local .align 4 .b8 l[8]; .reg .b64 %d<2>;
mov.u64 %d0, l;
cvta.local.u64 %d1, %d0; st.u32 [%d1+4], a; ld.local.u32 r, [%d0+4]; ret; }"""


def make_frames(out):
    """A function's local variable lies in the function's own frame, not in the caller's."""
    Case(out, "local_base", 32, LOCAL).code(
        ".local .align 4 .b8 l[8];",
        "mov.u64 %d4, l; st.local.u32 [%d4+4], 5; add.u32 %r3, %r0, 100;",
        "call (%r4), f, (%r3); ld.local.u32 %r5, [%d4+4]; add.u32 %r2, %r4, %r5;", STORE).expect(
            0, [105 + k for k in LANES]).end()


def make_addresses(out):
    """A generic address converted from a shared address reaches the same bytes, and back."""
    module = ".shared .align 8 .b8 s[256]; .const .u32 c = 77;"
    copy = "shl.b32 %r3, %r0, 2; add.u32 %r4, %r3, 9; "
    Case(out, "cvta_shared", 32, module).code(
        copy + "mov.u64 %d4, s; cvta.shared.u64 %d5, %d4; cvt.u64.u32 %d6, %r3;",
        "add.u64 %d5, %d5, %d6; st.u32 [%d5], %r4; cvta.to.shared.u64 %d7, %d5;",
        "ld.shared.u32 %r2, [%d7];", STORE).expect(0, [4 * k + 9 for k in LANES]).end()
    Case(out, "cvta_shared_u32", 32, module).code(
        "mov.u32 %r3, s; cvta.shared.u32 %r4, %r3; cvta.to.shared.u32 %r5, %r4;",
        "sub.u32 %r2, %r5, %r3;",
        STORE).expect(0, [0] * 32).end()
    Case(out, "cvta_global", 32, module).code(
        "cvta.to.global.u64 %d4, %d0; cvta.global.u64 %d5, %d4; sub.u64 %d6, %d5, %d0;",
        "cvt.u32.u64 %r2, %d6;", STORE).expect(0, [0] * 32).end()
    Case(out, "cvta_const", 32, module).code(
        "mov.u64 %d4, c; cvta.const.u64 %d5, %d4; ld.u32 %r2, [%d5];",
        STORE).expect(0, [77] * 32).end()
    spaces = ("global", "shared", "local", "const")
    where = {"global": "mov.u64 %d5, %d0;", "shared": "mov.u64 %d4, s; cvta.shared.u64 %d5, %d4;",
             "local": "mov.u64 %d4, l; cvta.local.u64 %d5, %d4;",
             "const": "mov.u64 %d4, c; cvta.const.u64 %d5, %d4;"}
    for space in spaces:
        lines = ["mov.u32 %r2, 0;"]
        for k, other in enumerate(spaces):
            lines.append(f"isspacep.{other} %p1, %d5; selp.u32 %r3, {1 << k}, 0, %p1; "
                         "or.b32 %r2, %r2, %r3;")
        Case(out, f"isspacep_{space}", 32, module).code(
            ".local .u32 l;", where[space], *lines,
            STORE).expect(0, [1 << spaces.index(space)] * 32).end()


def shfl_source(mode, lane, b, c):
    """Pseudo code of the manual: the source lane, and whether the source lane is in range."""
    mask, low = c >> 8 & 31, b & 31
    highest, lowest = (lane & mask) | (c & 31 & ~mask), lane & mask
    j = {"up": lane - low, "down": lane + low, "bfly": lane ^ low,
         "idx": lowest | low & ~mask}[mode]
    good = j >= highest if mode == "up" else j <= highest
    return (j if good else lane), good


def make_shuffles(out):
    for mode, c in (("up", 0), ("down", 31), ("bfly", 31), ("idx", 31), ("up", 0x1800),
                    ("down", 0x181f),
                    ("bfly", 0x1c1f), ("idx", 0x181f)):
        for b in (1, 5, 16, 31):
            r = [shfl_source(mode, k, b, c) for k in LANES]
            Case(out, f"shfl_{mode}_{b}_{c:x}").code(
                "mul.lo.u32 %r3, %r0, 3;", f"shfl.sync.{mode}.b32 %r2|%p1, %r3, {b}, {c}, -1;",
                "selp.u32 %r4, 1, 0, %p1; st.global.u32 [%d1+128], %r4;", STORE).expect(
                    0, [3 * j for j, _ in r]).expect(32, [int(good) for _, good in r]).end()


    # lanes from 8 on take no part; the contents of their register have no effect
    for mode, c in (("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)):
        for b in (3, 11):
            r = [shfl_source(mode, k, b, c) for k in range(8)]
            Case(out, f"shfl_{mode}_{b}_of_8").code(
                "mad.lo.u32 %r3, %r0, 3, 1; mov.u32 %r2, 5; setp.lt.u32 %p2, %r0, 8;",
                f"@%p2 shfl.sync.{mode}.b32 %r2, %r3, {b}, {c}, 255;", STORE).expect(
                    0, [3 * j + 1 if j < 8 else 0 for j, _ in r] + [5] * 24).end()


def make_votes(out):
    yes = [k % 3 == 0 for k in LANES]
    bits = sum(y << k for k, y in enumerate(yes))
    ask = "rem.u32 %r3, %r0, 3; setp.eq.u32 %p1, %r3, 0; setp.lt.u32 %p3, %r0, 99;"
    for mode, source, result in (("any", "%p1", 1), ("all", "%p1", 0), ("uni", "%p1", 0),
                                 ("all", "%p3", 1),
                                 ("uni", "!%p3", 1), ("any", "!%p3", 0)):
        Case(out, f"vote_{mode}").code(
            ask, f"vote.sync.{mode}.pred %p2, {source}, -1; selp.u32 %r2, 1, 0, %p2;",
            STORE).expect(
                0, [result] * 32).end()
    Case(out, "vote_ballot").code(ask, "vote.sync.ballot.b32 %r2, %p1, -1;", STORE).expect(
        0, [bits] * 32).end()
    Case(out, "activemask").code(ask, "mov.u32 %r2, 0; @%p1 activemask.b32 %r2;", STORE).expect(
        0, [bits if y else 0 for y in yes]).end()
    Case(out, "elect").code("elect.sync %r2|%p1, -1; selp.u32 %r2, 1, 0, %p1;", STORE).expect(
        0, [1] + [0] * 31).end()


def make_constant_predicates(out):
    """An integer may stand for a predicate that is read: 0 is false, any other integer true."""
    for text, value in (("0", 0), ("1", 1), ("-5", 1), ("!3", 0), ("!0", 1), ("(2-2)", 0)):
        name = f"predicate_{text}".replace("(", "").replace(")", "")
        first = [k < 7 for k in LANES]
        Case(out, name).code(
            f"vote.sync.ballot.b32 %r2, {text}, -1;", STORE,
            f"selp.b32 %r3, 6, 7, {text}; st.global.u32 [%d1+128], %r3;",
            f"setp.lt.and.u32 %p1|%p2, %r0, 7, {text}; selp.b32 %r4, 1, 0, %p1;",
            "selp.b32 %r5, 2, 0, %p2; or.b32 %r4, %r4, %r5; st.global.u32 [%d1+256], %r4;",
            f"set.lt.xor.u32.u32 %r6, %r0, 7, {text}; st.global.u32 [%d1+384], %r6;",
            f"bar.red.popc.u32 %r7, 0, {text}; bar.red.or.pred %p3, 0, {text};",
            f"barrier.red.and.pred %p4, 0, {text}; vote.sync.all.pred %p5, {text}, -1;",
            "selp.b32 %r8, 64, 0, %p3; or.b32 %r7, %r7, %r8;",
            "selp.b32 %r8, 128, 0, %p4; or.b32 %r7, %r7, %r8;",
            "selp.b32 %r8, 256, 0, %p5; or.b32 %r7, %r7, %r8; st.global.u32 [%d1+512], %r7;",
        ).expect(0, [ALL * value] * 32).expect(32, [7 - value] * 32).expect(
            64, [(1 if f else 2) * value for f in first]).expect(
                96, [ALL * (f ^ value) for f in first]).expect(
                    128, [(32 + 64 + 128 + 256) * value] * 32).end()


def make_matches(out):
    same = lambda g: [sum(1 << j for j in LANES if g(j) == g(k)) for k in LANES]
    five = lambda k: k % 5
    Case(out, "match_any_b32").code("rem.u32 %r3, %r0, 5; match.any.sync.b32 %r2, %r3, -1;",
                                    STORE).expect(
        0, same(five)).end()
    Case(out, "match_any_b64").code(
        "rem.u32 %r3, %r0, 5; mov.b64 %d4, {%r1, %r3}; match.any.sync.b64 %r2, %d4, -1;",
        STORE).expect(
            0, same(five)).end()
    for value, mask in (("%r1", ALL), ("%r0", 0)):
        Case(out, f"match_all_{mask:x}").code(
            f"match.all.sync.b32 %r2|%p1, {value}, -1; selp.u32 %r3, 1, 0, %p1;",
            "st.global.u32 [%d1+128], %r3;", STORE).expect(0, [mask] * 32).expect(
                32, [int(mask > 0)] * 32).end()


def make_redux(out):
    values = [(k * 0x9e3779b1 ^ 0x5bd1e995) & ALL for k in LANES]
    signed = [to_signed(v, 32) for v in values]
    total = sum(values)
    both, either, odd = ALL, 0, 0
    for v in values:
        both, either, odd = both & v, either | v, odd ^ v
    for name, r in (("add.u32", total), ("add.s32", total), ("min.u32", min(values)),
                    ("max.u32", max(values)), ("min.s32", min(signed)), ("max.s32", max(signed)),
                    ("and.b32", both), ("or.b32", either), ("xor.b32", odd)):
        op, t = name.split(".")
        Case(out, f"redux_{op}_{t}").code(
            "mul.lo.u32 %r3, %r0, 0x9e3779b1; xor.b32 %r3, %r3, 0x5bd1e995;",
            f"redux.sync.{op}.{t} %r2, %r3, -1;",
            STORE).expect(0, [r] * 32).end()


def make_barriers(out):
    """96 threads; a warp sees after the barrier the words written by another warp before the
    barrier."""
    n = 96
    module = ".shared .align 4 .b8 s[512];"
    write = ("mov.u32 %r3, s; mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r0;"
             " sub.u32 %r5, 95, %r0;"
             " mad.lo.u32 %r5, %r5, 4, %r3;")
    read = "ld.shared.u32 %r2, [%r5];"
    mirrored = [n - 1 - k for k in range(n)]
    for line in ("bar.sync 0;", "bar.sync 3, 96;", "barrier.sync 0;", "barrier.sync.aligned 1;",
                 "barrier.cluster.arrive.release; barrier.cluster.wait.acquire.aligned;"):
        Case(out, line.split(";")[0].replace(" ", "_").replace(",", ""), n, module).code(
            write, line, read, STORE).expect(0, mirrored).end()
    for op in ("bar.arrive", "barrier.arrive"):  # the first warp gives, the others take
        wait = op.replace("arrive", "sync")
        Case(out, op, n, module).code(
            "mov.u32 %r3, s; setp.lt.u32 %p1, %r0, 32; mov.u32 %r2, 5; @!%p1 bra take;",
            f"mad.lo.u32 %r4, %r0, 4, %r3; st.shared.u32 [%r4], %r0; {op} 2, 96; bra done;",
            f"take: {wait} 2, 96; and.b32 %r4, %r0, 31; mad.lo.u32 %r4, %r4, 4, %r3;",
            "ld.shared.u32 %r2, [%r4];", "done:", STORE).expect(
                0, [5 if k < 32 else k & 31 for k in range(n)]).end()
    Case(out, "bar_warp_sync").code("mov.u32 %r2, 1; bar.warp.sync 0xffffffff;", STORE).expect(
        0, [1] * 32).end()
    ask = "setp.lt.u32 %p1, %r0, 50;"
    for op in ("bar", "barrier"):
        Case(out, f"{op}_red_popc", n).code(ask, f"{op}.red.popc.u32 %r2, 0, %p1;", STORE).expect(
            0, [50] * n).end()
        Case(out, f"{op}_red_popc_not", n).code(ask, f"{op}.red.popc.u32 %r2, 0, !%p1;",
                                                STORE).expect(
            0, [46] * n).end()
        for kind, r in (("and", 0), ("or", 1)):
            Case(out, f"{op}_red_{kind}", n).code(
                ask, f"{op}.red.{kind}.pred %p2, 0, %p1; selp.u32 %r2, 1, 0, %p2;", STORE).expect(
                    0, [r] * n).end()


def make_carries(out):
    """Chains that mix sums and differences: sub.cc leaves 1 without a borrow; subc subtracts 1 more
    if the carry is 0. Four words per lane; a, b are the lower halves of c:a and d:b."""
    pick = Pick(9)
    words = [[pick.bits(32, 0) for _ in range(4)] for _ in LANES]
    for k in (3, 8, 9, 21):  # equal halves
        words[k][1] = words[k][0]
        words[k][3] = words[k][2] if k & 1 else words[k][3]
    a, b, c, d = "%r4", "%r5", "%r6", "%r7"
    wide = lambda low, high: high << 32 | low
    chains = {
        "sub_addc": (f"sub.cc.u32 %r8, {a}, {b}; addc.u32 %r2, 0, 0;",
                     lambda a, b, c, d: a >= b),
        "sub_subc_addc": (f"sub.cc.u32 %r8, {a}, {b}; subc.cc.u32 %r8, {c}, {d}; "
                          "addc.u32 %r2, 0, 0;",
                          lambda a, b, c, d: wide(a, c) >= wide(b, d)),
        "sub_subc": (f"sub.cc.s32 %r8, {a}, {b}; subc.s32 %r2, {c}, {d};",
                     lambda a, b, c, d: wide(a, c) - wide(b, d) >> 32),
        "add_subc": (f"add.cc.u32 %r8, {a}, {b}; subc.u32 %r2, {c}, {d};",
                     lambda a, b, c, d: c - d - (a + b < 1 << 32)),
        "add_subc_addc": (f"add.cc.u32 %r8, {a}, {b}; subc.cc.u32 %r8, {c}, {d}; "
                          f"addc.u32 %r2, {a}, {d};",
                          lambda a, b, c, d: a + d + (c >= d + (a + b < 1 << 32))),
        "mad_subc": (f"mad.lo.cc.u32 %r8, {a}, {b}, {c}; subc.u32 %r2, {c}, {d};",
                     lambda a, b, c, d: c - d - ((a * b & ALL) + c < 1 << 32)),
        "sub_madc": (f"sub.cc.u32 %r8, {a}, {b}; madc.hi.u32 %r2, {c}, {d}, {a};",
                     lambda a, b, c, d: (c * d >> 32) + a + (a >= b)),
    }
    for name, (line, f) in chains.items():
        Case(out, f"carry_{name}").code(
            f"mad.wide.u32 %d4, %r0, 16, %d2; ld.global.v4.u32 {{{a}, {b}, {c}, {d}}}, [%d4];",
            line, STORE).data([x for w in words for x in w]).expect(0, [f(*w) for w in words]).end()


def make_hints(out):
    """Hints change no value."""
    for line in ("membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.sys;",
                 "prefetch.global.L2 [%d0];", "prefetchu.L1 [%d0];",
                 "discard.global.L2 [%d0+1024], 128;",
                 "applypriority.global.L2::evict_normal [%d0], 128;", "nanosleep.u32 20;",
                 "pmevent 1;", "griddepcontrol.launch_dependents;", "griddepcontrol.wait;"):
        name = line.split(";")[0].split(" ")[0]
        Case(out, name).code("mul.lo.u32 %r2, %r0, 7;", line, STORE).expect(
            0, [7 * k for k in LANES]).end()


# ---- video ----

TYPES = ("u32", "s32")
PARTS = {"": (0, 32), ".b0": (0, 8), ".b1": (8, 8), ".b2": (16, 8), ".b3": (24, 8), ".h0": (0, 16),
         ".h1": (16, 16)}


def element(word, at, bits, t):
    x = word >> at & (1 << bits) - 1
    return to_signed(x, bits) if t == "s32" else x


def saturate(x, bits, t):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if t == "s32" else (0, (1 << bits) - 1)
    return min(max(x, low), high)


def compared(a, b, how):
    return int({"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
                "ge": a >= b}[how])


VIDEO = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vmin": min, "vmax": max,
         "vabsdiff": lambda a, b: abs(a - b),
         "vavrg": lambda a, b: (a + b + 1 if a + b >= 0 else a + b) >> 1,
         "vshl.clamp": lambda a, b: a << min(b, 32), "vshl.wrap": lambda a, b: a << (b & 31),
         "vshr.clamp": lambda a, b: a >> min(b, 32), "vshr.wrap": lambda a, b: a >> (b & 31)}
VIDEO.update({f"vset.{how}": (lambda a, b, how=how: compared(a, b, how))
              for how in ("eq", "ne", "lt", "le", "gt", "ge")})


def insert(word, x, at, bits):
    mask = (1 << bits) - 1 << at
    return word & ~mask | x << at & mask


def video_case(out, name, operands, f, words, line=None):
    """f(a, b, c) of each lane's three words; operands: the line's, behind the opcode."""
    Case(out, name.replace(".", "_"), len(words)).code(
        "mad.wide.u32 %d4, %r0, 16, %d2; ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%d4];",
        f"{line or name} {operands};", STORE).data([x for w in words for x in w]).expect(
            0, [f(*w[:3]) for w in words]).end()


def video_words(pick):
    words = [[pick.bits(32, k) for _ in range(3)] + [0] for k in range(16)]
    words[2][1] = words[2][0]
    for k in range(8, 16):  # small amounts to shift by
        words[k][1] = (0, 1, 7, 31, 32, 33, 63, 64)[k - 8]
    return words


def scalar_result(op, td, ta, pd, second, sat, x, c):
    """The exact result x, saturated and combined with c, as an H100 does: parts are limited as
    unsigned numbers, the upper half receives the upper half, and what is compared with c is cut to
    32 bits before, in vset in the type of a."""
    shifts = op in ("vshl", "vshr")
    if sat and (shifts or not pd):
        x = saturate(to_signed(x & (1 << 34) - 1, 34) if shifts else x, 32, td)
    if second == "add":
        return x + c
    if second:
        compared_as = ta if op == "vset" else td
        x = x if op == "vshl" else element(x, 0, 32, compared_as)
        x = x if compared_as == "s32" else x & (1 << 64) - 1
        return {"min": min, "max": max}[second](x, element(c, 0, 32, compared_as))
    if not pd:
        return x
    bits = PARTS[pd][1]
    x = x if op == "vabsdiff" else x & 0xffffffff
    if sat and not shifts:
        x = min(x, (1 << bits - (td == "s32")) - 1)
    return insert(c, x >> 16 if pd == ".h1" else x, *PARTS[pd])


def make_scalar_video(out, pick):
    number = 0
    parts = list(PARTS)
    for name, f in VIDEO.items():
        if name == "vavrg":
            continue
        shifts, sets = name.startswith("vsh"), name.startswith("vset")
        for td in ("u32",) if sets else TYPES:
            for ta in TYPES:
                for tb in ("u32",) if shifts else TYPES:
                    for turn in range(1 if sets else 3):
                        number += 1
                        modes = ("", "add", "min", "max", "part", "sat", "sat part")
                        mode = modes[number % (5 if sets else 7)]
                        pa, pb = parts[number % 7], parts[number // 7 % 7]
                        pd = parts[1 + number % 6] if "part" in mode else ""
                        op, dot, rest = name.partition(".")
                        second = mode if mode in ("add", "min", "max") else ""
                        types = f".{ta}.{tb}" if sets else f".{td}.{ta}.{tb}"
                        line = (op + types + (".sat" if "sat" in mode else "") + dot + rest
                                + (f".{second}" if second else ""))

                        def value(a, b, c, f=f, op=op, td=td, ta=ta, tb=tb, pa=pa, pb=pb, pd=pd,
                                  second=second, mode=mode):
                            x = f(element(a, *PARTS[pa], ta), element(b, *PARTS[pb], tb))
                            return scalar_result(op, td, ta, pd, second, "sat" in mode, x, c)

                        operands = f"%r2{pd}, %r4{pa}, %r5{pb}"
                        video_case(out, f"{line}_{number}",
                                   operands + (", %r6" if second or pd else ""), value,
                                   video_words(pick), line)
    for td in TYPES:
        for ta in TYPES:
            for mode in ("", ".shr7", ".shr15", ".po", ".po.shr7", ".sat", ".sat.shr15"):
                tb = "s32" if mode == ".sat" else "u32"

                def value(a, b, c, td=td, ta=ta, tb=tb, mode=mode):
                    # as an H100: b and c are signed, and .sat is unsigned only if a and b are
                    x = element(a, 8, 8, ta) * element(b, 0, 32, "s32") + element(c, 0, 32, "s32")
                    x += ".po" in mode
                    x >>= 7 if "shr7" in mode else 15 if "shr15" in mode else 0
                    if ".sat" not in mode:
                        return x
                    unsigned = ta == tb == "u32"
                    return x if unsigned and x >> 32 == 0 else -1 if unsigned \
                        else saturate(x, 32, "s32")

                video_case(out, f"vmad.{td}.{ta}.{tb}{mode}", "%r2, %r4.b1, %r5, %r6", value,
                           video_words(pick))


def make_vector_video(out, pick):
    number = 0
    for name, f in VIDEO.items():
        for n in (2, 4):
            op, dot, rest = name.partition(".")
            sets = op == "vset"
            if op in ("vshl", "vshr") or op + str(n) == "vabsdiff4":
                continue
            bits, letter = 32 // n, "h" if n == 2 else "b"
            for td in ("u32",) if sets else TYPES:
                for ta in TYPES:
                    for tb in TYPES:
                        for turn in range(1 if sets else 2):
                            number += 1
                            mode = ("", "add", "lanes", "sat")[number % (3 if sets else 4)]
                            tail = f".{mode}" if mode in ("sat", "add") else ""
                            types = f".{ta}.{tb}" if sets else f".{td}.{ta}.{tb}"
                            line = f"{op}{n}{types}{dot}{rest}{tail}"
                            some = mode == "lanes"
                            pick_a = ((1, 2) if n == 2 else (3, 4, 0, 7)) if some else range(n)
                            pick_b = ((0, 3) if n == 2 else (6, 1, 2, 5)) if some else range(n,
                                                                                            2 * n)
                            write = ((1,) if n == 2 else (0, 3)) if some else range(n)

                            def value(a, b, c, f=f, td=td, ta=ta, tb=tb, mode=mode, bits=bits,
                                      pick_a=pick_a, pick_b=pick_b, write=write):
                                both = b << 32 | a
                                for k in write:
                                    x = f(element(both, pick_a[k] * bits, bits, ta),
                                          element(both, pick_b[k] * bits, bits, tb))
                                    x = saturate(x, bits, td) if mode == "sat" else x
                                    c = c + x if mode == "add" else insert(c, x, k * bits, bits)
                                return c

                            word = lambda lanes: "." + letter + "".join(map(str, reversed(lanes)))
                            operands = "%r2, %r4, %r5, %r6"
                            if some:
                                operands = (f"%r2{word(write)}, %r4{word(pick_a)}, "
                                            f"%r5{word(pick_b)}, %r6")
                            video_case(out, line + ("_lanes" if some else ""), operands, value,
                                       video_words(pick), line)


def make_video(out):
    pick = Pick(12)
    make_scalar_video(out, pick)
    make_vector_video(out, pick)


DOUBLE = (".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred %p1; setp.gt.u32 %p1, a, 20;\n"
          "mov.u32 r, 1; @%p1 ret; add.u32 r, a, a; ret; }")

def make_control(out):
    Case(out,
         "bra").code("mov.u32 %r2, 1; setp.lt.u32 %p1, %r0, 10; @%p1 bra small; mov.u32 %r2, 2;",
                          "bra.uni end; small: add.u32 %r2, %r0, 100; end:", STORE).expect(
                              0, [k + 100 if k < 10 else 2 for k in LANES]).end()
    Case(out, "loop").code("mov.u32 %r2, 0; mov.u32 %r3, %r0;", "top: add.u32 %r2, %r2, %r3;",
                           "setp.eq.u32 %p1, %r3, 0; sub.u32 %r3, %r3, 1; @!%p1 bra top;",
                           STORE).expect(
                               0, [k * (k + 1) // 2 for k in LANES]).end()
    Case(out, "brx").code("and.b32 %r3, %r0, 3; mov.u32 %r2, 0;",
                          "list: .branchtargets a, b, c, d;",
                          "brx.idx %r3, list;", "a: mov.u32 %r2, 10; bra d;",
                          "b: mov.u32 %r2, 20; bra d;",
                          "c: mov.u32 %r2, 30;", "d:", STORE).expect(
                              0, [(10, 20, 30, 0)[k & 3] for k in LANES]).end()
    Case(out, "call_ret", 32, DOUBLE).code("call (%r2), f, (%r0);", STORE).expect(
        0, [1 if k > 20 else 2 * k for k in LANES]).end()
    Case(out, "exit").code("mov.u32 %r2, 6; setp.lt.u32 %p1, %r0, 4; @%p1 exit;", STORE).expect(
        0, [0 if k < 4 else 6 for k in LANES]).end()
    for name, fault in (("trap", "trap"), ("brkpt", "breakpoint")):
        case = Case(out, name).code("setp.eq.u32 %p1, %r0, 9;", f"@%p1 {name};")
        out.append(f"fault: {fault}")
        case.end()


PRINT = """.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 args);
.global .align 1 .b8 text[] = {37, 117, 32, 37, 120, 10, 0};"""
ASSERT = """.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
.param .b64 e);
.global .align 1 .b8 text[] = {104, 105, 0};"""


def make_builtins(out):
    case = Case(out, "vprintf", 3, PRINT).code(
        ".local .align 8 .b8 buffer[16];", "mov.u64 %d4, buffer; cvta.local.u64 %d5, %d4;",
        "add.u32 %r3, %r0, 254; st.u32 [%d5], %r0; st.u32 [%d5+4], %r3; mov.u64 %d6, text;",
        "{ .param .b64 p0; st.param.b64 [p0], %d6; .param .b64 p1; st.param.b64 [p1], %d5;",
        ".param .b32 r0; call.uni (r0), vprintf, (p0, p1); ld.param.b32 %r2, [r0]; }")
    out.append("print: 0 fe\\n1 ff\\n2 100\\n")
    case.end()
    case = Case(out, "assertfail", 2, ASSERT).code(
        "mov.u64 %d4, text; mov.u32 %r2, 3; setp.eq.u32 %p1, %r0, 1; @!%p1 bra end;",
        "{ .param .b64 p0; st.param.b64 [p0], %d4; .param .b64 p1; st.param.b64 [p1], %d4;",
        ".param .b32 p2; st.param.b32 [p2], %r2; .param .b64 p3; st.param.b64 [p3], %d4;",
        ".param .b64 p4; st.param.b64 [p4], %d0; call.uni __assertfail, (p0, p1, p2, p3, p4); }",
        "end:")
    out.append("fault: assertion failed")
    case.end()


def make():
    out = ["# made by make_cases.py"]
    for part in (make_special, make_frames, make_addresses, make_shuffles, make_votes,
                 make_constant_predicates, make_matches,
                 make_redux,
                 make_barriers, make_video, make_carries, make_hints, make_control, make_builtins):
        part(out)
    return out
