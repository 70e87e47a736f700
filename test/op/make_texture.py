#!/usr/bin/env python3
"""Writes texture.case (format: cases.h): make_texture.py [FOLDER]. Expected values are exact
fractions, rounded once; sampling by the CUDA C++ Programming Guide, in test/cli/texture.py."""
import math
import os
import struct
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../cli'))
from case import Case                                  # noqa: E402
from texture import (Draw, HALF, axis, f32, fold, footprint, index,     # noqa: E402
                     level_of_gradients, shares)

TYPES = {'u8': (0, 1, 'B'), 'u16': (1, 2, 'H'), 'u32': (2, 4, 'I'), 's8': (3, 1, 'b'),
         's16': (4, 2, 'h'), 's32': (5, 4, 'i'), 'f16': (6, 2, 'e'), 'f32': (7, 4, 'f')}
KINDS = {'linear': 1, 'pitch': 2, 'array': 3, 'surface': 4}
MODES = ['wrap', 'clamp', 'mirror', 'border']
BORDER = [0.25, 0.5, -2, 3]
DRAW = Draw(11)


class Image:
    """Texels, and how the texture is read."""

    def __init__(self, kind, type_, channels, size, flags=0, levels=0, linear=False,
                 between=False, mode='clamp', normalized=False, fractions=False):
        self.kind, self.type, self.channels, self.size = kind, type_, channels, size
        self.flags, self.levels, self.linear, self.between = flags, levels, linear, between
        self.mode, self.normalized, self.fractions = mode, normalized, fractions
        self.texels = []  # of each level
        for level in range(max(levels, 1)):
            w, h, d = self.extent(level)
            self.texels.append([self.draw() for _ in range(w * h * d * channels)])

    def extent(self, level):
        w, h, d = (list(self.size) + [0, 0])[:3]
        return (max(w >> level, 1), max(h >> level, 1),
                max(d if self.flags else d >> level, 1))

    def draw(self):
        bits = DRAW.bits(24)
        if self.type == 'f32':
            return f32(bits / 2**20 - 8)
        if self.type == 'f16':
            return struct.unpack('<e', struct.pack('<e', bits / 2**20 - 8))[0]
        n = 8 * TYPES[self.type][1]
        x = bits * 0x101 % 2**n
        return x - 2**n if self.type[0] == 's' and x >= 2**(n - 1) else x

    def data(self):
        flat = [t for level in self.texels for t in level]
        data = struct.pack('<%d%s' % (len(flat), TYPES[self.type][2]), *flat)
        return data + bytes(-len(data) % 4)

    def line(self):
        w, h, d = (list(self.size) + [0, 0])[:3]
        numbers = [KINDS[self.kind], TYPES[self.type][0], self.channels, w, h, d, self.flags,
                   self.levels, int(self.linear), int(self.between), MODES.index(self.mode),
                   int(self.normalized), int(self.fractions)]
        data = self.data()
        words = ['%x' % int.from_bytes(data[k:k + 4], 'little') for k in range(0, len(data), 4)]
        return 'texture %s: %s' % (' '.join(map(str, numbers)), ' '.join(words))

    def floats(self):
        return self.type[0] == 'f' or self.fractions

    def value(self, level, i, j, k, c):
        """Returns a channel as the texture does."""
        if c >= self.channels:
            return 0
        w, h, _ = self.extent(level)
        x = self.texels[level][((k * h + j) * w + i) * self.channels + c]
        if not self.fractions:
            return x
        return max(Fraction(x, 2**(8 * TYPES[self.type][1] - (self.type[0] == 's')) - 1), -1)

    def bits(self, x):
        if self.floats():
            return struct.unpack('<I', struct.pack('<f', float(x)))[0]
        return int(x) & 0xffffffff

    def border(self, c):
        """As a texel: without the channels that the texture lacks; a fraction's halves go down."""
        if self.kind in ('linear', 'pitch') or c >= self.channels:
            return 0
        if self.fractions:
            most = 2**(8 * TYPES[self.type][1] - (self.type[0] == 's')) - 1
            low = min(max(BORDER[c], 0 if self.type[0] == 'u' else -1), 1)
            return Fraction(math.ceil(Fraction(low) * most - HALF), most)
        return BORDER[c] if self.floats() else int(BORDER[c])

    def exact(self, where, c, level=0, layer=None, linear=None, whole=256):
        """A channel. where: a coordinate for each dimension. Exact, but a filtered fraction of u8
        or u16 is one of 65535; whole: 256, or the weight of a level."""
        size = self.extent(level)
        linear = self.linear if linear is None else linear
        mode = self.mode if self.normalized or self.mode == 'border' else 'clamp'
        mode = 'border' if self.kind in ('linear', 'pitch') else mode
        linear = linear and self.floats()
        axes = [axis(x, n, mode, self.normalized, linear) for x, n in zip(where, size)]
        total = sum(w * Fraction(self.border(c) if None in (i, j, k)
                                 else self.value(level, i, j, k + (layer or 0), c))
                    for (i, j, k), w in footprint(axes, whole)) / 256
        if linear and self.fractions:
            return Fraction(math.floor(total * 65535 + HALF), 65535)
        return total

    def colour(self, where, **how):
        return [self.bits(self.exact(where, c, **how)) for c in range(4)]


