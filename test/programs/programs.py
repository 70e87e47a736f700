#!/usr/bin/env python3
"""The shipped programs, on one machine or at size=window: programs.py BUILD [PART].

PART is a machine: each program's size=test runs to its end there and its answer is right (stand-ins
have no answer: they only end). Or `window`: each program's size=window starts on rtx2060 and does
not end at once. Or `measured`: some rows of workloads/measured.csv measured again. Without PART it
names them.

Programs and machines are dealt into three families. CORUN_PROGRAMS=all runs all of them, 0, 1 or 2
one; without it the day of the year chooses.
"""
import datetime
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAMILIES = 3
SHORT_CYCLES = 20000    # of a window; a program that does not start has issued nothing by then
AGAIN = 2               # rows measured again
LIMIT_SECONDS = 300


class Tap:
    n = failed = 0

    def case(self, name, what):
        self.n += 1
        self.failed += what is not None
        print('%sok %d - %s' % ('not ' if what else '', self.n, name))
        if what:
            print('\n'.join('# ' + line for line in what.splitlines()[:20]))
        sys.stdout.flush()

    def end(self):
        print('1..%d' % self.n)
        return 1 if self.failed else 0


def corun(build, *args):
    p = subprocess.run([os.path.join(build, 'corun'), *args], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS)
    return p.returncode, p.stdout, p.stderr


def names(build, what):
    """The names of `corun list`."""
    _, out, _ = corun(build, 'list', what, '--markdown')
    return re.findall(r'^\| ([\w.-]+) \|', out, re.M)[1:]  # without the column's head


def families():
    """Those to run now."""
    chosen = os.environ.get('CORUN_PROGRAMS', '')
    if chosen == 'all':
        return range(FAMILIES)
    if chosen:
        if chosen not in [str(f) for f in range(FAMILIES)]:
            sys.exit('CORUN_PROGRAMS is %s: expected all, 0, 1 or 2' % chosen)
        return [int(chosen)]
    return [datetime.date.today().timetuple().tm_yday % FAMILIES]


def has_reference(program):
    """Stand-ins compute nothing that could be right or wrong."""
    return not (program == 'synth' or program.startswith('clone'))


def problem(build, program, gpu):
    """None, or what is wrong with size=test on this machine."""
    status, out, err = corun(build, 'run', program + ':size=test', '--gpu', gpu, '--until', 'end',
                             '--alone', 'skip', '--quiet', '--json', '-')
    if status:
        return 'exit status %d\n%s' % (status, err)
    app = json.loads(out)['apps'][0]
    if app['completions'] != 1:
        return '%d completions' % app['completions']
    expected = True if has_reference(program) else None
    if app['checked'] is not expected:
        return 'checked is %s instead of %s' % (app['checked'], expected)
    return None


def lasts(build, program):
    """None, or what is wrong with the first cycles of size=window."""
    status, out, err = corun(build, 'run', program + ':size=window', '--gpu', 'rtx2060', '--until',
                             'end', '--cycles', str(SHORT_CYCLES), '--alone', 'skip', '--quiet',
                             '--json', '-')
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
    now = families()
    gpus = names(build, 'gpus')
    gpu_id = gpus.index(part) if part in gpus else len(gpus)
    print('# families %s of %d' % (' '.join(str(f) for f in now), FAMILIES))
    for i, program in enumerate(names(build, 'workloads')):
        if (i + gpu_id) % FAMILIES not in now:
            continue
        try:
            if part == 'window':
                tap.case('%s:size=window lasts on rtx2060' % program, lasts(build, program))
            else:
                tap.case('%s:size=test on %s' % (program, part), problem(build, program, part))
        except subprocess.TimeoutExpired:
            tap.case('%s on %s' % (program, part), 'no end within %d s' % LIMIT_SECONDS)
    return tap.end()


if __name__ == '__main__':
    if len(sys.argv) == 2:
        print('\n'.join(['window', 'measured', *names(sys.argv[1], 'gpus')]))
        sys.exit(0)
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
