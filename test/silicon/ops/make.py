#!/usr/bin/env python3
"""Makes the input of run.cu: make.py [FOLDER [PTXAS]], default build-silicon/ops.

Every form of the vector files becomes a kernel; thread k executes vector k, with operands and
results in 64-bit slots. Every case of the case files without an expected fault becomes a kernel,
after renaming of module-level names. ptxas assembles some hundred kernels per cubin for sm_90;
make.py records refused kernels and leaves them out. Contents of FOLDER:
  cubins/*.cubin, cubins/plan.txt, cubins/data.bin  for run.cu, see the format of the plan there
  index.json                                        for compare.py: meaning of each job of the plan
  ptx/*.ptx                                         the assembled text, for reading"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import make_extra
import ops

HEAD = '.version 9.0\n.target sm_90\n.address_size 64\n'
KERNELS = 250     # of one cubin
ALONE = ('texture.case',)  # a cubin for each case: the driver refuses some (txq, suq) as a whole
THREADS = 512     # vectors of one launch
CASE_BYTES = 8192  # test/unit/exec/run_block.h: of the input and output of a case
FILE = {1: '%c', 2: '%h', 4: '%r', 8: '%d', 0: '%p'}
# cases able to end a context on silicon run last, to lose few results
LATE = re.compile(r'copy_reads_nothing|alloca|stack_|malloc|free|_others$|griddep|pmevent|discard'
                  r'|mapa|applypriority|istypep|^mbarrier_try|^copy_arrive')
NEVER = {'mbarrier_arrive_wraps':
         'the lanes of a warp arrive at once, 32 at a barrier that waits for 8: it ends the '
         'context'}


def register(type_, k):
    return FILE[ops.BYTES[type_]] + str(4 + k)


def exact(form):
    """Conversions between bf16 and integers want registers of their types' very sizes."""
    return form.op == 'cvt' and 'bf16' in form.types


def operand_type(form, role):
    """Returns the type of the operand's register. An 8-bit operand is in a 16-bit register; the
    upper half must not matter."""
    type_ = form.type_of(role)
    narrow = ops.BYTES[type_] == 1 and form.op not in ('pack', 'unpack') and not exact(form)
    return 'b16' if narrow else type_


def load(type_, k):
    size = ops.BYTES[type_]
    if size == 0:
        return f'ld.global.b32 %r{4 + k}, [%d1+{8 * k}]; setp.ne.b32 %p{4 + k}, %r{4 + k}, 0;'
    return f'ld.global.b{8 * size} {FILE[size]}{4 + k}, [%d1+{8 * k}];'


def widen(form, type_, name):
    """Returns PTX to widen a result to 64 bits."""
    size = ops.BYTES[type_]
    if exact(form) and type_ in ('s8', 's16'):  # corun's rows hold them with their sign
        return f'cvt.s32.{type_} %r3, {name}; cvt.u64.u32 %d3, %r3;'
    return {0: f'selp.b64 %d3, 1, 0, {name};', 1: f'cvt.u64.u8 %d3, {name};',
            2: f'cvt.u64.u16 %d3, {name};', 4: f'cvt.u64.u32 %d3, {name};',
            8: f'mov.b64 %d3, {name};'}[size]


def spelled(form):
    """Returns the form in PTX order: types come first in video instructions."""
    if form.op == 'vabsdiff4':
        words = form.types + [w for w in form.words if w not in ops.BYTES]
        return '.'.join([form.op] + words)
    return form.text


def result_type(form, k):
    """Returns the type of the result's register: 32 bits for conversions to narrow integers, as in
    corun."""
    type_ = form.type_of(form.result_role(k))
    if form.op == 'cvt' and re.fullmatch(r'[us](8|16)', type_) and not exact(form):
        return 'u32'
    return type_


