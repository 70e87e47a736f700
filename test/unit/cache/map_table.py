#!/usr/bin/env python3
"""Worked addresses for test_map.c, from GPGPU-Sim's rules and not from corun's code:
    map_table.py > map_table.def
Rules: a mapping is 64 letters, the highest bit first. With a power of two of channels, the channel
bits are inserted at bit 8 and the letters above move up; otherwise channel = (address >> 8) mod
channels, and the quotient is joined with the low 8 bits. Bank, row and column are the concatenated
bits of their letters. The slice is channel x slices plus the lowest bank bits; a slice's own
address lacks the channel and these bank bits."""

MAPPINGS = [  # name, channels, slices of a channel, mapping
    ('FERMI30', 6, 1, '00000000000000000000000000000000' '0000RRRRRRRRRRRRRBBCCCCBCCSSSSSS'),
    ('RTX2060', 12, 2, '00000000000000000000000000000000' '0000RRRRRRRRRRRRRBBBCCCCBCCSSSSS'),
    ('GTX480', 16, 1, '00000000000000000000000000000000' '0000RRRRRRRRRRRRBBBCCCCBCCSSSSSS'),
]
AT = 8


def under(bits, letters):
    """Concatenated bits of the given letters."""
    return int(''.join(b for b, l in bits if l in letters) or '0', 2)


def place(address, channels, slices, mapping):
    if channels & (channels - 1):
        top, low = address >> AT, address % (1 << AT)
        channel, own = top % channels, top // channels << AT | low
        bits = list(zip(format(own, '064b'), mapping))
    else:
        n = channels.bit_length() - 1
        letters = mapping[n:64 - AT] + 'D' * n + mapping[64 - AT:]
        bits = list(zip(format(address, '064b'), letters))
        channel = under(bits, 'D')
    bank = under(bits, 'B')
    slice_bits = slices.bit_length() - 1
    banks = [i for i, (_, l) in enumerate(bits) if l == 'B']
    out = set(banks[len(banks) - slice_bits:]) if slice_bits else set()
    local = ''.join(b for i, (b, l) in enumerate(bits) if i not in out and l != 'D')
    return (channel, channel * slices + bank % slices, bank, under(bits, 'R'), under(bits, 'CS'),
            int(local, 2))


def addresses():
    x = 1
    yield from (0, 0x80, 0x100, 0x180, 0x600, 0xc00, 0x8000, 0x12300, 0xabcd80)
    for _ in range(24):
        x = x * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        yield x >> 37 & ~127  # below 2^27: no mapping runs out of row bits


print('/* Worked addresses by map_table.py: PLACE(mapping, address, channel, slice, bank, row,\n'
      ' * column, local). */')
for name, channels, slices, mapping in MAPPINGS:
    for a in addresses():
        print('PLACE(%s, %#x, %d, %d, %d, %d, %#x, %#x)'
              % ((name, a) + place(a, channels, slices, mapping)))
