"""Asks ptxas for the rules of exec.expand beside the table of forms: bodies that become predicated,
pairs of instructions that fuse, and moves of pointers in loops.

    python3 test/ptx/rules.py PTXAS    write rules.txt

A line of rules.txt: experiment, case, answer for each architecture.
"""
import collections
import os
import re
import struct
import sys
import tempfile

import cubin

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, 'rules.txt')
ARCHS = ['sm_80', 'sm_89', 'sm_90', 'sm_100', 'sm_120']
BODY_MAX = 30
MOVE, PRODUCT_SUM = 0x202, 0x224
MARK = 2  # line of the instructions that count
HEAD = '''.version 9.0
.target %s
.address_size 64
.file 1 "k"
.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 o, .param .u32 n) {
.reg .pred %%p<4>; .reg .b32 %%r<40>; .reg .f32 %%f<20>; .reg .b64 %%d<30>;
.shared .align 4 .b8 s[4096];
.loc 1 1 0
ld.param.u64 %%d1, [p]; ld.param.u64 %%d2, [q]; ld.param.u64 %%d3, [o]; mov.u32 %%r1, %%tid.x;
mul.wide.u32 %%d4, %%r1, 4; add.s64 %%d1, %%d1, %%d4; add.s64 %%d2, %%d2, %%d4;
add.s64 %%d3, %%d3, %%d4; shl.b32 %%r2, %%r1, 2; mov.u32 %%r3, s; add.u32 %%r2, %%r2, %%r3;
st.shared.u32 [%%r2], %%r1; bar.sync 0;
'''

# Bodies of a branch: the text before a row of products and logic on %r4, and the text behind.
BODIES = {
    'arithmetic': ('', ''),
    'shared load': ('ld.shared.u32 %r10, [%r2+4]; xor.b32 %r4, %r4, %r10;', ''),
    'two shared loads': ('ld.shared.u32 %r10, [%r2+4]; ld.shared.u32 %r11, [%r2+8];'
                         'mad.lo.u32 %r4, %r10, %r11, %r4;', ''),
    'global load': ('ld.global.u32 %r10, [%d2]; xor.b32 %r4, %r4, %r10;', ''),
    'two global loads': ('ld.global.u32 %r10, [%d2]; ld.global.u32 %r11, [%d2+64];'
                         'mad.lo.u32 %r4, %r10, %r11, %r4;', ''),
    'global and shared load': ('ld.global.u32 %r10, [%d2]; ld.shared.u32 %r11, [%r2+8];'
                               'mad.lo.u32 %r4, %r10, %r11, %r4;', ''),
    'shared store': ('', 'st.shared.u32 [%r2], %r4;'),
    'global store': ('', 'st.global.u32 [%d2], %r4;'),
    'parameter': ('ld.param.u32 %r10, [n]; xor.b32 %r4, %r4, %r10;', ''),
    'parameter twice': ('ld.param.u32 %r10, [n]; xor.b32 %r4, %r4, %r10; mul.lo.u32 %r4, %r4,'
                        '%r10;', ''),
    'atomic': ('', 'red.global.add.u32 [%d2], %r4;'),
    'shared atomic': ('', 'atom.shared.add.u32 %r4, [%r2], %r4;'),
    'fence': ('membar.gl;', ''),
    'shuffle': ('shfl.sync.bfly.b32 %r4, %r4, 1, 31, -1;', ''),
}
FUSIONS = {
    'sum, maximum': 'add.s32 %r8, %r5, %r6; max.s32 %r9, %r8, %r7;',
    'sum, minimum, unsigned': 'add.u32 %r8, %r5, %r6; min.u32 %r9, %r8, %r7;',
    'difference, maximum': 'sub.s32 %r8, %r5, %r6; max.s32 %r9, %r8, %r7;',
    'maximum, maximum': 'max.s32 %r8, %r5, %r6; max.s32 %r9, %r8, %r7;',
    'minimum, minimum': 'min.s32 %r8, %r5, %r6; min.s32 %r9, %r8, %r7;',
    'minimum, maximum': 'min.s32 %r8, %r5, %r6; max.s32 %r9, %r8, %r7;',
    'sum of three, maximum': 'add.s32 %r8, %r5, %r6; add.s32 %r8, %r8, %r4; max.s32 %r9, %r8, %r7;',
    'wide comparison': 'mov.b64 %d9, {%r4, %r5}; mov.b64 %d10, {%r6, %r7};'
                       'setp.lt.u64 %p1, %d9, %d10; selp.b32 %r9, %r4, %r5, %p1;',
    'sum with two readers, maximum': 'add.s32 %r8, %r5, %r6; max.s32 %r9, %r8, %r7;'
                                     'xor.b32 %r9, %r9, %r8;',
}
PRODUCT, SUM = 'mul.wide.s32 %%d9, %%r5, 4; %s', 'add.s64 %%d1%d, %%d%d, %%d9; '
LOAD = 'ld.volatile.global.u32 %%r1%d, [%%d1%d]; '
PRODUCTS = {  # text in the block of the product, text in a block behind
    'two sums': (SUM % (0, 1) + SUM % (1, 2) + LOAD % (0, 0) + LOAD % (1, 1), ''),
    'two sums, one elsewhere': (SUM % (0, 1) + SUM % (1, 2) + LOAD % (0, 0) + LOAD % (1, 1),
                                SUM % (2, 3) + LOAD % (2, 2)),
    'two sums and a store': (SUM % (0, 1) + SUM % (1, 2) + LOAD % (0, 0) + LOAD % (1, 1) +
                             'st.volatile.global.u64 [%d1], %d9; ', ''),
}
GATHER = ('ld.global.u32 %r5, [%d1]; mul.wide.u32 %d10, %r5, 4; add.s64 %d11, %d3, %d10;'
          'ld.global.f32 %f3, [%d11]; ')
