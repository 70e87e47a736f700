#!/usr/bin/env bats
# Delays of launches and preempted blocks (--waiting), and preempt.limit.
load common

# OPTION...: run.json of hotspot, joined by kmeans in cycle 3000
shared() {
    corun run hotspot kmeans:start=3000 --until window --cycles 30000 --quiet --json run.json "$@"
    ended 0
}

# TEXT: an expression over d, the result; first and second: delays of the apps
delays() {
    python3 - "$1" <<'END'
import json, sys
d = json.load(open('run.json'))
apps = d['runs'][0]['apps'] if 'runs' in d else d['apps']
first, second, *more = (app['delays'] for app in apps)
totals = apps[0]['totals']
for kind in [kind for app in (first, second, *more) for kind in app.values()]:
    if kind['n']:
        assert kind['p50'] <= kind['p95'] <= kind['p99'] <= kind['max'], kind
assert eval(sys.argv[1]), (sys.argv[1], first, second)
END
}

@test "drains: a delay for each drained block; the newcomer waits for the first" {
    shared --policy smk-p
    delays "set(first) == {'launch', 'drain'}"
    delays "first['drain']['n'] == totals['preempt.drained'] > 9"
    delays "first['launch']['max'] == 0 and second['launch']['max'] > 100"
    delays "first['drain']['max'] > 1000"
}

@test "switches: as long as the blocks' saves together; blocks are away until they return" {
    shared --policy smk-p+switch
    delays "first['switch']['n'] == totals['preempt.switched'] > 9"
    delays "first['switch']['max'] <= totals['preempt.save_cycles']"
    delays "totals['preempt.save_cycles'] <= first['switch']['n'] * first['switch']['max']"
    delays "first['away']['n'] + first['away']['waiting'] == first['switch']['n']"
    delays "first['away']['waiting_max'] > 0"
}

@test "blocks being saved at the end of the run wait" {
    corun run synth:loops=400 kmeans:start=2000 --alone skip --until window --cycles 22000 --quiet \
        --json run.json --policy smk-p+switch
    ended 0
    delays "first['switch']['n'] > 0 and 0 < first['switch']['waiting_max'] <= 20000"
    delays "first['switch']['n'] + first['switch']['waiting'] == 64"
    # away from the end of the save on, which lasts 8000 cycles and more
    delays "8000 < first['away']['waiting_max'] < 22000 - 2000 - 8000"
}

@test "flushed blocks are away, and leave at once" {
    shared --policy smk-p+flush
    delays "set(first) == {'launch', 'away'} and second['launch']['max'] == 0"
    delays "first['away']['n'] + first['away']['waiting'] == totals['preempt.flushed'] > 9"
}

@test "preempt.limit switches blocks that drain for longer, but for blocks about to end" {
    shared --policy smk-p --set preempt.limit=4000
    delays "4000 < first['drain']['max'] < 5000 and first['switch']['n'] > 0"
    delays "first['drain']['n'] == totals['preempt.drained']"
    shared --policy smk-p --set preempt.limit=300 --skip off
    python3 -c 'import json; print(json.load(open("run.json"))["apps"])' >off
    delays "'drain' not in first and first['switch']['n'] > 9"
    shared --policy smk-p --set preempt.limit=300 --sim-threads 2
    python3 -c 'import json; print(json.load(open("run.json"))["apps"])' >threads
    cmp off threads
}

@test "preempt.limit holds for blocks above a target that falls while others are saved" {
    corun run synth:loops=400 kmeans:start=2000 synth:threads=128,loops=200,start=5000 \
        --alone skip --until window --cycles 60000 --quiet --json run.json --policy smk-p \
        --set preempt.limit=1
    ended 0
    delays "'drain' not in first and first['away']['waiting'] == 96"
    corun run synth:loops=400 kmeans:start=2000 synth:threads=128,loops=200,start=5000 \
        --alone skip --until window --cycles 40000 --quiet --json run.json --policy smk-p \
        --set preempt.limit=100
    ended 0
    # drains begin with the third app
    delays "first['switch']['waiting_max'] == 40000 - 5000 - 100"
}

@test "extra blocks that take seats above the target drain from then on" {
    corun run hotspot btree:start=100 synth:threads=32,loops=3,start=1500 --alone skip \
        --until window --cycles 30000 --quiet --json run.json \
        --policy smk-p+virtual-thread+chimera
    ended 0
    delays "more[0]['drain']['n'] > 9 and more[0]['drain']['max'] < 30000 - 1500"
    delays "more[0]['drain']['p50'] < 5000"
}

