#!/usr/bin/env python3
"""Runs the fuzz targets for CUDA programs and for policies on their initial inputs, unchanged and
with small damages, as TAP: a crash, a sanitizer's report or a hang is a failure.

    test/fuzz/short.py BUILD
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    folder = os.path.join(os.path.abspath(sys.argv[1]), 'test/fuzz')
    bad = 0
    with tempfile.TemporaryDirectory() as seeds:
        subprocess.run([os.path.join(folder, 'seeds'), seeds], check=True)
        shutil.copytree(os.path.join(HERE, 'corpus/policy'), os.path.join(seeds, 'policy'))
        kinds = sorted(os.listdir(seeds))
        for i, kind in enumerate(kinds, 1):
            files = sorted(glob.glob(os.path.join(seeds, kind, '*')))
            p = subprocess.run([os.path.join(folder, 'replay_' + kind), *files],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors='replace')
            good = p.returncode == 0 and files
            bad += not good
            print('%sok %d - %s: %d seeds' % ('' if good else 'not ', i, kind, len(files)))
            if not good:
                print('# status %d\n# %s' % (p.returncode, p.stdout[-3000:].replace('\n', '\n# ')))
    print('1..%d' % len(kinds))
    return 1 if bad or not kinds else 0


if __name__ == '__main__':
    sys.exit(main())
