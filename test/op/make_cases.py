"""Writes memory.case and control.case (format: cases.h): make_cases.py [FOLDER].

Expected words are computed here from the manual's definitions.
"""
import os
import sys
import exact as x
import make_async
import make_control
import make_form_cases
import make_group
import make_matrix
import make_sparse
import make_tensor
from case import Case, LANES, split, words_of
from exact import BF16, F16, F32, F64
from pick import Pick, to_signed


def size(t):
    return int(t[1:]) // 8


TYPES = [k + n for n in ("8", "16", "32", "64") for k in "bus"] + ["f32", "f64"]


def register(t):
    return {"f32": "%f1", "f64": "%e1"}.get(t, "%d8" if size(t) == 8 else "%r8")


def loaded(t, data, lane):
    """A lane's value in a 32- or 64-bit register: narrow signed types are extended."""
    n = size(t)
    v = int.from_bytes(data[n * lane:n * lane + n], "little")
    return to_signed(v, 8 * n) if t[0] == "s" else v


SETUP = {  # the state space's copy of the input, address in %d4
    "global": [], "": [],
    "shared": ["mov.u32 %r2, s; shl.b32 %r3, %r0, 3; add.u32 %r2, %r2, %r3;",
               "mad.wide.u32 %d5, %r0, 8, %d2;",
               "ld.global.u64 %d6, [%d5]; st.shared.u64 [%r2], %d6; bar.warp.sync -1;"],
    "local": ["mov.u64 %d5, l; mov.u32 %r2, 0;",
              "again: mul.wide.u32 %d6, %r2, 8; add.u64 %d7, %d2, %d6;",
              "ld.global.u64 %d9, [%d7]; add.u64 %d7, %d5, %d6; st.local.u64 [%d7], %d9;",
              "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 32; @%p1 bra again;"],
}
BASE = {"global": "mov.u64 %d4, %d2;", "": "mov.u64 %d4, %d2;", "shared": "mov.u64 %d4, s;",
        "local": "mov.u64 %d4, l;"}


def make_loads(out, data):
    module = ".shared .align 8 .b8 s[256];"
    for space in ("global", "", "shared", "local"):
        for op in ("ld", "ldu") if space in ("global", "") else ("ld",):
            for t in TYPES:
                dot = f".{space}" if space else ""
                n, r = size(t), register(t)
                c = Case(out, f"{op}_{space or 'generic'}_{t}", 32, module)
                if space == "local":
                    c.code(".local .align 8 .b8 l[256];")
                c.code(*SETUP[space], BASE[space], f"mad.wide.u32 %d4, %r0, {n}, %d4;",
                       f"{op}{dot}.{t} {r}, [%d4];", f"mad.wide.u32 %d1, %r0, {max(4, n)}, %d0;",
                       f"st.global.b{8 * max(4, n)} [%d1], {r};")
                c.data(words_of(data))
                c.expect(0, split([loaded(t, data, k) for k in LANES], 8 * max(4, n))).end()


def make_stores(out, data):
    for space in ("global", "", "shared", "local"):
        for t in TYPES:
            dot = f".{space}" if space else ""
            n, r = size(t), register(t)
            base = {"shared": "mov.u64 %d4, s;",
                    "local": "mov.u64 %d4, l;"}.get(space, "mov.u64 %d4, %d0;")
            c = Case(out, f"st_{space or 'generic'}_{t}", 32, ".shared .align 8 .b8 s[256];")
            if space == "local":
                c.code(".local .align 8 .b8 l[256];")
            c.code(base, f"mad.wide.u32 %d4, %r0, {n}, %d4; mad.wide.u32 %d5, %r0, 8, %d2;",
                   f"ld.global.b{8 * max(4, n)} {r}, [%d5]; st{dot}.{t} [%d4], {r};")
            if space in ("shared", "local"):  # read back as stored
                c.code("bar.warp.sync -1;",
                       f"ld{dot}.b{8 * n} {r}, [%d4]; mad.wide.u32 %d6, %r0, {n}, %d0;",
                       f"st.global.b{8 * n} [%d6], {r};")
            stored = b"".join(data[8 * k:8 * k + n] for k in LANES)
            c.data(words_of(data)).expect(0, words_of(stored) + [0] * 2).end()


