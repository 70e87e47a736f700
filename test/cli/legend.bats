#!/usr/bin/env bats
# The line below the tables with the meaning of their columns.
load common

# bats test_tags=long
@test "one line under the tables of run, profile and compare, unless --legend off" {
    causes=(run 'vecadd:size=test --alone skip' profile 'vecadd:size=test --cycles 2k')
    for i in 0 2; do
        corun ${causes[i]} ${causes[i + 1]}
        ended 0
        [ "$(grep -c '^no issue: ' <<<"$output")" = 1 ]
        line=$(grep -A 1 '^no issue: ' <<<"$output") # may be broken
        for cause in $(grep -m 1 -oE 'scoreboard +no instruction.*policy' <<<"$output"); do
            [[ $line == *$cause* ]] # every column of the table
        done
        corun ${causes[i]} ${causes[i + 1]} --legend off
        ended 0
        [[ $output != *'no issue: '* ]]
        corun ${causes[i]} ${causes[i + 1]} --json -
        [[ $output != *'no issue: '* ]]
    done
    corun compare vecadd:size=test --policies leftover,smk-even
    [ "$(grep -c 'lower is better' <<<"$output")" = 1 ]
    corun compare vecadd:size=test --policies leftover,smk-even --legend off
    ended 0
    [[ $output != *better* ]]
    corun run vecadd:size=test --legend maybe
    refused "one of on|off"
}
