"""Runs the kernels of micro/micro.ptx as app files, and returns their measurements."""
import json
import os
import re
import struct
import subprocess
import tempfile

PTX = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'micro', 'micro.ptx')
MODULE = '''app: micro
module: %s
buffers:
%s
launches:
%s
dump: {out: out.bin}
'''


def words(kind, data):
    size = struct.calcsize('<' + kind)
    return struct.unpack('<%d%s' % (len(data) // size, kind), data)


def micro(build, gpu, options, buffers, launches, files=(), module=PTX):
    """The result as JSON, and the bytes of the buffer `out`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files:
            with open(os.path.join(folder, name), 'wb') as f:
                f.write(data)
        path = os.path.join(folder, 'micro.yaml')
        with open(path, 'w') as f:
            f.write(MODULE % (module, '\n'.join('  ' + b for b in buffers),
                              '\n'.join('  - ' + l for l in launches)))
        sets = [o for kv in options for o in ('--set', kv)]
        p = subprocess.run([os.path.join(build, 'corun'), 'run', path, '--gpu', gpu, '--until',
                            'end', '--alone', 'skip', '--quiet', '--json', '-', *sets],
                           capture_output=True, text=True)
        assert p.returncode == 0, 'exit status %d: %s' % (p.returncode, p.stderr)
        with open(os.path.join(folder, 'out.bin'), 'rb') as f:
            return json.loads(p.stdout), f.read()


def chase(build, gpu, order, warm, timed, options=(), cached=True):
    """Cycles of `timed` dependent loads, after `warm` untimed loads, that go round `order`, a list
    of byte offsets; without `cached` past the L1."""
    chain = bytearray(max(order) + 8)
    for here, there in zip(order, order[1:] + order[:1]):
        struct.pack_into('<Q', chain, here, there)
    assert order[0] == 0
    launch = '{kernel: %s, grid: [1,1,1], block: [1,1,1], shared_bytes: %d, args: [$chain, %d, ' \
             '%d, $out]}' % ('chase_ca' if cached else 'chase_cg', 2 * timed, warm, timed)
    result, out = micro(build, gpu, options,
                        ['chain: {type: u8, count: %d, init: file chain.bin}' % len(chain),
                         'out: {type: u16, count: %d, init: zero}' % timed],
                        [launch], [('chain.bin', bytes(chain))])
    return result, list(words('H', out))


def stride(build, gpu, step, timed, options=()):
    """Cycles of `timed` dependent loads, each `step` bytes after the last, of memory never touched
    before."""
    launch = '{kernel: stride, grid: [1,1,1], block: [1,1,1], shared_bytes: %d, args: [$in, %d, ' \
             '%d, $out]}' % (2 * timed, step, timed)
    result, out = micro(build, gpu, options,
                        ['in: {type: u8, count: %d, init: zero}' % (step * timed),
                         'out: {type: u16, count: %d, init: zero}' % timed], [launch])
    return result, list(words('H', out))


def config(result):
    return {key: row['value'] for key, row in result['config'].items()}


def machines(*recent):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                           '../../gpus/list.def')) as f:
        names = re.findall(r'^GPU\("([\w-]+)"\)', f.read(), re.M)
    old = names[:names.index('a100')]  # test/silicon measures the recent machines
    return [n for n in old if n != 'turing'] + [*recent]  # turing: same timing as rtx2060
