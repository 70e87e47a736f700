#!/usr/bin/env bats
# The verdict of a comparison: verdict.py recomputes the sentence from the JSON.
load common

pair=(mm:size=test bfs:size=test)

verdict() { # ARGUMENTS of corun compare; $verdict is the sentence
    corun compare "$@" --json r.json --html p.html
    printf '%s\n' "$output" >t
    verdict=$(python3 "$HERE/verdict.py" r.json t p.html)
}

@test "the best policy, who is better for an app, who is close, and the oracle" {
    verdict "${pair[@]}" --policies oracle,leftover,spatial,smk-p
    [[ $verdict == "leftover is best (weighted speedup "*"; spatial is better for bfs ("* ]]
    [[ $verdict == *"; smk-p within 1 %; oracle spatial[split=12/4]: 1.888" ]]
}

@test "best for both; of many close policies three are named" {
    verdict "${pair[@]}" --policies 'spatial,spatial[split=12/4]'
    [[ $verdict == "spatial[split=12/4] is best for both ("* ]]
    verdict "${pair[@]}" --policies 'leftover,leftover[],leftover,leftover[],leftover'
    [[ $verdict == *" and 1 more within 1 %" ]]
}

@test "three apps, and a policy that does not complete" {
    verdict "${pair[@]}" kmeans:size=test --policies 'spatial,leftover'
    verdict "${pair[@]}" --policies spatial,sequential --cycles 50000
    [[ $verdict == "spatial is the only policy with a result "*"; 1 policy did not complete" ]]
}

@test "no verdict" {
    verdict "${pair[@]}" --policies leftover,spatial --alone skip
    [ "$verdict" = "no verdict: isolated runs were skipped" ]
    verdict "${pair[@]}" --policies leftover,spatial --cycles 100
    [ "$verdict" = "no verdict: no policy completed with a weighted speedup" ]
}

# bats test_tags=long
@test "no verdict about the oracle alone" {
    verdict "${pair[@]}" --policies oracle
    [ "$verdict" = "no verdict: the oracle is the only policy" ]
}
