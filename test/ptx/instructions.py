"""Forms of PTX instructions, made from the grammar of the PTX ISA manual: operands, modifiers in
every order, addresses. syntax.py has forms of declarations, calls and constants.
"""
import itertools

REG = {'pred': '%p', '8': '%h', '16': '%h', '32': '%r', '64': '%d', 'f32': '%f', 'f64': '%e'}


def reg(type_, n):
    """Returns the n-th register of a type, for example of .u32."""
    t = type_.lstrip('.')
    if t == 'pred' or t in ('f32', 'f64'):
        return REG[t] + str(n)
    bits = {'f16': '16', 'bf16': '16', 'f16x2': '32', 'bf16x2': '32', 'tf32': '32'}.get(t, t[1:])
    return REG[bits] + str(n)


def imm(type_):
    """A constant of the type."""
    return {'f32': '0f3F800000', 'f64': '0d3FF0000000000000'}.get(type_.lstrip('.'), '3')


def orders(words):
    """Returns every order of the modifiers, the documented order first."""
    return [''.join(o) for o in itertools.permutations(words)]


INTEGERS = ['.u16', '.u32', '.u64', '.s16', '.s32', '.s64']
BITS = ['.b16', '.b32', '.b64']
FLOATS = ['.f32', '.f64']
MEMORY = ['.b8', '.u8', '.s8', '.b16', '.u16', '.s16', '.b32', '.u32', '.s32', '.b64', '.u64',
          '.s64', '.f32', '.f64']
SOME = ['.b8', '.u16', '.s16', '.b32', '.s32', '.b64', '.f32', '.f64']
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
        yield '%s.pred %%p0, %%p1, !%%p2;' % op
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
    for t in BITS + INTEGERS + FLOATS + ['.pred', '.b8', '.u8', '.f16', '.bf16', '.f16x2']:
        yield 'mov%s %s, %s;' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s %s, %s;' % (t, reg(t, 0), imm(t))
        yield 'mov%s %s, {%s};' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s {%s}, %s;' % (t, reg(t, 0), reg(t, 1))
        yield 'mov%s {%s}, {%s};' % (t, reg(t, 0), reg(t, 1))
    for s in ('gv', 'ga', 'ga+4', 'ga[2]', 'cv', 'sv', 'sa', 'sa+8', 'dyn', 'lv', 'la', 'la+4',
              'pa', 'pi', 'one', 'two', 'gv-4', 'generic(gv)', 'generic(sv)', '-gv', 'gv+gv'):
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
        rest = [part + str(i) for i in range(1, n)]
        yield 'mov%s {%s}, %s;' % (t, ', '.join(['_'] + rest), whole)
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
        yield 'cvt.pack.sat%s.s32.b32 %%r0, %%r1, %%r2, %%r3;' % s
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
        for t in (MEMORY if space in ('', '.global') else SOME) + ['.f16', '.pred', '.bf16']:
            r = reg(t, 0)
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
                      '.f16', '.f16x2', '.bf16', '.bf16x2'):
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
    yield ('cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
           ' [%r1], [%d1], 16, [%r2];')
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


FORMS = (arithmetic, floating, comparing, moving, converting, loading, atomics, warps, copies)
