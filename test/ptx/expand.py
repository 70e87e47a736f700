#!/usr/bin/env python3
"""Compares exec.expand=ptxas with the machine code of ptxas.

    test/ptx/expand.py BUILD           test: instructions of KERNELS against the stored machine code
    test/ptx/expand.py --ask PTXAS     write the rows of src/isa/expand.def and expand.txt
    test/ptx/expand.py --kernels PTXAS write expand.txt
    test/ptx/expand.py --page BUILD    print the table of docs/reference/machine-code.md
    test/ptx/expand.py --learned BUILD print the table of the kernels that the rules are made for

A line of expand.txt: a kernel of workloads/, an architecture, and the number of machine
instructions of each line of its PTX, as LINE:NUMBER. Lines have a .loc each, and loops are not
unrolled. Code for rare operands such as denormals is left out. An instruction that ptxas moves to
another basic block, for example out of a loop, counts with a line of that block.

Rules are made for the kernels LEARNED and by rules.py; KERNELS are the judges.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import cubin

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, '..', '..')
FORMS = os.path.join(HERE, 'forms.txt')
DATA = os.path.join(HERE, 'expand.txt')
ROWS = os.path.join(ROOT, 'src', 'isa', 'expand.def')
PAGE = os.path.join(ROOT, 'docs', 'reference', 'machine-code.md')
FIRST, LAST = '/* forms by themselves */\n', '\n#undef EXPAND\n'
CAPABILITY = {'sm_80': '8.0', 'sm_89': '8.0', 'sm_90': '9.0', 'sm_120': '12.0'}
ARCHS = list(CAPABILITY)
KERNELS = ['bfs', 'blackscholes', 'cutcp', 'gemm', 'heartwall', 'hotspot', 'kmeans', 'lavamd',
           'lbm', 'lud', 'mm', 'nw', 'pathfinder', 'reduction', 'sad', 'spmv', 'srad', 'stencil']
LEARNED = ['2dconv', '3mm', 'atax', 'backprop', 'binomial-options', 'btree', 'cfd', 'chase',
           'dwt2d', 'dxtc', 'fdtd', 'fwt', 'gups', 'histo', 'hybridsort', 'leukocyte', 'mri-q',
           'mummer', 'nbody', 'nn', 'scalarprod', 'scan', 'spmv-jds', 'streamcluster', 'tpacf',
           'triad', 'vecadd']
BATCH = 200
CALL = 0x944
SYNC = {0x945, 0x941}  # BSSY, BSYNC: of the branch, in the blocks around
MODULE = '.version 9.0\n.target %s\n.address_size 64\n.file 1 "k"\n'

# ---- machine instructions ----

CLASSES = ['CTL', 'INT', 'MAD', 'FP', 'DP', 'SFU']
# Opcodes without the operand form, found from kernels of one instruction.
MAD = {0x24, 0x25, 0x26, 0x27}
FP = {0x20, 0x21, 0x22, 0x23, 0x30, 0x31, 0x32, 0x35}
DP = {0x28, 0x29, 0x2a, 0x2b}


def class_of(opcode):
    """Returns the class of a machine instruction."""
    base = opcode & 0x1ff
    for name, opcodes in (('MAD', MAD), ('FP', FP), ('DP', DP)):
        if base in opcodes:
            return name
    if 0x100 <= base <= 0x113:
        return 'SFU'
    return 'CTL' if 0x118 <= base <= 0x15f else 'INT'


def executed(opcodes, subroutine=()):
    """Leaves out the slow path of a division and the like, a call behind a branch. Without the
    branch the call is the only path, and the subroutine is added."""
    if CALL not in opcodes:
        return opcodes
    call = opcodes.index(CALL)
    branches = [k for k, o in enumerate(opcodes) if o == cubin.BRANCH]
    if not branches or branches[0] > call:
        return opcodes + list(subroutine)
    after = [k for k in branches if k > call]
    return opcodes[:branches[0] + 1] + (opcodes[after[0] + 1:] if after else [])


def split(lines):
    """Splits the instructions of a kernel behind the last exit: the rest are subroutines."""
    end = max(k for k, (opcode, _) in enumerate(lines) if opcode == cubin.EXIT) + 1
    return lines[:end], [opcode for opcode, _ in lines[end:]]


# ---- rows of forms ----

COMPUTES = set('''add sub mul mad addc subc madc mul24 mad24 sad div rem abs neg min max popc clz
bfind fns brev bfe bfi szext bmsk dp4a dp2a fma rcp sqrt rsqrt sin cos lg2 ex2 tanh testp copysign
setp set selp slct and or xor not cnot shl shr shf lop3 mov cvt prmt cvta'''.split())
# Of these forms, ptxas fuses the operation with the code around it.
FUSED = re.compile(r'(and|or|xor)\.pred|selp\.[bsu]32')
LATER = {'bfe': 2, 'bfi': 2, 'shf': 1}  # constants of the operation behind its values
REGISTERS = {'h': 'b16', 'r': 'b32', 'd': 'b64', 'f': 'f32', 'e': 'f64'}
CONSTANTS = {'h': '3', 'r': '3', 'd': '3', 'f': '0f40490FDB', 'e': '0d400921FB54442D18'}
ROUND = {'rn', 'rz', 'rm', 'rp', 'rna', 'rni', 'rzi', 'rmi', 'rpi'}
COMPARE = {'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'lo', 'ls', 'hi', 'hs', 'equ', 'neu', 'ltu', 'leu',
           'gtu', 'geu', 'num', 'nan'}
EXACT = {'div', 'rcp', 'sqrt', 'cvt', 'rsqrt', 'sin', 'cos', 'lg2', 'ex2'}
TYPE = re.compile(r'pred|[usbf]\d+(x2)?|bf16(x2)?|tf32')


def name_of(form):
    """Returns the name of a form in expand.def, as name_of of src/isa/expand.c."""
    op, *words = form.split(' ')[0].split('.')
    words = [w for w in words if w not in ('noftz', 'nan', 'cc')]
    if op != 'cvt':
        words = [w for w in words if w != 'sat']
    if op in ('set', 'setp'):
        words = [w for w in words if w not in COMPARE and w not in ('and', 'or', 'xor')]
    if op not in EXACT:
        words = [w for w in words if w not in ROUND and w != 'ftz']
    types = []
    while words and TYPE.fullmatch(words[-1]):
        types.insert(0, words.pop())
    flags = [w for w in ('ftz', 'sat', 'approx', 'full') if w in words]
    rounds = [w for w in words if w in ROUND]
    rest = [w for w in words if w not in flags and w not in rounds]
    return '.'.join([op] + rest + rounds + flags + types)


def natural(form):
    """True if all operands are registers as wide as the types, or constants behind them."""
    name, args = form.split(' ', 1)
    args = [a.strip() for a in args.rstrip(';').split(',')]
    if not all(re.fullmatch(r'%[phrdfe]\d(\|%p\d)?|[\w.]+', a) for a in args):
        return False
    op, *words = name.split('.')
    types = [w for w in words if TYPE.fullmatch(w)]
    if op == 'cvt' and (len(types) != 2 or not all(map(fits, [args[0], args[-1]], types))):
        return False
    constants = [not a.startswith('%') for a in args]
    return sum(constants) in (0, LATER.get(op)) and not any(constants[:len(args) - sum(constants)])


def fits(register, word):
    """True if the register has the width of the type."""
    if not register.startswith('%') or word in ('pred', 'tf32'):
        return False
    if word.endswith('x2'):
        return register[1] == 'r'
    width = re.sub(r'\D', '', word)
    kinds = {'8': 'h', '16': 'h', '32': 'rf', '64': 'de'}[width]
    return register[1] in (kinds[-1] if word[0] == 'f' else kinds[0])


def forms():
    """Yields (form, is the last source a constant) of each form of sm_80."""
    for line in open(FORMS, encoding='utf-8'):
        form = line[3:].strip()
        if line[0] not in '2367' or line[1] != '+' or ' || ' in line:
            continue
        op = re.split(r'[. ]', form)[0]
        if op not in COMPUTES or FUSED.match(form) or not natural(form):
            continue
        args = form.rstrip(';').split(',')
        if not args[-1].strip().startswith('%'):
            yield form, True
            continue
        yield form, False
        n = LATER.get(op, 1)
        kinds = [a.strip()[1] for a in args[-n:]]
        if len(args) > n + 1 and op != 'slct' and all(k in CONSTANTS for k in kinds):
            yield ','.join(args[:-n] + [CONSTANTS[k] for k in kinds]) + ';', True


def kernel(name, form):
    """Returns a kernel whose line 2 is the form, with sources and results in memory."""
    args = form.split(' ', 1)[1]
    found = re.match(r'%([phrdfe])(\d)(?:\|%p(\d))?', args)
    to = [(found[1], found[2])] + ([('p', found[3])] if found[3] else [])
    code = ['.visible .entry %s(.param .u64 p){' % name, '.reg .pred %p<5>; .reg .b16 %h<5>;',
            '.reg .b32 %r<9>; .reg .b64 %d<5>; .reg .f32 %f<5>; .reg .f64 %e<5>; .reg .b64 %a;',
            '.loc 1 1 0', 'ld.param.u64 %a,[p];']
    for k, (c, n) in enumerate(sorted(set(re.findall(r'%([phrdfe])(\d)', args[found.end():])))):
        to_load = ('b32', 'r', 8) if c == 'p' else (REGISTERS[c], c, n)
        code.append('ld.volatile.global.%s %%%s%s,[%%a+%d];' % (*to_load, 8 * k))
        if c == 'p':
            code.append('setp.ne.s32 %%p%s,%%r8,0;' % n)
    code += ['.loc 1 2 0', form, '.loc 1 3 0']
    for k, (c, n) in enumerate(to):
        at = 64 + 8 * k
        if c == 'p':
            code.append('selp.b32 %%r8,11,23,%%p%s;' % n)
        from_ = ('b32', at, 'r', 8) if c == 'p' else (REGISTERS[c], at, c, n)
        code.append('st.volatile.global.%s [%%a+%d],%%%s%s;' % from_)
    return '\n'.join(code + ['ret;', '}', ''])


def ask_forms(ptxas, arch, wanted, at):
    """Returns {form: numbers of each class}; forms unknown to the architecture are left out."""
    names = {'k%d' % k: form for k, form in enumerate(wanted)}
    with open(at + '.ptx', 'w', encoding='utf-8') as file:
        file.write(MODULE % arch + ''.join(kernel(*pair) for pair in names.items()))
    try:
        cubin.assemble(ptxas, arch, at + '.ptx', at + '.cubin')
    except RuntimeError:
        half = len(wanted) // 2
        if not half:
            return {}
        return {**ask_forms(ptxas, arch, wanted[:half], at),
                **ask_forms(ptxas, arch, wanted[half:], at)}
    found = {}
    for name, lines in cubin.Cubin(at + '.cubin').lines().items():
        body, subroutine = split(lines)
        own = [opcode for opcode, line in body if line == 2]
        ran = collections.Counter(map(class_of, executed(own, subroutine)))
        found[names[name]] = tuple(ran[c] for c in CLASSES)
    return found


def shown(numbers):
    """Returns the numbers of each class as in expand.def."""
    return ' '.join('%s(%d)' % pair for pair in zip(CLASSES, numbers) if pair[1]) or 'NONE'


def middle(numbers):
    """Returns the median, by the total."""
    return sorted(numbers, key=lambda n: (sum(n), n))[len(numbers) // 2]


def ask_rows(ptxas, at):
    """Returns the rows of EXPAND: the middle of all architectures and forms of a name."""
    wanted, found = list(forms()), {}
    for arch in ARCHS:
        for k in range(0, len(wanted), BATCH):
            batch = ask_forms(ptxas, arch, [f for f, _ in wanted[k:k + BATCH]], at)
            for form, constant in wanted[k:k + BATCH]:
                if form in batch:
                    row = found.setdefault(name_of(form), ([], []))
                    row[constant].append(batch[form])
    rows = []
    for name, (registers, constant) in sorted(found.items()):
        pair = [middle(registers or constant), middle(constant or registers)]
        if any(sum(n) != 1 for n in pair):
            row = 'EXPAND("%s", %s, %s)\n' % (name, *map(shown, pair))
            rows.append(row if len(row) <= 101 else row.replace('), ', '),\n       ', 1))
    return rows


# ---- kernels ----

def ptx_of(name):
    """Returns the lines of a kernel's PTX."""
    path = os.path.join(ROOT, 'workloads', name.replace('-', '_'), 'kernel.ptx')
    with open(path, encoding='utf-8') as file:
        return file.read().split('\n')


