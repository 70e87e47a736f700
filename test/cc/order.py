"""The order of accesses to memory around each barrier, fence, warp-wide function and atomic of CUDA
C++, in the PTX made by `corun cc`: loads and stores stay on their side.

    python3 test/cc/order.py CORUN FOLDER [all]     TAP, a case per form

Writes order.cu and order.ptx to FOLDER. `all` crosses each form with each place and pattern (30 s
of processor time), else a form meets the pairs of the tables PAIRS and ATOMIC_PAIRS.

Each kernel is a form (a statement), a place of memory and a pattern of accesses around the form.
The PTX, read from top to bottom, must have the loads (L), stores (S) and forms (F) of the source.
"""
import collections
import os
import re
import subprocess
import sys

# form: statement with q (unsigned *), w (unsigned long long *), n (int); the resulting PTX
FORMS = collections.OrderedDict()


def form(statement, ptx):
    FORMS[statement] = ptx


def warp_forms():
    form('__syncwarp();', r'bar\.warp\.sync')
    form('__syncwarp(n);', r'bar\.warp\.sync')
    for kind, by in (('', 'idx'), ('_up', 'up'), ('_down', 'down'), ('_xor', 'bfly')):
        for value in ('n', '(float)n', '(long long)n', '(double)n'):
            form('r += __shfl%s_sync(-1, %s, 1);' % (kind, value), r'shfl\.sync\.%s' % by)
    for kind in ('all', 'any', 'uni', 'ballot'):
        form('r += __%s_sync(-1, n);' % kind, r'vote\.sync\.%s' % kind)
    form('r += __activemask();', r'activemask')
    for value in ('n', '(long long)n'):
        form('r += __match_any_sync(-1, %s);' % value, r'match\.any\.sync')
        form('r += __match_all_sync(-1, %s, &n);' % value, r'match\.all\.sync')
    for name in ('add', 'min', 'max'):
        form('r += __reduce_%s_sync(-1, n);' % name, r'redux\.sync\.%s' % name)
    for name in ('add', 'min', 'max', 'and', 'or', 'xor'):
        form('r += __reduce_%s_sync(-1, (unsigned)n);' % name, r'redux\.sync\.%s' % name)


def atomic_forms():
    types = {'int': 'int', 'unsigned': 'unsigned', 'long long': 'long long',
             'u64': 'unsigned long long', 'float': 'float', 'double': 'double'}
    of = {'Add': 'int unsigned u64 float double', 'Sub': 'int unsigned',
          'Exch': 'int unsigned u64 float', 'Inc': 'unsigned', 'Dec': 'unsigned'}
    for name in ('Min', 'Max', 'And', 'Or', 'Xor'):
        of[name] = 'int unsigned u64'
    of['CAS'] = 'int unsigned u64'
    for name, kinds in of.items():
        for scope in ('', '_block', '_system'):
            for t in [types[k] for k in kinds.split()] + ['long long'] * (name in ('Min', 'Max')):
                form('r += atomic%s%s((%s *)w, %s(%s)n);' % (
                    name, scope, t, '0, ' * (name == 'CAS'), t), r'(atom|red)\.')
    form('r += atomicCAS((unsigned short *)q, 1, 2);', r'atom\.')
    form('r += atomicAdd((__half *)q, __half(1)).bits();', r'(atom|red)\.')


def barrier_forms():
    form('__syncthreads();', r'(bar|barrier)\.(cta\.)?sync')
    for kind, ptx in (('count', 'popc'), ('and', 'and'), ('or', 'or')):
        form('r += __syncthreads_%s(n);' % kind, r'bar(rier)?\.(cta\.)?red\.%s' % ptx)
    form('__barrier_sync(1);', r'bar(rier)?\.(cta\.)?sync')
    form('__barrier_sync_count(1, 64);', r'bar(rier)?\.(cta\.)?sync')
    for scope, ptx in (('', '(gl|gpu)'), ('_block', 'cta'), ('_system', 'sys')):
        form('__threadfence%s();' % scope, r'(membar|fence[.a-z_]*)\.%s' % ptx)
    form('__nanosleep(20);', 'nanosleep')
    form('r += clock();', r'%clock')
    form('r += clock64();', r'%clock64')


def asm_forms():
    for text in ('bar.sync 1, 64;', 'bar.arrive 1, 64;', 'barrier.sync.aligned 2;', 'fence.sc.gpu;',
                 'fence.acq_rel.cta;', 'membar.gl;', 'cp.async.commit_group;',
                 'cp.async.wait_group 0;', 'cp.async.wait_all;'):
        for clobber in (' ::: "memory"', ''):
            form('asm volatile("%s"%s);' % (text, clobber), re.escape(text))
    form('asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(n) : "memory");',
         r'mbarrier\.arrive')
    form('asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(n), "l"(q) : "memory");',
         r'cp\.async\.ca')
    form('asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(q) : "memory");',
         r'red\.release')
    form('asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(n) : "l"(q) : "memory"); r += n;',
         r'ld\.acquire')


