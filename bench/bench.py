#!/usr/bin/env python3
"""Measures the speed of the simulator and prints tables. Called by `make bench`.

    bench.py CORUN [--rounds N] [--store]    measures; --store keeps the runs in bench/measured.json
    bench.py --print                         prints the tables of the stored runs

Tables: programs alone on four machines; one simulation on 1 and 2 threads, and 132 SMs beside 16;
the cost of rules of maxwell16; the cost of sharing mechanisms; the cost of more blocks than warp
slots; a window of two programs. A round runs every simulation once, to spread a slow phase of the
host evenly over all simulations. Rates are per time inside the cycle loop, as in the `host` object
of a result.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from counts import LARGE

HERE = os.path.dirname(os.path.abspath(__file__))
MEASURED = os.path.join(HERE, 'measured.json')
ROUNDS = 5

GPUS = ['maxwell16', 'fermi30', 'rtx2060', 'h100']
# Bytes of the simulated programs' buffers.
PROGRAMS = {'mm': 3 * 320 * 320 * 4, 'vecadd': 3 * 2097152 * 4, 'stencil': 2 * 512 * 64 * 16 * 4,
            'gups': 4194304 * 8, 'gather': 8388608 * 4 + 2 * 1048576 * 4}
# Cumulative: each row omits one more rule than the row before.
RULES = {'all rules of maxwell16': [],
         '- a line is one DRAM command, not four': ['dram.atom_bytes=128'],
         '- DRAM has no clock of its own': ['clock.dram_mhz=1400'],
         '- no operand collector': ['sm.collector=none'],
         '- a crossbar input sends one packet, not two': ['xbar.input_speedup=1']}
RULED = {'mm': 100000, 'gups': 500000, 'gather': 500000}  # cycles
# Windows of one simulation on several threads: machine, program, cycles.
SIZES = {'16 SMs': (['--gpu', 'maxwell16'], 100000), '132 SMs': (LARGE, 20000)}
THREADED = {'mm': ['mm:size=window'], 'stencil': ['stencil:size=window'],
            'vecadd': ['vecadd:size=window'], 'gups': ['gups:size=window'],
            'mm + gups': ['mm:size=window', 'gups:size=window', '--policy', 'spatial']}
THREADS = ('1', '2', 'auto')
MECHANISMS = ['kernel-lrr', 'rbmi', 'qbmi', 'smil[limits=8/8]', 'dmil', 'l1-ucp', 'l1-mshr-split',
              'l2-ways', 'rr-frfcfs', 'its', 'kernel-lrr+qbmi+dmil',
              'kernel-lrr+qbmi+dmil+l1-ucp+l2-ways+its']
EXTENDED = ['mm', 'backprop', 'fdtd', 'spmv-jds']
RESIDENCY = ['leftover', 'virtual-thread', 'gpuduet', 'gpuduet[me=8]', 'gpuduet[me=8,levels=tb]']


def app(name):
    return os.path.join(HERE, 'gather.yaml') if name == 'gather' else name


def simulate(corun, *args):
    started = time.monotonic()
    out = subprocess.run([corun, 'run', *args, '--alone', 'skip', '--progress', 'none', '--quiet',
                          '--json', '-'], stdout=subprocess.PIPE, check=True, text=True).stdout
    result = json.loads(out)
    host, stats = result['host'], result['stats']
    return {'instructions': stats['inst.warp'], 'misses': stats['l1.misses'],
            'cycles': result['cycles'], 'peak_bytes': host['peak_rss_bytes'],
            'seconds': result['cycles'] / host['cycles_per_second'],
            'command_seconds': time.monotonic() - started}


def window(cycles):
    return ['--until', 'window', '--cycles', str(cycles)]


def plan():
    """Yields the name and the arguments of every simulation."""
    for gpu in GPUS:
        for p in PROGRAMS:
            yield '%s alone on %s' % (p, gpu), [app(p), '--gpu', gpu]
    for size, (gpu, cycles) in SIZES.items():
        for p, apps in THREADED.items():
            for n in THREADS:
                yield '%s, %s, threads %s' % (size, p, n), [*apps, *gpu, *window(cycles),
                                                            '--sim-threads', n]
    without = []
    for rule, values in RULES.items():
        without = [*without, *(w for v in values for w in ('--set', v))]
        for p, cycles in RULED.items():
            yield '%s, %s' % (p, rule), [app(p), '--gpu', 'maxwell16', *window(cycles), *without]
    for m in ['', *MECHANISMS]:
        yield 'shared ' + m, ['clone000-bp', 'clone000-sv', '--gpu', 'maxwell16', *window(100000),
                              '--policy', '+'.join(['smk-p', m][:1 + bool(m)])]
    for p in EXTENDED:
        for m in RESIDENCY:
            yield '%s under %s' % (p, m), [p, '--gpu', 'maxwell16-duet', '--policy', m,
                                           *window(50000)]
    yield 'two', ['mm', 'gups', '--gpu', 'maxwell16', '--policy', 'spatial', *window(2000000)]


def without_start(corun, args):
    """Subtracts the time of the first cycle, in which the host programs make their inputs. A run
    before makes the system provide the memory, which may take longer than the simulation."""
    at = args.index('--cycles') + 1
    one = [*args[:at], '1', *args[at + 1:]]
    simulate(corun, *one)
    row = simulate(corun, *args)
    row['seconds'] -= simulate(corun, *one)['seconds']
    return row


def measure(corun, rounds):
    runs = {}
    for _ in range(rounds):
        for name, args in plan():
            several = ', threads ' in name
            row = without_start(corun, args) if several else simulate(corun, *args)
            runs.setdefault(name, []).append(row)
    return runs


def median(rows, value):
    return statistics.median(value(r) for r in rows)


def programs(runs):
    print('program alone until it completes, median and best of %d runs' %
          len(next(iter(runs.values()))))
    print('%-9s %-8s %12s %10s %9s %6s %9s %13s %6s %8s %11s' % (
        'machine', 'program', 'warp instr', 'cycles', 'M instr/s', 'best', 'M cycl/s',
        'M L1 misses/s', 'best', 'peak MB', 'besides MB'))
    for gpu in GPUS:
        for p, own in PROGRAMS.items():
            rows = runs.get('%s alone on %s' % (p, gpu))
            if not rows:  # stored before the machine had a row
                continue
            first, least = rows[0], min(r['seconds'] for r in rows) * 1e6
            seconds = median(rows, lambda r: r['seconds']) * 1e6
            peak = median(rows, lambda r: r['peak_bytes'])
            print('%-9s %-8s %12d %10d %9.2f %6.2f %9.2f %13.2f %6.2f %8.1f %11.1f' % (
                gpu, p, first['instructions'], first['cycles'], first['instructions'] / seconds,
                first['instructions'] / least, first['cycles'] / seconds,
                first['misses'] / seconds, first['misses'] / least, peak / 2**20,
                (peak - own) / 2**20))
    print("besides MB: peak memory of the process without the simulated programs' own buffers")


def each(unit):
    """Returns a function: nanoseconds of host time per instruction or miss of a run."""
    return lambda row: row['seconds'] / row[unit] * 1e9


def share(rows, base, value):
    """Returns the median ratio of a value to the base's value in the same round."""
    return statistics.median(value(r) / value(b) for r, b in zip(rows, base))


