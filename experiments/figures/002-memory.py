"""Influence of two assumptions about the memory on the memory-bound pairs of paper 002."""
import lib

TITLE = 'Paper 002: effect of the write-miss rule and the DRAM queue'
SWEEPS = ['002-memory']
ALONE = 'srad'


def section():
    machines, alone = {}, {}
    for r in lib.runs(SWEEPS[0]):
        options = r.row['options']
        machines.setdefault(options, []).append(r)
        if ALONE in r.names:
            alone[options] = r.app('alone_ipc_thread')[r.names.index(ALONE)]
    rows = [['`%s`' % options, lib.show(lib.gmean(r.antt for r in runs), 2),
             lib.show(max(r.antt for r in runs), 2),
             lib.show(lib.gmean(r.weighted_speedup for r in runs), 3),
             lib.show(alone[options], 0)] for options, runs in machines.items()]
    first = next(iter(machines.values()))
    said = ('All {} pairs of eight programs bound by memory, under `smk-even` over {:,} cycles; '
            'geometric means. The first row is the shipped machine: write misses as in GPGPU-Sim '
            '3.2.2, the queue as in the GTX480 file; the paper states neither.\n\n').format(
                len(first), first[0].cycles)
    head = ['options', 'ANTT', 'worst ANTT', 'STP', 'IPC of %s alone' % ALONE]
    return said + lib.table(head, rows), lib.Verdicts()
