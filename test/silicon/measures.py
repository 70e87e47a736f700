"""Microbenchmarks behind the rows of public.csv and own.py: for a machine and a row, the program to
run (chase, bandwidth or rate of workloads/, bulk copies of test/cli/bulk.ptx, or reads of
regions.ptx) and the quantity to compute from the cycles of its last launches."""
import csv
import functools
import os
import re
import subprocess
import tempfile

import own

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = ['a100', 'h100', 'h200', 'rtx4090', 'rtx5090']
MB = 1 << 20
HOPS = 1024
ROUNDS, STEPS, MMA_STEPS = 32, 40, 16   # of the workload rate
FMAS = 2048                             # of m16n8k16
SMALL, LARGE = MB, 1000 * MB    # chases that L2 holds, and that no cache holds
LARGEST_WARM = 128 * MB         # beyond, the lines of a chase are cold
# Clock in MHz of a product with the chip of the machine, but clocks of its own: latencies beyond L1
# are compared in ns. A product without a clock here is not compared.
CLOCKS = {('h100', 'PCIe'): 1755, ('h100', 'GH200'): 1980, ('rtx4090', 'L40'): 2490,
          ('rtx5090', 'PRO 6000'): 2626}
# Options of a product with a larger L2 than the machine: an L40 has all 48 slices of AD102, 96 MB
# (NVIDIA, L40 data sheet), a GH200 with 96 GB has 60 MB. Chases through L2 are simulated with the
# options.
PRODUCT_L2 = {('rtx4090', 'L40'): ['--set', 'map.slices_per_channel=4'],
              ('h100', 'GH200'): ['--set', 'map.channels=96']}
# (quantity, at) of public.csv -> the same quantity in own.py.
SAME = {
    ('L2 copy bandwidth', '1 SM'): ('stream bandwidth', 'copy 8 MB, 1 SM'),
    ('L2 copy bandwidth', '16 SMs'): ('stream bandwidth', 'copy 8 MB, 16 SMs'),
    ('L2 copy bandwidth', '64 SMs'): ('stream bandwidth', 'copy 8 MB, 64 SMs'),
    ('L2 copy bandwidth', '132 SMs'): ('stream bandwidth', 'copy 8 MB, 132 SMs'),
    ('L2 copy bandwidth', '528 blocks'): ('stream bandwidth', 'copy 36 MB'),
    ('DRAM copy bandwidth', '528 blocks'): ('stream bandwidth', 'copy 1024 MB'),
    ('DRAM read bandwidth', ''): ('stream bandwidth', 'read 1024 MB'),
}
READ, WRITE, COPY, SCALE, TRIAD = range(5)
MOVED = {READ: 1, WRITE: 1, COPY: 2, SCALE: 2, TRIAD: 3}  # vectors
BULK = """app: bulk
module: %s
buffers: {from: {type: u8, count: %d, init: zero}, out: {type: u32, count: %d}}
launches: [{kernel: bulk, grid: %d, block: 1, args: [$from, %d, %d, %d, %d, $out]}]
"""
REGION = 1 << 19                        # bytes, of regions.ptx
REGIONS = """app: regions
module: %s
buffers: {from: {type: u8, count: %d, init: zero}, out: {type: u8, count: 8}}
launches: [{kernel: regions, grid: %d, block: 1024, args: [$from, %d, $out]}]
"""
KINDS = {'read': READ, 'write': WRITE, 'copy': COPY, 'scale': SCALE, 'triad': TRIAD}


def public():
    """Published figures, and rows measured by test/silicon."""
    with open(os.path.join(HERE, 'public.csv'), encoding='utf-8') as f:
        return list(csv.DictReader(f)) + own.rows()


def figure(row):
    """Lowest and highest value of a row; a range has a dash."""
    low, _, high = row['value'].partition('-')
    return float(low), float(high or low)


def is_own(row):
    return row['source'].startswith('test/silicon/')


def quantity(row):
    """The quantity, and the product if not the machine itself."""
    name, _, product = row['quantity'].partition(' of ')
    return name, product


