"""Runs the fidelity kernels on a machine made from GPGPU-Sim's options and compares every figure
with the reference."""
import csv
import json
import math
import os
import re
import resource
import subprocess
import zlib

import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'data')
MACHINES = ['fermi30', 'rtx2060']

# (figure, corun's count, the reference's columns to add up)
FIGURES = [
    ('cycles', lambda a: a['cycles'], ['cycles']),
    ('warp instructions', 'inst.warp', ['warp_insns']),
    ('thread instructions', 'inst.thread', ['thread_insns']),
    ('L1 accesses', 'l1.accesses', ['l1d_accesses']),
    ('L1 hits', 'l1.hits', ['l1d_hits']),
    ('L1 merged', 'l1.merged', ['l1d_pending']),
    ('L1 misses', 'l1.misses', ['l1d_misses']),
    ('L1 fails', lambda a: sum(a['stats']['l1.fail_' + k] for k in
                               ('line', 'missq', 'mshr', 'merge')), ['l1d_resfails']),
    ('L2 accesses', 'l2.accesses', ['l2_accesses']),
    ('L2 merged', 'l2.merged', ['l2_pending']),
    ('L2 misses', 'l2.misses', ['l2_misses']),
    ('DRAM requests', 'dram.requests', ['dram_requests']),
    ('DRAM reads', 'dram.reads', ['dram_read_atoms']),
    ('DRAM writes', 'dram.writes', ['dram_write_atoms']),
    ('row hits', 'dram.row_hits', ['dram_row_hits']),
    ('activates', 'dram.activates', ['dram_activates']),
    ('idle', 'stall.idle_cycles', ['stall_w0_idle']),
    ('raw', 'stall.raw_cycles', ['stall_w0_scoreboard']),
    ('pipeline', lambda a: a['stats']['stall.memory_cycles'] + a['stats']['stall.compute_cycles'],
     ['stall_pipeline']),
]


def reference(path):
    with open(path) as f:
        return {(r['machine'], r['app']): r for r in csv.DictReader(f)}


def needs(app):
    """Resources of a block, for the carve-out; static shared memory from the kernel's PTX."""
    return {'threads': math.prod(app['block']), 'registers': app['registers'],
            'shared': app['shared_bytes'] + app.get('static_shared', 0),
            'blocks': math.prod(app['grid'])}


def static_shared(module):
    """Bytes of shared variables each kernel declares."""
    found, kernel = {}, None
    with open(module) as f:
        for line in f:
            entry = re.search(r'\.entry (\w+)', line)
            kernel = entry.group(1) if entry else kernel
            var = re.search(r'^\s*\.shared \.align \d+ \.b8 \S+\[(\d+)\]', line)
            if var and kernel:
                found[kernel] = found.get(kernel, 0) + int(var.group(1))
    return found


def two_roundings(text):
    """Returns PTX with every single fma as a multiplication and an addition, each rounded: the
    reference's computation for fma.rn.f32."""
    return re.sub(r'fma\.rn\.f32\s+([^,;]+),([^,;]+),([^,;]+),([^;]+);',
                  r'{ .reg .f32 %product; mul.rn.f32 %product,\2,\3; '
                  r'add.rn.f32 \1, %product,\4; }', text)


