#!/usr/bin/env python3
"""Writes docs/reference/programs.md to standard output: the papers' figures of single programs
beside our measurements. page.py CORUN. From papers.csv, stands.csv, measured.csv and registers.csv;
tools/docs.sh calls page.py, workloads/measure.py makes measured.csv.
"""
import re
import subprocess
import sys

import figures
from figures import Facts, cell, pair, table

INTRO = '''# Programs beside the papers

All figures of single programs in the papers, beside corun's measurements of the program or stand-in
of the same name. Cells are *paper / corun*; - means not printed or not measured. Each program runs
alone on the paper's machine over %s cycles from a cold start (and starts again after the end),
unless a table states another rule. `make programs` measures again and writes the page; `corun show
workload NAME` shows the part of a single program. Stand-ins (`clone...`) are fitted to the paper's
rows of isolated runs, never to a result of sharing; the other programs are written from the
algorithms and are not fitted. *Of model N*: measured with an older timing model than the present
model.
'''
REUSE = '''### Reuse: fewer warps, fewer memory instructions in flight

L1 miss rate and IPC (thread instructions per cycle), alone, 300,000 cycles: with the given number
of blocks per SM, and at full occupancy with the given limit of memory instructions in flight per
SM, by the policy of `test/policy/plug/limit.c` (paper 000 section 3.3 limits instructions in
flight). If a warp returns to lines after a number of accesses, the reuse distance grows with the
warps in flight.

'''
FAILS = '''### Causes of reservation failures

Shares of the failures, alone, 300,000 cycles. In paper 000 (section 4.3) MSHRs are the most common
cause; the paper prints no shares. An MSHR failure means that no entry is free, or that a line's
entry already has 8 requests, as when the warps of a block of 3m meet. For programs that fill the
memory system the most common cause here is the miss queue: the queues of crossbar and slices, with
GPGPU-Sim's lengths, hold fewer requests per SM than 128 MSHRs, and back up into the miss queue.
With longer queues the six ways of a set fill up next, since 128 misses seldom spread evenly over 32
sets; with 16 ways as well, MSHRs fill up first for all programs that fill the memory system. The
machine's queue lengths decide, not the loads in flight. Longer queues: `--set %s`.

''' % figures.DEEP.replace(' ', ' --set ')
HALF = '''On 15 of the 30 SMs, alone. The paper prints no figures for half of the SMs, but in the
paper's model performance is bandwidth over MPKI, whatever the number of SMs; pairs contend because
each program can draw the bandwidth of Table 1 from half of the SMs. A stand-in's grid is large
enough to draw the same bandwidth, and fits on half of the SMs. Column commands per activate: a line
is four; by section 8.1 BLK has four times as many as MUM, and FWT 13 times as many as NW.

'''
RESOURCES = (('threads', 'block_threads', 1), ('registers', 'registers_per_thread', 1),
             ('shared bytes', 'shared_bytes', 1), ('blocks', 'blocks_per_sm', 1),
             ('limiter', 'limiter', 1))
OCCUPANCIES = (('RF %', 'register_occupancy', 100), ('SMEM %', 'shared_occupancy', 100),
               ('threads %', 'thread_occupancy', 100), ('blocks %', 'block_occupancy', 100))
CHARACTER = (('Cinst/Minst', 'inst.cinst_per_minst', 1), ('Req/Minst', 'ldst.req_per_minst', 1),
             ('L1 miss', 'l1.miss_rate', 1), ('rsfail', 'l1.rsfail_rate', 1),
             ('LSU stall %', 'ldst.stall_fraction', 100),
             ('accesses/1000 cycles', 'l1.accesses_per_kcycle', 1), ('type', 'type', 1))
BANDWIDTH = (('MPKI', 'l2.mpki', 1), ('BW/C %', 'dram.bandwidth_fraction', 100))
OF_PAPER = {'000': RESOURCES + OCCUPANCIES + CHARACTER, '001': BANDWIDTH,
            '002': (('type', 'scaling', 1), ('times as fast on 16 SMs', 'scaling_speedup', 1)),
            '003': (('most used', 'leading_resource', 1), ('use', 'use', 1),
                    ('limiter', 'limiter', 1), ('scheduler %', 'sched.utilization', 100),
                    ('BW/C %', 'dram.bandwidth_fraction', 100)),
            '004': (('intensity', 'intensity', 1), ('stalls', 'stalls', 1),
                    ('BW/C %', 'dram.bandwidth_fraction', 100), ('IPC', 'inst.ipc_thread', 1))}
SAYS = {'000': 'Table 2. Resource vectors follow from the occupancies.',
        '001': 'Table 1.',
        '002': 'Table 3: COM: 16 SMs are more than 12 times as fast as a single SM.',
        '003': 'Sections 4.2 and 7.1: the most used resource if used to more than 60 % (DRAM '
               '50 %), and the use of all resources.',
        '004': 'Section 4.1.2 and Fig. 4.1. The paper gives no rule for MEM and COM; the shares '
               'of scheduler cycles without issue are read off the text.'}