def f16_towards_zero(x):
    """Bytes of an f16, rounded as an H100 does in a formatted store."""
    near = struct.unpack('<e', struct.pack('<e', x))[0]
    bits = int.from_bytes(struct.pack('<e', x), 'little') - (abs(near) > abs(x))
    return bits.to_bytes(2, 'little')


class Cases:
    def __init__(self):
        self.out = ['# made by make_texture.py']

    def case(self, name, images, code, lanes, words, expected, first=0, fault=None):
        """words: of each lane, four or eight; expected: likewise, four."""
        c = Case(self.out, name, lanes)
        n = len(words[0]) if words else 0
        c.code('mov.u64 %d5, 1;', 'mov.u64 %d6, 2;', f'mad.wide.u32 %d3, %r0, {4 * n}, %d2;')
        if n:
            c.code('ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%d3];')
        if n > 4:
            c.code('ld.global.v4.b32 {%r12, %r13, %r14, %r15}, [%d3+16];')
        c.code(*code)
        if expected:
            c.code('mad.wide.u32 %d4, %r0, 16, %d0;',
                   'st.global.v4.b32 [%d4], {%r16, %r17, %r18, %r19};')
        for image in images:
            c.code(image.line())
        c.data([w for lane in words for w in lane])
        if fault:
            c.code('fault: ' + fault)
        elif expected:
            c.expect(first, [w for lane in expected for w in lane])
        c.end()

    def sampled(self, name, image, op, where, how, more=(), extra='', whole=False):
        """where(lane): coordinates in the written order (layers first); how(lane): keywords of
        Image.colour and the location in the image."""
        words, expected = [], []
        for lane in range(32):
            given = [w if isinstance(w, int) else struct.unpack('<I', struct.pack('<f', w))[0]
                     for w in where(lane)]
            words.append([w & 0xffffffff for w in (given + [0] * 8)[:8 if len(given) > 4 else 4]])
            place, rest = how(lane)
            expected.append(image.colour(place, **rest))
        self.case(name, [image], [op], 32, words, expected)


def coordinates(n, spread, whole=False):
    """Returns floats around [0, spread), in steps that hit every kind of weight."""
    out = []
    for _ in range(32):
        row = []
        for s in spread:
            step = DRAW.bits(12) / 2**12 * (s * 1.75) - s * 0.375
            row.append(math.floor(step) if whole else f32(step))
        out.append((row + [0.0] * n)[:n])
    return out


REGS = '{%r16, %r17, %r18, %r19}'
SOURCES = ['%r8', '%r9', '%r10', '%r11']


def plain(cases):
    """Types, channels, modes and filters, in one to three dimensions."""
    shapes = {'1d': (13,), '2d': (9, 7), '3d': (6, 5, 4)}
    number = 0
    for g, size in shapes.items():
        for type_, dtype in (('f32', 'f32'), ('u8', 'u32'), ('s16', 's32'), ('f16', 'f32'),
                             ('u32', 'u32'), ('s8', 'f32'), ('u8', 'f32'), ('u16', 'f32')):
            mode = MODES[number % 4]
            channels = (1, 2, 4)[number % 3]
            fractions = dtype == 'f32' and type_[0] != 'f'
            linear = dtype == 'f32' and number % 2 == 0
            normalized = number // 2 % 2 == 0
            number += 1
            image = Image('array', type_, channels, size, linear=linear, mode=mode,
                          normalized=normalized, fractions=fractions)
            at = coordinates(len(size), [1] * 3 if normalized else size)
            n = 4 if g == '3d' else len(size)
            cases.sampled(f'tex_{g}_{type_}_{dtype}_{mode}', image,
                          'tex.%s.v4.%s.f32 %s, [%%d5, {%s}];'
                          % (g, dtype, REGS, ', '.join(SOURCES[:n])),
                          lambda l, at=at: at[l], lambda l, at=at: (at[l], {}))


