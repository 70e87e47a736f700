#!/usr/bin/env python3
"""The oracle: no static policy passes it by its own metric and rule; what it ran is the partition
it names; the number of threads changes nothing."""
import sys

from common import Tap, bare, differ, run

PAIR = ['stencil', 'gups']
STATIC = ['leftover', 'spatial', 'spatial[split=smart]', 'spatial[split=4/12]', 'smk-even', 'smk-p',
          'fixed[blocks=2/3]', 'fixed[blocks=5/1]', 'warped-slicer[mode=static]']
RULE = ['--until', 'window', '--cycles', '8000']
METRICS = {'weighted-speedup': 1, 'antt': -1}


def value(result, metric):
    return result['metrics'][metric.replace('-', '_')]


def best(build, metric, static, threads='2'):
    spec = 'oracle[metric=%s]' % metric
    result = run(build, PAIR, '--policy', spec, '--threads', threads, *RULE, size='window')
    assert result['policy'] == spec
    found = result['policy_stats']['oracle']
    assert found['tried'] > 20 and found['undefined'] <= 1, found  # left-over: one has nothing
    assert found['value'] == value(result, metric), found
    for policy, other in static.items():
        more, less = value(result, metric), value(other, metric)
        if less is None:
            continue
        assert METRICS[metric] * (more - less) >= 0, '%s: %r, oracle %r' % (policy, less, more)
    return result


def chosen(build, result):
    """The same numbers as those of the policy it names."""
    spec = result['policy_stats']['oracle']['chosen']
    own = run(build, PAIR, '--policy', spec, *RULE, size='window')
    for key in ('cycles', 'stats', 'metrics'):
        assert own[key] == result[key], '%s of %s' % (key, spec)


def threads(build, result):
    one = best(build, 'antt', {}, '1')
    what = differ(bare(one), bare(result))
    assert what is None, what


def main(build):
    tap = Tap()
    static = {p: run(build, PAIR, '--policy', p, *RULE, size='window') for p in STATIC}
    found = {}
    for metric in METRICS:
        tap.case('no static policy has a better %s' % metric,
                 lambda m=metric: found.update({m: best(build, m, static)}))
    for metric, result in found.items():
        tap.case('the partition chosen by %s' % metric, chosen, build, result)
    tap.case('one thread or two', threads, build, found.get('antt'))
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
