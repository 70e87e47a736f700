#!/usr/bin/env python3
"""Checks the computations of workloads/figures.py for docs/reference/programs.md, on worked
numbers."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, 'workloads'), os.path.join(ROOT, 'test/whole')]
import figures  # noqa: E402
from common import Tap  # noqa: E402


def rank_correlation():
    assert figures.rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == 1
    assert figures.rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == -1
    assert abs(figures.rank_correlation([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) - 0.8207827) < 1e-6
    assert figures.rank_correlation([1, 1, 1], [1, 2, 3]) == 0


def agreement():
    for metric, printed, value, held in (
            ('inst.cinst_per_minst', '7', '6.5', True),
            ('inst.cinst_per_minst', '7', '7.5', False),
            ('l1.miss_rate', '0.97', '0.93', True), ('l1.miss_rate', '0.97', '0.91', False),
            ('l1.rsfail_rate', '0.00', '0.49', True), ('l1.rsfail_rate', '0.00', '0.5', False),
            ('l1.rsfail_rate', '5.45', '3.64', True), ('l1.rsfail_rate', '5.45', '8.2', False),
            ('dram.bandwidth_fraction', '93.0', '0.8', True),
            ('dram.bandwidth_fraction', '93.0', '0.79', False),
            ('register_occupancy', '87.5', '0.875', True),
            ('register_occupancy', '87.5', '0.88', False),
            ('registers_per_thread', '36', '37', False), ('type', 'M', 'M', True),
            ('type', 'M', 'C', False), ('limiter', 'threads and blocks', 'blocks', True),
            ('limiter', 'threads', 'blocks', False)):
        assert figures.agrees(metric, printed, value) is held, (metric, printed, value)


def shapes():
    assert figures.shape([10, 20, 30, 40]) == 'near linear'
    assert figures.shape([10, 20, 15]).startswith('rises to 2, then falls to 75 %')
    assert figures.shape([10, 18, 19, 19]) == 'flattens: 90 % at 2 of 4 blocks'


def the_model():
    """If bandwidth and misses give the IPC, the error is 0; at twice the IPC 50 %."""
    class Facts:
        stands = [dict(program='clone001-a', name='A', app='clone001-a', paper='001'),
                  dict(program='clone001-b', name='B', app='clone001-b', paper='001')]

        def about(self, paper, metric):
            return {'peak_bandwidth': '128', 'sm_clock': '1000'}.get(metric, '0')

        def paper(self, paper, name, metric):
            return 'yes' if name == 'B' else None

        def measured(self, r, metric):
            return {'dram.bandwidth_fraction': '0.5', 'l2.mpki': '1',
                    'inst.ipc_thread': '500' if r['name'] == 'A' else '1000'}[metric]
    page = figures.model(Facts())
    assert '| A | clone001-a | 500.0 | 500.0 | 0.0 % |' in page, page
    assert '| B | clone001-b | 1000.0 | 500.0 | 50.0 % |' in page, page
    assert 'all 2 | 0 % | 25.0 % |' in page and '| without B | 0 % | 0.0 % |' in page, page


def the_model_of_the_paper():
    """Table 1 of paper 001 at 88.8 GB/s and 1400 MHz: the model's results for the table's rows. An
    SM has 32 lanes and the GPU 30 SMs, an upper bound of thread IPC; counting warp instructions, up
    to 32 times fewer, BLK would have an MPKI of 51 and hardly any IPC."""
    peak = 88.8 / 1.4
    assert abs(peak - 63.43) < 0.005
    rows = {(r['name'], r['metric']): float(r['value']) for r in figures.read('papers.csv')
            if r['paper'] == '001' and r['metric'] in ('l2.mpki', 'dram.bandwidth_fraction')}
    ipc = {name: figures.model_ipc(peak * rows[name, 'dram.bandwidth_fraction'] / 100, mpki)
           for (name, metric), mpki in rows.items() if metric == 'l2.mpki'}
    assert len(ipc) == 25
    for name, said in (('GUPS', 8.07), ('BLK', 209.4), ('SCP', 158.4), ('QTC', 9.6), ('TRD', 69.4)):
        assert abs(ipc[name] - said) < 0.05, (name, ipc[name])
    assert all(value < 30 * 32 for value in ipc.values() if value is not None), ipc
    assert round(32 * rows['BLK', 'l2.mpki']) == 51 and ipc['BLK'] / 32 < 7
    assert figures.model_ipc(1, 0) is None


def main():
    tap = Tap()
    for test in (rank_correlation, agreement, shapes, the_model, the_model_of_the_paper):
        tap.case(test.__name__, test)
    tap.end()


if __name__ == '__main__':
    main()
