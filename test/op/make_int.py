"""Vectors of integer, logic, shift, carry and move operations, from the manual's definitions in
Python integers."""
from pick import Pick, to_signed

WIDTHS = {"8": 8, "16": 16, "32": 32, "64": 64}


def width(t):
    return int(t[1:])


def value(t, bits):
    """Returns the number with bits `bits` in type t."""
    n = width(t)
    bits &= (1 << n) - 1
    return to_signed(bits, n) if t[0] == "s" else bits


def cut(n, x):
    return x & ((1 << n) - 1)


def clamp_s32(x):
    return max(-(1 << 31), min((1 << 31) - 1, x))


def truncated_division(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def divide(t, a, b):
    return -1 if b == 0 else truncated_division(a, b)


def remainder(t, a, b):
    """By zero: all ones, as an H100."""
    return -1 if b == 0 else a - b * truncated_division(a, b)


def low24(t, x):
    return to_signed(x & 0xffffff, 24) if t[0] == "s" else x & 0xffffff


class Emitter:
    def __init__(self, out, pick):
        self.out, self.pick = out, pick

    def line(self, name, operands, results):
        self.out.append(f"{name} {' '.join(operands)} = {' '.join(results)}")

    def rows(self, name, types, result_bits, f, count, pickers=None):
        """f(list of operand bit patterns) -> result, cut to result_bits."""
        for k in range(count):
            bits = [self.pick.bits(width(t), k) if not pickers or not pickers[i] else pickers[i](k)
                    for i, t in enumerate(types)]
            r = cut(result_bits, f(*bits))
            self.line(name, [f"{b:x}" for b in bits], [f"{r:x}"])


def make_arithmetic(e, n):
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        w = width(t)
        v = lambda x, t=t: value(t, x)
        two = [t, t]
        e.rows(f"add.{t}", two, w, lambda a, b: a + b, n)
        e.rows(f"sub.{t}", two, w, lambda a, b: a - b, n)
        e.rows(f"mul.lo.{t}", two, w, lambda a, b: a * b, n)
        e.rows(f"mul.hi.{t}", two, w, lambda a, b: v(a) * v(b) >> w, n)
        e.rows(f"mad.lo.{t}", [t] * 3, w, lambda a, b, c: a * b + c, n)
        e.rows(f"mad.hi.{t}", [t] * 3, w, lambda a, b, c: (v(a) * v(b) >> w) + c, n)
        if w < 64:
            wide = t[0] + str(2 * w)
            e.rows(f"mul.wide.{t}", two, 2 * w, lambda a, b: v(a) * v(b), n)
            e.rows(f"mad.wide.{t}", [t, t, wide], 2 * w, lambda a, b, c: v(a) * v(b) + c, n)
        e.rows(f"sad.{t}", [t] * 3, w, lambda a, b, c: c + abs(v(a) - v(b)), n)
        e.rows(f"div.{t}", two, w, lambda a, b: divide(t, v(a), v(b)), 2 * n)
        e.rows(f"rem.{t}", two, w, lambda a, b: remainder(t, v(a), v(b)), 2 * n)
        e.rows(f"min.{t}", two, w, lambda a, b: min(v(a), v(b)), n)
        e.rows(f"max.{t}", two, w, lambda a, b: max(v(a), v(b)), n)
        if t[0] == "s":
            e.rows(f"abs.{t}", [t], w, lambda a: abs(v(a)), n)
            e.rows(f"neg.{t}", [t], w, lambda a: -a, n)


def make_narrow(e, n):
    s = lambda x: to_signed(x, 32)
    e.rows("add.sat.s32", ["s32"] * 2, 32, lambda a, b: clamp_s32(s(a) + s(b)), 2 * n)
    e.rows("sub.sat.s32", ["s32"] * 2, 32, lambda a, b: clamp_s32(s(a) - s(b)), 2 * n)
    e.rows("mad.hi.sat.s32", ["s32"] * 3, 32, lambda a, b, c: clamp_s32((s(a) * s(b) >> 32) + s(c)),
           2 * n)
    for t in ("u32", "s32"):
        p = lambda a, b, t=t: low24(t, a) * low24(t, b)
        e.rows(f"mul24.lo.{t}", [t] * 2, 32, p, n)
        e.rows(f"mul24.hi.{t}", [t] * 2, 32, lambda a, b: p(a, b) >> 16, n)
        e.rows(f"mad24.lo.{t}", [t] * 3, 32, lambda a, b, c: p(a, b) + c, n)
        e.rows(f"mad24.hi.{t}", [t] * 3, 32, lambda a, b, c: (p(a, b) >> 16) + c, n)
    high = lambda a, b: to_signed(cut(32, low24("s32", a) * low24("s32", b) >> 16), 32)
    e.rows("mad24.hi.sat.s32", ["s32"] * 3, 32, lambda a, b, c: clamp_s32(high(a, b) + s(c)), n)


def highest(x):
    return x.bit_length() - 1


def bfind(t, x):
    v = value(t, x)
    return highest(~v if v < 0 else v) if v not in (0, -1) else -1


def bfind_shift(t, x):
    at = bfind(t, x)
    return width(t) - 1 - at if at >= 0 else -1


def fns(mask, base, offset):
    offset = to_signed(offset, 32)
    if offset == -1 << 31:
        return 0  # as an H100
    if base > 31:
        return -1
    if offset == 0:
        return base if mask >> base & 1 else -1
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    hits = [p for p in places if mask >> p & 1]
    return hits[abs(offset) - 1] if len(hits) >= abs(offset) else -1


def field(n, pos, length):
    """Position and length: bytes, or whole words of 64-bit operations, as an H100 reads them."""
    return (pos & 255, length & 255) if n < 64 else (pos, min(length, 64))


def bfe(t, a, b, c):
    (pos, length), msb = field(width(t), b, c), width(t) - 1
    sign = 0
    if t[0] == "s" and length:
        sign = a >> min(pos + length - 1, msb) & 1
    r = 0
    for i in range(msb + 1):
        bit = a >> (pos + i) & 1 if i < length and pos + i <= msb else sign
        r |= bit << i
    return r


def bfi(n, a, b, c, d):
    pos, length = field(n, c, d)
    for i in range(length):
        if pos + i < n:
            b = b & ~(1 << (pos + i)) | (a >> i & 1) << (pos + i)
    return b


def szext(t, mode, a, b):
    n = b & 31 if mode == "wrap" else min(b, 32)
    low = a & ((1 << n) - 1)
    return to_signed(low, n) if t == "s32" and n else low


def bmsk(mode, a, b):
    if mode == "wrap":
        a, b = a & 31, b & 31
    return ((1 << min(b, 32)) - 1) << min(a, 32)


def make_bits(e, n):
    small = lambda k: (0, 1, 5, 16, 31, 32, 33, 63, 64, 65, 255, 256, 0x1f05)[k % 13]
    few = lambda k: (1, 32, 0, 7, 64, 63, 255, 31, 2, 33)[k % 10]
    for t in ("b32", "b64"):
        w = width(t)
        e.rows(f"popc.{t}", [t], 32, lambda a: bin(a).count("1"), n)
        e.rows(f"clz.{t}", [t], 32, lambda a: w - a.bit_length(), n)
        e.rows(f"brev.{t}", [t], w, lambda a: int(f"{a:0{w}b}"[::-1], 2), n)
        e.rows(f"bfi.{t}", [t, t, "u32", "u32"], w, lambda a, b, c, d: bfi(w, a, b, c, d), 4 * n,
               [None, None, small, few])
    for t in ("u32", "s32", "u64", "s64"):
        e.rows(f"bfind.{t}", [t], 32, lambda a: bfind(t, a), 2 * n)
        e.rows(f"bfind.shiftamt.{t}", [t], 32, lambda a: bfind_shift(t, a), 2 * n)
        e.rows(f"bfe.{t}", [t, "u32", "u32"], width(t), lambda a, b, c: bfe(t, a, b, c), 4 * n,
               [None, small, few])
    e.rows("fns.b32", ["b32", "u32", "s32"], 32, fns, 4 * n,
           [None, lambda k: (0, 31, 5, 32, 16)[k % 5],
            lambda k: (0, 1, 0xffffffff, 2, 5, 0xfffffffd, 0x80000000)[k % 7]])
    for mode in ("wrap", "clamp"):
        for t in ("u32", "s32"):
            e.rows(f"szext.{mode}.{t}", [t, "u32"], 32, lambda a, b: szext(t, mode, a, b), 2 * n,
                   [None, small])
        e.rows(f"bmsk.{mode}.b32", ["u32", "u32"], 32, lambda a, b: bmsk(mode, a, b), 4 * n,
               [small, few])


def byte(x, k, is_signed):
    b = x >> 8 * k & 255
    return to_signed(b, 8) if is_signed else b


def make_dot(e, n):
    for ta in ("u32", "s32"):
        for tb in ("u32", "s32"):
            sa, sb = ta == "s32", tb == "s32"
            half = lambda x, k: value("s16" if sa else "u16", x >> 16 * k)
            e.rows(f"dp4a.{ta}.{tb}", ["u32"] * 3, 32,
                   lambda a, b, c: c + sum(byte(a, k, sa) * byte(b, k, sb) for k in range(4)), n)
            for name, first in (("lo", 0), ("hi", 2)):
                e.rows(f"dp2a.{name}.{ta}.{tb}", ["u32"] * 3, 32,
                       lambda a, b, c: c + sum(half(a, k) * byte(b, k + first, sb)
                                               for k in range(2)), n)
            diff = lambda a, b: [abs(byte(a, k, sb) - byte(b, k, sb)) for k in range(4)]
            join = lambda xs: sum((x & 255) << 8 * k for k, x in enumerate(xs))
            top = 127 if sa else 255
            types = f"{ta}.{tb}.{tb}"
            e.rows(f"vabsdiff4.{types}", ["u32"] * 3, 32, lambda a, b, c: join(diff(a, b)), n)
            e.rows(f"vabsdiff4.sat.{types}", ["u32"] * 3, 32,
                   lambda a, b, c: join(min(x, top) for x in diff(a, b)), n)
            e.rows(f"vabsdiff4.add.{types}", ["u32"] * 3, 32, lambda a, b, c: c + sum(diff(a, b)),
                   n)


def prmt(mode, a, b, c):
    pool = [x >> 8 * k & 255 for x in (a, b) for k in range(4)]
    s = c & 3
    if mode == "":
        r = []
        for k in range(4):
            selector = c >> 4 * k & 15
            x = pool[selector & 7]
            r.append((255 if x & 128 else 0) if selector & 8 else x)
    else:
        # rows of the manual's table, most significant byte first
        table = {"f4e": ["3210", "4321", "5432", "6543"], "b4e": ["5670", "6701", "7012", "0123"],
                 "rc8": ["0000", "1111", "2222", "3333"], "ecl": ["3210", "3211", "3222", "3333"],
                 "ecr": ["0000", "1110", "2210", "3210"], "rc16": ["1010", "3232", "1010", "3232"]}
        r = [pool[int(x)] for x in reversed(table[mode][s])]
    return sum(x << 8 * k for k, x in enumerate(r))


def lop3(a, b, c, table):
    return sum((table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k
               for k in range(32))


def make_outside(e):
    """Remainders by zero; fields of 64 bits and offsets of fns far outside."""
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        w = width(t)
        for a in (0, 1, 7, (1 << w - 1) - 1, 1 << w - 1, (1 << w) - 2):
            e.line(f"rem.{t}", [f"{a:x}", "0"], [f"{cut(w, remainder(t, value(t, a), 0)):x}"])
    places = (0, 1, 31, 63, 64, 65, 255, 256, 0x11f, 0x200, 0x10020, 0x80000000, 0xffffffff)
    a, b = 0x89abcdef76543210, 0x0f1e2d3c4b5a6978
    for pos in places:
        for length in places:
            for t in ("u64", "s64"):
                e.line(f"bfe.{t}", [f"{v:x}" for v in (a, pos, length)],
                       [f"{bfe(t, a, pos, length):x}"])
            e.line("bfi.b64", [f"{v:x}" for v in (a, b, pos, length)],
                   [f"{bfi(64, a, b, pos, length):x}"])
    for base in (0, 5, 31, 32, 0xffffffff):
        for offset in (0x80000000, 0x80000001, 0x7fffffff):
            e.line("fns.b32", [f"{v:x}" for v in (0x311d1ee2, base, offset)],
                   [f"{cut(32, fns(0x311d1ee2, base, offset)):x}"])


def make_logic(e, n):
    amount = lambda k: (0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 0xffffffff, 5)[k % 13]
    for w in (16, 32, 64):
        t = f"b{w}"
        e.rows(f"and.{t}", [t] * 2, w, lambda a, b: a & b, n)
        e.rows(f"or.{t}", [t] * 2, w, lambda a, b: a | b, n)
        e.rows(f"xor.{t}", [t] * 2, w, lambda a, b: a ^ b, n)
        e.rows(f"not.{t}", [t], w, lambda a: ~a, n)
        e.rows(f"cnot.{t}", [t], w, lambda a: a == 0, n)
        e.rows(f"shl.{t}", [t, "u32"], w, lambda a, b: a << min(b, 64), 2 * n, [None, amount])
        for k in "bus":
            e.rows(f"shr.{k}{w}", [t, "u32"], w, lambda a, b: value(f"{k}{w}", a) >> min(b, 64),
                   2 * n, [None, amount])
    table = lambda k: (0xff, 0, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0x3c, 0x1b)[k % 9]
    e.rows("lop3.b32", ["b32"] * 3 + ["u32"], 32, lop3, 3 * n, [None, None, None, table])
    for mode in ("wrap", "clamp"):
        shift = lambda c: c & 31 if mode == "wrap" else min(c, 32)
        e.rows(f"shf.l.{mode}.b32", ["b32"] * 3, 32,
               lambda a, b, c: (b << 32 | a) << shift(c) >> 32, 2 * n, [None, None, amount])
        e.rows(f"shf.r.{mode}.b32", ["b32"] * 3, 32, lambda a, b, c: (b << 32 | a) >> shift(c),
               2 * n, [None, None, amount])
    for mode in ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        e.rows(f"prmt.b32.{mode}".rstrip("."), ["b32"] * 3, 32,
               lambda a, b, c: prmt(mode, a, b, c), 3 * n)
    for op, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b),
                  ("xor", lambda a, b: a ^ b)):
        for a in (0, 1):
            for b in (0, 1):
                e.line(f"{op}.pred", [f"p{a}", f"p{b}"], [f"p{f(a, b)}"])
    for a in (0, 1):
        e.line("not.pred", [f"p{a}"], [f"p{1 - a}"])
        e.line("mov.pred", [f"p{a}"], [f"p{a}"])


