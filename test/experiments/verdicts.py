#!/usr/bin/env python3
"""Checks the computations of experiments/lib.py for docs/reference/experiments.md, on worked
numbers."""
import contextlib
import importlib.machinery
import importlib.util
import io
import math
import os
import re
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, 'experiments'), os.path.join(ROOT, 'test/whole')]
import causes  # noqa: E402
import lib  # noqa: E402
import page  # noqa: E402
import paper000  # noqa: E402
import paper001  # noqa: E402
import paper002  # noqa: E402
import paper003  # noqa: E402
import scorecard  # noqa: E402
from common import Tap  # noqa: E402

VERDICTS = os.path.join(ROOT, 'experiments/results/verdicts.csv')


def means():
    assert abs(lib.gmean([1, 4]) - 2) < 1e-12
    assert math.isnan(lib.gmean([])) and math.isnan(lib.gmean([1, 0]))
    assert lib.mean([1, 2, 6]) == 3


def numbers():
    for measured, paper, base, verdict in (
            (1.21, 1.2, 1, 'holds (1.05)'), (1.16, 1.2, 1, 'holds (0.80)'),
            (1.14, 1.2, 1, 'direction holds (0.70)'), (0.99, 1.2, 1, 'fails (-0.05)'),
            (1.9, 1.2, 1, 'direction holds (4.50)'), (0.9, 0.92, 0, 'holds (0.98)'),
            (30, 20.7, 0, 'direction holds (1.45)'), (-3, 20.7, 0, 'fails (-0.14)'),
            (25, 20.7, 0, 'holds (1.21)'), (math.nan, 1, 2, '-')):
        assert lib.like(measured, paper, base) == verdict, (measured, paper, base)
    assert lib.like(1.9, 1.2, one_way=True) == 'fails (4.50)'
    assert lib.like(1.21, 1.2, one_way=True) == 'holds (1.05)'
    assert lib.like(1.02, 1.2) == 'direction holds (0.10)'
    assert lib.like(1.019, 1.2) == 'fails (0.09)'  # less than a tenth of the change
    two = {('a', 'b'): 1.1, ('a', 'c'): 1.1, ('b', 'c'): 1.3}
    assert lib.like(lib.Mean(two, lib.mean), 1.5) == 'direction holds (0.33)'
    two['a', 'b'] = 0.9  # without c the mean is below 1
    assert lib.like(lib.Mean(two, lib.mean), 1.5) == 'fails (0.20)'
    assert lib.like(lib.Mean(two, lib.mean), 1.1) == 'holds (1.00)'


def spreads():
    of = {('a', 'b'): 1.0, ('a', 'c'): 4.0, ('b', 'c'): 2.0}
    assert lib.Mean(of) == lib.gmean(of.values()) and lib.Mean(of).range == (1.0, 4.0)
    assert lib.Mean(of, lib.mean) == lib.mean(of.values())
    assert math.isnan(lib.Mean({})) and math.isnan(lib.Mean({}).range[0])
    assert lib.strip([0, 1, 1, 2], 0, 2) == '▄' + ' ' * 7 + '█' + ' ' * 6 + '▄'
    assert lib.strip([3, 3], 3, 3) == '█' + ' ' * 15
    assert '| x | 2.00 | 2.00 | 1.00 to 4.00 | 1.00 to 4.00 |' in lib.spread_table('', {'x': of})
    assert lib.spread_table('', {'x': {}}) == ''


def rows():
    head = dict.fromkeys(lib.HEAD, '1')
    head.update(apps='clone000-bp + mm:size=window', policy_values='profiles=2 apart=1')
    head['app.normalized_ipc'] = '0.5/-'
    run = lib.Run(head)
    assert run.names == ['bp', 'mm'] and run.policy_values['profiles'] == '2'
    first, second = run.app('normalized_ipc')
    assert first == 0.5 and math.isnan(second) and run.weighted_speedup == 1