def hinted_forms():
    for name, ptx in (('__ldg', 'nc'), ('__ldca', 'ca'), ('__ldcg', 'cg'), ('__ldcs', 'cs'),
                      ('__ldlu', 'lu'), ('__ldcv', 'cv')):
        form('r += %s(w);' % name, r'ld\.global\.%s' % ptx)
    for name, ptx in (('__stwb', 'wb'), ('__stcg', 'cg'), ('__stcs', 'cs'), ('__stwt', 'wt')):
        form('%s(w, 1);' % name, r'st\.global\.%s' % ptx)


# place: declaration, lvalue
PLACES = {
    'shared': ('__shared__ int x;', 'x'),
    'array': ('__shared__ int x[32];', 'x[threadIdx.x]'),
    'dynamic': ('extern __shared__ int dynamic[];', 'dynamic[threadIdx.x]'),
    'device': (None, 'variable_%s'),
    'pointer': ('', '*p'),
}

# pattern: text of the kernel (X: the place, F: the form), expected events of the PTX
PATTERNS = {
    'forward': ('X = a; F r ^= X;', 'SFL'),
    'guarded': ('if (threadIdx.x == 0) X = a; F r ^= X;', 'SFL'),
    'again': ('r = X; F r ^= X; X = b;', 'LFLS'),
    'loop': ('for (int i = 0; i < a; i++) { F r ^= X; } X = b;', '(FL)+S'),
    'dead': ('X = a; F X = b; F r ^= X;', 'SFSFL'),
    'sink': ('for (int i = 0; i < a; i++) { X = i; F } r ^= X;', '(SF)+L'),
    'promote': ('for (int i = 0; i < a; i++) { X ^= i; F }', '(LSF)+'),
    'late': ('int s = X; F if (b) w[9] = s; else X = a;', 'LFS'),
}
PAIRS = ([('shared', p) for p in PATTERNS] +
         [('array', p) for p in ('forward', 'dead', 'late')] +
         [(place, p) for place in ('device', 'pointer') for p in ('guarded', 'again', 'dead')])
ATOMIC_PAIRS = [('shared', 'guarded'), ('shared', 'promote'), ('pointer', 'again')]


def kernel(name, place, statement, pattern):
    declared, x = PLACES[place]
    if declared is None:
        x %= name
        before, declared = '__device__ int %s;\n' % x, ''
    else:
        before = ''
    body = re.sub(r'\bF\b', lambda _: statement, re.sub(r'\bX\b', x, PATTERNS[pattern][0]))
    return ('%sextern "C" __global__ void %s(int a, int b, int n, unsigned *q, '
            'unsigned long long *w, int *p, long long *out)\n{\n    %s\n    int r = 0;\n    %s\n'
            '    *out = r;\n}\n' % (before, name, declared, body))


def kernels(whole):
    for i, statement in enumerate(FORMS):
        pairs = ATOMIC_PAIRS if 'atomic' in statement else PAIRS
        if whole:
            pairs = [(place, pattern) for place in PLACES for pattern in PATTERNS]
        for place, pattern in pairs:
            if 'asm' in statement and 'memory' not in statement and pattern == 'late':
                continue  # clang moves a load down over an asm without a "memory" clobber
            yield 'f%d_%s_%s' % (i, place, pattern), place, statement, pattern


def events(body, ptx):
    """The letters of a kernel's text, a form of several instructions once."""
    found = ''
    for line in body.splitlines():
        access = re.match(r'\s*(ld|st)\.(shared|global)\.[usb]32\s', line)
        if re.search(r'(?<![\w.])' + ptx, line):
            found += 'F'
        elif access:
            found += 'L' if access.group(1) == 'ld' else 'S'
    return re.sub('F+', 'F', found)


def main(corun, folder, whole=''):
    warp_forms()
    atomic_forms()
    barrier_forms()
    asm_forms()
    hinted_forms()
    source, out = os.path.join(folder, 'order.cu'), os.path.join(folder, 'order.ptx')
    with open(source, 'w') as f:
        f.write('#include <cuda_fp16.h>\n' + ''.join(kernel(*k) for k in kernels(whole)))
    subprocess.run([corun, 'cc', '-ptx', '-arch=sm_80', source, '-o', out], check=True)
    with open(out) as f:
        bodies = dict(re.findall(r'^\.visible \.entry (\w+)\(.*?^\{(.*?)^\}', f.read(),
                                 flags=re.M | re.S))
    wrong = collections.defaultdict(list)
    for name, place, statement, pattern in kernels(whole):
        found, want = events(bodies[name], FORMS[statement]), PATTERNS[pattern][1]
        if not re.fullmatch(want, found):
            wrong[statement].append('%s: %s, expected %s' % (name, found, want))
    print('1..%d' % len(FORMS))
    for i, statement in enumerate(FORMS, 1):
        print('%s %d - %s' % ('not ok' if statement in wrong else 'ok', i, statement))
        for line in wrong.get(statement, ()):
            print('# ' + line)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
