"""Pairs shown individually in paper 000: distance of each policy from the best static partition."""
import lib

TITLE = 'Distance to the oracle, pairs of paper 000'
SWEEPS = ['000-oracle']
STATIC = ['leftover', 'spatial', 'smk-even', 'smk-p', 'warped-slicer[mode=static]']
DYNAMIC = ['smk-p+fair', 'warped-slicer', 'mias[metric=ipc]', 'mias[metric=ipm-ipc]',
           'mias[metric=factor]', 'mias[metric=linear]']


def section():
    sets = lib.by_set(lib.runs(SWEEPS[0]))
    v = lib.Verdicts()
    if not sets:
        return '', v
    rows, part = [], {p: [] for p in STATIC + DYNAMIC}
    for names, by_policy in sets.items():
        best = by_policy['oracle'].weighted_speedup
        row = [' + '.join(names), lib.show(best)]
        for p in STATIC + DYNAMIC:
            of_best = by_policy[p].weighted_speedup / best
            part[p].append(of_best)
            row.append(lib.show(100 * of_best, 0))
        rows.append(row)
    rows.append(['geometric mean', ''] + [lib.show(100 * lib.gmean(part[p]), 0) for p in part])
    cycles = '{:,}'.format(lib.runs(SWEEPS[0])[0].cycles)
    text = ('Weighted speedup of the oracle over %s cycles, and the weighted speedup of each '
            'policy in %% of the oracle\'s; static policies first.\n\n' % cycles)
    text += lib.table(['pair', 'oracle'] + ['`%s`' % p for p in part], rows)
    return text, v