def located(lines, arch):
    """Returns the PTX with a .loc for each instruction and without unrolling."""
    text = []
    for n, line in enumerate(lines, 1):
        if line.startswith('.version') or line.startswith('.target'):
            continue
        if line.startswith('.address_size'):
            text.append(MODULE % arch)
        elif re.match(r'\s*[$\w]+:\s*$', line):
            text += [line, '.pragma "nounroll";']
        else:
            if re.match(r'\s+[@a-z{(]', line) and ';' in line:
                text.append('.loc 1 %d 0' % n)
            text.append(line)
    return '\n'.join(text)


def ptx_blocks(lines):
    """Returns {line: number of the basic block} of PTX."""
    found, block = {}, 0
    for n, line in enumerate(lines, 1):
        block += bool(re.match(r'\s*[$\w]+:', line))
        found[n] = block
        block += bool(re.match(r'\s+(@!?%\w+\s+)?(bra|brx|ret|exit)\b', line))
    return found


def placed(body, blocks, ptx_block):
    """Returns (opcode, line) of each instruction. An instruction outside the machine block with
    most instructions of its PTX block has moved: it gets a line of the block where it is."""
    counts = [collections.Counter(ptx_block.get(body[k][1]) for k in span
                                  if body[k][0] not in SYNC) for span in blocks]
    home = {b: max(range(len(blocks)), key=lambda k: counts[k][b]) for b in set().union(*counts)}
    found = []
    for k, span in enumerate(blocks):
        own = [b for b in counts[k] if b is not None and home[b] == k]
        main = max(own, key=lambda b: (counts[k][b], -b), default=None)
        line = next((body[i][1] for i in span if ptx_block.get(body[i][1]) == main), None)
        for opcode, at in (body[i] for i in span):
            moved = own and home.get(ptx_block.get(at)) != k
            found.append((opcode, line if moved else at))
    return found


