"""Cases of forms of sm_80 and later that need several lanes or memory, for forms.case."""
import os
import random
import sys

import exact as x
import make_matrix as mm
from case import Case, LANES, split
from exact import BF16, F16, F32
from pick import Pick

SILICON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "silicon")
sys.path.insert(0, os.path.join(SILICON, "ops"))
import tensor_model as model  # noqa: E402

STORE = "st.global.u32 [%d1], %r2;"


def order(bits):
    """The order of floats, -0 below +0."""
    return ~bits & 0xffffffff if bits & F32.sign else bits | F32.sign


def redux(op, values, absolute, nan):
    if absolute:
        values = [v & F32.sign - 1 for v in values]
    numbers = [v for v in values if v & F32.sign - 1 <= F32.inf]
    if not numbers or (nan and len(numbers) < len(values)):
        return F32.nan
    return (min if op == "min" else max)(numbers, key=order)


def make_redux(out):
    """The lanes of each half give f32; style 0: numbers, 1: zeros, 2: some NaN, 3: all NaN."""
    pick = Pick(9)
    for op in ("min", "max"):
        for absolute in ("", ".abs"):
            for nan in ("", ".NaN"):
                for style in range(4):
                    values = [pick.float_bits(F32) for _ in LANES]
                    for k in LANES:
                        if style == 1:
                            values[k] = (k & 1) << 31
                        elif style == 3 or (style == 2 and k % 5 == 0):
                            values[k] = 0x7f800001 + k | (k & 1) << 31
                        elif values[k] & F32.sign - 1 > F32.inf:
                            values[k] = F32.one
                    halves = [redux(op, values[h:h + 16], absolute, nan) for h in (0, 16)]
                    Case(out, f"redux_{op}{absolute}{nan}_{style}".replace(".", "_")).code(
                        "mad.wide.u32 %d4, %r0, 4, %d2; ld.global.f32 %f1, [%d4];",
                        "setp.lt.u32 %p1, %r0, 16; selp.b32 %r3, 0xffff, 0xffff0000, %p1;",
                        f"redux.sync.{op}{absolute}{nan}.f32 %f2, %f1, %r3; mov.b32 %r2, %f2;",
                        STORE).data(values).expect(0, [halves[k // 16] for k in LANES]).end()


# ---- vectors ----

def combine(op, f, old, b):
    if op == "add":
        return x.encode_value(f, x.add(x.decode(f, old), x.decode(f, b), "rn"), "rn")
    numbers = [v for v in (old, b) if v & f.sign - 1 <= f.inf]
    if not numbers:
        return f.nan
    return (min if op == "min" else max)(
        numbers, key=lambda v: -(v & f.sign - 1) - 1 if v & f.sign else v)


def vector_atomic(out, pick, kind, op, t, n, dot):
    """A lane's cell has 16 bytes; cells and operands follow each other in `in`."""
    pair, f = t.endswith("x2"), {"f32": F32, "f16": F16, "bf16": BF16}[t.replace("x2", "")]
    numbers = n * (2 if pair else 1)
    size = f.bits // 8

    def number():
        bits = pick.float_bits(f)
        near = f.least_normal <= bits & f.sign - 1 < f.inf - 2 * f.least_normal
        return bits if near or f is not F32 else f.one  # not NaN, nor flushed numbers of f32
    values = [[[number() for _ in range(numbers)] for _ in range(2)] for _ in LANES]
    width = 2 if size == 2 and not pair else 4
    register, load = ("%v", f"b{8 * width}")
    names = [[f"{register}{base + k}" for k in range(n)] for base in (0, 8)]
    c = Case(out, f"{kind}_{op}_v{n}_{t}_{dot or 'generic'}")
    c.code(f".reg .b{8 * width} %v<16>;",
           "mad.wide.u32 %d4, %r0, 16, %d2; mad.wide.u32 %d5, %r0, 16, %d0;",
           "ld.global.v2.u64 {%d8, %d9}, [%d4]; st.global.v2.u64 [%d5], {%d8, %d9};",
           *[f"ld.global.{load} {r}, [%d4+{512 + width * k}];" for k, r in enumerate(names[1])])
    words = f"{kind}{'.' + dot if dot else ''}.v{n}.{t}.{op}{'.noftz' if f is not F32 else ''}"
    first = f"{{{', '.join(names[0])}}}, " if kind == "atom" else ""
    c.code(f"{words} {first}[%d5], {{{', '.join(names[1])}}};")
    if kind == "atom":
        c.code(*[f"st.global.{load} [%d5+{512 + width * k}], {r};" for k, r in enumerate(names[0])])

    def cell(v):
        return sum(w << f.bits * k for k, w in enumerate(v))
    c.data(split([cell(v[k]) for k in (0, 1) for v in values], 128))
    after = [[combine(op, f, old, b) for old, b in zip(*v)] for v in values]
    c.expect(0, split([cell(v) for v in after], 128))
    if kind == "atom":
        c.expect(128, split([cell(v[0]) for v in values], 128))
    c.end()


def make_vector_atomics(out):
    pick = Pick(11)
    for kind in ("atom", "red"):
        for n in (2, 4):
            vector_atomic(out, pick, kind, "add", "f32", n, "global")
        vector_atomic(out, pick, kind, "add", "f32", 4, "")
        for op in ("add", "min", "max"):
            for t, n in (("f16", 2), ("f16", 8), ("f16x2", 4), ("bf16", 4), ("bf16", 8),
                         ("bf16x2", 2)):
                vector_atomic(out, pick, kind, op, t, n, "global")


def make_overlaps(out):
    """Destinations equal to the address or an operand of a later part."""
    Case(out, "vector_atomic_into_operands").code(
        "mad.wide.u32 %d4, %r0, 16, %d2; mad.wide.u32 %d5, %r0, 16, %d0;",
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d4];",
        "st.global.v4.f32 [%d5], {%f1, %f2, %f3, %f4};",
        "atom.global.v4.f32.add {%f4, %f3, %f2, %f1}, [%d5], {%f1, %f2, %f3, %f4};",
        "st.global.v4.f32 [%d5+512], {%f1, %f2, %f3, %f4};").data(
        [0x3f800000 + (k << 16) for k in range(128)]).expect(
        0, [0x40000000 + (k << 16) for k in range(128)]).expect(
        128, [0x3f800000 + (k ^ 3) * 65536 for k in range(128)]).end()
    words = list(range(1, 257))
    Case(out, "load_of_256_bits_into_address").code(
        "mad.wide.u32 %d4, %r0, 32, %d2; mad.wide.u32 %d10, %r0, 32, %d0;",
        "ld.global.v4.b64 {%d4, %d5, %d6, %d7}, [%d4];",
        "st.global.v4.b64 [%d10], {%d7, %d6, %d5, %d4};").data(words).expect(
        0, [words[8 * k + 2 * (3 - j // 2) + j % 2] for k in LANES for j in range(8)]).end()


def make_wide(out):
    words = [(k * 0x9e3779b1) & 0xffffffff for k in range(256)]
    names = ", ".join(f"%r{10 + k}" for k in range(8))
    back = ", ".join(f"%r{17 - k}" for k in range(8))
    for dot in (".global", ""):
        Case(out, f"vector_v8_b32{dot.replace('.', '_')}").code(
            "mad.wide.u32 %d4, %r0, 32, %d2; mad.wide.u32 %d5, %r0, 32, %d0;",
            f"ld{dot}.v8.b32 {{{names}}}, [%d4]; st{dot}.v8.b32 [%d5], {{{back}}};").data(
            words).expect(0, [words[k ^ 7] for k in range(256)]).end()
    Case(out, "vector_v8_u32_sinks").code(
        "mad.wide.u32 %d4, %r0, 32, %d2;",
        "ld.global.nc.v8.u32 {_, _, _, _, _, %r2, _, _}, [%d4];", STORE).data(words).expect(
        0, [words[8 * k + 5] for k in LANES]).end()


def make_pairs(out):
    """Odd lanes compare with another number than the cell's."""
    pick = Pick(13)
    cells, b, c = ([pick.random.getrandbits(128) for _ in LANES] for _ in range(3))
    b = [v if k % 2 else cells[k] for k, v in enumerate(b)]
    b[1] = cells[1] ^ 1 << 127
    b[3] = cells[3] ^ 1
    for op in ("exch", "cas"):
        for space in ("global", "shared", ""):
            cell = "%d6" if space == "shared" else "%d5"
            case = Case(out, f"atom_{op}_b128_{space or 'generic'}", 32,
                        ".shared .align 16 .b8 s[512];")
            case.code(".reg .b128 %q<4>;", "mad.wide.u32 %d4, %r0, 16, %d2;",
                      "mad.wide.u32 %d5, %r0, 16, %d0; mov.u64 %d6, s;",
                      "mad.wide.u32 %d6, %r0, 16, %d6; ld.global.b128 %q0, [%d4];",
                      "ld.global.v2.b64 {%d8, %d9}, [%d4+512]; mov.b128 %q1, {%d8, %d9};",
                      "ld.global.b128 %q2, [%d4+1024];",
                      f"st.{space or 'global'}.b128 [{cell}], %q0;",
                      f"atom{'.' + space if space else ''}.{op}.b128 %q3, [{cell}], %q1"
                      f"{', %q2' if op == 'cas' else ''};",
                      "mov.b128 {%d8, %d9}, %q3; st.global.v2.u64 [%d5+512], {%d8, %d9};")
            if space == "shared":
                case.code("ld.shared.b128 %q3, [%d6]; mov.b128 %q0, %q3;",
                          "st.global.b128 [%d5], %q0;")
            after = b if op == "exch" else [c[k] if b[k] == cells[k] else cells[k] for k in LANES]
            case.data(split(cells + b + c, 128)).expect(0, split(after, 128)).expect(
                128, split(cells, 128)).end()


# ---- products of floats of 8 bits ----

def eights_dot(types, row, col, c):
    """Returns an element of D as an H100 computes D: the rule gives all 4,608 elements of
    h100-forms.txt."""
    d = types[0]
    products = [model.multiply(model.split(types[1], a, model.MODEL),
                               model.split(types[2], b, model.MODEL), model.MODEL)
                for a, b in zip(row, col)]
    total = 0
    for half in (0, 1):
        part = [p for k, p in enumerate(products) if k % 4 // 2 == half]
        total = model.bits_of(d, model.add([model.split(d, total, model.MODEL)] + part,
                                           model.MODEL), "rn" if d == "f16" else "rz")
    return model.bits_of(d, model.exact_sum([model.split(d, c, model.MODEL),
                                             model.split(d, total, model.MODEL)]), "rn")


def eights_case(out, name, k, types, data, want):
    """data: the words of A, B and C, register by register; want: those of D."""
    d = types[0]
    n = [16 * 8 * mm.BITS[d] // 1024, k // 8, k // 16, 16 * 8 * mm.BITS[d] // 1024]
    frags = [mm.Fragment(t, count, first)
             for t, count, first in zip(types, n, (4, 12, 18, 22))]
    case = Case(out, name)
    for f, at in zip(frags[1:], (0, 32 * n[1], 32 * (n[1] + n[2]))):
        case.code(*f.load(at))
    case.code(f"mma.sync.aligned.m16n8k{k}.row.col.{'.'.join(types)} "
              f"{', '.join(str(f) for f in frags)};", *frags[0].store())
    case.data(data).expect(0, want).end()


def make_eights(out):
    mm.BITS.update({"e4m3": 8, "e5m2": 8})
    rng = random.Random(17)
    for k in (16, 32):
        for d in ("f16", "f32"):
            for ta in ("e4m3", "e5m2"):
                for tb in ("e4m3", "e5m2"):
                    types = (d, ta, tb, d)
                    a, b = ([[rng.getrandbits(8) & (0x8f if rng.getrandbits(1) else 0xbf)
                              for _ in range(cols)] for _ in range(rows)]
                            for rows, cols in ((16, k), (k, 8)))
                    c = mm.matrix(rng, 16, 8, d, 1)
                    r = [[eights_dot(types, a[i], [b[q][j] for q in range(k)], c[i][j])
                          for j in range(8)] for i in range(16)]
                    parts = [mm.words_of(t, n, lambda lane, e, p=place, m=rows: m[
                        p(lane, e)[0]][p(lane, e)[1]]) for t, n, place, rows in (
                            (ta, k // 8, lambda l, e: mm.a_place(16, k, 8, l, e), a),
                            (tb, k // 16, lambda l, e: mm.b_place(k, 8, l, e), b),
                            (d, 4 if d == "f32" else 2, lambda l, e: mm.c_place(16, l, e), c),
                            (d, 4 if d == "f32" else 2, lambda l, e: mm.c_place(16, l, e), r))]
                    eights_case(out, f"mma_16_8_{k}_{'_'.join(types)}", k, types,
                                sum(parts[:3], []), parts[3])


def make_eights_of_silicon(out):
    """Writes two of six cases per form in h100-forms.txt: the first, of moderate numbers, and the
    last, of any numbers."""
    cases = {}
    with open(os.path.join(SILICON, "h100-forms.txt"), encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[0].startswith("mma.sync") and words[1] in ("0", "5"):
                at = words.index("=")
                cases.setdefault((words[0], words[1]), []).append(
                    [[int(v, 16) for v in part] for part in (words[3:at], words[at + 1:])])
    for (form, number), lanes in cases.items():
        types = form.split(".")[-4:]
        data, want = ([lane[part][r] for r in range(len(lanes[0][part])) for lane in lanes]
                      for part in (0, 1))
        eights_case(out, f"h100_{'_'.join(types)}_{number}", 32, types, data, want)


# ---- bulk copies ----

BULK = (".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 m;")
WAIT = ("w: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0; @!%p2 bra w;")


def make_bulk(out):
    """A thread copies `n` bytes to shared memory and all threads read the bytes; one more copies
    the bytes back to global memory."""
    for n in (16, 48, 512, 528, 2064):
        words = [(k * 0x9e3779b1) & 0xffffffff for k in range(n // 4)]
        Case(out, f"bulk_copy_of_{n}", 64, BULK).code(
            "mov.u32 %r4, s; mov.u32 %r5, m; setp.eq.u32 %p1, %r0, 0; @!%p1 bra ready;",
            "mbarrier.init.shared.b64 [%r5], 1; fence.proxy.async.shared::cta;",
            "ready: bar.sync 0; @!%p1 bra w;",
            f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], {n};",
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            f" [%r4], [%d2], {n}, [%r5];", WAIT, "bar.sync 0; @!%p1 bra done;",
            f"cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r4], {n};",
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
            "cp.async.bulk.wait_group 0; done:").data(words).expect(0, words + [0] * 4).end()
    words = list(range(1, 1025))
    Case(out, "bulk_copy_by_all_lanes", 32, BULK).code(
        "mov.u32 %r4, s; mov.u32 %r5, m; setp.eq.u32 %p1, %r0, 0;",
        "@%p1 mbarrier.init.shared.b64 [%r5], 32; bar.sync 0;",
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 128; mul.lo.u32 %r6, %r0, 128;",
        "add.u32 %r7, %r4, %r6; cvt.u64.u32 %d4, %r6; add.u64 %d4, %d4, %d2;",
        "mov.u32 %r8, 128; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
        ".L2::cache_hint [%r7], [%d4], %r8, [%r5], 0;", WAIT,
        "xor.b32 %r6, %r6, 3968; add.u32 %r7, %r4, %r6; mad.wide.u32 %d5, %r0, 128, %d0;",
        "cp.async.bulk.global.shared::cta.bulk_group [%d5], [%r7], 128;",
        "cp.async.bulk.commit_group; setmaxnreg.inc.sync.aligned.u32 96;").data(words).expect(
        0, [words[k ^ 992] for k in range(1024)]).end()
    for name, lines, what in (
            ("size", "mov.u32 %r6, 24;", "size of a bulk copy is no multiple of 16"),
            ("shared", "mov.u32 %r6, 16; add.u32 %r4, %r4, 8;", "misaligned shared store"),
            ("beyond", "mov.u32 %r6, 4112;", "out-of-bounds shared store"),
            ("global", "mov.u32 %r6, 16; add.u64 %d2, %d2, 4;", "misaligned global load"),
            ("object", "mov.u32 %r6, 16; add.u32 %r5, %r5, 4;",
             "mbarrier of a bulk copy misaligned or out of bounds")):
        case = Case(out, f"fault_bulk_{name}", 1, BULK).code(
            "mov.u32 %r4, s; mov.u32 %r5, m;", lines,
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%r4], [%d2], %r6, [%r5];").data([0] * 16)
        out.append(f"fault: {what}")
        case.end()


# ---- st.async, red.async, copies inside shared memory ----

ASYNC = ".shared .align 128 .b8 s[4096]; .shared .align 8 .b64 m;"


def async_case(out, name, total, *code):
    """Lanes perform asynchronous operations of `total` bytes, and wait for them."""
    return Case(out, name, 32, ASYNC).code(
        "mov.u32 %r4, s; mov.u32 %r5, m; setp.eq.u32 %p1, %r0, 0;",
        "@%p1 mbarrier.init.shared.b64 [%r5], 1; bar.sync 0;",
        f"@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], {total};", *code, WAIT)


STORED = ".shared::cluster.mbarrier::complete_tx::bytes"


def make_async_stores(out):
    """st.async of every type and vector; every lane stores values that name lane and element."""
    for t in ("b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"):
        wide = t.endswith("64")
        for n in (1, 2, 4):
            if wide and n == 4:
                continue
            size = n * (8 if wide else 4)
            values = []
            words = [0] * (32 * size // 4)
            for k in range(n):
                reg = ("%d" if wide else "%r") + str(10 + k)
                values.append(reg)
                for lane in range(32):
                    words[(lane * size + k * (8 if wide else 4)) // 4] = lane * 8 + k
            make = [f"mad.lo.u32 %r2, %r0, 8, {k}; " +
                    (f"cvt.u64.u32 {reg}, %r2;" if wide else f"mov.u32 {reg}, %r2;")
                    for k, reg in enumerate(values)]
            value = values[0] if n == 1 else "{" + ", ".join(values) + "}"
            vector = "" if n == 1 else f".v{n}"
            case = async_case(
                out, f"st_async_{t}_{n}", 32 * size, *make, f"mad.lo.u32 %r6, %r0, {size}, %r4;",
                f"st.async.weak{STORED}{vector}.{t} [%r6], {value}, [%r5];")
            copy = [f"ld.shared.u32 %r7, [%r6+{4 * k}]; mad.wide.u32 %d5, %r0, {size}, %d0; "
                    f"st.global.u32 [%d5+{4 * k}], %r7;" for k in range(size // 4)]
            case.code(*copy).expect(0, words).end()


REDUCED = {"inc": lambda old, b: 0 if old >= b else old + 1,
           "dec": lambda old, b: b if old == 0 or old > b else old - 1,
           "min": min, "max": max, "add": lambda old, b: old + b,
           "and": lambda old, b: old & b, "or": lambda old, b: old | b,
           "xor": lambda old, b: old ^ b}


def make_async_reductions(out):
    """red.async of all lanes at one address, in the order of lanes."""
    for op, t in (("inc", "u32"), ("dec", "u32"), ("min", "u32"), ("max", "u32"), ("add", "u32"),
                  ("min", "s32"), ("max", "s32"), ("add", "s32"), ("add", "u64"),
                  ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        bits = int(t[1:])
        start, words = 21, [(k * 0x9e3779b1) & 0xffffffff for k in range(32)]
        value = start
        for w in words:
            b = w
            if op in ("inc", "dec"):
                b = w & 31
            if t == "s32":
                b -= (b & 0x80000000) * 2
                value -= (value & 0x80000000) * 2
            value = REDUCED[op](value, b) & ((1 << bits) - 1)
        reg = "%d6" if bits == 64 else "%r6"
        limit = "and.b32 %r6, %r6, 31;" if op in ("inc", "dec") else ""
        wide = "cvt.u64.u32 %d6, %r6;" if bits == 64 else ""
        case = async_case(
            out, f"red_async_{op}_{t}", 32 * bits // 8, "mov.u64 %d7, 21; mov.u32 %r7, 21;",
            f"st.shared.u{bits} [%r4], {'%d7' if bits == 64 else '%r7'}; bar.sync 0;",
            f"mad.wide.u32 %d5, %r0, 4, %d2; ld.global.u32 %r6, [%d5]; {limit} {wide}",
            f"red.async.relaxed.cluster{STORED}.{op}.{t} [%r4], {reg}, [%r5];").data(words)
        case.code("ld.shared.u64 %d8, [%r4]; st.global.u64 [%d0], %d8;").expect(
            0, [value & 0xffffffff, value >> 32]).end()


def make_inside(out):
    """cp.async.bulk between two places of shared memory."""
    words = [(k * 0x9e3779b1) & 0xffffffff for k in range(256)]
    case = async_case(
        out, "bulk_inside", 1024,
        "mad.lo.u32 %r6, %r0, 32, %r4; mad.wide.u32 %d5, %r0, 32, %d2;",
        *[f"ld.global.u32 %r7, [%d5+{4 * k}]; st.shared.u32 [%r6+{4 * k}], %r7;"
          for k in range(8)],
        "bar.sync 0; add.u32 %r8, %r4, 2048;",
        "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r8],",
        " [%r4], 1024, [%r5];").data(words)
    case.code("mad.wide.u32 %d5, %r0, 32, %d0;",
              *[f"ld.shared.u32 %r7, [%r6+{2048 + 4 * k}]; st.global.u32 [%d5+{4 * k}], %r7;"
                for k in range(8)]).expect(0, words).end()
    for name, line, what in (
            ("far", "mov.u32 %r7, 4096;", "out-of-bounds shared load"),
            ("crooked", "add.u32 %r7, %r4, 8;", "misaligned shared load")):
        case = async_case(
            out, f"fault_inside_{name}", 16, line,
            "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r4],",
            " [%r7], 16, [%r5];")
        out.append(f"fault: {what}")
        case.end()
    case = async_case(out, "fault_st_async", 4, "mov.u32 %r6, 0x400000;",
                      f"st.async.weak{STORED}.u32 [%r6], %r0, [%r5];")
    out.append("fault: out-of-bounds shared store")
    case.end()


def make():
    out = ["# made by make_cases.py"]
    make_redux(out)
    make_vector_atomics(out)
    make_overlaps(out)
    make_wide(out)
    make_pairs(out)
    make_bulk(out)
    make_async_stores(out)
    make_async_reductions(out)
    make_inside(out)
    make_eights(out)
    make_eights_of_silicon(out)
    return out
