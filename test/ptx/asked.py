"""Asks ptxas or corun about many forms at once: a kernel for each, one line of text for each."""
import os
import re
import subprocess
import tempfile

import forms


def text(some, arch):
    """One PTX module and the form of each of its lines."""
    lines = (forms.MODULE % arch).splitlines()
    owner = {}
    for k, (head, body) in some:
        part = ' '.join((forms.KERNEL % (head, k, body)).split())
        lines.append(part)
        owner[len(lines)] = k
    return '\n'.join(lines) + '\n', owner


def ptxas(some, arch, tool):
    """The numbers of the forms (number, (head, body)) that ptxas accepts."""
    left = list(some)
    while left:
        source, owner = text(left, arch)
        with tempfile.NamedTemporaryFile('w', suffix='.ptx') as f:
            f.write(source)
            f.flush()
            p = subprocess.run([tool, '-arch=' + arch, '-o', '/dev/null', f.name],
                               capture_output=True, text=True, errors='replace')
        if p.returncode == 0:
            return {k for k, _ in left}
        wrong = {owner.get(int(n)) for n in re.findall(r', line (\d+); *(?:error|fatal)',
                                                      p.stderr + p.stdout)}
        wrong.discard(None)
        if not wrong:
            if len(left) == 1:
                return set()
            half = len(left) // 2
            return ptxas(left[:half], arch, tool) | ptxas(left[half:], arch, tool)
        left = [x for x in left if x[0] not in wrong]
    return set()


def corun(some, arch, tool):
    """number -> why corun refuses the form; None: it accepts it"""
    source, owner = text(some, arch)
    with tempfile.NamedTemporaryFile('w', suffix='.ptx') as f:
        f.write(source)
        f.flush()
        p = subprocess.run([tool, 'ptx', f.name], capture_output=True, text=True, errors='replace',
                           env=dict(os.environ, COLUMNS='4000', NO_COLOR='1'))
    rows, last = {}, None
    for line in p.stdout.splitlines():
        m = re.match(r'k(\d+) (.*)', line)
        if m:
            last = int(m.group(1))
            rows[last] = m.group(2)
        elif last is not None:
            rows[last] += ' ' + line.strip()
    found = {}
    for k, row in rows.items():
        why = re.search(r'not supported, line \d+: (.*)', ' '.join(row.split()))
        found[k] = why.group(1) if why else None
    missing = [x for x in some if x[0] not in found]
    if missing and len(some) == 1:
        why = re.search(r'error: (.*)', p.stderr)
        return {some[0][0]: why.group(1) if why else 'exit status %d' % p.returncode}
    if missing:
        half = len(some) // 2 if len(missing) == len(some) else 0
        parts = [some[:half], some[half:]] if half else [missing]
        for part in parts:
            if len(part) == len(some):
                part = [part[0]]
            found.update(corun(part, arch, tool))
    return found
