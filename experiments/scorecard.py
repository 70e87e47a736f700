"""The text of docs/reference/experiments.md: rules, verdicts per paper, statements of the papers'
abstracts, the largest disagreements."""
import csv
import math
import os
import re
import sys

import lib

# Title, authors, mechanisms.
PAPERS = {
    '000': ('Accelerate GPU Concurrent Kernel Execution by Mitigating Memory Pipeline Stalls',
            'H. Dai and others', 'QBMI and DMIL on SMK and Warped-Slicer'),
    '001': ('Anatomy of GPU Memory System for Multi-Application Execution',
            'A. Jog and others', 'DRAM schedulers ITS and WEIS'),
    '002': ('Dynamic Resource Management for Efficient Utilization of Multitasking GPUs',
            'J. J. K. Park, Y. Park and S. Mahlke', 'GPU Maestro'),
    '003': ('GPU Performance vs. Thread-Level Parallelism: Scalability Analysis and a Novel Way to '
            'Improve TLP', 'Z. Lin, M. Mantor and H. Zhou', 'GPUDuet'),
    '004': ('Hardware Support for Multiprogramming in GPUs', 'M. Nasef', 'MIAS')}

# Statements of the abstracts, with the first target of the row on the statement.
HEADLINES = [
    ('T000-165', 'The schemes (here DMIL) raise the weighted speedup of Warped-Slicer'),
    ('T000-181', 'The schemes (here DMIL) raise the weighted speedup of SMK'),
    ('T000-133', 'Cache partitioning for CPUs (UCP) is not effective: the pair bp+ks'),
    ('T001-118', 'ITS, by MPKI, raises instruction throughput over FR-FCFS'),
    ('T001-119', 'ITS raises instruction throughput over RR FR-FCFS'),
    ('T001-126', 'WEIS, by bandwidth, raises weighted speedup over FR-FCFS'),
    ('T001-127', 'WEIS raises weighted speedup over RR FR-FCFS'),
    ('T002-040', 'Maestro raises system throughput over spatial multitasking'),
    ('T002-041', 'Maestro raises system throughput over SMK'),
    ('T003-023', 'The interconnect bounds kernels: number of kernels, of 22'),
    ('T003-060', 'GPUDuet, speedup of unsaturated kernels, geometric mean'),
    ('T003-061', 'GPUDuet, the greatest speedup'),
    ('T003-070', 'GPUDuet over Virtual Thread, mean'),
    ('T004-014', 'MIAS over sequential execution'),
    ('T004-020', 'MIAS over Warped-Slicer')]

RULES = '''# The papers' experiments, again

Results of five papers on sharing a GPU, beside corun's measurements. A page per paper has every
row, with tables and causes.

## How to read

* *holds*: the measured change is within a quarter of the paper's change. 1.20 means a gain of 0.20,
  so 1.15 to 1.25 hold.
* *direction holds*: the measured change has the paper's sign and at least a tenth of the paper's
  size, and a mean over sets of programs keeps the sign when any single program is left out. If only
  the paper's sign is possible, the row *fails* instead.
* In parentheses: the measured change over the paper's change.
* Miss rates, shares and numbers of blocks are compared as such, not as changes. A statement in
  words holds or fails as the row states.
* Means are the paper's. Where a paper names none, the verdict goes by arithmetic means, with the
  geometric mean beside.
* A sentence below a table gives the cause of a difference, shown by runs without the cause: a
  limit of the machine, a reading of a mechanism, or an input of a program, whose change brings a
  number nearer to the paper by a quarter of the gap, or lets a statement hold; a single program, or
  one set in twenty, without which a mean would hold; a choice, if the best of all choices holds; a
  program written by us, if the stand-in with the paper's isolated rows holds, or is nearer to the
  paper by a quarter of the gap. *Bounded*: the best of all choices in each set of programs, by
  runs, does not reach the paper's result either. *Not isolated*: cause unknown; the sentence names
  runs that were tried, if any.
* *Not reachable*: the paper's own figures, by the sum shown, leave no room for the result.
* *Stand-ins* are synthetic kernels fitted to the paper's rows of isolated runs. *Programs* are
  written from the published algorithms. Nothing was fitted to a run with a shared GPU.
  [programs.md](programs.md) has the verdicts on isolated runs.
* `make experiments` runs the sweeps (`experiments/sweeps`) and writes the pages; `make experiments
  ONLY=NAME` runs a single sweep. Measurements are kept in `experiments/results`. *Of model N*: by
  an older timing model than the present model. *min*: minutes of the sweep on two processors, at
  most, if known.
'''

SCORECARD = '''
## Scorecard

Number of verdicts; a row has a verdict for stand-ins, for programs, or for both.

%s
[beyond-papers.md](beyond-papers.md) has experiments that no paper has.
'''

ABSTRACTS = '''
## The papers' abstracts

Statements of the abstracts, with the row of the paper's page on each statement.

%s'''

