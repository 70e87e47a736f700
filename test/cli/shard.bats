#!/usr/bin/env bats
# A sweep in parts, on machines without knowledge of each other, and the merge of the parts.
load common

sweep() { # writes a sweep of six points on few SMs, plus the arguments, a line each
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test, bfs:size=test]' \
        'policies: [leftover, spatial]' 'rules: [{until: window, cycles: 500}]' \
        'options: {sm.count: 2}' "$@" >s.yaml
}

same() { python3 "$HERE/tables.py" "$@"; }

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

# bats test_tags=long
@test "shards are disjoint and equal, and merged they are the database of the whole sweep" {
    sweep 'seeds: [1, 2]' 'alone: skip'
    corun sweep s.yaml -o one.db
    shards 5
    shows "2 points in 5.db: 2 run now" "shard 5/5 of 12 points"
    for k in 1 2; do [ "$(rows $k.db)" = 3 ]; done
    for k in 3 4 5; do [ "$(rows $k.db)" = 2 ]; done
    corun merge 1.db 2.db 3.db 4.db 5.db -o all.db
    ended 0
    shows "12 of 12 points" "12 added"
    same one.db all.db
    corun sweep s.yaml -o some.db --shard 2-4/5
    shows "7 points in some.db"
    corun merge 1.db some.db 5.db -o several.db
    shows "12 of 12 points" "12 added"
}

# bats test_tags=long
@test "merging again, and in steps, is no harm; what is missing makes exit status 1" {
    sweep 'alone: skip'
    shards 3
    corun merge 3.db 1.db -o all.db
    ended 1
    shows "4 of 6 points" "4 added"
    corun merge 1.db 2.db 2.db -o all.db
    ended 0
    shows "6 of 6 points" "2 added"
    corun sweep s.yaml -o all.db
    ended 0
    shows "0 run now, 6 already in the database"
    corun sweep s.yaml -o one.db
    same one.db all.db
}

@test "more shards than points: some are empty" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: leftover' >s.yaml
    shards 2
    shows "0 points in 2.db"
    corun merge 2.db 1.db -o all.db
    ended 0
    shows "1 of 1 points"
}

# bats test_tags=long
@test "runs of another sweep, or of another corun, are refused by name, and nothing is written" {
    sweep 'alone: skip'
    shards 2
    sweep 'alone: skip' 'seeds: [7]'
    corun sweep s.yaml -o other.db
    corun merge 1.db 2.db other.db -o all.db
    refused "other.db holds runs of another sweep than 1.db"
    [ ! -e all.db ]
    corun merge 1.db -o all.db
    cp all.db before.db
    corun merge 2.db other.db -o all.db
    refused "other.db holds runs of another sweep than all.db"
    same before.db all.db
    cp "$CORUN" other # another corun: longer by a byte
    echo >>other
    sweep 'alone: skip'
    ./other sweep s.yaml -o 2.db --shard 2/2 --quiet
    corun merge 1.db 2.db -o all.db
    refused "2.db holds runs of another corun than all.db"
    same before.db all.db
}

# bats test_tags=long
@test "a run that was made comes in place of one that failed" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: [leftover, ./p.c]' 'alone: skip' \
        'options: {sm.count: 2}' >s.yaml
    keep_compiled
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
    shows "2 of 2 points in all.db, 0 added by this command; 1 replaced failed points"
    corun merge failed.db made.db -o both.db
    ended 0
    shows "2 of 2 points in both.db, 2 added by this command; 1 replaced failed points"
    same made.db all.db
}

@test "isolated runs alone fill the cache, in parts" {
    sweep
    export CORUN_CACHE=$PWD/cache
    corun sweep s.yaml --isolated-only --shard 1/2
    ended 0
    shows "2 isolated runs: 2 run now"
    corun sweep s.yaml --isolated-only --shard 2/2
    shows "1 isolated run: 1 run now"
    corun sweep s.yaml --isolated-only
    ended 0
    shows "3 isolated runs: 0 run now, 3 from the cache"
    corun sweep s.yaml -o r.db
    ended 0
    [[ $output != *isolated* ]]
    CORUN_CACHE=/dev/null/none corun sweep s.yaml --isolated-only
    refused "cannot keep the isolated runs" CORUN_CACHE
}

# bats test_tags=long
@test "shards and merges that are asked for wrongly" {
    sweep
    for word in 0/2 3/2 2 /2 1/ 1/0 a/b 1/2/3 2-1/3 1-4/3 -2/3 1-/3 1/2-3; do
        corun sweep s.yaml -o r.db --shard "$word"
        refused "$word" "K/N"
    done
    corun sweep s.yaml -o r.db --isolated-only
    refused "--isolated-only excludes -o"
    [ ! -e r.db ]
    corun sweep s.yaml -o r.db
    corun merge r.db
    refused "needs -o"
    corun merge -o all.db
    refused "expected databases"
    corun merge r.db -o r.db
    refused "overwrite"
    corun merge r.db s.yaml -o all.db
    refused "s.yaml" "not a database"
    corun merge r.db nowhere.db -o all.db
    refused "nowhere.db"
    [ ! -e all.db ]
}

