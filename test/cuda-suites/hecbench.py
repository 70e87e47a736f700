#!/usr/bin/env python3
"""HeCBench's CUDA programs under `corun cuda`: draws programs, runs them, prints their table.

    hecbench.py draw DIR [--seed N] [--n N]             why programs are not eligible, and a draw
    hecbench.py run DIR --corun PATH [--cc] [NAME...]   a verdict for each program
    hecbench.py run DIR --corun PATH --full [NAME...]   the same, of the unchanged programs
    hecbench.py table                                   the section of docs/reference/suites.md

DIR is the folder `src` of HeCBench as published. A draw depends on the data files in DIR: a copy
with more files has more eligible programs. `run` builds a copy beside the program, DIR/NAME.corun,
with nvcc or, with --cc, `corun cc`, and removes the copy; prints the processor time and the number
of launches repeated without execution (--memoize). With --full a program runs with the arguments of
its Makefile, for at most --seconds of processor time; elapsed time has a limit of nine times as
much. hecbench.csv has a row per program:

    arguments  of each run, separated by "; "; options: of corun cuda; cc_arguments: for --cc
    change     replacements in the source, "FILE: OLD -> NEW", separated by "; "; cc_change:
               further ones for --cc. With --full only changes of rows with full: yes are made
    full       yes: the arguments of the program's Makefile; no: the smaller part
    result     with nvcc; cc: with `corun cc`; decides: the source of the verdict
    seconds    of all runs with nvcc, each of at most --seconds; clock: processor or elapsed time

`run` prints "no verdict" where `decides` is our check, since our checks are additions to the
program's source and the tree contains no part of HeCBench, and where a program prints only its
error.
"""
import argparse
import collections
import csv
import json
import os
import random
import re
import resource
import shlex
import shutil
import subprocess

from run import first_line, shell

HERE = os.path.dirname(os.path.abspath(__file__))
# Programs of the first draw with data or headers missing, although their Makefile does not say so.
INCOMPLETE = ('henry', 'seam-carving', 'testSNAP', 'mt', 'nn')
# In a Makefile: other libraries (-lat and -lng are arguments), device code in several files,
# downloads; in a source: headers of libraries.
LIBRARIES = re.compile(r'\s-l(?!m\b|pthread\b|gomp\b|gfortran\b|at\b|ng\b)\w+|-rdc|-dc\b|'
                       r'mpi(?:cc|cxx|run)|wget|curl|pkg-config')
INCLUDES = re.compile(
    r'#\s*include\s*[<"](?:thrust/|cub/|cu(?:blas|fft|rand|sparse|solver|dnn|tensor|tlass|te/|'
    r'da/(?!std))|nccl|nv|npp|mpi\.h|boost/|opencv|gsl/|hdf5|fftw|zlib|GL/)')
SOURCE = r'\.(cuh?|c|cc|cpp|cxx|h|hpp|inl)$'
DATA = r'\.(txt|dat|bin|pgm|ppm|bmp|png|csv|mtx|in|fa|bz2|gz|raw)$'
GOOD = re.compile(r'\b(?:pass(?:ed)?|success|correct|verified|ok|match|'
                  r'(?:0|no) (?:error|mismatch|fail)\w*|errors? *[:=] *0(?:\.0*)?)\b', re.I)
BAD = re.compile(r'\b(?:fail(?:ed|ure)?|mismatch(?:es)?|incorrect|wrong|error:)', re.I)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8', errors='replace') as f:
        return f.read()


def rows():
    return list(csv.DictReader(read(HERE, 'hecbench.csv').splitlines()))


def run_lines(folder):
    """The commands of the Makefile's target `run`, without build commands."""
    p = subprocess.run(['make', '-n', '-o', 'main', 'run', 'LAUNCHER=LAUNCH', 'ARCH=sm_75'],
                       cwd=folder, capture_output=True, text=True, check=False)
    return [s.strip() for s in re.sub(r'\\\n', ' ', p.stdout).splitlines()
            if re.match(r'\s*(LAUNCH\s+)?\./\S+', s) or 'LAUNCH' in s]


