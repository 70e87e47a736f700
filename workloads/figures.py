"""Library of page.py, to compare the papers' figures with ours: reads the tables of workloads/,
formats cells and computes derived figures. Not a program."""
import csv
import itertools
import os
import re
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(FOLDER), 'tools'))
from model import mark  # noqa: E402

LIMITS = (1, 2, 4, 8, 16)
DEEP = ('xbar.in_flits=64 xbar.in_packets=64 xbar.out_packets=64 l2.in_queue=64 '
        'l2.reply_queue=64')
BARS = '▁▂▃▄▅▆▇█'
LINE_BYTES = 128  # of an L2 miss, paper 001 section 3
ROUNDED = ('inst.cinst_per_minst', 'ldst.req_per_minst')
WITHIN = {'l1.miss_rate': 0.05, 'l2.mpki': 0.15, 'dram.bandwidth_fraction': 0.15,
          'l1.accesses_per_kcycle': 0.15}


def is_clone(row):
    return row['program'].startswith('clone')


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def cell(value, scale=1, digits=None):
    """Returns a measured value, rounded for a table."""
    x = number(value)
    if x is None:
        return value or '-'
    x *= scale
    if digits is not None:
        return '%.*f' % (digits, x)
    return '%d' % x if x == int(x) and abs(x) >= 10 or x == 0 else '%.3g' % x


def pair(paper, measured, scale=1):
    if paper is None:
        return cell(measured, scale)
    return '%s / %s' % (paper, cell(measured, scale))


def table(heads, rows):
    lines = [heads, ['---'] * len(heads), *rows]
    return ''.join('| %s |\n' % ' | '.join(line) for line in lines) + '\n'


def read(name):
    with open(os.path.join(FOLDER, name), encoding='utf-8') as f:
        return list(csv.DictReader(f))


class Facts:
    def __init__(self, shipped):
        self.shipped = shipped
        self.papers = {(r['paper'], r['name'], r['metric']): r['value'] for r in read('papers.csv')}
        self.stands = [r for r in read('stands.csv') if r['program'] in shipped]
        self.stands.sort(key=lambda r: (r['paper'], self.names(r['paper']).index(r['name'])))
        self.values = {}
        self.rules = {}
        for r in read('measured.csv'):
            place = (r['app'], r['gpu'])
            self.values[(*place, r['rule'], r['kernel'], r['metric'])] = r['value']
            rules = self.rules.setdefault(place, [])
            if r['rule'] not in rules:
                rules.append(r['rule'])

    def names(self, paper):
        """Names of the paper's programs, in the paper's order."""
        return list(dict.fromkeys(k[1] for k in self.papers if k[0] == paper and k[1] != '*'))

    def about(self, paper, metric):
        return self.papers[paper, '*', metric]

    def paper(self, paper, name, metric):
        return self.papers.get((paper, name, metric))

    def kernels(self, app, gpu, rule):
        return [k[3] for k in self.values
                if k[:3] == (app, gpu, rule) and k[4] == 'block_threads']

    def measured(self, r, metric, rule=None, setting=''):
        """Returns the metric of a row of stands.csv on the paper's machine; without a rule, over
        the longest window. A kernel's metric: of the row's kernel, or all different values of the
        program."""
        gpu = self.about(r['paper'], 'machine') + setting
        if rule is None:
            rule = max(self.rules.get((r['app'], gpu), ['window 0']),
                       key=lambda w: int(w.split()[1]))
        for kernel in (r['kernel'], ''):
            value = self.values.get((r['app'], gpu, rule, kernel, metric))
            if value is not None:
                return value
        kernels = [r['kernel']] if r['kernel'] else self.kernels(r['app'], gpu, rule)
        values = [self.values.get((r['app'], gpu, rule, k, metric)) for k in kernels]
        if len(values) < 2:
            return values[0] if values else None
        return ', '.join(dict.fromkeys(v for v in values if v)) or None

    def age(self, r, rule=None):
        """Returns a note for a row not measured with the present model."""
        if self.measured(r, 'inst.ipc_thread', rule) is None:
            return ''
        return mark(self.measured(r, 'model', rule) or 1)

    def differences(self, paper, r):
        """Metrics in which the longest window differs from the paper's figure."""
        out = []
        for (p, name, metric), printed in self.papers.items():
            if (p, name) != (paper, r['name']):
                continue
            value = self.measured(r, metric)
            if value is not None and not agrees(metric, printed, value):
                out.append(metric)
        return out

    def without(self, paper):
        have = {r['name'] for r in self.stands if r['paper'] == paper and not is_clone(r)}
        return [n for n in self.names(paper) if n not in have]

    def of_no_paper(self):
        have = {r['program'] for r in self.stands}
        return [p for p in self.shipped if p not in have]

    def registers(self):
        return [(r['name'], r['kernel'], int(r['registers'])) for r in read('registers.csv')]


