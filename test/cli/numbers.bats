#!/usr/bin/env bats
# Numbers in the forms people write, in every option; the same result as with all digits.
load common

same() { # prints the keys compared between two results, from a result in standard input
    python3 -c 'import json, sys
d = json.load(sys.stdin)
print(*(d[k] for k in sys.argv[1:]))' "$@"
}

@test "options, machine and parameters: letters and exponents" {
    corun run vecadd:n=5k --until window --cycles 0.02M --seed 1e0 --set sm.count=0.4e1 \
        --set clock.dram_mhz=0.924k --policy 'mias[profile_cycles=4.5k]' --alone skip --quiet \
        --json -
    ended 0
    short=$(same input_hash config stats <<<"$output")
    holds "d['cycles'] == 20000 and d['config']['sm.count']['value'] == 4"
    holds "d['config']['mias.profile_cycles']['value'] == 4500"
    corun run vecadd:n=5000 --until window --cycles 20000 --seed 1 --set sm.count=4 \
        --set clock.dram_mhz=924 --policy 'mias[profile_cycles=4500]' --alone skip --quiet --json -
    ended 0
    [ "$(same input_hash config stats <<<"$output")" = "$short" ]
}

@test "machine files, sweep files and app files" {
    printf 'base: maxwell16\nsm:\n  count: 0.4e1\n  registers: 16k\n' >own.yaml
    corun show gpu ./own.yaml
    ended 0
    shows 16000
    printf '%s\n' 'apps: [vecadd]' 'policies: [leftover]' 'seeds: [1e0]' 'alone: skip' \
        'rules: [{until: window, cycles: 2k}]' >s.yaml
    corun sweep s.yaml -o s.db --quiet --threads 1
    ended 0
    [ "$(sqlite3 s.db 'select seed, cycle_limit, cycles from run')" = '1|2000|2000' ]
    sed 's/\b1000\b/1k/g; s/grid: \[4/grid: [0.4e1/' scale.yaml \
        >k.yaml
    ! cmp -s k.yaml scale.yaml
    corun run ./scale.yaml --alone skip --quiet --json -
    digits=$(same cycles stats <<<"$output")
    corun run ./k.yaml --alone skip --quiet --json -
    ended 0
    [ "$(same cycles stats <<<"$output")" = "$digits" ]
}

@test "options of policies that are whole numbers" {
    corun run vecadd:size=test --policy 'its[window=1.5]' --alone skip
    refused "error: its.window is '1.5', expected a whole number from 1 to"
    pointed 'its[window=1.5]' 12
    corun run vecadd:size=test mm:size=test --policy 'l2-ways[ways=10/5.5]' --alone skip
    refused "error: l2-ways.ways is '10/5.5', expected even or whole numbers A/"
    pointed 'l2-ways[ways=10/5.5]' 14
    for right in 'smil[limits=3/inf]' 'its[window=1.5k]' 'warped-slicer[loss_limit=1.5]'; do
        corun run vecadd:size=test mm:size=test --policy "$right" --alone skip
        ended 0
    done
}

@test "what is not understood is shown with what would be" {
    for wrong in 2m 2K 1e-3 1,000 2MB 0.5; do
        corun run vecadd:size=test --cycles $wrong
        refused "error: --cycles is '$wrong', expected a whole number"
        [[ $stderr != *^* ]] # the message shows the whole argument
        corun run vecadd:size=test --cycles=$wrong
        refused "error: --cycles is '$wrong', expected a whole number"
        pointed --cycles=$wrong 10
    done
    corun run vecadd:size=test --cycles 2m
    says 'written 2000000, 2e6 or 2M; k, M and G are thousand, million and billion'
    corun run vecadd:size=test --cycles 0
    [[ $stderr != *billion* ]] # a valid number, but too small
    corun run vecadd:size=test --set sm.count=2K
    refused "error: sm.count is '2K'" thousand
    pointed sm.count=2K 10
    corun run vecadd:n=5kk
    refused "error: '5kk' is not a number" 2k
    pointed vecadd:n=5kk 10
    corun run vecadd:size=test --policy 'mias[profile_cycles=45m]'
    refused "mias.profile_cycles is '45m', expected a whole number from 1 to" thousand
    printf '%s\n' 'apps: [vecadd]' 'policies: [leftover]' 'seeds: [1K]' >s.yaml
    corun sweep s.yaml -o s.db
    refused thousand
    placed s.yaml 3 1K
}