def stands_table(f, paper, rows, rule=None, columns=None):
    """Table with a line per name of a paper: rows of stands.csv."""
    columns = columns or OF_PAPER[paper]
    out = []
    for r in rows:
        cells = [r['name'], r['app'] + (', ' + r['kernel'] if r['kernel'] else '') +
                 f.age(r, rule)]
        for _, metric, scale in columns:
            cells.append(pair(f.paper(paper, r['name'], metric),
                              f.measured(r, metric, rule), scale))
        out.append(cells)
    return table(['name', 'program', *(c[0] for c in columns)], out)


def sentences(f, paper, rows):
    """Describes the differences, and the causes where known."""
    lines = []
    for r in rows:
        differ = f.differences(paper, r)
        who = '* %s, %s: ' % (r['name'], r['app'])
        if r['note']:
            lines.append(who + r['note'])
        elif differ:
            lines.append(who + 'differs in ' + ', '.join(differ) + '.')
    return '\n'.join(lines) + '\n\n' if lines else ''


def real_part(f):
    page = '## The programs\n\n'
    for paper in sorted(OF_PAPER):
        rows = [r for r in f.stands if r['paper'] == paper and not figures.is_clone(r)]
        page += '### Paper %s, on `%s`\n\n%s\n\n' % (paper, f.about(paper, 'machine'), SAYS[paper])
        if paper == '000':
            page += stands_table(f, paper, rows, columns=RESOURCES + OCCUPANCIES)
            page += stands_table(f, paper, rows, columns=CHARACTER)
        else:
            page += stands_table(f, paper, rows)
        page += sentences(f, paper, rows)
        without = f.without(paper)
        if without:
            page += 'Programs of the paper without counterpart: %s.\n\n' % ', '.join(without)
    others = f.of_no_paper()
    if others:
        page += 'Programs of no paper: %s.\n\n' % ', '.join('`%s`' % o for o in others)
    return page


def clones_000(f):
    rows = [r for r in f.stands if r['paper'] == '000' and figures.is_clone(r)]
    page = '## Stand-ins of paper 000, on `%s`\n\n' % f.about('000', 'machine')
    page += 'Resources of the blocks, fitted exactly:\n\n'
    page += stands_table(f, '000', rows, columns=RESOURCES + OCCUPANCIES)
    page += figures.exact(f, rows, [c[1] for c in RESOURCES + OCCUPANCIES])
    for rule, what in (('window 2000000', '2,000,000 cycles, as in the paper'),
                       ('window 300000', 'The first 300,000 cycles')):
        page += what + ':\n\n' + stands_table(f, '000', rows, rule, CHARACTER)
        page += figures.held_000(f, rows, rule)
    page += sentences(f, '000', rows)
    page += '### IPC against blocks per SM\n\n' + figures.curves(f, rows)
    page += REUSE + figures.reuse(f, rows) + FAILS + figures.failures(f, rows)
    return page


def clones_001(f):
    rows = [r for r in f.stands if r['paper'] == '001' and figures.is_clone(r)]
    page = '## Stand-ins of paper 001, on `%s`\n\n' % f.about('001', 'machine')
    page += stands_table(f, '001', rows) + figures.held_001(f, rows)
    page += sentences(f, '001', rows)
    page += HALF
    half = '[sm.count=15]'
    out = [[r['name'], r['app']] +
           [cell(f.measured(r, m, None, half), s) for _, m, s in BANDWIDTH] +
           ['%.2f' % figures.times(f, r, 'dram.bandwidth_fraction', half),
            cell(f.measured(r, 'dram.row_locality')),
            cell(f.measured(r, 'inst.ipc_thread', None, half)),
            cell(f.measured(r, 'inst.ipc_thread'))] for r in rows]
    page += table(['name', 'program', 'MPKI', 'BW/C %', 'of BW/C on 30', 'columns per activate',
                   'IPC', 'IPC on 30'], out)
    return page + figures.contenders(f, rows, half)


def registers_part(corun, f):
    """Our registers per thread, from live registers, beside ptxas's."""
    out, differences = [], []
    for name, kernel, ptxas in f.registers():
        ours = figures.computed(corun, name, kernel)
        differences.append(ours - ptxas)
        out.append([name, kernel, str(ours), str(ptxas), '%+d' % differences[-1]])
    n = max(len(differences), 1)
    page = '''## Registers

The number of registers live at once limits the blocks of an SM. `ptxas` (CUDA 13, sm_75, `make
ptx`) may give more or fewer registers, because `ptxas` schedules for another machine and another
aim. Key `registers:` of an app file sets the number by hand.

'''
    page += table(['program', 'kernel', 'corun', 'ptxas', 'difference'], out)
    page += 'Mean difference %+.1f registers, mean absolute difference %.1f, over %d kernels.\n' % (
        sum(differences) / n, sum(map(abs, differences)) / n, len(differences))
    return page


def main(corun):
    listed = subprocess.run([corun, 'list', 'workloads', '--markdown'], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    f = Facts(re.findall(r'^\| ([\w.-]+) \|', listed, re.M)[1:])
    page = INTRO % '500,000' + '\n' + real_part(f)
    if any(figures.is_clone(r) for r in f.stands):
        page += clones_000(f) + clones_001(f)
    page += figures.model(f) + registers_part(corun, f)
    sys.stdout.write(page)


if __name__ == '__main__':
    main(sys.argv[1])
