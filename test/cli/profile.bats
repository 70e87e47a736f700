#!/usr/bin/env bats
# corun profile, and snapshots of a run.
load common

all=(vecadd mm stencil bfs spmv hotspot kmeans gups)
small=(--cycles 3000 --threads 1)

@test "tables: occupancy with its limiter, memory behaviour with the type, use with what leads" {
    corun profile mm:size=test gups:size=test "${small[@]}"
    ended 0
    shows maxwell16 "limited by" registers Cinst/Minst Req/Minst "L1 miss" rsfail "LSU stall" type \
        MPKI BW/C "row locality" issued scoreboard "no instruction" \
        "LSU throttle" "math throttle" leads use SM-to-L2 DRAM
    [[ $output == *gups:size=test*M* ]]
    python3 - "$output" <<'END'
import re, sys
lines = sys.argv[1].split('\n')
at = [i for i, l in enumerate(lines) if 'issued' in l][0]
assert ' policy  no warp' in lines[at]
for l in lines[at + 1:at + 3]: # issued, the causes and the rest are all scheduler cycles
    shares = [float(x) for x in re.findall(r'([0-9.]+) %', l)][:7]
    assert abs(sum(shares) - 100) < 0.4, l
END
}

@test "apps that ask for more bandwidth than there is: what the model says of sharing it" {
    corun profile mm:size=test hotspot:size=test "${small[@]}"
    ended 0
    [[ $output != *"first served"* ]]
    corun profile gups triad clone001-gups --gpu fermi30 --cycles 10000 --threads 1 --json p.json
    ended 0
    shows "first served" "in turn" "paper 001 section 5"
    python3 - "$output" <<'END'
import json, re, sys
alone, ipc = zip(*((p['stats']['dram.bandwidth_fraction'], p['stats']['inst.ipc_thread'])
                   for p in json.load(open('p.json'))['profiles']))
assert sum(alone) > 1
shown = re.findall(r'^(\S.*?)  +([\d.]+) %  +([\d.]+) %  +([\d.]+) %  +([\d.]+)  +([\d.]+)$',
                   sys.argv[1].split('first served')[1], re.M)
assert [row[0] for row in shown] == ['gups', 'triad', 'clone001-gups', 'in turn'], shown
for first, row in enumerate(shown):
    got = [float(x) / 100 for x in row[1:4]]
    kept = [g / a for g, a in zip(got, alone)]
    assert abs(sum(got) - 1) < 0.002, row
    assert first == 3 or abs(kept[first] - 1) < 0.01, row
    assert abs(float(row[5]) - sum(kept)) < 0.01, row
    assert abs(float(row[4]) - sum(k * i for k, i in zip(kept, ipc))) < 1, row
END
}

@test "a machine too small for an app is named" {
    printf 'base: maxwell16\nsm:\n  threads: 128\n' >small.yaml
    corun profile mm:size=test --gpu maxwell16,small.yaml --cycles 1000
    refused "does not fit an SM" "mm:size=test on small.yaml"
    corun profile mm --gpu maxwell16,
    refused "name is missing"
}

# bats test_tags=long
@test "every program on several machines, given together or one by one" {
    corun profile "${all[@]/%/:size=test}" --gpu fermi30,gtx980 --gpu maxwell16-duet "${small[@]}" \
        --json -
    ended 0
    holds "d['schema'] == 'corun-profile/1' and d['cycle_limit'] == 3000"
    holds "[(p['gpu'], p['app'].split(':')[0]) for p in d['profiles']] ==
        [(g, a) for g in ('fermi30', 'gtx980', 'maxwell16-duet') for a in '${all[*]}'.split()]"
    holds "all(p['cycles'] == 3000 and p['status'] == 'completed' for p in d['profiles'])"
    holds "all(p['type'] == ('M' if p['stats']['ldst.stall_fraction'] > 0.2 else 'C')
        for p in d['profiles'])"
    holds "all(p['use'] in ('underutilized', 'moderate', 'saturated') and p['leading_resource']
        for p in d['profiles'])"
    holds "all(0 < k['thread_occupancy'] <= 1 and 0 <= k['shared_occupancy'] <= 1 and
        0 < k['register_occupancy'] <= 1 and 0 < k['block_occupancy'] <= 1 and
        k['limiter'] in ('threads', 'registers', 'shared', 'blocks')
        for p in d['profiles'] for k in p['kernels'])"
    holds "all(abs(sum(p['stats']['stall.' + c] or 0 for c in
        [k[6:] for k in p['stats'] if k.startswith('stall.') and not k.endswith('_cycles')])
        + p['stats']['sched.utilization']) <= 1 + 1e-9 for p in d['profiles'])"
}

