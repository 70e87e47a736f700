#!/usr/bin/env python3
"""Compares figures in README's text with the page or the console block that they are taken from,
and a section of docs/reference/suites.md with the stored results. Links between pages must lead
to a heading."""
import glob
import os
import re
import subprocess
import sys
from itertools import zip_longest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, folder)
                for folder in ('test/cuda-suites', 'test/whole', 'experiments', 'test/silicon')]
import corun  # noqa: E402
import drawn  # noqa: E402
import hecbench  # noqa: E402
import page  # noqa: E402
from common import Tap  # noqa: E402


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8') as f:
        return f.read()


README, FIDELITY, EXPERIMENTS, SPEED, SUITES = map(read, (
    'README.md', 'docs/explanation/fidelity.md', 'docs/reference/experiments.md',
    'docs/explanation/speed.md', 'docs/reference/suites.md'))
TEXT = ' '.join(README.split())
ERRORS = (r'Mean absolute error of cycles \*\*(\S+ %)\*\*, worst \*\*(\S+ %)\*\*.*?'
          r'rank correlation \*\*(\S+)\*\*')


def fidelity():
    """The table of errors: both machines, then all rows."""
    sections = [FIDELITY[FIDELITY.index('\n## ' + gpu):] for gpu in ('fermi30', 'rtx2060')]
    columns = [re.search(ERRORS, s).groups() for s in [*sections, FIDELITY]]
    names = ('mean absolute error of cycles', 'worst row', 'rank correlation')
    for name, *values in zip(names, *columns):
        row = '| %s | %s |' % (name, ' | '.join(values))
        assert row in README, row


def pairs():
    mean, worst = re.search(r'Mean absolute error of cycles \*\*(\S+ %)\*\*, worst \*\*(\S+ %)\*\* '
                            r'\(stencil5', FIDELITY).groups()
    said = 'within %s on average over 18, worst %s' % (mean, worst)
    assert said in TEXT, said


def verdicts():
    """How many results of the papers hold: the scorecard's sum."""
    papers = re.findall(r'^\| \[Paper \d+\]', EXPERIMENTS, re.M)
    names = ('no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven')
    said = '**The papers\' results.** Of the results of %s papers' % names[len(papers)]
    assert said in TEXT, said
    said = '%s hold, %s hold in direction and %s fail' % re.search(
        r'^\| all papers \| \d+ \| (\d+) \| (\d+) \| (\d+) \|', EXPERIMENTS, re.M).groups()
    assert said in TEXT, said


def speed():
    """The slowest and the fastest of the programs alone, in millions of warp instructions a
    second."""
    table = SPEED[SPEED.index('program alone'):SPEED.index('\none rule after the other')]
    rates = [float(m[1]) for m in re.finditer(r'^\w+ +\w+ +\d+ +\d+ +(\d+\.\d+) ', table, re.M)]
    assert len(rates) >= 15, rates
    said = 'between %.2f and %.2f million warp instructions per second' % (min(rates), max(rates))
    assert said in TEXT, said
    mean = re.search(r'^geometric mean +(\d\.\d+) ', SPEED, re.M)[1]
    said = 'takes %.2f of the processor time of version 63ddac8' % float(mean)
    assert said in TEXT, said


def silicon():
    """Slowdowns of pairs beside an RTX 5090's, from the stored results."""
    _, n, good, mean = corun.totals()
    said = ('Of %d slowdowns of pairs of kernels measured on an RTX 5090, %d are within 20 %%; the '
            'mean absolute error is %.1f %%' % (n, good, mean))
    assert said in TEXT, said


def demo():
    """The sentences below the block of `make demo`."""
    block = README[README.index('$ make demo'):]
    row = {} # of the first columns; the others stand below, under the same names
    for m in re.finditer(r'^(\S+) +([\d.,]+(?: +[\d.,]+)+)$', block, re.M):
        row.setdefault(m[1], m[2].split())
    speed, least = ({p: float(row[p][i]) for p in ('leftover', 'spatial', 'smk-p+dmil')}
                    for i in (1, 2))
    said = ('run at %.0f %% and %.0f %% of their speed alone: together they get less done '
            '(weighted speedup %.2f) than either would alone. Half of the SMs each (`spatial`) '
            'brings that to %.2f; sharing every SM with limits on memory instructions in flight '
            '(`smk-p+dmil`) to %.2f, with the least average slowdown (%.2f times)' % (
                100 * float(row['hotspot'][0]), 100 * float(row['kmeans'][0]), speed['leftover'],
                speed['spatial'] + 1e-9, speed['smk-p+dmil'], least['smk-p+dmil']))
    assert said in TEXT, said
    assert speed['leftover'] < 1 and least['smk-p+dmil'] == min(least.values())


def programs():
    """docs/reference/suites.md ends with what `drawn.py table` and `hecbench.py table` print."""
    said = drawn.section() + '\n' + hecbench.section()
    start = SUITES.find('\n## Drawn kernels') + 1
    for have, want in zip_longest(SUITES[start:].splitlines(), said.splitlines()):
        assert have == want, f'{want} (docs/reference/suites.md: {have})'


def links():
    """The file and the heading of every link in a page."""
    texts = {path: read(path) for pattern in ('*.md', 'docs/**/*.md')
             for path in glob.glob(pattern, root_dir=ROOT, recursive=True)}
    anchors = {path: {page.anchor(m[1]) for m in re.finditer(r'^#+ (.*)$', text, re.M)}
               for path, text in texts.items()}
    for path, text in texts.items():
        for name, _, heading in re.findall(r'\]\(([^)#:\s]*)(#([^)\s]*))?\)', text):
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            assert os.path.exists(os.path.join(ROOT, to)), f'{path}: there is no {name}'
            assert not heading or heading in anchors[to], f'{path}: no heading {name}#{heading}'


def missing_input():
    """A page of experiments without an input is an error, with the command for the input."""
    for read_input in ('runs', 'series', 'results'):
        p = subprocess.run([sys.executable, '-c', 'import lib; lib.HERE = "nowhere"; '
                            f'lib.{read_input}("002-pairs")'], stderr=subprocess.PIPE, text=True,
                           cwd=os.path.join(ROOT, 'experiments'))
        said = ('no experiments/results/002-pairs.csv; '
                '`make experiments ONLY=002-pairs` measures it')
        assert p.returncode == 1 and p.stderr.strip() == said, p.stderr


def main():
    tap = Tap()
    for case in (fidelity, pairs, verdicts, speed, silicon, demo, programs, links, missing_input):
        tap.case('the page says: ' + case.__name__, case)
    tap.end()


if __name__ == '__main__':
    main()
