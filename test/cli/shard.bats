#!/usr/bin/env bats
# A sweep in parts, on machines that know nothing of each other, and the parts put together.
load common

sweep() { # a file of six points and what else is given, a line each
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test, bfs:size=test]' \
        'policies: [leftover, spatial]' 'rules: [{until: window, cycles: 500}]' "$@" >s.yaml
}

rows() { # FILE: how many runs
    python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("select count(*) from run").fetchone()[0])' "$1"
}

shards() { # N: as many databases, k.db each
    for k in $(seq "$1"); do
        corun sweep s.yaml -o "$k.db" --shard "$k/$1"
        ended 0
    done
}

@test "shards are disjoint and equal, and merged they are the database of the whole sweep" {
    sweep 'seeds: [1, 2]'
    corun sweep s.yaml -o one.db
    shards 5
    shows "2 points in 5.db: 2 made now" "shard 5/5 of 12 points"
    for k in 1 2; do [ "$(rows $k.db)" = 3 ]; done
    for k in 3 4 5; do [ "$(rows $k.db)" = 2 ]; done
    corun merge 1.db 2.db 3.db 4.db 5.db -o all.db
    ended 0
    shows "12 of 12 points" "12 added"
    "$HERE/tables.py" one.db all.db
    corun sweep s.yaml -o some.db --shard 2-4/5
    shows "7 points in some.db"
    corun merge 1.db some.db 5.db -o several.db
    shows "12 of 12 points" "12 added"
}

@test "merging again, and in steps, is no harm; what is missing makes exit status 1" {
    sweep
    shards 3
    corun merge 3.db 1.db -o all.db
    ended 1
    shows "4 of 6 points" "4 added"
    corun merge 1.db 2.db 2.db -o all.db
    ended 0
    shows "6 of 6 points" "2 added"
    corun sweep s.yaml -o all.db
    ended 0
    shows "0 made now, 6 were there"
    corun sweep s.yaml -o one.db
    "$HERE/tables.py" one.db all.db
}

@test "more shards than points: some are empty" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: leftover' >s.yaml
    shards 2
    shows "0 points in 2.db"
    corun merge 2.db 1.db -o all.db
    ended 0
    shows "1 of 1 points"
}

@test "runs of another sweep, or of another corun, are refused by name, and nothing is written" {
    sweep
    shards 2
    sweep 'seeds: [7]'
    corun sweep s.yaml -o other.db
    corun merge 1.db 2.db other.db -o all.db
    refused "other.db holds runs of another sweep than 1.db"
    [ ! -e all.db ]
    corun merge 1.db -o all.db
    cp all.db before.db
    corun merge 2.db other.db -o all.db
    refused "other.db holds runs of another sweep than all.db"
    "$HERE/tables.py" before.db all.db
    python3 -c 'import sqlite3
with sqlite3.connect("2.db") as d: d.execute("update meta set value = ? where key = ?",
                                             ("9", "program"))'
    corun merge 1.db 2.db -o all.db
    refused "2.db"
    "$HERE/tables.py" before.db all.db
}

@test "a run that was made comes in place of one that failed" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: [leftover, ./p.c]' >s.yaml
    cat >p.c <<'END'
#include <stdlib.h>
#include "corun/policy.h"
static void admit(void *state, const struct corun_view *view, bool *admitted)
{
    (void)state, (void)view, (void)admitted;
    if (getenv("FAILS")) abort();
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "bad",
    .sentence = "Fails where it is told.", .source = "a test", .admit = admit};
END
    FAILS=1 corun sweep s.yaml -o failed.db
    ended 1
    corun sweep s.yaml -o made.db
    corun merge failed.db -o all.db
    ended 1
    shows "1 failed"
    corun merge failed.db made.db failed.db -o all.db
    ended 0
    shows "2 of 2 points"
    "$HERE/tables.py" made.db all.db
}

@test "isolated runs alone fill the cache, in parts" {
    sweep
    export CORUN_CACHE=$PWD/cache
    corun sweep s.yaml --isolated-only --shard 1/2
    ended 0
    shows "2 isolated runs: 2 made now"
    corun sweep s.yaml --isolated-only --shard 2/2
    shows "1 isolated run: 1 made now"
    corun sweep s.yaml --isolated-only
    ended 0
    shows "3 isolated runs: 0 made now, 3 were there"
    corun sweep s.yaml -o r.db
    ended 0
    [[ $output != *isolated* ]]
    CORUN_CACHE=/dev/null/none corun sweep s.yaml --isolated-only
    refused "cannot be kept" CORUN_CACHE
}

@test "shards and merges that are asked for wrongly" {
    sweep
    for word in 0/2 3/2 2 /2 1/ 1/0 a/b 1/2/3 2-1/3 1-4/3 -2/3 1-/3 1/2-3; do
        corun sweep s.yaml -o r.db --shard "$word"
        refused "$word" "K/N"
    done
    corun sweep s.yaml -o r.db --isolated-only
    refused "without -o"
    [ ! -e r.db ]
    corun sweep s.yaml -o r.db
    corun merge r.db
    refused "needs -o"
    corun merge -o all.db
    refused "expected databases"
    corun merge r.db -o r.db
    refused "take the place"
    corun merge r.db s.yaml -o all.db
    refused "s.yaml" "not a database"
    corun merge r.db nowhere.db -o all.db
    refused "nowhere.db"
    [ ! -e all.db ]
}
