"""Vectors of rounded arithmetic, min and max, signs and comparisons of floats, and of integer
comparisons, in exact rational arithmetic."""
import exact as x
from exact import BF16, F16, F32, F64, NAN
from pick import Pick, to_signed

MODES = ("rn", "rz", "rm", "rp")


def compute(op, f, operands, mode):
    """Returns the bits of a single operation on bit patterns, rounded once."""
    v = [x.decode(f, b) for b in operands]
    if op == "sqrt":
        return x.nan_of(f, op, operands) if v[0] == NAN else x.sqrt_bits(f, v[0], mode)
    one = (1, x.Fraction(1))
    value = {"add": lambda: x.add(v[0], v[1], mode),
             "sub": lambda: x.add(v[0], x.negate(v[1]), mode),
             "mul": lambda: x.mul(v[0], v[1]), "fma": lambda: x.fma(v[0], v[1], v[2], mode),
             "mad": lambda: x.fma(v[0], v[1], v[2], mode), "div": lambda: x.div(v[0], v[1]),
             "rcp": lambda: x.div(one, v[0])}[op]()
    return x.nan_of(f, op, operands) if value == NAN else x.encode_value(f, value, mode)


def run(op, f, operands, mode, flags):
    if "ftz" in flags:
        operands = [x.flush(f, b) for b in operands]
    r = compute(op, f, operands, mode)
    if "ftz" in flags:
        r = x.flush(f, r)
    return x.saturate(f, r) if "sat" in flags else r


COUNT = {"add": 2, "sub": 2, "mul": 2, "fma": 3, "mad": 3, "div": 2, "rcp": 1, "sqrt": 1}


def operands_for(op, f, pick):
    """Random operands; results are often subnormal, overflow, cancel or are ties."""
    r = pick.random
    a = [pick.float_bits(f) for _ in range(COUNT[op])]
    way = r.randrange(6)
    if way == 0 and op in ("add", "sub"):
        a[1] = (a[0] ^ (f.sign if op == "add" else 0)) + r.choice((0, 0, 1, -1, 2))
        a[1] &= 2 * f.sign - 1
    elif way == 1 and op in ("add", "sub"):       # a tie: half a last place of a
        exponent = r.randrange(f.precision + 1, 2 * f.bias)
        a[0] = exponent * f.least_normal + r.randrange(f.least_normal)
        a[1] = (exponent - f.precision) * f.least_normal | r.choice((0, f.sign)) | r.choice((0, 0,
                                                                                             1))
    elif way in (1, 2) and op in ("mul", "fma", "mad"):  # near the smallest and largest numbers
        target = r.choice((f.low - f.precision, f.low, f.low - 1, f.bias, f.bias + 1))
        e = r.randrange(max(f.low, target - f.bias), min(f.bias, target - f.low) + 1)
        for k, exponent in ((0, e), (1, target - e)):
            exponent = max(f.low, min(f.bias, exponent))
            a[k] = (exponent + f.bias) * f.least_normal + r.randrange(f.least_normal)
            a[k] |= r.choice((0, f.sign))
    elif way == 3 and op in ("fma", "mad"):       # c cancels the rounded product
        p = compute("mul", f, a[:2], "rn")
        a[2] = p ^ f.sign if p & (f.sign - 1) <= f.inf else a[2]
    return a


def emit(out, name, operands, result):
    out.append(f"{name} {' '.join(f'{b:x}' for b in operands)} = {result:x}")


def make_rounded(out, pick, n):
    sat = (("",), ("ftz",), ("sat",), ("ftz", "sat"))
    plan = [(op, F32, MODES, sat) for op in ("add", "sub", "mul", "fma", "mad")]
    plan += [(op, F32, MODES, sat[:2]) for op in ("div", "rcp", "sqrt")]
    plan += [(op, F64, MODES, sat[:1]) for op in COUNT]
    for op, f, modes, flag_sets in plan:
        for mode in modes:
            for flags in flag_sets:
                name = ".".join([op, mode] + [g for g in flags if g] + [f.name])
                for _ in range(2 * n):
                    a = operands_for(op, f, pick)
                    emit(out, name, a, run(op, f, a, mode, flags))
    for op in ("add", "sub", "mul"):  # no rounding given: to nearest
        for f in (F32, F64):
            for _ in range(n):
                a = operands_for(op, f, pick)
                emit(out, f"{op}.{f.name}", a, run(op, f, a, "rn", ()))


