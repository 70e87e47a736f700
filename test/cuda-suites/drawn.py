#!/usr/bin/env python3
"""Drawn kernels of recent CUDA projects under `corun cuda`, functionally and timed.

    drawn.py build DIR --corun PATH [NAME...]   compiles the programs, in the drawn order
    drawn.py reach DIR --corun PATH [NAME...]   notes the kernels that functional runs launch
    drawn.py run DIR --corun PATH [NAME...]     draws kernels, runs their programs, writes drawn.csv
    drawn.py table                              the section of docs/reference/suites.md

DIR holds the unchanged repositories (cuda-samples, llm.c, ggml, flash-attention, cutlass). Programs
are built in DIR/drawn; changes of sizes are made in copies. A run is right if the program's check
says so, functionally and timed. Both runs must print the same lines, without lines of times and
rates, and leave the same bytes in each allocation of device memory (memory.c). The tree contains no
part of the projects; attention.cu is our host program of FlashAttention 3.
"""
import argparse
import csv
import glob
import itertools
import json
import os
import random
import re
import subprocess
import time

import programs
from run import first_line, shell

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, 'drawn.csv')
SEED = 20457
SAMPLES = 61  # that short_samples and samples leave
COLUMNS = ['project', 'of', 'program', 'arguments', 'gpu', 'kernel', 'launches', 'timed', 'check',
           'result', 'equal', 'seconds']
LONG, MANY = 30, 300  # seconds and launches of a functional run
TIMED = 120  # seconds of a timed run with all launches
# Kernels drawn of each project, and programs, in an order drawn with SEED, of whose kernels.
DRAWS = {'cuda-samples': (12, 12), 'llm.c': (6, 8), 'ggml': (6, 1), 'CUTLASS': (4, 10),
         'FlashAttention 3': (2, 3)}
GPUS = {'sm_80': 'a100', 'sm_90a': 'h100', 'sm_120': 'rtx5090'}
TIMES = re.compile(r'\b(?:m?s|us|usec|msec|sec(?:onds)?|[GMK]i?B/s|[GT]?FLOPS?|G[Ff]lop/s|'
                   r'[Tt]ime|[Tt]hroughput|[Bb]andwidth|[Ee]lapsed)\b|time', re.I)
BAD = r'FAIL|[Ff]ailed|ERROR|[Mm]ismatch|WRONG|Incorrect'
CUTLASS = {
    '48_hopper_warp_specialized_gemm': '--m=256 --n=256 --k=128 --iterations=0',
    '50_hopper_gemm_with_epilogue_swizzle': '--m=256 --n=256 --k=128',
    '52_hopper_gather_scatter_fusion': '--m=256 --n=256 --k=128 --index_size=128 --iterations=1',
    '54_hopper_fp8_warp_specialized_gemm': '--m=256 --n=256 --k=128 --iterations=0',
    '55_hopper_mixed_dtype_gemm': '--m=256 --n=256 --k=256 --iterations=0',
    '56_hopper_ptr_array_batched_gemm': '--m=256 --n=128 --k=128 --l=2 --iterations=0',
    '57_hopper_grouped_gemm': '--m=128 --n=128 --k=64 --groups=1 --iterations=0',
    '61_hopper_gemm_with_topk_and_softmax': '',
    '62_hopper_sparse_gemm': '--m=256 --n=128 --k=256 --iterations=0',
    '63_hopper_gemm_with_weight_prefetch': '--m=256 --n=256 --k=256 --iterations=0',
}
# Checks of programs without their own, made once by hand.
OUR_CHECKS = {'segmentationTreeThrust': 'our check: functionally, from the whole image, both '
                                        "of the suite's images byte for byte"}
# Programs of llm.c take the number of a kernel.
KERNELS = {'adamw': 2, 'matmul_backward_bias': 9, 'encoder_backward': 2, 'gelu_backward': 2,
           'classifier_fused': 5, 'attention_forward': 5, 'global_norm': 4, 'permute': 1,
           'fused_residual_forward': 6, 'crossentropy_softmax_backward': 1}
# The first files of ggml's CUDA folder in an order drawn with SEED, with their operations; without
# fwht.cu, whose operation has no name in ggml's test.
GGML = {'mean': 'MEAN', 'tsembd': 'TIMESTEP_EMBEDDING', 'softcap': 'SOFTCAP',
        'upscale': 'UPSCALE -p ne_tgt', 'ssm-conv': 'SSM_CONV', 'set-rows': 'SET_ROWS'}
VARIANTS = {'64': '-DHEAD=64', '64 causal': '-DHEAD=64 -DCAUSAL=true', '128': '-DHEAD=128 -DCM=2'}


