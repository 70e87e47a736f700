#!/usr/bin/env python3
"""Writes docs/reference/silicon.md to standard output: page.py CORUN. From public.csv,
simulated.csv and the machine files; tools/docs.sh calls page.py, silicon.py makes simulated.csv."""
import fnmatch
import os
import re
import sys

from measures import MACHINES, Machine, comparable, figure, measure, public, sources_range
from properties import NO_OPTION, OPTIONS
from silicon import model, stored

LATENCY, BANDWIDTH = 0.05, 0.10     # largest error of a good row
INTRO = '''# Machines beside silicon

The machines `%s` beside public
measurements of real GPUs, and an H100 and an H200 measured by `test/silicon/collect`, all of a
program that runs alone. `make silicon` repeats the simulations
and writes the page. The figures with their sources are in `test/silicon/public.csv`.

* *fit*: a value of the machine file is chosen to reproduce the figure. *check*: no value is. No
  machine is fitted to runs of programs that share a GPU.
* Latencies are SM cycles of a load in a pointer chase (`chase`) or of an instruction in a chain of
  dependent instructions (`rate`), bandwidths GB/s of reads and writes together (`bandwidth`). A
  chase goes around the lines that were read first, a ring around lines from anywhere. Rates
  are instructions per cycle of an SM with 32 warps (mma: 16) of four chains.
* Reads of L2, and the read bandwidth at a size, are of `test/silicon/regions.ptx`: many blocks read
  regions of 512 KB in turn, as in the source.
* Bulk copies are `cp.async.bulk` to shared memory (`test/cli/bulk.ptx`): the latency of a copy from
  L2, and the bandwidth of copies of 16 KB, eight in flight on each SM.
* The error is the distance to the nearest end of the public range. Where sources differ, the range
  is that of all sources of the quantity, in brackets; a figure of our own is compared alone. A
  latency within %d %% and a bandwidth or rate within %d %% are good.
* A figure of another product with the same chip (of PCIe, of L40) is compared in time, not cycles;
  chases through the L2 of an L40 are simulated with its 96 MB, of a GH200 with its 60 MB.
* Streams run the kernels whose loads wait in the order of the machine code on silicon
  (`bandwidth:ordered=1`).
* Values without a newer source are those of `gpus/gpgpusim3.yaml`, most of them of a GTX 480; some
  have no effect on these machines.
* Curves: lines are simulated (`test/silicon/curves.py`), circles are measured, filled where a value
  of the machine is fitted to the figure.
* `gpus/ampere.yaml` lists the rules that are missing. Clocks are fixed: a real GPU may
  lower its clock to hold its power.
'''
REASONS = [  # pattern of the machine, pattern of the measure, reason of an error
    ('h100', 'DRAM copy*', 'the public copy reaches 61 % of the peak; copies in '
     'test/silicon/h100.jsonl reach 84 %'),
    ('h*', 'bulk 16384 bytes', 'on silicon the last 8 KB take 105 bytes per cycle; a port of an SM '
     'takes 64 here'),
    ('h*', 'stream read 8 MB, 1 SM', 'on silicon an SM takes 85 bytes per cycle from L2; here the '
     'port of an SM takes 64, and with 128 an SM takes 106, each of 16 SMs 103 (silicon: 56, 66)'),
    ('h200', 'stream read 8 MB, *6*SM*', 'as for 1 SM'),
    ('h*', 'rate hfma2', 'not isolated; ptxas takes two machine instructions in turn, opcodes '
     '0x231 and 0x235, for the one of PTX'),
    ('h100', 'stream read 52 MB', 'not isolated; on silicon nearly all lines miss, here 44 % from '
     'the 16th pass on, with LRU and without copies 25 % (`l2.candidates=1`, `l2.near_copy=off`)'),
    ('h200', 'stream * 64 MB', 'not isolated; on silicon nearly all lines read miss, here 51 % '
     'from the 16th pass on, with LRU and without copies 29 %'),
    ('h*', '*device to device*', 'the measured time is a difference of two times of the host'),
    ('h200', 'pageable to device, 64 MB', 'on silicon 7.9 GB/s, at 16 MB 12.4; the model has one '
     'bandwidth'),
    ('rtx5090', 'DRAM copy*', 'the source copies 4 bytes per thread at a time; so does '
     '`probe:kind=1`, which reaches 1291 GB/s in 170 blocks of 768 threads, measured 1269'),
]
GPCS = '''The blocks of a cluster run on different SMs of one GPC, and exchange `sm.cluster_bytes`
bytes per SM and cycle. A GPC with room for a part of a cluster only gets none: 18 SMs hold one
cluster of 16 blocks with a block per SM. Machines without a row here have no clusters; their SMs
are one GPC.
'''
HOST_LATENCIES = ('launch latency', 'launch gap', 'graph node')
UNKNOWN = 'not isolated'


def lines_of(rows):
    return '\n'.join('| %s |' % ' | '.join(row) for row in rows) + '\n'


def table(head, rows):
    return lines_of([head, ['---'] * len(head), *rows])


def short(value):
    return '%.4g' % value if value < 10000 else '%.0f' % value


