"""Checks results of --energy: energy.py CHECK FILE...; a function per check."""
import csv
import json
import sys
from fractions import Fraction

PARTS = ('front_end registers int_ops fp_ops fp64_ops sfu tensor texture shared l1 l2 xbar dram '
         'sms constant').split()
FIGURES = ('energy_mj', 'power_w', 'energy_delay_ujs', 'energy_per_instruction_pj',
           'energy_delay_per_work_w')


def load(name):
    with open(name) as f:
        return json.load(f)


def option(r, key):
    return Fraction(str(r['config'][key]['value']))


def price(r, key):
    return Fraction(str(r['energy']['values']['energy.' + key]['value']))


def mixed(energy):
    """The energies without the suffix _pj, those of 0 left out."""
    return {k[:-3]: v for k, v in energy.items() if v}


def scale(name):
    """1024 threads of 32 warps; 1000 pass the branch, 24 take it: 19 instructions, counted by
    hand."""
    r = load(name)
    got, stats = mixed(r['apps'][0]['energy']), r['apps'][0]['totals']
    reads = 1024 * (3 + 2) + 1000 * (1 + 1 + 1 + 2 + 2 + 1 + 2 + 2)
    writes = 1024 * (4 + 3 + 1) + 1000 * (1 + 1 + 1 + 1 + 1 + 1 + 1)
    want = {'front_end': 19 * 32, 'registers': reads + writes,
            'int_ops': 1024 * 5 + 24 + 1000 * 5 + 1024, 'fp_ops': 1000,
            'l1': 64 * 4, 'l2': 64 * 4}
    want['xbar'] = (stats['xbar.to_l2_flits'] + stats['xbar.to_sm_flits']) * 32 // 40
    want['dram'] = stats['dram.reads'] + stats['dram.writes'] + stats['dram.activates']
    want['total'] = sum(want.values())
    assert got == want, (got, want)
    exact(r)


def some(name):
    got = mixed(load(name)['apps'][0]['energy'])
    del got['total']
    writes = 1024 * (4 + 3 + 1) + 1000 * 7
    assert got == {'registers': writes, 'int_ops': 1024 + 1000, 'l1': 32 * 4}, got


