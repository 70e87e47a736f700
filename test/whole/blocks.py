#!/usr/bin/env python3
"""Blocks under random programs of barriers: barriers of all warps and of some, arrivals without
waiting, reductions, copies to shared memory, mbarriers, warps that end early. Each program runs
functionally and timed, and must give the results of a Python model of the program."""
import os
import random
import struct
import subprocess
import sys
import tempfile

from common import Tap

MACHINES = ['functional', 'maxwell16', 'rtx2060', 'fermi30']
BLOCKS, WORDS, PROGRAMS = 3, 4096, 24
MASK = 0xffffffff

HEAD = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry blocks(.param .u64 out, .param .u64 in)
{
    .reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;
    .shared .align 16 .b32 s[%(threads)d];
    .shared .align 8 .b64 phase;
    ld.param.u64 %%d0, [out]; ld.param.u64 %%d1, [in];
    mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; shr.u32 %%r2, %%r0, 5;
    mad.lo.u32 %%r3, %%r1, %(threads)d, %%r0; // the thread's value
    mov.u32 %%r4, s; mad.lo.u32 %%r5, %%r0, 4, %%r4; mov.u32 %%r6, phase;
    mad.wide.u32 %%d2, %%r3, 4, %%d0;
    setp.eq.u32 %%p0, %%r0, 0;
    @%%p0 mbarrier.init.shared.b64 [%%r6], %(threads)d;
    bar.sync 0;
'''


class Program:
    """The program's text, and each thread's value. Threads exchange values over s[], a word
    each."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.warps = self.draw.randrange(2, 9)
        self.threads = self.warps * 32
        self.alive = list(range(self.warps))
        self.text = HEAD % {'threads': self.threads}
        self.value = [[b * self.threads + t for t in range(self.threads)] for b in range(BLOCKS)]
        self.out = [list(row) for row in self.value]
        self.labels = 0
        steps = [self.whole, self.named, self.arrives, self.counts, self.copies, self.phase,
                 self.ends]
        for _ in range(self.draw.randrange(4, 9)):
            self.draw.choice(steps)()
        self.text += '    st.global.u32 [%d2], %r3;\n    ret;\n}\n'
        self.store(self.alive)

    def lanes(self, warps=None):
        return [32 * w + i for w in (self.alive if warps is None else warps) for i in range(32)]

    def store(self, warps):
        for b in range(BLOCKS):
            for t in self.lanes(warps):
                self.out[b][t] = self.value[b][t]

    def label(self):
        self.labels += 1
        return 'L%d' % self.labels

    def odd(self):
        return 2 * self.draw.randrange(1, 50) + 1

    def barrier(self):
        """A barrier of all living warps, now and then with their number."""
        self.text += '    bar.sync 0%s;\n' % self.draw.choice(
            ['', ', %d' % (32 * len(self.alive))])

    def reads(self, warps, a, c):
        """Each thread of the consecutive warps `warps` reads another thread's word: value = value *
        5 + s[first + (place * a + c) % n]."""
        first, n = 32 * warps[0], 32 * len(warps)
        self.text += ('    sub.u32 %%r7, %%r0, %d; mad.lo.u32 %%r7, %%r7, %d, %d;\n'
                      '    rem.u32 %%r7, %%r7, %d; add.u32 %%r7, %%r7, %d;\n'
                      '    mad.lo.u32 %%r7, %%r7, 4, %%r4; ld.shared.u32 %%r8, [%%r7];\n'
                      '    mad.lo.u32 %%r3, %%r3, 5, %%r8;\n' % (first, a, c, n, first))

    def exchange(self, warps, a, c, said):
        """The same exchange in the model; said: written value by thread."""
        first, n = 32 * warps[0], 32 * len(warps)
        for b in range(BLOCKS):
            wrote = {t: said(b, t) for t in self.lanes(warps)}
            for t in self.lanes(warps):
                of = first + ((t - first) * a + c) % n
                self.value[b][t] = (self.value[b][t] * 5 + wrote[of]) & MASK

    def runs(self):
        """The living warps in runs of consecutive warps."""
        runs = []
        for w in self.alive:
            if runs and runs[-1][-1] == w - 1:
                runs[-1].append(w)
            else:
                runs.append([w])
        return runs

    def of_warps(self, warps, body):
        """The steps of `body` for these consecutive warps."""
        over = self.label()
        self.text += ('    setp.lt.u32 %%p1, %%r2, %d; @%%p1 bra %s;\n'
                      '    setp.gt.u32 %%p1, %%r2, %d; @%%p1 bra %s;\n'
                      % (warps[0], over, warps[-1], over))
        body()
        self.text += over + ':\n'

    def each_run(self, body):
        for warps in self.runs():
            self.of_warps(warps, lambda warps=warps: body(warps))

    def whole(self):
        a, c = self.odd(), self.odd()
        self.text += '    st.shared.u32 [%r5], %r3;\n'
        self.barrier()
        self.each_run(lambda warps: self.reads(warps, a, c))
        self.barrier()
        for warps in self.runs():
            self.exchange(warps, a, c, lambda b, t: self.value[b][t])

    def named(self):
        """Every run has a separate barrier."""
        a, c = self.odd(), self.odd()
        for k, warps in enumerate(self.runs()):
            self.of_warps(warps, lambda: (
                self.add('st.shared.u32 [%%r5], %%r3; bar.sync %d, %d;' % (k + 1, 32 * len(warps))),
                self.reads(warps, a, c)))
            self.exchange(warps, a, c, lambda b, t: self.value[b][t])
        self.barrier()

    def arrives(self):
        """The first living warp gives words and goes on, the others wait for them."""
        giver, takers = self.alive[0], self.alive[1:]
        if not takers:
            return
        c, n = self.draw.randrange(32), 32 * len(self.alive)
        self.of_warps([giver], lambda: self.add(
            'st.shared.u32 [%%r5], %%r3; bar.arrive 15, %d;' % n))
        for warps in self.runs():
            warps = [w for w in warps if w != giver]
            if warps:
                self.of_warps(warps, lambda: self.add(
                    'bar.sync 15, %d; add.u32 %%r7, %%r0, %d; and.b32 %%r7, %%r7, 31;\n'
                    '    add.u32 %%r7, %%r7, %d; mad.lo.u32 %%r7, %%r7, 4, %%r4;\n'
                    '    ld.shared.u32 %%r8, [%%r7]; xor.b32 %%r3, %%r3, %%r8;'
                    % (n, c, 32 * giver)))
        self.barrier()
        for b in range(BLOCKS):
            for t in self.lanes(takers):
                self.value[b][t] ^= self.value[b][32 * giver + (t + c) % 32]

    def add(self, text):
        self.text += '    %s\n' % text

    def counts(self):
        """A reduction over all living warps."""
        bit, kind = self.draw.randrange(8), self.draw.choice(['popc', 'and', 'or'])
        self.add('shr.u32 %%r7, %%r3, %d; and.b32 %%r7, %%r7, 1; setp.eq.u32 %%p1, %%r7, 1;' % bit)
        n = ', %d' % (32 * len(self.alive))
        if kind == 'popc':
            self.add('bar.red.popc.u32 %%r8, 0%s, %%p1;' % n)
        else:
            self.add('bar.red.%s.pred %%p2, 0%s, %%p1; selp.u32 %%r8, 77, 11, %%p2;' % (kind, n))
        self.add('add.u32 %r3, %r3, %r8;')
        for b in range(BLOCKS):
            bits = [self.value[b][t] >> bit & 1 for t in self.lanes()]
            told = {'popc': sum(bits), 'and': 77 if all(bits) else 11,
                    'or': 77 if any(bits) else 11}[kind]
            for t in self.lanes():
                self.value[b][t] = (self.value[b][t] + told) & MASK

    def copies(self):
        """Copies words of `in`, each to the same position, into s[]."""
        a, c, k = self.odd(), self.odd(), self.draw.randrange(WORDS)
        self.add('mad.lo.u32 %%r7, %%r0, %d, %d; and.b32 %%r7, %%r7, %d;\n'
                 '    mad.wide.u32 %%d3, %%r7, 4, %%d1;' % (a, k, WORDS - 1))
        self.add('cp.async.ca.shared.global [%r5], [%d3], 4;')
        self.add(self.draw.choice(['cp.async.commit_group; cp.async.wait_group 0;',
                                   'cp.async.wait_all;']))
        self.barrier()
        self.each_run(lambda warps: self.reads(warps, a, c))
        self.barrier()
        for warps in self.runs():
            self.exchange(warps, a, c, lambda b, t: (t * a + k) % WORDS)

    def phase(self):
        """All living warps arrive at the mbarrier and wait for the phase."""
        a, c, here = self.odd(), self.odd(), self.label()
        wait = self.draw.choice(['test_wait', 'try_wait'])
        self.add('st.shared.u32 [%r5], %r3; mbarrier.arrive.shared.b64 %d4, [%r6];')
        self.text += here + ':\n'
        self.add('mbarrier.%s.shared.b64 %%p1, [%%r6], %%d4; @!%%p1 bra %s;' % (wait, here))
        self.each_run(lambda warps: self.reads(warps, a, c))
        self.barrier()
        for warps in self.runs():
            self.exchange(warps, a, c, lambda b, t: self.value[b][t])

    def ends(self):
        """A living warp stores its values, leaves the mbarrier and ends."""
        if len(self.alive) < 2:
            return
        warp = self.draw.choice(self.alive)
        self.of_warps([warp], lambda: self.add(
            'st.global.u32 [%d2], %r3; mbarrier.arrive_drop.shared.b64 %d4, [%r6]; ret;'))
        self.store([warp])
        self.alive.remove(warp)


def gives(build, program, machine):
    with tempfile.TemporaryDirectory() as here:
        with open(os.path.join(here, 'k.ptx'), 'w') as f:
            f.write(program.text)
        n = BLOCKS * program.threads
        with open(os.path.join(here, 'k.yaml'), 'w') as f:
            f.write('app: k\nmodule: k.ptx\nbuffers:\n'
                    '  in: {type: u32, count: %d, init: ramp}\n'
                    '  out: {type: u32, count: %d}\nlaunches:\n'
                    '  - {kernel: blocks, grid: %d, block: %d, args: [$out, $in]}\n'
                    'dump: {out: out.bin}\n' % (WORDS, n, BLOCKS, program.threads))
        how = ['--skip-kernels', 'all'] if machine == 'functional' else ['--gpu', machine]
        p = subprocess.run([os.path.join(build, 'corun'), 'run', './k.yaml', '--alone', 'skip',
                            '--quiet', *how], cwd=here, capture_output=True, text=True,
                           check=False)
        assert p.returncode == 0, p.stderr + program.text
        with open(os.path.join(here, 'out.bin'), 'rb') as f:
            out = struct.unpack('<%dI' % n, f.read())
        want = [v for row in program.out for v in row]
        wrong = [i for i in range(n) if out[i] != want[i]]
        assert not wrong, (wrong[:8], [hex(out[i]) for i in wrong[:8]],
                           [hex(want[i]) for i in wrong[:8]], program.text)


def main(build):
    build = os.path.abspath(build)
    tap = Tap()
    for seed in range(PROGRAMS):
        program = Program(seed)
        for machine in MACHINES:
            tap.case('program %d, %s' % (seed, machine), gives, build, program, machine)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
