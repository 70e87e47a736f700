"""Reads the vectors (test/op/*.txt, format in make_vectors.py) and cases (test/op/*.case, format in
cases.h) of corun's op tests, and extra.txt and extra.case of make_extra.py; a result `?` is read as
None. Shared by make.py and compare.py; roles and types follow test/op/vectors.c."""
import hashlib
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.normpath(os.path.join(HERE, '../../..'))
OP = os.path.join(TOP, 'test/op')
VECTOR_FILES = ['int.txt', 'float.txt', 'compare.txt', 'convert.txt', 'approx.txt', 'extra.txt']
CASE_FILES = ['memory.case', 'matrix.case', 'extra.case', 'texture.case', 'control.case',
              'async.case']
SENTINEL = 0xa5a5dead5a5abeef
BYTES = {'pred': 0, 'b8': 1, 'b16': 2, 'b32': 4, 'b64': 8, 'u8': 1, 'u16': 2, 'u32': 4, 'u64': 8,
         's8': 1, 's16': 2, 's32': 4, 's64': 8, 'f16': 2, 'f16x2': 4, 'f32': 4, 'f64': 8,
         'bf16': 2, 'bf16x2': 4, 'tf32': 4, 'e4m3x2': 2, 'e5m2x2': 2}
RESULTS = 'dDvpqxy'
# fraction bits, all bits of one element, elements
FLOATS = {'f16': (10, 16, 1), 'f16x2': (10, 16, 2), 'bf16': (7, 16, 1), 'bf16x2': (7, 16, 2),
          'f32': (23, 32, 1), 'tf32': (23, 32, 1), 'f64': (52, 64, 1)}


def path(name):
    return os.path.join(HERE if name.startswith('extra.') else OP, name)


def sha256(name):
    with open(path(name), 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def read_roles():
    """The operand letters of every opcode, from src/isa/op.def."""
    with open(os.path.join(TOP, 'src/isa/op.def'), encoding='ascii') as f:
        rows = re.findall(r'^OP\(\w+, "([^"]+)", \w+, "([^"]*)"', f.read(), re.M)
    return {name.strip('<>'): roles for name, roles in rows}


ROLES = read_roles()


class Form:
    """An opcode with modifiers and types, as written in a vector."""

    def __init__(self, text):
        self.text = text
        self.op, *self.words = text.split('.')
        self.types = [w for w in self.words if w in BYTES]
        self.type = self.types[0]
        self.type2 = self.types[-1] if len(self.types) > 1 else None
        parts = [w for w in self.words if re.fullmatch(r'v[24]', w)]
        self.parts = int(parts[0][1]) if parts else 0
        roles = ROLES[self.op]
        if self.op == 'cvt' and self.type.endswith('x2'):
            roles = 'dAA'
        letters = roles.replace('?', '')
        self.result_roles = [r for r in letters if r in RESULTS]
        self.source_roles = [r for r in letters if r not in RESULTS]

    def type_of(self, role):
        if (self.op, role) in (('pack', 'a'), ('unpack', 'd')):
            return 'b%d' % (8 * BYTES[self.type] // self.parts)
        if role in 'DC' and 'wide' in self.words:
            return {'u16': 'u32', 's16': 'u32', 'u32': 'u64', 's32': 'u64'}[self.type]
        if role in 'vu':
            return 'u32'
        if role in 'pqP':
            return 'pred'
        if role == 'A':
            return self.type2
        return self.type

    def result_role(self, k):
        """setp may have a second predicate."""
        return self.result_roles[k] if k < len(self.result_roles) else 'q'


class Vector:
    """A line of a vector file."""

    def __init__(self, line, text):
        self.line, self.text = line, text
        form, *tokens = text.split()
        self.form = Form(form)
        self.near, self.carry = False, None
        self.sources, self.negated, self.results = [], [], []
        after = False
        carry = {}
        for t in tokens:
            if t in '=~':
                after, self.near = True, t == '~'
            elif t[0] == 'k':
                carry[after] = int(t[1])
            elif after:
                self.results.append(None if t == '?' else int(t.lstrip('p'), 16))
            else:
                self.negated.append(t[0] == '!')
                self.sources.append(int(t.lstrip('!').lstrip('p'), 16))
        if carry:
            self.carry = (carry[False], carry[True])

    def source_type(self, k):
        return self.form.type_of(self.form.source_roles[k])

    def result_type(self, k):
        return self.form.type_of(self.form.result_role(k))

    def result_n(self):
        """Returns the results of a kernel. PTX has no second predicate of setp for f16 and bf16."""
        alone = self.form.op == 'setp' and self.form.type in ('f16', 'bf16')
        return 1 if self.near or alone else len(self.results)

    def key(self):
        """Returns the key of the kernel: vectors with equal keys share a kernel."""
        constants = tuple(s for s, r in zip(self.sources, self.form.source_roles) if r == 'i')
        return (self.form.text, tuple(self.negated), constants, self.result_n(),
                self.carry is not None)


def read_vectors(name):
    vectors = []
    with open(path(name), encoding='ascii') as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if line and line[0] != '#':
                vectors.append(Vector(number, line))
    return vectors


def read_words(text):
    words = []
    for token in text.split():
        word, _, repeat = token.partition('*')
        words += [None if word == '?' else int(word, 16)] * int(repeat or 1)
    return words


class Texture:
    """Reads a `texture` line: a dict of numbers, and the texels as bytes."""
    NAMES = ['kind', 'type', 'channels', 'width', 'height', 'depth', 'flags', 'levels', 'filter',
             'level_filter', 'address', 'normalized', 'fractions']

    def __init__(self, text):
        numbers, _, words = text.partition(':')
        self.numbers = dict(zip(self.NAMES, map(int, numbers.split())))
        self.texels = b''.join(w.to_bytes(4, 'little') for w in read_words(words))


class Case:
    def __init__(self, line, name, threads):
        self.line, self.name, self.threads = line, name, threads
        self.module, self.body, self.inputs, self.textures = [], [], [], []
        self.out = []  # (first word, words)
        self.prints, self.fault = None, None

    def out_words(self):
        return max([first + len(words) for first, words in self.out], default=0)


def read_cases(name):
    cases, case, lines = [], None, []
    with open(path(name), encoding='ascii') as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip('\n')
            out = re.match(r'out (\d+):(.*)', line)
            if line.startswith('case '):
                title, threads = line[5:].rsplit(' ', 1)
                case = Case(number, title, int(threads))
                lines = case.module
            elif case is None:
                continue
            elif line == 'kernel':
                lines = case.body
            elif line == 'end':
                cases.append(case)
                case = None
            elif line.startswith('in:'):
                case.inputs = read_words(line[3:])
            elif line.startswith('texture '):
                case.textures.append(Texture(line[8:]))
            elif line.startswith('print: '):
                case.prints = line[7:]
            elif line.startswith('fault: '):
                case.fault = line[7:]
            elif out:
                case.out.append((int(out[1]), read_words(out[2])))
            else:
                lines.append(line)
    return cases
