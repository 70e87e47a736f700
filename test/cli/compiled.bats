#!/usr/bin/env bats
# What nvcc makes of small CUDA programs (*.cu here; the PTX is stored) gives the right bytes.
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
