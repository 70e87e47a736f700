#!/usr/bin/env bats
# Small CUDA programs compiled by nvcc (*.cu here; the PTX is stored) give the right bytes.
load common

@test "128-bit division is that of integers" {
    cp "$HERE/int128.ptx" .
    cat >make.py <<'END'
import random, sys
def pairs(low, high):
    edges = [0, 1, 2, 3, 6, 7, 10, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1,
             2**65 - 1, 2**96, 2**127 - 2, 2**127 - 1, 2**127, 2**128 - 2, 2**128 - 1]
    edges = [e for v in edges for e in (v, -v) if low <= e <= high]
    pick = random.Random(1)
    wide = lambda: pick.randint(low, high) >> pick.randrange(128)
    some = [(x, y) for x in edges for y in edges] + [(wide(), wide()) for _ in range(1000)]
    return [(x, y) for x, y in some if y and (x, y) != (-2**127, -1)]
def read(name):
    data = open(name, 'rb').read()
    return [data[k:k + 16] for k in range(0, len(data), 16)]
def bits(v):
    return (v % 2**128).to_bytes(16, 'little')
def divided(x, y):  # towards zero
    q = abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)
    return q, x - q * y
for kernel, low, high, divisor in (('signed', -2**127, 2**127 - 1, 0),
                                   ('unsigned', 0, 2**128 - 1, 0), ('by_7', 0, 2**128 - 1, 7)):
    some = pairs(low, high)
    if sys.argv[1] == 'write':
        for name, k in (('x', 0), ('y', 1)):
            open(f'{kernel}.{name}', 'wb').write(b''.join(bits(p[k]) for p in some))
        buffers = ''.join(f'  {b}: {{type: u64, count: {2 * len(some)}, init: {i}}}\n'
                          for b, i in (('x', f'file {kernel}.x'), ('y', f'file {kernel}.y'),
                                       ('q', 'zero'), ('r', 'zero')))
        given = '$x, ' if divisor else '$x, $y, '
        open(f'{kernel}.yaml', 'w').write(
            f'app: {kernel}\nmodule: int128.ptx\nbuffers:\n{buffers}launches:\n'
            f'  - {{kernel: divide_{kernel}, grid: {-(-len(some) // 96)}, block: 96, '
            f'args: [{given}$q, $r, {len(some)}]}}\n'
            f'dump: {{q: {kernel}.q, r: {kernel}.r}}\n')
        continue
    for (x, y), q, r in zip(some, read(f'{kernel}.q'), read(f'{kernel}.r'), strict=True):
        want = divided(x, divisor or y)
        assert (q, r) == tuple(map(bits, want)), (kernel, x, divisor or y, want, q.hex(), r.hex())
END
    python3 make.py write
    corun run ./signed.yaml ./unsigned.yaml ./by_7.yaml --alone skip --quiet
    ended 0
    python3 make.py check
}

# N BLOCKS: an app in which each of BLOCKS blocks of 32 threads sorts 32 times N numbers, some of
# them sorted already; `sorted` checks the result.
sorts() {
    cp "$HERE/recursion.ptx" .
    cat >numbers.py <<'END'
import random, struct, sys
n, blocks = int(sys.argv[1]), int(sys.argv[2])
pick = random.Random(2)
rows = [[pick.randrange(-1000, 1000) for _ in range(n)] for _ in range(32 * blocks)]
for k in range(0, len(rows), 3):
    rows[k].sort(reverse=k % 2 > 0)
def read(name):
    data = struct.unpack(f'<{len(rows) * n}i', open(name, 'rb').read())
    return [list(data[k:k + n]) for k in range(0, len(data), n)]
if sys.argv[3] == 'write':
    open('a.in', 'wb').write(b''.join(struct.pack(f'<{n}i', *r) for r in rows))
    open('sort.yaml', 'w').write(
        f'app: sort\nmodule: recursion.ptx\nbuffers:\n'
        f'  a: {{type: s32, count: {n * len(rows)}, init: file a.in}}\n'
        f'launches: [{{kernel: sort_each, grid: {blocks}, block: 32, args: [$a, {n}]}}]\n'
        'dump: {a: a.out}\n')
else:
    for name in sys.argv[4:]:
        assert read(name) == [sorted(r) for r in rows], name
END
    python3 numbers.py "$@" write
}

@test "recursion goes as deep as there are numbers to sort" {
    sorts 200 2
    corun run ./sort.yaml --alone skip --quiet
    ended 0
    python3 numbers.py 200 2 read a.out
}

# bats test_tags=long
@test "recursive blocks follow one another and leave and come back" {
    sorts 20 150
    corun run ./sort.yaml --policy 'fixed[blocks=2]' --alone skip --quiet
    ended 0
    python3 numbers.py 20 150 read a.out
    rm a.out
    sed -i '/kernel:/s/}$/, repeat: 40}/' scale.yaml
    corun run ./sort.yaml ./scale.yaml --policy 'spatial[fill=tail]+ideal' --alone skip --json -
    ended 0
    holds "d['apps'][0]['totals']['blocks.preempted'] > 0"
    python3 numbers.py 20 150 read a.out
}
