#!/usr/bin/env python3
"""Compares corun with ptxas: every form of instructions.py and syntax.py, accepted or rejected.

    test/ptx/forms.py BUILD                test: corun still answers as stored
    test/ptx/forms.py --ask CORUN PTXAS    write forms.txt, all answers
    test/ptx/forms.py --mark CORUN         write the answers of corun anew
    test/ptx/forms.py --page               print the list for docs/reference/opcodes.md

A line of forms.txt is a form behind a digit and a sign. The digit is the sum of 1 (ptxas accepts
the form for sm_75), 2 (sm_80) and 4 (sm_90). The sign is + (corun accepts the form), - (corun
refuses the kernel) or ! (corun refuses the module). Text behind " || " stands before the kernel.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import instructions
import syntax

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'forms.txt')
TITLE = '## Forms that are refused'
ARCHS = ('sm_75', 'sm_80', 'sm_90')
BATCH = 100
MODULE = '''.version 9.0
.target %s
.address_size 64
.global .align 16 .b32 gv;
.global .align 16 .b32 ga[64];
.const .align 16 .b32 cv = 7;
.const .align 16 .b32 ca[64];
.shared .align 16 .b32 sv;
.shared .align 16 .b32 sa[64];
.extern .shared .align 16 .b8 dyn[];
.func (.reg .b32 r) one(.reg .b32 a) { add.u32 r, a, 1; ret; }
.func (.param .b32 r) two(.param .b32 a)
{ .reg .b32 t; ld.param.b32 t, [a]; st.param.b32 [r], t; ret; }
.func none() { ret; }
'''
# Stores the registers at the end, to keep every form alive.
KERNEL = '''%s
.visible .entry k%d(.param .u64 pa, .param .u32 pi)
{ .reg .pred %%p<6>; .reg .b16 %%h<6>; .reg .b32 %%r<12>; .reg .b64 %%d<12>; .reg .f32 %%f<12>;
.reg .f64 %%e<6>; .local .align 16 .b32 lv; .local .align 16 .b32 la[16];
ld.param.u64 %%d1, [pa]; mov.u32 %%r1, %%tid.x; mov.u64 %%d11, %%d1;
%s
st.global.b32 [%%d11], %%r0; st.global.b64 [%%d11+8], %%d0; st.global.f32 [%%d11+16], %%f0;
st.global.f64 [%%d11+24], %%e0; st.global.b16 [%%d11+32], %%h0; selp.u32 %%r11, 1, 2, %%p0;
st.global.b32 [%%d11+36], %%r11; ret; }
'''


def forms():
    """Yields (kind, text before the kernel, text in the kernel), each once."""
    found = {}
    for make in instructions.FORMS:
        for body in make():
            found.setdefault(('', body), make.__name__)
    for make in syntax.FORMS:
        for form in make():
            found.setdefault(form, make.__name__)
    return [(kind, head, body) for (head, body), kind in found.items()]


def source(some, arch):
    """Returns a module with a kernel line for each (number, form), and the form of each line."""
    lines, owner = (MODULE % arch).splitlines(), {}
    for k, (_, head, body) in some:
        head = re.sub(r'(?<![A-Za-z0-9.])(_?[zy])(?!\w)', r'\1#', head)
        part = KERNEL % (head, k, body)
        lines.append(' '.join(part.replace('#', '%d_' % k).split()))
        owner[len(lines)] = k
    return '\n'.join(lines) + '\n', owner


def run(tool, words, text):
    with tempfile.NamedTemporaryFile('w', suffix='.ptx') as f:
        f.write(text)
        f.flush()
        return subprocess.run([tool, *words, f.name], capture_output=True, text=True,
                              errors='replace', check=False,
                              env=dict(os.environ, COLUMNS='4000', NO_COLOR='1'))


def ask_ptxas(some, arch, tool):
    """Returns the numbers of the forms accepted by ptxas; drops forms whose line has an error, and
    repeats."""
    while some:
        text, owner = source(some, arch)
        p = run(tool, ['-arch=' + arch, '-o', '/dev/null'], text)
        if p.returncode == 0:
            return {k for k, _ in some}
        said = re.findall(r', line (\d+); *(?:error|fatal)', p.stderr + p.stdout)
        wrong = {owner[int(n)] for n in said if int(n) in owner}
        if not wrong and len(some) > 1:
            half = len(some) // 2
            return ask_ptxas(some[:half], arch, tool) | ask_ptxas(some[half:], arch, tool)
        some = [x for x in some if x[0] not in wrong and wrong]
    return set()


def ask_again(some, arch, tool):
    """Like ask_ptxas; asks a rejected form again alone, as text before a kernel may break
    neighbours."""
    accepted = ask_ptxas(some, arch, tool)
    for x in some:
        if x[0] not in accepted and x[1][1]:
            accepted |= ask_ptxas([x], arch, tool)
    return accepted


def ask_corun(some, tool):
    """Returns number -> sign: + accepted, - the kernel is refused, ! the module is refused."""
    text, _ = source(some, ARCHS[-1])
    p = run(tool, ['ptx'], text)
    rows = re.findall(r'^k(\d+) +(.*)', p.stdout, re.M)
    found = {int(k): '-' if 'not supported' in row else '+' for k, row in rows}
    missing = [x for x in some if x[0] not in found]
    if len(some) == 1:
        return {some[0][0]: found.get(some[0][0], '!')}
    half = len(missing) // 2 if len(missing) == len(some) else 0
    for part in (missing[:half], missing[half:]):
        found.update(ask_corun(part, tool) if part else {})
    return found


def batches(some):
    some = list(enumerate(some))
    return [some[i:i + BATCH] for i in range(0, len(some), BATCH)]


def ask_all(ask, some):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(ask, batches(some)))


def ask_signs(corun, some):
    signs = {}
    for part in ask_all(lambda x: ask_corun(x, corun), some):
        signs.update(part)
    return [signs[k] for k in range(len(some))]


def write(masks, signs, some):
    last = None
    with open(DATA, 'w') as f:
        for mask, sign, (kind, head, body) in zip(masks, signs, some):
            if kind != last:
                f.write('# %s\n' % kind)
            last = kind
            f.write('%d%s %s%s\n' % (mask, sign, body, ' || ' + head if head else ''))


def ask(corun, ptxas):
    some = forms()
    masks = [0] * len(some)
    for bit, arch in enumerate(ARCHS):
        for accepted in ask_all(lambda x, a=arch: ask_again(x, a, ptxas), some):
            for k in accepted:
                masks[k] |= 1 << bit
    write(masks, ask_signs(corun, some), some)


def read():
    """Returns the stored masks, signs and forms."""
    kind, masks, signs, some = None, [], [], []
    with open(DATA) as f:
        for line in f.read().splitlines():
            if line.startswith('# '):
                kind = line[2:]
                continue
            body, _, head = line[3:].partition(' || ')
            masks.append(int(line[0]))
            signs.append(line[1])
            some.append((kind, head, body))
    return masks, signs, some


def mark(corun):
    masks, _, some = read()
    write(masks, ask_signs(corun, some), some)


def shown(form):
    return ' '.join(x for x in form[1:] if x).replace('#', '').strip()


def page():
    """Prints the page; shows only the first of forms that differ in the order of words or the
    register."""
    masks, signs, some = read()
    accepted = sum(1 for m in masks if m)
    refused = [f for m, s, f in zip(masks, signs, some) if m and s != '+']
    lenient = sum(1 for m, s in zip(masks, signs) if not m and s == '+')
    print('\n%s\n' % TITLE)
    print('Of %d forms of statements, made from the grammar of the PTX ISA manual, the assembler '
          'of CUDA 13 accepts %d for sm_75, sm_80 or sm_90; corun runs %d of these and refuses %d. '
          'The list has the refused ones, without those that differ in the order of modifiers. Of '
          'the %d forms that the assembler refuses, corun accepts %d: modifiers without effect, '
          'registers of another type, other orders.'
          % (len(some), accepted, accepted - len(refused), len(refused), len(some) - accepted,
             lenient))
    seen = set()
    for kind in dict.fromkeys(form[0] for form in refused):
        print('\n%s:\n\n```ptx' % kind.capitalize())
        for form in refused:
            words = tuple(sorted(re.split(r'[ .,]+', shown(form))))
            if form[0] == kind and words not in seen:
                print(shown(form))
            seen |= {words} if form[0] == kind else set()
        print('```')


def wrong_answers(corun):
    """Yields forms answered differently; tries a tenth of the forms that refuse a module, as each
    costs a run."""
    _, signs, some = read()
    alone = [k for k, sign in enumerate(signs) if sign == '!'][::10]
    together = [k for k, sign in enumerate(signs) if sign != '!']
    parts = [together[i:i + BATCH] for i in range(0, len(together), BATCH)] + [[k] for k in alone]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for found in pool.map(lambda p: ask_corun([(k, some[k]) for k in p], corun), parts):
            for k, sign in found.items():
                if sign != signs[k]:
                    yield some[k], sign


def test(build):
    wrong = list(wrong_answers(os.path.join(build, 'corun')))
    masks, _, some = read()
    kinds = list(dict.fromkeys(form[0] for form in some))
    print('1..%d' % (len(kinds) + 1))
    for n, kind in enumerate(kinds, 1):
        bad = [(shown(form), sign) for form, sign in wrong if form[0] == kind]
        print('%sok %d %s: corun answers as stored' % ('not ' if bad else '', n, kind))
        for form, sign in bad[:20]:
            print('# %s %s' % (sign, form))
    ptxas = os.environ.get('PTXAS', '/usr/local/cuda/bin/ptxas')
    name = 'ok %d ptxas answers as stored' % (len(kinds) + 1)
    if not os.path.exists(ptxas):
        print(name + ' # skip no ptxas')
        return
    sample = list(range(0, len(some), 97))
    accepted = ask_again([(k, some[k]) for k in sample], ARCHS[1], ptxas)
    wrong = [some[k] for k in sample if (masks[k] >> 1 & 1) != (k in accepted)]
    print(('not ' if wrong else '') + name)
    for form in wrong:
        print('# ' + shown(form))


if __name__ == '__main__':
    ACTIONS = {'--ask': ask, '--mark': mark, '--page': page}
    ACTIONS.get(sys.argv[1], lambda: test(sys.argv[1]))(*sys.argv[2:])