def ask_kernel(ptxas, name, arch, at):
    """Returns {line: number of machine instructions}."""
    with open(at + '.ptx', 'w', encoding='utf-8') as file:
        file.write(located(ptx_of(name), arch))
    cubin.assemble(ptxas, arch, at + '.ptx', at + '.cubin')
    by_line = collections.defaultdict(list)
    machine, ptx_block = cubin.Cubin(at + '.cubin'), ptx_blocks(ptx_of(name))
    for kernel_name, lines in machine.lines().items():
        body = split(lines)[0]
        blocks = cubin.basic_blocks(machine.section('.text.' + kernel_name), len(body),
                                    int(arch[3:]))
        for opcode, line in placed(body, blocks, ptx_block):
            by_line[line].append(opcode)
    return {line: len(executed(opcodes)) for line, opcodes in by_line.items()}


def ask(ptxas, forms_too):
    """Writes expand.txt and, if asked, the rows."""
    with tempfile.TemporaryDirectory() as folder:
        at = os.path.join(folder, 'k')
        rows = ask_rows(ptxas, at) if forms_too else []
        stored = [(k, a, ask_kernel(ptxas, k, a, at)) for k in KERNELS + LEARNED for a in ARCHS]
    with open(ROWS, encoding='utf-8') as file:
        text = file.read()
    if rows:
        with open(ROWS, 'w', encoding='utf-8') as file:
            file.write(text[:text.index(FIRST)] + FIRST + ''.join(rows) + text[text.index(LAST):])
    with open(DATA, 'w', encoding='utf-8') as file:
        for name, arch, lines in stored:
            counts = ' '.join('%d:%d' % pair for pair in sorted(lines.items()))
            file.write('%s %s %s\n' % (name, arch, counts))