def modes(cases):
    for mode in MODES:
        for linear in (False, True):
            for normalized in (False, True):
                image = Image('array', 'f32', 1, (6, 5), linear=linear, mode=mode,
                              normalized=normalized)
                at = coordinates(2, [3, 3] if normalized else [12, 10])
                cases.sampled(f'tex_{mode}_{linear:d}{normalized:d}', image,
                              f'tex.2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}];',
                              lambda l, at=at: at[l], lambda l, at=at: (at[l], {}))


def layered(cases):
    image = Image('array', 'f32', 2, (11, 0, 3), flags=1, linear=True)
    at = coordinates(1, [11])
    cases.sampled('tex_a1d', image, f'tex.a1d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}];',
                  lambda l: [l % 5] + at[l], lambda l: (at[l], {'layer': min(l % 5, 2)}))
    image = Image('array', 'f32', 1, (7, 6, 4), flags=1, linear=True, mode='border')
    at2 = coordinates(2, [7, 6])
    cases.sampled('tex_a2d', image,
                  f'tex.a2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9, %r10, %r10}}];',
                  lambda l: [l % 6] + at2[l], lambda l: (at2[l], {'layer': min(l % 6, 3)}))


def face_of(x, y, z):
    m = max(abs(x), abs(y), abs(z))
    if m == abs(x):
        face, s, t = (0, -z, -y) if x > 0 else (1, z, -y)
    elif m == abs(y):
        face, s, t = (2, x, z) if y > 0 else (3, x, -z)
    else:
        face, s, t = (4, x, -y) if z > 0 else (5, -x, -y)
    return face, [(s / m + 1) / 2, (t / m + 1) / 2]


def cubes(cases):
    image = Image('array', 'f32', 1, (4, 4, 12), flags=3, linear=True, normalized=True)
    at = [[c - 0.3125 for c in row] for row in coordinates(3, [1, 1, 1])]
    at = [[f32(c) for c in row] for row in at]

    def how(lane):
        face, place = face_of(*at[lane])
        return place, {'layer': min(lane % 3, 1) * 6 + face}
    cases.sampled('tex_acube', image,
                  f'tex.acube.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9, %r10, %r11}}];',
                  lambda l: [l % 3] + at[l], how)
    single = Image('array', 'u8', 1, (4, 4, 6), flags=2, normalized=True)

    def how_single(lane):
        face, place = face_of(*at[lane])
        return place, {'layer': face}
    cases.sampled('tex_cube', single,
                  f'tex.cube.v4.u32.f32 {REGS}, [%d5, {{%r8, %r9, %r10, %r10}}];',
                  lambda l: at[l], how_single)


def fetches(cases):
    for type_, dtype in (('f32', 'f32'), ('u16', 'u32'), ('s8', 's32')):
        image = Image('linear', type_, 4 if type_ == 'f32' else 1, (20,))
        at = [[l - 6] for l in range(32)]
        cases.sampled('tex_1d_whole_' + type_, image,
                      f'tex.1d.v4.{dtype}.s32 {REGS}, [%d5, {{%r8}}];',
                      lambda l, at=at: at[l], lambda l, at=at: (at[l], {}))
        image = Image('pitch', type_, 2, (9, 5), mode='clamp')
        at = coordinates(2, [9, 5], whole=True)
        cases.sampled('tex_2d_whole_' + type_, image,
                      f'tex.2d.v4.{dtype}.s32 {REGS}, [%d5, {{%r8, %r9}}];',
                      lambda l, at=at: at[l], lambda l, at=at: (at[l], {}))


