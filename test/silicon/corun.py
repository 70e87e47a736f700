#!/usr/bin/env python3
"""Simulates the pairs of shared.csv, two kernels on one GPU, and stores cycles.

    corun.py [--only ID]... BUILD  writes shared_simulated.csv (all rows: hours)
    corun.py --check BUILD         TAP: the tables are sound, two rows give the stored results; with
                                   CORUN_TEST=all or every three rows more

The kernels are those of workloads/probe. Passes only set the length of a run; a row with `few`
passes compares the time of `many` passes less the time of `few`, without the start and cold passes.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, 'shared_simulated.csv')
HEAD = ['id', 'alone', 'together', 'model']
MACHINE = 'rtx5090'
SHORT = ['slots-170', 'fp64-2']
GOOD = 0.20     # largest error of a good row
LONG = ['slots-340', 'l1-16', 'fp64-1']     # only with CORUN_TEST
sys.path.insert(0, os.path.join(HERE, '../../tools'))
import model  # noqa: E402


def rows():
    with open(os.path.join(HERE, 'shared.csv'), encoding='utf-8') as f:
        return list(csv.DictReader(f))


def stored():
    if not os.path.exists(STORED):
        return {}
    with open(STORED, encoding='utf-8') as f:
        return {r['id']: r for r in csv.DictReader(f)}


def ratio(row):
    """The slowdown, measured or simulated."""
    return float(row['together']) / float(row['alone'])


def error(row, result):
    return ratio(result) / ratio(row) - 1


def totals():
    """Rows, simulated rows, rows within GOOD, mean absolute error in percent."""
    found = stored()
    errors = [abs(error(r, found[r['id']])) for r in rows() if r['id'] in found]
    return (len(rows()), len(errors), sum(e <= GOOD for e in errors),
            100 * sum(errors) / max(len(errors), 1))


def cycles(corun, apps, policy):
    """SM cycles from the first launch's start to the last launch's end."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'launches.csv')
        subprocess.run([corun, 'run', *apps, '--gpu', MACHINE, '--policy', policy, '--until', 'end',
                        '--alone', 'skip', '--quiet', '--launches', path], check=True)
        with open(path, encoding='utf-8') as f:
            launches = list(csv.DictReader(f))
    return max(int(r['end_cycle']) for r in launches) - min(int(r['start_cycle']) for r in launches)


def simulate(corun, row):
    """Cycles alone (of two kernels the longer) and together."""
    def time(apps):
        many = cycles(corun, ['probe:' + a.format(row['many']) for a in apps], row['policy'])
        if not row['few']:
            return many
        return many - cycles(corun, ['probe:' + a.format(row['few']) for a in apps], row['policy'])
    kernels = [row['a'], row['b'] or row['a']]
    return max(time([a]) for a in dict.fromkeys(kernels)), time(kernels)


def simulate_all(corun, only):
    for row in rows():
        if only and row['id'] not in only:
            continue
        alone, together = simulate(corun, row)
        print(row['id'], alone, together, '%.2f' % (together / alone), flush=True)
        found = stored()
        found[row['id']] = dict(zip(HEAD, (row['id'], alone, together, model.present())))
        with open(STORED + '.new', 'w', encoding='utf-8') as f:
            writer = csv.DictWriter(f, HEAD, lineterminator='\n')
            writer.writeheader()
            writer.writerows(found[r['id']] for r in rows() if r['id'] in found)
        os.replace(STORED + '.new', STORED)


def repeat(corun, row, old):
    """Returns what differs from the stored result; None: nothing."""
    now = simulate(corun, row)
    if now == (int(old['alone']), int(old['together'])):
        return None
    return '%d alone, %d together, stored %s and %s; run make corun-silicon' % (
        *now, old['alone'], old['together'])


def check(corun):
    short = SHORT + LONG * bool(os.environ.get('CORUN_TEST'))
    names, found, wrong = [r['id'] for r in rows()], stored(), []
    if len(names) != 14 or len(set(names)) != 14:
        wrong.append('shared.csv has %d rows, not 14 of different names' % len(names))
    wrong += ['%s: a result without a row' % name for name in found if name not in names]
    wrong += ['%s: no stored result' % name for name in SHORT + LONG if name not in found]
    print('%sok 1 - the tables of pairs are sound' % ('not ' if wrong else ''))
    for line in wrong:
        print('# ' + line)
    failed, n = bool(wrong), 1
    for row in rows():
        if row['id'] not in short or row['id'] not in found:
            continue
        n += 1
        old = found[row['id']]
        name = '%s gives the stored result' % row['id']
        if int(old['model']) != model.present():
            print('ok %d - %s # SKIP a result of model %s' % (n, name, old['model']))
            continue
        bad = repeat(corun, row, old)
        failed |= bad is not None
        print('%sok %d - %s%s' % ('not ' if bad else '', n, name, '\n# ' + bad if bad else ''))
    print('1..%d' % n)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--only', action='append', choices=[r['id'] for r in rows()])
    parser.add_argument('--check', action='store_true')
    parser.add_argument('build')
    args = parser.parse_args()
    corun = os.path.join(os.path.abspath(args.build), 'corun')
    if args.check:
        sys.exit(check(corun))
    simulate_all(corun, args.only or [])


if __name__ == '__main__':
    main()
