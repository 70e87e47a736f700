#!/usr/bin/env python3
"""Compares corun's registers per thread without machine code with those of ptxas.

    python3 test/ptx/registers.py BUILD PTXAS [FOLDER]

prints each kernel with the registers live at once, and for each of ARCHS corun's estimate
(exec.registers=ptxas) and ptxas's number; then the table of docs/reference/machine-code.md, for
the projects that constants were chosen with and for the other half.

The kernels: workloads/*/kernel.ptx, except microbenchmarks, and FOLDER/PROJECT__*.ptx; at most six
of a project.
"""
import collections
import glob
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = os.path.join(HERE, '..', '..', 'workloads')
MACHINES = {'sm_80': 'a100', 'sm_90': 'h100', 'sm_120': 'rtx5090'}
THREADS = {'sm_80': 2048, 'sm_90': 2048, 'sm_120': 1536}  # of an SM
SM_REGISTERS, GROUP = 65536, 8
MICROBENCHMARKS = ('bandwidth', 'chase', 'clones', 'probe', 'rate', 'synth')
KERNELS_MAX = 6
ENTRY = r'\.entry\s+([\w$]+)\s*\('


def project(path):
    if os.path.basename(path) == 'kernel.ptx':
        return os.path.basename(os.path.dirname(path))
    return os.path.basename(path).split('__')[0]


def is_other(path):
    """True for projects of the other half, drawn by a hash of the name."""
    name = '43:' + re.sub('[-_]', '', project(path))
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) & 1 == 1


def of_ptxas(ptxas, path, folder, arch):
    """Returns {kernel: registers}; nothing for a file that ptxas refuses."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    target = int(re.search(r'\.target sm_(\d+)', text)[1])
    text = re.sub(r'\.target sm_\w+', '.target sm_%d' % max(target, 80), text, count=1)
    text = re.sub(r'\.version [\d.]+', '.version 9.0', text, count=1)
    at = os.path.join(folder, 'k.ptx')
    with open(at, 'w', encoding='utf-8') as f:
        f.write(text)
    said = subprocess.run([ptxas, '-v', '-arch=' + arch, at, '-o', at + '.cubin'],
                          stderr=subprocess.PIPE, text=True, check=False).stderr
    parts = re.split(r"Compiling entry function '([\w$]+)'", said)[1:]
    found = {k: re.search(r'Used (\d+) registers', of)
             for k, of in zip(parts[::2], parts[1::2])}
    return {k: int(m[1]) for k, m in found.items() if m}


def of_corun(corun, path, gpu, registers):
    """Returns {kernel: registers}."""
    said = subprocess.run([corun, 'ptx', path, '--gpu', gpu, '--set',
                           'exec.registers=' + registers],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=False).stdout.split('\n')
    at = said[0].find('registers')
    cells = [line[at:].split(' ', 1)[0] for line in said[1:]]
    numbers = [c for c in cells if c.isdigit() or c == '-']
    with open(path, encoding='utf-8') as f:
        names = re.findall(ENTRY, f.read())
    if at < 0 or len(numbers) != len(names):
        return {}
    return {name: int(n) for name, n in zip(names, numbers) if n != '-'}


def blocks(registers, threads, arch):
    """Returns the number of blocks that registers and threads let an SM hold."""
    rounded = (max(registers, 1) + GROUP - 1) // GROUP * GROUP
    return min(SM_REGISTERS // (rounded * threads), THREADS[arch] // threads)


def percent(values):
    return '%.1f %%' % (100 * statistics.mean(values))


def table(rows):
    """Returns the lines of the table: of each arch the (live, estimate, right) registers."""
    def row(head, cell):
        return '| %s | %s |' % (head, ' | '.join(cell(a, rows[a]) for a in MACHINES))

    def errors(k):
        def cell(_, found):
            e = [(r[k] - r[2]) / r[2] for r in found]
            return '%s (%+.1f %%)' % (percent(map(abs, e)), 100 * statistics.mean(e))
        return cell

    def right(k):
        return lambda a, found: '%.0f %%' % (100 * statistics.mean(
            blocks(r[k], n, a) == blocks(r[2], n, a) for r in found
            for n in (64, 128, 256, 512, 1024)))
    return [row('kernels', lambda _, found: '%d' % len(found)),
            row('`live`: mean absolute error (mean error)', errors(0)),
            row('estimate: mean absolute error (mean error)', errors(1)),
            row('estimate: median absolute error', lambda _, found: '%.1f %%' % (
                100 * statistics.median(abs(r[1] - r[2]) / r[2] for r in found))),
            row('`live`: right blocks per SM (64 to 1024 threads)', right(0)),
            row('estimate: right blocks per SM', right(1))]


def main():
    corun, ptxas = os.path.join(sys.argv[1], 'corun'), sys.argv[2]
    paths = sorted(glob.glob(os.path.join(WORKLOADS, '*', 'kernel.ptx')))
    paths += sorted(glob.glob(os.path.join(sys.argv[3], '*.ptx'))) if len(sys.argv) > 3 else []
    halves = [collections.defaultdict(list) for _ in range(2)]
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            if project(path) in MICROBENCHMARKS:
                continue
            live = of_corun(corun, path, 'a100', 'live')
            for arch, gpu in MACHINES.items():
                right = of_ptxas(ptxas, path, folder, arch)
                estimates = of_corun(corun, path, gpu, 'ptxas')
                for kernel, n in right.items():
                    if kernel not in live or kernel not in estimates:
                        continue
                    counts[project(path), arch] += 1
                    if counts[project(path), arch] > KERNELS_MAX:
                        break
                    print('%-20s %-44.44s %-6s live %3d estimate %3d ptxas %3d' % (
                        project(path), kernel, arch, live[kernel], estimates[kernel], n))
                    halves[is_other(path)][arch].append((live[kernel], estimates[kernel], n))
    for half, rows in zip(('half of the choice', 'other half'), halves):
        if all(rows[a] for a in MACHINES):
            print('\n%s, %d projects' % (half, len({p for p, _ in counts})))
            print('\n'.join(table(rows)))


if __name__ == '__main__':
    main()
