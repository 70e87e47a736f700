#!/usr/bin/env python3
"""Holds corun's op tests against the stored answers of an H100 (../h100-ops.json): answers.py BUILD

A stored answer of test/op must be the expectation of the vector or case there (test/op checks corun
against the expectations); vectors and cases of make_extra.py have no expectation and run through
corun. Every difference must match a row of KNOWN or of compare.py's WHY, with a reason, and every
row of KNOWN's own must occur. TAP, a case per file.

    answers.py --write RAW_JSON     makes h100-ops.json of the output of compare.py: adds `answers`

`answers` of a file of vectors: operands to result, both hashed, eight and four hexadecimal digits a
vector in a row. Of a file of cases: {name: [hash of the case, number of words known, their hash]};
compare.py shows at most eight wrong words of a case, so that words behind the eighth are not
known."""
import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import make_extra
import ops
from compare import WHY

STORED = os.path.join(ops.HERE, '../h100-ops.json')
# (file, pattern of a vector's form or a case's name, reason)
KNOWN = [
    ('extra.txt', r'(rsqrt|sin|cos|lg2|tanh)\.approx\.(f32|f16|bf16)$',
     'approximations: corun computes more exactly than the tables of a GPU; within the bounds of '
     'the manual'),
    ('extra.case', r'mma_.*_(f16_f16|bf16_bf16|tf32_tf32)_',
     'corun adds as the tensor cores of V100 and T4 (mma.c); an H100 adds more products at once'),
    ('extra.case', r'mma_.*_(e4m3|e5m2)_', 'types that corun does not execute'),
    ('matrix.case', r'w?mma_.*f32_(f16|bf16|tf32)|mma_8_8_4_f32_',
     'corun adds as the tensor cores of V100 and T4 (mma.c); an H100 adds more products at once'),
    ('control.case', r'vadd_u32_u32_u32_(min_2|max_3)$',
     'of two numbers from 2^31 on an H100 returns the wrong one; too few answers for a rule'),
]
KNOWN += [(f, p, why) for p, why in WHY for f in ops.CASE_FILES]


def digest(text, digits):
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def sides(vector):
    """The operands and the result of a line of a vector file."""
    return re.split(r' [=~] ', vector.text)


def vector_answers(name, stored):
    """{hash of operands: hash of the H100's result}, of a file as compare.py has seen the file."""
    refused = set(stored['refused'])
    silicon = {text.split(' = ')[0].split(' ~ ')[0]: r for _, text, r, _ in stored['differ']}
    answers = ''
    for v in ops.read_vectors(name):
        if v.form.text not in refused:
            operands, result = sides(v)
            answers += digest(operands, 8) + digest(silicon.get(operands, result), 4)
    return answers


def definition(case):
    textures = [(sorted(t.numbers.items()), t.texels.hex()) for t in case.textures]
    text = repr((case.threads, case.module, case.body, case.inputs, textures))
    return digest(text, 8)


def words_of(case):
    return [w for _, words in case.out for w in words]


def known_words(case, text):
    """The words that an H100 left, as far as the list of differences tells."""
    words, last = words_of(case), -1
    index = [first + k for first, part in case.out for k in range(len(part))]
    for at, is_, _ in re.findall(r'word (\d+): (\w+), not (\w+)', text):
        last = index.index(int(at))
        words[last] = int(is_, 16)
    return words[:last + 1] if re.search(r'and \d+ more', text) else words


def case_answers(name, stored):
    differ = {row[1]: row[2] for row in stored['differ']}
    left_out = set(stored['refused']) | {row[0] for row in stored['failed']}
    left_out |= {row[1] for row in stored['skipped']}
    answers = {}
    for c in ops.read_cases(name):
        if c.name not in left_out:
            words = known_words(c, differ.get(c.name, ''))
            answers[c.name] = [definition(c), len(words), digest(repr(words), 8)]
    return answers


def write(path):
    with open(path, encoding='ascii') as f:
        stored = json.load(f)
    for name in ops.VECTOR_FILES + ops.CASE_FILES:
        if name.startswith('extra'):
            continue
        if ops.sha256(name) != stored[name]['sha256']:
            sys.exit(f'{name} has changed since make.py ran')
        make = vector_answers if name in ops.VECTOR_FILES else case_answers
        stored[name]['answers'] = make(name, stored[name])
    with open(STORED, 'w', encoding='ascii') as f:
        json.dump(stored, f, separators=(',', ':'))
        f.write('\n')


# ---- the comparison: each yields (name, what differs) ----

