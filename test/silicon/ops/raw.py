"""Reads the raw output of run.cu. Also writes raw output with all expected values, for a check of
compare.py: raw.py OUTPUT [PLANTED]; PLANTED: number of a job with a wrong first result."""
import json
import os
import struct
import sys

import ops

STATES = ['not run', 'good', 'module does not load', 'texture cannot be made', 'does not launch',
          'ends the context', 'crashes the process', 'hangs']
HEAD = '<8s16s64sII'


def read_index(folder):
    with open(os.path.join(folder, 'index.json'), encoding='ascii') as f:
        return json.load(f)


def read_raw(path, index):
    """(device name, driver version, states, errors, outputs)"""
    with open(path, 'rb') as f:
        data = f.read()
    magic, stamp, device, driver, n = struct.unpack_from(HEAD, data)
    if magic != b'CORUNOPS' or stamp.decode() != index['stamp'] or n != len(index['jobs']):
        sys.exit(f'{path} is of another plan than index.json')
    at = struct.calcsize(HEAD)
    states = struct.unpack_from(f'<{n}i', data, at)
    errors = struct.unpack_from(f'<{n}i', data, at + 4 * n)
    return device.split(b'\0')[0].decode(), driver, states, errors, data[at + 8 * n:]


def rounded(value, type_):
    """Returns the bits of a float near an f64 given as bits."""
    x = struct.unpack('<d', value.to_bytes(8, 'little'))[0]
    if type_ == 'f64':
        return value
    if type_ == 'f16':
        return int.from_bytes(struct.pack('<e', x), 'little')
    bits = int.from_bytes(struct.pack('<f', x), 'little')
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16 if type_ == 'bf16' else bits


def expected_slots(v):
    slots = [rounded(v.results[0], v.result_type(0))] if v.near else \
        [r or 0 for r in v.results[:v.result_n()]]
    return slots + ([v.carry[1]] if v.carry is not None else [])


def main():
    folder = os.path.join(ops.TOP, 'build-silicon/ops')
    index = read_index(folder)
    vectors = {f: {v.line: v for v in ops.read_vectors(f)} for f in ops.VECTOR_FILES}
    cases = {f: {c.line: c for c in ops.read_cases(f)} for f in ops.CASE_FILES}
    outputs = bytearray(max(j['out'] + j['bytes'] for j in index['jobs']))
    for k, job in enumerate(index['jobs']):
        at = job['out']
        if job['file'] in vectors:
            for line in job['lines']:
                for slot in expected_slots(vectors[job['file']][line]):
                    outputs[at:at + 8] = slot.to_bytes(8, 'little')
                    at += 8
        else:
            for first, words in cases[job['file']][job['lines'][0]].out:
                for n, w in enumerate(words):
                    place = at + 4 * (first + n)
                    outputs[place:place + 4] = (w or 0).to_bytes(4, 'little')
        if len(sys.argv) > 2 and job['name'] == sys.argv[2]:
            outputs[job['out']] ^= 1
    n = len(index['jobs'])
    with open(sys.argv[1], 'wb') as f:
        f.write(struct.pack(HEAD, b'CORUNOPS', index['stamp'].encode(), b'expected', 0, n))
        f.write(struct.pack(f'<{n}i', *[1] * n) + bytes(4 * n) + outputs)


if __name__ == '__main__':
    main()
