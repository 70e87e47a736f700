#!/usr/bin/env python3
"""Launches that run functionally: every program's answer agrees with the CPU reference, whichever
launches are timed; a timed launch issues the same instructions as in a fully timed run."""
import os
import sys

from common import Tap, checked, run


TENSOR = 'gemm-tensor', 'gemm-wgmma', 'llm-layer'     # on a machine with all their instructions


def functional(build, program):
    machine = ['--gpu', 'h100'] if program in TENSOR else []
    result = run(build, [program], '--alone', 'skip', '--until', 'end', '--skip-kernels', 'all',
                 *machine)
    checked(result)
    app, = result['apps']
    assert app['launches'] == app['functional_launches'] > 0, app
    assert result['cycles'] == app['warp_instructions'] == 0 and not app['kernels'], app


def instructions(result):
    app, = result['apps']
    return app['thread_instructions']


def parts(build, program):
    """If the work does not depend on the order, single launches add up to the whole."""
    options = '--alone', 'skip', '--until', 'end'
    whole = run(build, [program], *options)
    n = whole['apps'][0]['launches']
    each = []
    for k in range(1, n + 1):
        result = run(build, [program], *options, '--kernels', str(k))
        checked(result)
        assert result['apps'][0]['functional_launches'] == n - 1
        assert result['cycles'] <= whole['cycles']
        each.append(instructions(result))
    assert sum(each) == instructions(whole), (each, instructions(whole))


def main(build):
    tap = Tap()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, '..', '..', 'workloads', 'list.def')) as f:
        programs = [line[9:line.index(')')].replace('_', '-') for line in f
                    if line.startswith('WORKLOAD(')]
    assert len(programs) > 30
    for program in programs:
        tap.case('%s: all its launches run functionally' % program, functional, build, program)
    for program in ['scan', 'reduction', 'mm', 'hotspot', 'backprop']:
        tap.case('%s: each of its launches by itself' % program, parts, build, program)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
