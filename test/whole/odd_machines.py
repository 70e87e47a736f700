#!/usr/bin/env python3
"""Machines at the edge of the allowed values: every queue as short as possible, clocks that hardly
meet, odd numbers of parts, every other choice. Answers stay right, the laws hold, and skipping
changes nothing."""
import sys

from common import Tap, bare, checked, differ, run
from laws import laws

TINY = '''sm.collectors_mem=1 sm.collectors_sp=1 sm.ibuffer=1 sm.response_queue=1 l1.sets=1
    l1.index=linear l1.ways=2 l1.mshrs=1 l1.merges=1 l1.missq=2 xbar.in_packets=1
    xbar.out_packets=1 l2.sets=1 l2.index=linear l2.ways=2 l2.mshrs=1 l2.merges=1
    l2.missq=3 l2.in_queue=1 l2.to_dram_queue=1 l2.fill_queue=1 l2.reply_queue=1
    dram.queue=1 dram.returns=1'''
MACHINES = {
    'every queue short': TINY,
    'every queue short, one SM, one channel': TINY + ' sm.count=1 map.channels=1 sm.blocks=1',
    'clocks that hardly meet': 'clock.sm_mhz=1400 clock.xbar_mhz=700 clock.l2_mhz=933 '
                              'clock.dram_mhz=3500.5',
    'odd numbers of parts': 'sm.count=7 map.channels=3 map.slices_per_channel=2 sm.schedulers=3 '
                            'dram.banks=2 dram.groups=1 l1.sets=3 l1.index=linear l2.sets=5 '
                            'l2.index=linear',
    'an L2 that waits at a clock of its own': 'clock.l2_mhz=2700 l2.mshrs=1',
    'no delays': 'xbar.latency_cycles=1 l2.rop_cycles=0 dram.latency_cycles=0 '
                 'sm.collector=none sm.register_ports=4 sm.const_latency_cycles=0 '
                 'sm.fetch_warps=8 l1.latency_cycles=1',
    'long delays': 'xbar.latency_cycles=256 l2.rop_cycles=1000 dram.latency_cycles=1000 '
                   'sm.int_add_latency=700 sm.other_latency=300',
    'two-level, sub-cores, general collectors': 'sm.scheduler=two-level sm.active_warps=2 '
        'sm.sub_cores=true sm.sfu_units=4 sm.int_units=4 sm.dp_units=4 sm.collectors_general=8 '
        'sm.register_ports=2 sm.register_banks=8',
    'collectors in class order, banks by name, pages scattered': 'sm.collector_order=class '
        'sm.sub_cores=true sm.sfu_units=4 sm.int_units=4 sm.collectors_general=4 '
        'sm.register_ports=2 sm.register_banks=8 sm.bank_of=name map.placement=hashed '
        'map.page_bytes=4096',
    'general collectors for the SM, cheap': 'sm.collectors_general=3 sm.int_units=2 '
                                            'sm.collector=cheap sm.scheduler=two-level',
    'the other choices': 'sm.scheduler=lrr l1.invalidate=never l1.index=xor xbar.arbiter=random '
                         'l2.write_miss=fetch dram.scheduler=fcfs policy.dispatch=gpu',
    'round robin, narrow crossbar': 'xbar.arbiter=rr xbar.flit_bytes=8 xbar.in_flits=40 '
                                    'xbar.input_speedup=1 l1.port_bytes=4 l2.port_bytes=4',
}
PAIRS = [['mm', 'bfs'], ['gups', 'kmeans']]
MOST_PARTS = 'sm.count=256 map.channels=64 map.slices_per_channel=4'
# Statistics are read when an app ends, at an SM edge; until the next edge slices may still push.
SHORT_WAY = 'dram.latency_cycles=1 clock.xbar_mhz=1400 clock.l2_mhz=900 clock.dram_mhz=4000'


def same(build, apps, machine, rule='end', policy='spatial'):
    options = [o for kv in machine.split() for o in ('--set', kv)]
    options += ['--policy', policy if 'sm.count=1 ' not in machine else 'leftover']
    on = run(build, apps, *options, '--alone', 'skip', '--until', rule)
    checked(on)
    laws(on)
    off = run(build, apps, *options, '--alone', 'skip', '--until', rule, '--skip', 'off')
    what = differ(bare(on), bare(off))
    assert what is None, 'skip on | off: ' + what


def main(build):
    tap = Tap(one_in=8)
    for name, machine in MACHINES.items():
        for apps in PAIRS:
            tap.case('%s: %s' % (name, ' + '.join(apps)), same, build, apps, machine)
    tap.case('a short way to DRAM: gups + srad', same, build, ['gups', 'srad'], SHORT_WAY,
             'all-complete', 'leftover')
    tap.case('as many parts as there can be: vecadd + gups + histo', same, build,
             ['vecadd', 'gups', 'histo'], MOST_PARTS, 'end', 'leftover')
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
