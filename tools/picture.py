#!/usr/bin/env python3
"""Draws the picture of README.md from a stored run.

    picture.py                     prints the SVG; `make docs` writes docs/reference/picture.svg
    picture.py --measure CORUN     runs the commands below and stores the figures in
                                   tools/picture.json (the oracle takes minutes)

The upper half shows the slowdown of two programs under five policies, with a line at the slowdown
under the oracle. The lower half shows the blocks of each program on an SM over time.
"""
import csv
import io
import json
import os
import subprocess
import sys

PROGRAMS = ['hotspot', 'kmeans']
POLICIES = ['leftover', 'spatial', 'smk-even', 'warped-slicer', 'smk-p+dmil']
INTERVAL = 10000    # cycles
STORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'picture.json')

WIDTH, LEFT, RIGHT = 880, 46, 84
BARS_TOP, BARS_BOTTOM, BARS_MAX = 62, 232, 4      # pixels, pixels, slowdown
LINES_TOP, LINES_BOTTOM, LINES_STEP = 296, 396, 4
HEIGHT, BAR, GAP = 440, 38, 14
STYLE = '''
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 } .right { text-anchor: end } .middle { text-anchor: middle }
.paper { fill: #ffffff } .grid { stroke: #d0d7de } .ink { stroke: #24292f }
.fill0 { fill: #2a6fbb } .fill1 { fill: #c8621b }
.line0 { stroke: #2a6fbb; fill: none } .line1 { stroke: #c8621b; fill: none }
polyline { stroke-width: 1.5; stroke-linejoin: round } .oracle { stroke-dasharray: 5 3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .paper { fill: #0d1117 } .grid { stroke: #3d444d } .ink { stroke: #e6edf3 }
.fill0 { fill: #6cb0f5 } .fill1 { fill: #f0954f }
.line0 { stroke: #6cb0f5 } .line1 { stroke: #f0954f }
}
'''


def compare_command(policies):
    return ['compare', *PROGRAMS, '--policies', ','.join(policies), '--json', '-']


def run_command(policy):
    return ['run', *PROGRAMS, '--policy', policy, '--alone', 'skip',
            '--interval', str(INTERVAL), '--csv', '-']


def output(corun, command):
    return subprocess.check_output([corun, *command], text=True, stderr=subprocess.DEVNULL)


def slowdowns(corun, policies):
    """Returns, for each policy, the slowdown of each program."""
    runs = json.loads(output(corun, compare_command(policies)))['runs']
    return [[round(1 / app['normalized_ipc'], 3) for app in run['apps']] for run in runs]


def blocks(corun, policy):
    """Returns the blocks on an SM (mean over the SMs) per interval, for each program, and the end
    of the run in cycles."""
    rows = list(csv.DictReader(io.StringIO(output(corun, run_command(policy)))))
    return [[round(float(row['blocks.mean_resident']), 2) for row in rows if row['owner'] == name]
            for name in PROGRAMS], int(rows[-1]['end'])


def panel(corun, policy, slowdown):
    per_program, end = blocks(corun, policy)
    return {'policy': policy, 'slowdown': slowdown, 'cycles': end, 'blocks': per_program}


def measure(corun):
    *slow, oracle = slowdowns(corun, [*POLICIES, 'oracle'])
    stored = {
        'commands': [' '.join(['corun', *c]) for c in
                     [compare_command([*POLICIES, 'oracle']), *map(run_command, POLICIES)]],
        'programs': PROGRAMS, 'oracle': oracle,
        'policies': [panel(corun, *both) for both in zip(POLICIES, slow)]}
    with open(STORE, 'w') as f:
        f.write(json.dumps(stored).replace('"policies"', '\n"policies"')
                .replace('{"policy"', '\n{"policy"') + '\n')


def text(x, y, words, style=''):
    return '<text x="%g" y="%g"%s>%s</text>' % (x, y, style and ' class="%s"' % style, words)


def line(x0, y0, x1, y1, style):
    return '<line x1="%g" y1="%.1f" x2="%g" y2="%.1f" class="%s"/>' % (x0, y0, x1, y1, style)


def column_width(stored):
    return (WIDTH - LEFT - RIGHT) / len(stored['policies'])