def agrees(metric, printed, value):
    p, v = number(printed), number(value)
    if value is None:
        return False
    if metric in ('stalls', 'intensity', 'ipc_against_blocks', 'scratchpad'):
        return True  # words: no rule to compare by
    if metric == 'limiter':
        return value in printed
    if p is None or v is None:
        return printed == value
    if metric in ROUNDED:
        return nearest(v) == p
    if metric == 'l1.rsfail_rate':
        return close(p, v)
    if metric == 'dram.bandwidth_fraction':
        v *= 100
    if metric.endswith('occupancy'):
        return abs(100 * v - p) <= 0.1
    if metric == 'l1.miss_rate':
        return abs(v - p) <= WITHIN[metric]
    return abs(v - p) <= WITHIN.get(metric, 0) * abs(p)


def nearest(x):
    return int(x + 0.5)


def close(p, v):
    """Reservation failures: within a factor 1.5, or both under 0.5."""
    return max(p, v) < 0.5 or (min(p, v) > 0 and max(p, v) / min(p, v) <= 1.5)


def rank_correlation(a, b):
    """Spearman's, with mean ranks where values are equal."""
    def ranks(values):
        order = sorted(values)
        return [order.index(v) + (order.count(v) - 1) / 2 for v in values]
    x, y = ranks(a), ranks(b)
    mx, my = sum(x) / len(x), sum(y) / len(y)
    top = sum((p - mx) * (q - my) for p, q in zip(x, y))
    low = (sum((p - mx) ** 2 for p in x) * sum((q - my) ** 2 for q in y)) ** 0.5
    return top / low if low else 0


def exact(f, rows, metrics):
    """Counts the rows whose metrics all agree with the paper."""
    held = sum(all(agrees(m, f.paper('000', r['name'], m), f.measured(r, m)) for m in metrics)
               for r in rows)
    return 'All values as printed: %d of %d programs.\n\n' % (held, len(rows))


def held_000(f, rows, rule):
    """Counts the stand-ins that agree with the paper, per metric."""
    out = []
    for what, metric in (('Cinst/Minst after rounding', 'inst.cinst_per_minst'),
                         ('Req/Minst after rounding', 'ldst.req_per_minst'),
                         ('miss rate within 0.05', 'l1.miss_rate'),
                         ('type', 'type'),
                         ('rsfail within a factor 1.5 or both under 0.5', 'l1.rsfail_rate')):
        values = [(f.paper('000', r['name'], metric), f.measured(r, metric, rule)) for r in rows]
        held = sum(agrees(metric, p, v) for p, v in values)
        out.append('%s %d of %d' % (what, held, len(rows)))
    return 'As printed: %s.\n\n' % ', '.join(out)


def held_001(f, rows):
    out = []
    for what, metric, scale in (('MPKI', 'l2.mpki', 1), ('BW/C', 'dram.bandwidth_fraction', 100)):
        both = [(number(f.paper('001', r['name'], metric)), number(f.measured(r, metric)))
                for r in rows]
        both = [(p, scale * v) for p, v in both if v is not None]
        if both:
            held = sum(abs(v - p) <= 0.15 * p for p, v in both)
            rank = rank_correlation([p for p, _ in both], [v for _, v in both])
            out.append('%s within 15 %% for %d of %d, rank correlation %.3f' %
                       (what, held, len(rows), rank))
    return '%s.\n\n' % '; '.join(out) if out else ''