def compare_vectors(name, stored):
    text, size = stored['answers'], 12
    answers = {text[k:k + 8]: text[k + 8:k + size] for k in range(0, len(text), size)}
    seen = 0
    for v in ops.read_vectors(name):
        operands, result = sides(v)
        answer = answers.get(digest(operands, 8))
        seen += answer is not None
        if answer is not None and answer != digest(result, 4):
            yield v.form.text, f'{v.text}: an H100 answers otherwise'
    if seen < len(answers):
        yield name, f'{len(answers) - seen} vectors that an H100 has run are gone'


def compare_cases(name, stored):
    cases = {c.name: c for c in ops.read_cases(name)}
    for case, (own, n, words) in stored['answers'].items():
        if case not in cases or definition(cases[case]) != own:
            yield case, f'{case} is not the case that an H100 has run'
        elif digest(repr(words_of(cases[case])[:n]), 8) != words:
            yield case, f'{case}: an H100 answers otherwise'


def run_file(build, path):
    """The lines of a file at which corun differs."""
    program = os.path.join(build, 'test/op/run_file')
    p = subprocess.run([program, path], capture_output=True, text=True, errors='replace')
    lines = (p.stdout + p.stderr).splitlines()
    if not re.search(r'^\d+ run, \d+ differences.*\n\Z', p.stdout, re.M):
        sys.exit(f'{program} ended early, status {p.returncode}: {" ".join(lines[-1:])}')
    return {int(m[1]) for m in (re.match(r'# \S+?:(\d+): ', line) for line in lines) if m}


def extra_vectors(build, stored, folder):
    path = os.path.join(folder, 'extra.txt')
    rows = [(text.split(' =')[0], result) for _, text, result in stored['open']]
    with open(path, 'w', encoding='ascii') as f:
        f.write(''.join(f'{operands} = {result}\n' for operands, result in rows))
    wrong = run_file(build, path)
    for line, (operands, result) in enumerate(rows, 1):
        if line in wrong:
            yield operands.split()[0], f'{operands} = {result} on an H100'


def extra_cases(build, stored, folder):
    """Cases of types that corun does not execute are left out."""
    answers = {name: words for _, name, words in stored['open']}
    path = os.path.join(folder, 'extra.case')
    with contextlib.redirect_stdout(io.StringIO()):
        make_extra.main(folder)
    with open(path, encoding='ascii') as f:
        cases = re.findall(r'case (\S+) .*?\nend\n', f.read(), re.S)
    with open(path, encoding='ascii') as f:
        text = f.read()
    if sorted(cases) != sorted(answers):
        yield 'extra.case', 'make_extra.py makes other cases than an H100 has run'
        return
    out, names = [], {}
    for m in re.finditer(r'case (\S+) .*?\nend\n', text, re.S):
        if re.search(r'_(e4m3|e5m2)_', m[1]):
            yield m[1], f'{m[1]}: types that corun does not execute'
            continue
        names[sum(part.count('\n') for part in out) + 1] = m[1]
        words = ' '.join(bytes.fromhex(w)[::-1].hex() for w in answers[m[1]].split())
        out.append(re.sub(r'out 0: \?\*\d+', 'out 0: ' + words, m[0]))
    with open(path, 'w', encoding='ascii') as f:
        f.write(''.join(out))
    for line in sorted(run_file(build, path)):
        yield names[line], f'{names[line]}: an H100 answers otherwise'


def main():
    if sys.argv[1] == '--write':
        write(sys.argv[2])
        return
    build = sys.argv[1]
    with open(STORED, encoding='ascii') as f:
        stored = json.load(f)
    files = ops.VECTOR_FILES + ops.CASE_FILES
    used, failed = set(), False
    print(f'1..{len(files) + 1}')
    for number, name in enumerate(files, 1):
        with tempfile.TemporaryDirectory() as folder:
            found = list(
                extra_vectors(build, stored[name], folder) if name == 'extra.txt' else
                extra_cases(build, stored[name], folder) if name == 'extra.case' else
                compare_vectors(name, stored[name]) if name in ops.VECTOR_FILES else
                compare_cases(name, stored[name]))
        new = 0
        for what, text in found:
            reasons = [k for k, (file, pattern, _) in enumerate(KNOWN)
                       if file == name and re.search(pattern, what)]
            used.update(reasons)
            if not reasons:
                new += 1
                print(f'# {name}: {text}')
        failed |= new > 0
        print(f'{"not " * (new > 0)}ok {number} {name}: {len(found) - new} known differences')
    idle = [KNOWN[k] for k in range(len(KNOWN) - len(WHY) * len(ops.CASE_FILES)) if k not in used]
    for row in idle:
        print(f'# no difference any more: {row}')
    print(f'{"not " * bool(idle)}ok {len(files) + 1} every known difference occurs')
    sys.exit(failed or bool(idle))


if __name__ == '__main__':
    main()
