"""Laws of the loss and of blames, in results of corun run.

    blame.py pairs CORUN N | completed FILE | single FILE | same OFF ON...
    blame.py mostly FILE PART CAUSE... | exact CORUN N | share CORUN | cut FILE LEVEL PART
    blame.py matrix JSON TABLE PAGE
    blame.py agree CORUN PAIRS: ranks of --blame exact and --blame online, not a test
"""
import itertools
import json
import re
import subprocess
import sys

APPS = ['vecadd', 'mm', 'bfs', 'kmeans', 'hotspot', 'nbody', 'gups', 'bandwidth', 'chase', 'histo',
        'scan', 'stencil']
POLICIES = ['spatial', 'leftover', 'smk-p']
EXACT = ['spatial', 'leftover', 'smk-p', 'mps', 'smk-p+fair', 'timeslice']
# the laws hold on any machine and input: small ones are quick
SMALL = ['--set', 'sm.count=4', '--set', 'map.channels=2']
LEVELS = {'dram_bandwidth': 'dram', 'row_conflicts': 'dram', 'crossbar': 'l2',
          'l2_bandwidth': 'l2', 'l2_capacity': 'l2', 'slots': 'slots', 'scheduling': 'slots'}


def read(path):
    with open(path) as f:
        return json.load(f)


def check(holds, what):
    if not holds:
        sys.exit(f'blame.py: {what}')


def sums(result):
    """Checks the laws of a result; returns the unexplained part of each loss."""
    parts = []
    for app in result['apps']:
        loss, blame = app['loss'], app['loss']['blame']
        lines = blame['lines']
        check(loss['cycles'] == app['cycles'] - loss['alone_cycles'], 'not T - A')
        total = sum(line['cycles'] for line in lines) + blame['unexplained_cycles']
        check(total == loss['cycles'], f"{app['name']}: {total} is not {loss['cycles']}")
        check(all(line['app'] != app['name'] for line in lines), 'blames itself')
        if loss['cycles'] > app['cycles'] // 50:
            parts.append(abs(blame['unexplained_cycles']) / loss['cycles'])
    return parts