# ---- comparison ----

def issued(corun, name, expand, capability='8.0'):
    """Returns {line: warp instructions issued} of a run at size=test."""
    done = subprocess.run(
        [corun, 'profile', name + ':size=test', '--gpu', 'a100', '--until', 'end', '--lines',
         '--json', '-', '--quiet', '--threads', '1', '--alone', 'fresh', '--set',
         'exec.contract=ptxas', '--set', 'exec.expand=' + expand, '--set',
         'host.capability=' + capability],
        stdout=subprocess.PIPE, check=True)
    counts = collections.Counter()
    for row in json.loads(done.stdout)['profiles'][0]['lines']:
        counts[row['ptx_line']] += row['issued']
    return counts


def loops(lines):
    """Returns (first, last line) of each loop: a label and a branch back."""
    labels, found = {}, []
    for n, line in enumerate(lines, 1):
        label = re.match(r'\s*([$\w]+):', line)
        branch = re.search(r'\bbra(?:\.uni)?\s+([$\w]+);', line)
        if label:
            labels[label[1]] = n
        elif branch and branch[1] in labels:
            found.append((labels[branch[1]], n))
    return found


def compare(corun, names):
    """Yields (kernel, arch, error in total, worst error of a loop with a tenth of the instructions,
    error of PTX's own count)."""
    with open(DATA, encoding='utf-8') as file:
        stored = [line.split() for line in file]
    for name in names:
        ptx = issued(corun, name, 'none')
        of = {c: issued(corun, name, 'ptxas', c) for c in set(CAPABILITY.values())}
        found = loops(ptx_of(name))
        for kernel_name, arch, *pairs in stored:
            if kernel_name != name:
                continue
            machine = {int(n): int(c) * ptx[int(n)] for n, c in (p.split(':') for p in pairs)}
            total = sum(machine.values())
            expanded = of[CAPABILITY[arch]]
            worst = 0
            for first, last in found:
                span = range(first, last + 1)
                real = sum(machine.get(n, 0) for n in span)
                if real > total / 10:
                    worst = max(worst, sum(expanded[n] for n in span) / real - 1, key=abs)
            yield (name, arch, sum(expanded.values()) / total - 1, worst,
                   sum(ptx.values()) / total - 1)


