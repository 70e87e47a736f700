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

Everything the papers print of single programs, beside what corun measured of the program or
stand-in that is here under that name. Cells are *paper / corun*; - is what is not printed or not
measured. Each runs alone on the paper's machine over %s cycles from a cold start (again from its
beginning where it ends), unless a table says otherwise. `make programs` measures again and writes
this page; `corun show workload NAME` shows one program's part. Stand-ins (`clone...`)
are fitted to the paper's rows of isolated runs, never to a result of sharing; the other programs
are written from their algorithm and are not fitted to anything. *Of model N*: measured with an
earlier timing model than the present one.
'''
REUSE = '''### Reuse: fewer warps, fewer memory instructions in flight

L1 miss rate and IPC (thread instructions per cycle), alone, 300,000 cycles: with so many blocks
per SM, and at full occupancy with so many memory instructions in flight per SM, by the policy of
`test/policy/plug/limit.c` (paper 000 section 3.3 limits them). Where a warp comes back to its own
lines after a number of its own accesses, what lies between grows with the warps in flight.

'''
FAILS = '''### What reservation failures are for

Shares of the failures, alone, 300,000 cycles. Paper 000 (section 4.3) finds MSHRs the most common
cause; it prints no shares. An MSHR is missing where no entry is free, or where a line's entry has
its 8 requests already, as where the warps of a block of 3m meet. For those that fill the memory
system the miss queue comes first here: the queues of crossbar and slices, of GPGPU-Sim's lengths,
hold fewer requests per SM than its 128 MSHRs, and back up into it. With longer queues the six ways
of a set are full next, since 128 misses seldom spread evenly over 32 sets; with 16 ways as well,
MSHRs are, for all that fill it. So it is the machine, at the lengths it has, and not the loads in
flight, that decides. Longer queues: `--set %s`.

''' % figures.DEEP.replace(' ', ' --set ')
HALF = '''On 15 of the 30 SMs, alone. The paper has no such figures, but by its model performance is
bandwidth over MPKI, whatever the number of SMs; its pairs contend because each of them could draw
on half of the SMs what Table 1 says. A stand-in's grid is as large as draws that, and half of the
SMs hold it. Column commands per activate: a line is four; section 8.1 gives BLK four times MUM's
and FWT 13 times NW's.

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
SAYS = {'000': 'Table 2. A resource vector is what its occupancies imply.',
        '001': 'Table 1.',
        '002': 'Table 3: COM where 16 SMs are more than 12 times as fast as one.',
        '003': 'Sections 4.2 and 7.1: the resource used most where one is used to more than 60 % '
               '(DRAM 50 %), and how much all are used.',
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
            page += 'Of this paper there is no program for: %s.\n\n' % ', '.join(without)
    others = f.of_no_paper()
    if others:
        page += 'Of no paper: %s.\n\n' % ', '.join('`%s`' % o for o in others)
    return page


def clones_000(f):
    rows = [r for r in f.stands if r['paper'] == '000' and figures.is_clone(r)]
    page = '## Stand-ins of paper 000, on `%s`\n\n' % f.about('000', 'machine')
    page += 'What the blocks take, which must be exact:\n\n'
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
    page += table(['name', 'program', 'MPKI', 'BW/C %', 'of that on 30', 'columns per activate',
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

What limits the blocks of an SM is the number of registers that are live at once; `ptxas` (CUDA 13,
sm_75, `make ptx`) may give more or fewer, since it schedules for another machine and another aim.
An app file's `registers:` sets them by hand.

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
