#!/usr/bin/env python3
"""Blocks of every program leave their SMs at odd cycles, by each mechanism, alone and
beside another: outputs are right, no block is lost. CORUN_PROGRAMS=all takes all programs;
otherwise some, chosen by name.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'whole'))
from common import Tap, checked, run  # noqa: E402
from laws import laws  # noqa: E402
from each import WHOLE, programs  # noqa: E402

SHUFFLE = os.path.join(ROOT, 'test', 'policy', 'shuffle.c')
GPUS = ['maxwell16', 'rtx2060']
MECHANISMS = ['switch', 'flush', 'chimera', 'ideal']
KINDS = ['switched', 'flushed', 'drained']
BESIDE = 'vecadd'
RECORDS = 'probe'  # each block begins with an atomic, and so may not begin anew


def preempted(build, apps, gpu, mechanism, chosen):
    """Adds to `chosen` the number of blocks that left, by mechanism."""
    result = run(build, apps, '--gpu', gpu, '--policy', '%s[cycles=300]+%s' % (SHUFFLE, mechanism),
                 '--until', 'end', '--alone', 'skip')
    checked(result)
    laws(result)
    stats = result['stats']
    switched, flushed, drained = (stats['preempt.' + kind] for kind in KINDS)
    left = stats['blocks.preempted']
    assert left > 0 or (mechanism == 'flush' and RECORDS in apps), 'no block left its SM'
    assert (switched, flushed) == {'switch': (left, 0), 'flush': (0, left), 'ideal': (0, 0),
                                   'chimera': (left - flushed, flushed)}[mechanism]
    for kind, n in zip(KINDS, (switched, flushed, drained)):
        chosen[mechanism, kind] = chosen.get((mechanism, kind), 0) + n


def chimera_takes_every_way(chosen):
    for kind in KINDS:
        assert chosen['chimera', kind] > 0, 'none was ' + kind


def main(build):
    tap, chosen = Tap(one_in=4), {}
    for program in programs(build):
        for apps in [program], [program, BESIDE]:
            for gpu in GPUS:
                for mechanism in MECHANISMS:
                    tap.case('%s on %s, %s' % (' + '.join(apps), gpu, mechanism), preempted, build,
                             apps, gpu, mechanism, chosen)
    if WHOLE:
        tap.case('chimera takes every way', chimera_takes_every_way, chosen)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
