"""App files and their input data for the fidelity kernels: the same bytes on every machine."""
import array
import json
import os
import random

CODE = {'f32': 'f', 's32': 'i', 'u32': 'I'}


def sparse(seed, rows, low, high):
    """A matrix with low..high entries a row: (where each row starts, columns, values)."""
    draw = random.Random(seed)
    first, column, value = [0], [], []
    for _ in range(rows):
        for _ in range(draw.randint(low, high)):
            column.append(draw.randrange(rows))
            value.append(draw.uniform(-1, 1))
        first.append(len(column))
    return first, column, value


def cycle(draw, count, nodes, apart):
    """One random cycle through `nodes` words, `apart` words from each other."""
    order = list(range(nodes))
    draw.shuffle(order)
    out = [0] * count
    for a, b in zip(order, order[1:] + order[:1]):
        out[a * apart] = b * apart
    return out


def values(spec, count):
    """The values of `gen KIND SEED PARAMETER...`."""
    kind, seed, *rest = spec.split()[1:]
    draw = random.Random(int(seed))
    numbers = [float(x) for x in rest]
    if kind == 'uniform_f32':
        return [draw.uniform(*numbers) for _ in range(count)]
    if kind == 'uniform_index':
        return [draw.randrange(int(numbers[0])) for _ in range(count)]
    if kind == 'cycle':
        return cycle(draw, count, int(numbers[0]), int(numbers[1]))
    parts = dict(zip(('csr_row', 'csr_col', 'csr_val'), sparse(int(seed), *map(int, numbers))))
    return parts[kind]


def write_app(app, module, folder):
    """Writes FOLDER/NAME.yaml and its input files; returns the path of the app file."""
    name, lines = app['name'], []
    for b in app['buffers']:
        init = b['init']
        if init.startswith('gen '):
            data = '%s.%s.bin' % (name, b['name'])
            with open(os.path.join(folder, data), 'wb') as f:
                array.array(CODE[b['type']], values(init, b['count'])).tofile(f)
            init = 'file ' + data
        lines.append('  %s: {type: %s, count: %d, init: %s}'
                     % (b['name'], b['type'], b['count'], init))
    launch = ('{kernel: %s, grid: %s, block: %s, shared_bytes: %d, args: [%s]}'
              % (app['kernel'], app['grid'], app['block'], app['shared_bytes'],
                 ', '.join(str(a) for a in app['args'])))
    dump = ', '.join('%s: %s' % (d, dump_name(app, d)) for d in app['dump'])
    path = os.path.join(folder, name + '.yaml')
    with open(path, 'w') as f:
        f.write('app: %s\nmodule: %s\nbuffers:\n%s\nlaunches:\n  - %s\n'
                % (name, os.path.relpath(module, folder), '\n'.join(lines), launch))
        f.write('registers: {%s: %d}\ndump: {%s}\n' % (app['kernel'], app['registers'], dump))
    return path


def dump_name(app, buffer):
    return '%s.%s.out' % (app['name'], buffer)


def load(path):
    with open(path) as f:
        return json.load(f)
