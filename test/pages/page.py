#!/usr/bin/env python3
"""Runs the commands shown by a page and compares their output with the page.

    page.py CORUN               names the pages with commands
    page.py CORUN PAGE          runs the commands; TAP
    page.py CORUN PAGE --write  writes the commands' output into the page

A block ```c FILE or ```yaml FILE is written to FILE; every `$ command` of a ```console block runs
in a separate folder of the page, and must print the lines below. `...` stands for any lines.
Figures of the host (a line that begins with `simulated`) may have any value. A block ```console
clang runs with clang 16, and is skipped without clang 16; ```console minutes runs with clang 16
where the environment variable CORUN_TEST is `every`. A page that sets the path finds CORUN as
build/corun only; for another page CORUN's folder is on the path. The block ```console tree runs in
a copy of src/policy; `make` there compiles the page's changes and links with the objects of
CORUN's build.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINKS = ['bench', 'examples']       # of the tree, in the page's folder
BLOCK = re.compile(r'^```(\w+) ?(\S*)\n(.*?)^```$', re.S | re.M)


def commands(text):
    """[command, expected output lines] of a block."""
    return [[part.split('\n')[0], part.rstrip('\n').split('\n')[1:]]
            for part in re.split(r'^\$ ', text, flags=re.M)[1:]]


def without_host(line):
    return re.sub(r'\d+(\.\d+)?', 'N', line) if line.startswith('simulated ') else line


def match(want, got):
    """True if the lines `got` equal `want`, in which ... stands for any lines."""
    if not want:
        return not got
    if want[0] == '...':
        return any(match(want[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and without_host(want[0]) == without_host(got[0]) and match(want[1:], got[1:])


def refreshed(want, got):
    """Returns `got` with the page's ellipses: unchanged lines of the page divide the output."""
    if '...' not in want:
        return got
    lines, at = [], 0
    for i, line in enumerate(want):
        if line == '...':
            lines.append(line)
            continue
        shape = re.sub(r'[\d.,]+', 'N', ' '.join(line.split()))
        found = [j for j in range(at, len(got))
                 if re.sub(r'[\d.,]+', 'N', ' '.join(got[j].split())) == shape]
        if not found:
            sys.exit('no line like this one is printed any more; write the block anew:\n' + line)
        lines.append(got[found[0]])
        at = found[0] + 1
    return lines


def output(command, path):
    """Returns a command's output, as lines."""
    env = dict(os.environ, PATH=path)
    command = re.sub(r'^make demo$', os.path.join(ROOT, 'tools/demo.sh') + ' build', command)
    p = subprocess.run(command, shell=True, env=env, stdout=subprocess.PIPE, text=True,
                       stderr=subprocess.STDOUT)
    return [line.rstrip() for line in p.stdout.rstrip('\n').split('\n')] if p.stdout.strip() else []


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
    """Builds the src/policy of this folder like `make`, as build/corun."""
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
    made = os.path.join(here, 'build', 'corun')
    os.makedirs(os.path.dirname(made), exist_ok=True)
    # The unit tests' library has the cycle path without slow link-time optimization.
    link = [w for w in lines[-1] if not w.startswith('-flto')]
    if os.path.exists(os.path.join(folder, 'libplain.a')):
        link = [w.replace('libcycle.a', 'libplain.a') for w in link]
    at = link.index('-o')
    subprocess.run([*link[:at], '-o', made, *changed, *link[at + 2:]], cwd=folder, check=True)


def take_clang16():
    """From now on `corun cc` uses clang 16. Returns False without a clang 16."""
    given = os.environ.get('CORUN_CLANG')
    for name in [given] if given else ['clang', 'clang-16']:
        if shutil.which(name) and subprocess.check_output([name, '-dumpversion'],
                                                          text=True).startswith('16.'):
            os.environ['CORUN_CLANG'] = name
            return True
    return False


class Page:
    """A page whose commands run in the current folder."""
    def __init__(self, text, corun, write):
        self.text, self.corun, self.write = text, corun, write
        self.n = self.failed = 0
        self.path = os.environ['PATH']
        if 'export PATH=' not in text:
            self.path = os.path.dirname(corun) + ':' + self.path

    def case(self, name, wrong=None):
        self.n += 1
        self.failed += wrong is not None
        print('%sok %d - %s' % ('not ' if wrong else '', self.n, name))
        if wrong:
            print('# ' + wrong.replace('\n', '\n# '))
        sys.stdout.flush()

    def command(self, command, want):
        """Returns the lines expected on the page."""
        if command.startswith('export PATH='):
            self.path = output(command + '; echo "$PATH"', self.path)[0]
            found = shutil.which('corun', path=self.path)
            right = found and os.path.realpath(found) == self.corun
            self.case(command, None if right else 'finds %s' % found)
            return want
        got = output(command, self.path)
        if match(want, got):
            self.case(command)
            return want
        self.case(command, '\n'.join(['prints', *got, 'the page has', *want]))
        return refreshed(want, got) if self.write else want

    def console(self, name, body):
        """Returns the block's text as expected."""
        skip = None
        if name == 'minutes' and os.environ.get('CORUN_TEST') != 'every':
            skip = 'takes minutes'
        elif name in ('clang', 'minutes') and not take_clang16():
            skip = 'no clang 16'
        if skip:
            self.case('%s # SKIP %s' % (commands(body)[0][0], skip))
            return body
        if name == 'tree':
            shutil.copytree(os.path.join(ROOT, 'src/policy'), 'src/policy')
            os.unlink('build')
        lines = []
        for command, want in commands(body):
            if name == 'tree' and command == 'make':
                build(self.corun)
            else:
                want = self.command(command, want)
            lines += ['$ ' + command, *want]
        return '\n'.join(lines) + '\n'

    def block(self, m):
        kind, name, body = m.groups()
        if kind in ('c', 'yaml') and name:
            with open(name, 'w') as f:
                f.write(body)
        if kind != 'console':
            return m.group()
        return m.group().replace(body, self.console(name, body))

    def run(self):
        """Returns the page's text as expected."""
        text = BLOCK.sub(self.block, self.text)
        print('1..%d' % self.n)
        return text


def strays(text):
    """Lines of commands outside console blocks, unchecked otherwise."""
    rest = BLOCK.sub(lambda m: '' if m.group(1) == 'console' else m.group(), text)
    return re.findall(r'^ *\$ .*', rest, re.M) + re.findall(
        r'^```\n(?=\S.*\n(?:.*\n)*?```$)', BLOCK.sub('', text), re.M)


def pages():
    for path in ['README.md', 'docs/**/*.md', 'examples/*.md', 'examples/*/*.md']:
        for page in sorted(glob.glob(os.path.join(ROOT, path), recursive=True)):
            with open(page) as f:
                text = f.read()
            if any(kind == 'console' for kind, _, _ in BLOCK.findall(text)) or strays(text):
                yield os.path.relpath(page, ROOT)


def main(corun, page=None, write=None):
    corun = os.path.realpath(corun)
    if page is None:
        print('\n'.join(pages()))
        return 0
    page = os.path.realpath(os.path.join(ROOT, page))
    with open(page) as f:
        text = f.read()
    if strays(text):
        print('not ok 1 - commands outside ```console: %s\n1..1' % strays(text))
        return 1
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink(os.path.dirname(corun), 'build')
        for name in LINKS:
            os.symlink(os.path.join(ROOT, name), name)
        run = Page(text, corun, write)
        new = run.run()
        os.chdir(ROOT)
    if write and new != text:
        with open(page, 'w') as f:
            f.write(new)
    return 1 if run.failed and not write else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
