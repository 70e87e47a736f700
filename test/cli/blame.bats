#!/usr/bin/env bats
# corun run --blame: the loss of each app, by cause and culprit.
load common

blamed() { # FILE, arguments of corun run
    corun run "${@:2}" --blame online --json "$1" --quiet
    ended 0
}

@test "the loss is cycles minus cycles alone; lines and the rest add up to the loss exactly" {
    local n=60
    if [ "$CORUN_TEST" = all ]; then n=200; fi
    if [ "$CORUN_TEST" = every ]; then n=200; fi
    python3 "$HERE/blame.py" pairs "$CORUN" "$n"
}

@test "completed in both runs, the app loses its cycles minus the isolated run's cycles" {
    blamed done.json vecadd:size=test mm:size=test --policy spatial
    python3 "$HERE/blame.py" completed done.json
}

@test "an app by itself loses nothing and blames nobody" {
    blamed one.json mm:size=test
    python3 "$HERE/blame.py" single one.json
    corun run mm:size=test --blame online
    ended 0
    [[ "$output" != *lost* ]]
}

@test "blame changes no other result; skipping and threads change no blame" {
    local run=(kmeans bfs --policy smk-p --until window --cycles 8000)
    corun run "${run[@]}" --json off.json --quiet
    blamed on.json "${run[@]}"
    blamed every.json "${run[@]}" --skip off
    blamed threads.json "${run[@]}" --sim-threads 3
    python3 "$HERE/blame.py" same off.json on.json every.json threads.json
}

@test "a probe of one resource is blamed on the resource and the app" {
    blamed dram.json vecadd vecadd --policy spatial --until window --cycles 60000
    python3 "$HERE/blame.py" mostly dram.json 0.8 dram_bandwidth row_conflicts
    blamed sm.json mri-q mri-q --policy smk-p --until window --cycles 20000
    python3 "$HERE/blame.py" mostly sm.json 0.8 issue pipes lsu l1_mshrs slots
}

@test "the table names the loss, its causes and their apps" {
    corun run vecadd gups --policy spatial --until window --cycles 20000 --blame online
    ended 0
    [[ "$output" == *"vecadd lost "*"DRAM bandwidth to gups "* ]]
    [[ "$output" == *"gups lost "*"DRAM bandwidth to vecadd "* ]]
    [[ "$output" == *"unexplained"* ]]
    corun run vecadd gups --policy spatial --until window --cycles 20000 --blame sometimes
    ended 2
    says "--blame is 'sometimes', expected one of off|online"
}
