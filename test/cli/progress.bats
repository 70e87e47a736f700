#!/usr/bin/env bats
# Progress while simulations run: which of how many, how far, how much time is left.
load common

# bats test_tags=long
@test "lines of JSON: every simulation counts, the isolated ones too" {
    corun run mm --until window --cycles 250k --policy spatial --alone fresh --progress json
    ended 0
    python3 - "$stderr" <<'END'
import json, sys
lines = [json.loads(l) for l in sys.argv[1].splitlines()]
assert lines
before = 0
for l in lines:
    assert l['simulations'] == 2 and l['simulation'] in (1, 2), l
    assert ('alone' in l['run']) == (l['simulation'] == 2), l
    part = 100 * (l['simulation'] - 1 + l['cycle'] / l['cycle_limit']) / 2
    assert abs(l['percent'] - part) < 1e-6 and l['percent'] >= before, l
    before = l['percent']
    assert l['left_seconds'] is None or l['left_seconds'] >= 0, l
assert any(l['left_seconds'] for l in lines), lines
END
}

# bats test_tags=long,every
@test "when the simulation that is told of has ended, another is" {
    corun profile mm:n=1024 vecadd:n=16384 vecadd:n=32 --cycles 600k --alone fresh --threads 2 \
        --progress json
    ended 0
    says '"run": "mm:n=1024 on maxwell16"'
}

# bats test_tags=long,every
@test "without a limit the isolated runs that are there say how far an app is" {
    big=mm:n=384 # takes longer than the second before the first estimate of the remaining time
    corun run $big --quiet --until all-complete
    corun run bfs:size=test --quiet --until all-complete
    corun run $big bfs:size=test --policy spatial --until all-complete --progress tty
    ended 0
    says '%' 'cycle' 's left'
    [[ $stderr != *'simulation 1 of'* ]] # the isolated runs are in the cache
}

# bats test_tags=long
@test "on a terminal: profile and compare number their simulations" {
    corun profile mm --gpu maxwell16,gtx980 --cycles 30k --alone fresh --threads 1 --progress tty
    ended 0
    says 'mm on maxwell16: simulation 1 of 2, ' 'mm on gtx980: simulation 2 of 2, ' %
    corun compare mm mm --until window --cycles 30k --policies leftover,spatial --alone fresh \
        --threads 1 --progress tty
    ended 0
    says 'leftover: simulation 1 of 3' 'spatial: simulation 2 of 3' 'mm alone: simulation 3 of 3'
}

@test "a sweep counts points, as its sum does" {
    printf '%s\n' 'apps: [vecadd:size=test]' 'policies: [leftover, sequential]' 'alone: skip' \
        'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o s.db --progress json
    ended 0
    says '"points": 2, "done": 2' '"percent": 100'
    shows '2 points in s.db'
    corun sweep s.yaml -o t.db --progress tty
    says '2 of 2 points done (100 %)'
}

@test "a sweep whose messages go to a file: plain lines as points end" {
    printf '%s\n' 'apps: [vecadd:size=test]' 'policies: [leftover, sequential]' 'alone: skip' \
        'options: {sm.count: 2}' 'seeds: [1, 2]' >s.yaml
    corun sweep s.yaml -o s.db --threads 1
    ended 0
    says '4 of 4 points done (100 %), 0 running, '
    [[ $stderr != *[$'\r\e\b']* ]]
    lines=$(wc -l <<<"$stderr")
    [ "$lines" -ge 1 ]
    [ "$lines" -le 4 ]
    ! grep -vE '^[1-4] of 4 points done \([0-9]+ %\), ' <<<"$stderr"
    corun sweep s.yaml -o s.db
    ended 0
    [ -z "$stderr" ] # nothing was to be made
    for option in --quiet '--progress none'; do
        # shellcheck disable=SC2086
        corun sweep s.yaml -o t.db $option
        [ -z "$stderr" ]
        rm t.db
    done
}

@test "make demo writes no control characters into a file" {
    mkdir bin
    printf '#!/bin/sh\nexec "%s" "$@" --until window --cycles 50k --alone skip\n' "$CORUN" \
        >bin/corun
    chmod +x bin/corun
    "$HERE/../../tools/demo.sh" bin >out.txt 2>err.txt
    [ ! -s err.txt ]
    ! grep -q '[[:cntrl:]]' out.txt
    [ -s bin/demo.json ]
}
