"""Laws of the loss and of blames, in results of corun run.

    blame.py pairs CORUN N | completed FILE | single FILE | same OFF ON...
    blame.py mostly FILE PART CAUSE...
"""
import itertools
import json
import subprocess
import sys

APPS = ['vecadd', 'mm', 'bfs', 'kmeans', 'hotspot', 'nbody', 'gups', 'bandwidth', 'chase', 'histo',
        'scan', 'stencil']
POLICIES = ['spatial', 'leftover', 'smk-p']


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
        out = subprocess.run([corun, 'run', *pair, '--policy', policy, '--until', 'window',
                              '--cycles', '3000', '--blame', 'online', '--json', '-', '--quiet'],
                             capture_output=True, text=True, check=True).stdout
        parts += sums(json.loads(out))
    within = sum(part <= 0.1 for part in parts)
    print(f'{n} pairs, {len(parts)} losses, {within} with at most a tenth unexplained')
    check(len(parts) >= int(n) // 2, 'hardly any losses')


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


if __name__ == '__main__':
    {f.__name__: f for f in (pairs, completed, single, same, mostly)}[sys.argv[1]](*sys.argv[2:])
