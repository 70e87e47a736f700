#!/usr/bin/env python3
"""Compares corun's registers per thread without machine code with those of ptxas.

    python3 test/ptx/registers.py BUILD PTXAS

prints each kernel with the registers live at once, and for each of ARCHS corun's estimate
(exec.registers=ptxas) and ptxas's number; then the mean errors of both.

Each kernel of workloads/ that a run at the test size launches, with products fused as by ptxas.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, '..', '..', 'workloads')
ARCHS = ['sm_80', 'sm_90', 'sm_120']
MACHINES = {'sm_80': 'a100', 'sm_90': 'h100', 'sm_120': 'rtx5090'}
TARGET = r'\.target sm_\d+'  # of most files: older than all that ptxas 13 knows


def of_ptxas(ptxas, name, folder, arch):
    """Returns kernel -> registers."""
    with open(os.path.join(WORKLOADS, name, 'kernel.ptx'), encoding='utf-8') as f:
        text = re.sub(TARGET, '.target sm_80', f.read(), count=1)
    path = os.path.join(folder, name + '.ptx')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(re.sub(r'\.version \d+\.\d+', '.version 8.0', text, count=1))
    said = subprocess.run([ptxas, '-v', '-arch=' + arch, path, '-o', path + '.cubin'],
                          stderr=subprocess.PIPE, text=True, check=True).stderr
    parts = re.split(r"Compiling entry function '(\w+)'", said)[1:]
    found = {k: re.search(r'Used (\d+) registers', of)
             for k, of in zip(parts[::2], parts[1::2])}
    return {k: int(m.group(1)) for k, m in found.items() if m}


def of_corun(corun, name, folder, gpu, registers):
    """Returns kernel -> registers; nothing for a program without a test size of its own."""
    path = os.path.join(folder, name + '.json')
    done = subprocess.run([corun, 'run', name + ':size=test', '--gpu', gpu, '--set',
                           'exec.registers=' + registers, '--until', 'end', '--alone', 'skip',
                           '--quiet', '--json', path],
                          stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        return {}
    with open(path, encoding='utf-8') as f:
        kernels = json.load(f)['apps'][0]['kernels']
    return {k['name']: k['registers_per_thread'] for k in kernels}


def main():
    corun, ptxas = os.path.join(sys.argv[1], 'corun'), sys.argv[2]
    errors = {arch: [] for arch in ARCHS}
    names = [n for n in sorted(os.listdir(WORKLOADS))
             if os.path.exists(os.path.join(WORKLOADS, n, 'kernel.ptx'))]
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            right = {arch: of_ptxas(ptxas, name, folder, arch) for arch in ARCHS}
            live = of_corun(corun, name, folder, 'a100', 'live')
            estimates = {arch: of_corun(corun, name, folder, MACHINES[arch], 'ptxas')
                         for arch in ARCHS if live}
            for kernel, n in live.items():
                found = [(estimates[arch].get(kernel), right[arch].get(kernel)) for arch in ARCHS]
                if None in sum(found, ()):
                    continue
                print('%-20s %3d  %s' % (kernel, n, '  '.join('%3d %3d' % k for k in found)))
                for arch, (estimate, k) in zip(ARCHS, found):
                    errors[arch].append(((n - k) / k, (estimate - k) / k))
    for arch, pairs in errors.items():
        for what, e in zip(('live', 'estimate'), zip(*pairs)):
            print('%s %s: %d kernels, mean absolute error %.1f %%, mean error %+.1f %%' %
                  (arch, what, len(e), 100 * statistics.mean(map(abs, e)),
                   100 * statistics.mean(e)))


if __name__ == '__main__':
    main()
