"""Vectors of the .approx and .full functions: the true value to 50 digits, as the nearest double,
and the error allowed by the manual. Special values are exact."""
from decimal import Decimal, getcontext
import exact as x
from exact import BF16, F16, F32, F64
from pick import Pick

getcontext().prec = 60
PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164062862")
LN2 = Decimal(2).ln()
INF = 0x7f800000
NAN = F32.nan
UPPER_NAN = F32.nan << 32  # of the .ftz.f64 forms, as an H100


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def sine(v):
    v = v - (v / (2 * PI)).to_integral_value() * 2 * PI
    term, total, k = v, v, 1
    while abs(term) > Decimal(10) ** -55:
        term = -term * v * v / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def tangent_h(v):
    e = (2 * abs(v)).exp()
    r = (e - 1) / (e + 1)
    return r if v >= 0 else -r


def double_bits(v):
    sign = -1 if v < 0 else 1
    n, d = abs(v).as_integer_ratio()
    return x.encode(F64, sign, x.Fraction(n, d), "rn")


# function, bound(argument, value) as the manual states it
def relative(bits):
    return lambda a, v: abs(v) * Decimal(2) ** Decimal(bits)


def wave_bound(a, v):
    return Decimal(2) ** (Decimal("-20.5") if abs(a) <= 2 * PI else Decimal("-14.7"))


def log_bound(a, v):
    return Decimal(2) ** -22 if Decimal("0.5") < a < 2 else abs(v) * Decimal(2) ** -22


FUNCTIONS = {
    "rcp": (lambda a: 1 / a, relative(-23)),
    "sqrt": (lambda a: a.sqrt(), relative(-23)),
    "rsqrt": (lambda a: 1 / a.sqrt(), relative("-22.9")),
    "sin": (sine, wave_bound),
    "cos": (lambda a: sine(a + PI / 2), wave_bound),
    "lg2": (lambda a: a.ln() / LN2, log_bound),
    "ex2": (lambda a: (a * LN2).exp(), relative(-22)),
    "tanh": (tangent_h, relative(-11)),
}


def near_line(out, name, operands, v, bound):
    texts = " ".join(f"{b:x}" for b in operands)
    out.append(f"{name} {texts} ~ {double_bits(v):x} {double_bits(bound):x}")


def argument(op, pick):
    """A positive or signed f32 in the range where the function says something."""
    r = pick.random
    if op in ("sin", "cos"):
        limit = r.choice((7, 7, 314))
        bits = x.encode(F32, r.choice((1, -1)), x.Fraction(r.randrange(1, limit << 30), 1 << 30),
                        "rn")
    elif op == "ex2":
        top = r.choice((1, 10, 126))
        bits = x.encode(F32, r.choice((1, -1)), x.Fraction(r.randrange(0, top << 30), 1 << 30),
                        "rn")
    elif op == "tanh":
        bits = r.choice((0, F32.sign)) | r.randrange(100, 131) << 23 | r.getrandbits(23)
    elif op == "lg2" and r.randrange(2):
        bits = r.randrange(0x3f000001, 0x40000000)
    else:
        bits = r.randrange(F32.least_normal, F32.inf)
        if op == "rcp":
            bits = r.choice((0, F32.sign)) | r.randrange(2 << 23, 252 << 23)
    return bits


def make_functions(out, pick, n):
    for op, (f, bound) in FUNCTIONS.items():
        for ftz in ("", "ftz") if op != "tanh" else ("",):
            name = ".".join(w for w in (op, "approx", ftz, "f32") if w)
            for _ in range(n):
                bits = argument(op, pick)
                a = decimal(x.signed(x.decode(F32, bits)))
                v = f(a)
                if v == 0 or (ftz and abs(v) < Decimal(2) ** -126):
                    continue
                near_line(out, name, [bits], v, bound(a, v))


