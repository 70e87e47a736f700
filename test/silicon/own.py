"""Rows in the form of public.csv from h100.jsonl and h200.jsonl: latency of rings of random lines
and bandwidth of streams, as test/silicon/chase.cu and bandwidth.cu measured; chains and rates of
instructions, shared memory and atomics, as core.cu measured; bulk copies, as hopper.cu measured;
launches and copies, as host.cu and sharing.cu measured."""
import functools
import json
import os
import statistics

HERE = os.path.dirname(os.path.abspath(__file__))
# Operation in core.cu -> operation of the workload rate
CHAINS = {
    'ffma': 'fma', 'fadd': 'fadd', 'fmax': 'fmax', 'ex2': 'rcp', 'imul': 'imul', 'imad': 'imad',
    'lop3': 'lop3', 'shift': 'shift', 'popc': 'popc', 'shfl': 'shuffle', 'hfma2': 'hfma2',
    'dadd': 'dadd', 'dfma': 'dfma',
}
PRODUCTS = {
    'm16n8k16.f32.f16.f16.f32': 'mma_f16_k16', 'm16n8k8.f32.f16.f16.f32': 'mma_f16_k8',
    'm16n8k16.f16.f16.f16.f16': 'mma_f16_f16_k16', 'm16n8k16.f32.bf16.bf16.f32': 'mma_bf16_k16',
    'm16n8k8.f32.tf32.tf32.f32': 'mma_tf32_k8', 'm16n8k4.f32.tf32.tf32.f32': 'mma_tf32_k4',
    'm16n8k32.s32.s8.s8.s32': 'mma_s8_k32', 'm16n8k16.s32.s8.s8.s32': 'mma_s8_k16',
    'm8n8k4.f64.f64.f64.f64': 'mma_f64_k4',
}
# Rows of the H100 that values of gpus/h100.yaml reproduce; all others are for check.
FIT = {
    ('chain latency', 'rcp'), ('chain latency', 'popc'), ('chain latency', 'shuffle'),
    ('chain latency', 'hfma2'), ('rate', 'shuffle'), ('rate', 'fmax'),
    ('chain latency', 'mma_f16_k16'), ('chain latency', 'mma_f16_k8'), ('rate', 'mma_f16_k16'),
    ('rate', 'mma_f16_k8'),
    ('chain latency', 'mma_s8_k32'), ('rate', 'mma_s8_k32'), ('chain latency', 'mma_f64_k4'),
    ('rate', 'mma_f64_k4'), ('shared latency', ''), ('launch latency', ''), ('launch gap', ''),
    ('graph node', ''), ('copy', 'pinned to device, 64 MB'), ('copy', 'pageable to device, 16 MB'),
    ('copy', 'device to pageable, 16 MB'), ('copy', 'device to device, 16 MB'),
    ('copy', 'device to device, 64 MB'),
    ('ring latency', '8 MB'), ('ring latency', '40 MB'), ('ring latency', '56 MB'),
    ('ring latency', '64 MB'), ('ring latency', '256 MB'), ('stream bandwidth', 'copy 8 MB, 1 SM'),
    ('stream bandwidth', 'write 16 MB'), ('stream bandwidth', 'copy 1024 MB'),
    ('bulk latency', '16 bytes'), ('atomic latency', 'global, one near'),
    ('atomic latency', 'global, line near'),
}
# Rows of the H200 that values of gpus/h200.yaml reproduce.
FIT_H200 = {('launch latency', ''), ('launch gap', ''), ('graph node', ''),
            ('copy', 'pageable to device, 16 MB'), ('copy', 'device to pageable, 16 MB'),
            ('copy', 'device to device, 16 MB'), ('copy', 'device to device, 64 MB'),
            ('ring latency', '256 MB')}
RINGS = [8, 24, 28, 32, 40, 48, 56, 64, 96, 128, 256]                            # MB
# (kind, MB of all vectors) by blocks of 512 threads, four on each SM
STREAMS = [('read', 18), ('read', 36), ('read', 52), ('read', 64), ('copy', 36), ('copy', 64),
           ('write', 16), ('scale', 32), ('read', 1024), ('copy', 1024), ('scale', 1024),
           ('triad', 1024)]
STREAM_SMS = [1, 16, 64, 132]                     # blocks of 1,024 threads that read and copy 8 MB
# The half of L2 with the word of the atomics: the SM of the H100 is 207 cycles nearer, the distance
# of the halves.
HALF = {'h100': 'near', 'h200': 'far'}
MHZ = 1980                                        # of the SMs
SIZES = {16 << 10: '16 KB', 1 << 20: '1 MB', 16 << 20: '16 MB', 64 << 20: '64 MB'}
PLACES = {'one word': 'one', 'word per warp': 'warp', 'word per lane': 'lane',
          'line per lane': 'line'}