def make_half(out, pick, n):
    for op in ("add", "sub", "mul", "fma"):
        for f in (F16, BF16):
            sets = (("",), ("ftz",), ("sat",), ("ftz", "sat")) if f is F16 else (("",),)
            for flags in sets:
                words = [op] + (["rn"] if op == "fma" or n & 1 else []) + [g for g in flags if g]
                for _ in range(2 * n):
                    a, b = operands_for(op, f, pick), operands_for(op, f, pick)
                    ra, rb = run(op, f, a, "rn", flags), run(op, f, b, "rn", flags)
                    emit(out, ".".join(words + [f.name]), a, ra)
                    emit(out, ".".join(words + [f.name + "x2"]),
                         [lo | hi << 16 for lo, hi in zip(a, b)], ra | rb << 16)


def extreme(f, a, b, largest, flags):
    """minNum, maxNum of the manual: -0 < +0; a NaN operand gives the other operand, or NaN with
    .NaN."""
    if "ftz" in flags:
        a, b = x.flush(f, a), x.flush(f, b)
    va, vb = x.decode(f, a), x.decode(f, b)
    if NAN in (va, vb):
        if va == vb or "NaN" in flags:
            return x.nan_of(f, "max" if largest else "min", (a, b))
        return a if vb == NAN else b
    rank = lambda v, bits: (float("inf") * v[0] if v[1] == x.INF else x.signed(v), bits < f.sign)
    return (max if largest else min)(((rank(va, a), a), (rank(vb, b), b)))[1]


def make_signs(out, pick, n):
    for f in (F32, F64, F16, BF16):
        sets = [()] if f in (F64, BF16) else [(), ("ftz",)]
        nans = [()] if f is F64 else [(), ("NaN",)]
        for flags in sets:
            read = lambda b: x.flush(f, b) if "ftz" in flags else b
            # NaN as an H100 has them: f64 keeps payload and sign
            number = lambda b, r: r if x.decode(f, b) != NAN else \
                x.quiet(f, b) if f is F64 else f.nan
            for op, g in (("abs", lambda b: number(b, read(b) & (f.sign - 1))),
                          ("neg", lambda b: number(b, read(b) ^ f.sign))):
                for _ in range(2 * n):
                    a, b = pick.float_bits(f), pick.float_bits(f)
                    emit(out, ".".join([op, *flags, f.name]), [a], g(a))
                    if f.bits == 16:
                        emit(out, ".".join([op, *flags, f.name + "x2"]), [a | b << 16],
                             g(a) | g(b) << 16)
            for nan in nans:
                for op in ("min", "max"):
                    g = lambda a, b: extreme(f, a, b, op == "max", flags + nan)
                    for _ in range(3 * n):
                        a = [pick.float_bits(f) for _ in range(4)]
                        if pick.random.randrange(4) == 0:
                            a[1] = a[0] ^ f.sign
                        emit(out, ".".join([op, *flags, *nan, f.name]), a[:2], g(a[0], a[1]))
                        if f.bits == 16:
                            emit(out, ".".join([op, *flags, *nan, f.name + "x2"]),
                                 [a[0] | a[2] << 16, a[1] | a[3] << 16],
                                 g(a[0], a[1]) | g(a[2], a[3]) << 16)


def make_nans(out):
    """NaN beside NaN, infinities and numbers; payloads tell the operand of the result."""
    for f in (F32, F64, F16, BF16):
        nans = [[f.inf | q | own for q in (f.least_normal >> 1, f.sign | f.least_normal >> 1, 0)]
                for own in (0x15, 0x2a, 0x33)]
        rest = [f.inf, f.sign | f.inf, 0, f.one]
        rn = ".rn" if f in (F32, F64) else ""
        for a in nans[0] + rest:
            quiet = x.nan_of(f, "rcp", [a])
            for op, number in (("abs", a & (f.sign - 1)), ("neg", a ^ f.sign)):
                emit(out, f"{op}.{f.name}", [a], quiet if x.decode(f, a) == NAN else number)
            for b in nans[1] + rest:
                for op in ("add", "sub", "mul") + (("div",) if rn else ()):
                    emit(out, f"{op}{rn}.{f.name}", [a, b], run(op, f, [a, b], "rn", ()))
                for op in ("min", "max"):
                    emit(out, f"{op}.{f.name}", [a, b], extreme(f, a, b, op == "max", ()))
                for c in nans[2] + rest:
                    emit(out, f"fma.rn.{f.name}", [a, b, c], run("fma", f, [a, b, c], "rn", ()))


def ordering(f, a, b):
    """'<' '=' '>' or 'u' (unordered)."""
    va, vb = x.decode(f, a), x.decode(f, b)
    if NAN in (va, vb):
        return "u"
    key = [float("inf") * v[0] if v[1] == x.INF else x.signed(v) for v in (va, vb)]
    return "<" if key[0] < key[1] else ">" if key[0] > key[1] else "="


HOLDS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=",
         "hi": ">", "hs": ">=", "equ": "=u", "neu": "<>u", "ltu": "<u", "leu": "<=u", "gtu": ">u",
         "geu": ">=u", "num": "<=>", "nan": "u"}
