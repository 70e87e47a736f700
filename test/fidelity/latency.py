"""Cycles per step of unloaded chains: load, two address instructions, loop; and a dependent FMA."""
import json
import os

STEPS = 1024


def chase(apps, steps):
    """Around 8 lines over and over: all but the first round hit L1."""
    app = dict(next(a for a in apps if a['kernel'] == 'chase'))
    app.update(name='chase_l1_%d' % steps, args=['$next', '$out', steps, 32], buffers=[
        {'name': 'next', 'type': 'u32', 'count': 256, 'init': 'gen cycle 5 8 32'},
        {'name': 'out', 'type': 'u32', 'count': 32, 'init': 'zero'}])
    return app


def from_rows(cycles):
    """From the cycles of the rows: 64 cold loads; 32 cold ones and 160 L2 hits; 2048 FMA."""
    found = {}
    if 'chase_1w' in cycles:
        found['DRAM'] = cycles['chase_1w'] / 64
        if 'chase_l2' in cycles:
            found['L2 hit'] = (cycles['chase_l2'] - 32 * found['DRAM']) / 160
    if 'fma_ilp1' in cycles:
        found['dependent FMA'] = cycles['fma_ilp1'] / 2048
    return found


def table(bench, machine, rows):
    """name -> (ours, the reference's or None)"""
    mine, theirs = ({r['app']: r['figures']['cycles'][side] for r in rows} for side in (0, 1))
    ours, known = from_rows(mine), from_rows(theirs)
    path = os.path.join(bench.data, 'latencies.json')
    if os.path.exists(path):
        with open(path) as f:
            known.update(json.load(f).get(machine, {}))
    if any(a['kernel'] == 'chase' for a in bench.apps):
        took = []
        for steps in (STEPS, 2 * STEPS):
            app = chase(bench.apps, steps)
            took.append(bench.run(bench.machine_file(machine, app), app)['apps'][0]['cycles'])
        ours['L1 hit'] = (took[1] - took[0]) / STEPS
    order = ['DRAM', 'L2 hit', 'L1 hit', 'dependent FMA']
    return {name: (ours[name], known.get(name)) for name in order if name in ours}
