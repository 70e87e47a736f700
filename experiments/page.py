#!/usr/bin/env python3
"""Writes docs/reference/experiments.md to standard output, from experiments/results; called by
tools/docs.sh. Each figures/NNN-NAME.py defines TITLE, SWEEPS and section() -> (markdown, Verdicts).
The page includes the section if results of the first sweep, or of all NEEDS if defined, exist.
"""
import glob
import importlib.util
import os
import sys

import lib

INTRO = '''# The papers' experiments, again

What the papers report of sharing a GPU, beside what corun measures: of stand-ins fitted to the
paper's rows of isolated runs, and of programs written from their algorithms, both where both exist
([programs.md](programs.md)). Nothing was fitted to a run in which programs share the GPU. A
number *holds* where it is within a quarter of the change that the paper reports (1.20 means a gain
of 0.20, so 1.15 to 1.25 hold), else its *direction holds* where it is on the paper's side of no
change, if it could be on the other; behind it stands the measured change over the paper's. What is
said in words holds or fails as the row states it. Where something does not hold, a sentence gives
the cause that a run without it has shown, or *not isolated* says that none has. Rows of the papers'
tables of programs alone have their verdicts in programs.md.

`make experiments` runs the sweeps (`experiments/sweeps`) and writes this page; `make experiments
ONLY=NAME` one of them. What was measured is kept in `experiments/results`; *of model N*: by an
earlier timing model than the present one; *min*: how many minutes its sweep took on two processors,
at most, where that is known.
'''


def scripts():
    for path in sorted(glob.glob(os.path.join(lib.HERE, 'figures', '*.py'))):
        name = os.path.splitext(os.path.basename(path))[0]
        spec = importlib.util.spec_from_file_location(name.replace('-', '_'), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield name, module


def main():
    sections, summary, made = [], [], lib.made()
    for name, module in scripts():
        if not all(os.path.exists(os.path.join(lib.HERE, 'results', s + '.csv'))
                   for s in getattr(module, 'NEEDS', module.SWEEPS[:1])):
            continue  # no results stored
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
    main()
