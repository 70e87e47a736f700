#!/usr/bin/env python3
"""Counts host instructions of the cycle loop by part of the simulator, with callgrind.

    shares.py BUILD [--store]    BUILD has debug information: meson setup -Ddebug=true BUILD
    shares.py --print            prints the stored shares (bench/shares.json)

Inlined code counts for the part whose file has the code; code of base and of the host's headers for
the part of the function around it. `tags` are tags and MSHRs of L1 and L2. The first cycle and the
start of the process do not count.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import counts

STORED = os.path.join(counts.HERE, 'shares.json')
PARTS = {'execute': ('exec/', 'isa/', 'mem/', 'functional/'),
         'schedule': ('chip/sm/front/', 'chip/sm/policy/'),
         'collect': ('chip/sm/port/',),
         'ldst': ('chip/sm/lsu/',),
         'SM': ('chip/sm/', 'gpu/tick.'),
         'L1': ('chip/l1/', 'chip/tex/'),
         'tags': ('cache/',),
         'L2': ('chip/l2/',),
         'crossbar': ('chip/xbar/',),
         'DRAM': ('chip/dram/',),
         'clock': ('gpu/',)}
TICKS = list(PARTS)[:7]  # run by all threads; the tags of L2 are not, hence an upper bound
BESIDE = ['L2', 'crossbar', 'DRAM']  # run by one thread while the others tick
ROWS = ['maxwell16 mm', 'maxwell16 stencil', 'maxwell16 vecadd', 'maxwell16 gups',
        'maxwell16 gather', 'rtx2060 mm', 'rtx2060 gather', 'rtx2060 tensor', '132 SMs mm']


def part_of(path):
    """Returns the part of a source file; None: of the code around."""
    name = path.rpartition('/src/')[2]
    if name == path or name.startswith('base/'):
        return None
    return next((p for p, starts in PARTS.items() if name.startswith(starts)), 'other')


def instructions(corun, words):
    """Returns host instructions by part."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'callgrind')
        subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=' + out, corun,
                        *words], check=True, capture_output=True)
        with open(out) as f:
            return by_part(f)


def by_part(lines):
    """Adds up the lines of a callgrind file: positions and costs, below the file (fl, fi, fe) and
    function (fn) of the code. A line behind `calls=` counts for the called function."""
    names, found = {}, collections.Counter()
    home = here = 'other'
    skips = False
    for line in lines:
        key, _, value = line.strip().partition('=')
        number, _, path = value.partition(' ')
        if path and key in ('fl', 'fi', 'fe', 'cfl', 'cfi'):
            names[number] = path
        if key in ('fl', 'fi', 'fe'):
            part = part_of(names[number])
            if key == 'fl':
                home = part or 'other'
            here = part or home
        elif key == 'calls':
            skips = True
        elif re.match(r'[+*\-\d]', line):
            if not skips:
                found[here] += int(line.split()[1])
            skips = False
    return found


def measure(corun, row):
    command = ['run', *counts.ROWS[row], '--alone', 'skip', '--quiet', '--json', '/dev/null',
               '--sim-threads', '1', '--until', 'window', '--cycles']
    cycles = counts.CYCLES_LARGE if row.startswith('132 SMs') else counts.CYCLES
    whole = instructions(corun, [*command, str(cycles)])
    whole.subtract(instructions(corun, [*command, '1']))
    return dict(whole)


def bound(share, threads):
    """Returns how many times as fast a run on several threads can be: ticks are divided evenly, one
    thread also simulates the memory side at the same time, and meeting is free."""
    ticks, beside = (sum(share[c] for c in parts) for parts in (TICKS, BESIDE))
    return 1 / (1 - ticks - beside + max(beside, (ticks + beside) / threads))


def show(rows):
    columns = [*PARTS, 'other']
    print('host instructions of the cycle loop by part, %; of ticks of SMs (the first seven), %; '
          'bound\nof 2 and 16 threads: how many times as fast if ticks are divided evenly, L2, '
          'crossbar and\nDRAM run at the same time, and meeting is free')
    print('%-18s' % '' + ''.join('%9s' % c for c in columns) + '    ticks  2 thr 16 thr')
    for row, found in rows.items():
        share = {c: found.get(c, 0) / sum(found.values()) for c in columns}
        ticks = sum(share[c] for c in TICKS)
        print('%-18s' % row + ''.join('%9.1f' % (100 * share[c]) for c in columns) +
              '%9.1f%7.1f%7.1f' % (100 * ticks, bound(share, 2), bound(share, 16)))


def main(words):
    if words == ['--print']:
        with open(STORED) as f:
            return show(json.load(f))
    if not words or words[1:] not in ([], ['--store']):
        sys.exit(__doc__)
    rows = {row: measure(os.path.join(words[0], 'corun'), row) for row in ROWS}
    if words[1:]:
        with open(STORED, 'w') as f:
            json.dump(rows, f, indent=1)
            f.write('\n')
    return show(rows)


if __name__ == '__main__':
    main(sys.argv[1:])