class Machine:
    def __init__(self, corun, name):
        self.corun, self.name = corun, name
        self.text = subprocess.check_output([corun, 'show', 'gpu', name], text=True)
        self.value = dict(re.findall(r'^(\w+\.\w+) +(\S+)', self.text, re.M))
        self.mhz = float(self.value['clock.sm_mhz'])
        self.sms = int(self.value['sm.count'])
        self.slices = self.number('map.channels') * self.number('map.slices_per_channel')
        self.l2_bytes = 128 * self.slices * self.number('l2.sets') * self.number('l2.ways')

    def number(self, key):
        return int(self.value[key])

    def guesses(self):
        return len(re.findall(r'^\w+\.\w+ .*guess', self.text, re.M))

    def inherited(self):
        """Number of values taken over from GPGPU-Sim's GTX 480, for want of a newer source."""
        return len(re.findall(r'^\w+\.\w+ .*  gpgpusim3 ', self.text, re.M))

    def launches(self, app, *options):
        """Cycles of each launch of the program alone."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'launches.csv')
            subprocess.run([self.corun, 'run', app, '--gpu', self.name, '--until', 'end', '--alone',
                            'skip', '--quiet', '--launches', path, *options], check=True)
            with open(path, encoding='utf-8') as f:
                return [int(r['end_cycle']) - int(r['start_cycle']) for r in csv.DictReader(f)]

    @functools.lru_cache(None)
    def host(self):
        """Times of launches and copies, as a program sees them: what -> us."""
        program = os.path.join(os.path.dirname(self.corun), 'test/cuda/timing')
        text = subprocess.check_output(
            [self.corun, 'cuda', '--gpu', self.name, '--quiet', program],
            text=True)
        return {k: float(v) for k, v in re.findall(r'^(.+) ([\d.]+)$', text, re.M)}

    def chase(self, size, own=0):
        """SM cycles of a hop, of the launches with and without hops."""
        cycles = self.launches('chase:bytes=%d,warm=0,own=%d,hops=%d' % (size, own, HOPS))
        return (cycles[-1] - cycles[-2]) / HOPS

    def chase_warm(self, size, *options, hops=HOPS, more=''):
        """SM cycles of a hop after the block has read the whole buffer: cycles of 2 * hops hops
        less the cycles of hops hops, of runs that are equal up to then."""
        app = 'chase:bytes=%d,warm=0,own=%d,hops=%%d%s' % (size, size, more)
        one, two = (self.launches(app % (n * hops), *options)[-1] for n in (1, 2))
        return (two - one) / hops

    def ring(self, size):
        """As chase_warm, of a ring through lines of the whole buffer, with the smallest L1."""
        return self.chase_warm(size, hops=4 * HOPS, more=',part=1,carveout=100')

    def far_hit(self):
        """SM cycles of a hit in the far half: without copies every second hop is one."""
        return 2 * self.chase_warm(SMALL, '--set', 'l2.near_copy=off') - self.chase_warm(SMALL)

    def moved(self, kind, size, blocks, threads, passes, ordered=False):
        """Bytes read and written by the last launch, and its SM cycles. The size of a vector is
        rounded to whole rounds of all threads, unless `ordered`."""
        chunk = 16 if ordered else blocks * threads * 64
        size = max(size // chunk, 1) * chunk
        app = 'bandwidth:kind=%d,bytes=%d,blocks=%d,threads=%d,passes=%d,ordered=%d'
        cycles = self.launches(app % (kind, size, blocks, threads, passes, ordered))
        return size * passes * MOVED[kind], cycles[-1]

    def bandwidth(self, kind, size, blocks, threads=512, passes=1):
        """GB/s of the last launch, reads and writes together."""
        moved, cycles = self.moved(kind, size, blocks, threads, passes)
        return moved * self.mhz / cycles / 1000

    def stream(self, kind, size, blocks, threads, ordered=False):
        """GB/s of the third and fourth pass over vectors of about `size` bytes in all; `ordered`:
        of exactly so many, by the kernels whose loads wait as in test/silicon/bandwidth.cu."""
        size = size // MOVED[kind]
        if not ordered:
            size += blocks * threads * 32  # moved rounds down
        times = [self.moved(kind, size, blocks, threads, n, ordered) for n in (2, 4)]
        (two, short), (four, long) = times
        return (four - two) * self.mhz / (long - short) / 1000

    def bandwidth_dram(self, kind, size, blocks, threads=512, ordered=False):
        """GB/s of what a run with vectors twice as long moves beyond a run with vectors of `size`
        bytes. Both start and end with L2 full of lines to write back."""
        once, short = self.moved(kind, size, blocks, threads, 1, ordered)
        twice, long = self.moved(kind, 2 * size, blocks, threads, 1, ordered)
        return (twice - once) * self.mhz / (long - short) / 1000

    def probe_copy(self, size, blocks, passes=3):
        """GB/s of a warm copy of `size` bytes by the kernel of the pairs in shared.csv."""
        app = 'probe:kind=1,bytes=%d,blocks=%d,threads=1024,reps=%d'
        short, long = (self.launches(app % (size, blocks, n))[-1] for n in (passes, 2 * passes))
        return 2 * size * passes * self.mhz / (long - short) / 1000

    def bulk(self, blocks, piece, ahead, each, passes):
        """SM cycles of blocks that read `each` pieces by bulk copies `passes` times."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'bulk.yaml')
            with open(path, 'w', encoding='utf-8') as f:
                f.write(BULK % (os.path.join(HERE, '../cli/bulk.ptx'), blocks * piece * each,
                                blocks, blocks, piece, ahead, each, passes))
            return self.launches(path)[-1]

    def bulk_latency(self, piece):
        """Cycles of a copy from L2 by a block that waits for each."""
        three, seven = (self.bulk(1, piece, 1, 16, n) for n in (3, 7))
        return (seven - three) / (4 * 16)

    def bulk_bandwidth(self, size):
        """GB/s of copies of 16 KB by all SMs, eight in flight on each: of four passes over `size`
        bytes in L2, or of DRAM as bandwidth_dram."""
        each = size // (self.sms * 16384)
        sizes = ((each, 4), (each, 8)) if size < self.l2_bytes else ((32, 1), (64, 1))
        (few, _), (many, _) = sizes
        moved = (many * sizes[1][1] - few * sizes[0][1]) * self.sms * 16384
        short, long = (self.bulk(self.sms, 16384, 8, *n) for n in sizes)
        return moved * self.mhz / (long - short) / 1000

    def regions(self, size):
        """GB/s of blocks, two on each SM, that read regions in turn, as gpu-l2-cache of
        RRZE-HPC/gpu-benches does: of eight blocks one after another, less the first four."""
        n, cycles = size // REGION, []
        for waves in (4, 8):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'regions.yaml')
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(REGIONS % (os.path.join(HERE, 'regions.ptx'), n * REGION,
                                       2 * self.sms * waves, n))
                cycles.append(self.launches(path)[-1])
        return 4 * 2 * self.sms * REGION * self.mhz / (cycles[1] - cycles[0]) / 1000

    def rate(self, op, chains=1, warps=1, more=''):
        """Cycles of a step of all chains of all warps, on one SM. With one half of L2 the first
        loads of all launches take the same time."""
        app = 'rate:op=%s,chains=%d,warps=%d,blocks=1,rounds=%d%s' % (op, chains, warps, ROUNDS,
                                                                      more)
        cycles = self.launches(app, '--set', 'map.halves=1')
        steps = (MMA_STEPS if op.startswith('mma') else STEPS) // chains
        return (cycles[-1] - cycles[-2]) / (ROUNDS * steps)

    def atomic(self, where, far):
        """Cycles of an atomic of a warp on words of global memory with their home in the near half
        of L2, or in the far half: with all SMs but one in the first half, or a single one, the SM
        of the last launch is near or far."""
        times = []
        for first in (1, self.sms - 1) if self.number('map.halves') == 2 else [0]:
            app = 'rate:op=atomic_global,chains=1,warps=1,blocks=1,rounds=%%d,where=%s' % where
            one, two = (self.launches(app % (n * ROUNDS), '--set', 'sm.first_half=%d' % first)[-1]
                        for n in (1, 2))
            times.append((two - one) / (2 * ROUNDS * STEPS))
        return max(times) if far else min(times)