@test "a table, and a line for an app that never started" {
    corun run hotspot kmeans:start=3000 --policy smk-p --until window --cycles 30000 --waiting
    ended 0
    shows "delays in cycles" "hotspot            drain" "still waiting" "drain: From the answer"
    corun run hotspot kmeans:start=1000 --policy sequential --until window --cycles 3000
    ended 0
    shows "kmeans: no launch has started a block; the first has waited for 2000 cycles"
    corun run hotspot kmeans --policy spatial --until window --cycles 3000
    ended 0
    [[ $output != *"no launch has started"* ]]
}

@test "compare: delays of each app, a column for each policy" {
    corun compare hotspot kmeans:start=3000 --policies sequential,smk-p+switch,spatial \
        --until window --cycles 12000 --waiting --alone skip --json all.json
    ended 0
    corun compare hotspot kmeans:start=3000 --policies sequential,smk-p+switch,spatial \
        --until window --cycles 12000 --waiting --alone skip
    ended 0
    python3 - "$output" <<'END'
import json, re, sys
runs = json.load(open('all.json'))['runs']
app, table = None, {}
for line in sys.argv[1].splitlines():
    head = re.match(r'(\S+): delays in cycles', line)
    cells = re.split(r'  +', line.strip())
    if head: app = head.group(1)
    elif app and len(cells) == 4: table[app, cells[0]] = cells[1:]
for r, run in enumerate(runs):
    for a in run['apps']:
        for kind, d in a['delays'].items():
            for key, name in [('n', 'n'), ('p50', 'p50'), ('p95', 'p95'), ('p99', 'p99'),
                              ('max', 'max'), ('waiting', 'still waiting'),
                              ('waiting_max', 'longest')]:
                shown = table[a['name'], kind + ' ' + name][r]
                assert shown == ('-' if d[key] is None else format(d[key], ',')), (a, name, shown)
assert table['hotspot', 'switch n'][0] == table['hotspot', 'switch n'][2] == '0', table
assert table['hotspot', 'switch p50'][0] == '-', table
assert table['kmeans', 'launch n'][0] == '0' and table['kmeans', 'launch still waiting'][0] == '1'
END
    shows 'switch: From the decision' 'launch: From the arrival'
}

@test "no table without delays" {
    corun run hotspot:start=5000 --until window --cycles 3000 --waiting --alone skip
    ended 0
    [[ $output != *'delays in cycles'* ]]
    corun compare hotspot:start=5000 --until window --cycles 3000 --waiting --alone skip \
        --policies leftover,spatial
    ended 0
    [[ $output != *'delays in cycles'* ]]
}

@test "compare names each app that never started, by policy" {
    corun compare hotspot kmeans --policies sequential,spatial --until window \
        --cycles 3000 --alone skip
    ended 0
    shows "sequential, kmeans: no launch has started a block; the first has waited for 3000 cycles"
    [[ $output != *"spatial, kmeans"* ]]
}

# bats test_tags=long
@test "an app that waits for its first block is named during the run" {
    corun run hotspot:size=window kmeans:start=1000 --policy sequential --until window \
        --cycles 1500k --alone skip --progress json
    ended 0
    python3 - "$stderr" <<'END'
import json, sys
lines = [json.loads(l) for l in sys.argv[1].splitlines()]
assert lines
for l in lines:
    waits = l['cycle'] - 1000
    assert l['waiting'] == ({'kmeans': waits} if waits > 100000 else {}), l
assert lines[-1]['waiting'], lines[-1]
END
}

@test "compare --waiting: a policy that failed has no delays, not even none" {
    printf '%s\n' '#include "corun/policy.h"' 'static void share(void *state,' \
        '    const struct corun_view *v, uint32_t *target)' \
        '{ (void)state, (void)target; if (v->now > 2000) __builtin_trap(); }' \
        'const struct corun_policy corun_policy = {.abi = CORUN_POLICY_ABI,' \
        '    .size_bytes = sizeof(struct corun_policy), .name = "trap", .sentence = "A.",' \
        '    .share = share};' >trap.c
    corun compare mm:size=test vecadd:size=test --waiting --alone skip --policies ./trap.c,leftover
    ended 1
    shows 'policy-failed'
    [[ $output =~ 'launch n '\ +'-'\ +[1-9] ]]
    [[ $output =~ 'launch still waiting '\ +'-'\ +0 ]]
}
