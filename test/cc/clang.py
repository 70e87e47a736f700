"""The clang of `corun cc`."""
import os
import shutil


def here():
    """Whether there is one, by the names that `corun cc` looks for."""
    given = os.environ.get('CORUN_CLANG')
    names = [given] if given else ['clang'] + ['clang-%d' % i for i in range(16, 31)]
    return any(map(shutil.which, names))
