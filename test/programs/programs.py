#!/usr/bin/env python3
"""The shipped programs, on a machine or at size=window: programs.py BUILD [PART].

PART is a machine: each program's size=test runs to the end on the machine with the right answer
(stand-ins have no answer: they only end). Or `window`: each program's size=window starts on rtx2060
and does not end at once. Or `measured`: some rows of workloads/measured.csv measured again. Without
PART prints the parts' names.

CORUN_PROGRAMS=all runs every program on every machine; otherwise each program runs on one or two
machines, chosen by name. A program too large for a machine must be refused with the reason.
"""
import json
import os
import re
import subprocess
import sys
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'whole'))
from common import Tap  # noqa: E402

FAMILIES = 3
WHOLE = os.environ.get('CORUN_PROGRAMS') == 'all'
PARAMETERS = {'bfs': [',threads=256', ',threads=100']}  # further runs of a program
SHORT_CYCLES = 20000    # of a window; a program that does not start has issued nothing by then
AGAIN = 2               # rows measured again


def no_problem(problem_of, *args):
    found = problem_of(*args)
    assert found is None, found


def corun(build, *args):
    p = subprocess.run([os.path.join(build, 'corun'), *args], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout, p.stderr


def names(build, what):
    """The names of `corun list`."""
    _, out, _ = corun(build, 'list', what, '--markdown')
    return re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]  # without the column's head


def chosen(program, part_id):
    """True if a program runs on the machine of that number."""
    return WHOLE or (zlib.crc32(program.encode()) + part_id) % FAMILIES == 0


def has_reference(program):
    """False for stand-ins: their output cannot be right or wrong."""
    return not (program == 'synth' or program.startswith('clone'))


def lacks_unit(message):
    """True if the message names the option by which the machine has no such tensor units."""
    return re.search(r'(but the machine (cannot|has no tensor units)|not supported by the '
                     r"machine's tensor units): sm\.\w+ is 0", message) is not None


def does_not_fit(message):
    """True if the message gives a valid reason: a block needs more of a resource than an SM has, or
    a unit that the machine lacks."""
    if lacks_unit(message):
        return True
    m = re.search(r'a block needs (\d+) (bytes of shared memory|registers|threads), '
                  r'an SM has (\d+)', message)
    return m is not None and int(m[1]) > int(m[3])


def problem(build, program, gpu):
    """Returns None, or the problem of the program on this machine."""
    status, out, err = corun(build, 'run', program, '--gpu', gpu, '--until', 'end', '--alone',
                             'skip', '--quiet', '--json', '-')
    if status == 2 and does_not_fit(err):
        return None
    if status:
        return 'exit status %d\n%s' % (status, err)
    app = json.loads(out)['apps'][0]
    if app['completions'] != 1:
        return '%d completions' % app['completions']
    expected = True if has_reference(program.partition(':')[0]) else None
    if app['checked'] is not expected:
        return 'checked is %s instead of %s' % (app['checked'], expected)
    return None


def lasts(build, program):
    """Returns None, or the problem of the first cycles of size=window."""
    status, out, err = corun(build, 'run', program + ':size=window', '--gpu', 'rtx2060', '--until',
                             'end', '--cycles', str(SHORT_CYCLES), '--alone', 'skip', '--quiet',
                             '--json', '-')
    if status == 2 and lacks_unit(err):
        return None
    if status != 1 or not out:
        return 'exit status %d instead of 1\n%s' % (status, err)
    result = json.loads(out)
    if result['status'] != 'cycle-limit' or result['apps'][0]['completions']:
        return 'status %s' % result['status']
    if not result['apps'][0]['warp_instructions']:
        return 'it has issued nothing'
    return None


def again(build):
    measure = os.path.join(ROOT, 'workloads/measure.py')
    return subprocess.run([measure, '--check', str(AGAIN), build]).returncode


def main(build, part):
    if part == 'measured':
        return again(build)
    tap = Tap()
    gpus = names(build, 'gpus')
    part_id = gpus.index(part) if part in gpus else len(gpus)
    for program in names(build, 'workloads'):
        if not chosen(program, part_id):
            continue
        if part == 'window':
            tap.case('%s:size=window lasts on rtx2060' % program, no_problem, lasts, build,
                     program)
        else:
            for more in ['', *PARAMETERS.get(program, [])]:
                run = '%s:size=test%s' % (program, more)
                tap.case('%s on %s' % (run, part), no_problem, problem, build, run, part)
    return tap.end()


if __name__ == '__main__':
    if len(sys.argv) == 2:
        print('\n'.join(['window', 'measured', *names(sys.argv[1], 'gpus')]))
        sys.exit(0)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