LARGEST = '''
## The five largest disagreements

Of the means that do not hold, the five farthest from the paper's mean, by the factor between both.
Candidates are means of a speedup, a throughput, ANTT or fairness over all of a paper's sets of
programs, the farthest per paper and metric.

'''

FEW = 5
METRICS = ('WS', 'IT', 'HS', 'STP', 'ANTT', 'fairness', 'speedup', 'gain')
ALL_SETS = re.compile(r'all (\d+ )?(pairs|triples)|\d+ (workloads|pairs|kernels)')
NUMBER = re.compile(r'([-+]?\d+(?:\.\d+)?)( %)?')


def page_of(paper):
    return 'paper-%s.md' % paper


def page(sections):
    return RULES + SCORECARD % table(sections) + ABSTRACTS % headlines(sections) + LARGEST + \
        '\n'.join('%d. %s' % (i, said) for i, said in enumerate(largest(sections), 1)) + '\n'


def table(sections):
    """Returns the table of all papers, with the sum."""
    rows = []
    for paper, (_, _, mechanism) in PAPERS.items():
        own = [s.verdicts for s in sections if s.name.startswith(paper)]
        words = [word for v in own for word in v.count()]
        rows.append([len(words)] + [words.count(w) for w in (lib.HOLDS, lib.DIRECTION, lib.FAILS)] +
                    [sum(v.of_cause(kind) for v in own)
                     for kind in (lib.BEYOND, lib.BOUNDED, lib.TRIED)])
    names = ['[Paper %s](%s): %s' % (paper, page_of(paper), mechanism)
             for paper, (_, _, mechanism) in PAPERS.items()] + ['all papers']
    rows.append([sum(column) for column in zip(*rows)])
    return lib.table(
        ['paper', 'verdicts', 'hold', 'direction holds', 'fail', 'not reachable', 'bounded',
         'not isolated', 'hold, of reachable', 'hold at least in direction'],
        [[name, *map(str, row), *('%.0f %%' % (100 * x / (row[0] - row[4]))
                                  for x in (row[1], row[1] + row[2]))]
         for name, row in zip(names, rows)])


def headlines(sections):
    """Returns the table of the abstracts' statements."""
    rows = {}
    for s in sections:
        for target, _, *cells in s.verdicts.rows:
            rows.setdefault(target[:8], ['[%s](%s)' % (target, s.address), cells])
    missing = [target for target, _ in HEADLINES if target not in rows]
    if missing:
        sys.exit('experiments/scorecard.py: no row of %s in figures/' % lib.listed(missing))
    return lib.table(
        ['target', 'statement', 'paper', 'stand-ins', 'verdict', 'programs', 'verdict'],
        [[rows[target][0], words, *rows[target][1]] for target, words in HEADLINES])


def factor(text):
    """Returns the number in front of a cell as a factor: +34 % gives 1.34."""
    value, percent = NUMBER.match(text).groups()
    return 1 + float(value) / 100 if percent else float(value)


def means():
    """Returns {target: (paper, metric)} of the papers' means over all sets of programs."""
    with open(os.path.join(lib.HERE, 'targets.csv'), encoding='utf-8') as f:
        return {r['id']: (r['id'][1:4], r['metric'].split('_')[0]) for r in csv.DictReader(f)
                if r['metric'].split('_')[0] in METRICS and ALL_SETS.fullmatch(r['workload'])}


def largest(sections):
    """Returns the descriptions of the largest disagreements, the largest first."""
    of, found = means(), {}
    for s in sections:
        for row in s.verdicts.rows:
            target, _, paper, *both = row
            far = [abs(math.log(factor(measured) / factor(paper)))
                   for measured, verdict in (both[:2], both[2:])
                   if lib.part(verdict) is not None and lib.word(verdict) != lib.HOLDS]
            key = of.get(target[:8])
            if key and far and max(far) > found.get(key, [0])[0]:
                found[key] = max(far), s, row
    worst = sorted(found.values(), key=lambda x: -x[0])[:FEW]
    return [described(math.exp(far), s, row) for far, s, row in worst]


def described(times, section, row):
    target, what, paper, *both = row
    values = ', '.join('%s %s' % (kind, measured) for kind, measured in
                       (('stand-ins', both[0]), ('programs', both[2])) if measured != '-')
    cause = next(c for c in section.verdicts.causes[target, what][::-1] if c)
    text = cause.text.removeprefix(what + ': ')
    return '[%s](%s), %s: paper %s; %s; a factor of %.2f. %s' % (
        target, section.address, what, paper, values, times,
        'Not isolated.' if cause == lib.UNKNOWN else
        {lib.ISOLATED: 'Cause: ', lib.BOUNDED: 'Bounded: ', lib.TRIED: 'Not isolated: ',
         lib.BEYOND: 'Not reachable: '}[cause.kind] + text)
