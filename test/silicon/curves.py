#!/usr/bin/env python3
"""Curves of the machines beside measured points: latency of a pointer chase over the size of the
buffer, and bandwidth of copies in L2 over the number of SMs. Rows of simulated.csv complete the
curves.

    curves.py [--only MACHINE]... BUILD   simulates the curves and stores the points in curves.csv
    curves.py --draw FOLDER BUILD         draws FOLDER/silicon-MACHINE.svg from curves.csv and
                                          public.csv; tools/docs.sh calls it
"""
import argparse
import csv
import math
import os
import re

from measures import (COPY, HERE, HOPS, LARGEST_WARM, MACHINES, MB, Machine, comparable, figure,
                      megabytes, public, quantity)
from silicon import model, stored

STORED = os.path.join(HERE, 'curves.csv')
HEAD = ['machine', 'curve', 'x', 'value', 'model']
SIZES = [1 / 64, 1 / 16, 1 / 8, 3 / 16, 1 / 4, 1 / 2, 1, 4, 16, 256]  # MB
OF_L2 = [3 / 4, 1, 5 / 4]  # sizes near L2's, where public.csv has none
FRACTIONS = [1 / 64, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4, 1]  # of all SMs


def simulated(name, pattern):
    """(x, value) of the rows of public.csv whose label has an x, as simulated by silicon.py."""
    found = ((re.fullmatch(pattern, label), row) for (machine, label), row in stored().items()
             if machine == name)
    return [(float(x.group(1)), float(row['value'])) for x, row in found if x]


def stored_chases(name):
    return [p for p in simulated(name, r'chase ([\d.]+) MB') if p[0] < SIZES[-1]]


def stored_points(name):
    """(curve, x, value) of the machine in curves.csv."""
    with open(STORED, encoding='utf-8') as f:
        return [(r['curve'], float(r['x']), float(r['value'])) for r in csv.DictReader(f)
                if r['machine'] == name]


def chase(m, mb):
    size = int(mb * MB)
    if size > LARGEST_WARM:
        return m.chase(size)
    return m.chase_warm(size, hops=HOPS)


def points(m):
    """(curve, x, function) of a machine."""
    sizes = SIZES
    if not stored_chases(m.name):
        sizes = sorted(SIZES + [f * m.l2_bytes / MB for f in OF_L2])
    for mb in sizes:
        yield 'chase', mb, lambda mb=mb: chase(m, mb)
    for n in sorted({max(1, round(f * m.sms)) for f in FRACTIONS}):
        yield 'L2 copy', n, lambda n=n: m.bandwidth(COPY, 4 * MB, n, 1024, 2)


def simulate(corun, names):
    rows = []
    if os.path.exists(STORED):
        with open(STORED, encoding='utf-8') as f:
            rows = [r for r in csv.DictReader(f) if r['machine'] not in names]
    for name in names:
        for curve, x, function in points(Machine(corun, name)):
            value = '%.5g' % function()
            print(name, curve, '%g' % x, value, flush=True)
            rows.append(dict(zip(HEAD, (name, curve, '%g' % x, value, model.present()))))
    with open(STORED + '.new', 'w', encoding='utf-8') as f:
        writer = csv.DictWriter(f, HEAD, lineterminator='\n')
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda r: MACHINES.index(r['machine'])))
    os.replace(STORED + '.new', STORED)


# ---- drawing ----