@test "an app's kernels have its cycles and its counts between them, and a row each" {
    corun profile backprop:size=test mm:size=test --cycles 20000 --threads 1
    ended 0
    shows "  layer_forward" "  adjust_weights"
    [[ $output != *"  mm "* ]]
    corun profile backprop:size=test --cycles 20000 --json -
    ended 0
    holds "(lambda p: sum(k['alone_cycles'] for k in p['kernels']) == p['cycles'] and
        all(abs(sum(k['alone_cycles'] * (k['ratios'][r] or 0) for k in p['kernels']) -
                p['cycles'] * p['stats'][r]) < 1e-6 * p['cycles'] for r in
            ('inst.ipc_thread', 'ldst.stall_fraction', 'dram.bandwidth_fraction', 'stall.raw')))(
        d['profiles'][0])"
    holds "[k['ratios']['inst.cinst_per_minst'] != d['profiles'][0]['stats']['inst.cinst_per_minst']
        for k in d['profiles'][0]['kernels']] == [True, True]"
}

@test "a profile is what an isolated run counts" {
    corun profile mm:size=test --cycles 5000 --json p.json --quiet
    ended 0
    corun run mm:size=test --until window --cycles 5000 --alone skip --json r.json --quiet
    ended 0
    python3 -c "import json
p, r = json.load(open('p.json'))['profiles'][0], json.load(open('r.json'))
assert p['stats'] == r['apps'][0]['stats']"
}

@test "from the cache and made again, by any number of threads: the same bytes" {
    corun profile "${all[@]/%/:size=test}" --cycles 2000 --quiet --json a --csv a.csv --alone fresh
    ended 0
    corun profile "${all[@]/%/:size=test}" --cycles 2000 --quiet --json b --csv b.csv
    ended 0
    corun profile "${all[@]/%/:size=test}" --cycles 2000 --quiet --json c --csv c.csv \
        --alone fresh --threads 3 --skip off
    ended 0
    cmp a b
    cmp a c
    cmp a.csv b.csv
    cmp a.csv c.csv
    grep -q '^"maxwell16","mm:size=test",l1.miss_rate,0' a.csv
}

@test "the isolated runs of run are found" {
    corun run mm:size=test --until window --cycles 4000 --quiet
    ended 0
    n=$(ls "$CORUN_CACHE" | wc -l)
    corun profile mm:size=test --cycles 4000 --quiet
    ended 0
    [ "$(ls "$CORUN_CACHE" | wc -l)" = "$n" ]
}

@test "a run until the end; an app file; what went wrong" {
    corun profile ./scale.yaml --until end --json -
    ended 0
    holds "d['cycle_limit'] is None and d['profiles'][0]['completions'] == 1"
    sed 's/count: [0-9]*/count: 1/' scale.yaml >short.yaml
    corun profile ./short.yaml mm:size=test "${small[@]}" --json -
    ended 1
    says "short.yaml on maxwell16" address
    holds "d['profiles'][0]['status'] == 'fault' and d['profiles'][0]['type'] is None"
    holds "d['profiles'][1]['type'] == 'C'"
}

@test "wrong input" {
    corun profile
    refused "expected at least one app"
    corun profile mmm
    refused "'mm'"
    corun profile mm --gpu maxwell16,nothing
    refused nothing
    corun profile mm --cycles 0
    refused --cycles
    corun profile mm --policy leftover
    refused --policy
    corun profile mm --json no/such/folder/x
    refused no/such/folder
    corun profile mm --json - --csv -
    refused "standard output"
}

@test "snapshots: a row per interval and owner, and counters in the timeline" {
    corun run mm:size=test gups:size=test --alone skip --interval 1000 --until window \
        --cycles 2500 --csv - --timeline t.json
    ended 0
    [ "$(wc -l <<<"$output")" = 10 ]
    [[ $output == start,end,owner,inst.warp,* ]]
    [[ $output == *'2000,2500,"gpu",'* ]]
    python3 -c "import json
events = json.load(open('t.json'))['traceEvents']
ipc = [e for e in events if e['name'] == 'inst.ipc_thread']
assert [e['ts'] for e in ipc] == [0, 1000, 2000]
assert all(set(e['args']) == {'mm', 'gups', 'gpu'} and e['ph'] == 'C' for e in ipc)
names = {e['pid']: e['args']['name'] for e in events if e['name'] == 'process_name'}
assert names == {**{i: 'SM %d' % i for i in range(16)}, 16: 'GPU', 17: 'launches of mm',
                 18: 'launches of gups'}, names
assert {e['pid'] for e in events if e['ph'] == 'X'} <= {*range(16), 17, 18}
launches = [e for e in events if e['ph'] == 'X' and e['pid'] == 17]
assert [e['args']['launch'] for e in launches] == [1] and launches[0]['ts'] == 0
assert launches[0]['dur'] == 2500 and launches[0]['args']['ipc'] > 0
assert {e['pid'] for e in events if e['ph'] == 'C'} == {16}"
}

@test "snapshots have to go somewhere" {
    corun run mm:size=test --interval 1000
    refused "--csv or --timeline"
    corun run mm:size=test --interval 10 --csv -
    refused "100"
}
