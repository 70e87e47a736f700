#!/usr/bin/env python3
"""Checks docs/reference/result.schema.json against results of every kind: each passes, each key of
the schema occurs in some result, and an object with an extra or a missing key does not pass."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test/whole'))
from common import Tap  # noqa: E402

PAIR = ['stencil:size=window', 'gups:size=window']
WINDOW = ['--until', 'window', '--cycles', '2000', '--set', 'sm.count=2']
# some blocks of hotspot end within the limit
LATE = ['hotspot', 'kmeans:start=3000', '--until', 'window', '--cycles', '12000', '--set',
        'sm.count=2', '--set', 'preempt.limit=2000']
# an oracle has fewer mixes to try; mig has a profile
SEARCH = [*WINDOW, '--set', 'sm.blocks=2', '--set', 'mig.sms_1g=1']
# the shipped programs' answers are right, no shipped policy writes lines
UNSEEN = {'app.checked_why', 'mechanism.log', 'mechanism.log_lines'}
COMMANDS = {                    # exit status, and arguments
    'run': (0, 'run', './scale.yaml'),
    'run with the policy of a file': (0, 'run', *PAIR, '--policy', './moody.c', *WINDOW),
    'run with two seeds': (0, 'run', *PAIR, '--seeds', '2', *WINDOW),
    'run with energy': (0, 'run', *PAIR, '--energy', *WINDOW),
    'run with blame': (0, 'run', *PAIR, '--blame', 'online', *WINDOW),
    'run with exact blame': (0, 'run', *PAIR, '--blame', 'exact', *WINDOW),
    'run with cuts of memory': (0, 'run', *PAIR, '--blame', 'exact', '--policy', 'dmil', *WINDOW),
    'run without cuts': (0, 'run', *PAIR, '--blame', 'exact', '--policy', 'l2-ways', *WINDOW),
    'run with a late app': (0, 'run', 'mm:size=test,start=300', *WINDOW),
    'run with drains and switches': (0, 'run', *LATE, '--policy', 'smk-p', '--alone', 'skip'),
    'run without isolated runs': (0, 'run', 'mm:size=test', '--alone', 'skip', '--skip', 'off'),
    'run on a share': (0, 'run', *PAIR, '--policy', 'spatial', '--alone-on', 'share', *WINDOW),
    'run to a limit': (1, 'run', 'mm:size=test', '--cycles', '100', '--instructions', '1000000'),
    'run with a fault': (1, 'run', './fault.yaml'),
    'run with launches that run functionally': (0, 'run', 'bfs:size=test', '--kernels', '2'),
    'run with a warning': (0, 'run', './constant.yaml'),
    'run with a policy that fails': (1, 'run', *PAIR, '--policy', './crashes.c'),
    'compare with a policy that fails': (1, 'compare', 'mm:size=test', '--policies',
                                         'leftover,./crashes.c'),
    'run with an answer refused': (0, 'run', *PAIR, '--policy', './overfull.c', *WINDOW),
    'run with requests': (0, 'run', 'vecadd:n=4096,arrivals=closed:1,requests=3', '--seeds', '2'),
    'run with a search': (0, 'run', *PAIR, '--policy', 'oracle', *SEARCH),
    'run with windows': (0, 'run', *PAIR, '--policy', 'oracle[mode=window,window=500]', *WINDOW),
    'run with launches': (0, 'run', *PAIR, *WINDOW, '--by', 'launch'),
    'run with kernels': (0, 'run', *PAIR, *WINDOW, '--by', 'kernel'),
    'compare all policies': (0, 'compare', *PAIR, *SEARCH, '--policies'),
    'profile': (0, 'profile', *PAIR, './scale.yaml', '--cycles', '2000'),
    'profile of several kernels': (0, 'profile', 'bfs:size=test', '--until', 'end'),
    'profile of lines': (0, 'profile', './constant.yaml', '--lines', '--cycles', '2000'),
    'model': (0, 'model', '30/20', 'vecadd:size=test', '10/2', '--cycles', '2000'),
    'advise': (0, 'advise', *PAIR, *WINDOW, '--goal', 'all<=1.5, max ws', '--set', 'sm.count=4'),
    'diff': (0, 'diff', 'maxwell16', 'fermi30'),
    'check': (0, 'check', 'spatial', '--set', 'sm.count=2'),
    'check of what is broken': (1, 'check', './overfull.c', '--set', 'sm.count=2'),
}


CONSTANT = """.version 7.0
.target sm_70
.address_size 64
.const .u32 never;
.file 1 "k.cu"
.entry k()
{
    .reg .u32 r;
    .loc 1 2 1
$at:
    .loc 1 3 1, function_name $at, inlined_at 1 2 1
    ld.const.u32 r, [never];
    ret;
}
"""


class Corun:
    """Runs corun in a folder with a small app, a faulting app and two policies."""

    def __init__(self, build, folder):
        self.binary, self.folder = os.path.join(build, 'corun'), folder
        self.env = dict(os.environ, CORUN_CACHE=os.path.join(build, 'test-cache'))
        for path in ('cli/scale.yaml', 'cli/scale.ptx', 'policy/bad/moody.c',
                     'policy/bad/overfull.c', 'policy/bad/crashes.c'):
            shutil.copy(os.path.join(ROOT, 'test', path), folder)
        with open(os.path.join(folder, 'scale.yaml')) as f:
            fault = f.read().replace('args: [1000,', 'args: [1001,')
        with open(os.path.join(folder, 'fault.yaml'), 'w') as f:
            f.write(fault)
        with open(os.path.join(folder, 'constant.ptx'), 'w') as f:
            f.write(CONSTANT)
        with open(os.path.join(folder, 'constant.yaml'), 'w') as f:
            f.write('app: c\nmodule: constant.ptx\nlaunches:\n- {kernel: k, grid: 1, block: 32}\n')

    def __call__(self, expected, *arguments):
        p = subprocess.run([self.binary, *arguments], capture_output=True, text=True, env=self.env,
                           cwd=self.folder)
        assert p.returncode == expected, (arguments, p.returncode, p.stderr)
        return p.stdout

    def policies(self):
        lines = self(0, 'list', 'policies').splitlines()
        names = [line.split()[0] for line in lines if line[:1].strip() and '  ' in line]
        return ['fixed[blocks=1/1]' if n == 'fixed' else n for n in names
                if n not in ('policy', 'oracle') and not n.endswith(':')]


class Walk:
    """Walks a value along the schema, and notes the keys met for each object."""

    def __init__(self, schema):
        self.definitions, self.seen, self.objects = schema['$defs'], set(), {}

    def missing(self):
        """Returns keys absent from every result; for keys of a mechanism, absent from every
        mechanism."""
        keys = {'%s.%s' % (name, key) for name, d in self.definitions.items()
                for key in d['properties']}
        for policy in self.definitions['policies']['properties'].values():
            keys |= {'mechanism.' + key for key in policy['properties']}
        return keys - self.seen

    def go(self, value, schema, name=None):
        if value is None:
            return
        if '$ref' in schema:
            name = schema['$ref'].split('/')[-1]
            self.go(value, self.definitions[name], name)
        for one in schema.get('anyOf', []):
            validator = jsonschema.Draft202012Validator({**one, '$defs': self.definitions})
            if validator.is_valid(value):
                self.go(value, one)
        if isinstance(value, list):
            for item in value:
                self.go(item, schema.get('items', {}))
        if isinstance(value, dict) and 'properties' in schema:
            if name in self.definitions:
                self.objects.setdefault(name, value)
            for key, item in value.items():
                self.seen.add('%s.%s' % (name, key))
                inside = 'mechanism' if name == 'policies' else None
                self.go(item, schema['properties'].get(key, {}), inside)


class Results:
    def __init__(self, build, folder):
        self.corun = Corun(build, folder)
        with open(os.path.join(ROOT, 'docs/reference/result.schema.json')) as f:
            self.schema = json.load(f)
        self.walk = Walk(self.schema)

    def right(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def validator(self, name):
        return jsonschema.Draft202012Validator({'$ref': '#/$defs/' + name,
                                                '$defs': self.schema['$defs']})

    def passes(self, status, *arguments):
        if arguments[-1] == '--policies':
            arguments = (*arguments, ','.join(self.corun.policies()))
        text = self.corun(status, *arguments, '--json', '-')
        result = json.loads(text, object_pairs_hook=once)
        name = result['schema'].split('/')[0].replace('corun-', '')
        if result.get('status') == 'policy-failed':
            name = 'failed'
        errors = [(list(e.absolute_path), e.message[:300])
                  for e in self.validator(name).iter_errors(result)]
        assert not errors, errors[:5]
        self.walk.go(result, {'$ref': '#/$defs/' + name})

    def whole(self):
        """The file itself finds the kind of a result: a result passes, a value of no kind does
        not."""
        result = self.walk.objects['check']
        validator = jsonschema.Draft202012Validator(self.schema)
        assert validator.is_valid(result)
        assert not validator.is_valid({**result, 'schema': 'corun-cheque/1'})

    def complete(self):
        missing = self.walk.missing()
        assert missing == UNSEEN, sorted(missing ^ UNSEEN)

    def tables(self):
        """docs/reference/result.md has the tables of a database, every column in order."""
        with open(os.path.join(self.corun.folder, 'sweep.yaml'), 'w') as f:
            f.write('apps: [./scale.yaml]\npolicies: [leftover]\nalone: skip\n')
        self.corun(0, 'sweep', 'sweep.yaml', '-o', 'sweep.db')
        db = sqlite3.connect(os.path.join(self.corun.folder, 'sweep.db'))
        have = {name: [row[1] for row in db.execute('pragma table_info(%s)' % name)]
                for name, in db.execute("select name from sqlite_master where type = 'table'")}
        with open(os.path.join(ROOT, 'docs/reference/result.md')) as f:
            parts = re.split(r'^## ', f.read(), flags=re.M)
        said = {m.group(1): re.findall(r'^\| (\w+) \| [A-Z0-9`]', part, re.M) for part in parts
                for m in [re.match(r'A table of the database: `(\w+)`', part)] if m}
        assert have == said, (have, said)

    def strict(self, name):
        validator, value = self.validator(name), self.walk.objects[name]
        assert validator.is_valid(value)
        assert not validator.is_valid({**value, 'unknown': 'x'}), 'a key more passes'
        for key in self.schema['$defs'][name].get('required', []):
            less = {k: v for k, v in value.items() if k != key}
            assert not validator.is_valid(less), 'without %s it passes' % key


def once(pairs):
    """Returns an object without repeated keys."""
    assert len(dict(pairs)) == len(pairs), [k for k, _ in pairs]
    return dict(pairs)


def main(build):
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        results = Results(build, folder)
        tap.case('a JSON Schema', results.right)
        for name, command in COMMANDS.items():
            tap.case(name, results.passes, *command)
        tap.case('the kinds', results.whole)
        tap.case('every key is there', results.complete)
        tap.case('the tables of the database', results.tables)
        tap.one_in = 4
        for name in sorted(results.schema['$defs']):
            tap.case('no other key in ' + name, results.strict, name)
    tap.end()


if __name__ == '__main__':
    main(os.path.abspath(sys.argv[1]))
