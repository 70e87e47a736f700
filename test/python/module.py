#!/usr/bin/env python3
"""Tests python/corun.py: runs and loads results as corun writes them, by the same names."""
import ast
import csv
import glob
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, p) for p in ('test/whole', 'python')]
import corun            # noqa: E402
from common import Tap  # noqa: E402

APPS = ['vecadd:size=test', 'mm:size=test']
WINDOW = {'until': 'window', 'cycles': 2000}
SWEEP = '''
apps: [[vecadd:size=test, mm:size=test], vecadd:size=test]
policies: [leftover, "spatial[split=12/4]"]
rules: {until: window, cycles: 2000}
'''
# Replaces matplotlib where not installed: the stub lists the bars of the picture.
STUB = '''
def use(name): pass
class pyplot:
    def subplots(**_): return pyplot, pyplot
    bars = []
    def bar(x, heights, width, label): pyplot.bars.append((label, heights))
    def set_xticks(*_, **__): pass
    set_ylabel = legend = set_xticks
    def savefig(path): open(path, 'w').write(repr(pyplot.bars))
'''


def raises(kind, call, *args, **options):
    try:
        call(*args, **options)
    except kind as e:
        return e
    raise AssertionError('no %s' % kind.__name__)


def bare(result):
    return {k: v for k, v in result.items() if k != 'host'}


def runs():
    given = {'policy': 'spatial[split=6/2]', 'set': {'l1.ways': 2, 'sm.count': 8}, **WINDOW}
    result = corun.run(*APPS, seed=None, quiet=False, **given)
    assert bare(result) == bare(json.loads(corun.call('run', *APPS, json='-', quiet=True, **given)))
    assert corun.call('run', *APPS, quiet=True, **given) == ''
    assert result['policy'] == 'spatial[split=6/2]' and result['cycles'] == 2000
    assert result['config']['l1.ways']['value'] == 2 and result['config']['sm.count']['value'] == 8


def refuses():
    e = raises(corun.Error, corun.run, 'mmm')
    assert e.status == 2 and "did you mean 'mm'?" in str(e), e
    raises(corun.Error, corun.sweep, 'none.yaml', 'none.db')


def ends_abnormally():
    assert corun.run(APPS[1], cycles=100, alone='skip')['status'] == 'cycle-limit'


def several():
    rows = corun.table(corun.compare(*APPS, policies=['leftover', 'spatial[split=12/4]'], **WINDOW))
    assert [(r['policy'], r['owner']) for r in rows] == [
        (p, o) for p in ('leftover', 'spatial[split=12/4]') for o in ('gpu', 'vecadd', 'mm')]
    rows = corun.table(corun.profile(*APPS, gpu=['maxwell16', 'fermi30'], cycles=2000))
    assert [(r['gpu'], r['owner']) for r in rows] == [
        (g, a) for g in ('maxwell16', 'fermi30') for a in APPS]
    assert all(r['inst.warp'] > 0 and r['cycles'] == 2000 and r['type'] in 'MC' for r in rows)
    result = corun.check('leftover')
    assert result['right'] and raises(ValueError, corun.table, result)


def loads():
    corun.call('run', *APPS, json='result.json', **WINDOW)
    assert bare(corun.load('result.json')) == bare(corun.run(*APPS, **WINDOW))
    with open('other.json', 'w') as f:
        f.write('[1, 2]')
    assert 'no result' in str(raises(ValueError, corun.load, 'other.json'))
    assert 'no database' in str(raises(ValueError, corun.points, 'result.json', verify=False))
    assert 'not a database' in str(raises(corun.Error, corun.points, 'result.json'))
    raises(FileNotFoundError, corun.points, 'none.db')
    assert not os.path.exists('none.db')