def levels(cases):
    for between in (False, True):
        image = Image('array', 'f32', 1, (16, 8), levels=4, linear=True, between=between,
                      normalized=True)
        at = coordinates(2, [1, 1])
        lods = [f32(l * 0.15625 - 0.5) for l in range(32)]

        def expected(lod, where):
            if not between:
                lod = min(max(Fraction(lod), 0), 3)
                return image.exact(where, 0, level=min(math.floor(lod + HALF), 3))
            return sum(image.exact(where, 0, level=l, whole=w) for l, w in shares(lod, 3))
        words = [[struct.unpack('<I', struct.pack('<f', f))[0] for f in (*at[l], lods[l], 0)]
                 for l in range(32)]
        cases.case(f'tex_level_{between:d}', [image],
                   [f'tex.level.2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}], %r10;'], 32, words,
                   [[image.bits(expected(lods[l], at[l])), 0, 0, 0]
                    for l in range(32)])
        steep = [[f32(2.0**-(l % 7) * (1 + l / 64)), 0.03125, f32(l / 512), 0.0625]
                 for l in range(32)]

        def lod_of(g):
            return level_of_gradients((g[0] * 16, g[1] * 8), (g[2] * 16, g[3] * 8))
        words = [[struct.unpack('<I', struct.pack('<f', f))[0]
                  for f in (*at[l], 0, 0, *steep[l])] for l in range(32)]
        cases.case(f'tex_grad_{between:d}', [image],
                   [f'tex.grad.2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}], {{%r12, %r13}}, '
                    '{%r14, %r15};'], 32, words,
                   [[image.bits(expected(lod_of(steep[l]), at[l])), 0, 0, 0]
                    for l in range(32)])
        endless = [[math.inf, 0.03125, 0, 0.0625] for l in range(32)]
        words = [[struct.unpack('<I', struct.pack('<f', f))[0]
                  for f in (*at[l], 0, 0, *endless[l])] for l in range(32)]
        cases.case(f'tex_grad_endless_{between:d}', [image],
                   [f'tex.grad.2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}], {{%r12, %r13}}, '
                    '{%r14, %r15};'], 32, words,
                   [[image.bits(expected(3, at[l])), 0, 0, 0] for l in range(32)])


def gathers(cases):
    for c, (type_, dtype) in enumerate((('f32', 'f32'), ('u8', 'u32'), ('s16', 's32'),
                                        ('u8', 'f32'))):
        image = Image('array', type_, 4, (6, 5), mode=MODES[c], normalized=c != 1,
                      fractions=type_ == 'u8' and dtype == 'f32', linear=dtype == 'f32')
        at = coordinates(2, [1, 1] if image.normalized else [6, 5])
        expected = []
        for x, y in at:
            mode = image.mode if image.normalized or image.mode == 'border' else 'clamp'
            i, j = (math.floor(fold(v, n, mode, image.normalized) - HALF)
                    for v, n in ((x, 6), (y, 5)))
            four = []
            for dx, dy in ((0, 1), (1, 1), (1, 0), (0, 0)):
                a, b = index(i + dx, 6, mode), index(j + dy, 5, mode)
                four.append(image.bits(image.border(c) if None in (a, b)
                                       else image.value(0, a, b, 0, c)))
            expected.append(four)
        words = [[struct.unpack('<I', struct.pack('<f', f))[0] for f in (*row, 0, 0)]
                 for row in at]
        cases.case(f'tld4_{"rgba"[c]}', [image],
                   [f'tld4.{"rgba"[c]}.2d.v4.{dtype}.f32 {REGS}, [%d5, {{%r8, %r9}}];'], 32,
                   words, expected)


def ends(cases):
    """Coordinates outside every texel: NaN, infinities, far away, minus zero."""
    odd = [0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0x7149f2ca, 0xf149f2ca, 0x80000000,
           0x00000001]
    for mode in ('clamp', 'border'):
        image = Image('array', 'f32', 1, (5, 4), linear=True, mode=mode)
        row = [image.exact([0, 2.5], 0), image.exact([0, 2.5], 0), image.exact([9, 2.5], 0),
               image.exact([-9, 2.5], 0), image.exact([9, 2.5], 0), image.exact([-9, 2.5], 0),
               image.exact([0, 2.5], 0), image.exact([0, 2.5], 0)]
        words = [[w, 0x40200000, 0, 0] for w in odd]
        cases.case('tex_odd_' + mode, [image],
                   [f'tex.2d.v4.f32.f32 {REGS}, [%d5, {{%r8, %r9}}];'], 8, words,
                   [[image.bits(row[k]), 0, 0, 0] for k in range(8)])