def why_not(folder):
    """Why a program is not eligible; '' if the program is."""
    if not os.path.exists(os.path.join(folder, 'Makefile')):
        return 'no Makefile'
    found = LIBRARIES.search(read(folder, 'Makefile'))
    if found:
        return 'Makefile: ' + found.group(0)
    for here, _, files in os.walk(folder):
        for f in filter(re.compile(SOURCE).search, files):
            found = INCLUDES.search(read(here, f))
            if found:
                return f'{f}: {found.group(0)}'
    lines = run_lines(folder)
    for line in lines:
        if re.search(r'[|<]|\bcat\b|\bpython', line):
            return 'run: ' + line
        for word in shlex.split(line)[1:]:
            if (('/' in word or re.search(DATA, word)) and not word.startswith(('./main', '-'))
                    and not os.path.exists(os.path.join(folder, word))
                    and not re.search('out|result', word)):
                return 'missing data: ' + word
    return '' if lines else 'no target run'


def draw(o):
    names = sorted(n for n in os.listdir(o.dir) if n.endswith('-cuda'))
    why = {n: why_not(os.path.join(o.dir, n)) for n in names}
    order = [n for n in names if not why[n]]
    print(*(f'{n[:-5]}: {why[n]}' for n in names if why[n]), sep='\n')
    print(f'{len(order)} of {len(names)} are eligible')
    random.Random(o.seed).shuffle(order)
    order = [n[:-5] for n in order if n[:-5] not in INCOMPLETE]
    print(f'Drawn with seed {o.seed}:', *order[:o.n])


def verdict(status, said, decides):
    """Returns (result, the deciding line) of a run; the exit status is None after a time-out."""
    lines = said.strip().splitlines() or ['']
    bad = [s for s in lines if BAD.search(GOOD.sub('', s)) or re.search('not (ok|correct)', s)]
    good = [s for s in lines if GOOD.search(s)]
    if bad or status != 0:
        return 'wrong' if status == 0 else f'failed, exit status {status}', (bad or lines)[-1]
    right = 'our check' not in decides and (good or 'no error' in decides)
    return ('right' if right else 'no verdict'), (good or lines)[-1]


def build(o, folder, changes):
    """Why the build failed, else ''."""
    for one in '; '.join(filter(None, changes)).split('; ') if any(changes) else []:
        name, old, new = re.fullmatch(r'(\S+): (.*) -> (.*)', one).groups()
        text = read(folder, name)
        assert old in text, f'{name} has no {old}'
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
            f.write(text.replace(old, new))
    libraries = subprocess.check_output([o.corun, 'cuda', '--libdir', '13'], text=True).strip()
    env = dict(os.environ, PATH=os.environ['PATH'] + ':/usr/local/cuda/bin',
               NVCC_PREPEND_FLAGS='-cudart shared -L' + libraries)
    make = 'nice -n 5 make -B ARCH=sm_75'
    if o.cc:  # corun cc has no need of nvcc's option
        make = f"sed -i s/--expt-relaxed-constexpr// Makefile && {make} CC='{o.corun} cc'"
    status, said = shell(make, folder, 900, env)
    return '' if status == 0 else first_line(said, 'error', '.') or 'no output'


def run_one(o, row):
    name = row['program']
    folder = os.path.join(o.dir, name + '.corun')  # beside the others: sources include ../OTHER
    shutil.copytree(folder[:-6] + '-cuda', folder, dirs_exist_ok=True, symlinks=True)
    smaller = o.full and row['full'] != 'yes'
    why = build(o, folder, [not smaller and row['change'], o.cc and row['cc_change']])
    if why:
        print(f'{name}: not compiled: {why}', flush=True)
    arguments = ((o.cc and row['cc_arguments']) or row['arguments']).split('; ')
    if o.full:
        arguments = [re.sub(r'^(LAUNCH\s+)?\./main\s*', '', s) for s in run_lines(folder)]
    for one in [] if why else arguments:
        status, said, seconds, repeated = run_main(o, folder, row['options'], one)
        print(f'{name} {one}:', *verdict(status, said, row['decides']), f'({seconds:.1f} s, '
              f'{repeated} launches repeated)', flush=True)
    shutil.rmtree(folder)


