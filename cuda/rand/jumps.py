#!/usr/bin/env python3
"""Generates include/device/random_jumps.h: for each k, the polynomial x^(2^k) modulo the
characteristic polynomial of a generator. The sum of the polynomial's terms, each a state so many
steps ahead, is the state 2^k steps ahead. The generated file is part of the repository.

    cuda/rand/jumps.py > cuda/include/device/random_jumps.h
"""
BITS = 160          # of the xorshift part of XORWOW
XORWOW_SUBSEQUENCE, MRG_SUBSEQUENCE, COUNT_BITS = 67, 76, 64
MODULI = 4294967087, 4294944443
# x^3 of the two parts of MRG32k3a, coefficients of 1, x, x^2
CUBES = (-810728, 1403580, 0), (-1370589, 0, 527612)

HEAD = '''\
/* Jumps of random.h, made by cuda/rand/jumps.py: row k of a table is the polynomial x^(2^k) modulo
 * the characteristic polynomial of the generator. */
#ifndef CORUN_DEVICE_RANDOM_JUMPS_H
#define CORUN_DEVICE_RANDOM_JUMPS_H
'''


def xorshift_bits(n):
    """Returns the lowest bits of n outputs of the xorshift part."""
    v = [1, 2, 3, 4, 5]
    for _ in range(n):
        t = v[0] ^ v[0] >> 2
        v = v[1:] + [(v[4] ^ v[4] << 4 ^ t ^ t << 1) & 0xffffffff]
        yield v[4] & 1


def shortest_recurrence(bits):
    """Returns the connection polynomial of a sequence of bits (Berlekamp and Massey), and the
    polynomial's length."""
    now, before, length, gap = 1, 1, 0, 1
    seen = 0
    for n, bit in enumerate(bits):
        seen = seen << 1 | bit  # bit i of seen is the bit i steps ago
        if bin(now & seen).count('1') & 1:
            next_one = now ^ before << gap
            if 2 * length <= n:
                length, before, gap = n + 1 - length, now, 0
            now = next_one
        gap += 1
    return now, length


def square_modulo(a, p):
    """Returns a^2 modulo p, polynomials over two elements as bits."""
    product = int(bin(a)[2:], 4)  # squaring spreads the bits
    for i in range(product.bit_length() - 1, BITS - 1, -1):
        if product >> i & 1:
            product ^= p << i - BITS
    return product


def xorwow():
    connection, length = shortest_recurrence(xorshift_bits(4 * BITS))
    assert length == BITS
    p = int(bin(connection)[2:].zfill(BITS + 1)[::-1], 2)
    at = 2  # x
    for _ in range(XORWOW_SUBSEQUENCE + COUNT_BITS):
        yield [at >> 32 * i & 0xffffffff for i in range(BITS // 32)]
        at = square_modulo(at, p)


def square_of_three(a, cube, m):
    """Returns a^2 modulo x^3 - cube and m."""
    product = [0] * 5
    for i in range(3):
        for j in range(3):
            product[i + j] += a[i] * a[j]
    for i in (4, 3):
        for j in range(3):
            product[i - 3 + j] += product[i] * cube[j]
    return [c % m for c in product[:3]]


def mrg():
    at = [[0, 1, 0], [0, 1, 0]]
    for _ in range(MRG_SUBSEQUENCE + COUNT_BITS):
        yield at[0] + at[1]
        at = [square_of_three(at[i], CUBES[i], MODULI[i]) for i in range(2)]


def table(comment, name, rows, columns):
    rows = list(rows)
    print(f'\n/* {comment} */')
    print(f'CORUN_RANDOM_TABLE unsigned corun_{name}_jumps[{len(rows)}][{columns}] = {{')
    for row in rows:
        print('    {' + ', '.join(f'0x{word:x}' for word in row) + '},')
    print('};')


print(HEAD.rstrip())
table('XORWOW: the coefficients are bits.', 'xorwow', xorwow(), BITS // 32)
table('MRG32k3a: three coefficients of each part.', 'mrg', mrg(), 6)
print('\n#endif')
