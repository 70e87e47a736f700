"""All programs alone and in every pair under a policy: the answers are right, the laws hold."""
from common import NAMES, PAIRS, Tap, checked, run
from laws import laws


def one(build, policy, apps):
    result = run(build, apps, '--policy', policy)
    checked(result)
    laws(result)
    assert result['policy'] == policy


def main(build, policy):
    tap = Tap(one_in=4)
    for name in NAMES:
        tap.case('%s alone, %s' % (name, policy), one, build, policy, [name])
    for pair in PAIRS:
        tap.case('%s + %s, %s' % (*pair, policy), one, build, policy, list(pair))
    tap.end()
