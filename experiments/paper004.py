"""Programs and pairs of paper 004, for the scripts of the paper's figures."""
import functools

import causes
import lib

SYMBOL = {'bfs': 'bfs', 'fwt': 'fwt', 'blackscholes': 'blk', 'mm': 'mm', 'nbody': 'nbdy',
          'binomial-options': 'bopt', 'dxtc': 'dxtc'}
MEMORY = ['bfs', 'fwt', 'blk']  # section 4.1.2
GROUPS = ['COM-COM', 'MEM-MEM', 'MEM-COM']
STALLS = [('stall.raw', 'RAW'), ('stall.memory', 'memory'), ('stall.compute', 'compute'),
          ('stall.idle', 'idle')]
# Sweeps of every mix of two kernels of a pair.
MIXES = ['004-mixes', '004-mixes-blk', '004-mixes-mem', '004-mixes-dxtc', '004-mixes-blk-dxtc']
# Machines with a limit removed: (option of the machine, words).
WITHOUT = [('l1.sets=8', 'with an L1 of eight times the size'),
           ('xbar.flit_bytes=160', 'with a crossbar four times as wide'),
           ('clock.dram_mhz=14000', 'with DRAM four times as fast')]


def group(names):
    memory = sum(n in MEMORY for n in names)
    return GROUPS[2 if memory == 1 else memory // 2]


def by_names(runs):
    """Returns {(name, ...): {policy: run}}, with the paper's names."""
    return {tuple(SYMBOL[n] for n in names): of for names, of in lib.by_set(runs).items()}


def grouped(of, alone):
    """Returns {group: {names: {policy: run}}}, with all pairs under 'all', and {name: run} under
    'alone'."""
    return {**{g: {n: by for n, by in of.items() if group(n) == g} for g in GROUPS}, 'all': of,
            'alone': alone}


def by_limit(sweep):
    """Returns {removed limit in words: runs}; '' is the unchanged machine."""
    return causes.by_limit(lib.runs(sweep), WITHOUT)


def stalls(run):
    """Returns {cause: fraction of scheduler cycles} of all SMs."""
    return {name: getattr(run, key) for key, name in STALLS}


def isolated(runs):
    """Returns {name: run} of isolated runs."""
    return {names[0]: of['leftover'] for names, of in by_names(runs).items()}


def alone():
    """Returns {removed limit in words: {name: run}} of isolated runs, with the sizes of the
    pairs."""
    return {words: isolated(runs) for words, runs in by_limit('004-alone').items()}


@functools.cache
def mixes():
    """Returns {names: {mix of blocks, '1-3': run}} of every mix of two kernels of a pair."""
    return {names: {p[len('fixed[blocks='):-1].replace('/', '-'): run for p, run in of.items()}
            for sweep in MIXES
            for names, of in by_names(lib.runs(sweep)).items()}