def make_carry(e, n):
    """f gives the exact result; the carry of a sum is the part beyond the width; the carry of a
    difference is 1 without a borrow, and the next instruction subtracts a missing carry."""
    for t in ("u32", "s32", "u64", "s64"):
        w = width(t)
        v = lambda x: value(t, x)
        half = {"lo": lambda a, b: cut(w, a * b), "hi": lambda a, b: cut(w, v(a) * v(b) >> w)}
        ops = [("add.cc", 2, lambda a, b, c, k: a + b), ("addc", 2, lambda a, b, c, k: a + b + k),
               ("addc.cc", 2, lambda a, b, c, k: a + b + k),
               ("sub.cc", 2, lambda a, b, c, k: a - b),
               ("subc", 2, lambda a, b, c, k: a - b - (not k)),
               ("subc.cc", 2, lambda a, b, c, k: a - b - (not k))]
        for h, f in half.items():
            ops += [(f"mad.{h}.cc", 3, lambda a, b, c, k, f=f: f(a, b) + c),
                    (f"madc.{h}", 3, lambda a, b, c, k, f=f: f(a, b) + c + k),
                    (f"madc.{h}.cc", 3, lambda a, b, c, k, f=f: f(a, b) + c + k)]
        for name, count, f in ops:
            for k in range(n):
                carry = k & 1
                x = [e.pick.bits(w, k + 7 * j) for j in range(count)]
                total = f(*(x + [0] * (3 - count)), carry)
                out = int(total >= 0 if name.startswith("sub") else total >> w > 0)
                if not name.endswith("cc"):
                    out = carry
                e.line(f"{name}.{t}", [f"{b:x}" for b in x] + [f"k{carry}"],
                       [f"{cut(w, total):x}", f"k{out}"])


