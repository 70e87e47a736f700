"""Runs corun from Python and loads results and databases as plain tables.

    import corun
    result = corun.run('mm', 'bfs', policy='spatial', until='window', cycles=200000)
    result['metrics']['weighted_speedup']
    for row in corun.table(result):                # the whole GPU, then each app
        print(row['owner'], row['ipc_thread'], row['l1.miss_rate'])
    rows = corun.points('results.db')              # points of a sweep: the same columns
    pandas.DataFrame(rows)                         # with pandas
    corun.columns(rows)['weighted_speedup']        # without pandas

Needs only the standard library. docs/reference/result.md lists every key of a result,
docs/reference/stats.md every statistic. An undefined value is None.
"""
import json
import os
import shutil
import sqlite3
import subprocess

__all__ = ['Error', 'binary', 'call', 'run', 'compare', 'profile', 'check', 'sweep', 'load',
           'table', 'points', 'columns']

# Exit statuses with a result: done, ended abnormally, interrupted. With any other exit status corun
# prints only an error message.
WITH_RESULT = (0, 1, 130, 143)
POINT = ('key', 'position', 'apps', 'policy', 'gpu', 'options', 'until', 'cycle_limit',
         'instruction_goal', 'seed', 'alone', 'status', 'reason', 'input_hash', 'version')


class Error(Exception):
    """Raised if corun gave no result; holds the exit status and corun's messages."""

    def __init__(self, status, message):
        super().__init__(message.strip() or 'corun ended with %d' % status)
        self.status = status


# ---- running corun ----

