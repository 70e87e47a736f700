#!/usr/bin/env bats
# corun profile --lines: counters by instruction.
load common

apps=(mm:size=test bfs:size=test spmv hotspot:size=test gups)
gpus=maxwell16,rtx2060,fermi30
short=(--cycles 4000 --threads 1)

@test "the sums over the instructions of an app are the app's counters" {
    corun profile "${apps[@]}" --gpu $gpus "${short[@]}" --lines --json p.json
    ended 0
    python3 - <<'END'
import json
SUMS = {'inst.warp': ['issued'], 'inst.thread': ['threads'],
        'stall.raw_cycles': ['long_scoreboard', 'short_scoreboard', 'wait'],
        'stall.idle_cycles': ['barrier', 'membar', 'exit', 'no_instruction'],
        'stall.memory_cycles': ['lsu_throttle'], 'stall.compute_cycles': ['math_throttle'],
        'stall.policy_cycles': ['policy'], 'ldst.minst': ['memory_instructions'],
        'l1.accesses': ['l1_accesses'], 'l1.hits': ['l1_hits'], 'l1.merged': ['l1_merged'],
        'l1.misses': ['l1_misses'], 'ldst.shared': ['shared_instructions'],
        'ldst.shared_conflict_cycles': ['conflict_cycles']}
seen = set()
for p in json.load(open('p.json'))['profiles']:
    for stat, keys in SUMS.items():
        got = {k: sum(line[k] for line in p['lines']) for k in keys}
        assert sum(got.values()) == p['stats'][stat], (p['gpu'], p['app'], stat, got)
        seen |= {k for k in keys if got[k]}
assert seen == {k for keys in SUMS.values() for k in keys} - {
    'policy', 'membar', 'conflict_cycles'}, seen
END
}

@test "counting changes no number, and skipping no count" {
    for skip in on off; do
        corun profile "${apps[@]}" --gpu $gpus "${short[@]}" --lines --skip $skip --json $skip.json
        ended 0
    done
    cmp on.json off.json
    corun profile "${apps[@]}" --gpu $gpus "${short[@]}" --alone fresh --json plain.json
    ended 0
    python3 - <<'END'
import json
lines, plain = (json.load(open(name + '.json')) for name in ('on', 'plain'))
for p in lines['profiles']:
    assert p.pop('lines')
assert lines == plain
END
}

# Writes the app k.yaml with two blocks of 32 warps, and its source k.cu, of 18 lines.
kernel_make() {
    for n in {1..18}; do echo "    statement_$n();  // <$n>" >>k.cu; done
    cat >k.ptx <<'END'
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d<9>; .shared .b32 s[2048];
.loc 1 10 0
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [p];
cvta.to.global.u64 %d1, %d1;
.loc 1 11 0
mul.wide.u32 %d2, %r1, 128;
add.s64 %d2, %d1, %d2;
ld.global.u32 %r2, [%d2];
.loc 1 12 0
add.s32 %r3, %r2, 1;
shl.b32 %r4, %r1, 7;
and.b32 %r4, %r4, 4095;
mov.u32 %r5, s;
add.s32 %r4, %r4, %r5;
.loc 1 13 0
st.shared.u32 [%r4], %r3;
.loc 1 14 0
bar.sync 0;
.loc 1 15 0
setp.lt.u32 %q, %r1, 8;
@%q st.global.u32 [%d2], %r3;
ret;
}
.file 1 "k.cu"
END
    cat >k.yaml <<'END'
app: k
module: k.ptx
buffers: {x: {type: u32, count: 65536, init: zero}}
launches:
- {kernel: k, grid: 2, block: 1024, args: [$x]}
END
}

# Counts that follow from the program: 64 warps of two blocks, one pass.
@test "issues, lanes, sectors, conflicts and waits belong to their instructions" {
    kernel_make
    corun profile k.yaml --until all-complete --lines --json -
    ended 0
    python3 - "$output" <<'END'
import json, sys
lines = json.loads(sys.argv[1])['profiles'][0]['lines']
assert [l['file'] for l in lines] == ['k.cu'] * len(lines)
at = {l['ptx_line']: l for l in lines}
assert all(l['issued'] == 64 for l in lines)
load, shared, barrier, store = at[14], at[22], at[24], at[27]
assert (load['line'], load['memory_instructions'], load['sectors']) == (11, 64, 64 * 32), load
assert load['transactions'] == load['l1_accesses'] == load['l1_misses'] == 64 * 32, load
assert (shared['line'], shared['shared_instructions']) == (13, 64)
assert shared['conflict_cycles'] == 64 * 31, shared
assert (store['threads'], store['sectors']) == (16, 16), store
assert at[16]['long_scoreboard'] > 0 and not any(
    l['long_scoreboard'] for l in lines if l is not at[16])
assert not any(l['barrier'] for l in lines if l is not barrier)
END
}