def threads(runs):
    """Prints rates of the cycle loop after its first cycle, by wall time."""
    print('\none simulation on several threads: ns of host time a warp instruction, times as fast '
          'as on 1')
    print('%-9s %-9s' % ('', '') + ''.join(' %14s' % n for n in THREADS) + '  132 SMs over 16')
    value, small = each('instructions'), next(iter(SIZES))
    for size in SIZES:
        for p in THREADED:
            base = runs['%s, %s, threads 1' % (size, p)]
            line = '%-9s %-9s' % (size, p)
            for n in THREADS:
                rows = runs['%s, %s, threads %s' % (size, p, n)]
                line += ' %8.0f %5.2f' % (median(rows, value), 1 / share(rows, base, value))
            if size != small:
                line += '%17.2f' % share(base, runs['%s, %s, threads 1' % (small, p)], value)
            print(line)


def rules(runs):
    print('\none rule after the other left out: ns of host time a warp instruction (mm) or L1 miss,'
          ' share')
    print('%-44s' % '' + ''.join(' %14s' % p for p in RULED))
    for rule in RULES:
        line = '%-44s' % rule
        for p in RULED:
            value = each('instructions' if p == 'mm' else 'misses')
            rows, base = runs['%s, %s' % (p, rule)], runs['%s, %s' % (p, next(iter(RULES)))]
            line += ' %8.0f %5.2f' % (median(rows, value), share(rows, base, value))
        print(line)


def mechanisms(runs):
    """Prints the cost per warp instruction, not per cycle, because a mechanism also changes the
    warp instructions issued per cycle."""
    print('\nstand-ins of bp and sv under smk-p: ns of host time a warp instruction, share of that '
          'without')
    value, base = each('instructions'), runs['shared ']
    for m in ['', *MECHANISMS]:
        rows = runs['shared ' + m]
        print('%-48s %8.0f %6.2f' % ('+ ' + m if m else 'smk-p', median(rows, value),
                                     share(rows, base, value)))


def residency(runs):
    print('\nalone on maxwell16-duet: ns of host time a warp instruction, share of that under '
          'leftover')
    print('%-26s' % '' + ''.join(' %14s' % p for p in EXTENDED))
    value = each('instructions')
    for m in RESIDENCY:
        line = '%-26s' % m
        for p in EXTENDED:
            rows, base = runs['%s under %s' % (p, m)], runs['%s under %s' % (p, RESIDENCY[0])]
            line += ' %8.0f %5.2f' % (median(rows, value), share(rows, base, value))
        print(line)


def show(runs):
    programs(runs)
    if any('threads' in name for name in runs):  # older stored runs have none
        threads(runs)
    rules(runs)
    mechanisms(runs)
    residency(runs)
    print('\nmm + gups, --policy spatial, window of 2,000,000 cycles: %.2f s' %
          median(runs['two'], lambda r: r['command_seconds']))


def main(words):
    if words == ['--print']:
        with open(MEASURED) as f:
            return show(json.load(f))
    store = '--store' in words
    words = [w for w in words if w != '--store']
    if len(words) not in (1, 3) or words[1:2] not in ([], ['--rounds']):
        sys.exit(__doc__)
    runs = measure(words[0], int(words[2]) if words[1:] else ROUNDS)
    if store:
        with open(MEASURED, 'w') as f:
            rows = [json.dumps(name) + ': [\n' + ',\n'.join(map(json.dumps, of)) + ']'
                    for name, of in runs.items()]
            f.write('{' + ',\n'.join(rows) + '}\n')
    return show(runs)


if __name__ == '__main__':
    main(sys.argv[1:])