class Row:
    """A row of public.csv beside the stored result."""
    def __init__(self, m, row, results):
        found, self.row, self.label = measure(m, row), row, ''
        self.factor = comparable(m, row)
        self.simulated = self.error = None
        self.range = ''
        if found and self.factor:
            result = results[m.name, found[0]]
            self.label, self.simulated = found[0], float(result['value'])
            self.mark = model.mark(result['model'])
            low, high = (v * self.factor for v in sources_range(m, row))
            nearest = min(max(self.simulated, low), high)
            self.error = self.simulated / nearest - 1
            if (low, high) != tuple(v * self.factor for v in figure(row)):
                self.range = ' (%s-%s)' % (short(low), short(high))

    def latency(self):
        return self.row['unit'] in ('cycles', 'ns') or self.label in HOST_LATENCIES

    def good(self):
        return abs(self.error) <= (LATENCY if self.latency() else BANDWIDTH)

    def cells(self):
        r = self.row
        scale = '' if self.factor == 1 else ' x %.3f' % self.factor
        return [r['quantity'], r['at'], '%s %s%s' % (r['value'], r['unit'], scale),
                short(self.simulated) + self.mark, '%+.1f %%' % (100 * self.error) + self.range,
                r['use'], r['source']]


def reason(name, row):
    for machine, words, why in REASONS:
        if fnmatch.fnmatch(name, machine) and fnmatch.fnmatch(row.label, words):
            return why
    return UNKNOWN


def summary(machines, rows):
    """A line per machine."""
    out = []
    for m in machines:
        checks = [r for r in rows[m.name] if r.error is not None and r.row['use'] == 'check']
        parts = [[r for r in checks if r.latency() == latency] for latency in (True, False)]
        out.append(['`%s`' % m.name] +
                   ['%d of %d' % (sum(r.good() for r in part), len(part)) for part in parts] +
                   [str(sum(r.error is None for r in rows[m.name])),
                    '%d of %d' % (m.guesses(), len(m.value)), str(m.inherited())])
    return table(['machine', 'latencies for check within %d %%' % (100 * LATENCY),
                  'bandwidths and rates for check within %d %%' % (100 * BANDWIDTH),
                  'measured figures without simulation', 'values that are guesses',
                  'values of `gpgpusim3.yaml`'], out)


def total(rows):
    """A sentence about the rows for check of all machines."""
    checks = [r for some in rows.values() for r in some
              if r.error is not None and r.row['use'] == 'check']
    good = sum(r.good() for r in checks)
    return 'Of all %d rows for check %d are good, %.1f %%.\n' % (len(checks), good,
                                                           100 * good / len(checks))


def machine_part(m, rows, properties):
    simulated = [r for r in rows if r.error is not None]
    svg = 'silicon-%s.svg' % m.name
    text = '\n## %s\n\n[![Curves beside measured points](%s)](%s)\n\n' % (m.name, svg, svg)
    text += table(['quantity', 'at', 'public', 'simulated', 'error', 'use', 'source'],
                  [r.cells() for r in simulated])
    wrong = [r for r in simulated if not r.good()]
    if wrong:
        text += '\n' + table(['larger error', 'at', 'error', 'reason'],
                             [[r.row['quantity'], r.row['at'], '%+.1f %%' % (100 * r.error),
                               reason(m.name, r)] for r in wrong])
    absent = dict.fromkeys(r.row['quantity'] for r in rows if r.error is None)
    if absent:
        text += '\nNot simulated: %s.\n' % '; '.join(absent)
    text += '\nThe machine file agrees with %d published properties; test/silicon checks this.\n' \
        % len(properties)
    return text


def gpc_part(machines):
    """SMs by GPC: the blocks of a cluster run on SMs of a GPC."""
    out = []
    for m in machines:
        line = re.search(r'^sm\.gpcs .*', m.text, re.M).group(0)
        _, value, _, source = re.split(' {2,}', line)
        if value != 'none':
            counts = [int(n) for n in value.split('/')]
            out.append(['`%s`' % m.name, str(m.sms), str(len(counts)),
                        ', '.join(str(n) for n in counts), source])
    return '\n## SMs by GPC\n\n' + GPCS + '\n' + table(
        ['machine', 'SMs', 'GPCs', 'SMs of each GPC (`sm.gpcs`)', 'source'], out)


def main(corun):
    machines = [Machine(corun, name) for name in MACHINES]
    results, rows = stored(), {}
    for m in machines:
        rows[m.name] = [Row(m, r, results) for r in public()
                        if r['machine'] == m.name and r['kind'] == 'measured']
    print(INTRO % ('`, `'.join(MACHINES), 100 * LATENCY, 100 * BANDWIDTH))
    print(summary(machines, rows))
    print(total(rows), end='')
    for m in machines:
        properties = [r for r in public() if r['machine'] == m.name and r['quantity'] in OPTIONS
                      and r['kind'] == 'property']
        print(machine_part(m, rows[m.name], properties), end='')
    print(gpc_part(machines), end='')
    print('\n## Properties without an option\n')
    print(table(['property', 'reason'], NO_OPTION.items()), end='')


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))
