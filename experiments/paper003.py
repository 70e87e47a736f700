"""Kernels of paper 003, their classes and the data of the paper's figures, for the scripts of the
figures."""
import csv
import functools
import os
import re

import causes
import lib

MACHINE = 'maxwell16-duet'
SYMBOL = {'bfs:size=window': 'BFS', 'btree:size=window': 'BT',
          'dwt2d:size=window,first=1,levels=1': 'DWT_2', 'hybridsort:size=window,kernels=1': 'HG',
          'hotspot:size=window': 'HS', 'mm:size=window': 'MMS', '2dconv:size=window': 'CONV',
          '3mm:ni=2048,nj=2048,nk=2048,nl=2048,nm=2048': 'MM', 'stencil:size=window': 'ST',
          'spmv-jds:size=window,shuffle=2048': 'SPMV', 'backprop:size=window,only=1': 'BP_1',
          'cfd:repeat=64': 'CFD', 'kmeans:size=window': 'KM', 'lbm:size=window': 'LBM',
          'sad:size=window,first=1': 'SAD_2', 'sad:size=window': 'SAD_1',
          'backprop:size=window,only=2': 'BP_2', 'cutcp:size=window': 'CP',
          'dwt2d:size=window,levels=0': 'DWT_1', 'fdtd:size=window,only=2': 'FDTD_1',
          'fdtd:size=window,only=1': 'FDTD_2', 'gemm:size=window': 'GEMM'}
# Classes of figure 12; the kernels of moderate use are inferred from section 7.1.
UNDER = ['BFS', 'BT', 'DWT_2', 'HG', 'HS']
MODERATE = ['MMS', 'CONV', 'MM', 'ST', 'SPMV']
SATURATED = ['BP_1', 'CFD', 'KM', 'LBM', 'SAD_2']
UNSATURATED = UNDER + MODERATE
CAPACITY = ('registers', 'shared')
CLASS = {**{n: 'underutilized' for n in UNDER}, **{n: 'moderate' for n in MODERATE},
         **{n: 'saturated' for n in SATURATED}}
# Section 4.2: the most used resources, among resources used beyond FULL.
LEADER = {'SAD_1': ['scheduler'], 'BP_1': ['scheduler'], 'ST': ['scheduler', 'DRAM'],
          'KM': ['L2-to-SM'], 'CFD': ['L2-to-SM'], 'SPMV': ['L2-to-SM'], 'FDTD_2': ['L2-to-SM'],
          'MMS': ['L2-to-SM'], 'CONV': ['L2-to-SM'], 'GEMM': ['SM-to-L2'], 'MM': ['SM-to-L2'],
          'SAD_2': ['DRAM'], 'LBM': ['DRAM'], 'FDTD_1': ['DRAM'], 'BP_2': ['DRAM'],
          'DWT_1': ['DRAM'], 'BFS': [], 'BT': [], 'DWT_2': [], 'HG': [], 'HS': []}
USES = {'scheduler': 'sched.utilization', 'L1': 'l1.utilization', 'SM-to-L2':
        'xbar.to_l2_utilization', 'L2-to-SM': 'xbar.to_sm_utilization', 'L2': 'l2.utilization',
        'DRAM': 'dram.bandwidth_fraction'}
FULL = {'scheduler': 0.6, 'L1': 0.6, 'SM-to-L2': 0.6, 'L2-to-SM': 0.6, 'L2': 0.6, 'DRAM': 0.5}
SATURATES = {'scheduler': 0.8, 'L1': 0.8, 'SM-to-L2': 0.9, 'L2-to-SM': 0.9, 'L2': 0.8, 'DRAM': 0.7}


# Machines with a limit removed: (option of the machine, words).
WITHOUT = [('sm.scheduler=lrr', 'with loose round robin'),
           ('l1.ways=64', 'with an L1 of eight times the size'),
           ('l1.merges=64', 'where an MSHR merges 64 requests'),
           ('xbar.flit_bytes=136', 'with a crossbar four times as wide'),
           ('clock.dram_mhz=4800', 'with DRAM four times as fast'),
           ('l2.reply_queue=64', 'with longer queues of crossbar and L2'),
           ('sm.sp_units=2', 'with two SP units per SM, as many as in GPGPU-Sim')]
