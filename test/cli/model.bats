#!/usr/bin/env bats
# corun model: the analytical model of apps with shared memory bandwidth, from numbers and names.
load common

row() { # PATTERN: a line of the output
    grep -Eq "^$1\$" <<<"$output" || shows "a line $1"
}

@test "the worked example of paper 001, with the weighted speedups that its text has" {
    corun model 30/20 40/5 --peak 50 --miss-bytes 1000
    ended 0
    row '30/20, 40/5 +30.00 +20.00 +5.500 +1.500'
    row '40/5, 30/20 +10.00 +40.00 +8.500 +1.333'
    row 'in turn +25.00 +25.00 +6.250 +1.458'
    corun model 30/20 40/5 --peak 50 --miss-bytes 1000 --shift 0.5 --json -
    ended 0
    holds "d['schema'] == 'corun-model/1' and d['gpu'] is None and d['peak'] == 50"
    holds "[(s['rule'], s['order']) for s in d['shares']] ==
        [('order', [0, 1]), ('order', [1, 0]), ('turn', [])]"
    holds "[round(s['weighted_speedup'], 3) for s in d['shares']] == [1.5, 1.333, 1.458]"
    holds "[(s['to'], s['from']) for s in d['shifts']] == [(0, 1), (1, 0)] and
        abs(d['shifts'][1]['instruction_throughput'] - 0.075) < 1e-9"
}

@test "a shift raises throughput where misses are fewer, speedup where less bandwidth is enough" {
    for apps in '30/20 40/5' '40/20 30/5' '30/5 40/20' '40/5 30/20'; do
        corun model $apps --peak 50 --miss-bytes 1000 --shift 0.5 --json -
        ended 0
        holds "all((s[key] > 0) == (of[s['from']] > of[s['to']])
            for s in d['shifts']
            for key, at in (('instruction_throughput', 1), ('weighted_speedup', 0))
            for of in [[float(a.split('/')[at]) for a in '$apps'.split()]])"
    done
}

@test "three apps have six orders; one has itself" {
    corun model 40/1 10/2 45/4 --peak 60 --json -
    ended 0
    holds "len(d['shares']) == 7 and d['shares'][-1]['bytes_per_cycle'] == [25, 10, 25]"
    holds "d['shares'][4]['order'] == [2, 0, 1] and
        d['shares'][4]['bytes_per_cycle'] == [15, 0, 45]"
    corun model 40/1.6
    ended 0
    row '40/1.6 +1.60 +40.00 .+195.312 +-'
    [[ $output != *"first served"* ]]
}

@test "names are measured, on the machine and in the window that are given" {
    corun model vecadd:size=test 5/3 --cycles 2000 --gpu fermi30 --json -
    ended 0
    holds "d['gpu'] == 'fermi30' and 63 < d['peak'] < 64"
    holds "d['apps'][0]['measured_ipc'] > 0 and d['apps'][1]['measured_ipc'] is None"
    local first=$output
    corun profile vecadd:size=test --cycles 2000 --gpu fermi30 --json -
    ended 0
    python3 -c 'import json, sys
model, profile = json.loads(sys.argv[1])["apps"][0], json.loads(sys.argv[2])["profiles"][0]["stats"]
assert model["mpki"] == profile["l2.mpki"], (model, profile["l2.mpki"])
assert model["bytes_per_cycle"] == profile["dram.bytes_per_cycle"]' "$first" "$output"
}

@test "numbers that are wrong are shown where they are" {
    corun model 30/x
    refused "error: expected L2 misses per thousand instructions"
    pointed 30/x 4
    corun model 30/5q
    refused "error: unexpected text after the number"
    pointed 30/5q 5
    corun model 5/0
    refused "error: expected L2 misses per thousand instructions, a number above 0"
    pointed 5/0 3
    corun model 5/2 --peak -3
    refused "error: expected bytes per cycle, a number above 0"
    corun model
    refused "expected one to three apps" "30/20"
    corun model 1/1 1/1 1/1 1/1
    refused "4 apps, at most 3"
    corun model nosuchapp
    refused nosuchapp
}
