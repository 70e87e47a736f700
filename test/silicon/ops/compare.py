#!/usr/bin/env python3
"""Compares the results of a GPU with the expectations of the op tests: compare.py RAW JSON
[FOLDER].

RAW: output of run.cu; FOLDER: folder of make.py's index.json, default build-silicon/ops. Prints a
line per file and writes JSON:
  {"device": {...}, "int.txt": {"sha256": of the file, "run": number of vectors or cases run,
   "equal": n, "nan": number of differences in NaN bits only,
   "differ": [[line, vector, silicon result, mark], ...], "failed": [[form, state, error], ...],
   "open": [[line, vector or case, silicon result], ...] for expectations `?`,
   "refused": {form: ptxas message}, "refused_lines": n, "skipped": [[line, name, reason], ...]}}
mark: "nan": both are NaN wherever bits differ; "far": an approximation exceeds the allowed error;
"unset": no store by the kernel; for cases: the known reason, or "". approx.txt has also "bits":
for each form the results of all vectors, as "operands=result"."""
import json
import math
import os
import re
import struct
import sys

import ops
import raw

SHOWN = 8
# valid reasons for a different result than in a test of a block without a machine
WHY = [
    (r'^(clock|clock64|clock_hi|globaltimer)', 'a clock: the test runs without time'),
    (r'^(smid|nsmid|warpid|nwarpid|gridid)$', 'depends on the machine and on placement'),
    (r'^(total_smem_size|aggr_smem_size|dynamic_smem_size|reserved_)',
     "the system's part of shared memory and the rounding of sizes depend on the machine"),
    (r'^envreg', 'the driver sets it'),
    (r'^(current_graph_exec|is_explicit_cluster)', 'depends on how the kernel is launched'),
    (r'^copy_(ca|cg|own|groups|arrive|mbarrier)',
     'a race by design: words read before the copy has landed may be old or new'),
    (r'^copy_reads_nothing', 'the copy is not waited for, shared memory begins with other values'),
    (r'^(malloc|free)$', 'depends on how the heap allocates'),
    (r'^(alloca|stack)', 'depends on where the stack lies and which way it grows'),
    (r'^activemask', 'depends on how lanes diverge'),
    (r'^mbarrier', 'the order in which lanes arrive is free'),
    (r'^(elect)', 'which lane is elected is free'),
    (r'^(txq|suq|istypep)', 'queries of handles without descriptors in the driver'),
    (r'^wmma_same_registers',
     "ptxas 13.0 splits it in two, the first overwrites the second's operands"),
    (r'^stmatrix_x[12]', 'reads words of shared memory that nothing wrote'),
    (r'^shfl_.*_of_8', 'reads lanes that do not take part: undefined'),
]


def float_value(type_, bits):
    if type_ == 'f64':
        return struct.unpack('<d', bits.to_bytes(8, 'little'))[0]
    if type_ == 'f16':
        return struct.unpack('<e', (bits & 0xffff).to_bytes(2, 'little'))[0]
    if type_ == 'bf16':
        bits <<= 16
    return struct.unpack('<f', (bits & 0xffffffff).to_bytes(4, 'little'))[0]


def is_nan(bits, fraction, size):
    exponents = (1 << size - 1 - fraction) - 1 << fraction
    return bits & exponents == exponents and bits & (1 << fraction) - 1 != 0


def only_nans(type_, a, b):
    """Wherever elements differ, both are NaN."""
    if type_ not in ops.FLOATS:
        return False
    fraction, size, n = ops.FLOATS[type_]
    mask = (1 << size) - 1
    if a >> size * n != b >> size * n:
        return False
    pairs = [(a >> size * k & mask, b >> size * k & mask) for k in range(n)]
    return all(x == y or is_nan(x, fraction, size) and is_nan(y, fraction, size)
               for x, y in pairs)


def shown(v, slots):
    """Results as a vector writes them."""
    out = []
    for k in range(v.result_n()):
        out.append(('p' if v.result_type(k) == 'pred' else '') + f'{slots[k]:x}')
    return ' '.join(out + [f'k{s:x}' for s in slots[v.result_n():]])


def check_vector(v, slots):
    """None if the results are as expected, else a mark."""
    if slots[0] == ops.SENTINEL != v.results[0]:
        return 'unset'
    if v.near:
        value = float_value('f64', v.results[0])
        error = abs(float_value(v.result_type(0), slots[0]) - value)
        good = slots[0] < 1 << 8 * ops.BYTES[v.result_type(0)]
        return None if good and error <= float_value('f64', v.results[1]) else 'far'
    want = raw.expected_slots(v)
    if slots == want:
        return None
    types = [v.result_type(k) for k in range(v.result_n())] + ['u32'] * (v.carry is not None)
    nan = all(a == b or only_nans(t, a, b) for a, b, t in zip(slots, want, types))
    return 'nan' if nan else ''


