"""Forms of PTX declarations, vectors, calls, branches, constants and directives, made from the
grammar of the PTX ISA manual: (text before the kernel, text in the kernel). A # makes a name unique
to the form.
"""
import itertools


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
    yield '', ('.reg .v4 .f32 %t; .reg .v2 .b32 %b; mma.sync.aligned.m16n8k8.row.col.f32.f16.'
               'f16.f32 %t, %b, {%r1}, %t;')
    yield '', '.reg .v4 .b32 %t; ldmatrix.sync.aligned.m8n8.x4.shared.b16 %t, [%d1];'
    yield '', '.reg .v2 .f32 %t; cvt.rn.f16x2.f32 %r0, %t.x, %t.y;'
    yield '', '.reg .v2 .b32 %t; shfl.sync.idx.b32 %t.x|%p1, %t.y, 0, 31, -1;'
    yield '', '.reg .v4 .b32 %q; atom.global.add.u32 %q.x, [%d1], %q.y;'
    yield '', '.reg .v4 .b32 %q; call (%q.x), one, (%q.y);'
    yield '.func (.reg .v4 .f32 r) f#(.reg .v4 .f32 a) { mov.v4.f32 r, a; ret; }', \
        '.reg .v4 .f32 %q; call (%q), f#, (%q);'
    swap = ('.func (.reg .v2 .b32 r) f#(.reg .v2 .b32 a) '
            '{ mov.b32 r.x, a.y; mov.b32 r.y, a.x; ret; }')
    yield swap, '.reg .v2 .b32 %q; call (%q), f#, (%q);'
    yield swap, '.reg .v2 .b32 %q; call (%q), f#, ({%r1, %r2});'
    yield swap, '.reg .v2 .b32 %q; call ({%r1, %r2}), f#, (%q);'
    yield '.func f#(.param .v4 .f32 a) { .reg .v4 .f32 t; ld.param.v4.f32 t, [a]; ret; }', \
        '.param .v4 .f32 x; call f#, (x);'
    for t in ('.v2 .b32', '.v4 .f32', '.v2 .f64', '.v4 .u8'):
        yield '.global %s vv#;' % t, 'mov.u64 %d0, vv#;'
        yield '.global %s vv#[4];' % t, 'mov.u64 %d0, vv#+16;'
        yield '.global %s vv# = {1, 2};' % t, ''
        yield '.global %s vv#[2] = {{1, 2}, {3, 4}};' % t, ''
        yield '', '.shared %s vv#[4]; st.shared.b32 [vv#+8], %%r1;' % t
    for at in ('vv#.x', '[vv#.x]', '[vv#].y', '[vv#+4].x'):
        yield '.global .v4 .b32 vv#;', 'ld.global.b32 %%r0, %s;' % at


