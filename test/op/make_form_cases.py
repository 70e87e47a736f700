"""Cases of forms of sm_80 and later that need several lanes or memory, for forms.case."""
from case import Case, LANES
from exact import F32
from pick import Pick

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


def make():
    out = ["# made by make_cases.py"]
    make_redux(out)
    return out