WIDTH, HEIGHT, LEFT, TOP, GAP, FOOT = 320, 220, 56, 34, 80, 74
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 } .right { text-anchor: end } .middle { text-anchor: middle }
.paper { fill: #ffffff } .axis { stroke: #57606a } .grid { stroke: #d8dee4 }
.a { stroke: #0969da; fill: none; stroke-width: 1.6 } .b { stroke: #bc4c00; fill: none;
stroke-width: 1.6 } .fit.a, .fit.b { stroke-width: 1 } .fit.a { fill: #0969da }
.fit.b { fill: #bc4c00 } .check { stroke-width: 1.4 }
"""


def text(x, y, words, style=''):
    return '<text x="%g" y="%g"%s>%s</text>' % (x, y, style and ' class="%s"' % style, words)


def escaped(words):
    return words.replace('&', '&amp;').replace('<', '&lt;')


def round_top(value):
    """The least of 1, 2, 2.5, 4, 5, 8 times a power of ten that is not below the value."""
    power = 10 ** math.floor(math.log10(value))
    return next(n * power for n in (1, 2, 2.5, 4, 5, 8, 10) if n * power >= value)


class Panel:
    """Axes, curves and measured points; `along` maps x to 0..1."""
    def __init__(self, left, title, unit, along, top):
        self.left, self.along, self.top = left, along, top
        self.parts = [text(left - LEFT + 8, TOP - 14, title, 'title')]
        for k in range(5):
            y = self.y(top * k / 4)
            self.parts.append('<line x1="%d" x2="%d" y1="%g" y2="%g" class="%s"/>' % (
                left, left + WIDTH, y, y, 'grid' if k else 'axis'))
            self.parts.append(text(left - 6, y + 4, '%g' % (top * k / 4), 'right'))
        self.parts.append(text(left + WIDTH, TOP - 14, unit, 'right'))

    def x(self, value):
        return self.left + WIDTH * self.along(value)

    def y(self, value):
        return TOP + HEIGHT * (1 - value / self.top)

    def tick(self, value, words):
        self.parts.append(text(self.x(value), TOP + HEIGHT + 18, words, 'middle'))

    def curve(self, found, style):
        at = ' '.join('%.1f,%.1f' % (self.x(x), self.y(y)) for x, y in found)
        self.parts.append('<polyline class="%s" points="%s"/>' % (style, at))

    def point(self, x, y, row, style):
        words = escaped('%s %s: %s %s, %s (%s)' % (row['quantity'], row['at'], row['value'],
                                                    row['unit'], row['source'], row['use']))
        self.parts.append('<circle cx="%.1f" cy="%.1f" r="4" class="%s %s"><title>%s</title>'
                          '</circle>' % (self.x(x), self.y(y), row['use'], style, words))


def measured(name, place):
    """(x, value, row) of the machine's measured rows that `place` gives an x."""
    for row in public():
        x = place(row) if row['machine'] == name and row['kind'] == 'measured' else None
        factor = x and comparable(Machine.of[name], row)
        if factor:
            yield x, sum(figure(row)) / 2 * factor, row


def chase_place(row):
    name, _ = quantity(row)
    if name == 'chase latency':
        return min(megabytes(row) / MB or SIZES[-1], SIZES[-1])
    return {'L1 hit latency': SIZES[0], 'L2 near hit latency': 1.0,
            'DRAM idle latency': SIZES[-1]}.get(name) if not row['at'] else None


def copy_place(kind, sms):
    def place(row):
        if row['quantity'] != kind + ' bandwidth' or 'blocks' in row['at']:
            return None
        return int(row['at'].split()[0]) if row['at'] else sms
    return place


def picture(name):
    sms = Machine.of[name].sms
    found = {}
    for curve, x, value in stored_points(name):
        found.setdefault(curve, []).append((x, value))
    found['chase'] = sorted(found['chase'] + stored_chases(name))
    found['DRAM copy'] = simulated(name, r'DRAM copy bandwidth, (\d+) SMs?')
    chases = list(measured(name, chase_place))
    copies = {k: list(measured(name, copy_place(k, sms))) for k in ('L2 copy', 'DRAM copy')}
    low, high = math.log2(SIZES[0]), math.log2(SIZES[-1])
    top = round_top(max(y for _, y, *_ in chases + found['chase']))
    left = Panel(LEFT, name + ': pointer chase over the size of a buffer', 'cycles',
                 lambda x: (math.log2(x) - low) / (high - low), top)
    for mb, words in (1 / 64, '16 KB'), (1 / 4, '256 KB'), (4, '4 MB'), (32, '32 MB'), \
            (256, 'DRAM'):
        left.tick(mb, words)
    left.curve(found['chase'], 'a')
    for x, y, row in chases:
        left.point(x, y, row, 'a')
    top = round_top(max(y for k, more in copies.items() for _, y, *_ in more + found[k]))
    right = Panel(LEFT + WIDTH + GAP, 'copies over the number of SMs', 'GB/s',
                  lambda x: x / sms, top)
    for n in sorted({1, round(sms / 4), round(sms / 2), sms}):
        right.tick(n, n)
    for (kind, more), style in zip(copies.items(), 'ab'):
        if found[kind]:
            right.curve(found[kind], style)
        for x, y, row in more:
            right.point(x, y, row, style)
    y = TOP + HEIGHT + 44
    legend = [text(LEFT, y, 'lines: simulated; circles: measured, filled where a value of the '
                   'machine is fitted to the figure'),
              text(LEFT, y + 17, 'copies: blue in L2, red in DRAM, reads and writes together')]
    size = LEFT + 2 * WIDTH + GAP + 20, TOP + HEIGHT + FOOT
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n' \
        '<title>%s: simulated curves and measured points</title>\n<style>%s</style>\n' \
        '<rect class="paper" width="%d" height="%d"/>\n%s\n</svg>\n' % (
            *size, name, STYLE, *size, '\n'.join(left.parts + right.parts + legend))


def draw(corun, folder):
    Machine.of = {name: Machine(corun, name) for name in MACHINES}
    for name in MACHINES:
        path = os.path.join(folder, 'silicon-%s.svg' % name)
        with open(path + '.new', 'w', encoding='utf-8') as f:
            f.write(picture(name))
        os.replace(path + '.new', path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--only', action='append', choices=MACHINES)
    parser.add_argument('--draw', metavar='FOLDER')
    parser.add_argument('build')
    args = parser.parse_args()
    corun = os.path.join(os.path.abspath(args.build), 'corun')
    if args.draw:
        draw(corun, args.draw)
    else:
        simulate(corun, args.only or MACHINES)


if __name__ == '__main__':
    main()
