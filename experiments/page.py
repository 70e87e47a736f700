#!/usr/bin/env python3
"""Writes the pages of the experiments into a folder, from experiments/results: experiments.md, a
page per paper, beyond-papers.md.

    page.py FOLDER        writes the pages
    page.py --verdicts    prints all verdicts as CSV (experiments/results/verdicts.csv)

Each figures/NNN-NAME.py defines TITLE, SWEEPS and section() -> (markdown, Verdicts); NNN is the
paper, a higher number stands for no paper. Results missing from experiments/results are an error.
"""
import collections
import csv
import glob
import importlib.util
import os
import sys

import lib
import scorecard

BEYOND = 'beyond-papers.md'
BEYOND_HEAD = '''# Beyond the papers

Experiments that no paper has: choices not printed in the papers, and mechanisms of several papers
together. [experiments.md](experiments.md#how-to-read) explains the columns.
'''
PAPER_HEAD = '''# Paper %s: %s

Results of the paper by %s, beside corun's measurements, and experiments on the same programs.
[experiments.md](experiments.md#how-to-read) explains verdicts and columns.
'''
# `address`: the link to the section from another page of the folder.
Section = collections.namedtuple('Section', 'name title address sweeps text verdicts')


def scripts():
    for path in sorted(glob.glob(os.path.join(lib.HERE, 'figures', '*.py'))):
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name.replace('-', '_'), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield name, module


def verdicts(sections):
    """Yields a row per verdict: experiment, target, what, "stand-ins" or "programs", the measured
    value as on the page, the verdict, the kind of cause if the verdict does not hold."""
    for name, v in sections:
        for target, what, _, *both in v.rows:
            for kind, measured, verdict, cause in zip(('stand-ins', 'programs'), both[::2],
                                                      both[1::2], v.causes[target, what]):
                if verdict != '-':
                    yield (name, target, what, kind, measured, verdict,
                           cause.kind if cause else '')


def write_verdicts(to):
    csv.writer(to, lineterminator='\n').writerows(
        [('experiment', 'target', 'what', 'of', 'measured', 'verdict', 'cause'),
         *verdicts((name, m.section()[1]) for name, m in scripts())])


def page_of(name):
    """Returns the page of an experiment: of a paper's number, or BEYOND."""
    paper = name.split('-')[0]
    return scorecard.page_of(paper) if paper in scorecard.PAPERS else BEYOND


def load():
    """Returns all sections."""
    return [Section(name, m.TITLE, '%s#%s' % (page_of(name), anchor(m.TITLE)), m.SWEEPS,
                    *m.section()) for name, m in scripts()]


def summary(sections):
    """Returns the table of a page's experiments, without columns of verdicts if all are empty."""
    made, rows = lib.made(), []
    for s in sections:
        counts = s.verdicts.count()
        rows.append(['[%s](#%s)' % (s.title, anchor(s.title)),
                     ', '.join('`%s`%s%s' % (n, lib.model.mark(made[n][0]),
                                             ' %s min' % made[n][1] if made[n][1] else '')
                               for n in s.sweeps if n in made)] +
                    [str(counts.count(v)) for v in (lib.HOLDS, lib.DIRECTION, lib.FAILS)])
    head = ['experiment', 'sweeps', 'hold', 'direction holds', 'fail']
    columns = 5 if any(s.verdicts.rows for s in sections) else 2
    return lib.table(head[:columns], [r[:columns] for r in rows])


def pages(sections):
    """Yields name and text of each page."""
    yield 'experiments.md', scorecard.page(sections)
    heads = {scorecard.page_of(paper): PAPER_HEAD % (paper, title, authors)
             for paper, (title, authors, _) in scorecard.PAPERS.items()}
    for name, head in {**heads, BEYOND: BEYOND_HEAD}.items():
        own = [s for s in sections if page_of(s.name) == name]
        yield name, head + '\n' + summary(own) + ''.join(
            '\n## %s\n\n%s' % (s.title, s.text) for s in own)


def anchor(title):
    """Returns the anchor that common Markdown renderers generate for a heading."""
    return ''.join(c for c in title.lower().replace(' ', '-') if c.isalnum() or c in '-_')


def write_pages(folder):
    for name, text in pages(load()):
        path = os.path.join(folder, name)
        with open(path + '.new', 'w', encoding='utf-8') as f:
            f.write(text)
        os.replace(path + '.new', path)


if __name__ == '__main__':
    if sys.argv[1:] == ['--verdicts']:
        write_verdicts(sys.stdout)
    elif len(sys.argv) == 2:
        write_pages(sys.argv[1])
    else:
        sys.exit('usage: page.py FOLDER, or page.py --verdicts')
