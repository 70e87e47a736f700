#!/usr/bin/env python3
"""Two result files say the same, byte for byte, save `host` and `skip`."""
import json
import sys


def read(path):
    with open(path) as f:
        # numbers stay text: 1.0 and 1.00 must differ
        result = json.load(f, parse_float='number {}'.format, parse_int='number {}'.format)
    assert 'host' in result and 'skip' in result, path
    del result['host'], result['skip']
    return json.dumps(result, indent=1).split('\n')


a, b = (read(p) for p in sys.argv[1:3])
for x, y in zip(a, b):
    if x != y:
        sys.exit('%s: %s\n%s: %s' % (sys.argv[1], x, sys.argv[2], y))
if len(a) != len(b):
    sys.exit('one result is longer')
