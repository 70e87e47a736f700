"""docs/explanation/fidelity.md from the rows of a comparison."""
import json
import os

import pairs

HEAD = '''# corun beside GPGPU-Sim

The same PTX on machines made from the same option files, one row per kernel. Written by `make
fidelity`. The machine files come from GPGPU-Sim 4.2's option files by
`corun import`; the reference's figures were measured with GPGPU-Sim 4.2 in PTX
mode (`test/fidelity/data/reference.csv`). `ours / reference` where they differ, one number
where they are equal. `output`: the dumped buffers are the same as the reference's, or are so when
`fma` is made to round twice, as it does there. For speed see [speed.md](speed.md).
'''
PAIRS = '''Two kernels at once (`test/fidelity/data/pairs.csv`), each in a stream of its own, queued
before cycle 0, buffers allocated one after the other; `shared` on: an SM may hold blocks of both
(`leftover`), off: of one until it is empty (`leftover[shared=off]`). '''
TABLES = [
    ('L1', ['L1 accesses', 'L1 hits', 'L1 merged', 'L1 misses', 'L1 fails']),
    ('L2 and DRAM', ['L2 accesses', 'L2 merged', 'L2 misses', 'DRAM reads', 'DRAM writes',
                     'row hits', 'activates']),
    ('Scheduler cycles without an issue', ['idle', 'raw', 'pipeline']),
]


def pair(mine, theirs):
    if theirs is None:
        return str(mine)
    return str(mine) if mine == theirs else '%d / %d' % (mine, theirs)


def line(cells):
    return '| ' + ' | '.join(cells) + ' |\n'


def table(head, rows):
    return line(head) + line(['---'] * len(head)) + ''.join(line(r) for r in rows) + '\n'


def cycles(rows):
    out = []
    for r in rows:
        mine, theirs = r['figures']['cycles']
        out.append([r['app'], pair(*r['figures']['warp instructions']),
                    pair(*r['figures']['thread instructions']), str(mine), str(theirs),
                    '%+.1f %%' % (100 * r['error']), r['output']])
    return table(['kernel', 'warp instructions', 'thread instructions', 'cycles', 'reference',
                  'error', 'output'], out)


def figures(rows, names):
    return table(['kernel'] + names,
                 [[r['app']] + [pair(*r['figures'][n]) for n in names] for r in rows])


def said(s):
    text = ('Mean absolute error of cycles **%.1f %%**, worst **%.1f %%** (%s)' %
            (100 * s['mean_error'], 100 * s['worst_error'], s['worst_row']))
    if s['rank_correlation'] is not None:
        text += ', rank correlation **%.3f**' % s['rank_correlation']
    return text + '.\n\n'


def latencies(found):
    return table(['cycles per step'] + list(found),
                 [['corun'] + ['%.1f' % a for a, _ in found.values()],
                  ['reference'] + ['' if b is None else '%.1f' % b for _, b in found.values()]])


def notes(path, machine, rows):
    if not os.path.exists(path):
        return ''
    with open(path) as f:
        all_notes = json.load(f)
    keys = ['all', 'pairs'] + [r['app'] for r in rows]
    found = ['* **%s**: %s\n' % (k, all_notes['%s/%s' % (machine, k)])
             for k in keys if '%s/%s' % (machine, k) in all_notes]
    return '### Why rows differ\n\n' + ''.join(found) + '\n' if found else ''


def together(rows):
    """Two kernels at once."""
    if not rows:
        return ''
    head = ['kernels', 'shared'] + [h for of in ('cycles', 'first ends', 'second ends')
                                    for h in (of, 'reference', 'error')]
    cells = [[r['pair'], r['shared']] +
             [c for p in (r['cycles'], *r['ends']) for c in (str(p[0]), str(p[1]),
                                                             pairs.percent(p))] for r in rows]
    names = [n for n, _, _ in pairs.FIGURES]
    counts = [[r['pair'], r['shared']] + [pair(*r['figures'][n]) for n in names] for r in rows]
    return ('### Two kernels at once\n\n' + table(head, cells) +
            table(['kernels', 'shared'] + names, counts))


def other_grids(rows):
    if not rows:
        return ''
    return '### Other grids\n\n' + table(
        ['kernel', 'blocks', 'cycles', 'reference', 'error'],
        [[r['app'], str(r['blocks']), *map(str, r['cycles']), pairs.percent(r['cycles'])]
         for r in rows])


def markdown(bench, rows, summaries, unloaded, two, grids):
    out = HEAD + '\n' + said(summaries['all'])
    if two:
        out += PAIRS + pairs.said(pairs.summary(two)) + '\n\n'
    for machine in dict.fromkeys(r['machine'] for r in rows):
        mine = [r for r in rows if r['machine'] == machine]
        out += '## %s\n\n' % machine + said(summaries[machine]) + cycles(mine)
        out += '### Unloaded latencies\n\n' + latencies(unloaded[machine])
        for title, names in TABLES:
            out += '### %s\n\n' % title + figures(mine, names)
        out += together([r for r in two if r['machine'] == machine])
        out += other_grids([r for r in grids if r['machine'] == machine])
        out += notes(os.path.join(bench.data, 'notes.json'), machine, mine)
        out += '### Options without a counterpart\n\n'
        out += ''.join('* `%s %s`: %s\n' % lost for lost in bench.lost[machine]) + '\n'
    return out.rstrip('\n') + '\n'
