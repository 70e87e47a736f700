#!/usr/bin/env bats
# Programmatic dependent launch. The program is test/cuda/dependent.c.
load common.bash
load cuda.bash

@test "a dependent launch overlaps the launch before it, and waits for its end" {
    corun cuda --quiet --gpu h100 "$(program dependent)"
    ended 0
    shows 'all right'
    first=$output
    for how in '--skip off' '--sim-threads 2' '--skip off --sim-threads 2'; do
        corun cuda --quiet --gpu h100 $how "$(program dependent)"
        ended 0
        [ "$output" = "$first" ]
    done
}

@test "a dependent launch gives the right results beside another app under policies" {
    mkdir out
    for policy in sequential spatial smk-even+flush smk-p+switch virtual-thread \
        'timeslice[us=5,state=resident]'; do
        corun run "cuda:$(program dependent) any" "cuda:$(program dependent) any" --gpu h100 \
            --until end --alone skip --policy "$policy" --output-to out
        ended 0
        for of in out/*; do
            grep 'all right' "$of"
        done
        rm out/*
    done
}

@test "dependent launches keep their order in functional runs and in ranges of timed launches" {
    for range in '--skip-kernels all' '--kernels 1-99'; do
        corun cuda --quiet --gpu h100 $range "$(program dependent)" late
        ended 0
        shows 'results 1 2 3 4' 'all right'
    done
}

@test "programmatic edges of graphs are refused by name" {
    corun cuda --quiet --gpu h100 "$(program dependent)" edges
    ended 0
    shows 'all right'
    says 'corun: a programmatic edge of a graph is not supported'
}
