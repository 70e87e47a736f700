#!/usr/bin/env python3
"""Compares README's picture with the stored run, and the stored run with a run of today.

    drawing.py CORUN    TAP; runs the policy `spatial`, with CORUN_TEST=all all policies, with
                        CORUN_TEST=every the oracle, too
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, 'tools'), os.path.join(ROOT, 'test/whole')]
import picture  # noqa: E402
from common import Tap  # noqa: E402


def drawn(stored, _):
    with open(os.path.join(ROOT, 'docs/reference/picture.svg')) as f:
        assert f.read() == picture.draw(stored) + '\n', 'docs/reference/picture.svg: run make docs'
    assert '](docs/reference/picture.svg)' in open(os.path.join(ROOT, 'README.md')).read()


def commands(stored, _):
    """The stored commands are the commands of the tool."""
    names = [entry['policy'] for entry in stored['policies']]
    assert names == picture.POLICIES and stored['programs'] == picture.PROGRAMS
    have = [picture.compare_command([*names, 'oracle']), *map(picture.run_command, names)]
    assert stored['commands'] == [' '.join(['corun', *c]) for c in have], stored['commands']


def measured(stored, corun):
    extent = os.environ.get('CORUN_TEST')
    entries = [e for e in stored['policies'] if extent or e['policy'] == 'spatial']
    oracle = ['oracle'] if extent == 'every' else []
    names = [entry['policy'] for entry in entries]
    slow = picture.slowdowns(corun, names + oracle)
    if oracle:
        have = slow.pop()
        assert have == stored['oracle'], 'oracle: %s' % have
    assert len(entries) == len(slow) > 0
    for entry, slowdown in zip(entries, slow):
        have = picture.panel(corun, entry['policy'], slowdown)
        assert have == entry, 'prints %s, stored is %s' % (have, entry)


def main(corun):
    tap, stored = Tap(), picture.stored_run()
    for case in (drawn, commands, measured):
        tap.case(case.__name__, case, stored, os.path.abspath(corun))
    tap.end()


if __name__ == '__main__':
    main(*sys.argv[1:])
