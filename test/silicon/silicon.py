#!/usr/bin/env python3
"""Simulates the measured figures of public.csv on the shipped machines and stores the results.

    silicon.py [--only MACHINE]... [--measure REGEX] BUILD
                                           writes simulated.csv: `make silicon`
    silicon.py --check BUILD               TAP: the tables are sound, machine files agree with the
                                           properties, and short rows give the stored results
"""
import argparse
import csv
import os
import re
import sys

from measures import HERE, MACHINES, Machine, measure, public
from properties import differences

STORED = os.path.join(HERE, 'simulated.csv')
HEAD = ['machine', 'measure', 'value', 'model']
SHORT = ['L1 hit', 'L2 hit', 'launch gap', 'pinned to device, 1 MB']
sys.path.insert(0, os.path.join(HERE, '../../tools'))
import model  # noqa: E402


def stored():
    with open(STORED, encoding='utf-8') as f:
        return {(r['machine'], r['measure']): r for r in csv.DictReader(f)}


def measures(m):
    """label -> function, of all rows of the machine."""
    found = (measure(m, row) for row in public() if row['machine'] == m.name)
    return dict(f for f in found if f)


def simulate(corun, names, wanted):
    """wanted: regular expression of labels; other stored rows remain."""
    rows = stored() if os.path.exists(STORED) else {}
    for name in names:
        rows = {k: v for k, v in rows.items() if k[0] != name or not re.search(wanted, k[1])}
        for label, function in measures(Machine(corun, name)).items():
            if not re.search(wanted, label):
                continue
            value = '%.5g' % function()
            print(name, label, value, flush=True)
            rows[name, label] = dict(zip(HEAD, (name, label, value, model.present())))
    with open(STORED + '.new', 'w', encoding='utf-8') as f:
        writer = csv.DictWriter(f, HEAD, lineterminator='\n')
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda r: MACHINES.index(r['machine'])))
    os.replace(STORED + '.new', STORED)


def half_checks():
    """At least half of the rows of each machine, and of its measured rows, are for check."""
    rows, wrong = public(), []
    for name in sorted({r['machine'] for r in rows}):
        for kind in ('property simulator measured', 'measured'):
            uses = [r['use'] for r in rows if r['machine'] == name and r['kind'] in kind]
            if 2 * uses.count('check') < len(uses):
                wrong.append('%s: %d of %d rows are for check' % (name, uses.count('check'),
                                                                 len(uses)))
    return wrong


def stored_agree(corun, name):
    rows, m = stored(), Machine(corun, name)
    every = measures(m)
    wrong = ['%s: no stored result' % label for label in every if (name, label) not in rows]
    wrong += ['%s: no row of public.csv' % label for machine, label in rows
              if machine == name and label not in every]
    for label in SHORT:
        if label not in every or (name, label) not in rows:
            continue
        now, old = '%.5g' % every[label](), rows[name, label]
        if int(old['model']) == model.present() and now != old['value']:
            wrong.append('%s: %s, stored %s; run make silicon' % (label, now, old['value']))
    return wrong


def curves_complete(corun, name):
    import curves  # imports this module
    have = {(c, x) for c, x, _ in curves.stored_points(name)}
    return ['%s at %g is missing in curves.csv; run make silicon' % (c, x)
            for c, x, _ in curves.points(Machine(corun, name))
            if (c, float('%g' % x)) not in have]


def check(corun):
    cases = [('half of the public figures are for check', half_checks)]
    for name in MACHINES:
        cases.append((name + ' has the published properties',
                      lambda name=name: differences(Machine(corun, name), public())))
        cases.append((name + ' gives the stored results',
                      lambda name=name: stored_agree(corun, name)))
        cases.append((name + ' has stored curves',
                      lambda name=name: curves_complete(corun, name)))
    failed = 0
    for n, (title, function) in enumerate(cases, 1):
        wrong = function()
        failed += bool(wrong)
        print('%sok %d - %s' % ('not ' if wrong else '', n, title))
        for line in wrong:
            print('# ' + line)
    print('1..%d' % len(cases))
    return failed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', action='append', choices=MACHINES)
    parser.add_argument('--measure', default='')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('build')
    args = parser.parse_args()
    corun = os.path.join(args.build, 'corun')
    if args.check:
        sys.exit(check(corun))
    simulate(corun, args.only or MACHINES, args.measure)


if __name__ == '__main__':
    main()
