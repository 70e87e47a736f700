#!/usr/bin/env bats
# Time slices: one app has the whole GPU, and state moves between slices.
load common

slices() { # OPTIONS ARGUMENT...: two apps on four SMs until both have completed
    local options=$1
    shift
    corun run mm:n=48 vecadd:n=20000 --gpu maxwell16 --set sm.count=4 --alone skip --quiet \
        --policy "timeslice[$options]" --json - "$@"
    ended 0
    holds "d['status'] == 'completed' and all(a['checked'] for a in d['apps'])"
}

@test "no two apps have blocks on the GPU at once; a block resumes in a later slice" {
    slices us=1,state=resident --timeline t.json
    python3 - <<'END'
import json
parts = {}
for e in json.load(open('t.json'))['traceEvents']:
    if e.get('ph') == 'X' and 'block' in e.get('args', {}):
        app = e['args'].get('app', e.get('cat', e['name']))
        parts.setdefault(app, []).append((e['ts'], e['ts'] + e['dur']))
assert len(parts) == 2, parts.keys()
a, b = parts.values()
assert not any(x < v and u < y for x, y in a for u, v in b)
assert len(set(a)) > 1
END
    holds "d['policy_stats']['timeslice']['switches'] > 2 and d['stats']['preempt.switched'] > 0"
}

@test "state=full moves all registers and shared memory of every SM; none moves nothing" {
    slices us=1
    # mm and vecadd take turns: every switch saves, and all but the first load.
    # The bytes of block states are counted exactly, and lines of 128 bytes move.
    python3 - "$output" <<'END'
import json, sys
d = json.loads(sys.argv[1])
switches = d['policy_stats']['timeslice']['switches']
expected = (2 * switches - 1) * 4 * (65536 * 4 + 98304)
assert 0.99 < d['stats']['preempt.bytes'] / expected <= 1, (switches, d['stats']['preempt.bytes'])
END
    local full=$(value cycles)
    slices us=1,state=resident
    holds "0 < d['stats']['preempt.bytes']"
    local resident=$(value cycles)
    slices us=1,state=none
    holds "d['stats']['preempt.bytes'] == 0"
    # A switch waits only for blocks about to end.
    holds "(lambda s: s['switch_cycles'] < 500 * s['switches'])(d['policy_stats']['timeslice'])"
    holds "d['stats']['blocks.preempted'] > 0"
    [ "$(value cycles)" -lt "$resident" ]
    [ "$resident" -lt "$full" ]
}

value() { # KEY: of the JSON in $output
    python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1" <<<"$output"
}

@test "equal apps of one warp: five take five times the cycles of one" {
    local app=mm:n=16,repeat=200 alone
    corun run "$app" --gpu maxwell16 --set sm.count=4 --alone skip --quiet --json -
    alone=$(value cycles)
    corun run "$app" "$app" "$app" "$app" "$app" --gpu maxwell16 --set sm.count=4 --alone skip \
        --quiet --policy timeslice[us=2,state=none] --json -
    ended 0
    python3 - "$alone" "$(python3 -c 'import json, sys
print(json.load(sys.stdin)["apps"][0]["cycles"])' <<<"$output")" <<'END'
import sys
alone, shared = (int(x) for x in sys.argv[1:])
slice = 2 * 1400
assert alone > 3 * slice, alone
# The first app ends in its last slice; the four others have had as many slices before. L1 is
# empty at the start of each slice.
before = alone // slice * slice * 4
assert abs(shared - alone - before) < 0.05 * shared, (alone, shared, before)
END
}

# N: a kernel of one thread that counts for N slices of 1,024 us: alone, five under MPS, five in
# time slices with all state, on a machine with a T4's clock, state of an SM, and nearly a T4's
# memory bandwidth for each SM. Prints the cycles of the one, of MPS' five and of the slices' five.
five_processes() {
    cat >count.ptx <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry count(.param .u64 out, .param .u32 n)
{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d;
ld.param.u64 %d, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
again: add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra again;
st.global.u32 [%d], %r2; ret; }
END
    # 17 cycles an iteration
    printf '%s\n' 'app: count' 'module: count.ptx' 'buffers:' '  out: {type: u32, count: 1}' \
        'launches:' "  - {kernel: count, grid: 1, block: 1, args: [\$out, $((95774 * $1))]}" \
        >count.yaml
    local five=(./count.yaml ./count.yaml ./count.yaml ./count.yaml ./count.yaml)
    for run in "mps ./count.yaml" "mps ${five[*]}" "timeslice ${five[*]}"; do
        corun run --gpu turing --set clock.sm_mhz=1590 --set sm.count=3 --set map.channels=1 \
            --until end --alone skip --quiet --json - --policy $run
        ended 0
        python3 -c 'import json, sys
print(*(a["cycles"] for a in json.load(sys.stdin)["apps"]))' <<<"$output"
    done
}