def instruction(v):
    """Returns the line under test, and the registers of results with types."""
    f = v.form
    n = v.result_n()
    if f.op == 'pack':
        parts = ', '.join(register(f.type_of('a'), k) for k in range(f.parts))
        whole = FILE[ops.BYTES[f.type]] + '12'
        return f'mov.{f.type} {whole}, {{{parts}}};', [(f.type, whole)]
    results = [(t, FILE[ops.BYTES[t]] + str(12 + k))
               for k, t in ((k, result_type(f, k)) for k in range(n))]
    sources = []
    for k, role in enumerate(f.source_roles[:len(v.sources)]):
        if role == 'i':
            sources.append(f'0x{v.sources[k]:x}')
        else:
            sources.append('!' * v.negated[k] + register(operand_type(f, role), k))
    if f.op == 'unpack':
        parts = ', '.join(name for _, name in results)
        return f'mov.{f.type} {{{parts}}}, {sources[0]};', results
    left = '|'.join(name for _, name in results)
    return f'{spelled(f)} {left}, {", ".join(sources)};', results


def vector_kernel(name, v):
    """A kernel for all vectors of the key of v."""
    f = v.form
    n = v.result_n()
    slots = len(v.sources) + (v.carry is not None)
    out = n + (v.carry is not None)
    lines = [f'.visible .entry {name}(.param .u64 to, .param .u64 from, .param .u32 n) {{',
             '.reg .pred %p<17>; .reg .b8 %c<17>; .reg .b16 %h<17>; .reg .b32 %r<17>;',
             '.reg .b64 %d<17>;',
             'ld.param.u64 %d0, [to]; ld.param.u64 %d1, [from]; mov.u32 %r0, %tid.x;',
             f'mad.wide.u32 %d0, %r0, {8 * out}, %d0; mad.wide.u32 %d1, %r0, {8 * slots}, %d1;']
    for k in range(len(v.sources)):
        if f.source_roles[k] != 'i':
            lines.append(load(operand_type(f, f.source_roles[k]), k))
    line, results = instruction(v)
    if v.carry is None:
        lines.append(line)
    else:
        lines += [f'ld.global.b32 %r1, [%d1+{8 * len(v.sources)}];',
                  'add.cc.u32 %r2, %r1, -1;', line, 'addc.u32 %r3, 0, 0;']
        results.append(('u32', '%r3'))
    for k, (type_, reg) in enumerate(results):
        lines.append(f'{widen(f, type_, reg)} st.global.b64 [%d0+{8 * k}], %d3;')
    return '\n'.join(lines + ['ret; }', ''])


def slots_of(v):
    """The operands of a vector as 64-bit slots; bits above narrow ones are set at random."""
    values = []
    for k, s in enumerate(v.sources):
        size = ops.BYTES[v.source_type(k)]
        if 0 < size < 4 and v.form.source_roles[k] != 'i':
            s |= ops.SENTINEL << 8 * size
        values.append(s & 2**64 - 1)
    if v.carry is not None:
        values.append(v.carry[0])
    return b''.join(s.to_bytes(8, 'little') for s in values)


def declared(module):
    """Returns the names declared in the text before a kernel, and the external declarations."""
    text = '\n'.join(module)
    extern = re.findall(r'\.extern[^;]*;', text)
    for e in extern:
        text = text.replace(e, '')
    bare = re.sub(r'\{[^}]*\}', '{}', text)  # bodies have names of their own
    names = re.findall(r'\.[bus](?:8|16|32|64)\s+(\w+)\s*(?=\[|=|;)', bare)
    names += re.findall(r'\.func\s+(?:\([^)]*\)\s*)?(\w+)\s*\(', bare)
    return sorted(set(names)), extern, text


def distinct(body):
    """Gives results of wmma.mma separate registers: ptxas (13.0) splits the instruction in two, and
    the first part overwrites operands of the second part. wmma_same_registers keeps the overlap."""
    m = re.search(r'^wmma\.mma\S* (\{[^}]*\})', body, re.M)
    if not m or '%r' not in m[1]:
        return body
    new = re.sub(r'%r(\d+)', lambda r: f'%r{int(r[1]) + 40}', m[1])
    body = body.replace(m[0], m[0].replace(m[1], new))
    return re.sub(r'wmma\.store[^;]*', lambda s: s[0].replace(m[1], new), body)


