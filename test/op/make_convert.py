"""Vectors of cvt between all types, in exact rational arithmetic."""
import exact as x
from exact import BF16, F16, F32, F64, FORMATS
from pick import Pick, to_signed

INTS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
MODES = ("rn", "rz", "rm", "rp")
INTEGRAL = ("rni", "rzi", "rmi", "rpi")


def number(t, bits):
    n = int(t[1:])
    return to_signed(bits, n) if t[0] == "s" else bits


def limits(t):
    n = int(t[1:])
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if t[0] == "s" else (0, (1 << n) - 1)


def lane(t, value):
    """As a lane holds an integer result: narrow signed types are extended to 32 bits."""
    n = int(t[1:])
    value &= (1 << n) - 1
    if t in ("s8", "s16"):
        value = to_signed(value, n) & 0xffffffff
    return value


def emit(out, words, a, r):
    out.append(f"cvt.{'.'.join(w for w in words if w)} {a:x} = {r:x}")


def make_int_int(out, pick, n):
    for d in INTS:
        low, high = limits(d)
        for s in INTS:
            for sat in ("", "sat"):
                for k in range(n):
                    a = pick.bits(int(s[1:]), k)
                    v = number(s, a)
                    emit(out, (sat, d, s), a, lane(d, max(low, min(high, v)) if sat else v))


def finish(f, bits, ftz, sat):
    if ftz and f is F32:
        bits = x.flush(f, bits)
    return x.saturate(f, bits) if sat else bits


def make_float_int(out, pick, n):
    for f in (F16, BF16, F32, F64):
        for s in INTS:
            for mode in MODES:
                for sat in ("", "sat"):
                    ftz = "ftz" if f is F32 and sat else ""
                    for k in range(n // 2 if sat else n):
                        a = pick.bits(int(s[1:]), k)
                        v = number(s, a)
                        r = x.encode(f, -1 if v < 0 else 1, x.Fraction(abs(v)), mode)
                        emit(out, (mode, ftz, sat, f.name, s), a, finish(f, r, ftz, sat))


def near_integer(pick, f, bits):
    """A number near an integer or near a limit of the destination."""
    r = pick.random
    base = r.choice((0, 1, 2, 3, 100, (1 << bits) - 1, 1 << bits, (1 << (bits - 1)) - 1,
                     1 << (bits - 1)))
    v = base + x.Fraction(r.choice((-4, -3, -2, -1, 0, 1, 2, 3, 4)), 4)
    return x.encode(f, r.choice((-1, 1)) * (-1 if v < 0 else 1), abs(v), r.choice(MODES))


def make_int_float(out, pick, n):
    for f in (F16, BF16, F32, F64):
        for d in INTS:
            bits = int(d[1:])
            nan = 1 << (bits - 1) if bits == 64 or f is F64 else 0
            for mode in INTEGRAL:
                for ftz in ("", "ftz") if f is F32 else ("",):
                    for k in range(2 * n if not ftz else n):
                        a = pick.float_bits(f) if k % 2 else near_integer(pick, f, bits)
                        v = x.decode(f, x.flush(f, a) if ftz else a)
                        sat = "sat" if k % 5 == 4 else ""
                        r = x.to_integer(v, bits, d[0] == "s", mode, nan)
                        emit(out, (mode, ftz, sat, d, f.name), a, lane(d, r))


RANK = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}


def make_float_float(out, pick, n):
    for d in FORMATS.values():
        for s in FORMATS.values():
            if d is s:
                modes = ("",) + INTEGRAL
            else:
                modes = ("",) if RANK[d.name] > RANK[s.name] else MODES
            for mode in modes:
                for flags in (("", ""), ("ftz", ""), ("", "sat"), ("ftz", "sat")):
                    ftz, sat = flags
                    if ftz and F32 not in (d, s):
                        continue
                    for k in range(2 * n):
                        float_float(out, pick, d, s, mode, ftz, sat, k)


