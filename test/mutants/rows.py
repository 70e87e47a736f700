"""The mutants: format of the rows in the tables beside this file (*.txt), and the place of each
mutant in the tree.

    # The rule broken by the mutant.
    mutant NAME
    in FUNCTION                 a function, a variable, a type or a macro, in any file
    - text                      must occur exactly once in FUNCTION; line breaks do not matter
    + text                      replacement; without `+` the text is deleted
    by TEST                     the test that noticed the mutant
    survives: REASON            why no test can notice the mutant

`in FUNCTION of FILE` chooses between functions of the same name and text; `in FILE` is the whole
file. Further edits of a mutant are further lines `in`, `-` and `+`.
"""
import glob
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tools'))
from comments import blank, strip  # noqa: E402
FOLDERS = ['src', 'cuda', 'include', 'gpus']


class Edit:
    def __init__(self, where):
        self.name, _, self.file = where.partition(' of ')
        self.old, self.new = [], []

    def where(self):
        return self.name + (' of ' + self.file if self.file else '')

    def pattern(self):
        """Returns a pattern for the text in which any white space matches any other."""
        words = ' '.join(self.old).split()
        text = r'\s+'.join(re.escape(w) for w in words)
        return re.compile((r'(?<!\w)' if re.match(r'\w', words[0]) else '') + text +
                          (r'(?!\w)' if re.search(r'\w$', words[-1]) else ''))


class Mutant:
    def __init__(self, name, table):
        self.name, self.table = name, table
        self.rule, self.reason, self.by, self.edits = '', '', '', []

    def text(self, by=None):
        by = self.by if by is None else by
        lines = ['# ' + line for line in wrapped(self.rule, 98)] + ['mutant ' + self.name]
        for e in self.edits:
            lines += ['in ' + e.where(), *('- ' + t for old in e.old for t in wrapped(old, 98)),
                      *('+ ' + t for new in e.new for t in wrapped(new, 98))]
        if by:
            lines.append('by ' + by)
        if self.reason:
            lines += ['survives: ' + line for line in wrapped(self.reason, 89)]
        return '\n'.join(lines) + '\n'


def wrapped(text, width):
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def parse(path):
    """The mutants of a table."""
    found, rule = [], []
    with open(path) as f:
        for n, line in enumerate(f, 1):
            line = line.rstrip('\n')
            key, _, rest = line.partition(' ')
            if key == '#':
                rule.append(rest)
            elif key == 'mutant':
                found.append(Mutant(rest, path))
                found[-1].rule, rule = ' '.join(rule), []
            elif key == 'in':
                found[-1].edits.append(Edit(rest))
            elif key == '-':
                found[-1].edits[-1].old.append(rest)
            elif key == '+':
                found[-1].edits[-1].new.append(rest)
            elif key == 'by':
                found[-1].by = rest
            elif key == 'survives:':
                found[-1].reason = (found[-1].reason + ' ' + rest).strip()
            elif line:
                raise ValueError('%s:%d: expected #, mutant, in, -, +, by or survives:' % (path, n))
    return found


def keep(mutant, by):
    """Stores the test that noticed the mutant in the mutant's row."""
    if mutant.by == by:
        return
    mutants = parse(mutant.table)
    for m in mutants:
        m.by = by if m.name == mutant.name else m.by
    with open(mutant.table + '.new', 'w') as f:
        f.write('\n'.join(m.text() for m in mutants))
    os.replace(mutant.table + '.new', mutant.table)


def tables():
    return sorted(glob.glob(os.path.join(HERE, '*.txt')))


def all_mutants():
    found = {}
    for m in (m for path in tables() for m in parse(path)):
        if m.name in found:
            raise ValueError('%s: two mutants are called %s' % (m.table, m.name))
        found[m.name] = m
    return found


# ---- where a name is defined ----

def without_comments(text):
    """Replaces comments by blanks; offsets stay unchanged."""
    return strip(text, literals=False)


