"""Paper 000, figure 9: heat maps over every pair of limits; and the best limits of all pairs."""
import os
import re

import causes
import lib
import paper000

TITLE = 'Paper 000, figure 9: limits on memory instructions in flight'
SWEEPS = ['000-smil', '000-limits', '000-removed-smil']
STEM = paper000.STATIC + '+smil[limits='
LIMITS = [str(n) for n in range(1, 25)] + ['inf']
PAIRS = [('pf', 'bp'), ('bp', 'ks'), ('sv', 'ks')]
CELL, LEFT, TOP = 18, 48, 22
FOLDER = os.path.join(lib.HERE, '..', 'docs', 'images')

TEXT = '''Weighted speedup on static Warped-Slicer, over 200,000 cycles, of each limit for the first
kernel (down) and the second (across), from 1 to 24 instructions and without: white is the least,
black the greatest of the three pairs. Stand-ins.

'''


def limits_of(policy):
    """Returns ('3', 'inf') for warped-slicer[..]+smil[limits=3/inf]; None for a policy without
    limits."""
    found = re.search(r'smil\[limits=(\w+)/(\w+)\]', policy)
    return found and found.groups()


def grid(runs):
    """Returns {(limit, limit): weighted speedup}."""
    return {limits_of(p): r.weighted_speedup for p, r in runs.items() if limits_of(p)}


def shade(x, low, high):
    grey = round(255 * (1 - (x - low) / (high - low or 1)))
    return '#%02x%02x%02x' % (grey, grey, grey)


def heat_map(pair, of, low, high):
    """Returns the heat map of a pair as an SVG image."""
    width, height = LEFT + CELL * len(LIMITS) + 6, TOP + CELL * len(LIMITS) + 6
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
             'font-family="sans-serif" font-size="10">' % (width, height),
             '<rect width="%d" height="%d" fill="white"/>' % (width, height),
             '<text x="4" y="14">%s, %s</text>' % pair]
    for i, a in enumerate(LIMITS):
        label = a if a == 'inf' or int(a) % 4 == 0 or a == '1' else ''
        if label:
            parts.append('<text x="%d" y="%d" text-anchor="middle">%s</text>'
                         % (LEFT + CELL * i + CELL // 2, TOP - 6, label))
            parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>'
                         % (LEFT - 5, TOP + CELL * i + 13, label))
        for j, b in enumerate(LIMITS):
            parts.append('<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s/%s: %.3f'
                         '</title></rect>' % (LEFT + CELL * j, TOP + CELL * i, CELL, CELL,
                                              shade(of[a, b], low, high), a, b, of[a, b]))
    return '\n'.join(parts + ['</svg>']) + '\n'


def write(name, text):
    os.makedirs(FOLDER, exist_ok=True)
    with open(os.path.join(FOLDER, name), 'w', encoding='utf-8') as f:
        f.write(text)


def maps(grids):
    low = min(min(g.values()) for g in grids.values())
    high = max(max(g.values()) for g in grids.values())
    text, rows = TEXT, []
    for pair, g in grids.items():
        name = '000-fig9-%s-%s.svg' % pair
        write(name, heat_map(pair, g, low, high))
        text += '![%s and %s: weighted speedup of every two limits](../images/%s)\n' % (*pair, name)
        best = max(g, key=lambda k, g=g: g[k])
        rows.append(['%s + %s' % pair, g['inf', 'inf'], '/'.join(best), g[best]])
    return text + '\n' + lib.table(['pair', 'without limits', 'best limits', 'with them'],
                                   rows) + '\n'


def free(runs):
    """Returns the run without limits."""
    return next(r for p, r in runs.items() if limits_of(p) == ('inf', 'inf'))


def stopped(chosen):
    """Returns the number of runs in which a kernel keeps less than a quarter of the isolated
    IPC."""
    return sum(min(r.app('normalized_ipc')) < 0.25 for r in chosen)


TABLES = '''All %d pairs with the best of %d static limits each, by either metric. If a kernel runs
faster with few memory instructions in flight than alone, nearly stopping the other kernel gives the
highest weighted speedup:

'''
CHOICES = [('without', free),
           ('most weighted speedup', lambda s: max(s.values(), key=lambda r: r.weighted_speedup)),
           ('least ANTT', lambda s: min(s.values(), key=lambda r: r.antt))]


def best_text(of):
    """Returns a text on the results of the best static limits of each pair: an upper bound for any
    method of finding limits."""
    rows = []
    groups = paper000.grouped(of)
    for c in paper000.CLASSES + ['all']:
        for title, choose in CHOICES:
            chosen = [choose(s) for s in groups[c]]
            rows.append([c, title] + [lib.gmean(getattr(r, m) for r in chosen) for m in
                                      ('weighted_speedup', 'antt', 'fairness')] +
                        ['%d of %d' % (stopped(chosen), len(chosen))])
    tried = len(grid(groups['all'][0]))
    return TABLES % (len(of), tried) + lib.table(
        ['class', 'limits', 'weighted speedup', 'ANTT', 'fairness',
         'pairs in which one keeps less than a quarter'], rows) + '\n'


def mean_of(g, rule):
    """Returns the mean over the limits selected by the rule."""
    return lib.mean(x for k, x in g.items() if rule(k))


def many(limit):
    """Returns True for limits of 8 and more."""
    return limit == 'inf' or int(limit) >= 8


def grid_rows(rows):
    """Adds rows on the grids {pair: {limits: weighted speedup}} of three pairs."""
    def rising(grids):
        g = grids['pf', 'bp']
        low, middle, free_of = (g[k] for k in (('1', '1'), ('8', '8'), ('inf', 'inf')))
        return ', '.join(map(lib.show, (low, middle, free_of))), \
            lib.true(low < middle <= free_of * 1.01, low < free_of)
    rows.add('T000-150', 'pf+bp: weighted speedup at 1/1, 8/8, inf/inf', 'rises with both', rising)
    for target, pair in (('T000-151', ('bp', 'ks')), ('T000-152', ('sv', 'ks'))):
        def means(grids, pair=pair):
            a, b = (mean_of(grids[pair], lambda k, few=few: many(k[1]) != few)
                    for few in (False, True))
            return '%.2f, %.2f' % (a, b), lib.true(a < b)
        rows.add(target, '%s+%s: mean with 8 and more of ks, with fewer' % pair, 'low, higher',
                 means)

    def best_of(grids, pair):
        return max(grids[pair], key=lambda k: grids[pair][k])

    def large(grids):
        best = best_of(grids, ('bp', 'ks'))
        return '/'.join(best), lib.true(many(best[0]) and not many(best[1]), not many(best[1]))
    rows.add('T000-151', 'bp+ks: best limits', 'large of bp, below 8 of ks', large)

    def small(grids):
        best = best_of(grids, ('sv', 'ks'))
        return '/'.join(best), lib.true(best == ('3', '1'), not many(best[0]) and not many(best[1]))
    rows.add('T000-152', 'sv+ks: best limits', '3/1', small)


def section():
    grids = {pair: grid(runs) for pair, runs in paper000.sets('000-smil').items()}
    v = lib.Verdicts()
    grid_rows(causes.Rows(v, None, None, grids, {
        words: {pair: grid(runs) for pair, runs in of.items()}
        for words, of in paper000.by_limit('000-removed-smil').items()}))
    return maps(grids) + best_text(paper000.sets('000-limits')) + v.markdown(), v