def sentences():
    """Sentences of failing rows: the cause, or a note that no cause was isolated."""
    cause = lib.Cause(lib.ISOLATED, 'because of 5.')
    v = lib.Verdicts()
    v.add('T1', 'a', '1.2', stand_ins=('1.2', lib.HOLDS), because=cause)
    assert 'because' not in v.markdown() and 'programs' not in v.markdown()
    v.add('T1', 'a', '1.2', programs=('0.9', lib.like(0.9, 1.2)), because=cause)
    assert '* T1: because of 5.\n' in v.markdown() and 'isolated' not in v.markdown()
    v.add('T2', 'b', '1.2', ('0.9', lib.FAILS), ('0.9', lib.FAILS))
    assert '* Not isolated: T2.\n' in v.markdown()
    assert v.count() == [lib.HOLDS, lib.FAILS, lib.FAILS, lib.FAILS]
    assert (v.unknown(), v.unreachable()) == (2, 0)
    v.add('T3', 'c', '1.2', ('0.9', lib.FAILS), ('0.8', lib.FAILS),
          because=[cause, lib.Cause(lib.TRIED, 'with less 1.0.')])
    assert v.unknown() == 3 and '* T3, stand-ins: because of 5.\n' \
        '* T3, programs, not isolated: with less 1.0.\n' in v.markdown()


def figures():
    """Figures in sentences come from stored results, not from typing."""
    for name, script in page.scripts():
        for target, sentence in getattr(script, 'WHY', {}).items():
            left = re.sub(r'{\w+}|T\d{3}-\d{3}|(paper|section|figure|Table) [\d.]+|L[12]|3mm', '',
                          sentence)
            assert not re.search(r'\d', left), (name, target, left)


def windows():
    """Of a sweep with several windows the longest, unless a window is given."""
    of = [r.cycles for c in (None, 100000) for r in lib.runs('000-pairs-programs', c)[:1]]
    assert of[0] > 100000 and of[1:] in ([], [100000]), of


def drawn():
    """The pairs of paper 001: all pairs of the sweep, every class, all pairs named in the paper."""
    pairs = paper001.draw()
    with open(os.path.join(ROOT, 'experiments/sweeps/001-pairs.yaml'), encoding='utf-8') as f:
        stored = re.findall(r'clone001-(\w+), clone001-(\w+)', f.read())
    assert [tuple(n.upper() for n in p) for p in stored] == pairs
    names = {'_'.join(p) for p in pairs} | {'_'.join(p[::-1]) for p in pairs}
    assert len(set(pairs)) == paper001.PAIRS and names.issuperset(paper001.NAMED)
    groups = paper001.strata()
    assert sum(map(len, groups.values())) == 300
    for group in groups.values():
        assert abs(len(set(group) & set(pairs)) - len(group) / 3) <= 1.01, len(group)
    of = paper001.table()
    assert paper001.classes(of, ('BLK', 'MUM')) == ('A-MPKI', 'C-BW')
    assert paper001.classes(of, ('BLK', 'QTC')) == ('C-MPKI', 'A-BW')
    assert paper001.classes(of, ('HISTO', 'TRD')) == ('B-MPKI', 'C-BW')


def sampled():
    """Paper 002's forty pairs: the same in every sweep, each program in two, classes by the
    members; and the paper's 231 pairs, which name every program."""
    drawn = paper002.sample()
    of = paper002.paper_class()
    count = [sum(paper002.pair_class(p, of) == c for p in drawn) for c in paper002.CLASSES]
    assert len(of) == 22 and len(set(drawn)) == 40 and count == [5, 19, 16], count
    assert all(sum(p in pair for pair in drawn) > 1 for p in of)
    for name in ('issue', 'preempt', 'epochs', 'trials', 'allocators', 'rr', 'fill', 'settle',
                 'arrive', 'prior', 'pairs', 'maestro', 'classes'):
        with open(os.path.join(ROOT, 'experiments/sweeps/002-%s.yaml' % name),
                  encoding='utf-8') as f:
            found = re.findall(r'"([\w-]+):', f.read().split('policies:')[0].split('\n', 1)[1])
        if name in ('pairs', 'maestro', 'classes'):
            assert found == list(of), (name, found)
        else:
            assert list(zip(found[::2], found[1::2])) == drawn, name
    assert paper002.later(paper002.app('kmeans'), 5) == 'kmeans:size=window,start=5'
    assert paper002.later(paper002.app('nw'), 5) == 'nw:size=window,n=8192,first=400,start=5'


