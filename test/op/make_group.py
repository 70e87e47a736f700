"""Cases of wgmma for group.case: products of 64 rows by four warps.

Matrices are placed in shared memory from the manual's pictures of the layouts: lines of 16, 32, 64
or 128 bytes, whose pieces of 16 bytes are exchanged by the number of the line.
"""
import random
import make_form_cases as forms
import make_matrix as mm
import make_sparse
from case import Case, LANES

MODES = {16: 0, 128: 1, 64: 2, 32: 3}  # bytes of a line: bits 62 and 63 of the descriptor
THREADS = 128


class Stored:
    """A matrix of `lines` (rows of A, columns of B) of k elements in shared memory. turned: lines
    of memory run along the rows or columns, not along k. ahead: pieces in front of the matrix in
    a line."""
    def __init__(self, rng, rows, t, line_bytes, turned, base, ahead=0):
        self.bits, self.line, self.turned, self.base = mm.BITS[t], line_bytes, turned, base
        self.each = 128 // self.bits  # elements of a piece
        self.ahead = 16 * ahead
        n, k = len(rows), len(rows[0])
        blocks, deep = -(-n // 8), -(-k // self.each)
        if turned:
            wide = self.line // 16 * self.each  # elements of a line
            self.deep = 8 * self.line
            self.across = -(-k // 8) * self.deep + (16 if line_bytes < 128 else 0)
            if line_bytes > 16:  # the pattern begins anew
                self.across += -self.across % 1024
            size = self.across * -(-n // wide)
        else:
            self.across = 8 * self.line * (deep if line_bytes == 16 else 1)
            self.deep = 128
            size = self.across * blocks
        self.bytes = bytearray(rng.randrange(256) for _ in range(size))
        for i, row in enumerate(rows):
            for j, v in enumerate(row):
                self.put(i, j, v)

    def put(self, i, j, v):
        if self.turned:
            wide = self.line // 16 * self.each
            at = i // wide * self.across + j // 8 * self.deep
            line, inner = j % 8, i % wide * self.bits // 8
        else:
            at, line = i // 8 * self.across, i % 8
            inner = self.ahead + j * self.bits // 8
            if self.line == 16:
                at, inner = at + inner // 16 * self.deep, inner % 16
        row = at // self.line + line  # lines from the start of the pattern
        piece = inner // 16 ^ (row * self.line // 128) % (self.line // 16)
        place = row * self.line + piece * 16 + inner % 16
        if self.bits == 1:
            bit = j % 8
            self.bytes[place] = self.bytes[place] & ~(1 << bit) | v << bit
        else:
            self.bytes[place:place + self.bits // 8] = v.to_bytes(self.bits // 8, "little")

    def descriptor(self):
        if self.turned and self.line > 16:
            lead, stride = self.across, self.deep
        else:
            lead, stride = self.deep, self.across
        return ((self.base + self.ahead) >> 4 | lead >> 4 << 16 | stride >> 4 << 32
                | MODES[self.line] << 62)


def product(types, k, row, col, c):
    d, ta, tb = types
    if d == "s32":
        return mm.product(ta, k, [mm.value(ta, v) for v in row], [mm.value(tb, v) for v in col],
                          mm.value("s32", c), d, "sat", "and")
    if ta[0] == "e":
        return forms.eights_dot((d, ta, tb, d), row, col, c)
    return mm.product(ta, k, [mm.value(ta, v) for v in row], [mm.value(tb, v) for v in col],
                      mm.value(d, c), d, "", "")


def fragment(t, n, place, rows):
    """Words of registers of four warps, register by register, thread by thread."""
    each = 32 // mm.BITS[t]
    return [sum(rows[place(lane, r * each + e)[0] + 16 * warp][place(lane, r * each + e)[1]]
                << e * mm.BITS[t] for e in range(each))
            for r in range(n) for warp in range(4) for lane in LANES]


def names(letter, n):
    return "{" + ", ".join(f"%{letter}{k}" for k in range(n)) + "}"


def group_case(out, rng, types, k, n, a_line, b_line, a_turned=False, b_turned=False, adds=True,
               signs=(1, 1), ahead=0, saturate=False, selector=None):
    """a_line: bytes of a line of A in memory, 0: A is in registers. selector: A is sparse."""
    d, ta, tb = types
    sparse = selector is not None
    stored = k // 2 if sparse else k
    a, b = mm.matrix(rng, 64, stored, ta, 0), mm.matrix(rng, n, k, tb, 0)
    if ta[0] == "e":
        a, b = ([[v & 0xbf for v in row] for row in m] for m in (a, b))
    c = mm.matrix(rng, 64, n, d, 0)
    zero = [[0] * n for _ in range(64)]
    negated = signs[0] != signs[1]
    flip = 1 << mm.BITS[tb] - 1 if negated else 0
    rows = [make_sparse.codes_of(rng, ta, k, True) if sparse else ([], range(k))
            for _ in range(64)]
    want = [[product(types, stored, a[i], [b[j][p] ^ flip for p in rows[i][1]],
                     (c if adds else zero)[i][j]) for j in range(n)] for i in range(64)]
    stored_b = Stored(rng, b, tb, b_line, b_turned, 0, ahead)
    shared = bytes(stored_b.bytes) + bytes(-len(stored_b.bytes) % 1024)
    stored_a = Stored(rng, a, ta, a_line, a_turned, len(shared)) if a_line else None
    if stored_a:
        shared += bytes(stored_a.bytes)
    shared += bytes(-len(shared) % (4 * THREADS))
    words = [int.from_bytes(shared[at:at + 4], "little") for at in range(0, len(shared), 4)]
    na, nd = 0 if a_line else 4, n * mm.BITS[d] // 64
    place_d = lambda lane, e: (mm.c_place(16, lane, e % 4)[0],
                               e // 4 * 8 + mm.c_place(16, lane, e % 4)[1])
    in_a = fragment(ta, na, lambda lane, e: mm.a_place(16, stored, mm.BITS[ta], lane, e), a)
    in_d = fragment(d, nd, place_d, c)
    in_e = [w for warp in range(4 if sparse else 0) for w in make_sparse.metadata(
        rng, ta, [codes for codes, _ in rows[16 * warp:16 * warp + 16]], selector)]
    kind = "s" if a_line else "r"
    form = "wgmma_sp" if sparse else "wgmma"
    name = (f"{form}_{n}_{k}_{'_'.join(types)}_{kind}{a_line}{'t' * a_turned}_"
            f"{b_line}{'t' * b_turned}")
    case = Case(out, name + ("" if adds else "_first") + ("_negated" if negated else ""), THREADS,
                f".shared .align 1024 .b8 s[{len(shared)}];")
    case.code(f".reg .b32 %a<5>, %c<{nd + 1}>; .reg .b64 %m<3>;",
              "mad.wide.u32 %d31, %r0, 4, %d2; mov.u32 %r2, s; mad.lo.u32 %r2, %r0, 4, %r2;")
    for at in range(0, len(shared), 4 * THREADS):
        case.code(f"ld.global.b32 %r3, [%d31+{at}]; st.shared.b32 [%r2+{at}], %r3;")
    for letter, first, count in (("a", len(words), na), ("c", len(words) + 128 * na, nd),
                                 ("r1", len(words) + 128 * (na + nd), int(sparse))):
        for r in range(count):
            case.code(f"ld.global.b32 %{letter}{r}, [%d31+{4 * first + 512 * r}];")
    shape = f"m64n{n}k{k}{'.satfinite' if saturate else ''}"
    tail = ".and.popc" if ta == "b1" else ""
    rest = [names("c", nd), "%m1" if a_line else names("a", 4), "%m2"]
    rest += (["%r10", str(selector)] if sparse else []) + ["%p1"]
    if d != "s32":
        rest += [str(s) for s in signs]
    if mm.BITS[ta] == 16 and d != "s32":
        rest += [str(int(a_turned))] * bool(a_line) + [str(int(b_turned))]
    case.code("fence.proxy.async; bar.sync 0;", f"setp.{'eq' if adds else 'ne'}.u32 %p1, %r0, %r0;",
              f"mov.b64 %m1, {stored_a.descriptor() if stored_a else 0};",
              f"mov.b64 %m2, {stored_b.descriptor()};", "wgmma.fence.sync.aligned;",
              f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.{shape}."
              f"{'.'.join(types)}{tail} {', '.join(rest)};",
              "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
    for r in range(nd):
        case.code(f"st.global.b32 [%d1+{512 * r}], %c{r};")
    case.data(words + in_a + in_d + in_e).expect(0, fragment(d, nd, place_d, want)).end()


def make():
    mm.BITS.update({"e4m3": 8, "e5m2": 8})
    rng = random.Random(29)
    out = ["# made by make_cases.py"]
    f16, h16, bf16 = ("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16")
    group_case(out, rng, f16, 16, 8, 16, 16)
    group_case(out, rng, f16, 16, 16, 0, 128, ahead=2)
    group_case(out, rng, h16, 16, 16, 64, 64)
    group_case(out, rng, h16, 16, 8, 0, 16, b_turned=True)
    group_case(out, rng, h16, 16, 16, 0, 64, adds=False)
    group_case(out, rng, bf16, 16, 16, 128, 32, a_turned=True, b_turned=True)
    group_case(out, rng, bf16, 16, 8, 64, 128, a_turned=True, b_turned=True, adds=False)
    group_case(out, rng, bf16, 16, 8, 16, 64, a_turned=True, signs=(-1, 1))
    group_case(out, rng, bf16, 16, 8, 32, 128, ahead=6, signs=(-1, -1))
    group_case(out, rng, ("f32", "tf32", "tf32"), 8, 8, 32, 32)
    group_case(out, rng, ("f32", "tf32", "tf32"), 8, 8, 0, 16, signs=(1, -1))
    for d in ("f16", "f32"):
        for k, (ta, tb) in enumerate((p, q) for p in ("e4m3", "e5m2") for q in ("e4m3", "e5m2")):
            group_case(out, rng, (d, ta, tb), 32, 8, 0 if k % 2 else 32, 32 if k < 2 else 16,
                       signs=(1, -1 if k == 3 else 1))
    for k, (ta, tb) in enumerate((p, q) for p in ("s8", "u8") for q in ("s8", "u8")):
        group_case(out, rng, ("s32", ta, tb), 32, 8, 16 if k % 2 else 0, 32 if k < 2 else 16,
                   saturate=True)
    group_case(out, rng, ("s32", "b1", "b1"), 256, 8, 32, 16)
    return out