def host_figures(steps):
    """(quantity, at, value, unit) of launches and copies. The host measured copies within the
    device, as kernels, until the end of a wait: without the host's part of an empty kernel."""
    graph = {}
    host_us = (min(min(r['us']) for r in steps if r['row'] == 'host' and
                   r['what'] == 'empty kernel and synchronize') -
               min(r['released_to_start_us'] for r in steps if r['row'] == 'launch_gaps'))
    for r in steps:
        if r['row'] == 'launch_gaps' and r['a']['name'] == 'empty' and r['a']['blocks'] == 1:
            yield 'launch latency', '', r['released_to_start_us'], 'us'
            yield 'launch gap', '', statistics.mean(r['gap_us']), 'us'
        if r['row'] == 'host' and r['what'].startswith('graph of '):
            graph[int(r['what'].split()[2])] = min(r['us'])
        if r['row'] == 'copy' and r['bytes'] in SIZES:
            us = min(r['us']) - (host_us if r['kind'] == 'device to device' else 0)
            yield 'copy', '%s, %s' % (r['kind'], SIZES[r['bytes']]), us, 'us'
        if r['row'] == 'memset':
            yield 'fill', 'fill, 256 MB', statistics.median(r['us']), 'us'
    yield 'graph node', '', (graph[100] - graph[10]) / 90, 'us'


def memory_figure(r):
    """(quantity, at, value, unit) of a measured row of chase.cu or bandwidth.cu, or None."""
    kind, mb = r['row'], r.get('bytes', 0) / (1 << 20)
    if kind == 'chase' and r['how'] == 'cg' and mb in RINGS:
        return 'ring latency', '%d MB' % mb, statistics.median(r['cycles']), 'cycles'
    if kind not in ('stream', 'stream_sms'):
        return None
    at, wanted = '%s %d MB' % (r['kind'], mb), (r['kind'], mb) in STREAMS
    if kind == 'stream_sms':
        wanted = mb == 8 and r['kind'] in ('read', 'copy') and r['blocks'] in STREAM_SMS
        at += ', %d SM%s' % (r['blocks'], 's'[:r['blocks'] > 1])
    gbs = r['moved'] / statistics.median(r['us']) / 1000
    return ('stream bandwidth', at, gbs, 'GB/s') if wanted else None


def bulk_figures(steps):
    """(quantity, at, value, unit) of cp.async.bulk: of single copies by one block in the middle of
    its loop, and of 16 KB by each of 132 blocks, eight in flight. The time of 132 blocks is without
    the time outside the kernel, which one block shows."""
    found = {(r['bytes'] >> 20, r['blocks'], r['piece'], r['ahead']): r for r in steps
             if r['row'] == 'bulk'}
    for piece in (16, 16384):
        cycles = statistics.median(found[16, 1, piece, 1]['cycles_per_piece'])
        yield 'bulk latency', '%d bytes' % piece, cycles, 'cycles'
    for mb in (16, 1024):
        one, every = (found[mb, blocks, 16384, 8] for blocks in (1, 132))
        inside = statistics.median(one['cycles_per_piece']) * one['moved'] / 16384 / MHZ
        us = statistics.median(every['us']) - (statistics.median(one['us']) - inside)
        yield 'bulk bandwidth', '%d MB' % mb, every['moved'] / us / 1000, 'GB/s'


def figure_of(r, machine):
    """(quantity, at, value, unit) of a measured row of core.cu, or None."""
    kind = r['row']
    if kind == 'shared_chase':
        return 'shared latency', '', statistics.median(r['cycles']), 'cycles'
    if kind in ('chain', 'mma'):
        op = (CHAINS if kind == 'chain' else PRODUCTS).get(r['op'])
        cycles, full = statistics.median(r['cycles_per_round']), 32 if kind == 'chain' else 16
        if op and (r['warps'], r['chains']) == (1, 1):
            return 'chain latency', op, cycles, 'cycles'
        if op and (r['warps'], r['chains']) == (full, 4):
            return 'rate', op, 4 * full / cycles, 'instructions/cycle/SM'
    if kind == 'atomic' and r['op'] == 'add.u32' and r['blocks'] == 1:
        at = '%s, %s' % (r['space'], PLACES[r['where']])
        cycles = statistics.median(r['cycles_per_round'])
        if r['space'] == 'global':
            at += ' ' + HALF[machine]
        if r['threads'] == 32:
            return 'atomic latency', at, cycles, 'cycles'
        return 'atomic rate', at, r['threads'] / cycles, 'lanes/cycle/SM'
    return None


@functools.lru_cache(None)
def rows():
    out = []
    for machine in ('h100', 'h200'):
        with open(os.path.join(HERE, machine + '.jsonl'), encoding='utf-8') as f:
            steps = [json.loads(line) for line in f]
        found = [figure_of(r, machine) for r in steps if r['step'] == 'core']
        found += [memory_figure(r) for r in steps if r['step'] in ('chase', 'bandwidth')]
        found += [*host_figures(steps), *bulk_figures(steps)]
        for quantity, at, value, unit in filter(None, found):
            use = 'fit' if (quantity, at) in (FIT if machine == 'h100' else FIT_H200) else 'check'
            out.append({'machine': machine, 'kind': 'measured', 'quantity': quantity, 'at': at,
                        'value': '%.4g' % value, 'unit': unit, 'use': use,
                        'source': 'test/silicon/%s.jsonl' % machine})
    return out