# bats test_tags=long,every
@test "a merge that is killed at any time leaves what the same merge goes on with" {
    sweep 'alone: skip'
    sed -i 's/, bfs:size=test//' s.yaml # two points: less to write
    shards 2
    corun merge 1.db 2.db -o whole.db
    cat >die.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
/* The n-th write to a file at a place is the end. */
static void count(void)
{
    static int n;
    if (++n == atoi(getenv("DIES"))) _exit(9);
}
ssize_t pwrite64(int fd, const void *from, size_t size, off_t at)
{
    count();
    return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64"))(
        fd, from, size, at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
    return pwrite64(fd, from, size, at);
}
END
    cc -shared -fPIC -o die.so die.c -ldl
    status=9
    for ((n = 1; status == 9; n++)); do
        rm -f all.db all.db-journal
        DIES=$n LD_PRELOAD=$PWD/die.so corun merge 1.db 2.db -o all.db
        [ $status = 9 ] || break
        corun merge 1.db 2.db -o all.db
        ended 0
        shows "2 of 2 points in all.db"
        same whole.db all.db
        status=9
    done
    ended 0
    [ "$n" -gt 6 ]
    # And a shard killed as early adds nothing.
    for n in 1 2 3; do
        rm -f early.db*
        DIES=$n LD_PRELOAD=$PWD/die.so corun sweep s.yaml -o early.db
        [ "$status" = 9 ]
        rm -f all.db
        corun merge early.db 1.db 2.db -o all.db
        ended 0
        shows "2 of 2 points in all.db, 2 added by this command; 1 empty database"
    done
    : >empty.db
    corun merge early.db empty.db -o none.db
    refused "nothing to merge"
    [ ! -e none.db ]
}

@test "points of another sweep are none of this one" {
    sweep 'alone: skip'
    corun sweep s.yaml -o old.db
    ended 0
    sed -i 's/500/499/' s.yaml
    cp old.db 1.db
    corun sweep s.yaml -o 1.db --shard 1/3
    ended 0
    [ "$(rows 1.db)" = 8 ]
    corun merge 1.db -o all.db
    ended 1
    shows "2 of 6 points in all.db, 2 added by this command; left out: 6 of another sweep"
    corun sweep s.yaml -o all.db --verify
    ended 0
    shows "2 runs, all sound; 2 of 6 points done"
    cp old.db more.db # a database with more points stays unchanged
    corun sweep s.yaml -o more.db --shard 2/3
    corun merge 1.db -o more.db
    ended 1
    shows "4 of 6 points in more.db, 2 added by this command"
    [ "$(rows more.db)" = 10 ]
}

@test "the same points in a sweep that has grown count once they are its own" {
    sweep 'alone: skip'
    corun sweep s.yaml -o one.db
    sed -i 's/spatial/spatial, sequential/' s.yaml
    corun sweep s.yaml -o one.db --shard 1/2
    corun sweep s.yaml -o two.db --shard 2/2
    corun merge two.db one.db -o all.db
    ended 0
    shows "9 of 9 points in all.db, 9 added by this command"
    corun merge one.db two.db -o again.db
    same all.db again.db
    corun sweep s.yaml -o one.db
    ended 0
    same all.db one.db
}

# bats test_tags=long,every
@test "what a database says of its sweep is checked wherever it is opened" {
    sweep 'alone: skip'
    corun sweep s.yaml -o sound.db --shard 1/2
    for change in "set value = 2 where key = 'points'" "set value = 'abc' where key = 'points'" \
        "set value = 'x' where key = 'title'" "set value = '0' where key = 'sweep'" \
        "set value = '0' where key = 'program'" "set value = '0' where key = 'checksum'" gone; do
        cp sound.db 1.db
        [ "$change" = gone ] && change="delete from meta where key = 'points'" ||
            change="update meta $change"
        python3 -c 'import sqlite3, sys
with sqlite3.connect("1.db") as d: d.execute(sys.argv[1])' "$change"
        for command in "sweep s.yaml -o 1.db --shard 1/2" "merge 1.db -o all.db" \
            "merge sound.db -o 1.db" "report 1.db -o p.html" "export 1.db --csv -" \
            "sweep s.yaml -o 1.db --dry-run"; do
            corun $command
            refused "1.db: damaged: the checksum of table meta is wrong" --repair
        done
        corun sweep s.yaml -o 1.db --verify
        ended 1
        says "table meta"
        corun sweep s.yaml -o 1.db --shard 1/2 --repair
        ended 0
        shows "0 run now, 3 already in the database"
        same sound.db 1.db
    done
    [ ! -e all.db ]
}

# bats test_tags=long
@test "a merge without room leaves no file, and what was there as it was" {
    sweep 'alone: skip'
    shards 2
    corun merge 1.db -o all.db
    cp all.db before.db
    for kib in 0 1 4 8 16 24; do
        run bash -c "trap '' XFSZ; ulimit -f $kib; '$CORUN' merge 1.db 2.db -o new.db 2>messages"
        [ "$status" = 2 ]
        [ -z "$(ls | grep new)" ]
        run bash -c "trap '' XFSZ; ulimit -f $kib; '$CORUN' merge 2.db -o all.db 2>messages"
        [ "$status" = 2 ]
        same before.db all.db
    done
}
