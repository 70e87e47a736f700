"""Cases of mma, wmma, ldmatrix, stmatrix and movmatrix for matrix.case.

Products are computed element by element from whole matrices, in exact numbers; the functions below
map elements to lanes and registers, shape by shape, as in the manual's tables.
"""
import random
from fractions import Fraction
import exact as x
from case import Case, LANES, split
from exact import BF16, F16, F32, F64

TF32 = x.Format("tf32", 19, 11, 0x3ffff)
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "s32": 32}
FLOATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}
AT_ONCE, PLACES = 4, 25


def group(lane):
    return lane // 4, lane % 4


# Row and column of element i of a lane in A (m x k), B (k x n), C (m x n).
def a_place(m, k, bits, lane, i):
    g, t = group(lane)
    if bits == 16:
        return (g + (8 if i % 4 >= 2 else 0), t * 2 + i % 2 + (8 if i >= 4 else 0))
    if bits == 32:
        return (g + (8 if i % 2 else 0), t + (4 if i >= 2 else 0))
    if bits == 64:
        return (g + (8 if m == 16 and i % 2 else 0), t + i // (m // 8) * 4)
    each = 32 // bits
    if m == 8:
        return (g, t * each + i)
    return (g + (8 if i // each % 2 else 0),
            t * each + i % each + (4 * each if i >= 2 * each else 0))


def b_place(k, bits, lane, i):
    g, t = group(lane)
    if bits == 16:
        return (t * 2 + i % 2 + (8 if i >= 2 else 0), g)
    if bits == 32:
        return (t + (4 if i else 0), g)
    if bits == 64:
        return (t + i * 4, g)
    each = 32 // bits
    return (t * each + i % each + (4 * each if i >= each else 0), g)


def c_place(m, lane, i):
    g, t = group(lane)
    return (g + (8 if i >= 2 else 0), t * 2 + i % 2)


# m8n8k4 of f16: lanes 0-3 and 16-19 have the first product, and likewise the others.
def quad_a(layout, lane, i):
    high = 4 if lane >= 16 else 0
    return (lane % 4 + high, i) if layout == "row" else (i + high, lane % 4)


def quad_b(layout, lane, i):
    high = 4 if lane >= 16 else 0
    return (lane % 4, i + high) if layout == "row" else (i, lane % 4 + high)


def quad_c(t, lane, i):
    high = 4 if lane >= 16 else 0
    if t == "f16":
        return (lane % 4 + high, i)
    return ((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1))


# ---- arithmetic ----

def value(t, bits):
    if t == "tf32":
        bits &= ~0x1fff
        t = "f32"
    if t in FLOATS:
        return x.decode(FLOATS[t], bits)
    if t[0] == "s" and bits >> BITS[t] - 1:
        return bits - (1 << BITS[t])
    return bits


def is_finite(v):
    return v != x.NAN and v[1] != x.INF


def cut(f, unit):
    return Fraction(int(f / unit)) * unit  # int() goes towards zero


def floats_sum(c, products):
    """Returns the sum of an accumulator and four products by corun's rule
    (src/exec/matrix/mma.c)."""
    if not all(is_finite(v) for v in [c] + products):
        total = c
        for p in products:
            total = x.add(total, p, "rn")
        return total
    numbers = [v[0] * v[1] for v in [c] + products]
    most = max(abs(n) for n in numbers)
    if not most:
        return (1, Fraction(0))
    unit = Fraction(2) ** (x.floor_log2(most) - PLACES)
    total = sum(cut(n, unit) for n in numbers)
    sign = -1 if total < 0 else 1
    if abs(total) >= Fraction(2) ** 128:
        return (sign, x.INF)
    return x.decode(F32, x.encode(F32, sign, abs(total), "rz"))


def product(t, k, row, col, c, d, saturate, bits):
    if t == "b1":
        pairs = zip(row, col)
        return (c + sum(p ^ q if bits == "xor" else p & q for p, q in pairs)) & 0xffffffff
    if t == "f64":
        for p, q in zip(row, col):
            c = x.decode(F64, x.encode_value(F64, x.fma(p, q, c, "rn"), "rn"))
        return x.encode_value(F64, c, "rn")
    if t in ("f16", "bf16", "tf32"):
        for at in range(0, k, AT_ONCE):
            c = floats_sum(c, [x.mul(row[j], col[j]) for j in range(at, at + AT_ONCE)])
        return x.encode_value(FLOATS[d], c, "rn")
    total = c + sum(p * q for p, q in zip(row, col))
    if saturate:
        total = max(-2**31, min(2**31 - 1, total))
    return total & 0xffffffff


class Product:
    def __init__(self, m, n, k, types, saturate="", bits=""):
        self.m, self.n, self.k, self.types = m, n, k, types
        self.saturate, self.bits = saturate, bits

    def of(self, a, b, c):
        """D from bits; a and b by rows."""
        d, ta, tb, tc = self.types
        rows = [[value(ta, w) for w in row] for row in a]
        cols = [[value(tb, b[j][i]) for j in range(self.k)] for i in range(self.n)]
        return [[product(ta, self.k, rows[i], cols[j], value(tc, c[i][j]), d, self.saturate,
                         self.bits) for j in range(self.n)] for i in range(self.m)]


# ---- operands ----

def pick(rng, t, style):
    """Returns bits of a number. style 0: of similar size; 1: of all sizes; 2: any bits, with NaN;
    3: small enough for products at the low end of f32's range."""
    if t == "tf32" and style == 3:
        return pick(rng, "bf16", style) << 16 | rng.getrandbits(16)
    if t == "tf32":
        return pick(rng, "f32", style)
    if t not in FLOATS:
        return rng.getrandbits(BITS[t]) if t != "s32" else rng.choice(
            [rng.getrandbits(32), rng.getrandbits(12), 0x7fffffff - rng.getrandbits(10),
             0x80000000 + rng.getrandbits(10)])
    f = FLOATS[t]
    fraction = rng.getrandbits(f.precision - 1)
    sign = rng.getrandbits(1) * f.sign
    if style == 2 and rng.random() < .02:
        return rng.choice([f.inf, f.inf | f.sign, f.nan, 0, f.sign, 1, f.max])
    if style == 3:
        exponent = rng.randrange(12) if t == "f32" else f.bias - 68 + rng.randrange(-8, 9)
        return sign | exponent * f.least_normal | fraction
    spread = 2 if style == 0 else 12
    exponent = f.bias + rng.randrange(-spread, spread + 1)
    if style and rng.random() < .1:
        exponent = 0
    return sign | exponent * f.least_normal | fraction


def matrix(rng, rows, cols, t, style):
    return [[pick(rng, t, style) for _ in range(cols)] for _ in range(rows)]


def words_of(t, n, at):
    """A fragment's words, register by register, lane by lane; at(lane, i): bits of an element."""
    bits = BITS[t]
    if bits == 64:
        return split([at(lane, i) for i in range(n) for lane in LANES], 64)
    each = 32 // bits
    out = []
    for r in range(n):
        for lane in LANES:
            out.append(sum(at(lane, r * each + e) << e * bits for e in range(each)))
    return out


def registers(t, rows, cols):
    return rows * cols * BITS[t] // (32 * max(BITS[t], 32))


class Fragment:
    """Registers of a kernel, and code to fill or store the registers."""
    def __init__(self, t, n, first):
        self.wide = BITS[t] == 64
        self.names = [f"%d{first + 4 + k}" if self.wide else f"%r{first + k}" for k in range(n)]
        self.t = t

    def __str__(self):
        return "{" + ", ".join(self.names) + "}"

    def load(self, at):
        n, bits = (8, 64) if self.wide else (4, 32)
        return [f"mad.wide.u32 %d31, %r0, {n}, %d2;"] + [
            f"ld.global.b{bits} {r}, [%d31+{4 * at + 32 * n * k}];"
            for k, r in enumerate(self.names)]

    def store(self):
        n, bits = (8, 64) if self.wide else (4, 32)
        return [f"mad.wide.u32 %d31, %r0, {n}, %d0;"] + [
            f"st.global.b{bits} [%d31+{32 * n * k}], {r};" for k, r in enumerate(self.names)]


SHAPES = [  # m, n, k, (d, a, b, c)
    *[(16, 8, k, (t, "f16", "f16", t)) for k in (8, 16) for t in ("f16", "f32")],
    (16, 8, 8, ("f32", "bf16", "bf16", "f32")), (16, 8, 16, ("f32", "bf16", "bf16", "f32")),
    (16, 8, 4, ("f32", "tf32", "tf32", "f32")), (16, 8, 8, ("f32", "tf32", "tf32", "f32")),
    (8, 8, 4, ("f64", "f64", "f64", "f64")),
    *[(m, 8, k, ("s32", p + w, q + w, "s32")) for w, shapes in
      (("8", ((8, 16), (16, 16), (16, 32))), ("4", ((8, 32), (16, 32), (16, 64))))
      for m, k in shapes for p in "su" for q in "su"],
    *[(m, 8, k, ("s32", "b1", "b1", "s32")) for m, k in ((8, 128), (16, 128), (16, 256))],
]


def mma_case(out, rng, m, n, k, types, name, words, style, saturate="", bits="",
             over_a=False):
    d, ta, tb, tc = types
    a, b = matrix(rng, m, k, ta, style), matrix(rng, k, n, tb, style)
    c = matrix(rng, m, n, tc, style)
    want = Product(m, n, k, types, saturate, bits).of(a, b, c)
    na, nb, nc = registers(ta, m, k), registers(tb, k, n), registers(tc, m, n)
    firsts = (0, 4, 12, 16) if ta == "f64" and m == 16 else (4, 12, 18, 22)
    frags = [Fragment(t, count, first) for t, count, first in
             zip(types, (registers(d, m, n), na, nb, nc), firsts)]
    if over_a:
        frags[0].names = frags[1].names[-4:]

    def of(places, rows):
        return lambda lane, i: rows[places(lane, i)[0]][places(lane, i)[1]]
    data = [words_of(ta, na, of(lambda lane, i: a_place(m, k, BITS[ta], lane, i), a)),
            words_of(tb, nb, of(lambda lane, i: b_place(k, BITS[tb], lane, i), b)),
            words_of(tc, nc, of(lambda lane, i: c_place(m, lane, i), c))]
    case = Case(out, name)
    at = 0
    for f, w in zip(frags[1:], data):
        case.code(*f.load(at))
        at += len(w)
    case.code(f"{words} {frags[0]}, {frags[1]}, {frags[2]}, {frags[3]};", *frags[0].store())
    case.data(sum(data, []))
    case.expect(0, words_of(d, registers(d, m, n), of(lambda lane, i: c_place(m, lane, i), want)))
    case.end()


def make_mma(out, rng):
    for m, n, k, types in SHAPES:
        d, ta, tb, tc = types
        start = f"mma.sync.aligned.m{m}n{n}k{k}.row.col"
        name = f"mma_{m}_{n}_{k}_{'_'.join(types)}"
        dots = "." + ".".join(types)
        if ta == "b1":
            for bits in ("xor", "and"):
                mma_case(out, rng, m, n, k, types, f"{name}_{bits}",
                         f"{start}{dots}.{bits}.popc", 0, bits=bits)
        elif ta[0] in "su":
            mma_case(out, rng, m, n, k, types, name, start + dots, 0)
            mma_case(out, rng, m, n, k, types, name + "_sat", f"{start}.satfinite{dots}", 0, "sat")
        else:
            for style in range(2 if ta == "f64" else 3):
                mma_case(out, rng, m, n, k, types, f"{name}_{style}", start + dots, style)


def make_small(out):
    rng = random.Random(3)
    for m, n, k, types in SHAPES:
        if types[1] in ("bf16", "tf32"):
            mma_case(out, rng, m, n, k, types, f"mma_{m}_{n}_{k}_{'_'.join(types)}_small",
                     f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{'.'.join(types)}", 3)


def make_doubles(out):
    """Products of doubles of 16 rows, also with D in registers of A."""
    rng = random.Random(4)
    for k in (4, 8, 16):
        for style in range(2):
            mma_case(out, rng, 16, 8, k, ("f64",) * 4, f"mma_16_8_{k}_f64_{style}",
                     f"mma.sync.aligned.m16n8k{k}.row.col.f64.f64.f64.f64", style)
    mma_case(out, rng, 16, 8, 16, ("f64",) * 4, "mma_16_8_16_f64_over_a",
             "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 0, over_a=True)


def make_quads(out, rng):
    for d in ("f16", "f32"):
        for c in ("f16", "f32"):
            for layouts in (("row", "col"), ("row", "row"), ("col", "col"), ("col", "row")):
                quads_case(out, rng, d, c, layouts)


def quads_case(out, rng, d, tc, layouts):
    four = range(4)
    a, b = ([matrix(rng, r, s, "f16", 1) for _ in four] for r, s in ((8, 4), (4, 8)))
    c = [matrix(rng, 8, 8, tc, 1) for _ in four]
    want = [Product(8, 8, 4, (d, "f16", "f16", tc)).of(a[q], b[q], c[q]) for q in four]

    def of(places, all_rows):
        def at(lane, i):
            row, col = places(lane, i)
            return all_rows[lane % 16 // 4][row][col]
        return at
    nd, nc = (8 if t == "f32" else 4 for t in (d, tc))
    frags = [Fragment(d, nd, 4), Fragment("f16", 2, 12), Fragment("f16", 2, 14),
             Fragment(tc, nc, 16)]
    data = [words_of("f16", 2, of(lambda lane, i: quad_a(layouts[0], lane, i), a)),
            words_of("f16", 2, of(lambda lane, i: quad_b(layouts[1], lane, i), b)),
            words_of(tc, nc, of(lambda lane, i: quad_c(tc, lane, i), c))]
    case = Case(out, f"mma_8_8_4_{d}_{tc}_{'_'.join(layouts)}")
    case.code(*frags[1].load(0), *frags[2].load(64), *frags[3].load(128),
              f"mma.sync.aligned.m8n8k4.{'.'.join(layouts)}.{d}.f16.f16.{tc} "
              f"{frags[0]}, {frags[1]}, {frags[2]}, {frags[3]};", *frags[0].store())
    case.data(sum(data, []))
    case.expect(0, words_of(d, nd, of(lambda lane, i: quad_c(d, lane, i), want))).end()


# ---- wmma ----

def packed(rows, t, layout, stride, room):
    """Returns a matrix in memory as bytes; bytes between rows stay free for other data."""
    bits = BITS[t]
    total = 0
    for i, row in enumerate(rows):
        for j, w in enumerate(row):
            total |= w << bits * (i * stride + j if layout == "row" else j * stride + i)
    return total.to_bytes(room, "little")


WMMA_SHAPES = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
WMMA = [*[(s, (d, "f16", "f16", c)) for s in WMMA_SHAPES for d in ("f16", "f32")
          for c in ("f16", "f32")],
        *[(s, ("f32", "bf16", "bf16", "f32")) for s in WMMA_SHAPES],
        ((16, 16, 8), ("f32", "tf32", "tf32", "f32")), ((8, 8, 4), ("f64", "f64", "f64", "f64")),
        *[(s, ("s32", t, t, "s32")) for s in WMMA_SHAPES for t in ("s8", "u8")],
        *[((8, 8, 32), ("s32", t, t, "s32")) for t in ("s4", "u4")],
        ((8, 8, 128), ("s32", "b1", "b1", "s32"))]


def wmma_count(t, rows, cols, multiplied):
    return 8 if t == "f16" and multiplied else registers(t, rows, cols)


def wmma_case(out, rng, shape, types, layouts, extra, space, saturate="", bits=""):
    """layouts of a, b, c and d; extra: number of elements between the lines of a matrix."""
    m, n, k = shape
    d, ta, tb, tc = types
    size = {"a": (m, k, ta), "b": (k, n, tb), "c": (m, n, tc), "d": (m, n, d)}
    mats = {w: matrix(rng, *size[w], 1) for w in "abc"}
    mats["d"] = Product(m, n, k, types, saturate, bits).of(mats["a"], mats["b"], mats["c"])
    stride, room, at, place = {}, {}, 0, {}
    for (w, (rows, cols, t)), layout in zip(size.items(), layouts):
        stride[w] = (cols if layout == "row" else rows) + extra * max(1, 128 // BITS[t])
        room[w] = (rows if layout == "row" else cols) * stride[w] * BITS[t] // 8
        place[w] = at
        at += room[w] if w != "d" else 0
    frags = {w: Fragment(size[w][2], wmma_count(size[w][2], *size[w][:2], w in "ab"), first)
             for w, first in zip("abcd", (4, 12, 20, 4))}
    data = b"".join(packed(mats[w], size[w][2], lay, stride[w], room[w])
                    for w, lay in zip("abc", layouts))
    name = f"m{m}n{n}k{k}"
    case = Case(out, f"wmma_{name}_{'_'.join(types)}_{''.join(q[0] for q in layouts)}{extra}"
                f"{space or 'generic'}{bits}{saturate}", 32, ".shared .align 32 .b8 s[8192];")
    base, dot = "%d2", f".{space}" if space else ""
    if space != "global":
        case.code("mov.u32 %r2, %r0; mov.u64 %d4, s;",
                  f"more: setp.ge.u32 %p1, %r2, {len(data) // 4}; @%p1 bra done;",
                  "mad.wide.u32 %d5, %r2, 4, %d2; ld.global.b32 %r3, [%d5];",
                  "mad.wide.u32 %d5, %r2, 4, %d4; st.shared.b32 [%d5], %r3;",
                  "add.u32 %r2, %r2, 32; bra more; done: bar.warp.sync -1;")
        base = "%d4"
        if not space:
            case.code("cvta.shared.u64 %d4, %d4;")
    # uses the default stride where the default is right
    for w, layout in zip("abc", layouts):
        t = size[w][2]
        end = f", {stride[w]}" if extra or rng.random() < .5 else ""
        if w == "c" and end:
            case.code(f"mov.u32 %r30, {stride[w]};")
            end = ", %r30"
        case.code(f"wmma.load.{w}.sync.aligned.{layout}.{name}{dot}.{t} {frags[w]}, "
                  f"[{base}+{place[w]}]{end};")
    product_words = (f".{d}.{tc}" if ta == "f16" else "." + ".".join(types))
    if saturate:
        product_words += ".satfinite"
    op = f"wmma.mma{f'.{bits}.popc' if bits else ''}.sync.aligned.{layouts[0]}.{layouts[1]}.{name}"
    case.code(f"{op}{product_words} {frags['d']}, {frags['a']}, {frags['b']}, {frags['c']};")
    if space != "global":
        case.code(f"bar.warp.sync -1; wmma.store.d.sync.aligned.{layouts[3]}.{name}{dot}.{d} "
                  f"[{base}+{place['a']}], {frags['d']}, {stride['d']};", "bar.warp.sync -1;",
                  "mov.u32 %r2, %r0;" + ("cvta.to.shared.u64 %d4, %d4;" if not space else ""),
                  f"again: setp.ge.u32 %p1, %r2, {room['d'] // 4}; @%p1 bra out;",
                  "mad.wide.u32 %d5, %r2, 4, %d4; ld.shared.b32 %r3, [%d5];",
                  "mad.wide.u32 %d5, %r2, 4, %d0; st.global.b32 [%d5], %r3;",
                  "add.u32 %r2, %r2, 32; bra again; out:")
    else:
        case.code(f"wmma.store.d.sync.aligned.{layouts[3]}.{name}{dot}.{d} [%d0], {frags['d']}, "
                  f"{stride['d']};")
    assert len(data) <= 4096 and room["d"] <= 4096
    case.data([int.from_bytes(data[q:q + 4], "little") for q in range(0, len(data), 4)])
    line = (m if layouts[3] == "col" else n) * BITS[d] // 32
    stored = packed(mats["d"], d, layouts[3], stride["d"], room["d"])
    for q in range(0, room["d"] // 4, stride["d"] * BITS[d] // 32):
        case.expect(q, [int.from_bytes(stored[4 * j:4 * j + 4], "little")
                        for j in range(q, q + line)])
    case.end()


def make_wmma(out, rng):
    both = ("row", "col")
    for shape, types in WMMA:
        if BITS[types[1]] < 8:
            for bits in ("xor", "and") if types[1] == "b1" else ("",):
                for c, d in (("row", "col"), ("col", "row")):
                    wmma_case(out, rng, shape, types, ("row", "col", c, d), c == "row",
                              "global" if c == "row" else "shared", bits=bits)
            continue
        for turn, (a, b) in enumerate((a, b) for a in both for b in both):
            wmma_case(out, rng, shape, types, (a, b, both[turn % 2], both[turn // 2]), turn % 2,
                      ("global", "shared", "", "global")[turn])
        if types[0] == "s32":
            wmma_case(out, rng, shape, types, ("row", "col", "row", "row"), 0, "global", "sat")


# ---- whole matrices of 16 bits ----

def place_16(lane, half, turned):
    row, col = lane // 4, lane % 4 * 2 + half
    return (col, row) if turned else (row, col)


FILL = ["mad.wide.u32 %d5, %r0, 16, %d2; ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d5];",
        "mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 16, %r2;",
        "st.shared.v4.b32 [%r3], {%r10, %r11, %r12, %r13}; bar.warp.sync -1;"]


def make_ldmatrix(out, rng):
    data = [rng.getrandbits(32) for _ in range(128)]
    rows = [[data[4 * r + j // 2] >> 16 * (j % 2) & 0xffff for j in range(8)] for r in range(32)]
    for n in (1, 2, 4):
        for trans in ("", ".trans"):
            for space in ("", ".shared"):
                order = [(11 * lane + 5) % 32 for lane in LANES]
                frag = Fragment("b1", n, 4)
                case = Case(out, f"ldmatrix_x{n}{trans}{space}", 32,
                            ".shared .align 16 .b8 s[512];")
                case.code(*FILL, "mad.lo.u32 %r3, %r0, 11, 5; and.b32 %r3, %r3, 31;")
                address = "%r3"
                if space:
                    case.code("mad.lo.u32 %r3, %r3, 16, %r2; sub.u32 %r3, %r3, 4;")
                else:
                    case.code("mov.u64 %d6, s; cvta.shared.u64 %d6, %d6;",
                              "mad.wide.u32 %d6, %r3, 16, %d6; sub.u64 %d6, %d6, 4;")
                    address = "%d6"
                case.code(f"ldmatrix.sync.aligned.m8n8.x{n}{trans}{space}.b16 {frag}, "
                          f"[{address}+4];", *frag.store())
                words = []
                for k in range(n):
                    for lane in LANES:
                        at = [place_16(lane, half, trans) for half in (0, 1)]
                        low, high = (rows[order[8 * k + r]][c] for r, c in at)
                        words.append(low | high << 16)
                case.data(data).expect(0, words).end()


def make_others(out, rng):
    """Lanes without a row may have any address."""
    data = [rng.getrandbits(32) for _ in range(128)]
    for n in (1, 2):
        frag = Fragment("b1", n, 4)
        others = [f"setp.ge.u32 %p1, %r0, {8 * n}; @%p1 mov.u32 %r3, -13;"]
        case = Case(out, f"ldmatrix_x{n}_others", 32, ".shared .align 16 .b8 s[512];")
        case.code(*FILL, *others,
                  f"ldmatrix.sync.aligned.m8n8.x{n}.shared.b16 {frag}, [%r3];", *frag.store())
        case.data(data).expect(0, data[:32 * n]).end()


def make_stmatrix(out, rng):
    for n in (1, 2, 4):
        for trans in ("", ".trans"):
            data = [rng.getrandbits(32) for _ in range(32 * n)]
            frag = Fragment("b1", n, 4)
            case = Case(out, f"stmatrix_x{n}{trans}", 32, ".shared .align 16 .b8 s[512];")
            case.code(*frag.load(0), "mov.u32 %r2, s; xor.b32 %r3, %r0, 5;",
                      "mad.lo.u32 %r3, %r3, 16, %r2;",
                      f"stmatrix.sync.aligned.m8n8.x{n}{trans}.shared.b16 [%r3], {frag};",
                      "bar.warp.sync -1; mad.lo.u32 %r3, %r0, 16, %r2;",
                      "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r3];",
                      "mad.wide.u32 %d5, %r0, 16, %d0;",
                      "st.global.v4.b32 [%d5], {%r10, %r11, %r12, %r13};")
            lines = [[0] * 8 for _ in LANES]
            for k in range(n):
                for lane in LANES:
                    for half in (0, 1):
                        r, c = place_16(lane, half, trans)
                        lines[8 * k + r ^ 5][c] = data[32 * k + lane] >> 16 * half & 0xffff
            case.data(data)
            case.expect(0, [p[j] | p[j + 1] << 16 for p in lines for j in range(0, 8, 2)]).end()


def make_movmatrix(out, rng):
    data = [rng.getrandbits(32) for _ in LANES]
    rows = [[data[4 * r + j // 2] >> 16 * (j % 2) & 0xffff for j in range(8)] for r in range(8)]
    case = Case(out, "movmatrix")
    case.code("mad.wide.u32 %d5, %r0, 4, %d2; ld.global.b32 %r2, [%d5];",
              "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r2; st.global.b32 [%d1], %r2;")
    words = []
    for lane in LANES:
        low, high = (rows[c][r] for r, c in (place_16(lane, half, False) for half in (0, 1)))
        words.append(low | high << 16)
    case.data(data).expect(0, words).end()


# ---- registers used as several operands, faults ----

INT8 = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"


def make_same(out, rng):
    """D overlaps A, B, C and even the address: the instruction reads all before writing
    anything."""
    a, b, c = (matrix(rng, r, s, "u8", 0) for r, s in ((16, 16), (16, 16), (16, 16)))
    want = Product(16, 16, 16, ("s32", "u8", "u8", "s32")).of(a, b, c)
    data = b"".join(packed(q, t, "row", 16, 256 * BITS[t] // 8)
                    for q, t in ((a, "u8"), (b, "u8"), (c, "s32")))
    case = Case(out, "wmma_same_registers")
    case.code("wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r4, %r5}, [%d2], 16;",
              "wmma.load.b.sync.aligned.row.m16n16k16.global.u8 {%r6, %r7}, [%d2+256], 16;",
              "mov.u32 %r9, 16;",
              "wmma.load.c.sync.aligned.row.m16n16k16.global.s32 "
              "{%r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16}, [%d2+512], %r9;",
              "wmma.mma.sync.aligned.row.row.m16n16k16.s32.u8.u8.s32 "
              "{%r4, %r5, %r6, %r7, %r13, %r14, %r15, %r16}, {%r4, %r5}, {%r6, %r7}, "
              "{%r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16};",
              "wmma.store.d.sync.aligned.row.m16n16k16.global.s32 [%d0], "
              "{%r4, %r5, %r6, %r7, %r13, %r14, %r15, %r16}, 16;")
    case.data([int.from_bytes(data[q:q + 4], "little") for q in range(0, len(data), 4)])
    case.expect(0, sum(want, [])).end()


def make_faults(out):
    few = "a matrix instruction needs all 32 lanes of the warp"
    load = "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r4, %r5}, "
    for name, threads, code, fault in (
            ("mma_part_of_warp", 40, [f"{INT8} {{%r4, %r5}}, {{%r6}}, {{%r7}}, {{%r8, %r9}};"],
             few),
            ("ldmatrix_part_of_warp", 16,
             ["mov.u32 %r2, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];"], few),
            ("wmma_lane_ended", 32,
             ["setp.eq.u32 %p1, %r0, 7; @%p1 exit;", f"{load}[%d2], 16;"], few),
            ("mma_apart", 32, ["setp.lt.u32 %p1, %r0, 16;",
                               f"@%p1 {INT8} {{%r4, %r5}}, {{%r6}}, {{%r7}}, {{%r8, %r9}};"],
             "lanes of a warp wait for each other"),
            ("wmma_addresses", 32, [f"{load}[%d1], 16;"],
             "the lanes of a warp give different addresses or strides for a matrix"),
            ("wmma_strides", 32, [f"{load}[%d2], %r0;"],
             "the lanes of a warp give different addresses or strides for a matrix"),
            ("wmma_misaligned", 32, [f"{load}[%d2+4], 16;"], "misaligned global load"),
            ("wmma_outside", 32, [f"{load}[%d2], 65536;"], "out-of-bounds global load"),
            ("ldmatrix_misaligned", 32,
             ["mov.u32 %r2, s; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2+8];"],
             "misaligned shared load"),
            ("stmatrix_outside", 32,
             ["mov.u32 %r2, s; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2+512], {%r4};"],
             "out-of-bounds shared store")):
        case = Case(out, name, threads, ".shared .align 16 .b8 s[512];")
        case.code(*code)
        out.append(f"fault: {fault}")
        case.end()


def make(seed):
    rng = random.Random(seed)
    out = ["# made by make_cases.py"]
    make_mma(out, rng)
    make_quads(out, rng)
    make_wmma(out, rng)
    make_ldmatrix(out, rng)
    make_stmatrix(out, rng)
    make_movmatrix(out, rng)
    make_same(out, rng)
    make_others(out, rng)
    make_faults(out)
    make_small(out)
    make_doubles(out)
    return out
