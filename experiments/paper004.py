"""Programs and pairs of paper 004, for the scripts of the paper's figures."""
import lib

SYMBOL = {'bfs': 'bfs', 'fwt': 'fwt', 'blackscholes': 'blk', 'mm': 'mm', 'nbody': 'nbdy',
          'binomial-options': 'bopt', 'dxtc': 'dxtc'}
MEMORY = ['bfs', 'fwt', 'blk']  # section 4.1.2
GROUPS = ['COM-COM', 'MEM-MEM', 'MEM-COM']
STALLS = [('stall.raw', 'RAW'), ('stall.memory', 'memory'), ('stall.compute', 'compute'),
          ('stall.idle', 'idle')]
WINDOW = '1000000'


def group(names):
    memory = sum(n in MEMORY for n in names)
    return GROUPS[2 if memory == 1 else memory // 2]


def pairs():
    """Returns {(name, name): {policy: run}}, with the paper's names."""
    return {tuple(SYMBOL[n] for n in names): of
            for names, of in lib.by_set(lib.runs('004-pairs')).items()}


def stalls(of):
    """Returns {cause: fraction of scheduler cycles}; `of`: {key: value}."""
    return {name: float(of[key]) for key, name in STALLS}


def measured():
    """Returns {name: {key: value}} of isolated runs over 500000 cycles."""
    of = {SYMBOL[app.split(':')[0]]: values
          for app, values in lib.measured('rtx2060', 'window 500000').items()}
    return {n: of[n] for n in SYMBOL.values()}