def settled():
    """Maestro near the best partition: within a block, or on separate SMs."""
    figure = dict(page.scripts())['002-oracle']
    assert figure.near((3, 5), (4, 4)) and not figure.near((2, 6), (4, 4))
    assert figure.near(None, None) and not figure.near(None, (4, 4))
    assert not figure.near((4, 4), None)
    head = dict.fromkeys(lib.HEAD, '1')
    head.update(apps='hotspot:size=window + btree:size=window', policy_values='')
    for policy, blocks, mix in (('fixed[blocks=3/5]+kernel-lrr', '3/5', (3, 5)),
                                (paper002.MAESTRO, '2/6', (2, 6)), (paper002.MAESTRO, '8/8', None),
                                (paper002.SPATIAL, '8/8', None)):
        head.update(policy=policy)
        head['app.blocks_per_sm'] = blocks
        assert figure.partition(lib.Run(head)) == mix, (policy, blocks)


def waited():
    """The least wait not exceeded by a share of the newcomers."""
    figure = dict(page.scripts())['002-arrive']
    assert [figure.at([1, 2, 3, float('inf')], q) for q in (0.5, 0.75, 1)] == ['2', '3', '-']
    assert figure.at([1000.0, 2000.0, 3000.0], 0.5) == '2,000'


def classes():
    """Of pairs and triples of paper 000, by either name of a kernel."""
    assert paper000.mix(('sv', 'bp')) == paper000.mix(('backprop', 'ks')) == 'C+M'
    assert paper000.mix(('ks', 'cp', 'hotspot')) == 'C+C+M'
    groups = paper000.grouped({('sv', 'ks'): 1, ('cp', 'ks'): 2, ('hs', 'ax'): 3})
    assert groups == {'all': [1, 2, 3], 'M+M': [1], 'C+M': [2, 3]}


def model():
    """Section 5's worked example, in percent of 50: MPKI 20 and 5, bandwidth 30 and 40 of 50."""
    apps = [(20, 60), (5, 80)]
    for first, wanted in ((0, (5.5, 1.5)), (1, (8.5, 4 / 3)), (None, (6.25, 35 / 24))):
        got = paper001.performance(apps, first)
        throughput = got['instruction_throughput'] / 2  # 50 are 100 %
        assert abs(throughput - wanted[0]) < 1e-9, (first, throughput)
        assert abs(got['weighted_speedup'] - wanted[1]) < 1e-9, (first, got)


def head_room():
    """What the better of both priorities gains by paper 001's model, and what lies beyond."""
    apps = [(20, 60), (5, 80)]  # MPKI and bandwidth of section 5; demands are served 60 to 80
    shared = paper001.performance(apps, first=paper001.DEMAND)
    assert abs(shared['weighted_speedup'] - 100 / 140 * 2) < 1e-9
    assert paper001.performance([(1, 30), (1, 40)], paper001.DEMAND)['weighted_speedup'] == 2
    gain = paper001.head_room('instruction_throughput', paper001.DEMAND, 'A-MPKI')
    assert abs(gain - 1.142) < 0.001, gain
    assert paper001.head_room('weighted_speedup', None, 'A-BW', 12) == 1  # equal turns are best
    assert paper001.head_room('weighted_speedup', paper001.LOWEST, 'C-BW') == 1  # the best order
    figure = dict(page.scripts())['001-memory']
    for name, first in (('instruction_throughput', 16.4), ('weighted_speedup', 11.9)):
        shares = list(figure.class_shares(name).values())
        assert abs(25 * shares[0] - first) < 0.05 and abs(sum(shares) - 1) < 1e-9, shares
    v, beyond = lib.Verdicts(), lib.Cause(lib.BEYOND, 'at most 2.')
    v.add('T1', 'a', '4', ('1', lib.FAILS), ('4', lib.HOLDS), because=beyond)
    v.add('T2', 'b', '5', ('1', lib.FAILS), ('1', lib.DIRECTION), because=beyond)
    v.add('T2', 'c', '3', ('3', lib.HOLDS), because=beyond)
    assert (v.unreachable(), v.unknown()) == (3, 0)
    assert "* T1 is not reachable by the paper's own figures: at most 2.\n" in v.reasons()