def make_subnormals(out, pick, n):
    """Without .ftz: subnormal arguments and results."""
    step = Decimal(2) ** -149
    for _ in range(n):
        bits = pick.random.randrange(1, F32.least_normal)
        a = decimal(x.signed(x.decode(F32, bits)))
        for op in ("lg2", "sqrt", "rsqrt"):
            f, bound = FUNCTIONS[op]
            near_line(out, f"{op}.approx.f32", [bits], f(a), bound(a, f(a)))
        e = x.encode(F32, -1, x.Fraction(pick.random.randrange(127 << 20, 148 << 20), 1 << 20),
                     "rn")
        v = (decimal(x.signed(x.decode(F32, e))) * LN2).exp()
        near_line(out, "ex2.approx.f32", [e], v, v * Decimal(2) ** -22 + step)


SPECIAL = {  # argument: result
    "rcp": {INF: 0, 0xff800000: 0x80000000, 0: INF, 0x80000000: 0xff800000, NAN: NAN},
    "sqrt": {INF: INF, 0: 0, 0x80000000: 0x80000000, 0xbf800000: NAN, 0xff800000: NAN,
             0xffc00000: NAN},
    "rsqrt": {INF: 0, 0: INF, 0x80000000: 0xff800000, 0xbf800000: NAN, 0xff800000: NAN,
              0x7f800001: NAN},
    "sin": {INF: NAN, 0xff800000: NAN, 0: 0, 0x80000000: 0x80000000, NAN: NAN},
    "cos": {INF: NAN, 0xff800000: NAN, 0: 0x3f800000, 0x80000000: 0x3f800000, NAN: NAN},
    "lg2": {INF: INF, 0: 0xff800000, 0x80000000: 0xff800000, 0xbf800000: NAN, 0xff800000: NAN,
            NAN: NAN,
            0x3f800000: 0},
    "ex2": {INF: INF, 0xff800000: 0, 0: 0x3f800000, 0x80000000: 0x3f800000, NAN: NAN,
            0x43000000: INF,
            0xc3480000: 0, 0x3f800000: 0x40000000},
    "tanh": {INF: 0x3f800000, 0xff800000: 0xbf800000, 0: 0, 0x80000000: 0x80000000, NAN: NAN},
}
FLUSHED = {  # .ftz: subnormal argument
    "rcp": (INF, 0xff800000), "sqrt": (0, 0x80000000), "rsqrt": (INF, 0xff800000),
    "sin": (0, 0x80000000), "cos": (0x3f800000,) * 2, "lg2": (0xff800000,) * 2,
    "ex2": (0x3f800000,) * 2,
}


def make_special(out):
    for op, table in SPECIAL.items():
        for ftz in ("", ".ftz") if op != "tanh" else ("",):
            for a, r in table.items():
                out.append(f"{op}.approx{ftz}.f32 {a:x} = {r:x}")
    for op, (plus, minus) in FLUSHED.items():
        for a in (1, 0x7fffff):
            out.append(f"{op}.approx.ftz.f32 {a:x} = {plus:x}")
            out.append(f"{op}.approx.ftz.f32 {a | F32.sign:x} = {minus:x}")
    out.append("ex2.approx.ftz.f32 c2fe0000 = 0")        # 2^-127
    out.append("rcp.approx.ftz.f32 7e800001 = 0")        # just under 2^-126


def make_division(out, pick, n):
    for kind in ("approx", "full"):
        for ftz in ("", "ftz"):
            name = ".".join(w for w in ("div", kind, ftz, "f32") if w)
            for _ in range(n):
                a = pick.random.randrange(100 << 23, 150 << 23) | pick.random.choice((0, F32.sign))
                b = pick.random.randrange(80 << 23, 180 << 23) | pick.random.choice((0, F32.sign))
                va, vb = (decimal(x.signed(x.decode(F32, q))) for q in (a, b))
                v = va / vb
                if abs(v) >= Decimal(2) ** -126:
                    near_line(out, name, [a, b], v, abs(v) * Decimal(2) ** -22)
            for a, b, r in ((INF, INF, NAN), (0, 0, NAN), (0x3f800000, 0, INF),
                            (0xbf800000, 0, 0xff800000),
                            (0x3f800000, INF, 0), (0xbf800000, INF, 0x80000000),
                            (INF, 0x40000000, INF),
                            (NAN, 0x3f800000, NAN), (0, 0x80000000, NAN),
                            (0x40000000, 0xc0000000, 0xbf800000)):
                out.append(f"{name} {a:x} {b:x} = {r:x}")
    for ftz in ("", ".ftz"):  # beyond 2^126: zero, or NaN for an infinite dividend
        for a, b, r in ((0x7f000000, 0x7f000000, 0), (0xff000000, 0x7e800001, 0x80000000),
                        (INF, 0x7f000000, NAN),
                        (0x7f000000, 0xfe800001, 0x80000000), (0x7e800000, 0x7e800000, 0x3f800000)):
            out.append(f"div.approx{ftz}.f32 {a:x} {b:x} = {r:x}")