def values(name):
    """The machine's own values, with the counts of `scale`."""
    r = load(name)
    got = r['apps'][0]['energy']
    want = {'front_end': [('instruction', 608)],
            'registers': [('register_read', 17120), ('register_write', 15192)],
            'int_ops': [('int_add', 9144), ('int_mul', 2024)], 'fp_ops': [('fp_mul', 1000)],
            'l1': [('l1_read_miss', 128), ('l1_write_miss', 128)],
            'l2': [('l2_read', 128), ('l2_write', 128)]}
    for part, events in want.items():
        sums = sum(price(r, key) * n // 1 for key, n in events)
        assert got[part + '_pj'] == sums, (part, got, sums)
    assert price(r, 'constant') > 0
    exact(r)


def classes(name):
    """A warp with as many instructions of each class; ret and the bitwise and count as int_add."""
    got = mixed(load(name)['apps'][0]['energy'])
    del got['total']
    want = {'int_ops': 32 * 1003003, 'fp_ops': 32 * 1002001, 'fp64_ops': 32 * 1001002,
            'sfu': 32 * 2}
    assert got == want, (got, want)


def exact(r):
    e = r['energy']
    owners = [a['energy'] for a in r['apps']] + [e['unattributed']]
    for owner in owners + [e['gpu']]:
        assert sorted(owner) == sorted(p + '_pj' for p in PARTS + ['total'])
        assert owner['total_pj'] == sum(owner[p + '_pj'] for p in PARTS)
    for key, value in e['gpu'].items():
        assert value == sum(o[key] for o in owners), key


def counts(name):
    """With 1 pJ for each event, dynamic energies are counters."""
    r = load(name)
    exact(r)
    seen = set()
    for stats, energy in [(a['totals'], a['energy']) for a in r['apps']] + [
            (r['unowned'], r['energy']['unattributed'])]:
        flits = stats['xbar.to_l2_flits'] + stats['xbar.to_sm_flits']
        commands = stats['dram.reads'] * option(r, 'dram.atom_bytes') // 32
        commands += stats['dram.writes'] * option(r, 'dram.atom_bytes') // 32
        want = {
            'front_end': stats['inst.warp'],
            'shared': stats['ldst.shared'] + stats['ldst.shared_conflict_cycles'],
            'l1': stats['l1.accesses'] * option(r, 'l1.sector_bytes') / 32,
            'l2': stats['l2.accesses'] * option(r, 'l2.sector_bytes') / 32,
            'xbar': flits * option(r, 'xbar.flit_bytes') // 40,
            'dram': commands + stats['dram.activates'], 'sms': 0, 'constant': 0}
        for part, n in want.items():
            assert energy[part + '_pj'] == n, (part, energy, n)
            if n:
                seen.add(part)
        lanes = sum(energy[p + '_pj'] for p in ('int_ops', 'fp_ops', 'fp64_ops', 'sfu'))
        assert lanes <= stats['inst.thread']
    assert seen == {'front_end', 'shared', 'l1', 'l2', 'xbar', 'dram'}, seen


def whole(name, table):
    """Static and constant energy, and the figures of the run, from their rules."""
    r = load(name)
    exact(r)
    e, mhz = r['energy'], option(r, 'clock.sm_mhz')
    cycles, sms = r['cycles'], option(r, 'sm.count')
    resident = [a['totals']['blocks.resident_cycles'] for a in r['apps']]
    most = max(a['totals']['blocks.active_cycles'] for a in r['apps'])
    total = sum(a['totals']['blocks.active_cycles'] for a in r['apps'])
    assert most <= e['busy_cycles'] <= min(total, sms * cycles)
    constant = price(r, 'constant') * cycles * 1000 // mhz
    left, given = constant, 0
    for app, blocks in zip(r['apps'], resident):
        own = e['busy_cycles'] * blocks // sum(resident)
        stats = app['totals']
        further = own * (stats['inst.thread'] - stats['inst.warp']) // stats['inst.warp']
        static = price(r, 'sm_active') * own * 1000 // mhz
        static += price(r, 'sm_lane') * further * 1000 // mhz
        assert app['energy']['sms_pj'] == static
        share = constant * own // (sms * cycles)
        assert app['energy']['constant_pj'] == share > 0
        left, given = left - share, given + own
    assert e['unattributed']['constant_pj'] == left
    assert e['unattributed']['sms_pj'] == price(r, 'sm_idle') * (sms * cycles - given) * 1000 // mhz
    assert e['gpu']['constant_pj'] == constant
    figures(r)
    with open(table, newline='') as f:
        rows = {(x['owner'], x['key']): x['value'] for x in csv.DictReader(f)}
    for owner, prefix, energy in [('gpu', '', e['gpu']),
                                  ('gpu', 'unattributed.', e['unattributed'])] + [
                                      (a['name'], '', a['energy']) for a in r['apps']]:
        for key, value in energy.items():
            assert rows[owner, 'energy.%s%s' % (prefix, key)] == str(value), key
    for key in FIGURES[:4]:
        assert float(rows['gpu', 'energy.' + key]) == e[key]
    assert rows['gpu', 'energy.energy_delay_per_work_w'] == ''


def figures(r):
    e = r['energy']
    seconds = r['cycles'] / option(r, 'clock.sm_mhz') / 10**6
    joules = Fraction(e['gpu']['total_pj'], 10**12)
    work = r['metrics']['weighted_speedup']
    threads = sum(a['totals']['inst.thread'] - a['totals']['preempt.lost_thread_instructions']
                  for a in r['apps'])
    want = [joules * 1000, joules / seconds, joules * seconds * 10**6,
            Fraction(e['gpu']['total_pj'], threads),
            None if work is None else joules / seconds / Fraction(work) ** 2]
    for key, value in zip(FIGURES, want):
        assert (e[key] is None) == (value is None), key
        assert value is None or abs(e[key] - value) <= 1e-12 * value, (key, e[key], float(value))


def single(name):
    r = load(name)
    exact(r)
    assert r['energy']['busy_cycles'] == r['apps'][0]['totals']['blocks.active_cycles'] > 0


def off(on, plain):
    r, bare = load(on), load(plain)
    del r['energy'], r['host'], bare['host']
    for a in r['apps']:
        del a['energy']
    assert r == bare


def table_rows(name):
    with open(name) as f:
        return [line.split() for line in f]


def table(name, text):
    r = load(name)
    for row in table_rows(text):
        if row[:1] == ['total']:
            break
    owners = [a['energy'] for a in r['apps']] + [r['energy']['unattributed'], r['energy']['gpu']]
    assert row[1:] == ['%.4f' % (o['total_pj'] / 1e9) for o in owners], row


def compared(name, text):
    rows = table_rows(text)
    start = next(k for k, row in enumerate(rows) if row[:2] == ['energy', 'energy'])
    for k, r in enumerate(load(name)['runs'], start + 1):
        figures(r)
        digits = (3, 3, 4, 1, 3)
        want = ['%.*f' % (d, r['energy'][key]) for d, key in zip(digits, FIGURES)]
        assert rows[k] == [r['policy']] + want, (rows[k], want)


def origin(name):
    r = load(name)
    got = r['energy']['values']
    assert got['energy.dram_read'] == {'value': 5.5, 'origin': './own.yaml:4'}, got
    assert got['energy.constant'] == {'value': 0, 'origin': '--set'}
    assert got['energy.instruction']['origin'] == 'gpgpusim3'
    assert r['energy']['gpu']['constant_pj'] == 0
    assert not [key for key in r['config'] if key.startswith('energy.')]


globals()[sys.argv[1]](*sys.argv[2:])
