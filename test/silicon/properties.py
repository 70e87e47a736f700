"""Properties of public.csv as values of a machine file. A property of no option of corun is in
NO_OPTION, with the reason."""
from measures import figure


def units(m, unit):
    shared = unit == 'dp' and not m.number('sm.dp_units')
    return m.number('sm.%s_units' % (m.value['sm.dp_on'] if shared else unit))


def lanes(unit, cost):
    """32 lanes of a warp over the cycles that an instruction holds one of the units."""
    return lambda m: 32 * units(m, unit) // m.number('sm.%s_initiation' % cost)


def tensor(kind):
    return lambda m: 1024 * m.number('sm.tensor_units') // m.number(
        'sm.tensor_%s_initiation' % kind)


def peak(m):
    return m.number('map.channels') * float(m.value['dram.bus_bytes']) * \
        float(m.value['clock.dram_mhz']) / 1000


OPTIONS = {
    'SMs': lambda m: m.sms,
    'SM clock': lambda m: m.mhz,
    'threads per SM': lambda m: m.number('sm.threads'),
    'warps per SM': lambda m: m.number('sm.threads') // 32,
    'blocks per SM': lambda m: m.number('sm.blocks'),
    'registers per SM': lambda m: m.number('sm.registers'),
    'register unit': lambda m: m.number('sm.register_unit'),
    'schedulers per SM': lambda m: m.number('sm.schedulers'),
    'FP32 lanes': lanes('sp', 'fp_add'),
    'INT32 lanes': lanes('int', 'int_add'),
    'FP64 lanes': lanes('dp', 'dp_add'),
    'SFU lanes': lanes('sfu', 'sfu'),
    'L1 and shared memory': lambda m: m.number('l1.sets') * m.number('l1.ways') // 8,
    'shared memory sizes': lambda m: m.value['sm.carveouts'].replace('/', ' '),
    'shared memory per block': lambda m: (m.number('sm.shared_bytes') -
                                          m.number('sm.shared_reserved_bytes')) // 1024,
    'L1 bandwidth': lambda m: m.number('l1.port_bytes') * m.number('l1.banks'),
    'tensor rate, f16 with f32 sums': tensor('f32'),
    'tensor rate, f16 with f16 sums': tensor('f16'),
    'L2 size': lambda m: m.l2_bytes / (1 << 20),
    'L2 halves': lambda m: m.number('map.halves'),
    'DRAM peak': peak,
}
NO_OPTION = {
    'DRAM type': 'the timing stands for the type',
    'DRAM peak of SXM': 'another product',
}


def differences(m, rows):
    """Lines about properties that the machine file does not have, or has by more than 0.5 %."""
    wrong = []
    for row in rows:
        name = row['quantity']
        if row['machine'] != m.name or row['kind'] != 'property' or name in NO_OPTION:
            continue
        if name not in OPTIONS:
            wrong.append('%s: no value of the machine file to compare with' % name)
            continue
        value = OPTIONS[name](m)
        if isinstance(value, str): # a list
            good = value == row['value']
        else:
            low, high = figure(row)
            good = 0.995 * low <= value <= 1.005 * high
        if not good:
            wrong.append('%s: %s, published %s %s' % (name, value, row['value'], row['unit']))
    return wrong