SIGNED = ("eq", "ne", "lt", "le", "gt", "ge")
UNSIGNED = SIGNED + ("lo", "ls", "hi", "hs")
FLOAT = SIGNED + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
JOIN = {"": lambda t, c: t, "and": lambda t, c: t & c, "or": lambda t, c: t | c,
        "xor": lambda t, c: t ^ c}


def compared_types():
    for w in (16, 32, 64):
        for kind, compares in (("b", ("eq", "ne")), ("u", UNSIGNED), ("s", SIGNED)):
            sign = kind == "s"
            number = (lambda b, w=w: to_signed(b, w)) if sign else lambda b: b
            order = lambda a, b, g=number: "<" if g(a) < g(b) else ">" if g(a) > g(b) else "="
            yield f"{kind}{w}", w, compares, order, None, ()
    for f in (F32, F64, F16, BF16):
        yield f.name, f.bits, FLOAT, lambda a, b, f=f: ordering(f, a, b), f, ()
    for f in (F32, F16):
        order = lambda a, b, f=f: ordering(f, x.flush(f, a), x.flush(f, b))
        yield f.name, f.bits, FLOAT, order, f, ("ftz",)


def two_operands(pick, w, f):
    a = pick.float_bits(f) if f else pick.bits(w, 0)
    if pick.random.randrange(3) == 0:
        b = a ^ (pick.random.choice((0, f.sign)) if f else 0)
    else:
        b = pick.float_bits(f) if f else pick.bits(w, 0)
    return a, b


# a true comparison's result in each type
SET_TRUE = {"u32": 0xffffffff, "s32": 0xffffffff, "f32": 0x3f800000, "f16": 0x3c00, "bf16": 0x3f80,
            "u16": 0xffff, "s16": 0xffff}


def make_comparisons(out, pick, n):
    for t, w, compares, order, f, flags in compared_types():
        for compare in compares:
            for bool_op, join in JOIN.items():
                words = [compare] + ([bool_op] if bool_op else []) + list(flags)
                for k in range(max(2, n // 3)):
                    a, b = two_operands(pick, w, f)
                    t_bit = int(order(a, b) in HOLDS[compare])
                    c, negated = pick.random.randrange(2), pick.random.randrange(2)
                    c_text = f" {'!' if negated else ''}p{c}" if bool_op else ""
                    p, q = join(t_bit, c ^ negated), join(1 - t_bit, c ^ negated)
                    out.append(f"setp.{'.'.join(words)}.{t} {a:x} {b:x}{c_text} = p{p} p{q}")
                    for d, yes in SET_TRUE.items():
                        if d[0] not in "us" and t == "bf16" and d != t:
                            continue
                        if d in ("u16", "s16") and t not in ("f16", "bf16"):
                            continue
                        out.append(f"set.{'.'.join(words)}.{d}.{t} {a:x} {b:x}{c_text} = "
                                   f"{yes if p else 0:x}")


def make_pairs(out, pick, n):
    for f in (F16, BF16):
        for flags in ([(), ("ftz",)] if f is F16 else [()]):
            read = lambda b: x.flush(f, b) if flags else b
            for compare in FLOAT:
                for _ in range(n):
                    a, b = two_operands(pick, 16, f)
                    c, d = two_operands(pick, 16, f)
                    low = int(ordering(f, read(a), read(b)) in HOLDS[compare])
                    high = int(ordering(f, read(c), read(d)) in HOLDS[compare])
                    out.append(f"setp.{'.'.join([compare, *flags])}.{f.name}x2 {a | c << 16:x} "
                               f"{b | d << 16:x} = p{low} p{high}")
                    for to, yes in ((f.name + "x2", f.one), ("u32", 0xffff), ("s32", 0xffff)):
                        out.append(f"set.{'.'.join([compare, *flags])}.{to}.{f.name}x2 "
                                   f"{a | c << 16:x} {b | d << 16:x} = "
                                   f"{yes * low | yes * high << 16:x}")


def make_properties(out, pick, n):
    for f in (F32, F64):
        for _ in range(6 * n):
            a = pick.float_bits(f)
            m = a & (f.sign - 1)
            holds = {"finite": m < f.inf, "infinite": m == f.inf, "number": m <= f.inf,
                     "notanumber": m > f.inf, "subnormal": 0 < m < f.least_normal,
                     "normal": m == 0 or f.least_normal <= m < f.inf}
            for kind, yes in holds.items():
                out.append(f"testp.{kind}.{f.name} {a:x} = p{int(yes)}")


def make(n, seed):
    out = []
    pick = Pick(seed)
    for part in (make_rounded, make_half, make_signs):
        part(out, pick, n)
    make_nans(out)
    return out


def make_compare(n, seed):
    out = []
    pick = Pick(seed)
    for part in (make_comparisons, make_pairs, make_properties):
        part(out, pick, n)
    return out