def make_vectors(out, data):
    for t in ("u8", "u16", "u32", "f32"):
        for v in (2, 4):
            n = size(t)
            parts = {"f32": ["%f1", "%f2", "%f3", "%f4"]}.get(t, ["%r4", "%r5", "%r6", "%r7"])[:v]
            c = Case(out, f"vector_v{v}_{t}")
            c.code(f"mul.lo.u32 %r2, %r0, {n * v}; cvt.u64.u32 %d4, %r2; and.b64 %d5, %d4, 255;",
                   f"add.u64 %d5, %d5, %d2; ld.global.v{v}.{t} {{{', '.join(parts)}}}, [%d5];",
                   "add.u64 %d4, %d4, %d0;",
                   f"st.global.v{v}.{t} [%d4], {{{', '.join(reversed(parts))}}};")
            result = b""
            for k in LANES:
                at = k * n * v & 255
                result += b"".join(data[at + n * j:at + n * j + n] for j in reversed(range(v)))
            c.data(words_of(data)).expect(0, words_of(result)).end()
    c = Case(out, "vector_v2_u64")
    c.code("mul.lo.u32 %r2, %r0, 16; cvt.u64.u32 %d4, %r2; and.b64 %d5, %d4, 255;",
           "add.u64 %d5, %d5, %d2; ld.global.v2.u64 {%d8, %d9}, [%d5];",
           "add.u64 %d4, %d4, %d0; st.global.v2.u64 [%d4], {%d9, %d8};")
    c.data(words_of(data))
    c.expect(0,
             [w for k in LANES for j in (8,
                                         0) for w in words_of(data[(16 * k & 255) + j:][:8])]).end()


def atomic(op, t, old, b, c):
    n = 8 * size(t)
    v = (lambda q: to_signed(q, n)) if t[0] == "s" else lambda q: q
    if op == "add" and t[0] == "f":
        f = F32 if n == 32 else F64
        return x.encode_value(f, x.add(x.decode(f, old), x.decode(f, b), "rn"), "rn")
    return {"add": lambda: old + b, "inc": lambda: 0 if old >= b else old + 1,
            "dec": lambda: b if old == 0 or old > b else old - 1, "min": lambda: min(old, b, key=v),
            "max": lambda: max(old, b, key=v), "and": lambda: old & b, "or": lambda: old | b,
            "xor": lambda: old ^ b, "exch": lambda: b,
            "cas": lambda: c if old == b else old}[op]() & ((1 << n) - 1)


ATOMICS = [("add", ("u32", "s32", "u64", "s64", "f32", "f64")), ("inc", ("u32",)),
           ("dec", ("u32",)),
           ("min", ("u32", "s32", "u64", "s64")), ("max", ("u32", "s32", "u64", "s64")),
           ("and", ("b32", "b64")), ("or", ("b32", "b64")), ("xor", ("b32", "b64")),
           ("exch", ("b32", "b64")), ("cas", ("b32", "b64"))]


def atomic_operands(pick, op, t):
    n = 8 * size(t)
    if t[0] == "f":
        f = F32 if n == 32 else F64
        return [pick.float_bits(f) for _ in range(3)]
    old, b = pick.bits(n, 0), pick.bits(n, 0)
    if op == "cas" and pick.random.randrange(2):
        b = old
    return [old, b, pick.bits(n, 0)]


def make_atomics(out, pick):
    """Each lane has its own cell: cells, operands b and c follow each other in `in`."""
    for kind in ("atom", "red"):
        for op, types in ATOMICS:
            if kind == "red" and op in ("exch", "cas"):
                continue
            for t in types:
                for space in ("global", "shared", ""):
                    make_atomic(out, pick, kind, op, t, space)