def operands(v):
    return v.text.split(' ', 1)[1].split(' =')[0].split(' ~')[0]


def compare_vectors(name, entry, jobs, data, out):
    vectors = {v.line: v for v in ops.read_vectors(name)}
    bits = {}
    for job in jobs:
        at = job['out']
        for line in job['lines']:
            v = vectors[line]
            slots = list(struct.unpack_from(f'<{job["results"]}Q', data, at))
            at += 8 * job['results']
            out['run'] += 1
            if None in v.results:
                out['open'].append([line, v.text, shown(v, slots)])
                continue
            mark = check_vector(v, slots)
            if mark is None:
                out['equal'] += 1
            else:
                out['differ'].append([line, v.text, shown(v, slots), mark])
            bits.setdefault(v.form.text, []).append((line, f'{operands(v)}={slots[0]:x}'))
    if name == 'approx.txt':
        out['bits'] = {form: [b for _, b in sorted(rows)] for form, rows in bits.items()}
    refused = [v for v in vectors.values() if v.form.text in entry['refused']]
    out['refused_lines'] = len(refused)


def check_case(case, data):
    """Returns the differences as text."""
    words = struct.unpack(f'<{len(data) // 4}I', data)
    wrong = [(first + k, words[first + k], w) for first, want in case.out
             for k, w in enumerate(want) if w is not None and words[first + k] != w]
    text = '; '.join(f'word {i}: {is_:x}, not {want:x}' for i, is_, want in wrong[:SHOWN])
    if len(wrong) > SHOWN:
        text += f'; and {len(wrong) - SHOWN} more'
    return text


def reason(name):
    return next((why for pattern, why in WHY if re.search(pattern, name)), '')


def compare_cases(name, entry, jobs, data, out):
    cases = {c.line: c for c in ops.read_cases(name)}
    for job in jobs:
        case = cases[job['lines'][0]]
        part = data[job['out']:job['out'] + job['bytes']]
        out['run'] += 1
        if any(None in words for _, words in case.out):
            out['open'].append([case.line, case.name, part.hex(' ', -4)])
            continue
        text = check_case(case, part)
        if text:
            out['differ'].append([case.line, case.name, text, reason(case.name)])
        else:
            out['equal'] += 1
    out['refused_lines'] = len(entry['refused'])


def main():
    folder = sys.argv[3] if len(sys.argv) > 3 else os.path.join(ops.TOP, 'build-silicon/ops')
    index = raw.read_index(folder)
    device, driver, states, errors, data = raw.read_raw(sys.argv[1], index)
    result = {'device': {'name': device, 'driver': driver, 'stamp': index['stamp']}}
    for name, entry in index['files'].items():
        if ops.sha256(name) != entry['sha256']:
            sys.exit(f'{name} has changed since make.py ran')
        out = {'sha256': entry['sha256'], 'run': 0, 'equal': 0, 'nan': 0, 'open': [],
               'differ': [], 'failed': [], 'refused': entry['refused'], 'skipped': entry['skipped']}
        good = []
        for job, state, error in zip(index['jobs'], states, errors):
            if job['file'] != name:
                continue
            if raw.STATES[state] == 'good':
                good.append(job)
            else:
                out['failed'].append([job['form'], raw.STATES[state], error])
        part = compare_vectors if name in ops.VECTOR_FILES else compare_cases
        part(name, entry, good, data, out)
        out['differ'].sort()
        out['open'].sort()
        marks = [d[3] for d in out['differ']]
        out['nan'] = marks.count('nan')
        result[name] = out
        known = '' if name in ops.VECTOR_FILES else f', {sum(map(bool, marks))} of known reason'
        print(f'{name}: {out["run"]} run, {out["equal"]} equal, {len(out["differ"])} different '
              f'({out["nan"]} in NaNs only{known}), {len(out["open"])} open, '
              f'{len(out["failed"])} kernels failed, '
              f'{out["refused_lines"]} refused, {len(out["skipped"])} skipped')
    with open(sys.argv[2], 'w', encoding='ascii') as f:
        json.dump(result, f, indent=None, separators=(',', ':'))
        f.write('\n')


if __name__ == '__main__':
    main()
