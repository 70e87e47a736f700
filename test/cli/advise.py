"""Checks the JSON of `corun advise`:
advise.py sweep ADVICE SWEEP LOSS   the advice against `corun compare` over all splits; the split
                                    is worse than the best by at most LOSS
advise.py self ADVICE          numbers of the advice recomputed from its runs
advise.py once ADVICE          all kinds are simulated, no SMs of a kind twice
advise.py page ADVICE PAGE TABLE  the page against the JSON and the printed table
advise.py alone ADVICE FILE... isolated runs of the first app against `corun run`"""
import html
import json
import re
import sys

VALUES = {'weighted_speedup': (max, sum),
          'antt': (min, lambda np: sum(1 / x for x in np) / len(np)),
          'fairness': (max, lambda np: min(np) / max(np))}


def load(name):
    with open(name) as f:
        return json.load(f)


def same(a, b, what):
    assert abs(a - b) <= 1e-12 * abs(b), (what, a, b)


def metric(advice):
    """The choice of the best, and the value for slowdowns and p99s."""
    if advice['metric'] in VALUES:
        best_of, value = VALUES[advice['metric']]
        return best_of, lambda slowdowns, _: value([1 / x for x in slowdowns])
    names = [app['name'] + '.p99' for app in advice['apps']]
    return min, lambda _, p99s: p99s[names.index(advice['metric'])]


def has_p99(app, advice):
    return app['p99_bound_us'] is not None or advice['metric'] == app['name'] + '.p99'


def p99_of(app):
    return app['requests']['latency_p99_us'] if app.get('requests') else None


def look_sweep(advice, sweep, loss):
    best_of, value = metric(advice)
    values = {}
    for run in sweep['runs']:
        slowdowns = [1 / a['normalized_ipc'] for a in run['apps']]
        p99s = [p99_of(a) for a in run['apps']]
        excess = worst({'slowdowns': slowdowns, 'p99_us': p99s}, advice['apps'])
        result = value(slowdowns, p99s) if advice['meets'] else excess
        if result is not None and (excess <= 1 or not advice['meets']):
            values[run['policy']] = result
    if not advice['meets']:
        best_of = min
    best, got = best_of(values.values()), values[advice['policy']]
    print('best', best, 'advised', got)
    assert abs(got / best - 1) <= loss, (advice['policy'], got, best)
    assert advice['budget'] < 100 or advice['shared_runs'] == len(sweep['runs'])
    for run, split in zip(sweep['runs'], advice['splits'], strict=True):
        assert run['policy'] == split['policy']
        if not split['simulated']:
            continue
        if advice['meets'] and run['policy'] in values:
            same(split['value'], values[run['policy']], 'value')
        for app, slowdown, p99 in zip(run['apps'], split['slowdowns'], split['p99_us']):
            same(slowdown, 1 / app['normalized_ipc'], 'slowdown')
            assert p99 == p99_of(app), (p99, app)
        assert split['warp_instructions'] == run['stats']['inst.warp']
    whole = sum(a['points'][-1]['warp_instructions'] for a in advice['apps'])
    all_warp = whole + sum(run['stats']['inst.warp'] for run in sweep['runs'])
    own = advice['isolated_warp_instructions'] + advice['shared_warp_instructions']
    print('part of the sweep', own / all_warp)
    assert advice['budget'] == 100 or own <= all_warp * advice['budget'] / 100


def curve_at(points, sms):
    """Speed is linear up to the first point, then halfway between two lines."""
    few, most = points[0]['sms'], points[-1]['sms']
    first = 1 / points[0]['slowdown']
    steep = first / few * sms
    if sms <= few:
        return 1 / steep
    line = first + (1 - first) * (sms - few) / (most - few)
    steep = min(steep, max(first, 1))
    return 1 / max(line, (line + steep) / 2)


KINDS = {'spatial': 'sms', 'mps': 'sms', 'green': 'sms', 'mig': 'gpu', 'fixed': 'blocks'}


def kind(split):
    return KINDS[split['policy'].split('[')[0]]


