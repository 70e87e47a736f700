#!/usr/bin/env bats
# Results of kernels, streams and launches: --by and --launches. test/whole/parts.py adds them up.
load common

@test "a table of launches, of kernels and of streams" {
    corun run bfs:size=test mm:size=test --alone skip --until end --by launch
    ended 0
    shows "app  launch  stream  kernel" "bfs       7       0     bfs" "mm        1       0      mm"
    corun run bfs:size=test mm:size=test --alone skip --until end --by kernel
    ended 0
    shows "app  kernel  launches" "bfs     bfs         7" "mm       mm         1"
    corun run bfs:size=test mm:size=test --alone skip --until end --by stream
    ended 0
    shows "app  stream  launches" "bfs       0         7"
    corun run bfs:size=test --alone skip
    [[ $output != *launches* ]]
}

@test "of many launches the table has the longest, the file all" {
    corun run hotspot:size=test,iterations=120 --alone skip --by launch --launches all.csv
    ended 0
    shows "the 40 longest of 60; --json and --launches FILE have all"
    [ "$(wc -l <all.csv)" = 61 ]
}

@test "rows of parts in --csv" {
    corun run bfs:size=test mm:size=test --alone skip --until end --by launch --csv - --quiet
    ended 0
    shows '"bfs/launch 7",launches,1' '"mm/launch 1",blocks.retired,25'
    corun run bfs:size=test --alone skip --by kernel --csv - --quiet
    shows '"bfs/kernel bfs",launches,7'
}

@test "launches to standard output, as they end" {
    corun run bfs:size=test --alone skip --quiet --launches -
    ended 0
    [[ ${lines[0]} == app,launch,stream,kernel,grid,block,arrival_cycle,start_cycle,* ]]
    [[ ${lines[7]} == '"bfs",7,0,"bfs",4x1x1,512x1x1,'* ]]
}

@test "a compare has the parts of each run" {
    corun compare bfs:size=test mm:size=test --policies leftover,spatial --alone skip --until end \
        --by launch --json - --quiet
    ended 0
    [ "$(grep -c '"name": *"launch 7"' <<<"$output")" = 2 ]
}

@test "a sweep stores the parts, and the export leaves them out" {
    printf 'apps: [["bfs:size=test"]]\npolicies: leftover\nalone: skip\n' >plain.yaml
    { cat plain.yaml; echo 'by: launch'; } >by.yaml
    corun sweep plain.yaml -o all.db --quiet
    ended 0
    corun sweep by.yaml -o all.db --quiet
    ended 0
    run sqlite3 all.db "select value from stat where key = 'launch 7/blocks.retired'"
    [ "$output" = 4 ]
    corun export all.db --csv -
    ended 0
    [[ $output != *launch\ 7* ]]
    sed -i 's/launch/lauch/' by.yaml
    corun sweep by.yaml -o all.db
    refused by.yaml:4:5 'app, kernel, stream, launch'
}

@test "errors of --by and --launches" {
    corun run bfs:size=test --by lunch
    refused "--by" launch
    corun run bfs:size=test --alone skip --launches no/such/folder.csv
    refused no/such/folder.csv
    corun run bfs:size=test --alone skip --launches - --json -
    refused --launches
}
