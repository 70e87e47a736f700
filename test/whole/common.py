"""Runs corun for the whole/ tests, and reports their cases as TAP."""
import itertools
import json
import os
import subprocess
import sys
import zlib

NAMES = ['vecadd', 'mm', 'stencil', 'bfs', 'spmv', 'hotspot', 'kmeans', 'gups']
PAIRS = list(itertools.combinations_with_replacement(NAMES, 2))
POLICIES = ['leftover', 'sequential', 'spatial']


def drawn(name, one_in):
    """True if the case is drawn: a case of `one_in`, by the checksum of the name; with
    CORUN_TEST=every all cases."""
    return (os.environ.get('CORUN_TEST') == 'every'
            or zlib.crc32(name.encode()) % one_in == 0)


class Tap:
    """Prints cases as they come, only the drawn cases of `one_in`; `failed` gives the exit
    status."""

    def __init__(self, one_in=1):
        self.n, self.failed, self.one_in = 0, 0, one_in

    def case(self, name, test, *args):
        if not drawn(name, self.one_in):
            return
        self.n += 1
        try:
            test(*args)
        except (AssertionError, LookupError, ValueError) as e:
            self.failed += 1
            print('not ok %d - %s' % (self.n, name))
            print('\n'.join('# ' + line for line in repr(e)[:3000].split('\\n')), flush=True)
        else:
            print('ok %d - %s' % (self.n, name), flush=True)

    def skip(self, name, why):
        self.n += 1
        print('ok %d - %s # SKIP %s' % (self.n, name, why), flush=True)

    def end(self):
        print('1..%d' % self.n)
        sys.exit(1 if self.failed or not self.n else 0)


def run(build, apps, *options, size='test', status=0):
    """Returns the result of a run; size None: the programs' own size."""
    names = ['%s%ssize=%s' % (a, ',' if ':' in a else ':', size) if size else a for a in apps]
    env = dict(os.environ, CORUN_CACHE=os.path.join(build, 'test-cache'))
    p = subprocess.run([os.path.join(build, 'corun'), 'run', *names, '--quiet', '--json', '-',
                        *options], capture_output=True, text=True, env=env)
    assert p.returncode == status, 'exit status %d: %s' % (p.returncode, p.stderr)
    return json.loads(p.stdout)


def bare(result):
    """Returns the part equal in two runs of the same, as text."""
    return json.dumps({k: v for k, v in result.items() if k not in ('host', 'skip')}, indent=1)


def differ(a, b):
    """Returns the first lines in which two texts differ, or None."""
    for x, y in itertools.zip_longest(a.split('\n'), b.split('\n')):
        if x != y:
            return '%s | %s' % (x, y)
    return None


def checked(result):
    assert result['status'] == 'completed', result['status']
    for app in result['apps']:
        assert app['checked'] is True, '%s: checked is %s' % (app['name'], app['checked'])
        assert app['completions'] >= 1
