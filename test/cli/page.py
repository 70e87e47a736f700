#!/usr/bin/env python3
"""page.py PAGE.md CORUN: does what the page says, in the current folder.

A block ```c FILE is written; every `$ command` of a ```console block is run, and what it prints
must be the lines below it: `...` stands for any lines, a number for one within 2 %. The block
```console tree happens in a copy of src/policy; its `make` compiles what the page changed and links
it with the objects of CORUN's own build. A page that sets the path finds CORUN as build/corun, as
after `make`, and nowhere else; for another page CORUN's folder is on the path.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOLERANCE = 0.02    # of a figure: what may move before the page must be written anew


def blocks(page):
    for m in re.finditer(r'^```(\w+) ?(\S*)\n(.*?)^```$', page, re.S | re.M):
        yield m.group(1), m.group(2), m.group(3)


def commands(text):
    """(command, the lines that it should print)"""
    for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
        lines = part.rstrip('\n').split('\n')
        yield lines[0], lines[1:]


def pieces(line):
    """Text and numbers by turns, however many blanks stand between."""
    return re.split(r'((?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?)', ' '.join(line.split()))


def near(want, got):
    want, got = (float(n.replace(',', '')) for n in (want, got))
    return abs(want - got) <= TOLERANCE * abs(want)


def alike(want, got):
    want, got = pieces(want), pieces(got)
    return want[::2] == got[::2] and all(map(near, want[1::2], got[1::2]))


def match(want, got):
    """Whether the lines `got` are `want`, in which ... stands for any of them."""
    if not want:
        return not got
    if want[0] == '...':
        return any(match(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and alike(want[0], got[0]) and match(want[1:], got[1:])


def set_path(command, corun):
    os.mkdir('build')
    os.symlink(corun, 'build/corun')
    os.environ['PATH'] = subprocess.check_output(command + '; printf %s "$PATH"', shell=True,
                                                 text=True)
    found = shutil.which('corun')
    if not found or os.path.realpath(found) != corun:
        sys.exit('%s\nfinds %s' % (command, found))
    print('as the page says: ' + command)


def run(command, want):
    p = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True,
                       stderr=subprocess.STDOUT, timeout=300)
    got = p.stdout.rstrip('\n').split('\n') if p.stdout.strip() else []
    if not match(want, got):
        sys.exit('%s\nprints\n%s\nthe page has\n%s' % (command, p.stdout, '\n'.join(want)))
    print('as the page says: ' + command)


def compile_like(words, source, target, first):
    """A compile command of the build, for another source, `first` before other headers."""
    kept, skip = [], 0
    for w in words:
        if skip:
            skip -= 1
        elif w in ('-MQ', '-MF', '-o', '-c'):
            skip = 1
        elif w != '-MD':
            kept.append(w)
    at = next(i for i, w in enumerate(kept) if w.startswith('-I'))
    return [*kept[:at], '-I' + first, *kept[at:], '-c', source, '-o', target]


LIST = 'src/policy/list.def'


def build(corun):
    """What `make` would make of src/policy here, as build/corun."""
    folder, here = os.path.dirname(corun), os.getcwd()
    told = subprocess.check_output(['ninja', '-C', folder, '-t', 'commands', 'corun'], text=True)
    lines = [shlex.split(l) for l in told.splitlines() if not l.startswith('ninja: ')]
    mechanism = next(l for l in lines if l[-1].endswith('src/run/input/mechanism.c'))
    changed = []
    shipped, rows = (re.findall(r'^POLICY\((\w+)\)', open(os.path.join(tree, LIST)).read(), re.M)
                     for tree in (ROOT, here))
    new = ['src/policy/%s.c' % r for r in rows if r not in shipped]
    assert new, 'the page adds no policy'
    for source in [mechanism[-1], *(os.path.join(here, n) for n in new)]:
        target = os.path.join(here, os.path.basename(source) + '.o')
        subprocess.run(compile_like(mechanism, source, target, os.path.join(here, 'src')),
                       cwd=folder, check=True)
        changed.append(target)
    link, own = lines[-1], os.path.join(here, 'build')
    os.makedirs(own, exist_ok=True)
    if os.path.islink(os.path.join(own, 'corun')):
        os.remove(os.path.join(own, 'corun'))
    at = link.index('-o')
    subprocess.run([*link[:at], '-o', os.path.join(own, 'corun'), *changed, *link[at + 2:]],
                   cwd=folder, check=True)


def main(page, corun):
    corun = os.path.realpath(corun)
    n, text = 0, open(page).read()
    if 'export PATH=' not in text:
        os.environ['PATH'] = os.path.dirname(corun) + ':' + os.environ['PATH']
    for kind, name, text in blocks(text):
        if kind == 'c':
            with open(name, 'w') as f:
                f.write(text)
        if kind == 'console' and name == 'tree':
            shutil.copytree(os.path.join(ROOT, 'src/policy'), 'src/policy')
        for command, want in commands(text) if kind == 'console' else ():
            n += 1
            if name == 'tree' and command == 'make':
                build(corun)
            elif command.startswith('export PATH='):
                set_path(command, corun)
            else:
                run(command, want)
    assert n, 'the page has no command'


if __name__ == '__main__':
    main(*sys.argv[1:])