def shape(ipc):
    """Describes the shape of a curve in words."""
    top = max(ipc)
    at = ipc.index(top) + 1
    linear = ipc[-1] / (len(ipc) * ipc[0])
    if ipc[-1] < 0.97 * top:
        return 'rises to %d, then falls to %.0f %% of the peak' % (at, 100 * ipc[-1] / top)
    if linear > 0.8:
        return 'near linear'
    half = next(i + 1 for i, v in enumerate(ipc) if v >= 0.9 * top)
    return 'flattens: 90 %% at %d of %d blocks' % (half, len(ipc))


def curves(f, rows):
    """Paper 000 Fig. 3a, with the curves of bp (near linear) and sv (rises, then falls)."""
    out = []
    for r in rows:
        n = int(f.paper('000', r['name'], 'blocks_per_sm'))
        ipc = [number(f.measured(r, 'inst.ipc_thread', None, '[sm.blocks=%d]' % k))
               for k in range(1, n + 1)]
        if None in ipc:
            continue
        bars = ''.join(BARS[min(int(8 * v / max(ipc)), 7)] for v in ipc)
        says = f.paper('000', r['name'], 'ipc_against_blocks') or '-'
        out.append([r['name'], bars, ' '.join('%.0f' % v for v in ipc), shape(ipc), says])
    if not out:
        return 'Not measured.\n\n'
    return ('Thread instructions per cycle with 1, 2, ... blocks per SM (`--set sm.blocks=N`), '
            'alone, 300,000 cycles. The paper draws two of the curves.\n\n' +
            table(['name', 'curve', 'IPC', 'shape', 'shape in the paper'], out))


def share(f, r, setting=''):
    """Causes of failures in percent: line, miss queue, MSHR (no entry, or the entry is full)."""
    of = [number(f.measured(r, 'fail.' + why, 'window 300000', setting))
          for why in ('line', 'missq', 'mshr', 'merge')]
    if None in of:
        return '-'
    return ' '.join('%.0f' % (100 * x) for x in (of[0], of[1], of[2] + of[3]))


def failures(f, rows):
    """Paper 000 section 4.3: the resource missing most often."""
    return table(['name', 'line, miss queue, MSHR %', 'with longer queues',
                  'and 16 ways'],
                 [[r['name'], share(f, r), share(f, r, '[%s]' % DEEP),
                   share(f, r, '[%s l1.ways=16]' % DEEP)] for r in rows])


def times(f, r, metric, setting):
    """Metric with the setting, divided by the metric without."""
    return number(f.measured(r, metric, None, setting)) / number(f.measured(r, metric))


