"""Forms of PTX statements, made from the grammar of the PTX ISA manual.

A form is (kind, head, body): `head` stands before the kernel, `body` in it, behind declarations
that every kernel has (KERNEL). ask.py asks ptxas about every form, ptx.py asks corun.
"""
import itertools

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
.func (.param .b32 r) two(.param .b32 a) { .reg .b32 t; ld.param.b32 t, [a]; st.param.b32 [r], t;
ret; }
.func none() { ret; }
'''
KERNEL = '''%s
.visible .entry k%d(.param .u64 pa, .param .u32 pi)
{
.reg .pred %%p<6>; .reg .b16 %%h<6>; .reg .b32 %%r<12>; .reg .b64 %%d<12>; .reg .f32 %%f<12>;
.reg .f64 %%e<6>; .local .align 16 .b32 lv; .local .align 16 .b32 la[16];
ld.param.u64 %%d1, [pa]; mov.u32 %%r1, %%tid.x;
%s
ret;
}
'''
REG = {'pred': '%p', '8': '%h', '16': '%h', '32': '%r', '64': '%d', 'f32': '%f', 'f64': '%e'}


def reg(type_, n):
    """The n-th register of a type such as .u32."""
    t = type_.lstrip('.')
    if t == 'pred' or t in ('f32', 'f64'):
        return REG[t] + str(n)
    bits = {'f16': '16', 'bf16': '16', 'f16x2': '32', 'bf16x2': '32', 'tf32': '32'}.get(t, t[1:])
    return REG[bits] + str(n)


def imm(type_):
    """A constant of the type."""
    return {'f32': '0f3F800000', 'f64': '0d3FF0000000000000'}.get(type_.lstrip('.'), '3')


def orders(words):
    """Every order of the modifiers, the documented one first."""
    return [''.join(o) for o in itertools.permutations(words)]


INTEGERS = ['.u16', '.u32', '.u64', '.s16', '.s32', '.s64']
BITS = ['.b16', '.b32', '.b64']
FLOATS = ['.f32', '.f64']
MEMORY = ['.b8', '.u8', '.s8', '.b16', '.u16', '.s16', '.b32', '.u32', '.s32', '.b64', '.u64',
          '.s64', '.f32', '.f64']
COMPARE = ['.eq', '.ne', '.lt', '.le', '.gt', '.ge']


def sources(op, type_, n, source=None):
    """`op` with n sources: registers, then a constant in each place, then constants only."""
    source = source or [type_] * n
    regs = [reg(t, i + 1) for i, t in enumerate(source)]
    imms = [imm(t) for t in source]
    yield regs
    for i in range(n):
        yield regs[:i] + [imms[i]] + regs[i + 1:]
    if n > 1:
        yield imms


def arithmetic():
    def form(op, type_, n, dst=None, source=None):
        for s in sources(op, type_, n, source):
            yield '%s%s %s, %s;' % (op, type_, reg(dst or type_, 0), ', '.join(s))
    for op, n in (('add', 2), ('sub', 2), ('min', 2), ('max', 2), ('div', 2), ('rem', 2),
                  ('sad', 3)):
        for t in INTEGERS:
            yield from form(op, t, n)
    for op in ('abs', 'neg'):
        for t in ('.s16', '.s32', '.s64'):
            yield from form(op, t, 1)
    for half in ('.lo', '.hi', '.wide'):
        for t in INTEGERS:
            wide = '.' + t[1] + str(2 * int(t[2:])) if half == '.wide' else t
            if wide.endswith('128'):
                continue
            yield from form('mul' + half, t, 2, dst=wide)
            yield from form('mad' + half, t, 3, dst=wide, source=[t, t, wide])
    for op in ('add.cc', 'addc', 'addc.cc', 'sub.cc', 'subc', 'subc.cc'):
        for t in ('.u32', '.s32', '.u64', '.s64'):
            yield from form(op, t, 2)
    for op in ('mad.lo.cc', 'mad.hi.cc', 'madc.lo', 'madc.hi', 'madc.lo.cc', 'madc.hi.cc'):
        for t in ('.u32', '.s32', '.u64', '.s64'):
            yield from form(op, t, 3)
    for op in ('add.sat', 'sub.sat', 'mad24.hi.sat', 'mad.hi.sat'):
        yield from form(op, '.s32', 3 if op[0] == 'm' else 2)
    for op in ('mul24.lo', 'mul24.hi'):
        yield from form(op, '.u32', 2)
        yield from form(op, '.s32', 2)
    for op in ('mad24.lo', 'mad24.hi'):
        yield from form(op, '.u32', 3)
    for op in ('and', 'or', 'xor'):
        for t in BITS + ['.pred']:
            yield from form(op, t, 2)
    for op in ('not', 'cnot'):
        for t in BITS + ['.pred']:
            yield from form(op, t, 1)
    for op in ('shl', 'shr'):
        for t in BITS + (INTEGERS if op == 'shr' else []):
            yield from form(op, t, 2, source=[t, '.u32'])
    for op in ('popc', 'clz', 'bfind', 'brev', 'bfind.shiftamt'):
        for t in (('.b32', '.b64') if 'bfind' not in op else ('.u32', '.s32', '.u64', '.s64')):
            yield from form(op, t, 1, dst=t if op == 'brev' else '.u32')
    for t in ('.u32', '.s32', '.u64', '.s64'):
        yield from form('bfe', t, 3, source=[t, '.u32', '.u32'])
    for t in ('.b32', '.b64'):
        yield from form('bfi', t, 4, source=[t, t, '.u32', '.u32'])
    for op in ('fns', 'prmt', 'lop3'):
        yield from form(op, '.b32', 3 if op != 'lop3' else 4)
    for mode in ('.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16'):
        yield from ('prmt.b32%s %%r0, %%r1, %%r2, %s;' % (mode, s) for s in ('%r3', '2'))
    yield 'lop3.b32 %r0, %r1, %r2, %r3, 0x1b;'
    yield 'lop3.or.b32 %r0|%p1, %r1, %r2, %r3, 0x1b, %p2;'
    yield 'lop3.and.b32 _|%p1, %r1, %r2, %r3, 0x1b, !%p2;'
    for d in ('.l', '.r'):
        for m in ('.clamp', '.wrap'):
            yield from form('shf' + d + m, '.b32', 3)
    for m in ('.clamp', '.wrap'):
        yield from form('bmsk' + m, '.b32', 2)
        yield from form('szext' + m, '.u32', 2)
        yield from form('szext' + m, '.s32', 2)
    for a, b in itertools.product(('.u32', '.s32'), repeat=2):
        for op in ('dp4a', 'dp2a.lo', 'dp2a.hi'):
            yield '%s%s%s %%r0, %%r1, %%r2, %%r3;' % (op, a, b)
            yield '%s%s%s %%r0, %%r1, 7, 1;' % (op, a, b)


def floating():
    def form(op, words, type_, n):
        for o in orders(words):
            yield '%s%s%s %s;' % (op, o, type_, ', '.join(reg(type_, i) for i in range(n + 1)))
    for op in ('add', 'sub', 'mul'):
        for words in ([], ['.rn'], ['.rz'], ['.rm'], ['.rp'], ['.ftz'], ['.sat'],
                      ['.rn', '.ftz'], ['.rz', '.sat'], ['.ftz', '.sat'], ['.rn', '.ftz', '.sat']):
            yield from form(op, words, '.f32', 2)
        for words in ([], ['.rn'], ['.rz'], ['.rm'], ['.rp']):
            yield from form(op, words, '.f64', 2)
        for t in ('.f16', '.f16x2', '.bf16', '.bf16x2'):
            for words in ([], ['.rn'], ['.ftz'], ['.sat'], ['.rn', '.ftz', '.sat']):
                yield from form(op, words, t, 2)
        yield '%s.f32 %%f0, %%f1, 1.0;' % op
        yield '%s.f32 %%f0, 0f3F800000, %%f1;' % op
        yield '%s.f64 %%e0, %%e1, 1.5e3;' % op
        yield '%s.f32 %%f0, %%f1, 1;' % op
        yield '%s.f64 %%e0, %%e1, 0f3F800000;' % op
        yield '%s.f32 %%f0, 1.0, 2.0;' % op
        yield '%s.f32 %%f0, %%r1, %%f2;' % op
        yield '%s.f32 %%r0, %%f1, %%f2;' % op
        yield '%s.f16 %%h0, %%h1, 0x3c00;' % op
    for op in ('fma', 'mad'):
        for words in ([], ['.rn'], ['.rz'], ['.rm'], ['.rp'], ['.rn', '.ftz'], ['.rn', '.sat'],
                      ['.rn', '.ftz', '.sat'], ['.ftz'], ['.sat']):
            yield from form(op, words, '.f32', 3)
        for words in ([], ['.rn'], ['.rz'], ['.rm'], ['.rp']):
            yield from form(op, words, '.f64', 3)
    for t in ('.f16', '.f16x2', '.bf16', '.bf16x2'):
        for words in (['.rn'], ['.rn', '.ftz'], ['.rn', '.sat'], ['.rn', '.relu'],
                      ['.rn', '.ftz', '.relu'], ['.rn', '.oob'], ['.rn', '.oob', '.relu']):
            yield from form('fma', words, t, 3)
    for t, words in (('.f32', [[], ['.approx'], ['.full'], ['.approx', '.ftz'], ['.full', '.ftz'],
                               ['.rn'], ['.rz'], ['.rm'], ['.rp'], ['.rn', '.ftz'], ['.ftz']]),
                     ('.f64', [[], ['.rn'], ['.rz'], ['.rm'], ['.rp']])):
        for w in words:
            yield from form('div', w, t, 2)
    for op in ('rcp', 'sqrt'):
        for words in ([], ['.approx'], ['.approx', '.ftz'], ['.rn'], ['.rz'], ['.rm'], ['.rp'],
                      ['.rn', '.ftz'], ['.ftz']):
            yield from form(op, words, '.f32', 1)
        for words in ([], ['.rn'], ['.rz'], ['.rm'], ['.rp'], ['.approx', '.ftz']):
            yield from form(op, words, '.f64', 1)
    for op in ('rsqrt', 'sin', 'cos', 'lg2', 'ex2', 'tanh'):
        for words in ([], ['.approx'], ['.approx', '.ftz'], ['.ftz']):
            yield from form(op, words, '.f32', 1)
    yield from form('rsqrt', ['.approx'], '.f64', 1)
    yield from form('rsqrt', ['.approx', '.ftz'], '.f64', 1)
    for t in ('.f16', '.f16x2', '.bf16', '.bf16x2'):
        for op in ('ex2', 'tanh'):
            for words in (['.approx'], ['.approx', '.ftz']):
                yield from form(op, words, t, 1)
    for op in ('abs', 'neg'):
        for t in ('.f32', '.f64', '.f16', '.f16x2', '.bf16', '.bf16x2'):
            for words in ([], ['.ftz']):
                yield from form(op, words, t, 1)
    for op in ('min', 'max'):
        for t in ('.f32', '.f64', '.f16', '.f16x2', '.bf16', '.bf16x2'):
            for words in ([], ['.ftz'], ['.NaN'], ['.ftz', '.NaN'], ['.xorsign', '.abs'],
                          ['.NaN', '.xorsign', '.abs'], ['.ftz', '.NaN', '.xorsign', '.abs']):
                for o in orders(words) if len(words) < 3 else [''.join(words)]:
                    yield '%s%s%s %s;' % (op, o, t, ', '.join(reg(t, i) for i in range(3)))
        yield '%s.f32 %%f0, %%f1, %%f2, %%f3;' % op
    for t in ('.u16x2', '.s16x2'):
        for op in ('add', 'min', 'max', 'min.relu', 'max.relu'):
            yield '%s%s %%r0, %%r1, %%r2;' % (op, t)
    for t in FLOATS:
        yield 'copysign%s %s;' % (t, ', '.join(reg(t, i) for i in range(3)))
        for k in ('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'):
            yield 'testp.%s%s %%p0, %s;' % (k, t, reg(t, 1))


def comparing():
    for t in BITS + INTEGERS + FLOATS + ['.f16', '.f16x2', '.bf16', '.bf16x2']:
        a, b = reg(t, 1), reg(t, 2)
        kinds = COMPARE + (['.lo', '.ls', '.hi', '.hs'] if t[1] in 'us' else []) + \
            (['.equ', '.neu', '.ltu', '.leu', '.gtu', '.geu', '.num', '.nan'] if 'f' in t else [])
        for c in kinds:
            yield 'setp%s%s %%p0, %s, %s;' % (c, t, a, b)
        yield 'setp.eq%s %%p0|%%p1, %s, %s;' % (t, a, b)
        yield 'setp.eq%s _|%%p1, %s, %s;' % (t, a, b)
        yield 'setp.eq%s %%p0|_, %s, %s;' % (t, a, b)
        yield 'setp.eq%s %%p0, %s, %s;' % (t, a, imm(t))
        yield 'setp.eq%s %%p0, %s, %s;' % (t, imm(t), a)
        yield 'setp.eq%s %%p0, %s, %s;' % (t, imm(t), imm(t))
        for bool_ in ('.and', '.or', '.xor'):
            yield 'setp.eq%s%s %%p0, %s, %s, %%p2;' % (bool_, t, a, b)
        yield 'setp.eq.and%s %%p0|%%p1, %s, %s, !%%p2;' % (t, a, b)
        if 'f' in t and t != '.f64':
            yield 'setp.eq.ftz%s %%p0, %s, %s;' % (t, a, b)
            yield 'setp.eq.and.ftz%s %%p0, %s, %s, %%p2;' % (t, a, b)
            yield 'setp.ftz.eq%s %%p0, %s, %s;' % (t, a, b)
        for d in ('.u32', '.s32', '.f32', '.u16', '.f16', '.f16x2', '.bf16'):
            yield 'set.eq%s%s %s, %s, %s;' % (d, t, reg(d, 0), a, b)
        yield 'set.eq.and.u32%s %%r0, %s, %s, !%%p2;' % (t, a, b)
        yield 'selp%s %s, %s, %s, %%p1;' % (t, reg(t, 0), a, b)
        yield 'selp%s %s, %s, %s, %%p1;' % (t, reg(t, 0), imm(t), imm(t))
        yield 'selp%s %s, %s, %s, !%%p1;' % (t, reg(t, 0), a, b)
        for c in ('.s32', '.f32'):
            yield 'slct%s%s %s, %s, %s, %s;' % (t, c, reg(t, 0), a, b, reg(c, 3))
        yield 'slct.ftz%s.f32 %s, %s, %s, %%f3;' % (t, reg(t, 0), a, b)
    yield 'selp.pred %p0, %p1, %p2, %p3;'
    yield 'setp.eq.and.u32 %p0, %r1, %r2, 1;'
    yield 'setp.eq.and.u32 %p0, %r1, %r2, 0;'


def moving():
    for t in BITS + INTEGERS + FLOATS + ['.pred', '.b8', '.u8', '.f16', '.b128', '.bf16', '.f16x2']:
        r = '%q' if t == '.b128' else None
        if r:
            continue
        yield 'mov%s %s, %s;' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s %s, %s;' % (t, reg(t, 0), imm(t))
        yield 'mov%s %s, {%s};' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s {%s}, %s;' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s {%s}, {%s};' % (t, reg(t, 0), reg(t, 1))
    for s in ('gv', 'ga', 'ga+4', 'ga[2]', 'cv', 'sv', 'sa', 'sa+8', 'dyn', 'lv', 'la', 'la+4', 'pa',
              'pi', 'one', 'two', 'gv-4', 'generic(gv)', 'generic(sv)', '-gv', 'gv+gv', 'k0'):
        yield 'mov.u64 %%d0, %s;' % s
        yield 'mov.u32 %%r0, %s;' % s
        yield 'mov.b64 %%d0, %s;' % s
    for s in ('%tid.x', '%tid.y', '%ntid.x', '%ctaid.z', '%nctaid.y', '%laneid', '%warpid',
              '%nwarpid', '%smid', '%nsmid', '%gridid', '%lanemask_eq', '%lanemask_lt',
              '%lanemask_le', '%lanemask_gt', '%lanemask_ge', '%clock', '%clock_hi', '%pm0',
              '%envreg1', '%total_smem_size', '%dynamic_smem_size', '%globaltimer_lo',
              '%globaltimer_hi', 'WARP_SZ', '%clusterid.x', '%cluster_ctaid.x',
              '%cluster_nctaid.x', '%cluster_ctarank', '%cluster_nctarank', '%nclusterid.x',
              '%aggr_smem_size', '%reserved_smem_offset_begin', '%tid', '%ctaid',
              '%current_graph_exec'):
        yield 'mov.u32 %%r0, %s;' % s
        yield 'mov.b32 %%r0, %s;' % s
        yield 'cvt.u64.u32 %%d0, %s;' % s
        yield 'add.u32 %%r0, %s, 1;' % s
        yield 'mad.lo.u32 %%r0, %%r1, %s, %s;' % (s, s)
        yield 'setp.eq.u32 %%p0, %s, 0;' % s
    for s in ('%clock64', '%globaltimer', '%gridid', '%current_graph_exec', '%pm0_64'):
        yield 'mov.u64 %%d0, %s;' % s
    for s in ('%tid.x', '%ctaid.x'):
        yield 'mov.u16 %%h0, %s;' % s
        yield 'mov.s32 %%r0, %s;' % s
        yield 'st.global.u32 [%%d1], %s;' % s
    for v in ('mov.v4.u32 {%r0, %r2, %r3, %r4}, %tid;', 'mov.v4.u32 {%r0, %r2, %r3, _}, %ctaid;',
              'mov.v2.u32 {%r0, %r2}, {%r3, %r4};', 'mov.v4.b32 {%r0,%r2,%r3,%r4}, {1,2,3,4};',
              '.reg .v4 .u32 %t; mov.v4.u32 %t, %tid; mov.u32 %r0, %t.x;',
              '.reg .v4 .u32 %t; mov.u32 %t, %tid;'):
        yield v
    for whole, part, n in (('%r0', '%h', 2), ('%d0', '%r', 2), ('%d0', '%h', 4), ('%d0', '%f', 2),
                           ('%e0', '%r', 2), ('%f0', '%h', 2)):
        t = '.b32' if whole[1] in 'rf' else '.b64'
        parts = '{' + ', '.join(part + str(i + 1) for i in range(n)) + '}'
        yield 'mov%s %s, %s;' % (t, whole, parts)
        yield 'mov%s %s, %s;' % (t, parts, whole)
        yield 'mov%s {%s}, %s;' % (t, ', '.join(['_'] + [part + str(i) for i in range(1, n)]), whole)
        yield 'mov%s %s, {%s};' % (t, whole, ', '.join(['0'] + [part + '1'] * (n - 1)))
    yield 'mov.b64 {%r1, %r2}, 5;'
    yield 'mov.b64 %d1, {1, 2};'
    yield 'mov.u64 %d1, {%r1, %r2};'
    yield '.reg .b8 %b<4>; mov.b32 %r0, {%b0, %b1, %b2, %b3};'
    yield '.reg .b8 %b<4>; mov.b16 %h0, {%b0, %b1};'
    yield '.reg .b8 %b<4>; mov.b16 {%b0, %b1}, %h0;'
    yield '.reg .b128 %q; mov.b128 %q, {%d1, %d2}; mov.b128 {%d3, %d4}, %q;'
    yield '.reg .b128 %q, %s; mov.b128 %q, {%d1, %d2}; mov.b128 %s, %q;'
    yield 'mov.pred %p0, 1;'
    yield 'mov.pred %p0, -1;'
    yield 'mov.pred %p0, !%p1;'


def converting():
    types = ['.u8', '.u16', '.u32', '.u64', '.s8', '.s16', '.s32', '.s64', '.f16', '.bf16', '.f32',
             '.f64']
    for d, s in itertools.product(types, repeat=2):
        fd, fs = 'f' in d, 'f' in s
        size = {'f16': 2, 'bf16': 2}
        nd, ns = (size.get(x[1:]) or int(x[2:]) // 8 for x in (d, s))
        words = ['']
        if fd and not fs:
            words = ['', '.rn', '.rz', '.rm', '.rp', '.rn.sat', '.sat']
        elif fs and not fd:
            words = ['', '.rni', '.rzi', '.rmi', '.rpi', '.rzi.sat', '.rn', '.rz']
            if s == '.f32':
                words += ['.rzi.ftz', '.rzi.ftz.sat', '.ftz.rzi']
        elif fd and fs:
            words = ['', '.rn', '.rz', '.rni', '.rzi', '.sat', '.rn.sat', '.rn.relu']
            if '.f32' in (d, s):
                words += ['.ftz', '.rn.ftz', '.rni.ftz']
        else:
            words = ['', '.sat']
        for w in words:
            yield 'cvt%s%s%s %s, %s;' % (w, d, s, reg(d, 0), reg(s, 1))
        if nd < 8 and not fd:
            yield 'cvt%s%s%s %%d0, %s;' % (words[1], d, s, reg(s, 1))
        if ns < 8 and not fs:
            yield 'cvt%s%s%s %s, %%d1;' % (words[1], d, s, reg(d, 0))
        yield 'cvt%s%s%s %s, %s;' % (words[1], d, s, reg(d, 0), imm(s))
    for d in ('.f16x2', '.bf16x2'):
        for w in ('.rn', '.rz', '.rn.relu', '.rz.relu', '.rn.satfinite', '.rn.relu.satfinite',
                  '.rs'):
            yield 'cvt%s%s.f32 %%r0, %%f1, %%f2;' % (w, d)
    for w in ('.rna', '.rn', '.rz', '.rn.relu', '.rna.satfinite', '.rn.satfinite'):
        yield 'cvt%s.tf32.f32 %%r0, %%f1;' % w
    for d in ('.e4m3x2', '.e5m2x2'):
        yield 'cvt.rn.satfinite%s.f32 %%h0, %%f1, %%f2;' % d
        yield 'cvt.rn.satfinite.relu%s.f32 %%h0, %%f1, %%f2;' % d
        yield 'cvt.rn.satfinite%s.f16x2 %%h0, %%r1;' % d
        yield 'cvt.rn.f16x2%s %%r0, %%h1;' % d
        yield 'cvt.rn.relu.f16x2%s %%r0, %%h1;' % d
    for s in ('.u8', '.s8', '.u4', '.s4', '.u2', '.s2'):
        yield 'cvt.pack.sat%s.s32%s %%r0, %%r1, %%r2%s;' % (
            s, '.b32', ', %r3')
    yield 'cvt.pack.sat.u16.s32 %r0, %r1, %r2;'
    for space in ('.global', '.shared', '.local', '.const', '.param', '.shared::cta',
                  '.shared::cluster', '.param::entry'):
        for t, r in (('.u64', '%d'), ('.u32', '%r')):
            yield 'cvta%s%s %s0, %s1;' % (space, t, r, r)
            yield 'cvta.to%s%s %s0, %s1;' % (space, t, r, r)
        var = {'.gl': 'gv', '.sh': 'sv', '.lo': 'lv', '.co': 'cv', '.pa': 'pa'}[space[:3]]
        yield 'cvta%s.u64 %%d0, %s;' % (space, var)
        yield 'cvta%s.u64 %%d0, %s+4;' % (space, var)
        yield 'cvta.to%s.u64 %%d0, %s;' % (space, var)
        yield 'isspacep%s %%p0, %%d1;' % space
        yield 'isspacep%s %%p0, %%r1;' % space
        yield 'isspacep%s %%p0, %s;' % (space, var)


ADDRESSES = ['[%d1]', '[%d1+4]', '[%d1+-4]', '[%d1-4]', '[%d1 + 0x10]', '[4]', '[-4]', '[0x100]',
             '[%d1+4+4]', '[%d1+(2*8)]', '[%d1+16U]', '[4+4]', '[(16)]', '[%d1+020]']


def variables(v, a):
    return ['[%s]' % v, '[%s+4]' % v, '[%s]' % a, '[%s+16]' % a, '[%s+-4]' % a, '[%s-4]' % a,
            '[%s+(4*2)]' % a, '%s' % v, '%s[1]' % a, '[%s[1]]' % a, '[%s+%%r1]' % a, '%s+4' % a]


def loading():
    places = [('', 'gv', 'ga'), ('', 'sv', 'sa'), ('', 'cv', 'ca'), ('', 'lv', 'la'),
              ('', 'pa', 'pi'), ('.global', 'gv', 'ga'), ('.shared', 'sv', 'sa'),
              ('.const', 'cv', 'ca'), ('.local', 'lv', 'la'), ('.param', 'pi', 'pa'),
              ('.global', 'sv', 'cv'), ('.shared', 'gv', 'dyn'), ('.local', 'sv', 'gv'),
              ('.const', 'gv', 'sv')]
    for space, v, a in places:
        for at in variables(v, a):
            yield 'ld%s.b32 %%r0, %s;' % (space, at)
            yield 'st%s.b32 %s, %%r0;' % (space, at)
            yield 'atom%s.add.u32 %%r0, %s, 1;' % (space, at)
        yield 'red%s.add.u32 [%s], 1;' % (space, v)
        yield 'ld%s.v4.b32 {%%r0,%%r1,%%r2,%%r3}, [%s];' % (space, a)
        yield 'prefetch%s.L1 [%s];' % (space, v)
        yield 'ld.volatile%s.b32 %%r0, [%s];' % (space, v)
        yield 'atom%s.cas.b32 %%r0, [%s], 1, 2;' % (space, v)
    for space in ('', '.global', '.shared', '.const', '.local', '.param'):
        for at in ADDRESSES:
            yield 'ld%s.b32 %%r0, %s;' % (space, at)
            yield 'st%s.b32 %s, %%r0;' % (space, at)
        for at in ('[%r1]', '[%r1+4]', '[%r1+-4]', '[%h1]', '[%f1]', '[%e1]', '[%p1]'):
            yield 'ld%s.b32 %%r0, %s;' % (space, at)
        for t in MEMORY + ['.f16', '.pred', '.b128', '.f16x2', '.bf16']:
            r = '%h0' if t == '.b128' else reg(t, 0)
            yield 'ld%s%s %s, [%%d1];' % (space, t, r)
            yield 'st%s%s [%%d1], %s;' % (space, t, r)
            yield 'ld%s%s {%s}, [%%d1];' % (space, t, r)
            yield 'st%s%s [%%d1], {%s};' % (space, t, r)
            if t in MEMORY:
                yield 'st%s%s [%%d1], %s;' % (space, t, imm(t))
                yield 'st%s%s [%%d1], {%s};' % (space, t, imm(t))
                yield 'ld%s%s %%d0, [%%d1];' % (space, t)
                yield 'st%s%s [%%d1], %%d0;' % (space, t)
                yield 'ld%s%s %%r0, [%%d1];' % (space, t)
                yield 'ld%s%s %%f0, [%%d1];' % (space, t)
                yield 'ld%s%s %%e0, [%%d1];' % (space, t)
                yield 'ld%s.v2%s {%s,%s}, [%%d1];' % (space, t, reg(t, 0), reg(t, 1))
                yield 'ld%s.v4%s {%s}, [%%d1];' % (space, t, ','.join(reg(t, i) for i in range(4)))
                yield 'st%s.v2%s [%%d1], {%s,%s};' % (space, t, reg(t, 0), imm(t))
                yield 'st%s.v4%s [%%d1], {%s};' % (space, t, ','.join(reg(t, i) for i in range(4)))
        yield 'ld%s.v2.b32 {_,%%r0}, [%%d1];' % space
        yield 'ld%s.v4.b32 {%%r0,_,_,%%r1}, [%%d1];' % space
        yield 'ld%s.b32 _, [%%d1];' % space
        yield 'ld%s.b32 {_}, [%%d1];' % space
        yield 'st%s.v2.b32 [%%d1], {_,%%r0};' % space
        yield 'ld%s.v2.b32 {%%r0}, [%%d1];' % space
        yield 'ld%s.b32 {%%r0,%%r1}, [%%d1];' % space
        yield 'ld%s.v2.b32 {%%r0,%%r0}, [%%d1];' % space
        yield 'ld%s.v8.b32 {%s}, [%%d1];' % (space, ','.join('%r' + str(i) for i in range(8)))
        yield 'ld%s.v3.b32 {%%r0,%%r1,%%r2}, [%%d1];' % space
        for w in ('.ca', '.cg', '.cs', '.lu', '.cv', '.nc', '.ca.nc', '.cg.nc', '.nc.ca', '.weak',
                  '.volatile', '.relaxed.cta', '.relaxed.gpu', '.relaxed.sys', '.relaxed.cluster',
                  '.acquire.gpu', '.acquire.sys', '.relaxed', '.acquire', '.sc.gpu'):
            yield 'ld%s%s.u32 %%r0, [%%d1];' % (space, w)
            yield 'ld%s%s.u32 %%r0, [%%d1];' % (w, space)
        for w in ('.wb', '.cg', '.cs', '.wt', '.weak', '.volatile', '.relaxed.gpu',
                  '.release.gpu', '.release.sys', '.release'):
            yield 'st%s%s.u32 [%%d1], %%r0;' % (space, w)
            yield 'st%s%s.u32 [%%d1], %%r0;' % (w, space)
        for w in ('.L1::evict_normal', '.L1::evict_unchanged', '.L1::evict_first',
                  '.L1::evict_last', '.L1::no_allocate', '.L2::64B', '.L2::128B', '.L2::256B',
                  '.L2::evict_last', '.L2::evict_normal', '.L2::evict_first',
                  '.L1::evict_last.L2::128B', '.L2::128B.L1::evict_last'):
            yield 'ld%s%s.b32 {%%r0}, [%%d1];' % (space, w)
            yield 'st%s%s.b32 [%%d1], {%%r0};' % (space, w)
            yield 'ld%s%s.v2.b32 {%%r0,%%r1}, [%%d1];' % (space, w)
        yield 'ld%s.L2::cache_hint.b32 %%r0, [%%d1], %%d2;' % space
        yield 'st%s.L2::cache_hint.b32 [%%d1], %%r0, %%d2;' % space
        yield 'ldu%s.b32 %%r0, [%%d1];' % space
        yield 'ldu%s.b32 {%%r0}, [%%d1];' % space
        yield 'ldu%s.v4.f32 {%%f0,%%f1,%%f2,%%f3}, [%%d1];' % space
        for l in ('.L1', '.L2'):
            yield 'prefetch%s%s [%%d1];' % (space, l)
        yield 'prefetch%s.L2::evict_last [%%d1];' % space
        yield 'prefetchu.L1 [%d1];'
        yield 'discard%s.L2 [%%d1], 128;' % space
        yield 'applypriority%s.L2::evict_normal [%%d1], 128;' % space
    for w in ('.global.nc.L1::no_allocate', '.global.nc.L1::no_allocate.L2::128B',
              '.nc.global', '.global.nc', '.global.L1::no_allocate.nc', '.relaxed.global.gpu',
              '.relaxed.gpu.global', '.gpu.relaxed.global', '.global.relaxed.gpu',
              '.mmio.relaxed.sys.global', '.relaxed.mmio.sys.global',
              '.acquire.gpu.global.L1::no_allocate', '.relaxed.gpu.global.L1::evict_last',
              '.volatile.global', '.global.volatile', '.volatile.global.ca', '.global.ca.L2::128B',
              '.param::entry', '.param::func', '.shared::cta', '.shared::cluster'):
        yield 'ld%s.b32 %%r0, [%%d1];' % w
        yield 'ld%s.v4.b32 {%%r0,%%r1,%%r2,%%r3}, [%%d1];' % w
        yield 'ld%s.u8 %%r0, [%%d1];' % w


def atomics():
    for space in ('', '.global', '.shared', '.shared::cta', '.shared::cluster', '.local'):
        for op in ('.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor', '.exch', '.cas',
                   '.sub'):
            for t in ('.b32', '.b64', '.u32', '.u64', '.s32', '.s64', '.f32', '.f64', '.b16',
                      '.b128', '.f16', '.f16x2', '.bf16', '.bf16x2'):
                if t == '.b128':
                    continue
                r, more = reg(t, 2), ', %s' % reg(t, 3) if op == '.cas' else ''
                yield 'atom%s%s%s %s, [%%d1], %s%s;' % (space, op, t, reg(t, 0), r, more)
                if space in ('', '.global'):
                    noftz = '.noftz' if t[1:] in ('f16', 'f16x2', 'bf16', 'bf16x2') else ''
                    if noftz:
                        yield 'atom%s%s%s%s %s, [%%d1], %s%s;' % (space, op, noftz, t, reg(t, 0), r,
                                                                 more)
                    yield 'red%s%s%s%s [%%d1], %s%s;' % (space, op, noftz, t, r, more)
        yield 'atom%s.add.u32 {%%r0}, [%%d1], {%%r2};' % space
        yield 'atom%s.add.u32 %%r0, [%%d1], {%%r2};' % space
        yield 'atom%s.add.u32 {%%r0}, [%%d1], %%r2;' % space
        yield 'red%s.add.u32 [%%d1], {%%r2};' % space
        yield 'atom%s.add.u32 _, [%%d1], %%r2;' % space
        yield 'atom%s.add.u32 %%r0, [%%d1+8], 5;' % space
        yield 'atom%s.add.u32 %%r0, [%%d1+-8], 5;' % space
        yield 'atom%s.cas.b32 %%r0, [%%d1], 1, 2;' % space
        yield 'atom%s.add.f32 %%f0, [%%d1], 1.0;' % space
        yield 'atom%s.add.u32 %%r0, [%%r1], %%r2;' % space
        yield 'atom%s.b32.add %%r0, [%%d1], %%r2;' % space
        for s in ('', '.cta', '.cluster', '.gpu', '.sys'):
            for o in ('', '.relaxed', '.acquire', '.release', '.acq_rel', '.sc'):
                yield 'atom%s%s%s.add.u32 %%r0, [%%d1], %%r2;' % (o, s, space)
        yield 'atom%s.relaxed.gpu.add.u32 %%r0, [%%d1], %%r2;' % space
        yield 'atom.gpu.relaxed%s.add.u32 %%r0, [%%d1], %%r2;' % space
        yield 'atom.relaxed%s.gpu.add.u32 %%r0, [%%d1], %%r2;' % space
        yield 'red.relaxed.gpu%s.add.u32 [%%d1], %%r2;' % space
        yield 'red%s.gpu.add.u32 [%%d1], 1;' % space
        yield 'red.gpu%s.add.u32 [%%d1], 1;' % space
        yield 'atom%s.add.v2.f32 {%%f0,%%f1}, [%%d1], {%%f2,%%f3};' % space
        yield 'atom%s.v2.f32.add {%%f0,%%f1}, [%%d1], {%%f2,%%f3};' % space
        yield 'red%s.add.v4.f32 [%%d1], {%%f0,%%f1,%%f2,%%f3};' % space
        yield 'red%s.v2.f32.add [%%d1], {%%f0,%%f1};' % space
        yield 'atom%s.add.L2::cache_hint.u32 %%r0, [%%d1], %%r2, %%d2;' % space


def warps():
    for m in ('.up', '.down', '.bfly', '.idx'):
        for d in ('%r0', '%r0|%p0', '%r0|_', '_|%p0', '%f0', '%r0|%p0'):
            yield 'shfl.sync%s.b32 %s, %%r1, 1, 0x1f, -1;' % (m, d)
            yield 'shfl%s.b32 %s, %%r1, %%r2, %%r3;' % (m, d)
        yield 'shfl.sync%s.b32 %%r0, 5, %%r2, %%r3, %%r4;' % m
        yield 'shfl.sync%s.b64 %%d0, %%d1, 1, 0x1f, -1;' % m
        yield 'shfl.sync%s.u32 %%r0, %%r1, 1, 0x1f, -1;' % m
        yield 'shfl.sync%s.f32 %%f0, %%f1, 1, 0x1f, -1;' % m
        yield 'shfl%s.sync.b32 %%r0, %%r1, 1, 0x1f, -1;' % m
    for m in ('.all', '.any', '.uni'):
        for s in ('%p1', '!%p1', '1', '0'):
            yield 'vote.sync%s.pred %%p0, %s, -1;' % (m, s)
            yield 'vote%s.pred %%p0, %s;' % (m, s)
    for s in ('%p1', '!%p1', '1'):
        yield 'vote.sync.ballot.b32 %%r0, %s, 0xffffffff;' % s
        yield 'vote.ballot.b32 %%r0, %s;' % s
        yield 'vote.sync.ballot.b32 %%r0, %s, %%r2;' % s
    for t in ('.b32', '.b64'):
        r = reg(t, 1)
        yield 'match.sync.any%s %%r0, %s, -1;' % (t, r)
        yield 'match.any.sync%s %%r0, %s, -1;' % (t, r)
        yield 'match.sync.all%s %%r0|%%p0, %s, %%r2;' % (t, r)
        yield 'match.all.sync%s %%r0|%%p0, %s, %%r2;' % (t, r)
        yield 'match.sync.all%s %%r0, %s, %%r2;' % (t, r)
        yield 'match.any.sync%s %%r0, 5, %%r2;' % t
    for op in ('add', 'min', 'max', 'and', 'or', 'xor'):
        for t in ('.u32', '.s32', '.b32'):
            yield 'redux.sync.%s%s %%r0, %%r1, -1;' % (op, t)
    yield 'activemask.b32 %r0;'
    yield 'activemask.u32 %r0;'
    yield 'elect.sync %r0|%p0, -1;'
    yield 'elect.sync _|%p0, -1;'
    for bar in ('bar', 'barrier', 'bar.cta', 'barrier.cta'):
        for a in ('', '.aligned'):
            yield '%s.sync%s 0;' % (bar, a)
            yield '%s.sync%s %%r1;' % (bar, a)
            yield '%s.sync%s 1, 64;' % (bar, a)
            yield '%s.sync%s %%r1, %%r2;' % (bar, a)
            yield '%s.sync%s;' % (bar, a)
            yield '%s.arrive%s 1, 64;' % (bar, a)
            yield '%s.arrive%s %%r1, %%r2;' % (bar, a)
            yield '%s.arrive%s 1;' % (bar, a)
            for s in ('%p1', '!%p1', '1'):
                yield '%s.red.popc%s.u32 %%r0, 0, %s;' % (bar, a, s)
                yield '%s.red.and%s.pred %%p0, 0, %s;' % (bar, a, s)
                yield '%s.red.or%s.pred %%p0, 1, 64, %s;' % (bar, a, s)
                yield '%s.red%s.or.pred %%p0, %%r1, %%r2, %s;' % (bar, a, s)
    yield 'bar.warp.sync -1;'
    yield 'bar.warp.sync %r1;'
    yield 'bar.sync 16;'
    yield 'bar.sync 0, 33;'
    for s in ('.cta', '.gl', '.sys', '.gpu', '.cluster', ''):
        yield 'membar%s;' % s
        for o in ('', '.sc', '.acq_rel', '.acquire', '.release', '.relaxed'):
            yield 'fence%s%s;' % (o, s)
    for f in ('.proxy.alias', '.proxy.async', '.proxy.async.global', '.proxy.async.shared::cta',
              '.mbarrier_init.release.cluster'):
        yield 'fence%s;' % f
        yield 'membar%s;' % f
    for b in ('.arrive', '.wait', '.arrive.aligned', '.wait.aligned', '.arrive.release',
              '.arrive.relaxed', '.wait.acquire', '.arrive.release.aligned',
              '.wait.acquire.aligned'):
        yield 'barrier.cluster%s;' % b
    for n in ('20', '%r1'):
        yield 'nanosleep.u32 %s;' % n
    yield 'griddepcontrol.wait;'
    yield 'griddepcontrol.launch_dependents;'
    yield 'pmevent 1;'
    yield 'pmevent.mask 3;'
    yield 'brkpt;'
    yield 'trap;'
    yield 'exit;'
    yield 'ret;'
    yield 'ret.uni;'


def copies():
    for c, n in (('.ca', 4), ('.ca', 8), ('.ca', 16), ('.cg', 16), ('.cg', 8)):
        for to in ('.shared', '.shared::cta'):
            yield 'cp.async%s%s.global [%%r1], [%%d1], %d;' % (c, to, n)
    for more in (', 8', ', %r2', ', 0', ', %p1', ', !%p1'):
        yield 'cp.async.cg.shared.global [%%r1], [%%d1], 16%s;' % more
    for at in ('[sa]', '[sa+16]', '[%r1+16]', '[%d2]', '[%d2+16]', '[16]'):
        yield 'cp.async.cg.shared.global %s, [%%d1+16], 16;' % at
    yield 'cp.async.cg.shared.global [sa], [ga], 16;'
    for w in ('.L2::64B', '.L2::128B', '.L2::256B'):
        yield 'cp.async.cg.shared.global%s [%%r1], [%%d1], 16;' % w
    yield 'cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, %d2;'
    yield 'cp.async.commit_group;'
    yield 'cp.async.wait_group 0;'
    yield 'cp.async.wait_group %r1;'
    yield 'cp.async.wait_all;'
    for w in ('', '.noinc'):
        for s in ('', '.shared', '.shared::cta'):
            yield 'cp.async.mbarrier.arrive%s%s.b64 [%%d1];' % (w, s)
    yield 'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], 16, [%r2];'
    for s in ('', '.shared', '.shared::cta'):
        yield 'mbarrier.init%s.b64 [%%d1], 1;' % s
        yield 'mbarrier.init%s.b64 [%%d1], %%r1;' % s
        yield 'mbarrier.inval%s.b64 [%%d1];' % s
        for op in ('arrive', 'arrive_drop'):
            yield 'mbarrier.%s%s.b64 %%d0, [%%d1];' % (op, s)
            yield 'mbarrier.%s%s.b64 _, [%%d1];' % (op, s)
            yield 'mbarrier.%s%s.b64 %%d0, [%%d1], 2;' % (op, s)
            yield 'mbarrier.%s.noComplete%s.b64 %%d0, [%%d1], 2;' % (op, s)
            yield 'mbarrier.%s.expect_tx%s.b64 %%d0, [%%d1], 16;' % (op, s)
            yield 'mbarrier.%s.release.cta%s.b64 %%d0, [%%d1];' % (op, s)
            yield 'mbarrier.%s.expect_tx.release.cta%s.b64 %%d0, [%%d1], 16;' % (op, s)
        for op in ('test_wait', 'try_wait'):
            yield 'mbarrier.%s%s.b64 %%p0, [%%d1], %%d2;' % (op, s)
            yield 'mbarrier.%s.parity%s.b64 %%p0, [%%d1], %%r2;' % (op, s)
            yield 'mbarrier.%s.acquire.cta%s.b64 %%p0, [%%d1], %%d2;' % (op, s)
            yield 'mbarrier.%s.parity.acquire.cta%s.b64 %%p0, [%%d1], 0;' % (op, s)
        yield 'mbarrier.try_wait%s.b64 %%p0, [%%d1], %%d2, %%r2;' % s
        yield 'mbarrier.try_wait.parity%s.b64 %%p0, [%%d1], 1, 1000;' % s
        yield 'mbarrier.expect_tx.relaxed.cta%s.b64 [%%d1], 16;' % s
        yield 'mbarrier.complete_tx.relaxed.cta%s.b64 [%%d1], 16;' % s
        yield 'mbarrier.init%s.b64 [sa], 1;' % s
        yield 'mbarrier.arrive%s.b64 %%d0, [sa+8];' % s
    yield 'mbarrier.pending_count.b64 %r0, %d1;'
    for s in ('', '.shared', '.shared::cta'):
        for x in ('', '.trans'):
            yield 'ldmatrix.sync.aligned.m8n8.x1%s%s.b16 {%%r0}, [%%d1];' % (x, s)
            yield 'ldmatrix.sync.aligned.m8n8.x1%s%s.b16 %%r0, [%%d1];' % (x, s)
            yield 'ldmatrix.sync.aligned.m8n8.x2%s%s.b16 {%%r0,%%r1}, [%%d1];' % (x, s)
            yield 'ldmatrix.sync.aligned.m8n8.x4%s%s.b16 {%%r0,%%r1,%%r2,%%r3}, [%%d1+16];' % (x, s)
            yield 'ldmatrix.sync.aligned.x4.m8n8%s%s.b16 {%%r0,%%r1,%%r2,%%r3}, [%%d1];' % (x, s)
            yield 'stmatrix.sync.aligned.m8n8.x1%s%s.b16 [%%d1], {%%r0};' % (x, s)
            yield 'stmatrix.sync.aligned.m8n8.x1%s%s.b16 [%%d1], %%r0;' % (x, s)
    yield 'ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [sa];'
    yield 'movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;'


def vectors():
    for n, t in itertools.product((2, 4), ('.b8', '.b16', '.b32', '.b64', '.f32', '.f64', '.u32',
                                           '.s32', '.f16', '.pred')):
        if t == '.b64' and n == 4 or t == '.f64' and n == 4:
            yield '', '.reg .v4 %s %%q;' % t
            continue
        yield '', '.reg .v%d %s %%q;' % (n, t)
        yield '', '.reg .v%d %s %%q; ld.global.v%d%s %%q, [%%d1];' % (n, t, n, t)
        yield '', '.reg .v%d %s %%q; st.shared.v%d%s [%%d1], %%q;' % (n, t, n, t)
        yield '', '.reg .v%d %s %%q, %%s; mov.v%d%s %%q, %%s;' % (n, t, n, t)
        yield '', '.reg .v%d %s %%q, %%s; mov%s %%q, %%s;' % (n, t, t)
    for c in 'xyzwrgba':
        yield '', '.reg .v4 .b32 %%q; mov.b32 %%r0, %%q.%s;' % c
        yield '', '.reg .v4 .b32 %%q; mov.b32 %%q.%s, %%r0;' % c
        yield '', '.reg .v2 .b32 %%q; mov.b32 %%r0, %%q.%s;' % c
        yield '', '.reg .v4 .f32 %%q; add.f32 %%q.%s, %%q.x, %%q.y;' % c
    yield '', '.reg .b32 %q; mov.b32 %r0, %q.x;'
    yield '', '.reg .v4 .b32 %q; mov.b32 %r0, %q.s;'
    yield '', '.reg .v4 .b32 %q; mov.b32 %r0, %q .x;'
    yield '', '.reg .v4 .b32 %q; mov.b32 %r0, %q;'
    yield '', '.reg .v4 .b32 %q; mov.v2.b32 {%r0, %r1}, %q;'
    yield '', '.reg .v4 .b32 %q<4>; mov.b32 %r0, %q2.z;'
    yield '', '.reg .v4 .b32 %q<4>; ld.global.v4.b32 %q3, [%d1];'
    yield '', '.reg .v4 .b32 %q, %s; mov.b32 %s.x, %q.y;'
    yield '', '.reg .v2 .b64 %q; ld.global.b32 %r0, [%q.x];'
    yield '', '.reg .v2 .b64 %q; ld.global.b32 %r0, [%q.y+8];'
    yield '', '.reg .v2 .pred %q; @%q.x bra L; L: ret;'
    yield '', '.reg .v2 .pred %q; setp.eq.u32 %q.x|%q.y, %r1, 0;'
    yield '', '.reg .v2 .b32 %q; mov.b64 %d0, {%q.x, %q.y};'
    yield '', '.reg .v2 .b32 %q; mov.b64 {%q.x, %q.y}, %d0;'
    yield '', '.reg .v2 .b32 %q; mov.b64 %d0, %q;'
    yield '', '.reg .v2 .b32 %q; mov.b64 %q, %d0;'
    yield '', '.reg .v4 .b32 %q; st.global.v4.b32 [%d1], {%q.x, %q.x, %r1, 5};'
    yield '', '.reg .v4 .b32 %q; st.global.v2.b32 [%d1], %q;'
    yield '', '.reg .v4 .b32 %q; st.global.b32 [%d1], %q.w;'
    yield '', '.reg .v4 .b32 %q; st.global.b32 [%d1], %q;'
    yield '', '.reg .v4 .b32 %q; st.global.b32 [%d1], {%q.w};'
    yield '', '.reg .v4 .f32 %q; st.global.v4.b32 [%d1], %q;'
    yield '', '.reg .v4 .b32 %q; ld.global.v4.f32 %q, [%d1];'
    yield '', '.reg .v4 .b16 %q; ld.global.v4.u8 %q, [%d1];'
    yield '', '.reg .v4 .b32 %q; ld.global.v4.u8 %q, [%d1];'
    yield '', '.reg .v4 .b32 %q; ldu.global.v4.u32 %q, [%d1];'
    yield '', '.reg .v4 .b32 %q; add.u32 %q, %q, %q;'
    yield '', '.reg .v4 .u32 %q; mov.u32 %q, {1, 2, 3, 4};'
    yield '', '.reg .v4 .u32 %q; mov.v4.u32 %q, {%r1, 2, 3, %r2};'
    yield '', '.reg .v4 .u32 %q; mov.v4.u32 {%r1, _, %r3, %r2}, %q;'
    yield '', '.reg .v4 .f32 %t; .reg .v2 .f32 %c; tex.2d.v4.f32.f32 %t, [%d1, %c];'
    yield '', '.reg .v4 .f32 %t; tex.2d.v4.f32.f32 %t, [%d1, {%f1, %f2}];'
    yield '', '.reg .v4 .f32 %t; .reg .v4 .f32 %c; tex.3d.v4.f32.f32 %t, [%d1, %c];'
    yield '', '.reg .v4 .b32 %t; .reg .v2 .b32 %c; suld.b.2d.v4.b32.trap %t, [%d1, %c];'
    yield '', '.reg .v4 .b32 %t; .reg .v2 .b32 %c; sust.b.2d.v4.b32.trap [%d1, %c], %t;'
    yield '', ('.reg .v4 .f32 %t; .reg .v2 .b32 %b; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32'
               ' %t, %b, {%r1}, %t;')
    yield '', '.reg .v4 .b32 %t; ldmatrix.sync.aligned.m8n8.x4.shared.b16 %t, [%d1];'
    yield '', '.reg .v2 .f32 %t; cvt.rn.f16x2.f32 %r0, %t.x, %t.y;'
    yield '', '.reg .v2 .b32 %t; shfl.sync.idx.b32 %t.x|%p1, %t.y, 0, 31, -1;'
    yield '', '.reg .v4 .b32 %q; atom.global.add.u32 %q.x, [%d1], %q.y;'
    yield '', '.reg .v4 .b32 %q; call (%q.x), one, (%q.y);'
    yield '.func (.reg .v4 .f32 r) f(.reg .v4 .f32 a) { mov.v4.f32 r, a; ret; }', \
        '.reg .v4 .f32 %q; call (%q), f, (%q);'
    yield '.func (.reg .v2 .b32 r) f(.reg .v2 .b32 a) { mov.b32 r.x, a.y; mov.b32 r.y, a.x; ret; }', \
        '.reg .v2 .b32 %q; call (%q), f, (%q);'
    yield '.func f(.param .v4 .f32 a) { .reg .v4 .f32 t; ld.param.v4.f32 t, [a]; ret; }', \
        '.param .v4 .f32 x; call f, (x);'
    for t in ('.v2 .b32', '.v4 .f32', '.v2 .f64', '.v4 .u8'):
        yield '.global %s vv;' % t, 'mov.u64 %d0, vv;'
        yield '.global %s vv[4];' % t, 'mov.u64 %d0, vv+16;'
        yield '.global %s vv = {1, 2};' % t, ''
        yield '.global %s vv[2] = {{1, 2}, {3, 4}};' % t, ''
        yield '', '.shared %s vv[4]; st.shared.b32 [vv+8], %%r1;' % t
    for at in ('vv.x', '[vv.x]', '[vv].y', '[vv+4].x'):
        yield '.global .v4 .b32 vv;', 'ld.global.b32 %%r0, %s;' % at


def calling():
    pred = '.func (.reg .pred r) f(.reg .pred a) { not.pred r, a; ret; }'
    yield pred, 'call (%p1), f, (%p2);'
    yield pred, 'call.uni (%p1), f, (%p2);'
    yield pred, 'call (%p1), f, (1);'
    yield pred, 'call (_), f, (%p2);'
    yield pred, 'call (%p1), f, (!%p2);'
    yield pred, '@%p3 call (%p1), f, (%p2);'
    yield pred, 'call (%r1), f, (%p2);'
    yield '.func (.reg .u32 r, .reg .pred ok) f(.reg .u32 a) { setp.lt.u32 ok, a, 9; mov.u32 r, a; '\
        'ret; }', 'call (%r2, %p1), f, (%r1);'
    yield '.func (.param .pred r) f(.param .pred a) { ret; }', ''
    yield '.func f(.reg .pred a, .reg .pred b, .reg .u32 c) { ret; }', 'call f, (%p1, %p2, 3);'
    yield '.func (.reg .pred r) f;', ''
    yield '.func (.reg .pred r) f() { setp.eq.u32 r, 1, 1; ret; }', 'call (%p1), f;'
    yield '.func (.reg .pred r) f() { setp.eq.u32 r, 1, 1; ret; }', 'call (%p1), f, ();'
    yield '.func (.reg .pred r) f(.reg .b32 a) { setp.eq.u32 r, a, 1; ret; }', \
        'mov.u64 %d2, f; P: .callprototype (.reg .pred _) _ (.reg .b32 _); '\
        'call (%p1), %d2, (%r1), P;'
    for c in ('call', 'call.uni', '@%p1 call', '@!%p1 call.uni'):
        yield '', '%s none;' % c
        yield '', '%s none, ();' % c
        yield '', '%s (%%r2), one, (%%r1);' % c
        yield '', '%s (%%r2), one, (5);' % c
        yield '', '%s (_), one, (%%r1);' % c
        yield '', '%s one, (%%r1);' % c
        yield '', '%s %%r2, one, (%%r1);' % c
        yield '', '%s (%%r2), one, %%r1;' % c
        yield '', '%s (%%f2), one, (%%f1);' % c
        yield '', '%s (%%r2), one, (%%h1);' % c
        yield '', '%s (%%r2), one, (%%d1);' % c
        yield '', '%s (%%r2), one, (-1);' % c
        yield '', '%s (%%r2), one, (0f3F800000);' % c
        yield '', '%s (%%r2), one, (%%r1, %%r2);' % c
        yield '', '.param .b32 x; .param .b32 y; st.param.b32 [x], %%r1; %s (y), two, (x); '\
            'ld.param.b32 %%r2, [y];' % c
        yield '', '.param .b32 x; st.param.b32 [x], %%r1; %s (_), two, (x);' % c
        yield '', '%s (%%r2), two, (%%r1);' % c
    yield '', '{ .param .b32 x; .param .b32 y; st.param.b32 [x+0], %r1; call.uni (y), two, (x); '\
        'ld.param.b32 %r2, [y+0]; }'
    proto = 'P: .callprototype (.param .b32 _) _ (.param .b32 _);'
    yield '', 'mov.u64 %%d2, two; %s .param .b32 x, y; st.param.b32 [x], 1; call (y), %%d2, (x), P;'\
        % proto
    yield '', 'mov.u64 %%d2, one; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); '\
        'call (%%r2), %%d2, (%%r1), P;'.replace('%%', '%')
    yield '', 'mov.u64 %d2, one; T: .calltargets one; call (%r2), %d2, (%r1), T;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _; call %d2, P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _ (); call %d2, (), P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _ () .noreturn; call %d2, (), P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype ()_; call %d2, P;'
    yield '.global .u64 table[2] = {one, one};', 'ld.global.u64 %d2, [table]; '\
        'T: .calltargets one; call (%r2), %d2, (%r1), T;'
    for w in ('.noreturn', ''):
        yield '.func %s f() { exit; }' % w, 'call f;'
        yield '.func f() %s { exit; }' % w, 'call f;'
        yield '.func f %s { exit; }' % w, 'call f;'
    for link in ('.visible', '.weak', '.extern', ''):
        yield '%s .func (.reg .b32 r) f(.reg .b32 a); .func (.reg .b32 r) f(.reg .b32 a) '\
            '{ mov.b32 r, a; ret; }' % ('' if link == '.extern' else link), 'call (%r2), f, (%r1);'
        yield '%s .func f();' % link, ''
        yield '%s .func f() { ret; }' % link, 'call f;'
    yield '.func (.reg .b32 r, .reg .b32 s) f(.reg .b32 a) { mov.b32 r, a; mov.b32 s, a; ret; }', \
        'call (%r2, %r3), f, (%r1);'
    yield '.func (.reg .b32 r, .reg .b32 s) f(.reg .b32 a) { mov.b32 r, a; mov.b32 s, a; ret; }', \
        'call (%r2, _), f, (%r1);'
    yield '.func (.reg .b16 r) f(.reg .b16 a) { mov.b16 r, a; ret; }', 'call (%h2), f, (%h1);'
    yield '.func (.reg .b8 r) f(.reg .b8 a) { ret; }', ''
    yield '.func (.param .align 8 .b8 r[12]) f(.param .align 8 .b8 a[12]) { ret; }', \
        '.param .align 8 .b8 x[12]; .param .align 8 .b8 y[12]; call (y), f, (x);'
    yield '.func f(.param .b32 a, .param .b8 b[]) { ret; }', ''
    yield '.func f(.param .b64 .ptr .global .align 4 a) { ret; }', ''
    yield '.func (.reg .b32 %r) f(.reg .b32 %a, .reg .b32 %b) { add.u32 %r, %a, %b; ret; }', \
        'call (%r2), f, (%r1, %r3);'
    yield '.func f(.reg .b32 %a<3>) { ret; }', 'call f, (%r1);'


def branching():
    for c in ('bra', 'bra.uni', '@%p1 bra', '@!%p1 bra.uni', '@%p1 bra.uni'):
        yield '', '%s L; add.u32 %%r1, %%r1, 1; L:' % c
        yield '', '%s $L; $L: add.u32 %%r1, %%r1, 1;' % c
        yield '', '{ %s L; } L: ret;' % c
        yield '', '%s L; { L: } ret;' % c
    yield '', 'L: M: N: bra O; O:'
    yield '', '@ %p1 bra L; L:'
    yield '', '@!%p1 mov.u32 %r0, 1;'
    yield '', '@! %p1 mov.u32 %r0, 1;'
    yield '', '@%r1 mov.u32 %r0, 1;'
    yield '', '@%p1 { mov.u32 %r0, 1; }'
    yield '', '@%p1 ret;'
    yield '', '@%p1 exit;'
    yield '', '@%p1 trap;'
    yield '', '@%p1 bar.sync 0;'
    for b in ('brx.idx', 'brx.idx.uni', '@%p1 brx.idx'):
        yield '', 'T: .branchtargets L, M; %s %%r1, T; L: add.u32 %%r1, %%r1, 1; M:' % b
        yield '', '%s %%r1, T; T: .branchtargets L, M; L: M:' % b
        yield '', 'T: .branchtargets L; %s 0, T; L:' % b
    yield '', 'L: .branchtargets L1, L2; brx.idx %r1, L; L1: L2:'
    yield '', '%p1: bra %p1;'
    yield '', 'bra L, M; L: M:'
    yield '', '_L: bra _L;'
    yield '', 'L%: bra L;'


def literals():
    for x in ('1', '-1', '+1', '1U', '1u', '0x1f', '0X1F', '0x1fU', '017', '017U', '0b101', '0B101',
              '0b101U', '0b', '0xg', '089', '4294967295', '4294967296', '-2147483648',
              '0xffffffffff', '18446744073709551615', '18446744073709551616', '1.0', '1e3', '.5',
              '5.', '1.5e-3', '0f3f800000', '0F3F800000', '0f3f8', '0d3ff0000000000000',
              '0D3FF0000000000000', '1+2', '(1+2)*3', '1<<4', '5/2', '5%3', '-5/2', '-5%3', '~0',
              '!0', '!5', '1==1', '1!=2', '1<2', '2>=1', '1&&0', '1||0', '6&3', '6|1', '6^3', '~0>>60',
              '1?2:3', '(1<2)?4:5', '(.s64)5', '(.u64)-1', '-(3)', '- 3', '--3', '+-3', '1.0+2.0',
              '-1.0', '-0f3f800000', '0x7fffffff+1', 'WARP_SZ', 'WARP_SZ*2', '-WARP_SZ', "'a'",
              '1000000', '1_000', '0x', '1 + 2', '((1))', '1U+1', '-1>>1', '0xffffffffffffffff>>63',
              '-1/2', '-1U/2', '5-7', '2*-3'):
        for op in ('mov.u32 %%r0, %s;', 'mov.s64 %%d0, %s;', 'mov.f32 %%f0, %s;',
                   'mov.f64 %%e0, %s;', 'mov.b32 %%r0, %s;', 'mov.u16 %%h0, %s;',
                   'add.s32 %%r0, %%r1, %s;', 'st.global.b8 [%%d1], %s;', 'ld.global.b32 %%r0, [%%d1+%s];',
                   'mov.b64 %%d0, %s;'):
            yield '', op % x
    for x in ('1', '1+1', '2*2', '(3)', '0x10', '4U', '1<<2', '-1', '0', 'WARP_SZ', ''):
        yield '', '.shared .b32 s[%s]; st.shared.b32 [s], 1;' % x
        yield '', '.reg .b32 %%z<%s>; ' % x
        yield '.global .b32 z[%s];' % x, ''
        yield '.global .align %s .b32 z;' % x, ''


def declaring():
    types = ['.b8', '.u8', '.s8', '.b16', '.u16', '.s16', '.b32', '.u32', '.s32', '.b64', '.u64',
             '.s64', '.f32', '.f64', '.pred', '.f16', '.f16x2', '.b128', '.bf16', '.tf32', '.e4m3']
    for t in types:
        yield '', '.reg %s %%z;' % t
        yield '', '.reg %s %%z<4>;' % t
        yield '', '.reg %s %%z, %%y<3>, x;' % t
        for space in ('.global', '.const', '.shared', '.local', '.param'):
            yield '', '%s %s z;' % (space, t)
            yield '', '%s %s z[4];' % (space, t)
            if space != '.param':
                yield '%s %s z;' % (space, t), ''
                yield '%s %s z = 1;' % (space, t), ''
                yield '%s %s z[2] = {1, 2};' % (space, t), ''
    for d in ('.align 8 .b32 z', '.b32 z, y', '.align 4 .b8 z[3], y[4]', '.b32 z[2][3]',
              '.b32 z[2][3][4]', '.b32 .align 8 z', '.v4 .b32 z', '.v2 .b64 z[2]', '.b8 z[]',
              '.attribute(.managed) .b32 z', '.b32 %z', '.b32 $z', '.b32 _z', '.b32 z<4>', '.b8 z[3+4]'):
        for space in ('.global', '.const', '.shared', '.local', '.visible .global', '.weak .global',
                      '.extern .global', '.extern .shared', '.extern .const', '.common .global',
                      '.visible .const', '.weak .const', '.visible .shared', '.weak .shared',
                      '.visible .local'):
            yield '%s %s;' % (space, d), ''
        for space in ('.global', '.const', '.shared', '.local', '.param', '.extern .shared',
                      '.visible .global'):
            yield '', '%s %s;' % (space, d)
    for i in ('z = 5', 'z = -5', 'z = 1.5', 'z = 0f3f800000', 'z = 1+2', 'z = ~0', 'z = (1<<4)|3',
              'z[3] = {1, 2, 3}', 'z[3] = {1, 2}', 'z[3] = {1, 2, 3, 4}', 'z[] = {1, 2, 3}',
              'z[2][2] = {{1, 2}, {3, 4}}', 'z[2][2] = {1, 2, 3, 4}', 'z[2][2] = {{1}, {3, 4}}',
              'z[][2] = {{1, 2}, {3, 4}}', 'z[2] = {gv, ga}', 'z = gv', 'z = ga+4', 'z = ga+(2*4)',
              'z = generic(gv)', 'z = generic(ga)+8', 'z = generic(ga+8)', 'z = cv', 'z = sv',
              'z = one', 'z = none', 'z[2] = {one, two}', 'z = k0', 'z = mask(gv)',
              'z = 0xff(gv)', 'z = 0xFF00(gv)', 'z = {1}', 'z = {}', 'z[2] = {}', 'z = 1U',
              'z[2] = {1, }', 'z = "abc"', 'z = -gv', 'z = gv-4', 'z = ga[1]', 'z = WARP_SZ'):
        for t in ('.b32', '.u64', '.f32', '.f64', '.b8'):
            yield '.global %s %s;' % (t, i), ''
        yield '.const .u64 %s;' % i, ''
        yield '.shared .u64 %s;' % i, ''
        yield '', '.local .b32 %s;' % i
        yield '', '.global .b32 %s;' % i
    for r in ('%z<0>', '%z<1>', 'z', '%z<2>, %z<3>', '%z', '%z, %z', '$z', '_z', 'z<4>', '%z0<4>',
              '%z<4>, %z2', '%', '_', '%_', 'z$', '%z$1', '%z%1', 'z.x', 'add', 'ret', 'bra', 'ld',
              'const', 'WARP_SZ', 'abs', 'x1<3>', '%tid', '%laneid'):
        yield '', '.reg .b32 %s;' % r
    yield '', '.reg .b32 z<4>; mov.b32 z0, z3;'
    yield '', '.reg .b32 %z<4>; mov.b32 %z0, %z4;'
    yield '', '.reg .b32 add; mov.b32 add, 1; add.u32 add, add, add;'
    yield '', '.reg .b32 %z<4>; { .reg .b32 %z<2>; mov.b32 %z1, %z3; }'
    yield '', '{ .reg .b32 %z; mov.b32 %z, 1; } { .reg .f32 %z; mov.f32 %z, 1.0; }'
    yield '', '{ { { } } }'
    yield '', ';'
    yield '', '{ ; ; }'
    yield '', '.reg .b32 %z mov.b32 %z, 1;'
    yield '', '.pragma "nounroll";'
    yield '', '.pragma "nounroll", "x";'
    yield '', '.loc 1 2 3'
    yield '', '.loc 1 2 3;'
    yield '', '.loc 1 2 3, function_name $L, inlined_at 1 2 3'
    yield '.pragma "nounroll";', ''
    yield '.file 1 "a.cu"', ''
    yield '.file 1 "a.cu", 1, 2', ''
    yield '.section .debug_info { .b8 1, 2 }', ''
    yield '.section .debug_info { .b32 1 .b64 gv .b8 0x2 }', ''
    yield '.section .debug_str { L: .b8 1 .b8 2 }', ''
    yield '.alias f, none;', ''
    yield '.func f(); .alias f, none;', 'call f;'
    yield '.visible .func f(); .visible .func g() { ret; } .alias f, g;', 'call f;'
    for d in ('.maxntid 64', '.maxntid 64, 2', '.maxntid 64, 2, 1', '.reqntid 32', '.reqntid 8, 4',
              '.reqntid 8, 4, 1', '.maxnreg 32', '.minnctapersm 2', '.maxnctapersm 2',
              '.maxntid 64 .minnctapersm 2', '.maxntid 64, 1, 1 .maxnreg 32', '.noreturn',
              '.pragma "nounroll";', '.explicitcluster', '.reqnctapercluster 1',
              '.reqnctapercluster 1, 1, 1', '.maxclusterrank 1', '.blocksareclusters',
              '.maxntid 0x40', '.maxntid 2*32', '.maxntid 64 .reqntid 64',
              '.explicitcluster .reqnctapercluster 1, 1, 1'):
        yield '.visible .entry f() %s { ret; }' % d, ''
        yield '.func f() %s { ret; }' % d, ''
    for p in ('.param .u32 a', '.param .u32 a, .param .u64 b', '.param .align 8 .b8 a[16]',
              '.param .b8 a[3]', '.param .u64 .ptr a', '.param .u64 .ptr .global a',
              '.param .u64 .ptr .global .align 16 a', '.param .u64 .ptr .align 16 a',
              '.param .u32 .ptr .shared a', '.param .v4 .f32 a', '.param .pred a', '.param .f16 a',
              '.reg .u32 a', '.param .u32 a[2][2]', '.param .texref a', '.param .surfref a',
              '.param .samplerref a', '.param .b8 a[]', '.param .u32 %a', '.param .b32 a[1]',
              '.param .b128 a', '.param .align 16 .v2 .b64 a', ''):
        yield '.visible .entry f(%s) { ret; }' % p, ''
        yield '.func f(%s) { ret; }' % p, ''
    for h in ('.entry f { ret; }', '.entry f() { }', '.entry f() { ret; };', '.weak .entry f() { ret; }',
              '.extern .entry f();', '.visible .entry f();', '.entry f(.param .u32 a);',
              '.visible .entry $f() { ret; }', '.visible .entry _f() { ret; }',
              '.visible .entry f$1() { ret; }', '.visible .entry %f() { ret; }',
              '.entry f(.param .u32 a,) { ret; }', '.entry f() .entry g() { ret; }',
              '.global .texref t;', '.global .samplerref t;', '.global .surfref t;',
              '.global .texref t = {width = 4};', '.tex .u32 t;',
              '.global .samplerref t = {filter_mode = linear, addr_mode_0 = wrap};',
              '.global .texref t[4];', '.version 9.0', '.target sm_75', '.address_size 64'):
        yield h, ''


def all_forms():
    for f in (arithmetic, floating, comparing, moving, converting, loading, atomics, warps, copies):
        for body in f():
            yield f.__name__, '', body
    for f in (vectors, calling, branching, literals, declaring):
        for head, body in f():
            yield f.__name__, head, body


if __name__ == '__main__':
    seen = list(dict.fromkeys(all_forms()))
    print(len(seen))