def megabytes(row):
    found = re.search(r'([\d.]+) MB', row['at'])
    return int(float(found.group(1)) * MB) if found else 0


def blocks_at(at):
    """Blocks and threads of a block at '64 SMs' or '528 blocks'."""
    return int(at.split()[0]), 512 if 'blocks' in at else 1024


def execution(m, row):
    """As measure, for rates of an SM."""
    name, at = row['quantity'], row['at']
    if name == 'shared latency':
        return 'shared', lambda: m.rate('shared_4')
    if name == 'FP64 chain latency':
        return 'chain dfma', lambda: m.rate('dfma')
    if name == 'chain latency':
        return 'chain ' + at, lambda: m.rate(at)
    if name == 'rate':
        warps = 16 if at.startswith('mma') else 32
        return 'rate ' + at, lambda: 4 * warps / m.rate(at, 4, warps)
    if name == 'tensor rate, mma.sync':
        return name, lambda: FMAS * 64 / m.rate('mma_f16_k16', 4, 16)
    if name in ('atomic latency', 'atomic rate'):
        space, where = at.split(', ')
        if space == 'global':
            where, half = where.split(' ')
            return '%s %s' % (name, at), lambda: m.atomic(where, half == 'far')
        op, where = 'atomic_' + space, ',where=' + where
        if name == 'atomic latency':
            return '%s %s' % (name, at), lambda: m.rate(op, 1, 1, where)
        return '%s %s' % (name, at), lambda: 1024 / m.rate(op, 1, 32, where)
    return None


