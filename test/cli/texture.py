#!/usr/bin/env python3
"""Writes app files for the kernels of texture.cu, and computes their expected outputs: sampling in
exact fractions, written from the CUDA C++ Programming Guide ("Texture Fetching") and from the
answers of an H100 (test/silicon).

    texture.py write      an app file and an input for each kernel; prints their names
    texture.py check K    compares K.out with the expected output
"""
import math
import struct
import sys
from fractions import Fraction

HALF = Fraction(1, 2)


def f32(x):
    return struct.unpack('<f', struct.pack('<f', x))[0]


class Draw:
    """The same numbers every time."""

    def __init__(self, seed):
        self.state = seed

    def bits(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 40 & (1 << n) - 1

    def floats(self, n):
        return [f32(self.bits(20) / 2**18 - 2) for _ in range(n)]


# ---- the reference ----

def fold(x, n, mode, normalized):
    """A coordinate in texels, remapped; mirror: from n to 2 n in the mirror image beside."""
    x = Fraction(x)
    if not normalized:
        return x
    if mode == 'wrap':
        x -= math.floor(x)
    if mode == 'mirror':
        x -= math.floor(x / 2) * 2
    return x * n


def index(i, n, mode):
    if mode == 'wrap':
        return i % n
    if mode == 'mirror':
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if mode == 'border':
        return i if 0 <= i < n else None
    return min(max(i, 0), n - 1)


def axis(x, n, mode, normalized, linear):
    """Returns the indices of two texels along a dimension, and the second's weight: up to 256."""
    x = fold(x, n, mode, normalized)
    if not linear:
        return index(math.floor(x), n, mode), None, 0
    b = x - HALF
    i = math.floor(b)
    return index(i, n, mode), index(i + 1, n, mode), round((b - i) * 256)


ONE_TEXEL = (0, None, 0)


def footprint(axes, whole=256):
    """Returns (index per dimension, weight), as an H100 divides a weight: along x, z, then y.
    Python's round goes to even."""
    axes = list(axes) + [ONE_TEXEL] * (3 - len(axes))
    parts = [((), whole)]
    for d in (0, 2, 1):
        low, high, second = axes[d]
        parts = [part for at, w in parts for up in [round(Fraction(w * second, 256))]
                 for part in ((at + (low,), w - up), (at + (high,), up))]
    return [((x, y, z), w) for (x, z, y), w in parts if w]


def sample(at, size, where, mode='clamp', normalized=False, linear=False, border=0, bytes_=False):
    """at(x, y, z): a texel; where: a coordinate per dimension; bytes_: texels are fractions of 255,
    and the result is one of 65535, as on an H100."""
    axes = [axis(c, n, mode, normalized, linear) for c, n in zip(where, size)]
    total = sum(w * Fraction(border if None in p else at(*p)) for p, w in footprint(axes))
    if bytes_:
        return f32(math.floor(total / 255 * 65535 / 256 + HALF) / 65535)
    return f32(float(total / 256))


# ---- the kernels ----

DRAW = Draw(7)
IMAGE = DRAW.floats(24 * 20)
LINE = [DRAW.bits(20) - 2**19 for _ in range(100)]
BYTES = [DRAW.bits(8) for _ in range(32 * 10 * 4)]
BOX = DRAW.floats(7 * 6 * 5)
STACK = DRAW.floats(12 * 9 * 4)
CUBE = DRAW.floats(6 * 5 * 5)
PYRAMID = DRAW.floats(32 * 32 + 16 * 16 + 8 * 8 + 4 * 4)
PAIRS = [DRAW.bits(8) - 128 for _ in range(16 * 8 * 2)]
PICTURE = DRAW.floats(40 * 30)
SHORTS = [DRAW.bits(16) for _ in range(20 * 6 * 2)]


def turn(mode, linear, border=0):
    c, s = f32(0.8125), f32(-0.59375)
    out = []
    for y in range(30):
        for x in range(33):
            u = f32(f32((x + 0.5) / 33) - 0.5)
            v = f32(f32((y + 0.5) / 30) - 0.5)
            where = (f32(f32(f32(u * c) - f32(v * s)) + 0.5),
                     f32(f32(f32(u * s) + f32(v * c)) + 0.5))
            out.append(sample(lambda i, j, k: IMAGE[j * 24 + i], (24, 20), where, mode, True,
                              linear, border))
    return out


def neighbours():
    get = lambda i: LINE[i] if 0 <= i < len(LINE) else 0
    return [get(i - 1) + get(i + 1) for i in range(len(LINE))]


def rows():
    return [sample(lambda i, j, k, c=c: BYTES[(j * 32 + i) * 4 + c], (32, 10),
                   (x + 0.3125, y + 0.75), 'border', linear=True, bytes_=True,
                   border=math.ceil(Fraction(c, 4) * 255 - HALF))
            for y in range(10) for x in range(32) for c in range(4)]


def volume():
    return [sample(lambda i, j, k: BOX[(k * 6 + j) * 7 + i], (7, 6, 5),
                   (x + 0.25, y * 0.875, z * 1.125 + 0.5), linear=True)
            for z in range(8) for y in range(8) for x in range(8)]


def layers():
    return [sample(lambda i, j, k: STACK[(min(layer, 3) * 9 + j) * 12 + i], (12, 9),
                   (x * 0.5, x * 0.25 + 0.125), linear=True)
            for layer in range(6) for x in range(32)]


def sky():
    out = []
    for i in range(256):
        x, y, z = i % 7 - 3 + 0.25, i // 7 % 5 - 2 - 0.125, i // 35 % 9 - 4 + 0.0625
        m = max(abs(x), abs(y), abs(z))
        if m == abs(x):
            face, s, t = (0, -z, -y) if x > 0 else (1, z, -y)
        elif m == abs(y):
            face, s, t = (2, x, z) if y > 0 else (3, x, -z)
        else:
            face, s, t = (4, x, -y) if z > 0 else (5, -x, -y)
        where = ((s / m + 1) / 2, (t / m + 1) / 2)
        out.append(sample(lambda i, j, k: CUBE[(face * 5 + j) * 5 + i], (5, 5), where,
                          normalized=True, linear=True))
    return out


def level_of(lod, where):
    total = Fraction(0)
    for level, weight in shares(lod, 3):
        n = 32 >> level
        start = sum((32 >> l)**2 for l in range(level))
        axes = [axis(c, n, 'clamp', True, True) for c in where]
        total += sum(w * Fraction(PYRAMID[start + j * n + i])
                     for (i, j, _), w in footprint(axes, weight))
    return f32(float(total / 256))


def shares(lod, last):
    """Returns (level, weight) of the levels between which a level of detail lies."""
    lod = min(max(Fraction(lod), 0), last)
    low = math.floor(lod)
    a = math.floor((lod - low) * 256 + HALF)
    return [(level, w) for level, w in ((low, 256 - a), (low + 1, a)) if w]


def level_of_gradients(*gradients):
    """The length of a gradient as fits an H100, and its logarithm with 10 fraction bits."""
    length = max(max(map(abs, g)) * (1 - 23 / 64) + sum(map(abs, g)) * 23 / 64 for g in gradients)
    return Fraction(math.floor(math.log2(length) * 1024), 1024)


def levels():
    given = [level_of(i * 0.09375, ((i + 0.5) / 64, 1 - (i + 0.5) / 64)) for i in range(64)]
    found = []
    for i in range(64):
        lod = level_of_gradients((f32(f32(0.001) * i) * 32, 0), (0, f32(0.01) * 32))
        found.append(level_of(lod, ((i + 0.5) / 64, (i + 0.5) / 64)))
    return given + found


def gather():
    get = lambda i, j: PAIRS[(min(max(j, 0), 7) * 16 + min(max(i, 0), 15)) * 2 + 1]
    out = []
    for y in range(9):
        for x in range(16):
            i, j = math.floor(x), math.floor(y + 0.5)
            out += [get(i, j + 1), get(i + 1, j + 1), get(i + 1, j), get(i, j)]
    return out


def blur():
    out = []
    for y in range(30):
        for x in range(40):
            total = 0.0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    inside = 0 <= x + dx < 40 and 0 <= y + dy < 30
                    texel = PICTURE[(y + dy) * 40 + x + dx] if inside else 0.0
                    total = f32(total + texel)
            out.append(total)
    return out


def swap():
    return [v for k in range(0, len(SHORTS), 2) for v in (SHORTS[k + 1], SHORTS[k])]


TURN = '[$image, $out, 33, 30, 0.8125, -0.59375]'
# kernel and variant: texels, their type, the texture's keys, out (type, count), launch, expected
CASES = {
    'turn': (IMAGE, 'f32', 'size: [24, 20], filter: linear, address: wrap, normalized: true',
             ('f32', 990), 'grid: [5, 4], block: [8, 8]', TURN, lambda: turn('wrap', True)),
    'turn.mirror': (IMAGE, 'f32', 'size: [24, 20], filter: linear, address: mirror, '
                    'normalized: true', ('f32', 990), 'grid: [5, 4], block: [8, 8]', TURN,
                    lambda: turn('mirror', True)),
    'turn.border': (IMAGE, 'f32', 'size: [24, 20], filter: linear, address: border, '
                    'normalized: true, border: [0.375]', ('f32', 990),
                    'grid: [5, 4], block: [8, 8]', TURN, lambda: turn('border', True, 0.375)),
    'turn.point': (IMAGE, 'f32', 'size: [24, 20], address: clamp, normalized: true',
                   ('f32', 990), 'grid: [5, 4], block: [8, 8]', TURN,
                   lambda: turn('clamp', False)),
    'neighbours': (LINE, 's32', 'size: 100, kind: linear', ('s32', 100), 'grid: 4, block: 32',
                   '[$image, $out, 100]', neighbours),
    'rows': (BYTES, 'u8', 'size: [32, 10], kind: pitch, channels: 4, filter: linear, '
             'fractions: true, address: border, border: [0, 0.25, 0.5, 0.75]', ('f32', 1280),
             'grid: [4, 2], block: [8, 8]', '[$image, $out, 32, 10]', rows),
    'volume': (BOX, 'f32', 'size: [7, 6, 5], filter: linear', ('f32', 512),
               'grid: 8, block: [8, 8]', '[$image, $out, 8]', volume),
    'layers': (STACK, 'f32', 'size: [12, 9, 4], layered: true, filter: linear', ('f32', 192),
               'grid: 6, block: 32', '[$image, $out, 32]', layers),
    'sky': (CUBE, 'f32', 'size: [5, 5, 6], cube: true, filter: linear', ('f32', 256),
            'grid: 4, block: 64', '[$image, $out, 256]', sky),
    'levels': (PYRAMID, 'f32', 'size: [32, 32], levels: 4, filter: linear, '
               'level_filter: linear, normalized: true', ('f32', 128), 'grid: 1, block: 64',
               '[$image, $out, 64]', levels),
    'gather': (PAIRS, 's8', 'size: [16, 8], channels: 2', ('s32', 576), 'grid: 9, block: 16',
               '[$image, $out, 16]', gather),
    'blur': (PICTURE, 'f32', 'size: [40, 30], surface: true', ('f32', 1200),
             'grid: [5, 4], block: [8, 8]', '[$image, $to, 40, 30]', blur),
    'swap': (SHORTS, 'u16', 'size: [20, 6], channels: 2, surface: true', ('u16', 240),
             'grid: 6, block: 20', '[$image]', swap),
}
LETTERS = {'f32': 'f', 's32': 'i', 'u8': 'B', 's8': 'b', 'u16': 'H'}


def write():
    for name, (texels, type_, keys, out, launch, args, _) in CASES.items():
        with open(name + '.in', 'wb') as f:
            f.write(struct.pack('<%d%s' % (len(texels), LETTERS[type_]), *texels))
        more = '  to: {buffer: out, size: [40, 30], surface: true}\n' if '$to' in args else ''
        out_init = ' , init: zero'
        with open(name + '.yaml', 'w') as f:
            f.write('app: %s\nmodule: texture.ptx\nbuffers:\n' % name)
            f.write('  in: {type: %s, count: %d, init: file %s.in}\n' % (type_, len(texels), name))
            f.write('  out: {type: %s, count: %d%s}\n' % (*out, out_init))
            f.write('textures:\n  image: {buffer: in, %s}\n%s' % (keys, more))
            f.write('launches: [{kernel: %s, %s, args: %s}]\n' % (name.split('.')[0], launch, args))
            f.write('dump: {%s: %s.out}\n' % ('in' if args == '[$image]' else 'out', name))
        print(name)


def check(name):
    out, expected = CASES[name][3], CASES[name][6]()
    with open(name + '.out', 'rb') as f:
        got = struct.unpack('<%d%s' % (out[1], LETTERS[out[0]]), f.read())
    assert len(got) == len(expected), (len(got), len(expected))
    wrong = [(i, g, w) for i, (g, w) in enumerate(zip(got, expected)) if g != w]
    if wrong:
        sys.exit('%s: %d of %d wrong: %s' % (name, len(wrong), len(got), wrong[:4]))
    if len(set(expected)) < 10:
        sys.exit(name + ': says little')


if __name__ == '__main__':
    if sys.argv[1] == 'write':
        write()
    else:
        check(sys.argv[2])