def pairs(corun, n):
    parts = []
    names = itertools.cycle(itertools.combinations_with_replacement(APPS, 2))
    for k in range(int(n)):
        pair = next(names)
        policy = POLICIES[k % len(POLICIES)]
        parts += sums(run(corun, pair, policy, 'online'))
    within = sum(part <= 0.1 for part in parts)
    print(f'{n} pairs, {len(parts)} losses, {within} with at most a tenth unexplained')
    check(len(parts) >= int(n) // 2, 'hardly any losses')


def run(corun, apps, policy, how, *more):
    apps = [app + ':size=test' for app in apps]
    command = [corun, 'run', *apps, *SMALL, '--policy', policy, '--until', 'window', '--cycles',
               '3000', '--blame', how, '--json', '-', '--quiet', *more]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def by_level(blame, merged):
    """Returns the sums of the lines of each level."""
    sums = dict.fromkeys(['dram', 'l2', 'sm', 'slots'], 0)
    for line in blame['lines']:
        level = LEVELS.get(line['cause'], 'sm')
        sums['slots' if merged and level == 'sm' else level] += line['cycles']
    return sums


def levels_add_up(result):
    """Checks the laws of levels."""
    sums(result)
    for app in result['apps']:
        loss, blame = app['loss'], app['loss']['blame']
        merged, lines = 'merged' in blame, by_level(blame, 'merged' in blame)
        levels = {level['level']: level for level in blame['levels']}
        check(('sm' not in levels) == merged, 'a level of SMs although merged')
        check(sum(v['cycles'] for v in levels.values()) == loss['cycles'], 'levels')
        check(sum(v['reversed_cycles'] for v in levels.values()) == loss['cycles'], 'reversed')
        rest = blame['unexplained_cycles']
        for name, level in levels.items():
            # with three apps, no run may show a culprit
            unknown = lines[name] == 0 and len(result['apps']) > 2
            check(lines[name] == level['cycles'] or name in ('sm', 'slots') or unknown,
                  f'lines of {name}')
            rest -= level['cycles'] - lines[name]
        check(rest == 0, 'lines and unexplained of the SMs')


def exact(corun, n):
    names = itertools.cycle(itertools.combinations_with_replacement(APPS, 2))
    for k in range(int(n)):
        apps = [*next(names)] + ([APPS[k % len(APPS)]] if k % 5 == 4 else [])
        levels_add_up(run(corun, apps, EXACT[k % len(EXACT)], 'exact'))


def share(corun):
    """On SMs of their own, apps lose to others by the memory only."""
    for apps in (['vecadd', 'mm'], ['gups', 'kmeans'], ['bfs', 'hotspot', 'vecadd']):
        result = run(corun, apps, 'spatial', 'exact', '--alone-on', 'share')
        levels_add_up(result)
        for app in result['apps']:
            levels = {v['level']: v['cycles'] for v in app['loss']['blame']['levels']}
            check(levels['sm'] == 0, f"{app['name']}: {levels}")
            # the turns of the apps at the start of blocks
            check(abs(levels['slots']) <= app['cycles'] // 25, f"{app['name']}: {levels}")


def cut(path, level, part):
    for app in read(path)['apps']:
        levels = {v['level']: v for v in app['loss']['blame']['levels']}
        least = min(levels[level]['cycles'], levels[level]['reversed_cycles'])
        check(least >= float(part) * app['loss']['cycles'] > 0, f"{app['name']}: {levels}")


def matrix(path, table, page):
    with open(table) as f:
        rows = [line.split() for line in f]
    with open(page) as f:
        html = f.read().replace('<wbr>', '')
    for one in read(path)['runs']:
        for app in one['apps']:
            loss = app['loss']
            to = dict.fromkeys([other['name'] for other in one['apps']], 0)
            for line in loss['blame']['lines']:
                to[line['app']] += line['cycles']
            part = 100 / app['cycles']  # as in C: ties round alike
            parts = [f'{part * v:.1f}' for v in
                     (loss['cycles'], *to.values(), loss['blame']['unexplained_cycles'])]
            own = [row for row in rows if row[:2] == [one['policy'], app['name']]]
            names = list(to)
            cells = [float(p) for p, name in zip(parts, ['', *names]) if name != app['name']]
            seen = [float(c) for row in own for c in row if re.fullmatch(r'-?\d+\.\d', c)]
            check(all(min(abs(c - s) for s in seen) < 0.11 for c in cells),
                  f'{own} without {parts}')
            cells = re.search(rf'<th scope="row">{re.escape(one["policy"])}</th>\s*'
                              rf'<td class="word">{app["name"]}</td>\s*<td class="word">[^<]*</td>'
                              r'(.*?)</tr>', html, re.S)
            shown = re.findall(r'>([^<>\s]+)</td>', cells[1])
            parts[1 + names.index(app['name'])] = '–'
            check([s.replace('−', '-') for s in shown] == parts, f'{shown} is not {parts}')


def ranks(values):
    order = sorted(values)
    return [order.index(v) + (order.count(v) - 1) / 2 for v in values]


def correlation(a, b):
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    over = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    squares = sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b)
    return over / squares ** 0.5 if squares else float('nan')


def agree(corun, n):
    """Compares parts of losses by level, of all apps that lost a fiftieth of their cycles."""
    both = {'dram': [], 'l2': [], 'sm': [], 'slots': []}
    pairs = list(itertools.combinations(APPS, 2))
    for k in range(int(n)):
        pair, policy = pairs[k * 7 % len(pairs)], POLICIES[k % len(POLICIES)]
        results = [run(corun, pair, policy, how, '--cycles', '20000')
                   for how in ('online', 'exact')]
        for app, again in zip(*(r['apps'] for r in results)):
            lost = app['loss']['cycles']
            if lost <= app['cycles'] // 50:
                continue
            online = by_level(app['loss']['blame'], False)
            for level in again['loss']['blame']['levels']:
                name = level['level']
                both[name].append((online[name] / lost, level['cycles'] / lost))
    every = [v for values in both.values() for v in values]
    for name, values in [*both.items(), ('all', every)]:
        a, b = ([v[i] for v in values] for i in (0, 1))
        print(f'{name:6} {len(values):4} parts, rank correlation '
              f'{correlation(ranks(a), ranks(b)):.3f}, means {sum(a) / len(a):.3f} '
              f'{sum(b) / len(b):.3f}')


def completed(path):
    result = read(path)
    sums(result)
    for app in result['apps']:
        check(app['loss']['alone_cycles'] == app['alone']['cycles'], 'not the isolated run')


def single(path):
    loss = read(path)['apps'][0]['loss']
    check(loss['cycles'] == 0 and 'blame' not in loss, f'loses {loss}')


def stripped(path, blamed):
    result = read(path)
    for key in ('host', 'skip'):
        result.pop(key)
    for app in result['apps'] if not blamed else []:
        app['loss'].pop('blame', None)
    return result


def same(off, on, *others):
    check(stripped(off, False) == stripped(on, False), 'a blame changes other results')
    for other in others:
        check(stripped(on, True) == stripped(other, True), f'{other} has other blames')


def mostly(path, part, *causes):
    for app in read(path)['apps']:
        loss = app['loss']
        cycles = sum(line['cycles'] for line in loss['blame']['lines'] if line['cause'] in causes)
        check(loss['cycles'] > 0 and cycles >= float(part) * loss['cycles'],
              f"{app['name']}: {cycles} of {loss['cycles']}")


def waits(timeline, path):
    """Counters of two apps' waits: an event per interval, parts of the sampled time."""
    events = read(timeline)['traceEvents']
    names = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
    apps = read(path)['apps']
    for app, other in ((apps[0], apps[1]), (apps[1], apps[0])):
        shown = [e for e in events if e['name'] == 'waits behind other apps' and
                 names[e['pid']] == 'launches of ' + app['name']]
        check([e['ts'] for e in shown] == list(range(0, 20000, 2000)), 'not an event per interval')
        total = {}
        for e in shown:
            parts = e['args'].values()
            check(all(p >= 0 for p in parts) and sum(parts) <= 1, f'{e} are no parts')
            for key, part in e['args'].items():
                check(key.endswith(', behind ' + other['name']), f'{key}: the wrong app')
                total[key] = total.get(key, 0) + part
        lines = [c for c in app['loss']['blame']['lines'] if c['cause'] == 'dram_bandwidth']
        check(lines and max(total, key=total.get).startswith('DRAM bandwidth,'), f'{total}')
        check(0.2 < total['DRAM bandwidth, behind ' + other['name']] / 10 < 1, f'{total}')


if __name__ == '__main__':
    commands = (pairs, completed, single, same, mostly, exact, share, cut, agree,
                matrix, waits)
    {f.__name__: f for f in commands}[sys.argv[1]](*sys.argv[2:])
