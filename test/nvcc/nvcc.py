#!/usr/bin/env python3
"""Real programs: own sources compiled by NVIDIA's compiler, linked in each way supported by corun,
run and checked; and rejected programs. `make test-cuda`.

    test/nvcc/nvcc.py BUILD     skipped without nvcc; NVCC names another
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLE = os.path.join(ROOT, 'examples/program/relax.cu')
WHOLE = os.path.join(HERE, 'whole.cu')
ASSERTS = os.path.join(HERE, 'asserts.cu')
PARTS = [os.path.join(HERE, 'part_one.cu'), os.path.join(HERE, 'part_two.cu')]
PTX = ['-gencode', 'arch=compute_75,code=compute_75']
VERSIONS = os.path.join(HERE, 'versions.cu')
LATER = ['-gencode', 'arch=compute_90,code=compute_90']
CODE = ['-gencode', 'arch=compute_75,code=sm_75']
OWN_STREAM = ['--default-stream', 'per-thread']
SHARED, STATIC, NVIDIA = 'shared', 'static', "NVIDIA's"
# name, sources, options, run-time library, expected output, exit status
CASES = [
    ('the example, shared', [EXAMPLE], PTX, SHARED, 'steps', 0),
    ('the example, static', [EXAMPLE], PTX, STATIC, 'steps', 0),
    ('whole, shared', [WHOLE], PTX, SHARED, 'kernel 7\nall right', 0),
    ('whole, static', [WHOLE], PTX, STATIC, 'kernel 7\nall right', 0),
    ('not optimized, with debug information', [WHOLE], [*PTX, '-g', '-G'], SHARED, 'all right', 0),
    ('PTX beside machine code', [WHOLE], ['-arch=sm_75'], SHARED, 'all right', 0),
    ('packed fast', [WHOLE], [*PTX, '-Xfatbin', '-compress-all', '--compress-mode=speed'], SHARED,
     'all right', 0),
    ('packed small', [WHOLE], [*PTX, '-Xfatbin', '-compress-all', '--compress-mode=size'], SHARED,
     'all right', 0),
    ('a default stream for each thread, shared', [WHOLE], [*PTX, *OWN_STREAM], SHARED,
     'kernel 7\nall right', 0),
    ('a default stream for each thread, static', [WHOLE], [*PTX, *OWN_STREAM], STATIC,
     'kernel 7\nall right', 0),
    ('a failed assertion', [ASSERTS], PTX, SHARED,
     'thread: [31,0,0] Assertion `(int)(blockIdx.x * blockDim.x + threadIdx.x) < most` failed.\n'
     'all right', 0),
    ('several objects linked for the device, shared', PARTS, [*PTX, *CODE, '-rdc=true'], SHARED,
     'all right', 0),
    ('several objects linked for the device, static', PARTS, [*PTX, *CODE, '-rdc=true'], STATIC,
     'all right', 0),
    ('PTX for several devices, shared', [VERSIONS], [*LATER, *PTX], SHARED,
     'device 7.5 runs code of 750: cudaSuccess', 0),
    ('PTX for several devices, static', [VERSIONS], [*PTX, *LATER], STATIC,
     'device 7.5 runs code of 750: cudaSuccess', 0),
    ('PTX for several devices, objects linked for the device', [VERSIONS],
     [*PTX, *LATER, '-rdc=true'], SHARED, 'device 7.5 runs code of 750: cudaSuccess', 0),
    ('PTX for later devices only', [VERSIONS], LATER, SHARED,
     'device 7.5 runs code of 0: cudaErrorNoKernelImageForDevice', 0),
    ('machine code beside PTX for later devices', [VERSIONS], [*CODE, *LATER], SHARED,
     'machine code for sm_75, which corun cannot run, and PTX for sm_90', 2),
    ('machine code only', [WHOLE], CODE, SHARED, 'machine code for sm_75 only', 2),
    ("with NVIDIA's static run time", [WHOLE], PTX, NVIDIA, "NVIDIA's static run time", 2),
]


def run(command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', check=False, **how)


def compiled(nvcc, corun, sources, options, library, program):
    env = dict(os.environ)
    env.pop('NVCC_PREPEND_FLAGS', None)
    if library == SHARED:
        options = [*options, '-cudart', 'shared']
    if library == STATIC:
        version = run([nvcc, '--version']).stdout
        major = re.search(r'release (\d+)', version).group(1)
        folder = run([corun, 'cuda', '--libdir', major]).stdout.strip()
        env['NVCC_PREPEND_FLAGS'] = '-L' + folder
    return run([nvcc, *options, *sources, '-o', program], env=env)


def main(build):
    corun = os.path.join(os.path.abspath(build), 'corun')
    nvcc = shutil.which(os.environ.get('NVCC') or 'nvcc') or '/usr/local/cuda/bin/nvcc'
    if not os.access(nvcc, os.X_OK):
        print('1..1\nok 1 # skip nvcc is not here')
        return 0
    bad = 0
    for i, (name, sources, options, library, text, status) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'program')
            made = compiled(nvcc, corun, sources, options, library, program)
            ran = made if made.returncode else run([corun, 'cuda', '--quiet', program], cwd=folder)
        good = not made.returncode and ran.returncode == status and text in ran.stdout
        bad += not good
        print('%sok %d - %s' % ('' if good else 'not ', i, name))
        if not good:
            print('# status %d\n# %s' % (ran.returncode, ran.stdout[-2000:].replace('\n', '\n# ')))
    print('1..%d' % len(CASES))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