def outline(text):
    """Strings and preprocessor lines become blanks, too."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', lambda m: blank(m.group()), text)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: blank(m.group()), text, flags=re.M)


def macros(text):
    for match in re.finditer(r'^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*', text,
                             flags=re.M):
        yield match.group(1), match.start(), match.end()


def def_rows(text):
    """Of a .def: RULE(rc_ras, ...) is called rc_ras."""
    starts = list(re.finditer(r'^\w+\("?(\w+)', text, flags=re.M))
    for match, after in zip(starts, [*(m.start() for m in starts[1:]), len(text)]):
        yield match.group(1), match.start(), after


def pieces(text):
    """Yields (name, start, end) of every definition at the outermost level."""
    yield from macros(text)
    plain, depth, start, opened = outline(text), 0, 0, None
    # definitions in a namespace or extern "C" are at the outermost level, too
    plain = re.sub(r'\b(?:namespace(?:\s+\w+)?|extern\s+)\s*\{', lambda m: blank(m.group()), plain)
    for match in re.finditer(r'[{};]', plain):
        mark, at = match.group(), match.start()
        if mark == '{':
            depth += 1
            opened = at if depth == 1 else opened
            continue
        if mark == '}':
            depth = max(0, depth - 1)
        if depth:
            continue
        head = plain[start:opened if opened is not None else at]
        function = opened is not None and re.search(r'\)[\s\w]*$', head)
        if mark == '}' and not function:
            continue  # an initializer or a type: up to the semicolon
        for name in names_of(head, plain[opened or at:at]):
            yield name, start, match.end()
        start, opened = match.end(), None


def names_of(head, body):
    head = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', head, flags=re.S)
    if re.search(r'\benum\s*\w*\s*$', head):
        return re.findall(r'[{,]\s*(\w+)', body)
    if re.search(r'\)[\s\w]*$', head) and '=' not in head.partition('(')[0]:
        return re.findall(r'(\w+)\s*\(', head)[:1]
    return (re.findall(r'(\w+)\s*(?:\[[^=]*)?=\s*$', head)
            or re.findall(r'\b(?:struct|union)\s+(\w+)\s*$', head))


class Tree:
    """The sources of a tree."""

    def __init__(self, root):
        self.names = {}  # name of a function, variable, type or macro -> [(file, start, end)]
        self.defined = {}  # file -> names defined there
        self.texts, self.plain = {}, {}  # plain: without comments
        for folder in FOLDERS:
            for path, _, files in os.walk(os.path.join(root, folder)):
                for f in files:
                    if f.endswith(('.c', '.h', '.def', '.yaml', '.cu', '.cpp')):
                        with open(os.path.join(path, f), newline='') as text:
                            self.put(os.path.relpath(os.path.join(path, f), root), text.read())

    def put(self, file, text):
        """Adds a file or replaces the text of a file."""
        for name in self.defined.get(file, ()):
            self.names[name] = [p for p in self.names[name] if p[0] != file]
        self.texts[file] = text
        text = self.plain[file] = without_comments(text)
        parts = {'.yaml': lambda text: [], '.def': def_rows}.get(file[file.rindex('.'):], pieces)
        found = list(parts(text))
        self.defined[file] = {name for name, _, _ in found}
        for name, start, end in found:
            self.names.setdefault(name, []).append((file, start, end))

    def scopes(self, edit):
        if edit.name in self.texts:
            return [(edit.name, 0, len(self.texts[edit.name]))]
        found = self.names.get(edit.name, [])
        return [s for s in found if s[0] == edit.file] if edit.file else found

    def find(self, edit):
        """Returns [(file, start, end)] of the edit's text in the scopes named by the edit."""
        scopes, pattern = self.scopes(edit), edit.pattern()
        return sorted({(file, m.start(), m.end()) for file, start, end in scopes
                       for m in pattern.finditer(self.plain[file], start, end)})

    def wrong(self, mutant):
        """Why a mutant does not apply, or None."""
        if not mutant.rule or not mutant.edits:
            return 'no rule or no edit'
        for e in mutant.edits:
            if not e.old:
                return 'no text to be found in ' + e.where()
            places = self.find(e)
            if len(places) != 1:
                return 'in %s the text is found %d times%s' % (
                    e.where(), len(places), ''.join('\n' + p[0] for p in places))
        return None

    def files(self, mutant):
        return {self.find(e)[0][0] for e in mutant.edits}

    def changed(self, mutant):
        """Returns {file: text with the mutant applied}."""
        edits = {}
        for e in mutant.edits:
            file, start, end = self.find(e)[0]
            edits.setdefault(file, []).append((start, end, '\n'.join(e.new)))
        texts = {}
        for file, places in edits.items():
            text = self.texts[file]
            for start, end, new in sorted(places, reverse=True):
                text = text[:start] + new + text[end:]
            texts[file] = text
        return texts