def bar_height(slowdown):
    return slowdown * (BARS_BOTTOM - BARS_TOP) / BARS_MAX


def head(stored):
    yield text(LEFT, 20, 'Slowdown of two programs that share a GPU, by policy '
               '(1: as fast as alone)', 'title')
    x = LEFT
    for i, name in enumerate(stored['programs']):
        yield '<rect x="%g" y="32" width="10" height="10" class="fill%d"/>' % (x, i)
        yield text(x + 15, 41, name)
        x += 85
    yield line(x, 37, x + 22, 37, 'ink oracle')
    yield text(x + 28, 41, 'under the oracle: the best partition, found by simulating each')


def bars(stored):
    """The upper half."""
    wide = column_width(stored)
    for n in range(BARS_MAX + 1):
        y = BARS_BOTTOM - bar_height(n)
        yield line(LEFT, y, WIDTH - RIGHT, y, 'grid')
        yield text(LEFT - 8, y + 4, n, 'right')
    for i, entry in enumerate(stored['policies']):
        x = LEFT + wide * (i + 0.5) - BAR - 2
        for app, slowdown in enumerate(entry['slowdown']):
            y = BARS_BOTTOM - bar_height(slowdown)
            yield ('<rect x="%g" y="%.1f" width="%d" height="%.1f" class="fill%d"/>'
                   % (x, y, BAR, bar_height(slowdown), app))
            yield text(x + BAR / 2, round(y - 5, 1), '%.2f' % slowdown, 'middle')
            x += BAR + 4
        yield text(LEFT + wide * (i + 0.5), BARS_BOTTOM + 18, entry['policy'], 'middle')
    for app, slowdown in enumerate(stored['oracle']):
        y = BARS_BOTTOM - bar_height(slowdown)
        yield line(LEFT, y, WIDTH - RIGHT, y, 'line%d oracle' % app)
        yield text(WIDTH - RIGHT + 5, round(y + 4, 1), 'oracle %.2f' % slowdown)


def curves(stored):
    """The lower half: a panel per policy, all with the same scales."""
    wide = column_width(stored)
    longest = max(entry['cycles'] for entry in stored['policies'])
    most = max(n for entry in stored['policies'] for app in entry['blocks'] for n in app)
    most = -(-int(most) // LINES_STEP) * LINES_STEP
    tall = LINES_BOTTOM - LINES_TOP
    yield text(LEFT, LINES_TOP - 18, 'Blocks on an SM over time (mean over all SMs), until each '
               'program has completed once', 'title')
    for i, entry in enumerate(stored['policies']):
        x0, x1 = LEFT + wide * i + GAP * (i > 0), LEFT + wide * (i + 1)
        for n in range(0, most + 1, LINES_STEP):
            y = LINES_BOTTOM - tall * n / most
            yield line(x0, y, x1, y, 'grid')
            if i == 0:
                yield text(LEFT - 8, y + 4, n, 'right')
        for app, values in enumerate(entry['blocks']):
            points = ['%.1f,%.1f' % (x0 + (x1 - x0) * min((j + 0.5) * INTERVAL, entry['cycles'])
                                     / longest, LINES_BOTTOM - tall * n / most)
                      for j, n in enumerate(values)]
            yield '<polyline points="%s" class="line%d"/>' % (' '.join(points), app)
        yield text((x0 + x1) / 2, LINES_BOTTOM + 18, '%d 000 cycles' % (entry['cycles'] // 1000),
                   'middle')


def draw(stored):
    parts = [*head(stored), *bars(stored), *curves(stored)]
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n'
            '<title>Slowdowns of %s under %d policies, and blocks on an SM over time</title>\n'
            '<style>%s</style>\n<rect class="paper" width="%d" height="%d"/>\n%s\n</svg>' % (
                WIDTH, HEIGHT, ' and '.join(stored['programs']), len(stored['policies']), STYLE,
                WIDTH, HEIGHT, '\n'.join(parts)))


def stored_run():
    with open(STORE) as f:
        return json.load(f)


def main(args):
    if args[:1] == ['--measure'] and len(args) == 2:
        measure(os.path.abspath(args[1]))
    elif args:
        sys.exit(__doc__)
    else:
        print(draw(stored_run()))


if __name__ == '__main__':
    main(sys.argv[1:])
