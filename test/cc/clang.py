"""The clang of `corun cc`."""
import os
import shutil


def here():
    """True if there is a clang under a name searched by `corun cc`."""
    given = os.environ.get('CORUN_CLANG')
    names = [given] if given else ['clang'] + ['clang-%d' % i for i in range(16, 31)]
    return any(map(shutil.which, names))