@test "the table has the lines in order of cycles, with source text, or PTX without .loc" {
    kernel_make
    corun profile k.yaml --until all-complete --lines
    ended 0
    shows "k.yaml: the 6 lines with most scheduler cycles, of 6" "k.cu:11 " \
        "statement_13(); // <13>" "long scoreboard"
    python3 - "$output" <<'END'
import re, sys
rows = re.findall(r'^k\.cu:(\d+) +([\d.]+) % +([\d,]+) ', sys.argv[1], re.M)
assert len(rows) == 6 and [float(r[1]) for r in rows] == sorted(
    (float(r[1]) for r in rows), reverse=True), rows
END
    sed -i '/\.loc/d; /\.file/d' k.ptx
    corun profile k.yaml --until all-complete --lines
    ended 0
    shows "of 16" "k.ptx:12 " "ld.global.u32 %r2, [%d2];"
    rm k.cu
    kernel_make
    rm k.cu
    corun profile k.yaml --until all-complete --lines
    ended 0
    shows "k.cu:11 "
}

@test "the page has a roofline, and source and PTX with links between the lines" {
    kernel_make
    corun profile k.yaml gups --until all-complete --cycles 20000 --lines --html p.html --quiet
    ended 0
    python3 - <<'END'
import re
page = open('p.html').read()
assert page.count('<circle') == 2 and 'class="roof"' in page
assert 'statement_13(); // &lt;13&gt;' in page and 'st.shared.u32 [%r4], %r3;' in page
ids = re.findall(r' id="([^"]*)"', page)
links = re.findall(r'href="#([^"]*)"', page)
assert links and set(links) <= set(ids) and len(ids) == len(set(ids)), set(links) - set(ids)
assert not re.search(r'(src|href)="[^#]', page) and '<script' not in page
END
    corun profile gups --cycles 3000 --html plain.html --quiet
    ended 0
    grep -q '<circle' plain.html
    grep -q 'corun profile gups --cycles 3000 --html plain.html --quiet</code>' plain.html
    run ! grep -q 'class="heat"' plain.html
    corun profile gups --html p.html --json p.html
    refused p.html
}

@test "launches of a kernel with a C++ name share their counters" {
    sed 's/entry scale(/entry _Z5scalejfPfS_(/' "$HERE/scale.ptx" >cxx.ptx
    sed 's/scale.ptx/cxx.ptx/; s/kernel: scale/kernel: _Z5scalejfPfS_/' "$HERE/scale.yaml" >cxx.yaml
    grep 'kernel:' cxx.yaml >launch
    sed -i '/kernel:/r launch' cxx.yaml
    corun profile ./cxx.yaml --until end --lines --json p.json
    ended 0
    python3 - <<'END'
import json
lines = json.load(open('p.json'))['profiles'][0]['lines']
places = [(x['kernel'], x['pc']) for x in lines]
assert len(places) == len(set(places)), places
assert {x['kernel'] for x in lines} == {'scale(unsigned int, float, float*, float*)'}, places
END
}

@test "exec.expand changes the number of instructions, and no value" {
    local few=(lud:size=test nw:size=test kmeans:size=test dxtc:size=test)
    for gpu in a100 h100; do
        for expand in none ptxas; do
            corun run "${few[@]}" --gpu $gpu --until end --set exec.expand=$expand \
                --json $expand.json
            ended 0
        done
        python3 - <<'END'
import json
none, ptxas = (json.load(open(name))['apps'] for name in ('none.json', 'ptxas.json'))
for a, b in zip(none, ptxas):
    assert a['checked'] is True and b['checked'] is True, (a['name'], a['checked'], b['checked'])
    assert a['warp_instructions'] != b['warp_instructions'], a['name']
END
    done
}
