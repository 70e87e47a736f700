#!/usr/bin/env bats
# A sweep with everything it names, copied for others to redo.
load common

# A sweep with a file of each kind: app file with PTX, policy with an include, machine above a
# machine.
project() {
    mkdir -p study/apps study/policies study/machines
    mv scale.yaml scale.ptx study/apps
    printf '#define EVENTS 0\n' >study/policies/own.h
    cat >study/policies/own.c <<'E'
#include "corun/policy.h"
#include "own.h"
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "own",
    .sentence = "For a test.", .events = EVENTS};
E
    printf 'machine: few\nbase: maxwell16\nsm:\n  count: {value: 2, source: "a test"}\n' \
        >study/machines/few.yaml
    printf 'machine: fewer\nbase: few.yaml\nsm:\n  count: {value: 1, source: "a test"}\n' \
        >study/machines/fewer.yaml
    printf '%s\n' 'apps: [[./apps/scale.yaml, vecadd:size=test]]' \
        'policies: [leftover, ./policies/own.c]' 'gpus: [./machines/fewer.yaml]' \
        'rules: [{until: window, cycles: 2000}]' >"study/it's.yaml"
}

@test "a bundle has what the sweep names, and gives the same results elsewhere" {
    project
    printf 'not of the sweep\n' >study/notes.txt
    corun sweep "study/it's.yaml" -o r.db
    ended 0
    corun bundle "study/it's.yaml" r.db -o handed
    ended 0
    shows "8 files in handed" "handed/redo.sh"
    [ "$(cd handed && find . -type f | sort | tr '\n' ' ')" = "./apps/scale.ptx ./apps/scale.yaml\
 ./it's.yaml ./machines/few.yaml ./machines/fewer.yaml ./policies/own.c ./policies/own.h\
 ./redo.sh ./results.db " ]
    cmp r.db handed/results.db
    rm -r study r.db
    CORUN=$CORUN run handed/redo.sh --threads 1
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *"2 run now"*"results.db and again.db are equal"* ]]
    sed -i 's/2000/1500/' "handed/it's.yaml" # other points
    CORUN=$CORUN run handed/redo.sh
    [ "$status" = 1 ]
    [[ $output == *"values differ"* ]]
}

@test "without results the script runs the sweep; CUDA programs come with their inputs" {
    printf '#!/bin/sh\nexit 0\n' >prog && chmod +x prog
    printf 'weights\n' >w.bin
    printf 'app: p\nprogram: [./prog]\ninputs: [w.bin]\n' >p.yaml
    printf 'apps: [[./p.yaml]]\npolicies: leftover\n' >s.yaml
    corun bundle s.yaml -o handed
    ended 0
    [ -x handed/prog ]
    cmp w.bin handed/w.bin
    [ ! -e handed/results.db ]
    ! grep -q diff handed/redo.sh
    grep -q "timing model [0-9]" handed/redo.sh
}

@test "what a bundle cannot hold is refused, and nothing is written" {
    project
    sed -i 's#\./apps#../apps#' "study/it's.yaml" && mv study/apps .
    corun bundle "study/it's.yaml" -o handed
    refused
    says "scale.yaml is outside of the sweep file's folder" "has files below "
    [ ! -e handed ]
    mv apps study && sed -i 's#\.\./apps#./apps#' "study/it's.yaml"
    mkdir handed
    corun bundle "study/it's.yaml" -o handed
    refused
    says "handed" "a bundle needs a new folder"
    [ -z "$(ls handed)" ]
    corun bundle "study/it's.yaml" none.db -o new
    refused
    says "cannot open none.db"
    printf 'apps: [[mm:size=test]]\npolicies: [leftover]\n' >other.yaml
    corun sweep other.yaml -o other.db
    corun bundle "study/it's.yaml" other.db -o new
    refused
    says "other.db has no run of study/it's.yaml"
    python3 -c 'import sqlite3
with sqlite3.connect("other.db") as db: db.execute("update stat set value = value + 1")'
    corun bundle other.yaml other.db -o new
    refused
    says "other.db is damaged"
    corun bundle "study/it's.yaml" "study/it's.yaml" -o new
    refused
    says "not a database"
    [ ! -e new ]
    corun bundle "study/it's.yaml"
    refused
    says "corun bundle needs -o FOLDER"
    corun bundle -o new
    refused
    says "expected a sweep file"
    printf 'apps: [[vecadd]]\n' >bad.yaml
    corun bundle bad.yaml -o fresh
    refused
    says "bad.yaml" policies
    [ ! -e fresh ]
}
