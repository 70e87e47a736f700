#!/usr/bin/env python3
"""Fits the coefficient of mias[metric=linear]: memory stall cycles of an SM per outstanding miss of
the GPU. Least squares over isolated windows of every app with 1, 2, ... blocks per SM (paper 004
eq. 3.7).

    mias_coef.py CORUN [--gpu NAME] [--cycles N] [--per sm] APP...      prints coef, offset, points
"""
import argparse
import json
import subprocess


def window(corun, gpu, cycles, app, blocks):
    """Returns the outstanding misses of the GPU (N * A), the memory stall cycles of an SM (M, mean
    over SMs), the number of blocks that fit, and the number of SMs."""
    p = subprocess.run([corun, 'run', app, '--gpu', gpu, '--policy', 'fixed[blocks=%d]' % blocks,
                        '--until', 'window', '--cycles', str(cycles), '--alone', 'skip', '--quiet',
                        '--json', '-'], capture_output=True, text=True, check=True)
    r = json.loads(p.stdout)
    sms = r['config']['sm.count']['value']
    most = max(k['blocks_per_sm'] for k in r['apps'][0]['kernels'])
    s = r['stats']
    return s['sm.outstanding_misses'], s['sm.memory_stall_cycles'] / sms, most, sms


def points(corun, gpu, cycles, apps):
    for app in apps:
        blocks = most = 1
        while blocks <= most:
            outstanding, stall, most, sms = window(corun, gpu, cycles, app, blocks)
            yield outstanding, stall, sms
            blocks += 1


def fit(pairs):
    """Returns slope and offset of a least-squares line: stall cycles over outstanding misses."""
    n = len(pairs)
    x, y = (sum(p[i] for p in pairs) / n for i in (0, 1))
    spread = sum((p[0] - x) ** 2 for p in pairs)
    slope = sum((p[0] - x) * (p[1] - y) for p in pairs) / spread if spread else 0.0
    return slope, y - slope * x


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    a.add_argument('corun')
    a.add_argument('apps', nargs='+', metavar='APP')
    a.add_argument('--gpu', default='rtx2060')
    a.add_argument('--cycles', type=int, default=45000)
    a.add_argument('--per', choices=['gpu', 'sm'], default='gpu',
                   help='the scale of coef: coef_scale of mias')
    o = a.parse_args()
    found = list(points(o.corun, o.gpu, o.cycles, o.apps))
    sms = found[0][2]
    pairs = [(x / (sms if o.per == 'sm' else 1), y) for x, y, _ in found]
    slope, offset = fit(pairs)
    print('coef %.6g, offset %.1f cycles, %d points' % (slope, offset, len(pairs)))


if __name__ == '__main__':
    main()
