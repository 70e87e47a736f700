"""Rows in the form of public.csv from h100.jsonl and h200.jsonl: chains and rates of instructions,
shared memory and atomics, as test/silicon/core.cu measured."""
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
    ('rate', 'mma_f64_k4'), ('shared latency', ''),
}
PLACES = {'one word': 'one', 'word per warp': 'warp', 'word per lane': 'lane',
          'line per lane': 'line'}


def figure_of(r):
    """(quantity, at, value, unit) of a measured row, or None."""
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
        for r in steps:
            found = figure_of(r) if r['step'] == 'core' else None
            if not found:
                continue
            quantity, at, value, unit = found
            use = 'fit' if machine == 'h100' and (quantity, at) in FIT else 'check'
            out.append({'machine': machine, 'kind': 'measured', 'quantity': quantity, 'at': at,
                        'value': '%.4g' % value, 'unit': unit, 'use': use,
                        'source': 'test/silicon/%s.jsonl' % machine})
    return out