def contenders(f, rows, half):
    """Counts the pairs whose demands, each measured alone on half of the SMs, exceed the supply."""
    demand = [number(f.measured(r, 'dram.bandwidth_fraction', None, half)) for r in rows]
    said = [number(f.paper('001', r['name'], 'dram.bandwidth_fraction')) / 100 for r in rows]
    n, m = (sum(a + b > 1 for a, b in itertools.combinations(d, 2)) for d in (demand, said))
    return ('Pairs with a joint demand of more than 100 %% of the bandwidth, each program on half '
            'of the SMs: %d of %d; with the figures of Table 1, %d.\n\n' %
            (n, len(rows) * (len(rows) - 1) // 2, m))


def reuse(f, rows):
    """Miss rate and IPC with fewer warps, and with fewer memory instructions in flight."""
    def pairs_of(r, settings):
        out = []
        for setting in settings:
            miss, ipc = (f.measured(r, m, 'window 300000', setting)
                         for m in ('l1.miss_rate', 'inst.ipc_thread'))
            out.append('-' if miss is None else '%.2f %.0f' % (number(miss), number(ipc)))
        return out
    out = []
    for r in rows:
        n = int(f.paper('000', r['name'], 'blocks_per_sm'))
        at = sorted({1, 2, max(n // 4, 1), max(n // 2, 1)})[:4]
        out.append([r['name'],
                    ', '.join('%d: %s' % (k, p) for k, p in zip(
                        at, pairs_of(r, ['[sm.blocks=%d]' % k for k in at]))),
                    *pairs_of(r, ['[limit=%d]' % k for k in LIMITS] + [''])])
    return table(['name', 'blocks per SM: miss rate, IPC', *('%d in flight' % k for k in LIMITS),
                  'no limit'], out)


def model_ipc(bytes_per_cycle, mpki):
    """None: without misses the model says nothing."""
    return bytes_per_cycle / (LINE_BYTES * mpki / 1000) if mpki else None


def model(f):
    """Paper 001 section 3: IPC = BW / (128 MPKI / 1000), BW in bytes per cycle."""
    page = '''## The single-application model of paper 001

Performance is proportional to BW/MPKI: IPC = BW / (128 B x MPKI / 1000), with BW in bytes per SM
cycle, MPKI per thousand thread instructions. Measured BW and MPKI of each program alone on `%s`
give the IPC of the model; the table has the measured IPC beside the model's IPC. The ratio of the
two is the bytes moved over 128 B per miss. In corun a miss reads the line and nothing else is read,
so written bytes alone separate model and measurement, and the model is never below the measured
IPC; in the paper the model is below for four programs with scratchpad use. A stand-in of a program
with writes has a store in 64 accesses, whatever the misses: the writes are the error. The error of
a program is the number of bytes written over bytes read.

''' % f.about('001', 'machine')
    peak = 1000 * float(f.about('001', 'peak_bandwidth')) / float(f.about('001', 'sm_clock'))
    for clones, what in ((True, 'The stand-ins'), (False, 'The programs')):
        rows = [r for r in f.stands if r['paper'] == '001' and is_clone(r) == clones]
        out, errors, pairs = [], {}, []
        for r in rows:
            share, mpki, ipc = (number(f.measured(r, m)) for m in
                                ('dram.bandwidth_fraction', 'l2.mpki', 'inst.ipc_thread'))
            if not share or not mpki or not ipc:
                continue
            said = model_ipc(share * peak, mpki)
            errors[r['name']] = abs(said - ipc) / ipc
            pairs.append((mpki, ipc))
            out.append([r['name'], r['app'], '%.1f' % ipc, '%.1f' % said,
                        '%.1f %%' % (100 * errors[r['name']])])
        if out:
            page += '%s:\n\n' % what
            page += table(['name', 'program', 'IPC', 'IPC of the model', 'error'], out)
            page += mare(f, errors, pairs)
    return page


def mare(f, errors, pairs):
    def mean(names):
        return '%.1f %%' % (100 * sum(errors[n] for n in names) / len(names)) if names else '-'
    pads = [n for n in errors if f.paper('001', n, 'scratchpad')]
    rest = [n for n in errors if n not in pads]
    mx, my = (sum(p[i] for p in pairs) / len(pairs) for i in (0, 1))
    top = sum((x - mx) * (y - my) for x, y in pairs)
    low = (sum((x - mx) ** 2 for x, _ in pairs) * sum((y - my) ** 2 for _, y in pairs)) ** 0.5
    said = {k: f.about('001', 'model.' + k) for k in ('mare', 'mare_without_scratchpad',
                                                      'mare_scratchpad', 'mpki_ipc_correlation')}
    return table(['', 'paper', 'corun'], [
        ['mean absolute relative error, all %d' % len(errors), said['mare'] + ' %', mean(errors)],
        ['without %s' % ' '.join(pads) if pads else 'without programs with scratchpad use',
         said['mare_without_scratchpad'] + ' %', mean(rest)],
        ['programs with scratchpad use alone', said['mare_scratchpad'] + ' %', mean(pads)],
        ['correlation of MPKI and IPC', said['mpki_ipc_correlation'] + ' %',
         '%.1f %%' % (100 * top / low) if low else '-']])


def computed(corun, name, kernel):
    """Registers per thread as `corun ptx` computes."""
    path = os.path.join(FOLDER, name, 'kernel.ptx')
    out = subprocess.run([corun, 'ptx', path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r'^%s +(\d+) ' % re.escape(kernel), out, re.M).group(1))