def make_double(out, pick, n):
    upper = 0xffffffff00000000
    for _ in range(n):
        bits = pick.random.randrange(1 << 61, 3 << 61) | pick.random.choice((0, F64.sign))
        a = decimal(x.signed(x.decode(F64, bits & upper)))
        near_line(out, "rcp.approx.ftz.f64", [bits], 1 / a, abs(1 / a) * Decimal(2) ** -20)
        bits &= ~F64.sign
        v = 1 / abs(a).sqrt()
        near_line(out, "rsqrt.approx.ftz.f64", [bits], v, v * Decimal(2) ** -20)
        v = 1 / decimal(x.signed(x.decode(F64, bits))).sqrt()
        near_line(out, "rsqrt.approx.f64", [bits], v, v * Decimal(2) ** -51)
    top = F64.inf
    for a, r in ((top, 0), (top | F64.sign, F64.sign), (0, top), (F64.sign, top | F64.sign),
                 (0x7ff8000000000000, UPPER_NAN),
                 (0x000fffffffffffff, top), (0x4000000012345678, 0x3fe0000000000000)):
        out.append(f"rcp.approx.ftz.f64 {a:x} = {r:x}")
    for flags in ("approx", "approx.ftz"):
        for a, r in ((top, 0), (0, top), (F64.sign, top | F64.sign), (0xbff0000000000000, F64.nan),
                     (0x4010000000000000, 0x3fe0000000000000)):
            r = UPPER_NAN if "ftz" in flags and r == F64.nan else r
            out.append(f"rsqrt.{flags}.f64 {a:x} = {r:x}")


def value16(f, pick, low, high):
    bits = pick.random.randrange(low + f.bias, high + f.bias) * f.least_normal
    return bits + pick.random.randrange(f.least_normal) | pick.random.choice((0, f.sign))


def make_half(out, pick, n):
    """Absolute bounds for tanh, relative ones for ex2; pairs by their special values."""
    plan = (("ex2", F16, "", -8, 3, "-9.9", True), ("ex2", BF16, "ftz", -8, 6, "-7", True),
            ("tanh", F16, "", -8, 3, "-10.987", False), ("tanh", BF16, "", -8, 3, "-8", False))
    for op, f, ftz, low, high, bound, is_relative in plan:
        name = ".".join(w for w in (op, "approx", ftz, f.name) if w)
        for _ in range(n):
            a = value16(f, pick, low, high)
            v = FUNCTIONS[op][0](decimal(x.signed(x.decode(f, a))))
            if abs(v) < Decimal(2) ** f.low:
                continue
            error = Decimal(2) ** Decimal(bound) * (abs(v) if is_relative else 1)
            near_line(out, name, [a], v, error)
        table = {"ex2": ((0, f.one), (f.inf, f.inf), (f.inf | f.sign, 0), (f.nan, f.nan)),
                 "tanh": ((0, 0), (f.sign, f.sign), (f.inf, f.one),
                          (f.inf | f.sign, f.one | f.sign),
                          (f.nan, f.nan))}[op]
        for a, r in table:
            out.append(f"{name} {a:x} = {r:x}")
            b, q = table[0]
            out.append(f"{name}x2 {a << 16 | b:x} = {r << 16 | q:x}")


def make(n, seed):
    out = []
    pick = Pick(seed)
    make_special(out)
    for part in (make_functions, make_subnormals, make_division, make_double, make_half):
        part(out, pick, n)
    return out