class One:
    """A program: several argument lists reach different kernels."""
    def __init__(self, project, name, arch, build, arguments, **more):
        self.project, self.name, self.arch, self.build = project, name, arch, build
        self.arguments, self.folder = arguments, more.get('folder', '.')
        self.change, self.says = more.get('change', ()), more.get('says', '')
        self.copy = more.get('copy', ())


def shuffled(names, project):
    names = sorted(names)
    random.Random(f'{SEED} {project}').shuffle(names)
    return names


def nvcc(arch):
    return (f'nvcc -O3 -w -cudart shared -gencode arch={arch.replace("sm", "compute")},'
            f'code={arch.replace("sm", "compute")}')


def short_samples():
    """Samples that are right on rtx2060 within half a minute, or need another GPU (results.csv)."""
    with open(os.path.join(HERE, 'results.csv'), encoding='utf-8') as f:
        rows = [r for r in csv.DictReader(f) if r['suite'] == 'cuda-samples']
    return {r['program'] for r in rows if 'SM 8.0' in r['why'] or
            (r['result'] == 'right' and float(r['seconds']) <= 30)}


def samples(top):
    """Without samples that need a library or call the driver API, and samples without a kernel."""
    every, short = {}, short_samples()
    for p in programs.samples(top):
        folder = os.path.join(top, p.folder)
        text = ''.join(open(f, encoding='utf-8', errors='replace').read()
                       for f in glob.glob(os.path.join(folder, '*.cu*')))
        if (p.name in short and not p.out and '-lcuda' not in p.build and '<<<' in text and
                not programs.libraries_of(folder)):
            every[p.name] = p
    for n, name in enumerate(shuffled(every, 'cuda-samples')):
        p, arch = every[name], list(GPUS)[n % 3]
        yield One('cuda-samples', name, arch, p.build.replace('nvcc', nvcc(arch)),
                  [p.command.partition(' ')[2]], folder=os.path.relpath(p.folder), says=p.right)


def llm(top):
    names = [os.path.basename(f)[:-3] for f in glob.glob(os.path.join(top, 'llm.c/dev/cuda/*.cu'))]
    sizes = [(r'(int\w* B) = \d+;', r'\1 = 1;'), (r'(int\w* T) = \d+;', r'\1 = 128;'),
             (r'repeat_times = \d+;', 'repeat_times = 1;')]
    for n, name in enumerate(shuffled(names, 'llm.c')):
        arch = list(GPUS)[n % 3]
        yield One('llm.c', name, arch, f'{nvcc(arch)} --use_fast_math -std=c++17 -I../llm.c/dev'
                  f'/cuda {name}.cu -o {name} -lcublas -lcublasLt',
                  [str(k + 1) for k in range(KERNELS.get(name, 0))], change=sizes,
                  copy=(f'llm.c/dev/cuda/{name}.cu',), says='[Aa]ll results match')


def cutlass(_):
    for name in shuffled(CUTLASS, 'CUTLASS'):
        c = '../cutlass'
        yield One('CUTLASS', name, 'sm_90a', f'{nvcc("sm_90a")} -std=c++17 --expt-relaxed-constexpr'
                  f' -I{c}/include -I{c}/tools/util/include -I{c}/examples/common '
                  f'{c}/examples/{name}/{name}.cu -o {name} -lcuda', [CUTLASS[name]],
                  says='Passed|passed|Disposition')


def attention(_):
    f, c = '../flash-attention/hopper', '../cutlass'
    for name in shuffled(VARIANTS, 'FlashAttention 3'):
        yield One('FlashAttention 3', 'attention ' + name, 'sm_90a',
                  f'{nvcc("sm_90a")} -std=c++17 --expt-relaxed-constexpr --expt-extended-lambda '
                  f'-DCUTLASS_ENABLE_TENSOR_CORE_MMA=1 -I{f} -I{c}/include {VARIANTS[name]} '
                  f'{HERE}/attention.cu -o "attention {name}" -lcuda', ['128 128'], says='right')