def by_itself(split, app, apps, kind='slowdown'):
    """Slowdown by the SMs alone, of an instance at least by the DRAM bandwidth."""
    points = apps[app]['points']
    if kind == 'service':
        alone = points[-1]['service_mean_us']
        points = [{'sms': p['sms'], 'slowdown': p['service_mean_us'] / alone} for p in points]
    slowdown = curve_at(points, split['curve_sms'][app])
    memory = split['memory'][app]
    return max(slowdown, apps[app]['dram_use'] / memory) if memory < 1 else slowdown


def interference(known, split, app, apps, of='slowdown'):
    """Factor of the speed: linear in SMs between simulated splits of a kind, 1 on all SMs."""
    by_sms = {}
    for s in known:
        if kind(s) != kind(split):
            continue
        far = sum(abs(x - y) for x, y in zip(s['curve_sms'], split['curve_sms']))
        ratio = by_itself(s, app, apps, of) / s[of + 's'][app]
        weight = 1 / far ** 2 if far else 1e30
        by_sms.setdefault(s['curve_sms'][app], []).append((ratio, weight))
    at = {sms: sum(r * w for r, w in l) / sum(w for _, w in l) for sms, l in by_sms.items()}
    at.setdefault(len(apps[app]['curve']), 1)
    own = split['curve_sms'][app]
    above = min(x for x in at if x >= own)
    below = max((x for x in at if x <= own), default=above)
    if below == above:
        return at[below]
    return at[below] + (at[above] - at[below]) * (own - below) / (above - below)


def costs(split, advice):
    """What the front compares: the p99 of an app that has one in the goal, else the slowdown."""
    return [split['p99_us'][i] if has_p99(app, advice) else split['slowdowns'][i]
            for i, app in enumerate(advice['apps'])]


def dominated(split, advice):
    own = costs(split, advice)
    others = [costs(s, advice) for s in advice['splits']]
    return any(None not in o and all(x <= y for x, y in zip(o, own)) and o != own for o in others)


def look_service(split, app, advice):
    """Predicted service times, and p99 by a split's service time."""
    apps = advice['apps']
    if split['services'][app] is None:
        assert split['p99_us'][app] is None and apps[app]['points'][-1]['service_mean_us'] is None
    elif not split['simulated']:
        known = [s for s in advice['splits'] if s['simulated']]
        guess = by_itself(split, app, apps, 'service')
        guess /= interference(known, split, app, apps, 'service')
        assert abs(guess / split['services'][app] - 1) < 1e-9
        assert split['p99_us'][app] >= apps[app]['p99_alone_us'] or guess < 1
    rising = sorted((s['services'][app], s['p99_us'][app])
                    for s in advice['splits'] if not s['simulated'] and s['services'][app])
    assert rising == sorted(rising, key=lambda pair: pair[1])


def look_splits(advice):
    apps, splits = advice['apps'], advice['splits']
    best_of, value = metric(advice)
    known = [s for s in splits if s['simulated']]
    for s in splits:
        for a, app in enumerate(apps):
            whole = app['points'][-1]['ipc_thread']
            assert abs(s['slowdowns'][a] * s['ipc_thread'][a] / whole - 1) < 1e-9
            if not s['simulated']:
                guess = by_itself(s, a, apps) / interference(known, s, a, apps)
                assert abs(guess / s['slowdowns'][a] - 1) < 1e-9
            look_service(s, a, advice)
        result = value(s['slowdowns'], s['p99_us'])
        assert result == s['value'] or abs(result / s['value'] - 1) < 1e-9
        assert s['meets'] == (worst(s, apps) <= 1)
        assert s['front'] == (None not in costs(s, advice) and not dominated(s, advice))
    met = [s for s in known if s['meets']]
    best = [s for s in known if s['policy'] == advice['policy']][0]
    assert advice['meets'] == bool(met) == best['meets']
    if met:
        assert best['value'] == best_of(s['value'] for s in met if s['value'])
    else:
        assert worst(best, apps) == min(worst(s, apps) for s in known)


