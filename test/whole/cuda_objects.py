#!/usr/bin/env python3
"""The files that cuda/meson.build compiles once for all versions of CUDA give the same object with
each version: a use of CUDART_VERSION in such a file, or in a type that the file uses, shows here.

    cuda_objects.py BUILD
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import Tap  # noqa: E402

FOLDER = 'cuda/libcudart_any.a.p/'
VERSIONS = ['11000', '12000', '13000']


def commands(build):
    """Returns the command for each common object, by the name of the object."""
    told = subprocess.check_output(['ninja', '-C', build, '-t', 'commands', 'corun', 'all'],
                                   text=True)
    found = {}
    for line in told.splitlines():
        name = re.search(r' -o %s(\S+)' % re.escape(FOLDER), line)
        if name:
            found[name.group(1)] = shlex.split(line)
    assert found, 'no object in ' + FOLDER
    return found


def compiled(build, command, version, folder):
    """Returns the bytes of the object for a version."""
    target = os.path.join(folder, 'object.o')
    words = [w for w in command if not w.startswith('-DCUDART_VERSION=')]
    words[words.index('-o') + 1] = target
    words[words.index('-MF') + 1] = target + '.d'
    subprocess.run([*words, '-DCUDART_VERSION=' + version], cwd=build, check=True)
    with open(target, 'rb') as f:
        return f.read()


def same(build, command):
    with tempfile.TemporaryDirectory() as folder:
        objects = [compiled(build, command, v, folder) for v in VERSIONS]
    for version, bytes_ in zip(VERSIONS, objects):
        assert bytes_ == objects[0], 'the object for %s differs from that for %s' % (
            version, VERSIONS[0])


def main(build):
    tap = Tap()
    for name, command in sorted(commands(build).items()):
        tap.case(name, same, build, command)
    tap.end()


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))