def databases():
    """Databases are as `corun export` writes them; a point has the numbers of the same isolated
    run."""
    with open('sweep.yaml', 'w') as f:
        f.write(SWEEP)
    rows = corun.sweep('sweep.yaml', 'results.db')
    assert rows == corun.points('results.db') and len(rows) == 2 * 3 + 2 + 1
    lines = list(csv.DictReader(io.StringIO(corun.call('export', 'results.db', csv='-'))))
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows):
        assert set(row) <= set(line)
        for key, text in line.items():
            value = row.get(key)
            got = None if text == '' and value is None else type(value)(text)
            assert got == value, (key, text, value)
    failed = [r for r in rows if r['status'] == 'failed']
    assert [(r['owner'], bool(r['reason']), len(r)) for r in failed] == [('gpu', True, 18)], failed


def damaged():
    """Rejects a changed number."""
    shutil.copy('results.db', 'damaged.db')
    with sqlite3.connect('damaged.db') as db:
        db.execute("update stat set value = value * 10 where key = 'cycles'")
    assert '--repair' in str(raises(corun.Error, corun.points, 'damaged.db'))
    assert len(corun.points('damaged.db', verify=False)) == len(corun.points('results.db'))


def alike():
    """A single run has the columns and values of the point of a sweep."""
    points = [r for r in corun.points('results.db') if r['position'] == 1]
    table = corun.table(corun.run(*APPS, policy='spatial[split=12/4]', **WINDOW))
    assert [r['owner'] for r in table] == [r['owner'] for r in points] == ['gpu', 'vecadd', 'mm']
    own = {'key', 'position', 'options', 'alone', 'reason', 'apps'}
    for one, point in zip(table, points):
        assert set(point) - set(one) == own - {'apps'}, set(point) ^ set(one)
        assert set(one) <= set(point), set(one) - set(point)
        different = {k for k in one if one[k] != point[k]} - own
        assert not different, {k: (one[k], point[k]) for k in different}


def turned():
    rows = corun.points('results.db')
    table = corun.columns(rows)
    assert all(len(values) == len(rows) for values in table.values())
    assert [table['weighted_speedup'][i] for i in range(3)] == [
        rows[0]['weighted_speedup'], None, None]
    assert corun.columns([]) == {}


def plots():
    """The example draws the values of the database."""
    os.mkdir('stub')
    with open('stub/matplotlib.py', 'w') as f:
        f.write(STUB)
    script = os.path.join(ROOT, 'examples/python/metric.py')
    paths = os.pathsep.join([os.path.abspath('stub'), os.path.join(ROOT, 'python')])
    subprocess.run([sys.executable, script, 'results.db', 'weighted_speedup', 'bars.txt'],
                   check=True, env=dict(os.environ, PYTHONPATH=paths))
    with open('bars.txt') as f:
        bars = dict(ast.literal_eval(f.read()))
    rows = [r for r in corun.points('results.db') if r['owner'] == 'gpu']
    assert bars == {p: [next((r.get('weighted_speedup') or 0 for r in rows
                              if (r['apps'], r['policy']) == (a, p)), 0)
                        for a in dict.fromkeys(r['apps'] for r in rows)]
                    for p in ('leftover', 'spatial[split=12/4]')}, bars
    assert all(b[0] > 0 for b in bars.values())


def old_python():
    for path in glob.glob(os.path.join(ROOT, 'python/*.py')) + \
            glob.glob(os.path.join(ROOT, 'examples/python/*.py')):
        with open(path) as f:
            ast.parse(f.read(), path, feature_version=(3, 9))


def asserted(test):
    try:
        test()
    except (corun.Error, OSError, subprocess.CalledProcessError) as e:
        raise AssertionError(repr(e)) from e


def main(build):
    os.environ.update(CORUN=os.path.join(build, 'corun'),
                      CORUN_CACHE=os.path.join(build, 'test-cache'))
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (runs, refuses, ends_abnormally, several, loads, databases, damaged, alike,
                     turned, plots, old_python):
            tap.case(test.__name__.replace('_', ' '), asserted, test)
        os.chdir(ROOT)
    tap.end()


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))
