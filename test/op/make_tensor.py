"""Cases of copies of boxes of tensors (cp.async.bulk.tensor) for tensor.case.

The map lies at the start of the input, the tensor behind it; src/isa/tensor_map.h has the layout.
"""
import random
import exact as x
from case import Case
from exact import BF16, F16, F32, F64
from pick import to_signed

MAP_WORDS = 32
MODULE = ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 m;"
BEGIN = ["mov.u32 %r4, s; mov.u32 %r5, m; setp.eq.u32 %p1, %r0, 0;",
         "@%p1 mbarrier.init.shared.b64 [%r5], 1;"]
WAIT = "w: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0; @!%p2 bra w;"
LOAD = "cp.async.bulk.tensor.{}d.shared::{}.global.{}mbarrier::complete_tx::bytes{}"


class Box:
    """A box of a tensor of random bytes."""
    def __init__(self, rng, element, size, box, step=None, swizzle=0, nan=0, gap=0):
        self.element, self.size, self.swizzle, self.nan = element, size, swizzle, nan
        self.n, self.step = len(size), step or [1] * len(size)
        self.box_given = box
        self.box = [box[0]] + [-(-b // s) for b, s in zip(box[1:], self.step[1:])]
        self.stride = [element]
        for d in range(1, self.n):
            line = self.stride[-1] * size[d - 1] + (gap if d == 1 else 0)
            self.stride.append(line + -line % 16)
        self.room = self.stride[-1] * size[-1] + -(self.stride[-1] * size[-1]) % 4
        self.tensor = bytearray(rng.randrange(256) for _ in range(self.room))
        self.bytes = element
        for b in self.box:
            self.bytes *= b

    def map_words(self, kind=0):
        """The map without the address, as words of 32 bits; kind: CUtensorMapDataType."""
        words = [0x74 | self.n << 8 | (self.element.bit_length() - 1) << 16
                 | (self.swizzle.bit_length() - 1 if self.swizzle else 0) << 24 | self.nan << 32
                 | kind << 40, 0]
        words += self.size + [0] * (5 - self.n) + self.stride[1:] + [0] * (5 - self.n)
        boxes = sum(b << 16 * d for d, b in enumerate(self.box_given))
        words += [boxes & (1 << 64) - 1,
                  boxes >> 64 | sum(s << 16 + 8 * d for d, s in enumerate(self.step))]
        words += [0] * (16 - len(words))
        return [w >> s & 0xffffffff for w in words for s in (0, 32)]

    def elements(self, at):
        """Offset in shared memory and in the tensor of each element; None: out of bounds."""
        for k in range(self.bytes // self.element):
            left, place, inside = k, 0, True
            for d in range(self.n):
                j, left = left % self.box[d], left // self.box[d]
                x = at[d] + j * (self.step[d] if d else 1)
                inside &= 0 <= x < self.size[d]
                place += x * self.stride[d]
            shared = k * self.element
            if self.swizzle:
                row = shared // 128
                shared ^= row % (self.swizzle // 16) << 4
            yield shared, place if inside else None

    def outside(self):
        bits = {1: 0, 2: 0x7fff, 4: 0x7fffffff, 8: 0x7fffffffffffffff}[self.element] * self.nan
        return bits.to_bytes(self.element, "little")


def words(data):
    data = bytes(data) + bytes(-len(data) % 4)
    return [int.from_bytes(data[k:k + 4], "little") for k in range(0, len(data), 4)]


def setup(case, base, at):
    """Completes the map, of a tensor at the address in `base`; coordinates in %r8 on."""
    case.code("@%p1 st.global.u64 [%d2+8], " + base + "; fence.proxy.async; bar.sync 0;")
    for d, x in enumerate(at):
        case.code(f"mov.s32 %r{8 + d}, {x};")
    return "{" + ", ".join(f"%r{8 + d}" for d in range(len(at))) + "}"


def load_case(out, rng, name, box, at, space="cluster", tile="", hint=False):
    case = Case(out, "tensor_load_" + name, 32, MODULE).code(*BEGIN, "add.u64 %d4, %d2, 128;")
    coordinates = setup(case, "%d4", at)
    words_load = LOAD.format(box.n, space, tile, ".L2::cache_hint" if hint else "")
    case.code("@!%p1 bra w;", f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], {box.bytes};",
              f"{words_load} [%r4], [%d2, {coordinates}], [%r5]{', %d5' if hint else ''};", WAIT,
              "mad.lo.u32 %r4, %r0, 4, %r4;")
    for k in range(0, box.bytes, 128):
        case.code(f"ld.shared.u32 %r6, [%r4+{k}]; st.global.u32 [%d1+{k}], %r6;")
    shared = bytearray(box.bytes + -box.bytes % 1024 if box.swizzle else box.bytes)
    for to, place in box.elements(at):
        shared[to:to + box.element] = (box.outside() if place is None else
                                       box.tensor[place:place + box.element])
    case.data(box.map_words() + words(box.tensor))
    case.expect(0, words(shared)[:-(-box.bytes // 128) * 32]).end()


def store_case(out, rng, name, box, at):
    case = Case(out, "tensor_store_" + name, 32, MODULE).code(*BEGIN)
    given = bytes(rng.randrange(256) for _ in range(box.bytes + -box.bytes % 1024))
    case.code("mad.wide.u32 %d5, %r0, 4, %d2; mad.lo.u32 %r7, %r0, 4, %r4;")
    for k in range(0, len(given), 128):
        case.code(f"ld.global.u32 %r6, [%d5+{128 + k}]; st.shared.u32 [%r7+{k}], %r6;")
    coordinates = setup(case, "%d0", at)
    case.code("@!%p1 bra done;", f"cp.async.bulk.tensor.{box.n}d.global.shared::cta.bulk_group"
              f" [%d2, {coordinates}], [%r4];",
              "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; done:")
    tensor = bytearray(box.room)
    for to, place in box.elements(at):
        if place is not None:
            tensor[place:place + box.element] = given[to:to + box.element]
    case.data(box.map_words() + words(given)).expect(0, words(tensor)).end()


KINDS = {"u32": (2, 4), "s32": (3, 4), "u64": (4, 8), "s64": (5, 8), "f16": (6, 2), "f32": (7, 4),
         "f64": (8, 8), "bf16": (9, 2)}
FORMATS = {"f16": F16, "bf16": BF16, "f32": F32, "f64": F64}
INTEGERS = {"add": lambda a, b: a + b, "min": min, "max": max,
            "inc": lambda a, b: 0 if a >= b else a + 1,
            "dec": lambda a, b: b if a == 0 or a > b else a - 1,
            "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
REDUCTIONS = [("add", t) for t in KINDS] + [
    (op, t) for op in ("min", "max") for t in KINDS if t not in ("f32", "f64")] + [
    (op, t) for op in ("and", "or", "xor") for t in ("u32", "s32", "u64", "s64")] + [
    ("inc", "u32"), ("dec", "u32")]


def reduced(op, t, a, b):
    bits = 8 * KINDS[t][1]
    if t not in FORMATS:
        signed = t[0] == "s"
        return INTEGERS[op](*(to_signed(v, bits) if signed else v for v in (a, b))) % (1 << bits)
    f = FORMATS[t]
    if op == "add":
        return x.encode_value(f, x.add(x.decode(f, a), x.decode(f, b), "rn"), "rn")
    value = lambda v: x.decode(f, v)[0] * x.decode(f, v)[1]
    return INTEGERS[op](a, b, key=value)


def reducible(rng, t):
    """Bytes of a random number."""
    element = KINDS[t][1]
    if t not in FORMATS:
        return rng.choice([rng.randrange(4), rng.getrandbits(8 * element)]).to_bytes(
            element, "little")
    f = FORMATS[t]
    return (f.sign * rng.getrandbits(1) | (f.bias + rng.randrange(-2, 3)) * f.least_normal
            | rng.getrandbits(3)).to_bytes(element, "little")


def reduce_case(out, rng, op, t):
    """Two boxes, the second partly out of bounds, are combined with a tensor in the output."""
    kind, element = KINDS[t]
    box = Box(rng, element, [48 // element, 6], [32 // element, 4])

    place = lambda data, k: data[k * element:(k + 1) * element]
    before = b"".join(reducible(rng, t) for _ in range(box.room // element))
    given = b"".join(reducible(rng, t) for _ in range(128 // element))
    case = Case(out, f"tensor_reduce_{op}_{t}", 32, MODULE).code(
        *BEGIN, "mad.wide.u32 %d5, %r0, 4, %d2; mad.lo.u32 %r7, %r0, 4, %r4;",
        "ld.global.u32 %r6, [%d5+128]; st.shared.u32 [%r7], %r6;")
    for k in range(0, box.room, 128):
        case.code(f"setp.lt.u32 %p3, %r0, {(box.room - k) // 4}; @%p3 ld.global.u32 %r6, "
                  f"[%d5+{256 + k}]; @%p3 st.global.u32 [%d1+{k}], %r6;")
    coordinates = setup(case, "%d0", [0, 1])
    load = (f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{op}.tile.bulk_group"
            f" [%d2, {coordinates}], [%r4];")
    case.code("@!%p1 bra done;", load, f"mov.u32 %r8, {32 // element}; mov.u32 %r9, 4;", load,
              "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; done:")
    after = bytearray(before)
    for at in ([0, 1], [32 // element, 4]):
        for k, (_, to) in enumerate(box.elements(at)):
            if to is None:
                continue
            old, b = (int.from_bytes(v, "little") for v in (after[to:to + element],
                                                            place(given, k)))
            after[to:to + element] = reduced(op, t, old, b).to_bytes(element, "little")
    case.data(box.map_words(kind) + words(given) + words(before)).expect(0, words(after)).end()


def bulk_reduce_case(out, rng, op, t):
    """Lane 0 combines 272 bytes of shared memory with the output."""
    element, n = KINDS[t][1], 272
    as_bits = "b" + t[1:] if op in ("and", "or", "xor") else t
    data = [b"".join(reducible(rng, t) for _ in range(n // element)) for _ in range(2)]
    pairs = [[int.from_bytes(d[at:at + element], "little") for d in data[::-1]]
             for at in range(0, n, element)]
    after = b"".join(reduced(op, t, *pair).to_bytes(element, "little") for pair in pairs)
    dots = f".{op}.noftz.{t}" if op == "add" and element == 2 else f".{op}.{as_bits}"
    case = Case(out, f"bulk_reduce_{op}_{as_bits}", 32, MODULE).code(
        *BEGIN, "mad.wide.u32 %d5, %r0, 4, %d2; mad.lo.u32 %r7, %r0, 4, %r4;")
    for k in range(0, n, 128):
        case.code(f"setp.lt.u32 %p3, %r0, {(n - k) // 4}; @%p3 ld.global.u32 %r6, [%d5+{k}];"
                  f"@%p3 st.shared.u32 [%r7+{k}], %r6; @%p3 ld.global.u32 %r6, [%d5+{n + k}];"
                  f"@%p3 st.global.u32 [%d1+{k}], %r6;")
    case.code("fence.proxy.async; bar.sync 0; @!%p1 bra done;",
              f"cp.reduce.async.bulk.global.shared::cta.bulk_group{dots} [%d0], [%r4], {n};",
              "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; done:")
    case.data(words(data[0]) + words(data[1])).expect(0, words(after)).end()


def replace_case(out, rng, space):
    """A map of one dimension becomes that of a tensor of three, by stores to all fields."""
    box = Box(rng, 4, [24, 5, 6], [16, 4, 4], step=[1, 2, 3], swizzle=64, nan=1, gap=32)
    other = Box(rng, 2, [8], [8])
    at = [12, -1, 2]
    case = Case(out, "tensormap_replace_" + (space or "generic"), 32,
                MODULE.replace(".b8 s[4096];", ".b8 s[4096]; .shared .align 128 .b8 t[128];")).code(
        *BEGIN, "mov.u32 %r7, t; mad.wide.u32 %d5, %r0, 4, %d2; mad.lo.u32 %r6, %r0, 4, %r7;",
        "ld.global.u32 %r3, [%d5]; st.shared.u32 [%r6], %r3; bar.sync 0; @!%p1 bra copy;",
        "add.u64 %d4, %d2, 128; cvt.u64.u32 %d6, %r7;")
    if not space:
        case.code("cvta.shared.u64 %d6, %d6;")
    dot = {"shared": ".shared::cta", "": ""}[space]

    def replace(field, value, n=None, bits=32):
        order = "" if n is None else f"{n}, "
        case.code(f"tensormap.replace.tile.{field}{dot}.b1024.b{bits} [%d6], {order}{value};")
    replace("global_address", "%d4", bits=64)
    case.code("mov.u32 %r8, 2;")
    replace("rank", "%r8" if space else "2")
    for d in range(3):
        case.code(f"mov.u32 %r8, {box.size[d]}; mov.u32 %r9, {box.box_given[d]};")
        replace("global_dim", "%r8", d)
        replace("box_dim", "%r9", d)
        replace("element_stride", str(box.step[d]), d)
        if d:
            case.code(f"mov.u64 %d7, {box.stride[d]};")
            replace("global_stride", "%d7", d - 1, 64)
    for field, value in (("elemtype", 7), ("interleave_layout", 0), ("swizzle_mode", 2),
                         ("fill_mode", 1)):
        replace(field, str(value))
    case.code("copy: bar.warp.sync -1;",
              "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
              ".aligned [%d0+1024], [%r7], 128;",
              "add.u64 %d5, %d0, 1024;",
              "fence.proxy.tensormap::generic.acquire.gpu [%d5], 128;")
    coordinates = "{" + ", ".join(f"%r{8 + d}" for d in range(3)) + "}"
    for d, c in enumerate(at):
        case.code(f"mov.s32 %r{8 + d}, {c};")
    load = LOAD.format(3, "cluster", "", "")
    case.code("@!%p1 bra w;", f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], {box.bytes};",
              f"{load} [%r4], [%d5, {coordinates}], [%r5];", WAIT,
              "mad.lo.u32 %r4, %r0, 4, %r4;")
    for k in range(0, box.bytes, 128):
        case.code(f"ld.shared.u32 %r6, [%r4+{k}]; st.global.u32 [%d1+{k}], %r6;")
    shared = bytearray(box.bytes + -box.bytes % 1024)
    for to, place in box.elements(at):
        shared[to:to + 4] = box.outside() if place is None else box.tensor[place:place + 4]
    case.data(other.map_words(6) + words(box.tensor))
    case.expect(0, words(shared)[:-(-box.bytes // 128) * 32]).end()


def make():
    rng = random.Random(31)
    out = ["# made by make_cases.py"]
    boxes = {
        "1d": (Box(rng, 4, [100], [64]), [20]),
        "1d_beyond": (Box(rng, 2, [99], [64], nan=1), [70]),
        "1d_before": (Box(rng, 1, [64], [64]), [-21]),
        "2d_128": (Box(rng, 2, [64, 10], [64, 8], swizzle=128), [0, 1]),
        "2d_64": (Box(rng, 4, [24, 9], [16, 8], swizzle=64, nan=1), [8, 4]),
        "2d_32": (Box(rng, 1, [80, 20], [32, 24], swizzle=32), [48, -2]),
        "2d_odd": (Box(rng, 2, [13, 6], [16, 4], nan=1), [-3, 3]),
        "3d": (Box(rng, 8, [6, 5, 4], [4, 3, 2], gap=32), [1, 3, 1]),
        "3d_steps": (Box(rng, 2, [24, 9, 7], [8, 5, 4], step=[1, 2, 3]), [8, 1, 1]),
        "4d": (Box(rng, 4, [8, 3, 3, 3], [4, 2, 2, 3]), [4, 2, -1, 0]),
        "5d": (Box(rng, 2, [16, 3, 2, 3, 2], [8, 2, 2, 2, 2], swizzle=128), [8, 2, 0, 1, 1]),
        "outside": (Box(rng, 4, [32, 4], [32, 4]), [0, 4])}
    for k, (name, (box, at)) in enumerate(boxes.items()):
        load_case(out, rng, name, box, at, space="cta" if k % 2 else "cluster",
                  tile="tile." if k % 3 else "", hint=k % 4 == 3)
        store_case(out, rng, name, box, at)
    for op, t in REDUCTIONS:
        reduce_case(out, rng, op, t)
    for op, t in REDUCTIONS:
        if (op, t) != ("add", "s64") and (op not in ("and", "or", "xor") or t[0] == "u"):
            bulk_reduce_case(out, rng, op, t)
    for space in ("shared", ""):
        replace_case(out, rng, space)
    plain = Box(rng, 4, [64, 4], [32, 2])
    for name, lines, what in (
            ("none", "add.u64 %d2, %d2, 64;", "no tensor map at the address"),
            ("odd", "add.u64 %d2, %d2, 8;", "no tensor map at the address"),
            ("null", "mov.u64 %d2, 0;", "no tensor map at the address"),
            ("shared", "add.u32 %r4, %r4, 64;", "misaligned shared store"),
            ("beyond", "add.u32 %r4, %r4, 3968;", "out-of-bounds shared store"),
            ("object", "add.u32 %r5, %r5, 4;",
             "mbarrier of a bulk copy misaligned or out of bounds"),
            ("memory", "st.global.u64 [%d2+8], 4096;", "out-of-bounds global load")):
        case = Case(out, f"fault_tensor_{name}", 1, MODULE).code(*BEGIN, "add.u64 %d4, %d2, 128;")
        at = setup(case, "%d4", [0, 0])
        case.code(lines, LOAD.format(2, "cluster", "", "") + f" [%r4], [%d2, {at}], [%r5];")
        case.data(plain.map_words() + words(plain.tensor))
        out.append(f"fault: {what}")
        case.end()
    case = Case(out, "fault_tensor_reduction", 1, MODULE).code(*BEGIN, "add.u64 %d4, %d2, 128;")
    at = setup(case, "%d4", [0, 0])
    case.code("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group"
              f" [%d2, {at}], [%r4];")
    case.data(plain.map_words(3) + words(plain.tensor))
    out.append("fault: no such reduction of elements of the tensor's type")
    case.end()
    case = Case(out, "fault_tensor_dimensions", 1, MODULE).code(*BEGIN, "add.u64 %d4, %d2, 128;")
    setup(case, "%d4", [0, 0])
    case.code("cp.async.bulk.prefetch.L2.global [%d2], 128;",
              "cp.async.bulk.prefetch.tensor.1d.L2.global [%d2, {%r8}];",
              "prefetch.tensormap [%d2];",
              LOAD.format(1, "cluster", "", "") + " [%r4], [%d2, {%r8}], [%r5];")
    case.data(plain.map_words() + words(plain.tensor))
    out.append("fault: the tensor map has another number of dimensions")
    case.end()
    return out
