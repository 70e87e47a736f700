"""Binary floating-point formats in exact rational arithmetic: the reference for test vectors.

A value is NAN, or (sign, Fraction or INF). Nothing here uses the host's floating point.
"""
from fractions import Fraction
from math import isqrt

NAN = "nan"
INF = "inf"


class Format:
    def __init__(self, name, bits, precision, nan):
        self.name, self.bits, self.precision, self.nan = name, bits, precision, nan
        self.exponent_bits = bits - precision
        self.bias = (1 << (self.exponent_bits - 1)) - 1
        self.low = 1 - self.bias
        self.inf = ((1 << self.exponent_bits) - 1) << (precision - 1)
        self.sign = 1 << (bits - 1)
        self.least_normal = 1 << (precision - 1)
        self.max = self.inf - 1
        self.one = self.bias << (precision - 1)


F16 = Format("f16", 16, 11, 0x7fff)
BF16 = Format("bf16", 16, 8, 0x7fff)
F32 = Format("f32", 32, 24, 0x7fffffff)
F64 = Format("f64", 64, 53, 0xfff8000000000000)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


def decode(f, bits):
    sign = -1 if bits & f.sign else 1
    magnitude = bits & (f.sign - 1)
    if magnitude > f.inf:
        return NAN
    if magnitude == f.inf:
        return (sign, INF)
    exponent, fraction = divmod(magnitude, f.least_normal)
    if exponent:
        fraction += f.least_normal
    else:
        exponent = 1
    return (sign, Fraction(fraction) * Fraction(2) ** (exponent - f.bias - f.precision + 1))


def floor_log2(x):
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def encode(f, sign, magnitude, mode):
    """Rounds sign * magnitude (a Fraction, not negative, or INF) once. mode: rn rz rm rp."""
    top = f.sign if sign < 0 else 0
    if magnitude == INF:
        return top | f.inf
    if magnitude == 0:
        return top
    exponent = max(floor_log2(magnitude), f.low)
    quantum = Fraction(2) ** (exponent - f.precision + 1)
    steps = magnitude / quantum
    whole = steps.numerator // steps.denominator
    rest = steps - whole
    away = {"rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1),
            "rz": False, "rm": sign < 0 and rest > 0, "rp": sign > 0 and rest > 0}[mode]
    whole += bool(away)
    bits = whole + (exponent - f.low) * f.least_normal
    if bits >= f.inf:
        to_inf = mode == "rn" or mode == ("rm" if sign < 0 else "rp")
        return top | (f.inf if to_inf else f.max)
    return top | bits


def encode_value(f, value, mode):
    return f.nan if value == NAN else encode(f, value[0], value[1], mode)


# order of the operands whose NaN is the result in f64, if several are NaN
NAN_ORDER = {"add": (1, 0), "sub": (1, 0), "mul": (1, 0), "div": (0, 1), "fma": (1, 2, 0),
             "mad": (1, 2, 0), "rcp": (0,), "sqrt": (0,), "min": (1,), "max": (1,)}


def quiet(f, bits):
    return bits | f.least_normal >> 1


def nan_of(f, op, operands):
    """The NaN that an operation returns: f64 keeps the payload of an operand, as an H100 does."""
    for k in NAN_ORDER[op] if f is F64 else ():
        if decode(f, operands[k]) == NAN:
            return quiet(f, operands[k])
    return f.nan


def converted_nan(d, s, bits):
    """NaN of a conversion: from and to f64 with the leading bits of the payload, as an H100."""
    if d is F32 and s is BF16:
        return bits << 16
    if F64 not in (d, s):
        return d.nan
    payload = bits & s.least_normal - 1 | s.least_normal >> 1
    shift = d.precision - s.precision
    payload = payload << shift if shift >= 0 else payload >> -shift
    return (d.sign if bits & s.sign else 0) | d.inf | payload


def flush(f, bits):
    return bits if bits & f.inf else bits & f.sign


def saturate(f, bits):
    """To [+0, 1]; NaN becomes +0."""
    if bits & f.sign or (bits & (f.sign - 1)) > f.inf:
        return 0
    return min(bits, f.one)


def signed(value):
    return value[0] * value[1]


def zero_of_sum(s, t, mode):
    """Returns the sign of an exactly zero sum of terms with the signs `s` and `t`."""
    if s == t:
        return s
    return -1 if mode == "rm" else 1


def add(a, b, mode):
    if NAN in (a, b):
        return NAN
    if a[1] == INF or b[1] == INF:
        if a[1] == INF and b[1] == INF and a[0] != b[0]:
            return NAN
        return a if a[1] == INF else b
    total = signed(a) + signed(b)
    if total == 0:
        return (zero_of_sum(a[0], b[0], mode), Fraction(0))
    return (1 if total > 0 else -1, abs(total))


def negate(a):
    return NAN if a == NAN else (-a[0], a[1])


def mul(a, b):
    if NAN in (a, b):
        return NAN
    sign = a[0] * b[0]
    if a[1] == INF or b[1] == INF:
        return NAN if a[1] == 0 or b[1] == 0 else (sign, INF)
    return (sign, a[1] * b[1])


def fma(a, b, c, mode):
    return add(mul(a, b), c, mode)


def div(a, b):
    if NAN in (a, b):
        return NAN
    sign = a[0] * b[0]
    if a[1] == INF:
        return NAN if b[1] == INF else (sign, INF)
    if b[1] == INF:
        return (sign, Fraction(0))
    if b[1] == 0:
        return NAN if a[1] == 0 else (sign, INF)
    return (sign, a[1] / b[1])


def sqrt_bits(f, a, mode):
    """Returns the root as bits: exact if rational, else from a root with 200 bits and a rest."""
    if a == NAN or (a[0] < 0 and a[1] != 0):
        return f.nan
    if a[1] == INF or a[1] == 0:
        return encode(f, a[0], a[1], mode)
    scale = 200 + 2 * max(0, a[1].denominator.bit_length())
    scaled = a[1] * Fraction(4) ** scale
    whole = scaled.numerator // scaled.denominator
    root = isqrt(whole)
    exact = root * root == whole and scaled.denominator == 1
    value = Fraction(root, 1) / Fraction(2) ** scale
    if not exact:
        value += Fraction(1, 2) / Fraction(2) ** scale
    return encode(f, 1, value, mode)


def to_integer(value, bits, is_signed, mode, nan):
    """cvt to an integer: rounds (rni rzi rmi rpi) and clamps."""
    if value == NAN:
        return nan
    low = -(1 << (bits - 1)) if is_signed else 0
    high = (1 << (bits - 1)) - 1 if is_signed else (1 << bits) - 1
    if value[1] == INF:
        return high if value[0] > 0 else low
    return max(low, min(high, integral(value, mode)))


def integral(value, mode):
    x = signed(value)
    down = x.numerator // x.denominator
    rest = x - down
    if mode == "rmi":
        return down
    if mode == "rpi":
        return down + (rest > 0)
    if mode == "rzi":
        return down + (rest > 0 and x < 0)
    up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and down & 1)
    return down + bool(up)