# Kernels that ran with other inputs, by the name of the program.
OTHER_INPUT = {'btree': 'BT', 'dwt2d': 'DWT_2', 'hybridsort': 'HG', 'hotspot': 'HS', 'mm': 'MMS',
               'bfs': 'BFS', 'stencil': 'ST', 'backprop': 'BP_1', 'kmeans': 'KM', 'gemm': 'GEMM',
               '3mm': 'MM'}
SHORT = 1000000  # cycles of runs with a limit removed


def symbol(app):
    """Returns the paper's name of a kernel, whatever its number of registers."""
    return SYMBOL[re.sub(r',registers=\d+$', '', app)]


def runs(*sweeps):
    """Returns {symbol: {(policy, options): run}}."""
    return by_symbol(r for sweep in sweeps for r in lib.runs(sweep))


def by_symbol(some, plain=False):
    """Returns {symbol: {(policy, options): run}}; plain: with '' for the options."""
    of = {}
    for r in some:
        of.setdefault(symbol(r.apps[0]), {})[r.policy, '' if plain else r.row['options']] = r
    return of


@functools.cache
def machines():
    """Returns {removed limit in words: {symbol: {(policy, ''): run}}}, with the unchanged machine
    under '': each kernel alone, and figure 12's under Virtual Thread and GPUDuet."""
    some = lib.runs('003-removed-alone') + lib.runs('003-removed')
    return {words: by_symbol(of, plain=True)
            for words, of in causes.by_limit(some, WITHOUT).items()}


@functools.cache
def inputs(*sweeps):
    """Returns {input of a kernel in words: {symbol: {(policy, ''): run}}}: the unchanged machine
    over SHORT cycles, and one kernel with another input. sweeps: of the other inputs."""
    of = {}
    for r in [r for sweep in sweeps for r in lib.runs(sweep)]:
        changed = [p for p in r.apps[0].split(':')[1].split(',')
                   if p.split('=')[0] not in ('size', 'repeat', 'only', 'first', 'levels',
                                              'kernels', 'registers')]
        name = OTHER_INPUT[r.names[0]]
        of.setdefault((name, 'with `%s` for %s' % (','.join(changed), name)), {})[
            r.policy, 'l1.bypass=true' * ('bypass' in r.row['options'])] = r
    return {words: {**machines()[''], name: by} for (name, words), by in of.items()}


def narrow_mms():
    """Returns {(policy, ''): run} of MMS with wires of 16 bytes, as in figure 1, and DRAM four
    times as fast: alone, and under GPUDuet that measures over 50,000 cycles."""
    return {(r.policy.split('[')[0], ''): r for r in lib.runs('003-removed-mms')}


def use(run):
    """Returns {resource: utilization}."""
    return {name: run.app(key)[0] for name, key in USES.items()}


def full(run):
    """Returns the resources used beyond the thresholds of section 4.2, the most used first."""
    of = use(run)
    beyond = [n for n in of if of[n] > FULL[n]]
    return sorted(beyond, key=lambda n: -of[n] / FULL[n])


def class_of(run):
    """Returns the class of the run by Table 3."""
    of = use(run)
    if any(of[n] > SATURATES[n] for n in of):
        return 'saturated'
    return 'moderate' if any(of[n] >= FULL[n] for n in of) else 'underutilized'


def ipc(run):
    return run.app('ipc_thread')[0]


def value(run, key, default=0):
    """Returns a counter of the policy, as stored with the run."""
    return int(run.policy_values.get(key, default))


def rows_of(name):
    with open(os.path.join(lib.HERE, '..', 'workloads', name), encoding='utf-8') as f:
        return list(csv.DictReader(f))


def limiters():
    """Returns {kernel: {metric: value}} on the resource that limits the kernel's blocks, as shown
    in docs/reference/programs.md; `paper`: the paper's value."""
    stands = {(r['app'], r['kernel']): r['name'] for r in rows_of('stands.csv')
              if r['paper'] == '003'}
    paper = {r['name']: r['value'] for r in rows_of('papers.csv')
             if r['paper'] == '003' and r['metric'] == 'limiter'}
    of = {}
    for r in rows_of('measured.csv'):
        name = stands.get((r['app'], r['kernel'])) or stands.get((r['app'], ''))
        if r['gpu'] == MACHINE and r['metric'] in ('limiter', 'register_occupancy'):
            of.setdefault(name, {'paper': paper.get(name, '-')})[r['metric']] = r['value']
    return of
