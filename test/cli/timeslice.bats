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