def make_moves(e, n):
    for t in [k + str(w) for k in "bus" for w in (16, 32, 64)] + ["f32", "f64"]:
        w = width(t)
        e.rows(f"mov.{t}", [t], w, lambda a: a, n)
        for k in range(n):
            a, b, p = e.pick.bits(w, k), e.pick.bits(w, k + 3), k & 1
            negated = "!" if k & 2 else ""
            taken = a if bool(p) != bool(negated) else b
            e.line(f"selp.{t}", [f"{a:x}", f"{b:x}", f"{negated}p{p}"], [f"{taken:x}"])
        e.rows(f"slct.{t}.s32", [t, t, "s32"], w, lambda a, b, c: a if to_signed(c, 32) >= 0 else b,
               n)
        edges = lambda k: (0, 0x80000000, 1, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000,
                           0xff800000,
                           0x7fc00000, 0xffc00000, 0x807fffff, 0x80800000)[k % 12]
        number = lambda c: c & 0x7fffffff <= 0x7f800000
        e.rows(f"slct.{t}.f32", [t, t, "f32"], w,
               lambda a, b, c: a if number(c) and (c < 1 << 31 or c == 1 << 31) else b, 12,
               [None, None, edges])
        tiny = lambda c: c & 0x7fffffff < 0x00800000
        e.rows(f"slct.ftz.{t}.f32", [t, t, "f32"], w,
               lambda a, b, c: a if number(c) and (c < 1 << 31 or tiny(c)) else b, 12,
               [None, None, edges])
    for whole, parts in ((64, 2), (32, 2), (64, 4), (32, 4), (16, 2)):
        w = whole // parts
        for k in range(n):
            x = [e.pick.bits(w, k + j) for j in range(parts)]
            joined = sum(b << w * j for j, b in enumerate(x))
            e.line(f"pack.v{parts}.b{whole}", [f"{b:x}" for b in x], [f"{joined:x}"])
            e.line(f"unpack.v{parts}.b{whole}", [f"{joined:x}"], [f"{b:x}" for b in x])
    for t, sign in (("f32", 1 << 31), ("f64", 1 << 63)):
        e.rows(f"copysign.{t}", [t, t], width(t), lambda a, b: b & (sign - 1) | a & sign, n)


def make(n, seed):
    out = []
    e = Emitter(out, Pick(seed))
    for part in (make_arithmetic, make_narrow, make_bits, make_dot, make_logic, make_carry,
                 make_moves):
        part(e, n)
    make_outside(e)
    return out
