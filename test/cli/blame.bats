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

@test "without isolated runs, blame says why there are no losses" {
    local run=(vecadd:size=test mm:size=test --until window --cycles 2000 --alone skip)
    local why="--blame: no losses without isolated runs (--alone skip)"
    corun run "${run[@]}" --policy spatial --blame online
    ended 0
    shows "$why"
    corun run "${run[@]}" --policy spatial
    ended 0
    [[ $output != *--blame* ]]
    corun compare "${run[@]}" --policies spatial,leftover --blame online
    ended 0
    shows "$why"
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

@test "exact: levels, with either order of L2 and DRAM, add up to the loss, as do the lines" {
    local n=24
    if [ "$CORUN_TEST" = all ]; then n=200; fi
    if [ "$CORUN_TEST" = every ]; then n=200; fi
    python3 "$HERE/blame.py" exact "$CORUN" "$n"
}

@test "exact: apps on SMs of their own lose by the memory only" {
    python3 "$HERE/blame.py" share "$CORUN"
}

@test "exact: a probe of DRAM loses by the channels, whatever the order" {
    corun run vecadd vecadd --policy spatial --until window --cycles 60000 --blame exact \
        --json dram.json --quiet
    ended 0
    python3 "$HERE/blame.py" cut dram.json dram 0.8
    python3 "$HERE/blame.py" mostly dram.json 0.8 dram_bandwidth row_conflicts
}

@test "exact changes no other result; skipping and threads change no level" {
    local run=(kmeans bfs --policy mps --until window --cycles 8000)
    corun run "${run[@]}" --json off.json --quiet
    for how in on every threads; do
        local more=()
        if [ $how = every ]; then more=(--skip off); fi
        if [ $how = threads ]; then more=(--sim-threads 3 --threads 3); fi
        corun run "${run[@]}" --blame exact --json $how.json --quiet "${more[@]}"
        ended 0
    done
    python3 "$HERE/blame.py" same off.json on.json every.json threads.json
}

@test "exact: the table has the levels, and says where a part permits no cut" {
    local run=(vecadd gups --until window --cycles 8000 --blame exact)
    corun run "${run[@]}" --policy mps
    ended 0
    [[ "$output" == *"by cuts: DRAM "*" to "*", L2 and crossbars "*", SMs "*", block slots "* ]]
    corun run "${run[@]}" --policy smk-p+fair
    ended 0
    [[ "$output" == *", SMs and block slots "* ]]
    [[ "$output" == *"no cut of the SMs: the policy does more on an SM than to place blocks"* ]]
    corun run "${run[@]}" --policy spatial+l2-ways --json ways.json
    ended 0
    [[ "$output" != *"by cuts"* ]]
    [[ "$output" == *"no cuts: the policy divides L2 or DRAM between the apps"* ]]
    grep -q '"no_levels": "the policy divides L2 or DRAM between the apps"' ways.json
}

@test "time slices: the time in which states move is scheduling, not unexplained" {
    blamed slices.json mm nbody --policy 'timeslice[us=5]' --until window --cycles 120000
    python3 "$HERE/blame.py" mostly slices.json 0.95 scheduling
}

@test "fewer SMs cost block slots even where no block waits" {
    blamed kmeans.json kmeans kmeans --policy spatial --until window --cycles 3000
    python3 "$HERE/blame.py" mostly kmeans.json 0.2 slots
}

@test "fewer SMs with fewer requests in flight: the app's own queues are a loss of block slots" {
    corun run nbody gups --policy spatial --until window --cycles 20000 --blame online --json - \
        --quiet
    ended 0
    holds "(lambda loss: abs(loss['blame']['unexplained_cycles']) < loss['cycles'] / 10 and
        sum(l['cycles'] for l in loss['blame']['lines'] if l['cause'] == 'slots') >
            0.8 * loss['cycles'])(d['apps'][1]['loss'])"
}

@test "compare: a matrix of losses by app and culprit, in table and page as in the JSON" {
    corun compare vecadd gups mm --policies spatial,leftover --until window --cycles 8000 \
        --blame online --json r.json --html p.html
    ended 0
    [[ "$output" == *"to vecadd"*"to gups"*"to mm"*"unexplained"* ]]
    printf '%s' "$output" >table.txt
    python3 "$HERE/blame.py" matrix r.json table.txt p.html
    corun compare vecadd gups --policies spatial --until window --cycles 8000 --html p.html
    ended 0
    [[ "$output" != *unexplained* ]]
    run grep -c '<h2>Blame' p.html
    [ "$output" = 0 ]
}

@test "the timeline has each app's waits behind the other apps, by cause, over intervals" {
    local pair=(vecadd gups --policy spatial --until window --cycles 20000 --interval 2000)
    corun run "${pair[@]}" --blame online --timeline t.json --json r.json
    ended 0
    python3 "$HERE/blame.py" waits t.json r.json
    corun run "${pair[@]}" --timeline t.json
    ended 0
    run ! grep -q "waits behind" t.json
}

@test "the table names the loss, its causes and their apps" {
    corun run vecadd gups --policy spatial --until window --cycles 20000 --blame online
    ended 0
    [[ "$output" == *"vecadd lost "*"DRAM bandwidth to gups "* ]]
    [[ "$output" == *"gups lost "*"DRAM bandwidth to vecadd "* ]]
    corun run kmeans bandwidth --policy leftover --until window --cycles 20000 --blame online
    ended 0
    [[ "$output" == *"kmeans lost "*"unexplained -"* ]]
    corun run vecadd gups --policy spatial --until window --cycles 20000 --blame sometimes
    ended 2
    says "--blame is 'sometimes', expected one of off|online|exact"
}
