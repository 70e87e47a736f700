#!/usr/bin/env python3
"""Counts host instructions per simulated warp instruction with callgrind, on one thread; the load
of the host has no influence. Compares each row with the stored figure (counts.json).

    counts.py BUILD [ROW...]           exit status 1: a row costs over 1 % more than stored
    counts.py BUILD --write [ROW...]   stores the counts
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, 'counts.json')
TOLERANCE = 0.01
CYCLES = 20000
CYCLES_LARGE = 4000  # for rows of 132 SMs

GATHER, TENSOR = (os.path.join(HERE, name + '.yaml') for name in ('gather', 'tensor'))
PROGRAMS = {'mm': 'mm', 'vecadd': 'vecadd', 'stencil': 'stencil', 'gups': 'gups',
            'gather': GATHER, 'spmv': 'spmv'}
ROWS = {'%s %s' % (gpu, name): [app, '--gpu', gpu] for gpu in ('maxwell16', 'fermi30', 'rtx2060')
        for name, app in PROGRAMS.items()}
LARGE = ['--gpu', 'maxwell16', '--set', 'sm.count=132', '--set', 'map.channels=64']
ROWS.update({'132 SMs %s' % name: ['%s:size=window' % name, *LARGE]
             for name in ('mm', 'vecadd', 'gups')})
# without the latency of the launch, which is as long as the window
H100 = ['--gpu', 'h100', '--set', 'launch.latency_ns=0']
ROWS.update({'h100 %s' % name: ['%s:size=window' % name, *H100]
             for name in ('mm', 'vecadd')})
ROWS['maxwell16-duet backprop, gpuduet'] = ['backprop', '--gpu', 'maxwell16-duet', '--policy',
                                            'gpuduet']
ROWS['rtx2060 tensor'] = [TENSOR, '--gpu', 'rtx2060']
ROWS['maxwell16 bp + sv, smk-p+dmil+its'] = ['clone000-bp', 'clone000-sv', '--gpu', 'maxwell16',
                                             '--policy', 'smk-p+dmil+its']


def instructions(corun, *args):
    """Returns the host instructions of the simulating process, and the command's standard
    output."""
    p = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', corun,
                        *args], capture_output=True, text=True)
    assert p.returncode in (0, 1), p.stderr[-2000:]
    return max(int(n) for n in re.findall(r'Collected : (\d+)', p.stderr)), p.stdout


def window(corun, apps, cycles):
    """Returns the host instructions of all cycles after the first, and the result. Subtracts the
    cost of everything else, measured by running the same command for one cycle."""
    command = ['run', *apps, '--alone', 'skip', '--quiet', '--json', '-', '--sim-threads', '1',
               '--until', 'window', '--cycles']
    whole, out = instructions(corun, *command, str(cycles))
    start, _ = instructions(corun, *command, '1')
    return whole - start, json.loads(out)


def cost(corun, row):
    """Returns the host instructions per warp instruction, and per L1 miss."""
    cycles = CYCLES_LARGE if row.startswith(('132 SMs', 'h100')) else CYCLES
    count, result = window(corun, ROWS[row], cycles)
    stats = result['stats']
    return count / stats['inst.warp'], count / max(stats['l1.misses'], 1)


def kind(build):
    """Returns compiler, vector width and optimisation of the build: figures are stored per kind of
    build."""
    with open(os.path.join(build, 'compile_commands.json')) as f:
        commands = [entry['command'] for entry in json.load(f)]
    command = commands[0]
    words = command.split()
    compiler = words[words[0] == 'ccache']  # meson puts ccache first where it is installed
    about = subprocess.check_output([compiler, '--version'], text=True)
    name = 'clang' if 'clang' in about else 'gcc'
    version = subprocess.check_output([compiler, '-dumpversion'], text=True).split('.')[0].strip()
    wide = 'v3' if '-march=x86-64-v3' in command else 'baseline'
    level = ''.join(re.findall(r' -(O\w)', command)[-1:])
    level += '-lto' * any('-flto' in c for c in commands)
    return '-'.join([name, version, wide, level])


def stored():
    if not os.path.exists(FIGURES):
        return {}
    with open(FIGURES) as f:
        return json.load(f)


def main(build, *words):
    corun, have, figures = os.path.join(build, 'corun'), kind(build), stored()
    write = '--write' in words
    rows = [w for w in words if w != '--write'] or list(ROWS)
    unknown = [r for r in rows if r not in ROWS]
    if unknown:
        sys.exit('no row %s; there are:\n  %s' % (unknown[0], '\n  '.join(ROWS)))
    if have not in figures and not write:
        sys.exit('%s has no figures for a build of kind %s' % (FIGURES, have))
    print('host instructions per warp instruction, %s, windows of %d cycles, of %d on 132 SMs' %
          (have, CYCLES, CYCLES_LARGE))
    print('%-36s %10s %10s %10s %9s' % ('', 'an L1 miss', 'now', 'stored', 'change'))
    dearer = 0
    for row in rows:
        (now, miss), figure = cost(corun, row), figures.get(have, {}).get(row)
        change = '' if figure is None else ' %10.1f %+7.2f %%' % (figure, 100 * (now / figure - 1))
        dearer += figure is not None and now > figure * (1 + TOLERANCE)
        print('%-36s %10.0f %10.1f%s' % (row, miss, now, change), flush=True)
        if write:
            figures.setdefault(have, {})[row] = round(now, 1)
    if write:
        with open(FIGURES, 'w') as f:
            json.dump(figures, f, indent=1)
            f.write('\n')
    elif dearer:
        sys.exit('%d of %d cost over %g %% more than stored' % (dearer, len(rows), 100 * TOLERANCE))


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