# Measured on a Tesla T4, seconds: alone 1.427, five under MPS 1.61 to 1.65, five in time slices
# 8.62 to 8.78: 5.3 times MPS.
@test "five processes on a T4, in kind: alone, MPS, time slices" {
    five_processes 4 >cycles.txt
    python3 - <<'END'
alone, mps, slices = ([int(x) for x in line.split()] for line in open('cycles.txt'))
assert alone[0] <= min(mps) and max(mps) < 1.14 * alone[0], (alone, mps)
assert min(slices) > 4 * max(mps), (mps, slices)
assert abs(max(slices) / max(mps) / 5.3 - 1) < 0.1, (mps, slices)
assert max(slices) > 5.2 * max(mps), 'state moves: 7 % on the T4'
END
}

# bats test_tags=long
@test "five processes on a T4: equal shares, 5.3 times the time under MPS" {
    five_processes 25 >cycles.txt
    python3 - <<'END'
alone, mps, slices = ([int(x) for x in line.split()] for line in open('cycles.txt'))
mean = sum(slices) / 5
assert all(abs(x / mean - 1) < 0.02 for x in slices), slices
assert abs(mean / (sum(mps) / 5) / 5.3 - 1) < 0.1, (mps, slices)
END
}

@test "a slice ends when the app has nothing to run; alone there is nothing to switch" {
    slices us=100000,state=none --until end
    holds "d['policy_stats']['timeslice']['switches'] >= 1" # after mm's end, and not by the clock
    holds "d['cycles'] < 100000 * 1000"
    corun run vecadd:size=test --gpu maxwell16 --alone skip --quiet --json a.json
    corun run vecadd:size=test --gpu maxwell16 --alone skip --quiet --policy timeslice[us=1] \
        --json b.json
    python3 -c 'import json
a, b = (json.load(open(f)) for f in ("a.json", "b.json"))
assert a["cycles"] == b["cycles"] and b["policy_stats"]["timeslice"]["switches"] == 0'
}

@test "the same bits on three threads and without skipping" {
    slices us=1 >/dev/null
    local first=$(python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["cycles"], d["stats"])' <<<"$output") more
    for more in '--sim-threads 3' '--skip off'; do
        slices us=1 $more
        [ "$(python3 -c 'import json, sys; d = json.load(sys.stdin)
print(d["cycles"], d["stats"])' <<<"$output")" = "$first" ]
    done
}

@test "a wrong answer is refused; extra blocks cannot be joined; options have ranges" {
    cat >wrong.c <<'END'
#include "corun/policy.h"
static uint32_t first(void *state, const struct corun_view *view, enum corun_state *moved)
{
    (void)state;
    *moved = CORUN_STATE_NONE;
    return view->holder == CORUN_NO_APP ? 0 : 9;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "wrong",
    .sentence = "For a test.", .holder = first};
END
    corun run mm:size=test vecadd:size=test --gpu maxwell16 --alone skip --policy wrong.c \
        --until window --cycles 3000
    ended 0
    says "holder answered app 9 of 2"
    corun run mm:size=test vecadd:size=test --gpu maxwell16-duet --policy timeslice+gpuduet
    refused "policies 'timeslice' and 'gpuduet' cannot be joined: extra blocks do not leave an SM"
    corun run mm:size=test --gpu maxwell16 --policy timeslice[us=0]
    refused "us"
}

@test "joined with policies that give everything to the first app, slices stay whole" {
    slices us=1,state=none
    local alone=$(value cycles) other
    for other in leftover sequential streams mps green; do
        slices_joined "$other"
        [ "$(value cycles)" = "$alone" ]
    done
}

slices_joined() { # POLICY
    corun run mm:n=48 vecadd:n=20000 --gpu maxwell16 --set sm.count=4 --alone skip --quiet \
        --policy "timeslice[us=1,state=none]+$1" --json -
    ended 0
}

@test "joined with other mechanisms, the contract holds" {
    corun check 'timeslice[us=20,state=resident]+fixed[blocks=2/2]+dmil+its+chimera' \
        --gpu maxwell16 --set sm.count=4
    ended 0
    shows " 0 broken,"
}
