#!/usr/bin/env python3
"""Writes docs/reference/experiments.md to standard output, from experiments/results; with
`verdicts` as the argument, all verdicts of the page as CSV (experiments/results/verdicts.csv).
tools/docs.sh calls both. Each figures/NNN-NAME.py defines TITLE, SWEEPS and section() ->
(markdown, Verdicts). Results missing from experiments/results are an error.
"""
import csv
import glob
import importlib.util
import os
import sys

import lib

INTRO = '''# The papers' experiments, again

Results of the papers on sharing a GPU, beside corun's measurements: of stand-ins fitted to the
paper's rows of isolated runs, and of programs written from the algorithms, or of both
([programs.md](programs.md)). Nothing was fitted to a run with a shared GPU. A number *holds* within
a quarter of the change reported by the paper (1.20 means a gain of 0.20, so 1.15 to 1.25 hold).
Otherwise the *direction holds* if the change has the paper's sign and at least a tenth of the
paper's size, and if a mean over sets of programs keeps the sign when any single program is left
out; not if only the paper's sign is possible. The measured change over the paper's change follows.
Miss rates, shares and numbers of blocks are compared as such, not as changes. Means are the
paper's; where a paper names none, the verdict goes by arithmetic means, with the geometric mean
beside. A statement in words holds or fails as the row states. If a result does not hold, a sentence
gives the cause, shown by a run without the cause, or *not isolated*: cause unknown. For rows of the
papers' tables of isolated programs the verdicts are in programs.md.

`make experiments` runs the sweeps (`experiments/sweeps`) and writes the page; `make experiments
ONLY=NAME` runs a single sweep. Measurements are kept in `experiments/results`; *of model N*: by an
older timing model than the present model; *min*: minutes of the sweep on two processors, at most,
if known.
'''


def scripts():
    for path in sorted(glob.glob(os.path.join(lib.HERE, 'figures', '*.py'))):
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name.replace('-', '_'), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield name, module


def verdicts(sections):
    """Yields a row per verdict: experiment, target, what, "stand-ins" or "programs", the measured
    value as on the page, the verdict."""
    for name, v in sections:
        for target, what, _, *both in v.rows:
            for kind, measured, verdict in (('stand-ins', *both[:2]), ('programs', *both[2:])):
                if verdict != '-':
                    yield name, target, what, kind, measured, verdict


def write_verdicts(to):
    csv.writer(to, lineterminator='\n').writerows(
        [('experiment', 'target', 'what', 'of', 'measured', 'verdict'),
         *verdicts((name, m.section()[1]) for name, m in scripts())])


def write_page():
    sections, summary, made = [], [], lib.made()
    for name, module in scripts():
        text, verdicts = module.section()
        counts = verdicts.count()
        sections.append('## %s\n\n%s' % (module.TITLE, text))
        summary.append(['[%s](#%s)' % (module.TITLE, anchor(module.TITLE)),
                        ', '.join('`%s`%s%s' % (s, lib.model.mark(made[s][0]),
                                                ' %s min' % made[s][1] if made[s][1] else '')
                                  for s in module.SWEEPS if s in made)] +
                       [str(counts.count(v)) for v in (lib.HOLDS, lib.DIRECTION, lib.FAILS)])
    sys.stdout.write(INTRO + '\n' + lib.table(
        ['experiment', 'sweeps', 'hold', 'direction holds', 'fail'], summary))
    sys.stdout.write(''.join('\n' + s for s in sections))


def anchor(title):
    """Returns the anchor that common Markdown renderers generate for a heading."""
    return ''.join(c for c in title.lower().replace(' ', '-') if c.isalnum() or c in '-_')


if __name__ == '__main__':
    if sys.argv[1:] == ['verdicts']:
        write_verdicts(sys.stdout)
    else:
        write_page()