def table(results):
    """Returns the rows of the page: errors in per cent."""
    by_kernel = collections.defaultdict(dict)
    for name, arch, total, worst, ptx in results:
        by_kernel[name][arch] = '%+.0f %+.0f %+.0f' % (100 * ptx, 100 * total, 100 * worst)
    head = ['| kernel | ' + ' | '.join(ARCHS) + ' |', '|---' * (len(ARCHS) + 1) + '|']
    return head + ['| %s | %s |' % (name, ' | '.join(row[a] for a in ARCHS))
                   for name, row in by_kernel.items()]


def within(row):
    """True if a row of compare meets the goal: 10 % in total, 15 % in each loop."""
    return abs(row[2]) <= 0.10 and abs(row[3]) <= 0.15


def summary(results):
    """Returns a sentence over all kernels and architectures."""
    mean = [100 * sum(abs(r[k]) for r in results) / len(results) for k in (2, 4)]
    return ('%d of %d are within 10 %% in total and 15 %% in every loop; mean absolute error of '
            'the total %.1f %%, of the count of PTX %.1f %%.'
            % (sum(map(within, results)), len(results), *mean))


def main():
    if sys.argv[1] in ('--ask', '--kernels'):
        ask(sys.argv[2], sys.argv[1] == '--ask')
        return 0
    corun = os.path.join(os.path.abspath(sys.argv[-1]), 'corun')
    if sys.argv[1] == '--learned':
        results = list(compare(corun, LEARNED))
        print('\n'.join([summary(results), ''] + table(results)))
        return 0
    results = list(compare(corun, KERNELS))
    lines = [summary(results), ''] + table(results)
    if sys.argv[1] == '--page':
        print('\n'.join(lines))
        return 0
    with open(PAGE, encoding='utf-8') as file:
        page = file.read().split('\n')
    missing = [line for line in lines if line not in page]
    far = [row[:4] for row in results if not within(row)]
    print('%sok 1 - the page has every count' % ('not ' if missing else ''))
    print('%sok 2 - kernels are within 10 %%, and 15 %% in each loop' % ('not ' if far else ''))
    for line in missing + far:
        print('#', line)
    print('1..2')
    return 1 if missing or far else 0


if __name__ == '__main__':
    sys.exit(main())
