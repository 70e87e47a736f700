"""Recomputes the verdict of corun compare from the JSON, and compares the sentence with the first
lines below the title of the table and with the head of the page.

    verdict.py RESULT.json TABLE PAGE.html
"""
import html
import json
import re
import statistics
import sys


T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]  # Student's t, 1 to 9


def named(runs, words):
    names = [r['policy'] for r in runs]
    more = ' and %d more' % (len(names) - 3) if len(names) > 3 else ''
    return '; %s%s %s' % (', '.join(names[:3]), more, words) if names else ''


def interval(values):
    """The mean and half the width of its 95 % confidence interval."""
    n = len(values)
    return statistics.mean(values), T95[n - 2] * statistics.stdev(values) / n ** 0.5


def alike(r, best):
    """True if the mean difference of each seed's weighted speedup may be 0."""
    x, y = (q['seeds']['metrics']['weighted_speedup']['values'] for q in (r, best))
    mean, half = interval([a - b for a, b in zip(x, y)])
    return abs(mean) <= half


def sentence(runs, skipped=False):
    def speedup(r):
        if 'seeds' in r:
            return statistics.mean(r['seeds']['metrics']['weighted_speedup']['values'])
        return r['metrics']['weighted_speedup']

    def share(r, a):
        if 'seeds' in r:
            return statistics.mean(r['seeds']['apps'][a]['normalized_ipc']['values'])
        return r['apps'][a]['normalized_ipc']

    ended = lambda r: r['status'] == 'completed' and speedup(r) is not None
    real = [r for r in runs if not r['policy'].startswith('oracle')]
    good = [r for r in real if ended(r)]
    if not good:
        return 'no verdict: ' + ('the oracle is the only policy' if not real
                                 else 'isolated runs were skipped' if skipped
                                 else 'no policy completed with a weighted speedup')
    best = max(good, key=speedup)
    apps = [a['name'] for a in best['apps']]
    better = []
    for a, app in enumerate(apps):
        top = max(good, key=lambda r: share(r, a))
        if share(best, a) < 0.99 * share(top, a):
            better.append('%s is better for %s (%.3f)' % (top['policy'], app, share(top, a)))
    everyone = {1: 'is best', 2: 'is best for both'}.get(len(apps),
                                                         'is best for all %d apps' % len(apps))
    over = ''
    if 'seeds' in best:
        values = best['seeds']['metrics']['weighted_speedup']['values']
        over = ' +- %.3f over %d seeds' % (interval(values)[1], len(values))
    text = '%s %s (weighted speedup %.3f%s): %s' % (
        best['policy'], 'is the only policy with a result' if len(good) == 1
        else 'is best' if better else everyone, speedup(best), over,
        ', '.join('%s %.3f' % (app, share(best, a)) for a, app in enumerate(apps)))
    text += '; ' * bool(better) + ', '.join(better)
    others = [r for r in good if r is not best]
    text += named([r for r in others if speedup(r) >= 0.99 * speedup(best)], 'within 1 %')
    text += named([r for r in others if over and alike(r, best)], 'not told apart from the best')
    for r in runs:
        if r['policy'].startswith('oracle') and ended(r):
            chosen = r['policy_stats'].get('oracle', {}).get('chosen')
            text += '; oracle%s: %.3f' % (' ' + chosen if chosen else '', speedup(r))
            break
    n = len(real) - len(good)
    return text + ('; %d polic%s not complete' % (n, 'y did' if n == 1 else 'ies did') if n else '')


def main(result, table, page):
    with open(result) as f:
        runs = json.load(f)['runs']
    skipped = all(a['alone'] is None for r in runs for a in r.get('apps', []))
    want = sentence(runs, skipped)
    with open(table) as f:
        printed = f.read().split('\n\n')[0].split('\n')[1:]
    assert ' '.join(printed) == want, (printed, want)
    with open(page) as f:
        text = f.read()
    shown = re.search(r'<p class="verdict">(.*?)</p>', text)
    assert html.unescape(shown[1].replace('<wbr>', '')) == want + '.', (shown[1], want)
    assert shown.start() < text.index('<table>'), 'the verdict is below a table'
    print(want)


if __name__ == '__main__':
    main(*sys.argv[1:])