PLAIN = 'ld.global.f32 %f3, [%d1]; '
ADD, STEP, STEP2 = 'add.f32 %f1, %f1, %f3; ', 'add.s64 %d1, %d1, 4; ', 'add.s64 %d2, %d2, 4; '
POINTERS = {
    'load': PLAIN + ADD + STEP,
    'load after the sum': STEP + PLAIN + ADD,
    'two loads': PLAIN + 'ld.global.f32 %f4, [%d1+64]; fma.rn.f32 %f1, %f4, %f1, %f3; ' + STEP,
    'store': 'st.global.f32 [%d1], %f1; add.f32 %f1, %f1, %f1; ' + STEP,
    'barrier': PLAIN + ADD + 'bar.sync 0; ' + STEP,
    'gather': GATHER + ADD + STEP,
    'gather and store': GATHER + ADD + 'st.global.f32 [%d11], %f1; ' + STEP,
    'two pointers': PLAIN + 'ld.global.f32 %f4, [%d2]; fma.rn.f32 %f1, %f4, %f1, %f3; ' + STEP +
                    STEP2,
    'gather, two pointers': GATHER + 'ld.global.f32 %f4, [%d2]; fma.rn.f32 %f1, %f4, %f3, %f1; ' +
                            STEP + STEP2,
    'load, store': PLAIN + 'mul.f32 %f3, %f3, %f3; st.global.f32 [%d2], %f3; ' + STEP + STEP2,
}


