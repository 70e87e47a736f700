#!/usr/bin/env python3
"""Blocks of every program leave their SMs at odd cycles, in each way there is, alone and beside
another: outputs are right, no block is lost. CORUN_PROGRAMS=all looks at all programs; without it
the day of the year chooses some.
"""
import datetime
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'whole'))
from common import Tap, checked, run  # noqa: E402
from laws import laws  # noqa: E402

SHUFFLE = os.path.join(ROOT, 'test', 'policy', 'shuffle.c')
GPUS = ['maxwell16', 'rtx2060']
WAYS = ['switch', 'flush', 'any', 'ideal']  # what cannot be flushed is switched
BESIDE = 'vecadd'
FAMILIES = 14


def preempted(build, apps, gpu, way):
    result = run(build, apps, '--gpu', gpu, '--policy', '%s[by=%s,cycles=300]' % (SHUFFLE, way),
                 '--until', 'end', '--alone', 'skip')
    checked(result)
    laws(result)
    assert result['stats']['blocks.preempted'] > 0, 'no block left its SM'


def main(build):
    out = subprocess.run([os.path.join(build, 'corun'), 'list', 'workloads', '--markdown'],
                         capture_output=True, text=True, check=True).stdout
    names = re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]  # without the column's head
    every = [w for w in names if not w.startswith(('clone', 'synth'))]
    day = datetime.date.today().timetuple().tm_yday
    chosen = every if os.environ.get('CORUN_PROGRAMS') == 'all' else every[day % FAMILIES::FAMILIES]
    tap = Tap()
    for program in chosen:
        for apps in [program], [program, BESIDE]:
            for gpu in GPUS:
                for way in WAYS:
                    tap.case('%s on %s, %s' % (' + '.join(apps), gpu, way), preempted, build, apps,
                             gpu, way)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
