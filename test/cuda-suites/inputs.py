#!/usr/bin/env python3
"""inputs.py PROGRAM: makes the input of a Rodinia program in the current folder."""
import random
import struct
import sys

R = random.Random(7)


def bfs():
    n = 2048
    edges = [[R.randrange(n) for _ in range(R.randrange(1, 5))] for _ in range(n)]
    with open('graph.txt', 'w') as f:
        print(n, file=f)
        start = 0
        for e in edges:
            print(start, len(e), file=f)
            start += len(e)
        print('\n0\n', file=f)
        print(start, file=f)
        for e in edges:
            for to in e:
                print(to, 1, file=f)


def grid(name, n, low, high):
    with open(name, 'w') as f:
        for _ in range(n):
            print('%.6f' % R.uniform(low, high), file=f)


def hotspot():
    grid('temp.txt', 64 * 64, 320, 345)
    grid('power.txt', 64 * 64, 0, 0.01)


def hotspot3D():
    grid('temp.txt', 64 * 64 * 8, 320, 345)
    grid('power.txt', 64 * 64 * 8, 0, 0.01)


def cfd():
    """A cube of hexahedra-like elements with four neighbours each, as the program wants them."""
    side = 16
    n = side * side
    with open('mesh.txt', 'w') as f:
        print(n, file=f)
        for y in range(side):
            for x in range(side):
                cells = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
                normals = [(-1, 0), (1, 0), (0, -1), (0, 1)]
                row = ['1.0']
                for (a, b), (u, v) in zip(cells, normals):
                    if 0 <= a < side and 0 <= b < side:
                        to = a + b * side + 1
                    else:
                        to = -1 if u else -2
                    row += [str(to), '%.1f' % u, '%.1f' % v, '0.0']
                print(*row, file=f)


cfd_double = cfd_pre = cfd_pre_double = cfd


def nn():
    with open('list.txt', 'w') as f:
        print('records.txt', file=f)
    with open('records.txt', 'w') as f:
        for i in range(1024):
            lat, lng = R.uniform(7, 63), R.uniform(0, 358)
            f.write('%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n' %
                    (R.randrange(1950, 2004), R.randrange(1, 12), R.randrange(1, 28),
                     R.choice([0, 6, 12, 18]), i % 100, 'STORM', lat, lng,
                     R.randrange(10, 150), R.randrange(10, 300)))


def kmeans():
    with open('points.txt', 'w') as f:
        for i in range(1000):
            print(i, *['%.4f' % R.uniform(0, 1) for _ in range(8)], file=f)


def dwt2d():
    n = 64
    body = bytes(R.randrange(256) for _ in range(n * n * 3))
    with open('image.bmp', 'wb') as f:
        f.write(body)


def huffman():
    with open('text.in', 'wb') as f:
        f.write(struct.pack('<65536I', *[min(int(R.expovariate(0.05)), 255) * 0x01010101
                                         for _ in range(65536)]))


def srad_v1():
    import os
    for name in ('image.pgm', '../data/srad/image.pgm', '../../../data/srad/image.pgm'):
        os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
        with open(name, 'w') as f:
            print('P2\n64 64\n255', file=f)
            for _ in range(64):
                print(*[R.randrange(1, 255) for _ in range(64)], file=f)


def btree():
    with open('keys.txt', 'w') as f:
        print(2000, file=f)
        for k in range(2000):
            print(k, file=f)
    with open('commands.txt', 'w') as f:
        print('j 100 50\nk 100', file=f)


if __name__ == '__main__':
    make = globals().get(sys.argv[1].replace('b+tree', 'btree'))
    if make:
        make()