def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def run_main(o, folder, options, arguments):
    """Returns (status, output, seconds of processor time, 'REPEATED of ALL' launches)."""
    result = os.path.join(folder, 'corun-result.json')
    line = (f'ulimit -t {o.seconds}; exec nice -n 5 {o.corun} cuda --quiet --gpu rtx2060 '
            f'--skip-kernels all {options} --json={result} -- ./main {arguments}')
    before = used()
    status, said = shell(line, folder, o.seconds * (9 if o.full else 1))
    repeated = '?'
    if os.path.exists(result):
        app = json.loads(read(result))['apps'][0]
        repeated = f'{app["repeated_launches"]} of {app["launches"]}'
    return status, said, used() - before, repeated


SECTION = """## HeCBench

Results of 60 programs of HeCBench (commit f27000a5), drawn with seed 20361126 from the 355 of 529
CUDA programs that need no other library and no missing data. Five programs of the draw (henry,
seam-carving, testSNAP, mt, nn) proved to lack data or headers; the next five replace them. Each
program was compiled for sm_75 and run functionally, `corun cuda --gpu rtx2060 --skip-kernels all`.

* nvcc 13.0: %d are right with the arguments of their Makefile, %d with fewer repetitions or smaller
  sizes, chosen to end within ten minutes and the memory; %d are wrong; %d has empty kernels only.
* `corun cc`: %d are right, %d of them with less work than after nvcc or with a changed source (see
  the row); %d are wrong; %d are not compiled, because a header or a function is missing.

Columns and words:

* *Full*: yes with the arguments of the Makefile; otherwise the reduced part.
* *Seconds*: processor time under nvcc, or, with e, elapsed time.
* *Own check*: a check by the program itself. *Our check*: an added check, where the program has
  none.

`test/cuda-suites/hecbench.py` draws and runs the programs and prints the section from
`hecbench.csv`; the file also has corun's options and the changed sizes.

| program | arguments | full | seconds | nvcc | corun cc | what decides |
|---|---|---|---|---|---|---|
"""


def section():
    every = rows()
    nvcc = collections.Counter((r['result'], r['full'] == 'yes') for r in every)
    cc = collections.Counter(re.match(r'[^,:]*', r['cc'])[0] for r in every)
    less = sum(bool(r['cc_arguments'] or 'right,' in r['cc'] or r['cc_change'])
               for r in every if r['cc'].startswith('right'))
    text = SECTION % (
        nvcc['right', True], nvcc['right', False], nvcc['wrong', True] + nvcc['wrong', False],
        nvcc['no verdict', True], cc['right'], less, cc['wrong'], cc['not compiled'])
    for r in every:
        seconds = r['seconds'] + (' e' if r['clock'] == 'elapsed' else '')
        part = r['cc_arguments'] or (r['cc_change'] and 'sizes in the source')
        cc = r['cc'] + (f' ({part})' if part and r['cc'].startswith('right') else '')
        text += (f"| {r['program']} | {r['arguments']} | {r['full']} | {seconds} | {r['result']} "
                 f"| {cc} | {r['decides']} |\n")
    return text


def main():
    a = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    a.add_argument('what', choices=('draw', 'run', 'table'))
    a.add_argument('dir', nargs='?', default='.', type=os.path.abspath)
    a.add_argument('names', nargs='*')
    a.add_argument('--corun', default='build/corun', type=os.path.abspath)
    a.add_argument('--cc', action='store_true', help='compile with corun cc')
    a.add_argument('--full', action='store_true', help='the arguments of the Makefile')
    for name, default in (('--seed', 20361126), ('--n', 60), ('--seconds', 600)):
        a.add_argument(name, type=int, default=default)
    o = a.parse_intermixed_args()
    if o.what == 'table':
        print(section(), end='')
    elif o.what == 'draw':
        draw(o)
    for row in rows() if o.what == 'run' else []:
        if row['program'] in (o.names or [row['program']]):
            run_one(o, row)


if __name__ == '__main__':
    main()
