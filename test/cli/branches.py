"""Random trees of branches in which lanes exchange values, with separate instructions on each path.

    branches.py write SEED COUNT    branches.ptx and branches.yaml, a kernel for each tree
    branches.py check COUNT         their dumps

In round k a lane takes x of lane (l + shift) % 32, and x = 3 x + k + l. Where in the tree the code
of a round lies, before, in or behind branches, in a loop or a function, must make no difference.
"""
import random
import struct
import sys

ROUNDS = 9
SHIFTS = [1, 16, 7, 31, 2, 24, 5, 11, 3]
HEAD = '.version 8.0\n.target sm_75\n.address_size 64\n'
FUNCTION = '''.func (.reg .u32 z) round{k}(.reg .u32 x, .reg .u32 l) {{ .reg .b32 %r<4>;
add.u32 %r0, l, {shift}; and.b32 %r0, %r0, 31; shfl.sync.idx.b32 %r1, x, %r0, 31, -1;
mad.lo.u32 %r2, %r1, 3, {k}; add.u32 z, %r2, l; ret; }}
'''
KERNEL = '''.visible .entry {name}(.param .u64 out) {{
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<3>;
ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;
and.b32 %r1, %r0, 31; mov.u32 %r2, %r0;
{body}
st.global.u32 [%d1], %r2; ret; }}
'''


class Tree:
    def __init__(self, seed):
        self.pick, self.label_n, self.lines = random.Random(seed), 0, []

    def label(self):
        self.label_n += 1
        return f'L{self.label_n}'

    def round(self, k):
        """Draws register numbers, to give each place different sources and destinations."""
        a, b = self.pick.sample(range(3, 20), 2)
        if self.pick.random() < 0.3:
            self.lines.append(f'call (%r2), round{k}, (%r2, %r1);')
            return
        self.lines.append(
            f'add.u32 %r{a}, %r1, {SHIFTS[k]}; and.b32 %r{a}, %r{a}, 31; mov.b32 %r{b}, %r2;\n'
            f'shfl.sync.idx.b32 %r{a}, %r{b}, %r{a}, 31, -1; mad.lo.u32 %r{a}, %r{a}, 3, {k};\n'
            f'add.u32 %r2, %r{a}, %r1;')

    def delay(self):
        """Some lanes go round more often than others."""
        if self.pick.random() < 0.5:
            return
        top, (a, b) = self.label(), self.pick.sample(range(3, 20), 2)
        self.lines.append(f'rem.u32 %r{a}, %r1, {self.pick.randrange(2, 9)}; mov.u32 %r{b}, 0;\n'
                          f'{top}: add.u32 %r{b}, %r{b}, 1; setp.lt.u32 %p8, %r{b}, %r{a};\n'
                          f'@%p8 bra {top};')

    def grow(self, rounds, depth):
        if not depth or self.pick.random() < 0.15:
            for k in rounds:
                self.delay()
                self.round(k)
            return
        first, last = sorted(self.pick.choices(range(len(rounds) + 1), k=2))
        other, met = self.label(), self.label()
        for k in rounds[:first]:
            self.round(k)
        self.lines.append(f'mov.u32 %r3, {self.pick.getrandbits(32)}; shr.u32 %r3, %r3, %r1;\n'
                          f'and.b32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra {other};')
        self.grow(rounds[first:last], depth - 1)
        self.lines.append(f'bra {met};\n{other}:')
        self.grow(rounds[first:last], depth - 1)
        self.lines.append(f'{met}:')
        for k in rounds[last:]:
            self.round(k)


def write(seed, count):
    ptx = HEAD + ''.join(FUNCTION.format(k=k, shift=SHIFTS[k]) for k in range(ROUNDS))
    for n in range(count):
        tree = Tree(seed * 1000 + n)
        tree.grow(list(range(ROUNDS)), 4)
        ptx += KERNEL.format(name=f'tree{n}', body='\n'.join(tree.lines))
    names = [f'tree{n}' for n in range(count)]
    buffers = ''.join(f'  {n}: {{type: u32, count: 64, init: zero}}\n' for n in names)
    launches = ''.join(f'  - {{kernel: {n}, grid: 1, block: 64, args: [${n}]}}\n' for n in names)
    dumps = ', '.join(f'{n}: {n}.out' for n in names)
    open('branches.ptx', 'w').write(ptx)
    open('branches.yaml', 'w').write(f'app: branches\nmodule: branches.ptx\nbuffers:\n{buffers}'
                                     f'launches:\n{launches}dump: {{{dumps}}}\n')


def check(count):
    want = list(range(64))
    for k in range(ROUNDS):
        want = [(3 * want[t & 32 | (t + SHIFTS[k]) & 31] + k + (t & 31)) % 2**32
                for t in range(64)]
    for n in range(count):
        got = list(struct.unpack('<64I', open(f'tree{n}.out', 'rb').read()))
        assert got == want, (n, got, want)


if __name__ == '__main__':
    {'write': write, 'check': check}[sys.argv[1]](*map(int, sys.argv[2:]))