def binary():
    """Returns the path of the corun binary: $CORUN, else the binary built in the source tree of
    corun.py, else the binary on PATH."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    built = os.path.join(here, 'build', 'corun')
    found = os.environ.get('CORUN') or (built if os.access(built, os.X_OK) else None)
    found = found or shutil.which('corun')
    if not found:
        raise Error(-1, 'there is no corun: build it, or set CORUN to its path')
    return found


def _arguments(options):
    """Yields the command line of `options`. alone_on='share' becomes --alone-on share; a dict
    repeats the option for each item; a list is joined by commas; True gives a flag; None and False
    are omitted."""
    for name, value in options.items():
        flag = '--' + name.replace('_', '-')
        if isinstance(value, dict):
            for key, one in value.items():
                yield from (flag, '%s=%s' % (key, one))
        elif value is True:
            yield flag
        elif isinstance(value, (list, tuple)):
            yield from (flag, ','.join(map(str, value)))
        elif value is not None and value is not False:
            yield from (flag, str(value))


def call(command, *operands, **options):
    """Runs `corun COMMAND OPERANDS --option value...` and returns the standard output. Raises Error
    if the input is wrong. `set={'l1.ways': 8}` becomes --set l1.ways=8."""
    done = subprocess.run([binary(), command, *map(str, operands), *_arguments(options)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8', errors='replace')
    if done.returncode not in WITH_RESULT:
        raise Error(done.returncode, done.stderr)
    return done.stdout


def _result(command, *operands, **options):
    return json.loads(call(command, *operands, json='-', **options))


def run(*apps, **options):
    """Returns the result of `corun run`, a dict. A run that ended abnormally also returns a result:
    see `status`."""
    return _result('run', *apps, **options)


def compare(*apps, policies, **options):
    """Returns the result of `corun compare`: `runs` has an entry per policy."""
    return _result('compare', *apps, policies=policies, **options)


def profile(*apps, **options):
    """Returns the result of `corun profile`: `profiles` has an entry per machine and app."""
    return _result('profile', *apps, **options)


def check(policy, **options):
    """Returns the result of `corun check`: `right`, and in `properties` the outcome of every
    property."""
    return _result('check', policy, **options)


def sweep(path, database, **options):
    """Runs the points of a sweep file that are missing in the database; returns
    points(database)."""
    command = [binary(), 'sweep', str(path), '-o', str(database), *_arguments(options)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, encoding='utf-8', errors='replace')
    if done.returncode not in (0, 1):   # an interrupted sweep is incomplete
        raise Error(done.returncode, done.stderr)
    return points(database)


# ---- tables: lists of dicts ----

def load(path):
    """Loads a file written by --json of run, compare, profile, model, check or diff, as a dict."""
    with open(path, encoding='utf-8') as f:
        result = json.load(f)
    if not isinstance(result, dict) or not str(result.get('schema')).startswith('corun-'):
        raise ValueError('%s: no result of corun' % path)
    return result


def table(result):
    """Returns the rows of a result: for each run a row of the whole GPU (owner gpu), then a row per
    app; for a profile, a row per machine and app. Same columns as points()."""
    kind = result['schema'].split('/')[0]
    if kind == 'corun-result':
        return _rows_of_run(result)
    if kind == 'corun-compare':
        return [row for one in result['runs'] for row in _rows_of_run(one)]
    if kind == 'corun-profile':
        return [_row_of_profile(result, one) for one in result['profiles']]
    raise ValueError('%s has no table' % kind)


def _rows_of_run(result):
    point = {key: result.get(key) for key in ('gpu', 'policy', 'until', 'cycle_limit',
                                              'instruction_goal', 'seed', 'status',
                                              'input_hash', 'version')}
    apps, policies = result.get('apps', []), result.get('policy_stats', {})
    point['apps'] = ' + '.join(app['spec'] for app in apps)
    mechanisms = {'policy.%s.%s' % (name, key): value
                  for name, numbers in policies.items()
                  for key, value in _numbers(numbers).items()}
    rows = [{**point, 'owner': 'gpu', 'spec': None, 'app': None, 'cycles': result['cycles'],
             **result.get('metrics', {}), **result.get('stats', {}), **mechanisms}]
    blocks = [m['blocks_per_sm'] for m in policies.values() if 'blocks_per_sm' in m]
    for i, app in enumerate(apps):
        rows.append({**point, 'owner': app['name'], 'spec': app['spec'], 'app': i,
                     **_numbers(app), **app['stats']})
        if blocks:
            rows[-1]['blocks_per_sm'] = blocks[0][i]
    return rows


def _row_of_profile(result, one):
    words = {key: result[key] for key in ('until', 'cycle_limit', 'seed', 'version')}
    words.update({key: one[key] for key in ('gpu', 'status', 'type', 'use', 'leading_resource')})
    return {**words, 'apps': one['app'], 'owner': one['app'], 'spec': one['app'], 'app': 0,
            **_numbers(one), **one['stats']}


def _numbers(object):
    """Returns the members that are numbers, booleans or None, except `alone`, an object or None."""
    return {key: value for key, value in object.items()
            if key != 'alone' and (value is None or isinstance(value, (bool, int, float)))}


def points(path, verify=True):
    """Returns the rows of a sweep's database, as written by `corun export`: for each point a row of
    the whole GPU (owner gpu, app None), then a row per app. A failed point has a single row, with
    `reason`. Calls corun to verify the database, and raises Error if the database is damaged;
    verify=False omits the check on hosts without corun."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    if verify:
        call('export', path, csv=os.devnull)
    db = sqlite3.connect(path)
    try:
        _check_schema(db, path)
        numbers = {}
        whole = "select run, app, key, value from stat where instr(key, '/') = 0"
        for run, app, key, value in db.execute(whole):
            numbers.setdefault((run, app), {})[key] = value
        apps = {}
        for run, app, name, spec in db.execute('select run, app, name, spec from app order by app'):
            apps.setdefault(run, []).append((app, name, spec))
        rows = []
        for run, *values in db.execute('select id, %s from run order by position, id'
                                       % ', '.join(POINT)):
            for app, owner, spec in [(None, 'gpu', None)] + apps.get(run, []):
                rows.append({**dict(zip(POINT, values)), 'owner': owner, 'spec': spec, 'app': app,
                             **numbers.get((run, app), {})})
        return rows
    finally:
        db.close()


def _check_schema(db, path):
    try:
        schema, = db.execute("select value from meta where key = 'schema'").fetchone()
    except (sqlite3.DatabaseError, TypeError):
        schema = None
    if not str(schema).startswith('corun-sweep/'):
        raise ValueError('%s: no database of corun sweep' % path)


def columns(rows):
    """Returns the table by column: a dict of lists, with None for values absent from a row."""
    names = {name: None for row in rows for name in row}    # in order of first occurrence
    return {name: [row.get(name) for row in rows] for name in names}