def case_kernel(name, case):
    """Returns the text of a case for a module with several cases, and the extern declarations."""
    names, extern, module = declared(case.module)
    handles = ''.join(f', .param .u64 t{k + 1}' for k in range(4)) if case.textures else ''
    head = [f'.visible .entry {name}(.param .u64 to, .param .u64 from, .param .u32 n{handles}) {{',
            '.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<97>; .reg .b64 %d<49>;',
            '.reg .f32 %f<9>; .reg .f64 %e<9>;',
            'ld.param.u64 %d0, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [n];',
            'mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;']
    body = '\n'.join(case.body)
    if case.textures:
        body = re.sub(r'mov\.u64 (%d[56]), ([12]);', r'ld.param.u64 \1, [t\2];', body)
    body = distinct(body) if case.name.startswith('wmma_m') else body
    for n in names:
        word = r'(?<![\w.%$])' + n + r'(?!\w)'
        module = re.sub(word, f'{name}_{n}', module)
        body = re.sub(word, f'{name}_{n}', body)
    return '\n'.join([module.strip()] + head + [body, 'ret; }', '']).lstrip('\n'), extern


class Kernel:
    def __init__(self, what, text, extern=()):
        self.what, self.text, self.extern = what, text, extern  # the job, for the index


class Assembler:
    """Makes cubins of kernels and records kernels refused by ptxas."""

    def __init__(self, folder, ptxas):
        self.folder, self.ptxas = folder, ptxas

    def text(self, kernels):
        extern = sorted({re.sub(r'\s+', ' ', e) for k in kernels for e in k.extern})
        text = HEAD + '\n'.join(extern + [''])
        firsts = []
        for k in kernels:
            firsts.append(text.count('\n') + 1)
            text += k.text
        return text, firsts

    def assemble(self, name, kernels):
        """(kernels in the cubin, [(kernel, message)])"""
        refused = []
        kernels = list(kernels)
        while kernels:
            text, firsts = self.text(kernels)
            ptx = os.path.join(self.folder, 'ptx', name + '.ptx')
            with open(ptx, 'w', encoding='ascii') as f:
                f.write(text)
            cubin = os.path.join(self.folder, 'cubins', name + '.cubin')
            run = subprocess.run([self.ptxas, '-arch=sm_90', '-o', cubin, ptx],
                                 capture_output=True, text=True, check=False)
            if run.returncode == 0:
                break
            bad = {}
            for m in re.finditer(r'line (\d+); (?:error|fatal)\s*: (.*)', run.stderr):
                line = int(m[1])
                at = max((k for k, first in enumerate(firsts) if first <= line), default=None)
                if at is not None:
                    bad.setdefault(at, m[2].strip())
            if not bad and len(kernels) == 1:
                bad = {0: run.stderr.strip().split('\n')[-1][:300]}
            if not bad:
                bad = self.search(name, kernels)
            refused += [(kernels[k], message) for k, message in sorted(bad.items())]
            kernels = [k for at, k in enumerate(kernels) if at not in bad]
        return kernels, refused

    def search(self, name, kernels):
        """Assembles each half of the kernels, after a ptxas refusal without a line number."""
        half = len(kernels) // 2
        bad = {}
        for first, part in ((0, kernels[:half]), (half, kernels[half:])):
            good, refused = self.assemble(name, part)
            for kernel, message in refused:
                bad[first + part.index(kernel)] = message
            assert len(good) + len(refused) == len(part)
        return bad


class Plan:
    """Writes the files read by run.cu."""

    def __init__(self):
        self.lines, self.data, self.jobs, self.out = [], bytearray(), [], 0

    def store(self, data):
        at = len(self.data)
        self.data += data + bytes(-len(data) % 8)
        return at

    def job(self, kernel):
        w = kernel.what
        size = w['out_bytes']
        at = self.store(w['input'])
        self.lines.append(f'job {w["name"]} {w["threads"]} {at} {len(w["input"])} {self.out} '
                          f'{size} {w["fill"]:x} {len(w["textures"])}')
        for t in w['textures']:
            numbers = ' '.join(str(t.numbers[n]) for n in t.NAMES)
            self.lines.append(f'texture {numbers} {self.store(t.texels)} {len(t.texels)}')
        entry = {k: w[k] for k in ('name', 'file', 'lines', 'form', 'results') if k in w}
        self.jobs.append(entry | {'out': self.out, 'bytes': size})
        self.out += size


