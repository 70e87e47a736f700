#!/usr/bin/env bats
# The shipped app files give the bytes promised by their README texts.
load common

@test "saxpy dumps 2 i + 1" {
    cp "$HERE"/../../examples/saxpy/saxpy.* .
    corun run ./saxpy.yaml --alone skip --quiet
    ended 0
    python3 -c 'import struct
y = struct.unpack("<1048576f", open("y.bin", "rb").read())
assert all(v == 2 * i + 1 for i, v in enumerate(y))'
}

# bats test_tags=long
@test "histogram counts what Philox gives" {
    cp "$HERE"/../../examples/histogram/histogram.* .
    corun run ./histogram.yaml --alone skip --quiet
    ended 0
    python3 - <<'END'
import struct

def philox(counter, key):  # 4x32-10, first word
    c, k = [counter, 0, 0, 0], [key, 0]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xffffffff, p >> 32 ^ c[3] ^ k[1], p & 0xffffffff]
        k = [k[0] + 0x9E3779B9 & 0xffffffff, k[1] + 0xBB67AE85 & 0xffffffff]
    return c[0]

bins = [0] * 256
for i in range(262144):
    value = philox(i, 7) >> 24
    bins[value] += 32 <= value <= 127
assert struct.unpack('<256I', open('bins.bin', 'rb').read()) == tuple(bins)
assert struct.unpack('<I', open('peak.bin', 'rb').read()) == (max(bins),) == (1108,)
END
}

@test "two copies share the GPU" {
    cp "$HERE"/../../examples/saxpy/saxpy.* .
    corun run ./saxpy.yaml ./saxpy.yaml --policy spatial --alone skip --quiet
    ended 0
    cmp y.bin y.bin.2
}

# bats test_tags=long
@test "frontier reaches every node on its level, alone and beside others" {
    cp "$HERE"/../../examples/frontier/frontier.* .
    levels() {
        python3 -c 'import struct
assert struct.unpack("<65535I", open("'"$1"'", "rb").read()) == tuple(
    (i + 1).bit_length() - 1 for i in range(65535))'
    }
    corun run ./frontier.yaml --alone skip --json -
    ended 0
    holds "d['status'] == 'completed' and d['apps'][0]['checked'] is True"
    holds "d['apps'][0]['launches'] == 16 and d['warnings'] == []"
    levels level.bin
    rm level.bin
    corun run ./frontier.yaml ./frontier.yaml vecadd:size=test --policy spatial --alone skip \
        --json -
    ended 0
    holds "all(a['checked'] for a in d['apps']) and d['apps'][2]['completions'] > 1"
    levels level.bin
    levels level.bin.2
    cat >shown.py <<'PY'
import sys
text, page = open('frontier.yaml').read(), open(sys.argv[1]).read()
assert text[text.index('symbols:'):text.index('expect:')] in page
PY
    python3 shown.py "$HERE"/../../docs/how-to/import.md
}
