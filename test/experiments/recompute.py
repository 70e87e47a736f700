#!/usr/bin/env python3
"""Recomputes every row of experiments/results/verdicts.csv from the stored runs and the papers'
figures, with no code of experiments/: value, word and ratio must agree. Also checks that every
figure of experiments/targets.csv has a place."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'whole')]
from common import Tap  # noqa: E402
from independent import (  # noqa: E402
    paper000, paper001, paper002, paper003, paper004, places, rules)

PAPERS = [paper000, paper001, paper002, paper003, paper004]
VERDICTS = 'experiments/results/verdicts.csv'
NUMBER = re.compile(r'(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?')


def plain(text):
    """Returns the number of a text, and half of the text's last digit."""
    digits = text.replace(',', '')
    return float(digits), 0.5 * 10.0 ** -len(digits.partition('.')[2])


def unlike(cell, values):
    """Returns the first difference between a cell and recomputed values: numbers, rounded as in the
    cell, and words, in the same order; None without a difference."""
    at = 0
    for value in values:
        if isinstance(value, str):
            found = cell.find(value, at)
            if found < 0:
                return value
            at = found + len(value)
            continue
        number = NUMBER.search(cell, at)
        if not number:
            return value
        shown, half = plain(number.group())
        if abs(shown - value) > half * (1 + 1e-6):
            return value
        at = number.end()
    left = NUMBER.search(cell, at)
    return left and left.group() + ' not recomputed'


def differs(row, values, word, ratio):
    """Returns the difference between a row of verdicts.csv and the recomputation, or ''."""
    again = word if ratio is None else '%s (%.2f)' % (word, ratio)
    found = re.fullmatch(r'([a-z ]+?)(?: \((-?[\d.]+)\))?', row['verdict'])
    same = found and found.group(1) == word and (found.group(2) is None) == (ratio is None)
    if same and ratio is not None:
        shown, half = plain(found.group(2))
        same = abs(shown - ratio) <= half * (1 + 1e-6)
    if not same:
        return 'verdict %s, recomputed %s' % (row['verdict'], again)
    value = unlike(row['measured'], values)
    return '' if value is None else 'measured %s, recomputed %s' % (row['measured'], value)


def agree(stored, again):
    """Compares an experiment's rows; {(target, what, of): row}."""
    wrong = []
    for key in {**stored, **again}:
        if key not in again:
            said = 'no recomputation'
        elif key not in stored:
            said = 'no row in verdicts.csv; recomputed %s, %s, %s' % again[key]
        else:
            said = differs(stored[key], *again[key])
        wrong += ['%s, %s: %s' % (': '.join(key[:2]), key[2], said)] if said else []
    assert not wrong, '\n'.join(wrong)


def main():
    tap, rows, stored, again = Tap(), rules.Rows(), {}, {}
    for paper in PAPERS:
        tap.case(paper.__doc__.partition(',')[0], paper.add, rows)
    for row in rules.table(VERDICTS):
        stored.setdefault(row['experiment'], {})[row['target'], row['what'], row['of']] = row
    for (experiment, *key), value in rows.of.items():
        again.setdefault(experiment, {})[tuple(key)] = value
    for experiment in sorted({**stored, **again}):
        tap.case(experiment, agree, stored.get(experiment, {}), again.get(experiment, {}))
    tap.case('every figure of the papers has a place', places.check)
    tap.end()


if __name__ == '__main__':
    main()