def worst(split, apps):
    """The greatest part of a bound; infinite if a bounded p99 is unknown."""
    parts = [x / a['bound'] for x, a in zip(split['slowdowns'], apps) if a['bound']]
    parts += [x / a['p99_bound_us'] if x else float('inf')
              for x, a in zip(split['p99_us'], apps) if a['p99_bound_us']]
    return max(parts, default=0)


def look_self(advice):
    apps, splits = advice['apps'], advice['splits']
    known = [s for s in splits if s['simulated']]
    points = [p for app in apps for p in app['points']]
    assert advice['isolated_runs'] == len(points) and advice['shared_runs'] == len(known)
    assert advice['isolated_warp_instructions'] == sum(p['warp_instructions'] for p in points)
    assert advice['shared_warp_instructions'] == sum(s['warp_instructions'] for s in known)
    whole = sum(app['points'][-1]['warp_instructions'] for app in apps)
    assert advice['sweep_warp_instructions'] == whole + sum(s['warp_instructions'] for s in splits)
    assert sum(w['splits'] for w in advice['ways']) == len(splits)
    assert all(bool(w['splits']) != bool(w['left_out']) for w in advice['ways'])
    for s in splits:
        if kind(s) != 'blocks':
            assert s['sms'] == s['curve_sms']
    for app in apps:
        last = app['points'][-1]
        assert last['sms'] == len(app['curve']) and last['slowdown'] == 1
        for p in app['points']:
            same(p['slowdown'], last['ipc_thread'] / p['ipc_thread'], 'point')
        for n, slowdown in enumerate(app['curve'], 1):
            assert abs(curve_at(app['points'], n) / slowdown - 1) < 1e-9, (n, slowdown)
    look_splits(advice)


def look_once(advice):
    known = [(kind(s), *s['curve_sms']) for s in advice['splits'] if s['simulated']]
    assert {k for k, *_ in known} == set(KINDS.values()) and len(set(known)) == len(known), known


def look_page(advice, page, table):
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    for app, shown in zip(advice['apps'], json.loads(data[1])['apps'], strict=True):
        assert shown['name'] == app['name'] and shown['curve'] == app['curve']
        assert shown['alone'] == [[p['sms'], p['slowdown']] for p in app['points']]
        index = advice['apps'].index(app)
        assert shown['shared'] == [[s['curve_sms'][index], s['slowdowns'][index]]
                                   for s in advice['splits'] if s['simulated']]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page.replace('<wbr>', ''), re.S)
    rows = {name: re.findall(r'<td[^>]*>(.*?)</td>', cells, re.S) for name, cells in rows}
    assert set(rows) == {s['policy'] for s in advice['splits']}, rows
    for s in advice['splits']:
        words = ['simulated' if s['simulated'] else 'predicted', 'yes' if s['front'] else 'no',
                 'yes' if s['meets'] else 'no']
        p99s = [s['p99_us'][i] for i, a in enumerate(advice['apps']) if has_p99(a, advice)]
        words += ['%.3f' % x for x in s['slowdowns']] + [f'{x:,.1f}' if x else '–' for x in p99s]
        assert rows[s['policy']][:len(words)] == words, (s, rows[s['policy']])
    said = html.unescape(re.sub(r'<[^>]*>', '', page))
    for line in table.split('\n\n')[0].split('\n')[1:]:
        assert line in said, line


def look_alone(advice, files):
    for point, name in zip(advice['apps'][0]['points'], files, strict=True):
        app = load(name)['apps'][0]
        for key in ('cycles', 'warp_instructions', 'ipc_thread'):
            assert point[key] == app[key], (name, key, point, app[key])


def main():
    what, advice = sys.argv[1], load(sys.argv[2])
    if what == 'sweep':
        look_sweep(advice, load(sys.argv[3]), float(sys.argv[4]))
        look_self(advice)
    elif what == 'self':
        look_self(advice)
    elif what == 'page':
        look_page(advice, *(open(name).read() for name in sys.argv[3:]))
    elif what == 'once':
        look_once(advice)
    else:
        look_alone(advice, sys.argv[3:])


main()