def ggml(_):
    """ggml's test of a backend, with the CPU backend to compare with and the files of GGML only:
    operations of other files are not called."""
    host = ('src/*.c src/ggml*.cpp src/gguf.cpp src/ggml-cpu/*.c src/ggml-cpu/*.cpp '
            'src/ggml-cpu/arch/x86/* tests/test-backend-ops.cpp')
    include = '-Iinclude -Isrc -Isrc/ggml-cpu -Isrc/ggml-cuda -DGGML_USE_CPU -DGGML_USE_CUDA'
    files = ' '.join(f'src/ggml-cuda/{name}.cu' for name in ('ggml-cuda', *GGML))
    out = '../drawn/ggml.o'
    build = (f'mkdir -p ggml.o && cd ../ggml && for f in {host}; do '
             f'case $f in *.c) c="gcc -std=c11";; *) c="g++ -std=c++17";; esac; '
             f'$c -w -O2 -D_GNU_SOURCE -mavx2 -mfma -mf16c -mbmi2 -DGGML_SCHED_MAX_COPIES=4 '
             f"-DGGML_VERSION='\"0\"' -DGGML_COMMIT='\"0\"' {include} -c $f "
             f'-o {out}/$(echo $f | tr / -).o || exit 1; done && for f in {files}; do '
             f'{nvcc("sm_80")} -std=c++17 --expt-relaxed-constexpr --expt-extended-lambda '
             f'-DGGML_CUDA_PEER_MAX_BATCH_SIZE=128 {include} -c $f '
             f'-o {out}/$(basename $f).o || exit 1; done && '
             f'g++ -no-pie {out}/*.o -Wl,--unresolved-symbols=ignore-all -lcudart -lcublas -lcuda '
             f'-L/usr/local/cuda/lib64 -lpthread -ldl -o ../drawn/test-backend-ops')
    yield One('ggml', 'test-backend-ops', 'sm_80', build,
              [f'test -o {op} -b CUDA0' for op in GGML.values()], says='tests passed')


STRATA = {'cuda-samples': samples, 'llm.c': llm, 'ggml': ggml, 'CUTLASS': cutlass,
          'FlashAttention 3': attention}


def drawn_programs(o):
    """The programs of whose kernels some are drawn."""
    for project, strata in STRATA.items():
        for p in itertools.islice(strata(o.dir), DRAWS[project][1]):
            if not o.names or p.name in o.names:
                yield p


def home(o, p):
    return os.path.join(o.dir, 'drawn') if p.folder == '.' else os.path.join(o.dir, p.folder)