def limits():
    """Limits read by figure 9 from a policy's name, and the best points."""
    figure = dict(page.scripts())['000-fig09']
    assert figure.limits_of('warped-slicer[mode=static]+smil[limits=3/inf]') == ('3', 'inf')
    assert figure.limits_of('warped-slicer[mode=static]') is None
    assert figure.shade(2, 1, 2) == '#000000' and figure.shade(1, 1, 2) == '#ffffff'
    assert figure.many('8') and figure.many('inf') and not figure.many('7')


def removed_limits():
    """A machine lacking a mechanism is a cause if a quarter of the gap to the paper vanishes."""
    assert lib.part('fails (-0.50)') == -0.5 and lib.part(lib.FAILS) is None
    for verdict, shipped, wanted in (
            ('direction holds (0.60)', 'direction holds (0.40)', True),
            ('direction holds (0.50)', 'direction holds (0.40)', False),
            ('direction holds (2.00)', 'direction holds (4.00)', True),
            ('fails (-1.00)', 'fails (-2.00)', True), ('holds (1.00)', 'fails (-1.00)', True),
            (lib.HOLDS, lib.FAILS, True), (lib.DIRECTION, lib.FAILS, False),
            (lib.HOLDS, lib.HOLDS, False), ('holds (1.00)', 'holds (0.80)', False),
            ('fails (-0.10)', 'direction holds (4.00)', False)):
        assert causes.nearer(verdict, shipped) == wanted, (verdict, shipped)
    v = lib.Verdicts()
    rows = causes.Rows(v, 2, {'': 2, 'with less': 1.5, 'with more': 3.5},
                       1, {'': 1, 'with less': 2})
    rows.number('T1', 'a', 4, lambda x: x)
    assert v.reasons() == '\n* T1, stand-ins: a: 1.00; with less 2.00.\n' \
        '* T1, programs: a: 2.00; with more 3.50.\n'
    v = lib.Verdicts()
    causes.Rows(v, 2, {'': 2, 'with less': 1.5}).count('T2', 'b', 4, lambda x: x)
    assert v.reasons() == '\n* T2, not isolated: b: 2; with less 1.5.\n' and v.unknown() == 1
    for runs in (paper000.machines(*paper000.STAND_INS), paper003.machines()):
        assert '' in runs and len(runs) > 4


def other_side():
    """Runs beside machines without limits cannot explain a row on the other side of the paper's
    number; stand-ins that hold, or are nearer by a quarter of the gap, explain programs that do
    not hold."""
    v = lib.Verdicts()
    causes.Rows(v, 6, {'': 2, 'with more': 3.9}).number('T1', 'a', 4, lambda x: x)
    assert v.unknown() == 1 and "2.00 in the runs beside those without single limits, on the " \
        "other side of the paper's number." in v.reasons(), v.reasons()
    v = lib.Verdicts()
    causes.Rows(v, 3, {'': 2, 'with more': 3.9}).number('T1', 'a', 4, lambda x: x)
    assert v.unknown() == 0
    for stand_ins, unknown in ((4, 0), (3, 1), (2.2, 2)):
        v = lib.Verdicts()
        causes.Rows(v, 2, None, stand_ins, None).number('T1', 'a', 4, lambda x: x)
        assert v.unknown() == unknown, v.reasons()
    v = lib.Verdicts()
    causes.Rows(v, 2, None, 4, None).number('T1', 'a', 4, lambda x: x)
    assert "* T1: a: 2.00; with stand-ins, which have the paper's isolated rows, 4.00.\n" in \
        v.reasons()


