"""Two kernels at once beside GPGPU-Sim, and kernels on grids of other sizes.

data/pairs.csv: the first kernel launched in one stream, the second in another, both before cycle 0.
`shared` on: an SM may hold blocks of both (left-over), off: of a single kernel until empty. Ends
are the cycles at which each kernel ended, counts are of the whole run. data/grids.csv: cycles of a
kernel with another number of blocks.
"""
import csv
import os

POLICY = {'on': 'leftover', 'off': 'leftover[shared=off]'}
# (figure, corun's statistic of the whole GPU, the reference's column)
FIGURES = [
    ('L1 accesses', 'l1.accesses', 'l1_accesses'),
    ('L1 misses', 'l1.misses', 'l1_misses'),
    ('L1 merged', 'l1.merged', 'l1_merged'),
    ('L2 accesses', 'l2.accesses', 'l2_accesses'),
    ('L2 misses', 'l2.misses', 'l2_misses'),
    ('DRAM reads', 'dram.reads', 'dram_reads'),
    ('DRAM writes', 'dram.writes', 'dram_writes'),
    ('activates', 'dram.activates', 'activates'),
]


def load(data, name):
    path = os.path.join(data, name)
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return list(csv.DictReader(f))


def error(pair):
    mine, theirs = pair
    return mine / theirs - 1


def pair_row(bench, ref):
    apps = [next(a for a in bench.apps if a['name'] == ref[k]) for k in ('first', 'second')]
    result = bench.run(bench.machine_file(ref['machine'], *apps), *apps,
                       more=('--policy', POLICY[ref['shared']], '--until', 'end'))
    ends = [(a['cycles'], int(ref[k]))
            for a, k in zip(result['apps'], ('first_end', 'second_end'))]
    return {'machine': ref['machine'], 'shared': ref['shared'],
            'pair': '%s + %s' % (ref['first'], ref['second']), 'status': result['status'],
            'cycles': (result['cycles'], int(ref['cycles'])), 'ends': ends,
            'figures': {name: (result['stats'][ours], int(ref[theirs]))
                        for name, ours, theirs in FIGURES}}


def grid_row(bench, ref):
    app = dict(next(a for a in bench.apps if a['name'] == ref['app']))
    app.update(grid=[int(ref['blocks']), 1, 1], buffers=[
        dict(b, count=b['count'] * int(ref['blocks']) // app['grid'][0]) for b in app['buffers']])
    result = bench.run(bench.machine_file(ref['machine'], app), app)
    return {'machine': ref['machine'], 'app': ref['app'], 'blocks': int(ref['blocks']),
            'status': result['status'], 'cycles': (result['cycles'], int(ref['cycles']))}


def run(bench, machines, only, show):
    """Returns all selected rows of both kinds."""
    def wanted(ref, names):
        return ref['machine'] in machines and (not only or set(names) & set(only))
    found = [], []
    for ref in load(bench.data, 'pairs.csv'):
        if wanted(ref, (ref['first'], ref['second'])):
            found[0].append(pair_row(bench, ref))
            show(said_pair(found[0][-1]))
    for ref in load(bench.data, 'grids.csv'):
        if wanted(ref, (ref['app'],)):
            found[1].append(grid_row(bench, ref))
            show(said_grid(found[1][-1]))
    return found


def percent(pair):
    return '%+.1f %%' % (100 * error(pair))


def said_pair(r):
    return '%s %-23s shared=%-3s %7d %7d %8s   first %7d %7d %8s   second %7d %7d %8s' % (
        r['machine'], r['pair'], r['shared'], *r['cycles'], percent(r['cycles']),
        *(x for e in r['ends'] for x in (*e, percent(e))))


def said_grid(r):
    return '%s %s, %d blocks %d %d %s' % (r['machine'], r['app'], r['blocks'], *r['cycles'],
                                          percent(r['cycles']))


def summary(rows):
    errors = [abs(error(r['cycles'])) for r in rows]
    ends = [(abs(error(e)), r) for r in rows for e in r['ends']]
    worst = max(rows, key=lambda r: abs(error(r['cycles'])))
    return {'rows': len(rows), 'mean_error': sum(errors) / len(errors),
            'worst_error': max(errors), 'worst_row': name_of(worst),
            'mean_end_error': sum(e for e, _ in ends) / len(ends),
            'worst_end_error': max(e for e, _ in ends),
            'worst_end_row': name_of(max(ends, key=lambda e: e[0])[1])}


def name_of(r):
    return '%s, %s%s' % (r['pair'], r['machine'], '' if r['shared'] == 'on' else ', shared=off')


def said(s):
    return ('Mean absolute error of cycles **%.1f %%**, worst **%.1f %%** (%s); of the ends of '
            'single kernels **%.1f %%**, worst **%.1f %%** (%s).' %
            (100 * s['mean_error'], 100 * s['worst_error'], s['worst_row'],
             100 * s['mean_end_error'], 100 * s['worst_end_error'], s['worst_end_row']))
