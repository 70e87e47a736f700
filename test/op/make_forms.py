"""Vectors of forms of sm_80 and later: floats of at most 8 bits, pairs of f32, f32 with operands of
16 bits, .satfinite, .xorsign.abs; in exact rational arithmetic."""
import exact as x
from exact import BF16, F16, F32, Fraction
from pick import Pick

MODES = ("rn", "rz", "rm", "rp")


class Small:
    """A format of at most 8 bits: the magnitudes of its codes in order, all finite."""

    def __init__(self, exponent_bits, fraction_bits, most, pitch, nan):
        self.pitch, self.nan = pitch, nan
        self.sign = 1 << exponent_bits + fraction_bits
        bias = (1 << exponent_bits - 1) - 1
        self.sizes = []
        for code in range(most + 1):
            e, f = divmod(code, 1 << fraction_bits)
            whole = Fraction(f, 1 << fraction_bits) + (1 if e else 0)
            self.sizes.append(whole * Fraction(2) ** (max(e, 1) - bias))

    def encode(self, value, relu):
        if value == x.NAN:
            return self.nan
        sign, size = value
        if relu and sign < 0:
            return 0
        if size == x.INF or size >= self.sizes[-1]:
            code = len(self.sizes) - 1
        else:
            code = min(range(len(self.sizes)), key=lambda c: (abs(self.sizes[c] - size), c & 1))
        return code | (self.sign if sign < 0 else 0)


SMALL = {"e2m3x2": Small(2, 3, 0x1f, 8, 0x1f), "e3m2x2": Small(3, 2, 0x1f, 8, 0x1f),
         "e2m1x2": Small(2, 1, 7, 4, 7), "e4m3x2": Small(4, 3, 0x7e, 8, 0x7f),
         "e5m2x2": Small(5, 2, 0x7b, 8, 0x7f)}


def pick_near(pick, f, small):
    """A number, mostly near one of the format or near the middle of two."""
    if pick.random.randrange(4) == 0:
        return pick.float_bits(f)
    k = pick.random.randrange(len(small.sizes))
    size = small.sizes[k]
    if k + 1 < len(small.sizes) and pick.random.randrange(2):
        size = (size + small.sizes[k + 1]) / 2
    bits = x.encode(f, pick.random.choice((-1, 1)), size, "rn")
    return max(0, bits + pick.random.choice((-1, 0, 0, 1)))


def make_small(out, pick, n):
    for name, small in SMALL.items():
        for relu in ("", ".relu"):
            for _ in range(20 * n):
                a, b = (pick_near(pick, F32, small) for _ in range(2))
                r = [small.encode(x.decode(F32, v), relu) for v in (a, b)]
                out.append(f"cvt.rn.satfinite{relu}.{name}.f32 {a:x} {b:x} = "
                           f"{r[0] << small.pitch | r[1]:x}")
                if name in ("e2m3x2", "e3m2x2"):
                    continue
                a, b = (pick_near(pick, F16, small) for _ in range(2))
                r = [small.encode(x.decode(F16, v), relu) for v in (a, b)]
                out.append(f"cvt.rn.satfinite{relu}.{name}.f16x2 {a << 16 | b:x} = "
                           f"{r[0] << small.pitch | r[1]:x}")
            codes = [s | c for s in (0, small.sign) for c in range(len(small.sizes))]
            for k in range(0, len(codes), 2):
                r = []
                for c in codes[k:k + 2]:
                    negative = c & small.sign
                    h = x.encode(F16, -1 if negative else 1, small.sizes[c & small.sign - 1], "rn")
                    r.append(0 if relu and negative else h)
                out.append(f"cvt.rn{relu}.f16x2.{name} {codes[k] << small.pitch | codes[k + 1]:x}"
                           f" = {r[0] << 16 | r[1]:x}")


def power_code(f, bits, mode, sat):
    """ue8m0: the code of the greatest power of two below, or of the least above, a magnitude; 0 and
    numbers below 2^-127 have code 0."""
    value = x.decode(f, bits)
    if value == x.NAN:
        return 0xff
    size = value[1]
    if size == x.INF:
        return 0xfe if sat else 0xff
    if size <= Fraction(1, 1 << 127):
        return 0
    exponent = x.floor_log2(size)
    if mode == "rp" and size != Fraction(2) ** exponent:
        exponent += 1
    return min(exponent + 127, 0xfe if sat else 0xff)


def make_powers(out, pick, n):
    for mode in ("rz", "rp"):
        for sat in ("", ".satfinite"):
            for _ in range(20 * n):
                a, b = pick.float_bits(F32), pick.float_bits(F32)
                r = [power_code(F32, v, mode, sat) for v in (a, b)]
                out.append(f"cvt.{mode}{sat}.ue8m0x2.f32 {a:x} {b:x} = {r[0] << 8 | r[1]:x}")
                a, b = pick.float_bits(BF16), pick.float_bits(BF16)
                r = [power_code(BF16, v, mode, sat) for v in (a, b)]
                out.append(f"cvt.{mode}{sat}.ue8m0x2.bf16x2 {a << 16 | b:x} = "
                           f"{r[0] << 8 | r[1]:x}")
    for code in range(256):
        other = code * 7 & 255
        r = [BF16.nan if c == 255 else x.encode(BF16, 1, Fraction(2) ** (c - 127), "rn")
             for c in (code, other)]
        out.append(f"cvt.rn.bf16x2.ue8m0x2 {code << 8 | other:x} = {r[0] << 16 | r[1]:x}")


