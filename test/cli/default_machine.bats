#!/usr/bin/env bats
# The machine of a run without --gpu: with CUDA programs, a machine whose threads of a warp progress
# independently.
load common.bash
load cuda.bash

NOTE='note: turing is the default machine for CUDA programs'
WARNING='warning: maxwell16: the machine tells programs compute capability 7.0 or more'

# How often a text stands in the messages.
times() { grep -cF "$1" <<<"$stderr" || true; }

@test "threads of a warp that wait for one another come to their end" {
    corun cuda "$(program warps)"
    ended 0
    shows 'lock taken 128 times' 'shuffles wrong 0' 'warps on turing'
    [ "$(times "$NOTE")" = 1 ]
    [ "$(times warning)" = 0 ]
    corun cuda --quiet "$(program warps)"
    ended 0
    [ "$output" = $'lock taken 128 times\nshuffles wrong 0' ]
    [ -z "$stderr" ]
}

@test "on a machine of the papers they end as deadlock, and one line warns" {
    corun cuda --quiet --gpu maxwell16 --json out.json "$(program warps)"
    ended 1
    says 'deadlock'
    [ "$(times "$WARNING")" = 1 ]
    [ "$(times "$NOTE")" = 0 ]
    output=$(cat out.json)
    holds '[w["where"] for w in d["warnings"]] == ["maxwell16"]'
    holds '"sm.independent_threads" in d["warnings"][0]["text"]'
    corun cuda --gpu maxwell16 --set sm.independent_threads=true --json - "$(program warps)"
    ended 0
    holds 'd["warnings"] == []'
    [ "$(times warning)" = 0 ]
    corun cuda --gpu maxwell16 --set host.capability=6.1 --ptx 75 --json - "$(program vecadd)"
    ended 0
    holds 'd["warnings"] == []'
}

# bats test_tags=long
@test "run, compare, profile, model and sweeps, by name and by app file" {
    printf 'app: w\nprogram: [%s]\n' "$(program warps)" >w.yaml
    for app in "cuda:$(program warps)" ./w.yaml; do
        corun run mm:size=test "$app" --alone skip --until end --json -
        ended 0
        holds 'd["gpu"] == "turing" and d["warnings"] == []'
        says "$NOTE"
        corun compare "$app" mm:size=test --policies leftover,spatial --alone skip --until end \
            --json -
        ended 0
        holds '{r["gpu"] for r in d["runs"]} == {"turing"}'
        [ "$(times "$NOTE")" = 1 ]
        corun profile mm:size=test "$app" --cycles 20000
        ended 0
        shows 'turing, each app alone'
        [ "$(times "$NOTE")" = 1 ]
        corun profile "$app" --cycles 20000 --gpu maxwell16,rtx2060
        [ "$(times "$NOTE")" = 0 ]
        [ "$(times "$WARNING")" = 1 ]
    done
    printf 'apps: ["mm:size=test", ./w.yaml]\npolicies: [leftover]\nrules: end\n' >s.yaml
    corun sweep s.yaml -o s.db
    ended 0
    says "$NOTE"
    corun export s.db --csv -
    ended 0
    shows 'turing'
    [ "$(grep -c maxwell16 <<<"$output")" = 0 ]
    printf 'gpus: [maxwell16]\n' >>s.yaml
    corun sweep s.yaml -o s2.db
    [ "$(times "$NOTE")" = 0 ]
    [ "$(times "$WARNING")" = 1 ]
}

@test "without a CUDA program it is the machine of paper 000" {
    corun run ./scale.yaml --alone skip --json -
    ended 0
    holds 'd["gpu"] == "maxwell16" and d["warnings"] == []'
    [ "$(times note:)" = 0 ]
    cp scale.yaml program.yaml # a name without hint
    corun profile ./program.yaml vecadd:size=test --cycles 5000
    ended 0
    shows 'maxwell16, each app alone'
    printf 'app: [\n' >broken.yaml # told once, as an app
    corun run ./broken.yaml
    refused 'broken.yaml'
}

# bats test_tags=long
@test "a machine file that sets a capability of 7.0 or more has independent threads" {
    printf 'base: maxwell16\nhost:\n  capability: 7.5\n' >old.yaml
    corun run ./scale.yaml --gpu ./old.yaml
    refused 'sm.independent_threads: true'
    placed ./old.yaml 3 7.5
    printf 'base: maxwell16\nhost: {capability: {value: 8, source: mine}}\n' >mapped.yaml
    corun show gpu ./mapped.yaml
    refused 'sm.independent_threads: true'
    placed ./mapped.yaml 2 '8, source'
    printf 'base: ./old.yaml\nl1: {ways: 8}\n' >above.yaml
    corun run ./scale.yaml --gpu ./above.yaml
    refused 'sm.independent_threads: true'
    for good in 'base: maxwell16\nhost: {capability: 6.1}' \
        'base: rtx2060\nhost: {capability: 8.6}' \
        'base: maxwell16\nhost: {capability: 8.0}\nsm: {independent_threads: true}' \
        'base: ./old.yaml\nsm: {independent_threads: true}' 'base: gtx980\nl1: {ways: 8}'; do
        printf "$good\n" >good.yaml
        corun run ./scale.yaml --gpu ./good.yaml --alone skip
        ended 0
    done
    corun run ./scale.yaml --gpu ./old.yaml --set sm.independent_threads=on --alone skip
    ended 0
    corun run ./scale.yaml --gpu ./old.yaml --set host.capability=6.0 --alone skip
    ended 0
    for gpu in fermi30 gtx980 maxwell16 maxwell16-duet; do
        corun run "cuda:$(program vecadd)" --gpu $gpu --alone skip --quiet --json -
        ended 0
        holds 'len(d["warnings"]) == 1'
    done
}