def vector_kernels(name, number):
    """(kernels of a vector file, the next free number)"""
    groups = {}
    for v in ops.read_vectors(name):
        groups.setdefault(v.key(), []).append(v)
    kernels = []
    for vectors in groups.values():
        for first in range(0, len(vectors), THREADS):
            some = vectors[first:first + THREADS]
            v = some[0]
            results = v.result_n() + (v.carry is not None)
            what = {'name': f'v{number}', 'file': name, 'lines': [x.line for x in some],
                    'form': v.form.text, 'results': results, 'threads': len(some),
                    'input': b''.join(map(slots_of, some)), 'fill': ops.SENTINEL,
                    'out_bytes': 8 * results * len(some), 'textures': []}
            kernels.append(Kernel(what, vector_kernel(f'v{number}', v)))
            number += 1
    return kernels, number


def case_kernels(name, skipped):
    kernels = []
    stem = 'probe' if name == 'extra.case' else name.split('.')[0]
    for k, c in enumerate(ops.read_cases(name)):
        if c.name in NEVER:
            skipped.append([c.line, c.name, NEVER[c.name]])
            continue
        if c.fault is not None:
            skipped.append([c.line, c.name, 'it expects a fault, which would end the context'])
            continue
        what = {'name': f'{stem}{k}', 'file': name, 'lines': [c.line], 'form': c.name,
                'threads': c.threads, 'fill': 0, 'textures': c.textures,
                'input': b''.join(w.to_bytes(4, 'little') for w in c.inputs),
                'out_bytes': (4 * c.out_words() + 7) // 8 * 8}
        assert len(what['input']) <= CASE_BYTES and what['out_bytes'] <= CASE_BYTES
        text, extern = case_kernel(f'{stem}{k}', c)
        kernels.append(Kernel(what, text, extern))
    return kernels


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ops.TOP, 'build-silicon/ops')
    ptxas = sys.argv[2] if len(sys.argv) > 2 else '/usr/local/cuda/bin/ptxas'
    make_extra.main()
    for part in ('cubins', 'ptx'):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
        os.makedirs(os.path.join(folder, part))
    assembler, plan = Assembler(folder, ptxas), Plan()
    index = {'files': {}, 'jobs': plan.jobs}
    number, batches, late = 0, [], []
    for name in ops.VECTOR_FILES + ops.CASE_FILES:
        entry = {'sha256': ops.sha256(name), 'refused': {}, 'skipped': []}
        index['files'][name] = entry
        if name in ops.VECTOR_FILES:
            kernels, number = vector_kernels(name, number)
        else:
            kernels = case_kernels(name, entry['skipped'])
            late += [k for k in kernels if LATE.search(k.what['form'])]
            kernels = [k for k in kernels if k not in late]
        size = 1 if name in ALONE else KERNELS
        for first in range(0, len(kernels), size):
            stem = name.replace('.txt', '').replace('.', '_').replace('_case', '')
            stem += '_case' * (name == 'extra.case')
            batches.append((f'{stem}_{first // size}', kernels[first:first + size]))
    batches += [(f'late_{k}', late[k:k + 16]) for k in range(0, len(late), 16)]
    for name, kernels in batches:
        good, refused = assembler.assemble(name, kernels)
        print(f'{name}: {len(good)} kernels, {len(refused)} refused', flush=True)
        for kernel, message in refused:
            w = kernel.what
            index['files'][w['file']]['refused'].setdefault(w['form'], message)
        if good:
            plan.lines.append(f'module {name}.cubin')
        for kernel in good:
            plan.job(kernel)
    text = '\n'.join(plan.lines) + '\n'
    stamp = hashlib.sha256(text.encode() + bytes(plan.data)).hexdigest()[:16]
    index['stamp'] = stamp
    cubins = os.path.join(folder, 'cubins')
    with open(os.path.join(cubins, 'plan.txt'), 'w', encoding='ascii') as f:
        f.write(f'plan {stamp} {len(plan.jobs)} {plan.out}\n' + text)
    with open(os.path.join(cubins, 'data.bin'), 'wb') as f:
        f.write(plan.data)
    with open(os.path.join(folder, 'index.json'), 'w', encoding='ascii') as f:
        json.dump(index, f)
    size = sum(os.path.getsize(os.path.join(cubins, n)) for n in os.listdir(cubins))
    print(f'{len(plan.jobs)} kernels, {size / 1e6:.1f} MB, outputs {plan.out / 1e6:.1f} MB')
    for name, entry in index['files'].items():
        for form, message in entry['refused'].items():
            print(f'refused: {name}: {form}: {message}')


if __name__ == '__main__':
    main()
