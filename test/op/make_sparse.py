"""Cases of mma.sp and wgmma.mma_async.sp for sparse.case: products with a sparse matrix A.

A is drawn in its stored form with codes of the places, four bits for each chunk of a row of the
whole matrix; lanes get codes as in the manual's pictures of metadata.
"""
import random
import make_form_cases as forms
import make_group as group
import make_matrix as mm
from case import Case, LANES

CHUNK = {32: 2, 16: 4, 8: 4, 4: 8}  # elements of the whole matrix, by bits of an element
SHAPES = [*[(k, (d, "f16", "f16", d)) for k in (16, 32) for d in ("f16", "f32")],
          *[(k, ("f32", "bf16", "bf16", "f32")) for k in (16, 32)],
          *[(k, ("f32", "tf32", "tf32", "f32")) for k in (8, 16)],
          *[(64, (d, a, b, d)) for d in ("f16", "f32") for a in ("e4m3", "e5m2")
            for b in ("e4m3", "e5m2")],
          *[(k, ("s32", p + w, q + w, "s32")) for w, ks in (("8", (32, 64)), ("4", (64, 128)))
            for k in ks for p in "su" for q in "su"]]


def codes_of(rng, t, k, ordered):
    """Returns a row's codes, and the places of its stored elements."""
    bits, codes, places = mm.BITS[t], [], []
    for c in range(k // CHUNK[bits]):
        first = c * CHUNK[bits]
        if bits == 32:
            at = rng.randrange(2)
            codes.append((0b0100, 0b1110)[at])
            places.append(first + at)
            continue
        pair = rng.sample(range(4), 2)
        if ordered:
            pair.sort()
        codes.append(pair[0] | pair[1] << 2)
        if bits == 4:
            places += [first + 2 * p + e for p in pair for e in range(2)]
        else:
            places += [first + p for p in pair]
    return codes, places


def metadata(rng, t, codes, selector):
    """Words of the 32 lanes for the codes of 16 rows. Lanes without metadata have any bits."""
    words = [rng.getrandbits(32) for _ in LANES]
    n = len(codes[0])
    for g in range(8):
        for lane in range(n // 4):  # of the lanes of four that have metadata
            if mm.BITS[t] >= 16:
                all_codes = [codes[row][4 * lane + c] for row in (g, g + 8) for c in range(4)]
            else:
                row, first = g + lane % 2 * 8, lane // 2 * 8
                all_codes = codes[row][first:first + 8]
            words[4 * g + selector * (n // 4) + lane] = sum(
                code << 4 * c for c, code in enumerate(all_codes))
    return words


def element_words(t, n, rows, is_a):
    """Words of a fragment, register by register: of A by rows, of B by columns."""
    each = 32 // mm.BITS[t]
    out = []
    for r in range(n):
        for lane in LANES:
            line = lane // 4 + (8 * (r % 2) if is_a else 0)
            first = ((r // 2 if is_a else r) * 4 + lane % 4) * each
            out.append(sum(rows[line][first + e] << e * mm.BITS[t] for e in range(each)))
    return out


def dot(types, k, row, col, c, saturate):
    d, ta, tb, _ = types
    if ta[0] == "e":
        return forms.eights_dot(types, row, col, c)
    return mm.product(ta, k, [mm.value(ta, v) for v in row], [mm.value(tb, v) for v in col],
                      mm.value(d, c), d, saturate, "")


def draw(rng, rows, cols, t, style):
    m = mm.matrix(rng, rows, cols, t, style)
    return [[v & 0xbf for v in row] for row in m] if t[0] == "e" else m


def sparse_case(out, rng, k, types, ordered, selector, style, saturate=""):
    d, ta, tb, _ = types
    a, b = draw(rng, 16, k // 2, ta, style), draw(rng, 8, k, tb, style)  # b by columns
    c = mm.matrix(rng, 16, 8, d, style)
    rows = [codes_of(rng, ta, k, ordered) for _ in range(16)]
    want = [[dot(types, k // 2, a[i], [b[j][p] for p in rows[i][1]], c[i][j], saturate)
             for j in range(8)] for i in range(16)]
    na, nb = 16 * k // 2 * mm.BITS[ta] // 1024, 8 * k * mm.BITS[tb] // 1024
    nd = mm.registers(d, 16, 8)
    frags = [mm.Fragment(t, n, first) for t, n, first in
             ((d, nd, 4), (ta, na, 8), (tb, nb, 12), (d, nd, 16), ("s32", 1, 20))]
    place = lambda m: lambda lane, i: m[mm.c_place(16, lane, i)[0]][mm.c_place(16, lane, i)[1]]
    data = [element_words(ta, na, a, True), element_words(tb, nb, b, False),
            mm.words_of(d, nd, place(c)),
            metadata(rng, ta, [codes for codes, _ in rows], selector)]
    name = f"mma_sp_{k}_{'_'.join(types)}_{selector}{style}{'o' if ordered else ''}{saturate}"
    case, at = Case(out, name), 0
    for f, w in zip(frags[1:], data):
        case.code(*f.load(at))
        at += len(w)
    op = "mma.sp" + ("::ordered_metadata" if ordered else "")
    case.code(f"{op}.sync.aligned.m16n8k{k}.row.col{'.satfinite' if saturate else ''}."
              f"{'.'.join(types)} {', '.join(str(f) for f in frags[:4])}, %r20, {selector};",
              *frags[0].store())
    case.data(sum(data, [])).expect(0, mm.words_of(d, nd, place(want))).end()


def make():
    mm.BITS.update({"e4m3": 8, "e5m2": 8})
    rng = random.Random(45)
    out = ["# made by make_cases.py"]
    for k, types in SHAPES:
        lanes = k // CHUNK[mm.BITS[types[1]]] // 4
        for ordered, selector in ((True, 0), (False, 4 // lanes - 1)):
            sparse_case(out, rng, k, types, ordered, selector, 0)
        if types[0] == "s32":
            sparse_case(out, rng, k, types, True, 0, 0, "sat")
        elif types[1][0] != "e":
            sparse_case(out, rng, k, types, False, 0, 2)
    f16, h16, bf16 = ("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16")
    group.group_case(out, rng, f16, 32, 8, 0, 128, selector=1)
    group.group_case(out, rng, f16, 32, 8, 16, 16, selector=0)
    group.group_case(out, rng, h16, 32, 8, 32, 64, selector=0, signs=(1, -1))
    group.group_case(out, rng, bf16, 32, 8, 128, 32, a_turned=True, b_turned=True, selector=1)
    group.group_case(out, rng, bf16, 32, 8, 0, 16, b_turned=True, adds=False, selector=0)
    group.group_case(out, rng, ("f32", "tf32", "tf32"), 16, 8, 32, 64, selector=1)
    group.group_case(out, rng, ("f32", "tf32", "tf32"), 16, 8, 0, 64, selector=0, signs=(-1, 1))
    for n, types in enumerate((d, a, b) for d in ("f16", "f32") for a in ("e4m3", "e5m2")
                              for b in ("e4m3", "e5m2")):
        group.group_case(out, rng, types, 64, 8, 0 if n % 2 else 32, 64, selector=0)
    for n, types in enumerate(("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8")):
        group.group_case(out, rng, types, 64, 8, 0 if n % 2 else 16, 64, saturate=True,
                         selector=0)
    return out