def float_float(out, pick, d, s, mode, ftz, sat, k):
    a = pick.float_bits(s)
    if mode in INTEGRAL and k % 2:
        a = near_integer(pick, s, 8)
    elif RANK[s.name] > RANK[d.name] and k % 3:  # near numbers and ties of the destination
        v = x.decode(d, pick.float_bits(d))
        if v != x.NAN and v[1] != x.INF:
            a = x.encode(s, v[0], v[1], "rn") + pick.random.choice((0, 1, -1, 1 << (
                s.precision - d.precision - 1))) & (2 * s.sign - 1)
    # an H100 flushes no operand of a conversion to f16
    v = x.decode(s, x.flush(s, a) if ftz and s is F32 and d is not F16 else a)
    if v != x.NAN and v[1] != x.INF and mode in INTEGRAL:
        whole = x.integral(v, mode)
        v = (v[0], x.Fraction(abs(whole)))
    r = x.converted_nan(d, s, a) if v == x.NAN else \
        x.encode_value(d, v, mode if mode in MODES else "rn")
    emit(out, (mode, ftz, sat, d.name, s.name), a, finish(d, r, ftz, sat))


def make_nans(out):
    """NaN with each single bit of a payload, and all bits, of both signs."""
    for d in FORMATS.values():
        for s in FORMATS.values():
            mode = "rni" if d is s else "" if RANK[d.name] > RANK[s.name] else "rn"
            for payload in [1 << k for k in range(s.precision - 1)] + [s.least_normal - 1]:
                for sign in (0, s.sign):
                    a = sign | s.inf | payload
                    emit(out, (mode, d.name, s.name), a, x.converted_nan(d, s, a))


def make_pairs(out, pick, n):
    for d, sats in ((F16, ("", "sat")), (BF16, ("",))):
        for mode in ("rn", "rz"):
            for sat in sats:
                for _ in range(2 * n):
                    a, b = pick.float_bits(F32), pick.float_bits(F32)
                    h = [finish(d, x.encode_value(d, x.decode(F32, v), mode), "", sat) for v in (a,
                                                                                                 b)]
                    words = ".".join(w for w in (mode, sat, d.name + "x2", "f32") if w)
                    out.append(f"cvt.{words} {a:x} {b:x} = {h[0] << 16 | h[1]:x}")


TF32 = x.Format("tf32", 19, 11, 0x3ffff)


def to_tf32(a, mode):
    """The upper 19 bits of an f32; rna: to nearest, halves away from zero. NaN as an H100 has
    them: all 19 bits but the sign, or cut under rna."""
    v = x.decode(F32, a)
    if v == x.NAN:
        return a & ~0x1fff if mode == "rna" else TF32.nan << 13
    cut = x.encode(TF32, v[0], v[1], "rz")
    if mode == "rna" and is_half(v, cut):
        return cut + 1 << 13
    return x.encode(TF32, v[0], v[1], "rz" if mode == "rz" else "rn") << 13


def is_half(v, cut):
    """v lies in the middle between the number `cut` and the next away from zero."""
    if v[1] == x.INF or cut & (TF32.sign - 1) == TF32.max:
        return False
    low, high = x.decode(TF32, cut)[1], x.decode(TF32, cut + 1)[1]
    return v[1] - low == high - v[1]


def make_tf32(out, pick, n):
    for mode in ("rna", "rn", "rz"):
        for k in range(8 * n):
            a = pick.float_bits(F32)
            if k % 2:  # a number, or the middle between two
                a = a & ~0x1fff | pick.random.choice((0, 0x1000, 0xfff, 0x1001))
            out.append(f"cvt.{mode}.tf32.f32 {a:x} = {to_tf32(a, mode):x}")


def make(n, seed):
    out = []
    pick = Pick(seed)
    for part in (make_int_int, make_float_int, make_int_float, make_float_float, make_pairs,
                 make_tf32):
        part(out, pick, n)
    make_nans(out)
    return out