class Bench:
    """Kernels, machines and reference figures of a comparison."""

    def __init__(self, corun, folder, data=DATA, sets=()):
        self.corun, self.folder, self.data, self.sets = corun, folder, data, list(sets)
        self.apps = inputs.load(os.path.join(data, 'apps.json'))
        self.module = os.path.join(data, 'kernels.ptx')
        self.lost = {}
        self.rounded = {}       # app -> output with two roundings
        shared = static_shared(self.module)
        os.makedirs(folder, exist_ok=True)
        for app in self.apps:
            app['static_shared'] = shared.get(app['kernel'], 0)

    def machine_file(self, machine, *apps):
        """Writes the machine file for these kernels (the carve-out depends on the kernels)."""
        name = '+'.join(a['name'] for a in apps)
        path = os.path.join(self.folder, '%s.%s.machine.yaml' % (machine, name))
        args = [self.corun, 'import', os.path.join(self.data, machine + '.config'), '-o', path]
        for n in map(needs, apps):
            args += ['--need', '%(threads)d:%(registers)d:%(shared)d:%(blocks)d' % n]
        p = subprocess.run(args, capture_output=True, text=True)
        if p.returncode:
            raise ValueError(p.stderr.strip())
        self.lost[machine] = re.findall(r'^  -(\S+) ([^:\n]\S*): (.+)$', p.stderr, re.M)
        return path

    def run(self, gpu, *apps, more=(), module=None):
        """Returns the result of a run, with the processor seconds of the whole command."""
        paths = [inputs.write_app(a, module or self.module, self.folder) for a in apps]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        args = [self.corun, 'run', *paths, '--gpu', gpu, '--alone', 'skip', '--quiet', '--json',
                '-', *more]
        for s in self.sets:
            args += ['--set', s]
        p = subprocess.run(args, capture_output=True, text=True, cwd=self.folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if p.returncode not in (0, 1):
            raise ValueError('%s: %s' % (' '.join(paths), p.stderr.strip()[-2000:]))
        result = json.loads(p.stdout)
        result['seconds'] = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        return result

    def output(self, app):
        """CRC-32 of the dumped buffers, in order."""
        crc = 0
        for name in app['dump']:
            with open(os.path.join(self.folder, inputs.dump_name(app, name)), 'rb') as f:
                crc = zlib.crc32(f.read(), crc)
        return '%08x' % crc

    def rounded_output(self, app):
        """CRC-32 of the dumped buffers of a run with fma rounded twice."""
        if app['name'] not in self.rounded:
            module = os.path.join(self.folder, 'two_roundings.ptx')
            with open(self.module) as f, open(module, 'w') as out:
                out.write(two_roundings(f.read()))
            self.run('maxwell16', app, module=module)
            self.rounded[app['name']] = self.output(app)
        return self.rounded[app['name']]

    def agreement(self, app, theirs):
        """How the dumped output agrees with the reference's."""
        mine = self.output(app)
        if mine == theirs:
            return 'same'
        return 'two roundings' if self.rounded_output(app) == theirs else 'OTHER'

    def row(self, machine, app, ref):
        result = self.run(self.machine_file(machine, app), app)
        a = result['apps'][0]
        row = {'machine': machine, 'app': app['name'], 'status': result['status'],
               'output': self.agreement(app, ref['output_crc32']), 'figures': {},
               'rate': a['warp_instructions'] / max(result['seconds'], 1e-3),
               'seconds': result['seconds'],
               'loop_rate': result['host']['warp_instructions_per_second'],
               'reference_rate': float(ref['host_warp_insns_per_s']),
               'reference_seconds': float(ref['host_cpu_seconds'])}
        for name, ours, columns in FIGURES:
            mine = ours(a) if callable(ours) else a['stats'][ours]
            theirs = [ref[c] for c in columns]
            known = all(t != '' for t in theirs)
            row['figures'][name] = (mine, sum(int(t) for t in theirs) if known else None)
        mine, theirs = row['figures']['cycles']
        row['error'] = mine / theirs - 1
        return row


def ranks(values):
    """Rank of each value, ties sharing their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for i in order[at:end + 1]:
            out[i] = (at + end) / 2
        at = end + 1
    return out


def spearman(a, b):
    """Correlation of the ranks."""
    a, b = ranks(a), ranks(b)
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    top = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    size = math.sqrt(sum((x - ma) ** 2 for x in a) * sum((y - mb) ** 2 for y in b))
    return top / size if size else None


def mean_ratio(ratios):
    """Geometric mean."""
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios))


def summary(rows):
    errors = [abs(r['error']) for r in rows]
    mine, theirs = zip(*(r['figures']['cycles'] for r in rows))
    return {
        'rows': len(rows),
        'mean_error': sum(errors) / len(errors),
        'worst_error': max(errors),
        'worst_row': max(rows, key=lambda r: abs(r['error']))['app'],
        'rank_correlation': spearman(mine, theirs) if len(rows) > 1 else None,
        'rate': mean_ratio([r['rate'] for r in rows]),
        'reference_rate': mean_ratio([r['reference_rate'] for r in rows]),
        'speed_ratio': mean_ratio([r['rate'] / r['reference_rate'] for r in rows]),
        'loop_ratio': mean_ratio([r['loop_rate'] / r['reference_rate'] for r in rows]),
        'other_outputs': sorted(r['app'] for r in rows if r['output'] == 'OTHER'),
    }