def one_program():
    """A mean that holds without a single program depends on the choice of programs; a row that
    holds on the machine beside those without limits depends on sets and window."""
    sets = {('a', 'b'): 1.1, ('a', 'c'): 1.1, ('b', 'c'): 1.4, ('b', 'd'): 1.2, ('c', 'd'): 1.2}
    v = lib.Verdicts()
    causes.Rows(v, sets, None).number('T1', 'a', 1.3, lib.Mean, show=lib.change)
    assert v.unknown() == 0 and '* T1: a: +19.5 % depends on the choice of programs: +26.3 % ' \
        'without a.\n' in v.reasons(), v.reasons()
    v = lib.Verdicts()
    causes.Rows(v, 2, {'': 4, 'with more': 5}).number('T1', 'a', 4, lambda x: x)
    assert v.unknown() == 0 and 'choice of sets and window' in v.reasons()


def bounded():
    """The best of all choices bounds a number if the best does not hold either, on the same
    side."""
    for best, wanted in ((1.05, True), (1.1, True), (1.4, False), (3.0, False)):
        found = causes.bound(1.0, 1.5, best, 'said')
        assert bool(found) == wanted and (not found or found.kind == lib.BOUNDED), (best, found)
    assert causes.bound(3.0, 1.5, 2.5, 'said') and not causes.bound(3.0, 1.5, 1.2, 'said')
    assert not causes.bound(1.0, 1.5, math.nan, 'said')
    v = lib.Verdicts()
    causes.Rows(v, 1.0, None).number('T1', 'a', 1.5, lambda x: x, best=('the best', lambda x: 1.1))
    assert v.unknown() == 0 and v.reasons() == '\n* T1, bounded: a: the best reaches 1.10.\n'


def combinations():
    """Leaving one mechanism out of a composition."""
    figure = dict(page.scripts())['006-combine']
    assert figure.without('smk-p+qbmi+its', 'qbmi') == 'smk-p+its'
    assert figure.without('warped-slicer[mode=static]+dmil', 'dmil') == 'warped-slicer[mode=static]'
    for sweep in figure.SWEEPS:  # "nothing else pays on average"
        sets = figure.classes(sweep)['all']
        chosen, simple = map(lib.gmean, figure.halves(sets))
        assert simple > max(chosen, 1), (sweep, chosen, simple)
        points = figure.frontier(sets)
        assert all(not (x > w and y < a) for w, a in points.values() for x, y in points.values())
    assert figure.acts('its', 'spatial') and not figure.acts('dmil', 'spatial')


def disagreements():
    """The largest disagreements: factors between means, one per paper and metric, with causes."""
    assert scorecard.factor('+1380.3 % (geometric +97.2 %)') == 1 + 1380.3 / 100
    assert scorecard.factor('-49.2 %') == 1 - 49.2 / 100 and scorecard.factor('1.07') == 1.07
    of = scorecard.means()
    assert of['T000-163'] == of['T000-165'] == ('000', 'WS') and 'T002-051' not in of
    v, cause = lib.Verdicts(), lib.Cause(lib.ISOLATED, 'mean: because of 5.')
    for target, measured, paper in (('T000-165', '+1.0 %', '+2 %'), ('T000-163', '0.90', '1.20'),
                                    ('T002-036', '+20.0 %', '+10 %'), ('T004-014', '1.2', '1.3')):
        verdict = lib.HOLDS + ' (1.00)' if target == 'T004-014' else lib.FAILS + ' (0.50)'
        v.add(target, 'mean', paper, programs=(measured, verdict),
              because=cause if target == 'T000-163' else lib.UNKNOWN)
    first, second = scorecard.largest([page.Section('000-a', 'A', 'a.md#a', [], '', v)])
    assert first.startswith('[T000-163](a.md#a), mean: paper 1.20; programs 0.90; a factor of 1.33')
    assert first.endswith(' Cause: because of 5.') and second.endswith(' Not isolated.'), second


