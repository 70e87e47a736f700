"""Where each figure of experiments/targets.csv is compared with corun: a row of verdicts.csv, a row
of workloads/papers.csv (shown in docs/reference/programs.md), a test, or nowhere, with a reason."""
import os
import re

from independent import rules

# Metrics of isolated runs, and the names of the metrics in workloads/papers.csv.
METRICS = {
    'RF_occupancy': 'register_occupancy', 'SMEM_occupancy': 'shared_occupancy',
    'thread_occupancy': 'thread_occupancy', 'TB_slot_occupancy': 'block_occupancy',
    'Cinst_per_Minst': 'inst.cinst_per_minst', 'Req_per_Minst': 'ldst.req_per_minst',
    'l1d_miss_rate': 'l1.miss_rate', 'l1d_rsfail_rate': 'l1.rsfail_rate', 'type': 'type',
    'L2_MPKI': 'l2.mpki', 'BW/C': 'dram.bandwidth_fraction'}
WHOLE = {'T001-076': 'model.mare', 'T001-077': 'model.mare_without_scratchpad',
         'T001-078': 'model.mare_scratchpad', 'T001-080': 'model.mpki_ipc_correlation'}
# Figures checked by a test: (targets, test, text of the test).
TESTS = [
    ('T000-118', 'test/cli/profile.bats', "'M' if p['stats']['ldst.stall_fraction'] > 0.2"),
    ('T000-208', 'test/policy/test_issue.c', "with the paper's counter widths"),
    ('T000-209', 'test/policy/test_issue.c', 'QUOTAS(&t, 3, 2);'),
    ('T000-210', 'test/policy/test_issue.c', '{24, 4096, 6, 8}'),
    ('T001-095 T001-096 T001-097 T001-098 T001-099 T001-100 T001-101 T001-102 T001-103 T001-104 '
     'T001-105 T001-106 T001-107 T001-108', 'test/unit/run/test_bandwidth.c', 'void figure_6('),
    ('T001-110 T001-111', 'test/experiments/verdicts.py', "== ('A-MPKI', 'C-BW')"),
    ('T003-027', 'test/unit/chip/xbar/test_xbar.c', '{16, 20000, 0.601}'),
    ('T003-028 T003-029 T003-030 T003-031 T003-032', 'test/policy/test_residency.c',
     'CORUN_TO_SM ? 0.9 : 0.8'),
    ('T003-091', 'test/policy/test_residency.c', 'bits_of("gpuduet"), 8272'),
    ('T003-092', 'test/policy/test_residency.c', 'bits_of("virtual-thread"), 672')]
NOWHERE = {
    'T001-079': 'error of the model against a K20m; corun simulates no K20m',
    'T001-081': 'the paper prints 15 programs above QTC, but Table 1 has 17',
    'T002-028': 'milliseconds of fragmentation: no run stores the duration',
    'T004-048': 'mias drops mixes of a single kernel before the list can be read; '
                'test/policy/test_mias.c has the twelve other mixes'}
EQUATION_3 = 'IPC_model=BW/(128*MPKI/1000)'


def named(words):
    """Returns the targets of a row: `T002-001 to -022`, `T003-003, -017`."""
    first, *more = re.findall(r'(?:^T\d{3})?-\d{3}', words) or [None]
    if not first:
        return []
    stem = first[:4]
    if ' to ' in words:
        return ['%s-%03d' % (stem, n) for n in range(int(first[5:]), int(more[0][1:]) + 1)]
    return [first] + [stem + number for number in more]


def in_rows():
    """Returns the targets with a row in verdicts.csv."""
    return {t for row in rules.table('experiments/results/verdicts.csv')
            for t in named(row['target'])}


def in_papers():
    """Returns the targets with a row in papers.csv. Both files must have the same value."""
    stored = {(r['paper'], r['name'], r['metric']): r['value']
              for r in rules.table('workloads/papers.csv')}
    found = set()
    for target, row in rules.targets().items():
        paper = target[1:4]
        value = stored.get((paper, '*', WHOLE[target]) if target in WHOLE else
                           (paper, row['workload'], METRICS.get(row['metric'])))
        if value is not None:
            assert value == row['value'], '%s: %s, in papers.csv %s' % (target, row['value'], value)
            found.add(target)
    return found


def in_tests():
    found = set()
    for words, path, text in TESTS:
        with open(os.path.join(rules.ROOT, path), encoding='utf-8') as f:
            assert text in f.read(), '%s: no %s in %s' % (words, text, path)
        found |= set(words.split())
    return found


def in_equation_3():
    """Returns the targets of the IPC by equation 3 of paper 001, recomputed from Table 1."""
    about = {r['metric']: float(r['value']) for r in rules.table('workloads/papers.csv')
             if (r['paper'], r['name']) == ('001', '*') and r['metric'] in (
                 'peak_bandwidth', 'sm_clock')}
    bytes_per_cycle = 1000 * about['peak_bandwidth'] / about['sm_clock']
    mpki, share = (rules.told('001', m) for m in ('L2_MPKI', 'BW/C'))
    found = set()
    for target, row in rules.targets().items():
        if row['metric'] == EQUATION_3:
            name = row['workload']
            ipc = bytes_per_cycle * float(share[name]) / 100 / (0.128 * float(mpki[name]))
            assert abs(ipc - float(row['value'])) <= 0.05 + rules.DUST, '%s: %.2f' % (target, ipc)
            found.add(target)
    return found


def check():
    """Every target has a place or a reason, and no target with a reason has a place."""
    found = in_rows() | in_papers() | in_tests() | in_equation_3()
    wrong = ['%s: no place' % t for t in rules.targets() if t not in found and t not in NOWHERE]
    wrong += ['%s: has a place, so no reason is needed' % t for t in NOWHERE if t in found]
    wrong += ['%s: not in targets.csv' % t for t in sorted({*found, *NOWHERE})
              if t not in rules.targets()]
    assert not wrong, '\n'.join(wrong)