def make_atomic(out, pick, kind, op, t, space):
    n = size(t)
    wide = "%d" if n == 8 else "%r"
    values = [atomic_operands(pick, op, t) for _ in LANES]
    if t in ("f32", "f64"):  # the cases do not test NaN, nor flushing of subnormals
        f = F32 if n == 4 else F64
        values = [[b if f.least_normal <= b & (f.sign - 1) < f.inf - 2 * f.least_normal else f.one
                   for b in v] for v in values]
    stride = 32 * n
    c = Case(out, f"{kind}_{op}_{t}_{space or 'generic'}", 32, ".shared .align 8 .b8 s[256];")
    cell = "%d5"
    c.code(f"mad.wide.u32 %d4, %r0, {n}, %d2; mad.wide.u32 %d5, %r0, {n}, %d0;",
           f"ld.global.b{8 * n} {wide}10, [%d4]; ld.global.b{8 * n} {wide}11, [%d4+{stride}];",
           f"ld.global.b{8 * n} {wide}12, [%d4+{2 * stride}];")
    if space == "shared":
        c.code(f"mov.u64 %d6, s; mad.wide.u32 %d6, %r0, {n}, %d6;",
               f"st.shared.b{8 * n} [%d6], {wide}10;")
        cell = "%d6"
    else:
        c.code(f"st.global.b{8 * n} [%d5], {wide}10;")
    operands = f"{wide}11, {wide}12" if op == "cas" else f"{wide}11"
    dot = f".{space}" if space else ""
    if t[0] == "f":
        c.code(f"mov.b{8 * n} %{'f' if n == 4 else 'e'}1, {wide}11;")
        operands = "%f1" if n == 4 else "%e1"
    result = {"f32": "%f2", "f64": "%e2"}.get(t, f"{wide}13")
    name = f"{kind}{dot}.{op}.{t}"
    first = f"{result}, " if kind == "atom" else ""
    c.code(f"{name} {first}[{cell}], {operands};")
    if kind == "atom":
        c.code(f"st.global.b{8 * n} [%d5+{stride}], {result};")
    if space == "shared":
        c.code(f"ld.shared.b{8 * n} {wide}14, [%d6]; st.global.b{8 * n} [%d5], {wide}14;")
    c.data(split([v[k] for k in range(3) for v in values], 8 * n))
    c.expect(0, split([atomic(op, t, *v) for v in values], 8 * n))
    if kind == "atom":
        c.expect(32 * n // 4, split([v[0] for v in values], 8 * n))
    c.end()


def add_halves(f, n, old, b):
    """Each half by itself."""
    return sum(x.encode_value(f, x.add(x.decode(f, old >> s & 0xffff),
                                       x.decode(f, b >> s & 0xffff), "rn"), "rn") << s
               for s in range(0, n, 16))


def make_small_atomics(out, pick):
    """Of 16 bits, the cell's other half stays; and of pairs of them. A word for each lane."""
    for kind in ("atom", "red"):
        for t in ("f16", "bf16", "f16x2", "bf16x2", "b16"):
            for space in ("global", "shared", ""):
                if t != "b16":
                    make_small_atomic(out, pick, kind, "add", t, space)
                elif kind == "atom":
                    make_small_atomic(out, pick, kind, "cas", t, space)


def make_small_atomic(out, pick, kind, op, t, space):
    pair, f = t.endswith("x2"), BF16 if t[0] == "b" else F16
    half = (lambda: pick.bits(16, 0)) if op == "cas" else lambda: pick.float_bits(f)
    values = [[half() | half() << 16 for _ in range(3)] for _ in LANES]
    for k in range(0, 32, 3):  # the cell of a cas holds the compared value
        values[k][1] = values[k][0] if op == "cas" else values[k][1]

    def after(old, b, c):
        if op == "cas":
            return old & ~0xffff | c & 0xffff if old & 0xffff == b & 0xffff else old
        return add_halves(f, 32, old, b) if pair else old & ~0xffff | add_halves(f, 16, old, b)

    c = Case(out, f"{kind}_{op}_{t}_{space or 'generic'}", 32, ".shared .align 8 .b8 s[256];")
    cell = "%d6" if space == "shared" else "%d5"
    c.code("mad.wide.u32 %d4, %r0, 4, %d2; mad.wide.u32 %d5, %r0, 4, %d0;",
           "ld.global.b32 %r4, [%d4]; ld.global.b32 %r5, [%d4+128]; ld.global.b32 %r6, [%d4+256];",
           "mov.u64 %d6, s; mad.wide.u32 %d6, %r0, 4, %d6;",
           f"st{'.shared' if space == 'shared' else '.global'}.b32 [{cell}], %r4;",
           "cvt.u16.u32 %h1, %r5; cvt.u16.u32 %h2, %r6;")
    dot = f".{space}" if space else ""
    b, result = ("%r5", "%r8") if pair else ("%h1", "%h3")
    operands = f"{b}, %h2" if op == "cas" else b
    first = f"{result}, " if kind == "atom" else ""
    c.code(f"{kind}{dot}.{op}{'.noftz' if op == 'add' else ''}.{t} {first}[{cell}], {operands};")
    if kind == "atom":
        c.code("" if pair else "cvt.u32.u16 %r8, %h3;", "st.global.b32 [%d5+128], %r8;")
    if space == "shared":
        c.code("ld.shared.b32 %r7, [%d6]; st.global.b32 [%d5], %r7;")
    c.data([v[k] for k in range(3) for v in values]).expect(0, [after(*v) for v in values])
    if kind == "atom":
        c.expect(32, [v[0] if pair else v[0] & 0xffff for v in values])
    c.end()


def make_contended(out):
    Case(out, "atom_same_address", 96).code(
        "atom.global.add.u32 %r2, [%d0], 3; atom.global.max.u32 %r3, [%d0+4], %r0;",
        "atom.global.or.b32 %r4, [%d0+8], %r0; red.global.inc.u32 [%d0+12], 40;").expect(
        0, [288, 95, 127, 96 % 41]).end()
    Case(out, "loads_of_const_and_param", 32, ".const .align 4 .u32 c[4] = {7, 8, 9, 10};").code(
        "and.b32 %r2, %r0, 3; mov.u64 %d4, c; mad.wide.u32 %d4, %r2, 4, %d4;",
        "ld.const.u32 %r3, [%d4]; ld.param.u32 %r4, [n]; add.u32 %r3, %r3, %r4;",
        "st.global.u32 [%d1], %r3;").expect(0, [7 + (k & 3) for k in LANES]).end()
    for name, line, what in (
            ("null", "mov.u64 %d4, 0; ld.global.u32 %r2, [%d4];", "null-pointer global load"),
            ("beyond", "ld.global.u32 %r2, [%d0+8192];", "out-of-bounds global load"),
            ("store_odd", "st.global.u64 [%d0+4], %d0;", "misaligned global store")):
        case = Case(out, f"fault_{name}").code(line)
        out.append(f"fault: {what}")
        case.end()


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    pick = Pick(5)
    data = bytes(pick.random.randrange(256) for _ in range(256))
    out = ["# made by make_cases.py"]
    make_loads(out, data)
    make_stores(out, data)
    make_vectors(out, data)
    make_atomics(out, pick)
    make_small_atomics(out, pick)
    make_contended(out)
    for name, lines in (("memory", out), ("control", make_control.make()),
                        ("async", make_async.make()),
                        ("forms", make_form_cases.make()),
                        ("matrix", make_matrix.make(7)), ("group", make_group.make()),
                        ("sparse", make_sparse.make()),
                        ("tensor", make_tensor.make())):
        with open(os.path.join(folder, f"{name}.case"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")


main()
