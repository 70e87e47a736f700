"""Operand bit patterns: edges first, then random patterns, the same for the same seed."""
import random


def to_signed(x, n):
    return x - (1 << n) if x >> (n - 1) & 1 else x


class Pick:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def bits(self, n, k):
        """k-th choice of n bits; the order of edges differs from call to call."""
        top = 1 << (n - 1)
        edges = [0, 1, (1 << n) - 1, top, top - 1, top + 1, 2, (1 << n) - 2, 1 << (n // 2),
                 255 % (1 << n)]
        way = self.random.randrange(3)
        if way == 0:
            return self.random.choice(edges)
        if way == 1:
            return self.random.getrandbits(n)
        return self.random.getrandbits(n) >> self.random.randrange(n)

    def float_bits(self, f):
        """A pattern of format f: edges, neighbours of powers of two, anything."""
        r = self.random
        sign = r.choice((0, f.sign))
        way = r.randrange(10)
        if way == 0:
            return sign | r.choice((0, 0, f.inf, f.inf + 1, f.inf | f.least_normal >> 1, 1,
                                    f.least_normal - 1, f.least_normal, f.max, f.one))
        if way == 1:
            return sign | r.randrange(f.least_normal)            # subnormal
        if way == 2:
            return sign | r.randrange(f.inf - 4 * f.least_normal, f.inf)
        if way in (3, 4):
            near = r.randrange(f.bias - 4, f.bias + 5) * f.least_normal
            return sign | (near + r.choice((0, 1, 2, -1, f.least_normal >> 1)))
        if way in (5, 6):
            return sign | (r.randrange(f.bias - 3, f.bias + 3) * f.least_normal +
                           r.randrange(f.least_normal))
        return r.getrandbits(f.bits)
