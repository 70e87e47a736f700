#!/usr/bin/env python3
"""inputs.py PROGRAM: makes the input of a Rodinia program in the current folder, or in the folder
used by the program."""
import os
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
    """Square elements with four neighbours each, as the program wants them: a wall with a slope
    below, else free flow."""
    side = 16
    with open('mesh.txt', 'w') as f:
        print(side * side, file=f)
        for y in range(side):
            for x in range(side):
                slope = 0.05 if y == 0 and 4 <= x < 10 else 0.0
                row = ['1.0']
                for a, b, u, v in ((x - 1, y, 1, 0), (x + 1, y, -1 - slope, 0),
                                   (x, y - 1, slope, 1), (x, y + 1, 0, -1)):
                    if 0 <= a < side and 0 <= b < side:
                        to = a + b * side + 1
                    else:
                        to = 0 if b < 0 else -1 # the wall, or far away
                    row += [str(to), '%.2f' % u, '%.2f' % v, '0.0'] # normals into the element
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
    os.makedirs('../../data/dwt2d', exist_ok=True)
    with open('../../data/dwt2d/image.bmp', 'wb') as f: # pixels only, as the program expects
        for y in range(64):
            for x in range(64):
                f.write(bytes((8 * x + R.randrange(32) + k * y) % 256 for k in range(3)))


def chunk(name, body):
    return name + struct.pack('<I', len(body)) + body + b'\0' * (len(body) % 2)


def heartwall():
    """Writes an uncompressed film of grey frames with moving squares."""
    width, height, frames = 609, 590, 10
    header = (chunk(b'strh', struct.pack('<4s4s10I', b'vids', b'DIB ', 0, 0, 0, 1, 25, 0, frames,
                                         width * height, 0, 0) + bytes(8)) +
              chunk(b'strf', struct.pack('<3I2H6I', 40, width, height, 1, 8, 0, width * height, 0,
                                         0, 0, 0)))
    film = b'movi'
    grey = [[R.randrange(256) for _ in range(width)] for _ in range(height)]
    for n in range(frames):
        picture = bytearray()
        for y in range(height):
            row = grey[(y - n) // 5 % height]
            picture += bytes(row[(x - 2 * n) // 5 % width] for x in range(width))
        film += chunk(b'00db', bytes(picture))
    body = b'AVI ' + chunk(b'LIST', b'hdrl' + chunk(b'LIST', b'strl' + header)) + \
        chunk(b'LIST', film)
    with open('test.avi', 'wb') as f:
        f.write(chunk(b'RIFF', body))


def huffman():
    with open('text.in', 'wb') as f:
        f.write(struct.pack('<65536I', *[min(int(R.expovariate(0.05)), 255) * 0x01010101
                                         for _ in range(65536)]))


def srad_v1():
    os.makedirs('../../../data/srad', exist_ok=True)
    with open('../../../data/srad/image.pgm', 'w') as f:
        print('P2\n458 502\n255', file=f)
        for _ in range(502):
            print(*[R.randrange(1, 255) for _ in range(458)], file=f)


def myocyte():
    """A heart cell at rest: gates, buffers, concentrations (mM), voltage (mV); 45 states of
    calmodulin, all small."""
    rest = [0.0014, 0.987, 0.992, 7e-6, 1.0, 0.024, 0.0145, 0.004, 0.995, 0.004, 0.995, 0.0086,
            0.0054, 0.89, 8e-7, 1e-7, 3.54, 0.77, 0.0088, 0.108, 0.015, 0.0003, 0.0013, 0.138,
            0.0021, 0.0096, 0.111, 0.0073, 0.073, 1.24, 0.55, 8.8, 8.8, 8.8, 135.0, 0.00017, 0.0001,
            8.6e-5, -85.7, 0.995, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    small = ['%.6f' % R.uniform(0.01, 0.2) for _ in range(91 - len(rest))]
    os.makedirs('../../data/myocyte', exist_ok=True)
    with open('../../data/myocyte/y.txt', 'w') as f:
        print(*rest, *small, sep='\n', file=f)
    grid('../../data/myocyte/params.txt', 18, 0.5, 1.5)


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
