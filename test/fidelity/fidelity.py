"""corun beside GPGPU-Sim on the same kernels.

    python3 test/fidelity/fidelity.py BUILD [--only APP]... [--machine NAME]... [--set KEY=VALUE]...
        [--data FOLDER] [--json FILE] [--markdown FILE] [--brief]

FOLDER holds kernels.ptx, apps.json, reference.csv and MACHINE.config, and optionally pairs.csv and
grids.csv (by default data/ beside this script). Prints every row, without judging
(quick.py is the test).
"""
import argparse
import json
import os
import sys
import tempfile

import compare
import latency
import page
import pairs


def parse():
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build')
    p.add_argument('--only', action='append', metavar='APP')
    p.add_argument('--machine', action='append', metavar='NAME')
    p.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    p.add_argument('--data', default=compare.DATA, metavar='FOLDER')
    p.add_argument('--json', metavar='FILE')
    p.add_argument('--markdown', metavar='FILE')
    p.add_argument('--brief', action='store_true', help='one line per row')
    return p.parse_args()


def share(mine, theirs):
    if not theirs:
        return '' if not mine else '  (new)'
    return '%+8.1f %%' % (100 * (mine / theirs - 1))


def show(row, brief):
    mine, theirs = row['figures']['cycles']
    print('%s %-13s %9d %9d %s  output: %s, %.0f times as fast'
          % (row['machine'], row['app'], mine, theirs, share(mine, theirs), row['output'],
             row['rate'] / row['reference_rate']), flush=True)
    if brief:
        return
    for name, (mine, theirs) in row['figures'].items():
        if theirs is not None and (mine or theirs):
            mark = ' ' if mine == theirs else '*'
            print('  %s %-20s %10d %10d %s' % (mark, name, mine, theirs, share(mine, theirs)))


def show_summary(name, s):
    print('%s: mean error %.1f %%, worst %.1f %% (%s), rank correlation %s' % (
        name, 100 * s['mean_error'], 100 * s['worst_error'], s['worst_row'],
        'n/a' if s['rank_correlation'] is None else '%.3f' % s['rank_correlation']))
    print('%s: %.0f warp instructions per processor second, reference %.0f: %.0f times; '
          'by the wall clock of the cycle loop alone %.0f times' % (
              name, s['rate'], s['reference_rate'], s['speed_ratio'], s['loop_ratio']))
    if s['other_outputs']:
        print('%s: other outputs than the reference: %s' % (name, ' '.join(s['other_outputs'])))


def main():
    args = parse()
    machines = args.machine or compare.MACHINES
    ref = compare.reference(os.path.join(args.data, 'reference.csv'))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        b = compare.Bench(os.path.abspath(os.path.join(args.build, 'corun')), folder, args.data,
                          args.set)
        for machine in machines:
            for app in b.apps:
                if (machine, app['name']) in ref and (not args.only or app['name'] in args.only):
                    rows.append(b.row(machine, app, ref[machine, app['name']]))
                    show(rows[-1], args.brief)
        groups = {m: [r for r in rows if r['machine'] == m] for m in machines}
        groups = {m: part for m, part in groups.items() if part}
        unloaded = {m: latency.table(b, m, part) for m, part in groups.items()}
        two, grids = pairs.run(b, machines, args.only, lambda line: print(line, flush=True))
    for m, found in unloaded.items():
        print(m, 'unloaded cycles per step:', ', '.join(
            '%s %.1f%s' % (k, a, '' if b is None else ' (reference %.1f)' % b)
            for k, (a, b) in found.items()))
    summaries = {name: compare.summary(part) for name, part in {**groups, 'all': rows}.items()}
    for name, s in summaries.items():
        show_summary(name, s)
    if two:
        print('pairs: ' + pairs.said(pairs.summary(two)).replace('**', ''))
    if args.json:
        with open(args.json, 'w') as f:
            json.dump({'rows': rows, 'summary': summaries, 'unloaded': unloaded,
                       'pairs': two, 'grids': grids, 'no_counterpart': b.lost}, f, indent=1)
    if args.markdown:
        with open(args.markdown, 'w') as f:
            f.write(page.markdown(b, rows, summaries, unloaded, two, grids))


if __name__ == '__main__':
    sys.exit(main())