def queries(cases):
    def ask(name, image, op, words, expected):
        code = []
        for k, w in enumerate(words):
            code.append(f'{op}.{w}.b32 %r{16 + k}, [%d5];' if ' ' not in w else
                        f'{op}.level.{w.split()[0]}.b32 %r{16 + k}, [%d5], {w.split()[1]};')
        cases.case(name, [image], code, 1, [[0] * 4], [expected])
    image = Image('array', 'u8', 4, (16, 8), levels=4, mode='mirror', linear=True,
                  normalized=True, fractions=True)
    ask('txq_1', image, 'txq', ['width', 'height', 'depth', 'array_size'], [16, 8, 0, 1])
    ask('txq_2', image, 'txq', ['num_mipmap_levels', 'num_samples', 'channel_data_type',
                                'channel_order'], [4, 1, 0x10d2, 0x10b5])
    ask('txq_3', image, 'txq', ['normalized_coords', 'filter_mode', 'addr_mode_0',
                                'force_unnormalized_coords'], [1, 1, 1, 0])
    ask('txq_4', image, 'txq', ['width 1', 'height 2', 'width 3', 'addr_mode_2'], [8, 2, 2, 1])
    box = Image('array', 's16', 2, (6, 5, 4), mode='border')
    ask('txq_5', box, 'txq', ['depth', 'channel_data_type', 'channel_order', 'addr_mode_1'],
        [4, 0x10d8, 0x10b2, 4])
    surface = Image('surface', 'f32', 1, (12, 10, 3), flags=1)
    ask('suq_1', surface, 'suq', ['width', 'height', 'depth', 'array_size'], [12, 10, 0, 3])
    ask('suq_2', surface, 'suq', ['channel_data_type', 'channel_order', 'memory_layout', 'width'],
        [0x10de, 0x10b0, 0, 12])
    cases.case('istypep', [surface, image], [
        'istypep.surfref %p1, %d5;', 'istypep.texref %p2, %d6;', 'istypep.texref %p3, %d5;',
        'istypep.samplerref %p4, %d6;', 'selp.u32 %r16, 1, 0, %p1;', 'selp.u32 %r17, 1, 0, %p2;',
        'selp.u32 %r18, 1, 0, %p3;', 'selp.u32 %r19, 1, 0, %p4;'], 1, [[0] * 4], [[1, 1, 0, 0]])