class Ptxas:
    def __init__(self, path, folder):
        self.path, self.at = path, os.path.join(folder, 'k')

    def code(self, arch, text):
        """Returns the cubin and (opcode, line) of each instruction of a kernel."""
        with open(self.at + '.ptx', 'w', encoding='utf-8') as file:
            file.write(HEAD % arch + re.sub(r'; ?(?=.)', ';\n', text) + '\n}\n')
        cubin.assemble(self.path, arch, self.at + '.ptx', self.at + '.cubin')
        found = cubin.Cubin(self.at + '.cubin')
        return found, found.lines()['k']

    def predicated(self, arch, before, behind):
        """Returns the largest number of operations with which the body is predicated."""
        most = None
        for n in range(BODY_MAX):
            row = ['mul.lo.u32 %r4, %r4, %r1; ', 'xor.b32 %r4, %r4, %r5; ']
            text = ('ld.global.u32 %r5, [%d1]; ld.global.u32 %r4, [%d1+4096]; '
                    'setp.lt.s32 %p1, %r1, %r5; @!%p1 bra E; ' + before +
                    ''.join(row[k % 2] for k in range(n)) + behind +
                    'E: st.global.u32 [%d1], %r4; ret;')
            if any(op in cubin.BRANCHES for op, _ in self.code(arch, text)[1]):
                break
            most = n
        return most

    def fused(self, arch, text):
        """Returns the number of instructions of a text on %r4 to %r7 with the result %r9."""
        loads = ''.join('ld.volatile.global.u32 %%r%d, [%%d1+%d]; ' % (k, 4 * k)
                        for k in range(4, 8))
        lines = self.code(arch, '%s.loc 1 %d 0\n%s.loc 1 1 0\nst.volatile.global.u32 [%%d1], %%r9; '
                          'ret;' % (loads, MARK, text))[1]
        return sum(line == MARK for _, line in lines)

    def products(self, arch, here, elsewhere):
        """Returns the number of instructions of a wide product and its readers."""
        text = ('ld.volatile.global.u32 %%r5, [%%d1]; .loc 1 %d 0\n%s.loc 1 1 0\n'
                'setp.lt.s32 %%p1, %%r5, %%r1; @%%p1 bra E; bar.sync 0; .loc 1 %d 0\n%s.loc 1 1 0\n'
                'bar.sync 0; E: ret;' % (MARK, PRODUCT % here, MARK, elsewhere))
        return sum(line == MARK for _, line in self.code(arch, text)[1])

    def moves(self, arch, text):
        """Returns the number of moves in a loop with this text."""
        loop = ('mov.u32 %%r9, %%ctaid.x; mov.f32 %%f1, 0f00000000; L: .pragma "nounroll"; %s'
                'add.s32 %%r9, %%r9, 1; ld.param.u32 %%r8, [n]; setp.lt.s32 %%p1, %%r9, %%r8; '
                '@%%p1 bra L; st.global.f32 [%%d3], %%f1; ret;' % text)
        machine, lines = self.code(arch, loop)
        code = machine.section('.text.k')
        for span in cubin.basic_blocks(code, len(lines), int(arch[3:])):
            if lines[span[-1]][0] in cubin.BRANCHES:
                return sum(is_move(code, k, lines[k][0]) for k in span)
        return None


def is_move(code, k, opcode):
    """True for a move: also a sum to a product of the zero register, without a carry."""
    low, high = struct.unpack_from('<QQ', code, k * cubin.INSTRUCTION_BYTES)
    of_zero, carries = (low >> 24 & 255) == 255, high >> 10 & 1
    return opcode == MOVE or (opcode == PRODUCT_SUM and of_zero and not carries)


def main():
    rows = collections.OrderedDict()
    with tempfile.TemporaryDirectory() as folder:
        ask = Ptxas(sys.argv[1], folder)
        for arch in ARCHS:
            for name, body in BODIES.items():
                rows.setdefault(('predicated', name), []).append(ask.predicated(arch, *body))
            for name, text in FUSIONS.items():
                rows.setdefault(('fused', name), []).append(ask.fused(arch, text))
            for name, pair in PRODUCTS.items():
                rows.setdefault(('product', name), []).append(ask.products(arch, *pair))
            for name, text in POINTERS.items():
                rows.setdefault(('moves', name), []).append(ask.moves(arch, text))
    with open(DATA, 'w', encoding='utf-8') as file:
        file.write('%-42s %s\n' % ('', ' '.join('%6s' % a for a in ARCHS)))
        for (kind, name), found in rows.items():
            file.write('%-10s %-31s %s\n' % (kind, name, ' '.join(
                '%6s' % ('-' if n is None else n) for n in found)))


if __name__ == '__main__':
    main()