def calling():
    pred = '.func (.reg .pred r) f#(.reg .pred a) { not.pred r, a; ret; }'
    yield pred, 'call (%p1), f#, (%p2);'
    yield pred, 'call.uni (%p1), f#, (%p2);'
    yield pred, 'call (%p1), f#, (1);'
    yield pred, 'call (_), f#, (%p2);'
    yield pred, 'call (%p1), f#, (!%p2);'
    yield pred, '@%p3 call (%p1), f#, (%p2);'
    yield pred, 'call (%r1), f#, (%p2);'
    yield '.func (.reg .u32 r, .reg .pred ok) f#(.reg .u32 a) { setp.lt.u32 ok, a, 9; '\
        'mov.u32 r, a; ret; }', 'call (%r2, %p1), f#, (%r1);'
    yield '.func (.param .pred r) f#(.param .pred a) { ret; }', ''
    yield '.func f#(.reg .pred a, .reg .pred b, .reg .u32 c) { ret; }', 'call f#, (%p1, %p2, 3);'
    yield '.func (.reg .pred r) f#;', ''
    yield '.func (.reg .pred r) f#() { setp.eq.u32 r, 1, 1; ret; }', 'call (%p1), f#;'
    yield '.func (.reg .pred r) f#() { setp.eq.u32 r, 1, 1; ret; }', 'call (%p1), f#, ();'
    yield '.func (.reg .pred r) f#(.reg .b32 a) { setp.eq.u32 r, a, 1; ret; }', \
        'mov.u64 %d2, f#; P: .callprototype (.reg .pred _) _ (.reg .b32 _); '\
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
    yield '', 'mov.u64 %%d2, two; %s .param .b32 x, y; st.param.b32 [x], 1; '\
        'call (y), %%d2, (x), P;' % proto
    yield '', 'mov.u64 %%d2, one; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); '\
        'call (%%r2), %%d2, (%%r1), P;'.replace('%%', '%')
    yield '', 'mov.u64 %d2, one; T: .calltargets one; call (%r2), %d2, (%r1), T;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _; call %d2, P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _ (); call %d2, (), P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype _ () .noreturn; call %d2, (), P;'
    yield '', 'mov.u64 %d2, none; P: .callprototype ()_; call %d2, P;'
    yield '.global .u64 table#[2] = {one, one};', 'ld.global.u64 %d2, [table#]; '\
        'T: .calltargets one; call (%r2), %d2, (%r1), T;'
    for w in ('.noreturn', ''):
        yield '.func %s f#() { exit; }' % w, 'call f#;'
        yield '.func f#() %s { exit; }' % w, 'call f#;'
        yield '.func f# %s { exit; }' % w, 'call f#;'
    for link in ('.visible', '.weak', '.extern', ''):
        yield '%s .func (.reg .b32 r) f#(.reg .b32 a); .func (.reg .b32 r) f#(.reg .b32 a) '\
            '{ mov.b32 r, a; ret; }' % ('' if link == '.extern' else link), 'call (%r2), f#, (%r1);'
        yield '%s .func f#();' % link, ''
        yield '%s .func f#() { ret; }' % link, 'call f#;'
    yield '.func (.reg .b32 r, .reg .b32 s) f#(.reg .b32 a) { mov.b32 r, a; mov.b32 s, a; ret; }', \
        'call (%r2, %r3), f#, (%r1);'
    yield '.func (.reg .b32 r, .reg .b32 s) f#(.reg .b32 a) { mov.b32 r, a; mov.b32 s, a; ret; }', \
        'call (%r2, _), f#, (%r1);'
    yield '.func (.reg .b16 r) f#(.reg .b16 a) { mov.b16 r, a; ret; }', 'call (%h2), f#, (%h1);'
    yield '.func (.reg .b8 r) f#(.reg .b8 a) { ret; }', ''
    yield '.func (.param .align 8 .b8 r[12]) f#(.param .align 8 .b8 a[12]) { ret; }', \
        '.param .align 8 .b8 x[12]; .param .align 8 .b8 y[12]; call (y), f#, (x);'
    yield '.func f#(.param .b32 a, .param .b8 b[]) { ret; }', ''
    yield '.func f#(.param .b64 .ptr .global .align 4 a) { ret; }', ''
    yield '.func (.reg .b32 %r) f#(.reg .b32 %a, .reg .b32 %b) { add.u32 %r, %a, %b; ret; }', \
        'call (%r2), f#, (%r1, %r3);'
    yield '.func f#(.reg .b32 %a<3>) { ret; }', 'call f#, (%r1);'


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
              '!0', '!5', '1==1', '1!=2', '1<2', '2>=1', '1&&0', '1||0', '6&3', '6|1', '6^3',
              '~0>>60',
              '1?2:3', '(1<2)?4:5', '(.s64)5', '(.u64)-1', '-(3)', '- 3', '--3', '+-3', '1.0+2.0',
              '-1.0', '-0f3f800000', '0x7fffffff+1', 'WARP_SZ', 'WARP_SZ*2', '-WARP_SZ', "'a'",
              '1000000', '1_000', '0x', '1 + 2', '((1))', '1U+1', '-1>>1', '0xffffffffffffffff>>63',
              '-1/2', '-1U/2', '5-7', '2*-3'):
        for op in ('mov.u32 %%r0, %s;', 'mov.s64 %%d0, %s;', 'mov.f32 %%f0, %s;',
                   'mov.f64 %%e0, %s;', 'mov.b32 %%r0, %s;', 'mov.u16 %%h0, %s;',
                   'add.s32 %%r0, %%r1, %s;', 'st.global.b8 [%%d1], %s;',
                   'ld.global.b32 %%r0, [%%d1+%s];',
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
              '.attribute(.managed) .b32 z', '.b32 %z', '.b32 $z', '.b32 _z', '.b32 z<4>',
              '.b8 z[3+4]'):
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
              'z = one', 'z = none', 'z[2] = {one, two}', 'z = mask(gv)',
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
    yield '.alias f#, none;', ''
    yield '.func f#(); .alias f#, none;', 'call f#;'
    yield '.visible .func f#(); .visible .func g#() { ret; } .alias f#, g#;', 'call f#;'
    for d in ('.maxntid 64', '.maxntid 64, 2', '.maxntid 64, 2, 1', '.reqntid 32', '.reqntid 8, 4',
              '.reqntid 8, 4, 1', '.maxnreg 32', '.minnctapersm 2', '.maxnctapersm 2',
              '.maxntid 64 .minnctapersm 2', '.maxntid 64, 1, 1 .maxnreg 32', '.noreturn',
              '.pragma "nounroll";', '.explicitcluster', '.reqnctapercluster 1',
              '.reqnctapercluster 1, 1, 1', '.maxclusterrank 1', '.blocksareclusters',
              '.maxntid 0x40', '.maxntid 2*32', '.maxntid 64 .reqntid 64',
              '.explicitcluster .reqnctapercluster 1, 1, 1'):
        yield '.visible .entry f#() %s { ret; }' % d, ''
        yield '.func f#() %s { ret; }' % d, ''
    for p in ('.param .u32 a', '.param .u32 a, .param .u64 b', '.param .align 8 .b8 a[16]',
              '.param .b8 a[3]', '.param .u64 .ptr a', '.param .u64 .ptr .global a',
              '.param .u64 .ptr .global .align 16 a', '.param .u64 .ptr .align 16 a',
              '.param .u32 .ptr .shared a', '.param .v4 .f32 a', '.param .pred a', '.param .f16 a',
              '.reg .u32 a', '.param .u32 a[2][2]', '.param .texref a', '.param .surfref a',
              '.param .samplerref a', '.param .b8 a[]', '.param .u32 %a', '.param .b32 a[1]',
              '.param .b128 a', '.param .align 16 .v2 .b64 a', ''):
        yield '.visible .entry f#(%s) { ret; }' % p, ''
        yield '.func f#(%s) { ret; }' % p, ''
    for h in ('.entry f# { ret; }', '.entry f#() { }', '.entry f#() { ret; };',
              '.weak .entry f#() { ret; }',
              '.extern .entry f#();', '.visible .entry f#();', '.entry f#(.param .u32 a);',
              '.visible .entry $f#() { ret; }', '.visible .entry _f#() { ret; }',
              '.visible .entry f#$1() { ret; }', '.visible .entry %f#() { ret; }',
              '.entry f#(.param .u32 a,) { ret; }', '.entry f#() .entry g#() { ret; }',
              '.global .texref t#;', '.global .samplerref t#;', '.global .surfref t#;',
              '.global .texref t# = {width = 4};', '.tex .u32 t#;',
              '.global .samplerref t# = {filter_mode = linear, addr_mode_0 = wrap};',
              '.global .texref t#[4];', '.version 9.0', '.target sm_75', '.address_size 64'):
        yield h, ''


FORMS = (vectors, calling, branching, literals, declaring)
