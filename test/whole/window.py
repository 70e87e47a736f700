#!/usr/bin/env python3
"""The oracle of windows: the same for any number of threads and with cycles skipped or not; a
single window over the whole run gives the best mix, to the bit; the results agree with the oracle's
log; a killed trial ends the run with the reason and leaves no process behind."""
import os
import signal
import subprocess
import sys
import tempfile
import time

from common import Tap, bare, differ, run

PAIR = ['stencil', 'gups']
SMS = 4
FEW = ['--set', 'sm.count=%d' % SMS]
WINDOW = 800
RULE = ['--until', 'window', '--cycles', '8000', *FEW]


def oracle(build, *more, window=WINDOW, apps=PAIR, size='window', rule=RULE, options=''):
    spec = 'oracle[mode=window,window=%d%s]' % (window, options)
    return run(build, apps, '--policy', spec, *rule, *more, size=size)


def account(result):
    return result['policy_stats']['oracle']


def same(build, **how):
    """Threads and skipping change nothing, in runs with something to change."""
    results = [oracle(build, *more, **how) for more in
               (['--threads', '1'], ['--threads', '3'], ['--threads', '2', '--skip', 'off'])]
    for other in results[1:]:
        what = differ(bare(results[0]), bare(other))
        assert what is None, what
    own = account(results[0])
    assert own['windows'] >= 3 and own['changes'] >= 1, own


def adds_up(build):
    """The windows counted for mixes add up to the run's windows and issued instructions."""
    result = oracle(build)
    own, issued = account(result), sum(a['totals']['inst.warp'] for a in result['apps'])
    most = issued / (WINDOW * SMS)
    assert sum(own['mixes'].values()) == own['windows'], own
    assert most - 1 <= own['windows'] <= most + 1, (own['windows'], most)


def covers(build, metric, better, mixes, **how):
    """A window longer than the run: a single choice among all mixes, with the end known."""
    options = ',metric=%s,mixes=%s' % (metric.replace('_', '-'), mixes)
    result = oracle(build, window=10 ** 9, options=options, **how)
    own = account(result)
    assert own['windows'] == 1 and own['undefined'] == 0, own
    found = {}
    how = {'apps': PAIR, 'size': 'window', **how}
    for spec in own['mixes']:
        found[spec] = run(build, how['apps'], '--policy', spec, *RULE, size=how['size'])
    assert len(found) >= 4 and len({r['metrics'][metric] for r in found.values()}) > 1
    assert any('split' in spec for spec in found) == (mixes == 'all'), found.keys()
    best = better(r['metrics'][metric] for r in found.values())
    chosen = [spec for spec, n in own['mixes'].items() if n]
    assert chosen == [next(s for s, r in found.items() if r['metrics'][metric] == best)], chosen
    for key in ('cycles', 'stats', 'metrics'):
        assert found[chosen[0]][key] == result[key], key


def seeks(build):
    """Greedy choices guarantee nothing; but choosing any mix, or the worst, would not beat most
    mixes, and here the oracle beats all."""
    result = oracle(build)
    value = result['metrics']['weighted_speedup']
    mixes = [run(build, PAIR, '--policy', spec, *RULE, size='window')['metrics']
             ['weighted_speedup'] for spec in account(result)['mixes']]
    assert value > max(mixes), (value, mixes)


def children(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
        return [int(p) for p in f.read().split()]


def kill_first(p):
    """Kills one of the first trials of the process; returns the trials' ids."""
    end = time.monotonic() + 200
    while not (found := children(p.pid)):
        assert p.poll() is None and time.monotonic() < end, 'no trial was started'
        time.sleep(0.01)
    os.kill(found[0], signal.SIGKILL)
    return found


def killed(build):
    """A killed trial in the first window, as long as the run."""
    env = dict(os.environ, CORUN_CACHE=os.path.join(build, 'test-cache'))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'r.json')
        with subprocess.Popen(
                [os.path.join(build, 'corun'), 'run', *(a + ':size=window' for a in PAIR),
                 '--policy', 'oracle[mode=window,window=1e9]', '--threads', '2', '--json', out,
                 '--until', 'window', '--cycles', '60000', *FEW],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as p:
            try:
                found = kill_first(p)
                said, why = p.communicate()
            finally:
                p.kill()
        assert p.returncode == 2 and not said, (p.returncode, said)
        assert "the oracle's trial of fixed[blocks=1/" in why and 'from cycle 0' in why, why
        assert 'killed by signal 9' in why, why
        assert not os.path.exists(out)
        for pid in found:
            assert not os.path.exists('/proc/%d' % pid), 'process %d is left' % pid


def main(build):
    tap = Tap()
    tap.case('threads and skipping', same, build)
    if os.environ.get('CORUN_TEST') == 'every':
        tap.case('threads and skipping: all mixes, until both completed', lambda: same(
            build, apps=['scan', 'mm'], size='test', window=6000, options=',mixes=all',
            rule=['--until', 'all-complete', *FEW]))
        tap.case('threads and skipping: three apps', lambda: same(
            build, apps=['stencil', 'gups', 'mm'], size='test',
            rule=['--until', 'window', '--cycles', '2500', *FEW]))
        tap.case('one window, antt, splits too', covers, build, 'antt', min, 'all')
        tap.case('one window, an app of several kernels', lambda: covers(
            build, 'weighted_speedup', max, 'tables', apps=['scan', 'backprop'], size='test'))
        tap.case('several windows', seeks, build)
    tap.case('its account adds up', adds_up, build)
    tap.case('one window, weighted speedup', covers, build, 'weighted_speedup', max, 'tables')
    tap.case('a trial that is killed', killed, build)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