def small_image(o, p):
    """Keeps every eighth pixel of every eighth row of the image that the sample segments."""
    path = os.path.join(home(o, p), 'data/test.ppm')
    with open(path, 'rb') as f:
        head, size, depth, pixels = re.fullmatch(rb'(P6\n(?:#[^\n]*\n)*)(\d+ \d+)\n(\d+)\n(.*)',
                                                 f.read(), re.S).groups()
    width, height = map(int, size.split())
    if width < 640:
        return
    rows = [pixels[3 * width * y:3 * width * (y + 1)] for y in range(0, height, 8)]
    pixels = b''.join(row[3 * x:3 * x + 3] for row in rows for x in range(0, width, 8))
    with open(path, 'wb') as f:
        f.write(head + b'%d %d\n' % ((width + 7) // 8, len(rows)) + depth + b'\n' + pixels)


def build_all(o):
    os.makedirs(os.path.join(o.dir, 'drawn'), exist_ok=True)
    subprocess.run(['gcc', '-O2', '-shared', '-fPIC', os.path.join(HERE, 'memory.c'), '-ldl', '-o',
                    os.path.join(o.dir, 'drawn', 'memory.so')], check=True)
    for p in drawn_programs(o):
        if p.name == 'segmentationTreeThrust':
            small_image(o, p)
        if os.path.exists(os.path.join(home(o, p), p.name)):
            continue
        for source in p.copy:
            with open(os.path.join(o.dir, source), encoding='utf-8') as f:
                text = f.read()
            for old, new in p.change:
                text = re.sub(old, new, text)
            with open(os.path.join(home(o, p), os.path.basename(source)), 'w') as f:
                f.write(text)
        start = time.time()
        status, said = shell('nice -n 5 ' + p.build, home(o, p), 1200)
        print(p.project, p.name, p.arch, 'built' if not status else first_line(said, 'error', '.'),
              f'{time.time() - start:.0f} s', flush=True)


def one_run(o, p, arguments, options, seconds):
    """Returns (status, output, lines of memory.c, seconds)."""
    where = os.path.join(o.dir, 'drawn')
    hashes = os.path.join(where, f'hashes.{os.getpid()}')
    if os.path.exists(hashes):
        os.remove(hashes)
    program = './' + p.name.replace(' ', '\\ ')
    command = (f'nice -n 1 {o.corun} cuda --gpu {GPUS[p.arch]} --quiet --alone skip {options} -- '
               f'env LD_PRELOAD={where}/memory.so {program} {arguments}')
    start = time.time()
    status, said = shell(command, home(o, p), seconds, dict(os.environ, MEMORY_HASHES=hashes))
    left = ''
    if os.path.exists(hashes):
        with open(hashes, encoding='utf-8') as f:
            left = f.read()
    return status, said, left, time.time() - start


def kernels_of(left):
    """{name: (launches, order of the first)} of the lines of memory.c."""
    found = {}
    for line in left.splitlines():
        if line.startswith('kernel'):
            _, n, first, name = line.split(' ')
            found[name] = int(n), int(first)
    return found


def right(p, status, said):
    """(True, False, or None: no check; the deciding line)."""
    if status != 0:
        return False, first_line(said, BAD, 'rror', '.') or f'exit status {status}'
    if callable(p.says):
        return p.says(said, '')
    bad = re.search(BAD, said)
    return not bad and bool(re.search(p.says, said)), (bad.group(0) if bad
                                                       else first_line(said, p.says))


def kept(o, name):
    path = os.path.join(o.dir, 'drawn', name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def keep(o, name, what):
    with open(os.path.join(o.dir, 'drawn', name), 'w', encoding='utf-8') as f:
        json.dump(what, f, indent=1)


def reach_all(o):
    """Notes "project|program|arguments" -> {kernel: (launches, first)} of functional runs."""
    reached = kept(o, 'reached.json')
    for p in drawn_programs(o):
        for arguments in p.arguments:
            key = '|'.join((p.project, p.name, arguments))
            if key in reached or not os.path.exists(os.path.join(home(o, p), p.name)):
                continue
            status, said, left, took = one_run(o, p, arguments, '--skip-kernels all', o.seconds)
            ok, why = right(p, status, said)
            found = kernels_of(left)
            print(key, ok, why, f'{took:.1f} s', len(found), flush=True)
            if ok is not False:
                reached[key] = found
                keep(o, 'reached.json', reached)


def draw(o):
    """Yields (program, arguments, kernel, kernels of the project) of the drawn kernels."""
    reached, every = kept(o, 'reached.json'), {p.name: p for p in drawn_programs(o)}
    for project, (n, _) in DRAWS.items():
        arguments = {}
        for key in sorted(reached):
            of, name, how = key.split('|')
            for kernel in reached[key] if of == project else ():
                arguments.setdefault((name, kernel), how)
        for name, kernel in shuffled(arguments, project + ' kernels')[:n]:
            if name in every:
                yield every[name], arguments[name, kernel], kernel, len(arguments)


def lines_of(said):
    return [s for s in said.splitlines() if not TIMES.search(s)]


def compare(o, p, arguments, kernel, functional):
    """Returns (launches, launches with time, result, what is equal, the deciding line, seconds) of
    a timed run beside the functional run. Where a run with all launches takes long, only the first
    launch of the kernel has time."""
    found = kernels_of(functional[2])
    launches, first = found[kernel]
    timed, run = launches, (None,)
    if functional[3] <= LONG and sum(n for n, _ in found.values()) <= MANY:
        run = one_run(o, p, arguments, '', TIMED)
    if run[0] is None:
        timed, run = 1, one_run(o, p, arguments, f'--kernels {first}-{first}', o.seconds)
    runs = [functional, run]
    verdicts = [right(p, one[0], one[1]) for one in runs]
    result = 'right' if all(ok is not False for ok, _ in verdicts) else 'wrong'
    if run[0] is None:
        result = 'timed run not ended'
    memory = [[s for s in one[2].splitlines() if not s.startswith('kernel')] for one in runs]
    equal = 'output' if lines_of(runs[0][1]) == lines_of(runs[1][1]) else 'NOT output'
    if memory[0]:
        bags = [[line.split(' ')[:3] for line in one] for one in memory]
        equal += (f', {len(memory[0])} allocations' if memory[0] == memory[1] else
                  ', words of memory in another order' if bags[0] == bags[1] else ', NOT memory')
    why = OUR_CHECKS.get(p.name, verdicts[1][1].replace(', no verdict printed', ''))
    return launches, timed, result, equal, why, run[3]


def short_name(kernel):
    """The name of a mangled kernel without parameters and arguments of templates."""
    name = subprocess.check_output(['c++filt', kernel], text=True).strip()
    while re.search('<[^<>]*>', name):
        name = re.sub('<[^<>]*>', '', name)
    name = re.sub(r'^_ZN7cutlass13device_kernelI.*', 'cutlass::device_kernel', name)  # too long
    return re.sub(r'^void ', '', re.sub(r'\(.*', '', name.replace('(anonymous namespace)::', '')))


def run_all(o):
    order, functional = [], {}
    for p, arguments, kernel, of in draw(o):
        key = '|'.join((p.project, p.name, arguments, kernel))
        order.append(key)
        if key not in kept(o, 'rows.json'):
            if (p.name, arguments) not in functional:
                functional[p.name, arguments] = one_run(o, p, arguments, '--skip-kernels all',
                                                        o.seconds)
            launches, timed, result, equal, why, took = compare(o, p, arguments, kernel,
                                                                functional[p.name, arguments])
            row = dict(zip(COLUMNS, (p.project, of, p.name, arguments, GPUS[p.arch],
                                     short_name(kernel), launches, timed, why, result, equal,
                                     f'{took:.0f}')))
            keep(o, 'rows.json', {**kept(o, 'rows.json'), key: row})
            print(*row.values(), sep=' | ', flush=True)
    rows = kept(o, 'rows.json')
    with open(TABLE, 'w', encoding='utf-8', newline='') as f:
        writer = csv.DictWriter(f, COLUMNS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows[key] for key in order)


SECTION = """## Drawn kernels

%d kernels, drawn with seed %d among the kernels that %d programs of five recent projects launch.
Each program ran twice under `corun cuda`: functionally (`--skip-kernels all`) and timed.

* The answers of both runs are right, by the program's check, for %d kernels. The host program of
  FlashAttention 3 is ours (`test/cuda-suites/attention.cu`).
* Both runs print the same lines, without lines of times and rates, for %d kernels. The programs of
  %d kernels allocate memory by `cudaMalloc`; for %d of them both runs leave the same bytes in each
  allocation when the program frees the memory or ends. The warps of filter_arr take places in the
  order of their atomics: there the words of each allocation are the same, in another order.
* The draw: programs first, then kernels among those that the programs launch, without kernels of
  corun's libraries. cuda-samples: %d of the %d programs that are right within half a minute without
  a library and the driver API. llm.c: %d of the 22 programs, with B = 1, T = 128 and one
  repetition. ggml: six files of the CUDA backend with an operation in `test-backend-ops`. CUTLASS:
  the ten Hopper examples of [cuda.md](cuda.md). FlashAttention 3: three variants.

*Timed*: launches of the kernel with time, only the first in programs that ran functionally for half
a minute, with time for two minutes, or with more than 300 launches; all others run functionally.
*Check*: the line that decides, or the exit status. *Of*: kernels of the project in the draw.
*Seconds*: elapsed time of the timed run beside other work. segmentationTreeThrust ran with an
eighth of its image each way. `test/cuda-suites/drawn.py` draws and runs the kernels and prints the
section from `drawn.csv`.

"""
HEADINGS = ('project', 'of', 'program', 'GPU', 'kernel', 'launches', 'timed', 'check', 'result',
            'equal', 'seconds')


def section():
    """The section of docs/reference/suites.md, from drawn.csv."""
    with open(TABLE, encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    lines = [HEADINGS, ['---'] * len(HEADINGS)]
    for r in rows:
        name = r['program'] + (f' `{r["arguments"]}`' if r['arguments'] else '')
        lines.append((r['project'], r['of'], name, r['gpu'], r['kernel'], r['launches'],
                      r['timed'], r['check'], r['result'],
                      r['equal'].replace(' 1 allocations', ' 1 allocation'), r['seconds']))
    memory = [r for r in rows if ',' in r['equal']]
    return SECTION % (len(rows), SEED, sum(n for _, n in DRAWS.values()),
                      sum(r['result'] == 'right' for r in rows),
                      sum(r['equal'].startswith('output') for r in rows), len(memory),
                      sum('allocations' in r['equal'] for r in memory), DRAWS['cuda-samples'][1],
                      SAMPLES, DRAWS['llm.c'][1]) + ''.join(
                          '| ' + ' | '.join(line) + ' |\n' for line in lines).replace(
                              '| --- ', '|---').replace('--- |\n', '---|\n')


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    p.add_argument('what', choices=('build', 'reach', 'draw', 'run', 'table'))
    p.add_argument('dir', nargs='?')
    p.add_argument('names', nargs='*')
    p.add_argument('--corun', default='build/corun')
    p.add_argument('--seconds', type=int, default=60)
    o = p.parse_args()
    o.corun, o.dir = os.path.abspath(o.corun), os.path.abspath(o.dir or '.')
    if o.what == 'table':
        print(section(), end='')
    elif o.what == 'draw':
        for p, arguments, kernel, of in draw(o):
            print(p.project, of, p.name, arguments, short_name(kernel))
    else:
        {'build': build_all, 'reach': reach_all, 'run': run_all}[o.what](o)


if __name__ == '__main__':
    main()