def measure(m, row):
    """Returns (label, function) that simulates the row in the row's unit; rows with equal labels
    share a result. None: nothing simulates the row yet."""
    name, product = quantity(row)
    if row['kind'] != 'measured':
        return None
    if row['unit'] == 'us':
        label = row['at'] or name
        return label, lambda: m.host()[label]
    found = execution(m, row)
    if found or row['unit'] == 'FMA/cycle/SM':
        return found
    size, wide = megabytes(row), 2 * m.sms
    if name == 'L1 hit latency':
        return 'L1 hit', lambda: m.chase(16384, 16384)
    if name == 'L2 near hit latency':
        return 'L2 hit', lambda: m.chase_warm(SMALL)
    if name == 'L2 far hit latency':
        return 'L2 far hit', m.far_hit
    if name == 'DRAM idle latency' and not row['at'] or name == 'chase latency' and not size:
        return 'DRAM', lambda: m.chase(LARGE)
    if name == 'stream bandwidth':
        kind, *sms = KINDS[row['at'].split()[0]], *re.findall(r'(\d+) SM', row['at'])
        label = 'stream ' + row['at']
        if size >= 1 << 30:
            vector = int(1.6 * m.l2_bytes) // MOVED[kind]
            return label, lambda: m.bandwidth_dram(kind, vector, 4 * m.sms, 512, True)
        blocks, threads = (int(sms[0]), 1024) if sms else (4 * m.sms, 512)
        return label, lambda: m.stream(kind, size, blocks, threads, True)
    if name == 'bulk latency':
        return 'bulk ' + row['at'], lambda: m.bulk_latency(int(row['at'].split()[0]))
    if name == 'bulk bandwidth':
        return 'bulk ' + row['at'], lambda: m.bulk_bandwidth(size)
    if name == 'ring latency':
        return 'ring %s' % row['at'], lambda: m.ring(size)
    if name == 'chase latency':
        if size > LARGEST_WARM:
            return 'chase %s' % row['at'], lambda: m.chase(size)
        own = PRODUCT_L2.get((m.name, product), [])
        label = 'chase %s%s' % (row['at'], ', ' + product if own else '')
        return label, lambda: m.chase_warm(size, *own, hops=4 * HOPS)
    if product and product != 'PCIe':
        return None
    if name in ('L2 read bandwidth', 'L2 bytes per slice'):
        size = min(size or 16 * MB, 16 * MB)
        if name == 'L2 read bandwidth':
            return 'L2 read, %d MB' % (size // MB), lambda: m.regions(size)
        return 'L2 read per slice', lambda: m.regions(size) * 1000 / m.mhz / m.slices
    if product:
        return None
    if name == 'copy bandwidth':  # of arrays of `size` bytes each
        blocks = int(re.search(r'(\d+) blocks', row['at']).group(1))
        return 'copy %s' % row['at'], lambda: m.probe_copy(size, blocks)
    if name == 'read bandwidth':
        return 'read %s' % row['at'], lambda: m.regions(size)
    dram = int(1.6 * m.l2_bytes)
    if name == 'DRAM read bandwidth':
        return 'DRAM read', lambda: m.bandwidth_dram(READ, dram, wide)
    kinds = {'DRAM copy bandwidth': COPY, 'DRAM scale bandwidth': SCALE,
             'DRAM triad bandwidth': TRIAD}
    if name in kinds and not row['at']:
        return name, lambda: m.bandwidth_dram(kinds[name], dram // 2, wide)
    if name == 'L2 copy bandwidth':
        return '%s, %s' % (name, row['at']), lambda: m.bandwidth(COPY, 4 * MB,
                                                                 *blocks_at(row['at']), 2)
    if name == 'DRAM copy bandwidth':
        return '%s, %s' % (name, row['at']), lambda: m.bandwidth_dram(COPY, dram // 2,
                                                                      *blocks_at(row['at']))
    return None


def sources_range(m, row):
    """Lowest and highest value of all sources of the row's quantity, in the row's unit. A row of
    own.py is a range by itself."""
    if is_own(row):
        return figure(row)
    name, at = quantity(row)[0], row['at']
    keys = (name, at), SAME.get((name, at))
    same = [r for r in public() if r['machine'] == row['machine'] and r['kind'] == row['kind'] and
            (quantity(r)[0], r['at']) in keys and comparable(m, r)]
    ends = [v * comparable(m, r) / comparable(m, row) for r in same for v in figure(r)]
    return min(ends), max(ends)


def comparable(m, row):
    """Factor from the row's value to the machine's: 1, or by the clocks; None: not comparable."""
    name, product = quantity(row)
    if row['unit'] == 'ns':
        return m.mhz / 1000
    if not product or name == 'L1 hit latency':
        return 1
    clock = CLOCKS.get((m.name, product))
    return clock and m.mhz / clock