def stored():
    """results/verdicts.csv holds the verdicts of the pages."""
    now = io.StringIO()
    page.write_verdicts(now)
    with open(VERDICTS, encoding='utf-8') as f:
        assert f.read() == now.getvalue(), 'run make docs'


def script():
    """Returns experiments/run as a module."""
    path = os.path.join(ROOT, 'experiments/run')
    loader = importlib.machinery.SourceFileLoader('experiments_run', path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def chosen():
    """ONLY is a sweep or a paper; the time of a sweep adds up over interruptions."""
    run = script()
    names = ['000-a', '002-b', '002-c', '003-d']
    assert run.selected(['paper002', '000-a'], names) == ['002-b', '002-c', '000-a']
    assert run.selected([], names) == []
    for wrong in ('002', 'paper004'):
        try:
            run.selected([wrong], names)
        except SystemExit as e:
            assert wrong in str(e), e
        else:
            raise AssertionError(wrong)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.seconds')
        with open(path, 'w', encoding='utf-8') as f:
            f.write('100.0\n')
        status, seconds = run.timed(['sh', '-c', 'sleep 0.2; false'], path)
        assert status == 1 and 100 < seconds < 130 and 100 < run.seconds_of(path) < 130


def flipped():
    """A rerun prints the verdicts that changed, and no others."""
    run, said = script(), io.StringIO()
    with open(VERDICTS, encoding='utf-8') as f:
        lines = f.read().split('\n')
    first = lines[1].rsplit(',', 3)
    now = [lines[0], ','.join([first[0], 'other', lib.DIRECTION, '']), *lines[2:]]
    run.page = type('Page', (), {'write_verdicts': lambda to: to.write('\n'.join(now))})
    with contextlib.redirect_stdout(said):
        run.flips()
    assert '%s (other), was %s' % (lib.DIRECTION, first[2]) in said.getvalue(), said.getvalue()
    assert said.getvalue().endswith('\n1 of %d verdicts changed\n' % (len(lines) - 2))


def reread():
    """Runs of another reading stay apart for stand-ins and programs, and replace only the runs of
    the policy with the option."""
    for sweeps, stand_ins in ((paper000.STAND_INS, True), (paper000.PROGRAMS, False)):
        of = paper000.by_limit(*sweeps, also='000-open', epochs='000-epochs')
        for words in (paper000.OPEN, *paper000.EPOCHS):
            assert set(of[words]) == set(of['']), words
            assert all(r.row['apps'].startswith('clone000-') == stand_ins
                       for by in of[words].values() for r in by.values()), words
        shipped, other = (next(iter(of[w].values())) for w in ('', list(paper000.EPOCHS)[0]))
        assert {p for p in shipped if shipped[p] is not other[p]} == {'smk-p+fair'}


def launches():
    """Several launches of a class are of this class; a kernel decided anew is moderate."""
    figure = dict(page.scripts())['003-fig12']
    for said, found in (({'underutilized': '2'}, 'underutilized'), ({}, 'saturated'),
                        ({'saturated': '2'}, 'saturated'), ({'moderate': '1'}, 'moderate'),
                        ({'moderate': '2', 'saturated': '1'}, 'moderate'),
                        ({'underutilized': '1', 'saturated': '1'}, 'moderate')):
        run = type('Run', (), {'policy_values': said})
        assert figure.decided(run) == found, said


def main():
    tap = Tap()
    for case in (means, numbers, spreads, rows, sentences, figures, windows, drawn, sampled,
                 settled, waited, classes, model, limits, head_room, removed_limits, other_side,
                 one_program, bounded, combinations, disagreements, stored, chosen, flipped,
                 reread, launches):
        tap.case(case.__name__, case)
    tap.end()


if __name__ == '__main__':
    main()