def clamped(f, a, mode, sat, relu):
    value = x.decode(F32, a)
    if value == x.NAN:
        return f.nan
    if relu and value[0] < 0:
        return 0
    bits = x.encode(f, value[0], value[1], mode)
    return bits - 1 if sat and bits & f.sign - 1 == f.inf else bits


def make_clamped(out, pick, n):
    for f in (F16, BF16):
        for mode in ("rn", "rz"):
            for flags in (".satfinite", ".relu", ".relu.satfinite"):
                for _ in range(8 * n):
                    a, b = pick.float_bits(F32), pick.float_bits(F32)
                    r = [clamped(f, v, mode, "sat" in flags, "relu" in flags) for v in (a, b)]
                    out.append(f"cvt.{mode}{flags}.{f.name}.f32 {a:x} = {r[0]:x}")
                    out.append(f"cvt.{mode}{flags}.{f.name}x2.f32 {a:x} {b:x} = "
                               f"{r[0] << 16 | r[1]:x}")
    tf32 = x.Format("tf32", 19, 11, 0x3ffff)
    for mode in ("rn", "rz"):
        for flags in (".satfinite", ".relu", ".relu.satfinite"):
            for _ in range(8 * n):
                a = pick.float_bits(F32)
                r = clamped(tf32, a, mode, "sat" in flags, "relu" in flags) << 13
                out.append(f"cvt.{mode}{flags}.tf32.f32 {a:x} = {r:x}")
    for a, r in ((0x7f7fffff, 0x7f7fe000), (0xff7fffff, 0xff7fe000), (0x7f800000, 0x7f7fe000),
                 (0xff800000, 0xff7fe000), (0x3f801000, 0x3f802000), (0x3f800fff, 0x3f800000)):
        out.append(f"cvt.rna.satfinite.tf32.f32 {a:x} = {r:x}")


def compute(op, values, mode):
    a, b = values[0], values[1]
    if op == "mul":
        return x.mul(a, b)
    if op == "fma":
        return x.fma(a, b, values[2], mode)
    return x.add(a, b if op == "add" else x.negate(b), mode)


def f32_result(op, bits, formats, mode, ftz, sat):
    values = [x.decode(f, x.flush(f, v) if ftz else v) for f, v in zip(formats, bits)]
    r = x.encode_value(F32, compute(op, values, mode), mode)
    r = x.flush(F32, r) if ftz else r
    return x.saturate(F32, r) if sat else r


def make_pairs(out, pick, n):
    for op in ("add", "sub", "mul", "fma"):
        for mode in MODES:
            for ftz in ("", ".ftz"):
                for _ in range(8 * n):
                    ins = [[pick.float_bits(F32) for _ in range(3 if op == "fma" else 2)]
                           for _ in range(2)]
                    r = [f32_result(op, v, (F32,) * 3, mode, ftz, False) for v in ins]
                    words = " ".join(f"{h << 32 | l:x}" for l, h in zip(*ins))
                    out.append(f"{op}.{mode}{ftz}.f32x2 {words} = {r[1] << 32 | r[0]:x}")


def make_mixed(out, pick, n):
    for op in ("add", "sub", "fma"):
        for f in (F16, BF16):
            formats = (f, f, F32) if op == "fma" else (f, F32)
            for mode in MODES:
                for sat in ("", ".sat"):
                    for _ in range(8 * n):
                        ins = [pick.float_bits(g) for g in formats]
                        r = f32_result(op, ins, formats, mode, "", sat)
                        out.append(f"{op}.{mode}{sat}.f32.{f.name} "
                                   f"{' '.join(f'{v:x}' for v in ins)} = {r:x}")


def signless(op, f, a, b, nan):
    """min or max of magnitudes with the product of the signs; a NaN result has no sign."""
    sizes = [v & f.sign - 1 for v in (a, b)]
    numbers = [v for v in sizes if v <= f.inf]
    if not numbers or (nan and len(numbers) < 2):
        return f.nan
    return (min if op == "min" else max)(numbers) | (a ^ b) & f.sign


def make_signless(out, pick, n):
    for op in ("min", "max"):
        for f in (F32, F16, BF16):
            for ftz in ("",) if f is BF16 else ("", ".ftz"):
                for nan in ("", ".NaN"):
                    for _ in range(8 * n):
                        v = [pick.float_bits(f) for _ in range(4)]
                        g = [x.flush(f, w) if ftz else w for w in v]
                        r = [signless(op, f, g[k], g[k + 1], nan) for k in (0, 2)]
                        form = f"{op}{ftz}{nan}.xorsign.abs.{f.name}"
                        out.append(f"{form} {v[0]:x} {v[1]:x} = {r[0]:x}")
                        if f is F32:
                            continue
                        out.append(f"{form}x2 {v[0] << 16 | v[2]:x} {v[1] << 16 | v[3]:x} = "
                                   f"{r[0] << 16 | r[1]:x}")


def make(n, seed):
    out = []
    pick = Pick(seed)
    for part in (make_small, make_powers, make_clamped, make_pairs, make_mixed, make_signless):
        part(out, pick, n)
    return out
