#!/usr/bin/env python3
"""App files of the kernels in clusters.cu, and the right results.

    clusters.py app KERNEL CLUSTER   writes in.bin and prints the app, with N numbers
    clusters.py right KERNEL CLUSTER compares KERNEL.out
"""
import random
import struct
import sys

THREADS, BINS, CLUSTERS, STEPS = 128, 512, 6, 6
what, kernel, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
blocks = CLUSTERS * size
pick = random.Random(7)
per = {'histogram': 40, 'reduction': 7}.get(kernel, 1)
n = blocks * THREADS * per - 5
if kernel in ('pipeline', 'copies', 'send', 'multicast'):
    n = 1024
numbers = [pick.randrange(1 << 32) for _ in range(n if kernel != 'pipeline' else CLUSTERS * n)]
M = 1 << 32


def at(k):
    return numbers[k] if k < len(numbers) else 0


def histogram():
    out = [0] * BINS
    for v in numbers:
        out[v % BINS] += 1
    return out


def reduction():
    out = [0] * CLUSTERS
    for k, v in enumerate(numbers):
        block = k % (blocks * THREADS) // THREADS
        out[block // size] = (out[block // size] + v) % M
    return out


def ring():
    out = []
    for block in range(blocks):
        first, rank = block // size * size, block % size
        for t in range(THREADS):
            out.append(sum(at((first + (rank - hop) % size) * THREADS + t) * (hop + 1)
                           for hop in range(size)) % M)
    return out


def halo():
    out = []
    for c in range(CLUSTERS):
        row = [at(c * size * THREADS + k) for k in range(size * THREADS)]
        for _ in range(STEPS):
            row = [0] + row + [0]
            row = [(row[k - 1] + 2 * row[k] + row[k + 1]) % M for k in range(1, len(row) - 1)]
        out += row
    return out


def scan():
    out = []
    for c in range(blocks // 4):
        total = 0
        for k in range(4 * THREADS):
            total = (total + at(c * 4 * THREADS + k)) % M
            out.append(total)
    return out


def send():
    out = []
    for block in range(blocks):
        first, rank = block // size * size, block % size
        start = (first + (rank - 1) % size) * THREADS * 4
        out += [(numbers[(start + k) % n] + k % 4) % M for k in range(4 * THREADS)]
    return out


def gather():
    out = []
    for c in range(CLUSTERS):
        count = [0] * 16
        mine = [at(c * size * THREADS + k) for k in range(size * THREADS)]
        for v in mine:
            count[v % 16] = (count[v % 16] + v) % M
        out += [*count, max(mine)]
    return out


def pipeline():
    out = []
    for c in range(CLUSTERS):
        for t in range(THREADS):
            total = 0
            for k in range(t, n, THREADS):
                total = (total * 5 + numbers[c * n + k] * 3) % M
            out.append(total)
    return out


def multicast():
    out = []
    for block in range(blocks):
        first, rank = block // size * size, block % size
        starts = [(first + r) * THREADS % n for r in range(size)]
        out += [sum(numbers[starts[r] + t] * (rank + r + 1) for r in range(size)) % M
                for t in range(THREADS)]
    return out


def copies():
    out = []
    for block in range(blocks):
        first, rank = block // size * size, block % size
        start = (first + (rank - 1) % size) * 8 * THREADS
        out += [numbers[(start + k) % n] ^ k for k in range(8 * THREADS)]
    return out


# grid and shape of a cluster of `specials`
GRID, SHAPE = (4, 6, 2), (2, 3, 1)


def specials():
    out = []
    for z in range(GRID[2]):
        for y in range(GRID[1]):
            for x in range(GRID[0]):
                block = (x, y, z)
                inside = [b % s for b, s in zip(block, SHAPE)]
                rank = inside[0] + SHAPE[0] * (inside[1] + SHAPE[1] * inside[2])
                out += [b // s for b, s in zip(block, SHAPE)]
                out += [g // s for g, s in zip(GRID, SHAPE)]
                out += [*inside, *SHAPE, rank, SHAPE[0] * SHAPE[1] * SHAPE[2] - 1, rank, 1]
    return out


def nothing():
    return [0] * THREADS


right = globals().get(kernel, nothing)()
if what == 'right':
    data = open(f'{kernel}.out', 'rb').read()
    got = list(struct.unpack(f'<{len(data) // 4}I', data))
    wrong = [(k, g, w) for k, (g, w) in enumerate(zip(got, right)) if g != w]
    assert len(got) == len(right) and not wrong, (kernel, len(got), len(wrong), wrong[:5])
    sys.exit()
open('in.bin', 'wb').write(struct.pack(f'<{len(numbers)}I', *numbers))
grid, shape = f'{blocks}', f'[{size}, 1, 1]'
if kernel == 'scan':
    grid, shape = f'[4, {blocks // 4}]', '[2, 2, 1]'
if kernel == 'specials':
    grid, shape = str(list(GRID)), str(list(SHAPE))
print(f'''app: {kernel}
module: clusters.ptx
buffers:
  in: {{type: u8, count: {4 * len(numbers)}, init: file in.bin}}
  out: {{type: u8, count: {4 * len(right)}, init: zero}}
launches: [{{kernel: {kernel}, grid: {grid}, block: {THREADS}, cluster: {shape},
  args: [$in, $out, {n}]}}]
dump: {{out: {kernel}.out}}''')