def surfaces(cases):
    """Loads of every width, and stores read back by loads."""
    for bytes_, reg in ((1, '%h1'), (2, '%h1'), (4, '%r16'), (8, '%d7')):
        image = Image('surface', 'u32', 1, (10, 6))
        data = image.data()
        places = [(DRAW.bits(8) % (60 // bytes_) * bytes_ - 8, DRAW.bits(8) % 9 - 1)
                  for _ in range(32)]
        for way in ('zero', 'clamp'):
            expected = []
            for x, y in places:
                if way == 'clamp':
                    x, y = min(max(x, 0), 40 - bytes_), min(max(y, 0), 5)
                inside = 0 <= x <= 40 - bytes_ and 0 <= y < 6
                at = y * 40 + x
                v = int.from_bytes(data[at:at + bytes_], 'little') if inside else 0
                expected.append([v & 0xffffffff, v >> 32, 0, 0])
            cut = {1: 'cvt.u32.u16 %r16, %h1;', 2: 'cvt.u32.u16 %r16, %h1;', 4: '',
                   8: 'mov.b64 {%r16, %r17}, %d7;'}[bytes_]
            cases.case(f'suld_b{8 * bytes_}_{way}', [image], [
                'mov.u32 %r17, 0;', 'mov.u32 %r18, 0;', 'mov.u32 %r19, 0;',
                f'suld.b.2d.b{8 * bytes_}.{way} {{{reg}}}, [%d5, {{%r8, %r9}}];', cut], 32,
                [[x & 0xffffffff, y & 0xffffffff, 0, 0] for x, y in places], expected)
        reads = {1: 'cvt.u16.u32 %h1, %r10;', 2: 'cvt.u16.u32 %h1, %r10;',
                 4: 'mov.u32 %r16, %r10;', 8: 'mov.b64 %d7, {%r10, %r11};'}[bytes_]
        words, expected = [], []
        for lane in range(32):
            v, x = DRAW.bits(24) * 0x10001 % 2**32, lane % 5 * 8
            words.append([x, lane // 5, v, v ^ 0xffff])
            low = v if bytes_ >= 4 else v % 2**(8 * bytes_)
            old = image.data()[lane // 5 * 40 + x:][:8] if lane < 30 else bytes(8)
            whole = (v | (v ^ 0xffff) << 32 if bytes_ == 8 else low).to_bytes(8, 'little')
            now = (whole[:bytes_] + old[bytes_:]) if lane < 30 else bytes(8)
            expected.append([int.from_bytes(now[:4], 'little'), int.from_bytes(now[4:], 'little'),
                             0, 0])
        cases.case(f'sust_b{8 * bytes_}', [image], [
            'mov.u32 %r18, 0;', 'mov.u32 %r19, 0;', reads,
            f'sust.b.2d.b{8 * bytes_}.zero [%d5, {{%r8, %r9}}], {{{reg}}};',
            'suld.b.2d.v2.b32.zero {%r16, %r17}, [%d5, {%r8, %r9}];'], 32, words, expected)
    wide = Image('surface', 'f32', 4, (4, 3, 2))
    flat = [struct.unpack('<I', struct.pack('<f', t))[0] for t in wide.texels[0]]
    cases.case('suld_3d', [wide], [
        f'suld.b.3d.v4.b32.trap {REGS}, [%d5, {{%r8, %r9, %r10, %r10}}];'], 24,
        [[l % 4 * 16, l // 4 % 3, l // 12, 0] for l in range(24)],
        [flat[4 * l:4 * l + 4] for l in range(24)])
    layers = Image('surface', 'u16', 2, (8, 0, 3), flags=1)
    pairs = layers.data()
    cases.case('suld_a1d', [layers], [
        'mov.u32 %r17, 0;', 'mov.u32 %r18, 0;', 'mov.u32 %r19, 0;',
        'suld.b.a1d.b32.clamp {%r16}, [%d5, {%r8, %r9}];'], 32,
        [[l % 4, l // 4 * 4, 0, 0] for l in range(32)],
        [[int.from_bytes(pairs[(min(l % 4, 2) * 8 + l // 4) * 4:][:4], 'little'), 0, 0, 0]
         for l in range(32)])


def formatted(cases):
    """sust.p: 32-bit values into texels of any type."""
    def store(type_, channels, values, kept):
        image = Image('surface', type_, channels, (8, 4))
        each = TYPES[type_][1] * channels
        load = {1: 'b8 {%h1}', 2: 'b16 {%h1}', 4: 'b32 {%r16}', 8: 'v2.b32 {%r16, %r17}'}[each]
        kind, regs = load.split(' ', 1)
        cut = 'cvt.u32.u16 %r16, %h1;' if each < 4 else ''
        words = [[l % 8, l // 8, values[2 * l % len(values)] & 0xffffffff,
                  values[(2 * l + 1) % len(values)] & 0xffffffff] for l in range(32)]
        expected = []
        for w in words:
            data = b''.join(kept(w[2 + c] if c < 2 else 0) for c in range(channels))
            data += bytes(8 - len(data))
            expected.append([int.from_bytes(data[:4], 'little'),
                             int.from_bytes(data[4:], 'little'), 0, 0])
        cases.case(f'sust_p_{type_}', [image], [
            'mov.u32 %r17, 0;', 'mov.u32 %r18, 0;', 'mov.u32 %r19, 0;',
            'sust.p.2d.v2.b32.trap [%d5, {%r8, %r9}], {%r10, %r11};',
            f'mul.lo.u32 %r8, %r8, {each};',
            f'suld.b.2d.{kind}.trap {regs}, [%d5, {{%r8, %r9}}];', cut], 32, words, expected)

    def signed(v):
        return v - 2**32 if v >= 2**31 else v
    whole = [0, 1, 127, 128, 255, 256, 65535, 65536, -1, -128, -129, -32768, -32769, 40000]
    store('u8', 1, whole, lambda v: min(v, 255).to_bytes(1, 'little'))
    store('s8', 2, whole, lambda v: struct.pack('<b', min(max(signed(v), -128), 127)))
    store('u16', 2, whole, lambda v: min(v, 65535).to_bytes(2, 'little'))
    store('s16', 1, whole, lambda v: struct.pack('<h', min(max(signed(v), -32768), 32767)))
    store('u32', 2, whole, lambda v: v.to_bytes(4, 'little'))
    floats = [struct.unpack('<I', struct.pack('<f', f))[0] for f in (0.0, 1.5, -2.25, 0.333, 1000)]
    store('f16', 4, floats,
          lambda v: f16_towards_zero(struct.unpack('<f', struct.pack('<I', v))[0]))
    store('f32', 1, floats, lambda v: v.to_bytes(4, 'little'))


def reductions(cases):
    def signed(v, bits):
        return v - 2**bits if v >= 2**(bits - 1) else v
    ops = {'add': lambda a, b, s, n: (a + b) % 2**n,
           'min': lambda a, b, s, n: min((a, b), key=lambda v: signed(v, n) if s else v),
           'max': lambda a, b, s, n: max((a, b), key=lambda v: signed(v, n) if s else v),
           'and': lambda a, b, s, n: a & b, 'or': lambda a, b, s, n: a | b}
    forms = [(op, t) for op in ('add', 'min', 'max') for t in ('u32', 's32', 'u64', 's64')
             if (op, t) != ('add', 's64')]
    forms += [('and', 'b32'), ('or', 'b32')]
    for way, op, type_ in [('b', *f) for f in forms] + [('p', op, 'b32') for op in ops]:
        bits = int(type_[1:])
        image = Image('surface', 's32' if way == 'p' and op == 'min' else 'u32', bits // 32, (4, 2))
        data = image.data()
        size = bits // 8
        values = [int.from_bytes(data[k * size:][:size], 'little') for k in range(8)]
        is_signed = type_[0] == 's' or image.type == 's32'
        words, now = [], list(values)
        for lane in range(32):  # four lanes to each texel, and one outside
            v = DRAW.bits(24) * 0x10000000101 % 2**bits
            place = lane % 9
            words.append([place % 4, place // 4, v & 0xffffffff, v >> 32])
            if place < 8:
                now[place] = ops[op](now[place], v, is_signed, bits)
        expected = []
        for lane in range(32):
            v = now[lane % 9] if lane % 9 < 8 else 0
            expected.append([v & 0xffffffff, v >> 32, 0, 0])
        source = '%r10' if bits == 32 else '%d7'
        load = '{%r16}' if bits == 32 else '{%r16, %r17}'
        scale = f'mul.lo.u32 %r12, %r8, {size};'
        cases.case(f'sured_{way}_{op}_{type_}', [image], [
            'mov.u32 %r17, 0;', 'mov.u32 %r18, 0;', 'mov.u32 %r19, 0;',
            'mov.b64 %d7, {%r10, %r11};', scale,
            f'sured.{way}.{op}.2d.{type_}.zero [%d5, {{{"%r12" if way == "b" else "%r8"}, %r9}}], '
            f'{source};',
            f'suld.b.2d.{"v2." if bits == 64 else ""}b32.zero {load}, [%d5, {{%r12, %r9}}];'],
            32, words, expected)


def faults(cases):
    image = Image('surface', 'u32', 1, (8, 2))
    load = 'suld.b.2d.b32.trap {%r16}, [%d5, {%r8, %r9}];'
    cases.case('fault_outside', [image], [load], 1, [[32, 0, 0, 0]], None,
               fault='out-of-bounds surface load')
    cases.case('fault_row', [image], [load], 1, [[0, 2, 0, 0]], None,
               fault='out-of-bounds surface load')
    cases.case('fault_aligned', [image], [load], 1, [[2, 0, 0, 0]], None,
               fault='misaligned surface load')
    store = 'sust.b.2d.b32.trap [%d5, {%r8, %r9}], {%r8};'
    cases.case('fault_store', [image], [store], 1, [[0xfffffffc, 0, 0, 0]], None,
               fault='out-of-bounds surface store')
    sample_ = f'tex.2d.v4.f32.f32 {REGS}, [%d6, {{%r8, %r9}}];'
    cases.case('fault_handle', [image], [sample_], 1, [[0] * 4], None,
               fault='invalid texture handle')
    cases.case('fault_kind', [image], [sample_.replace('%d6', '%d5')], 1, [[0] * 4], None,
               fault='invalid texture handle')


def main():
    cases = Cases()
    for make in (plain, modes, layered, cubes, fetches, levels, gathers, ends, queries, surfaces,
                 formatted, reductions, faults):
        make(cases)
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, 'texture.case'), 'w') as f:
        f.write('\n'.join(cases.out) + '\n')


main()
