#!/usr/bin/env bats
# Many runs into a database: the points of a sweep, repeated runs, messages for wrong input.
load common

sweep() { # writes a sweep of two points on few SMs, plus the arguments, a line each
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test]' 'policies: [leftover, spatial]' \
        "rules: [{until: window, cycles: 2000}]" "$@" >s.yaml
    grep -qE '^(options|gpus)' s.yaml || echo 'options: {sm.count: 2}' >>s.yaml
}

asks() { # SQL: the rows, columns separated by |
    python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print("|".join(map(str, row)))' \
        "${2:-r.db}" "$1"
}

# bats test_tags=long
@test "a point per pair, policy, machine, choice of options, rule and seed" {
    cat >s.yaml <<'END'
sweep: many dimensions
apps: [vecadd:size=test, [mm:size=test, bfs:size=test]]
pairs: [vecadd:size=test, mm:size=test, bfs:size=test]
triples: [vecadd:size=test, mm:size=test, bfs:size=test]
policies: [leftover, "spatial[split=even]"]
gpus: [maxwell16, fermi30]
options:
  - {l1.mshrs: 64, sm.count: 3, sm.scheduler: [gto, lrr]}
  - {l1.missq: 3, sm.count: 3}
rules:
  - {until: window, cycles: 100}
  - {until: all-complete, instructions: 100}
seeds: [1, 2]
alone: skip
END
    local part=4 made=60
    [ "${CORUN_TEST:-}" != every ] || part=1 made=240
    corun sweep s.yaml -o r.db --progress json --shard 1/$part
    ended 0
    # (1 + 1 + 3 + 1 - 1 written twice) x 2 x 2 x 3 x 2 x 2
    shows "1/$part of 240 points" "$made run now" "; 48 written more than once"
    says "\"points\": $made" '"left_seconds": '
    [ "$(asks "select count(*) from run where status = 'completed'")" = $made ]
    [ "$(asks 'select distinct options from run order by 1' | tr '\n' ,)" = \
        "l1.missq=3 sm.count=3,$(printf 'l1.mshrs=64 sm.count=3 sm.scheduler=%s,' gto lrr)" ]
    [ "$(asks "select value from meta where key = 'title'")" = "many dimensions" ]
}

@test "what is in the database is not run again; what was changed is" {
    sweep
    corun sweep s.yaml -o r.db
    ended 0
    shows "2 points" "2 run now" "2 isolated"
    corun sweep s.yaml -o r.db
    ended 0
    shows "0 run now" "2 already in the database"
    sweep 'seeds: [1, 5]'
    corun sweep s.yaml -o r.db
    ended 0
    shows "4 points" "2 run now"
    [ "$(asks 'select count(*), max(position) from run')" = "4|3" ]
}

@test "a point that is written otherwise, and elsewhere, is the same one" {
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test]' 'rules: {until: window, cycles: 2000}' \
        'policies: [leftover, spatial]' 'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o r.db
    cat >s.yaml <<'END'
policies: ["spatial[split=even]", leftover]
rules: [{cycles: 2000, until: window}]
gpus: [maxwell16]
options: [sm.count: 2]
apps:
  - vecadd:size=test
  - - vecadd:size=test
    - mm:size=test
END
    corun sweep s.yaml -o r.db
    ended 0
    shows "4 points" "2 run now" "2 already in the database"
    asks 'select apps, policy from run order by position' >rows
    diff rows - <<'END'
vecadd:size=test|spatial[split=even]
vecadd:size=test|leftover
vecadd:size=test + mm:size=test|spatial[split=even]
vecadd:size=test + mm:size=test|leftover
END
}

@test "another seed or length is another point, what another corun has made is made again" {
    printf '%s\n' 'apps: ./scale.yaml' 'policies: leftover' 'seeds: [1, 2]' 'alone: skip' \
        'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o r.db
    shows "2 points" "2 run now"
    python3 -c 'import sqlite3
with sqlite3.connect("r.db") as d: d.execute("update run set program = ? where seed = 2", "9")'
    corun sweep s.yaml -o r.db
    shows "1 run now" "1 already in the database"
    [ "$(asks 'select count(*), count(distinct program) from run')" = "2|1" ]
    cp "$CORUN" other
    printf x >>other # another program
    for n in 2 0; do
        run ./other sweep s.yaml -o r.db
        shows "$n run now" "$((2 - n)) already in the database"
    done
    corun sweep s.yaml -o r.db
    shows "2 run now"
    echo 'rules: [{until: window, cycles: 50}, {until: window, cycles: 60}]' >>s.yaml
    corun sweep s.yaml -o r.db
    shows "4 points" "4 run now"
}

@test "a run that did not complete makes exit status 1, also when it was there" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: [leftover]' \
        'rules: {until: end, cycles: 100}' 'options: {sm.count: 2}' >s.yaml
    for made in 1 0; do
        corun sweep s.yaml -o r.db
        ended 1
        shows "$made run now" "1 ended abnormally"
    done
}

@test "its numbers are those of corun run" {
    sweep
    corun sweep s.yaml -o r.db
    corun run vecadd:size=test mm:size=test --policy spatial --until window --cycles 2000 --json - \
        --set sm.count=2
    ended 0
    asks "select key, value from stat where run = (select id from run where policy = 'spatial')
        and app = 1" >numbers
    asks "select key, value from stat where run = (select id from run where policy = 'spatial')
        and app is null" >whole
    python3 - "$output" <<'END'
import json, sys
d = json.loads(sys.argv[1])
def read(path):
    return dict(line.rstrip('\n').split('|') for line in open(path))
mm, gpu = read('numbers'), read('whole')
want = {**d['apps'][1], **d['apps'][1]['stats']}
for key in ('inst.warp', 'l1.miss_rate', 'stall.memory', 'normalized_ipc', 'cycles', 'dram.bytes'):
    assert float(mm[key]) == want[key], (key, mm[key], want[key])
assert set(d['apps'][1]['stats']) <= set(mm)
assert float(gpu['weighted_speedup']) == d['metrics']['weighted_speedup']
assert float(gpu['l2.misses']) == d['stats']['l2.misses']
END
}

# bats test_tags=long
@test "a point that crashes or is killed takes no other along, and says why" {
    for how in 'signal(SIGSEGV, SIG_DFL), raise(SIGSEGV)' 'raise(SIGKILL)' 'exit(7)'; do
        name=$(printf '%s' "${how##*, }" | tr -dc 'a-zA-Z0-9' | tr A-Z a-z)
        cat >"$name.c" <<END
#include <signal.h>
#include <stdlib.h>
#include "corun/policy.h"
static void admit(void *state, const struct corun_view *view, bool *admitted)
{
    (void)state, (void)view, (void)admitted;
    $how;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "bad",
    .sentence = "Ends the process.", .source = "a test", .admit = admit};
END
        cc -shared -fPIC -I"$HERE/../../include" -o "$name.so" "$name.c"
    done
    sweep
    sed -i '/^pol/s|: .*|: [leftover, ./raisesigsegv.so, ./raisesigkill.so, ./exit7.so, spatial]|' \
        s.yaml
    corun sweep s.yaml -o r.db
    ended 1
    shows "5 points" "5 run now" "3 failed"
    says "signal 11" "signal 9" "exit status 7" "vecadd:size=test + mm:size=test under"
    asks 'select status, count(*) from run group by 1' | tr '\n' , |
        grep -x 'completed|2,policy-failed|3,'
    asks "select reason from run where policy like '%segv%'" | grep -q 'signal 11'
    corun sweep s.yaml -o r.db
    ended 1
    shows "0 run now" "3 failed"
    corun sweep s.yaml -o r.db --retry
    ended 1
    shows "3 run now" "3 failed"
}

# bats test_tags=long
@test "a run without an end is ended and has failed" {
    sed -i 's/^\tret;/\tbra $done;/' scale.ptx
    printf '%s\n' 'apps: [[./scale.yaml, vecadd:size=test], vecadd:size=test]' \
        'policies: [leftover]' 'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o r.db --run-seconds 2
    ended 1
    shows "2 points" "1 failed"
    asks 'select reason from run where reason is not null' | grep -x 'took longer than 2 seconds'
}

@test "a point that its machine refuses is a failed one" {
    sweep
    sed -i 's|^policies.*|policies: [leftover, "spatial[split=8/4/4]"]|' s.yaml
    corun sweep s.yaml -o r.db
    ended 1
    shows "1 failed"
    asks 'select reason from run where reason is not null' | grep -q split
}

@test "operands that are missing" {
    sweep
    corun sweep s.yaml
    refused "needs -o"
    corun sweep -o r.db
    refused "one sweep file"
    corun sweep s.yaml s.yaml -o r.db
    refused "one sweep file"
    corun sweep nowhere.yaml -o r.db
    refused "cannot read nowhere.yaml"
    [ ! -e r.db ]
}

@test "an unknown key, or one of the wrong kind" {
    sweep 'polices: [spatial]'
    corun sweep s.yaml -o r.db
    refused "'policies'"
    placed s.yaml 4 polices
    sweep 'sweep: [4]'
    corun sweep s.yaml -o r.db
    refused
    placed s.yaml 4 '[4'
    printf '%s\n' '- leftover' >s.yaml
    corun sweep s.yaml -o r.db
    refused "expected a sweep"
    printf '%s\n' 'policies: [leftover]' >s.yaml
    corun sweep s.yaml -o r.db
    refused "no apps" "pairs:"
    [ ! -e r.db ]
}

@test "empty and too short lists" {
    for line in 'seeds: []' 'gpus: []' 'apps: []' 'triples: []' 'options: []' 'apps: [[]]' \
        'options: {l1.ways: []}'; do
        sweep "$line"
        corun sweep s.yaml -o r.db
        refused empty
        placed s.yaml 4 '[]'
    done
    sweep 'triples: [vecadd, mm]'
    corun sweep s.yaml -o r.db
    refused "expected at least 3"
    placed s.yaml 4 '[vecadd'
    printf '%s\n' 'pairs: [mm, bfs]' 'policies: []' >s.yaml
    corun sweep s.yaml -o r.db
    refused empty
    placed s.yaml 2 '[]'
    [ ! -e r.db ]
}

@test "wrong names and values are shown where they stand" {
    sweep 'apps: [vecadd, [bfs, vecad:size=test]]'
    corun sweep s.yaml -o r.db
    refused "'vecadd'"
    placed s.yaml 4 vecad:
    sweep 'apps: ["bfs:nodse=4"]'
    corun sweep s.yaml -o r.db
    refused "'nodes'"
    placed s.yaml 4 nodse
    sweep 'gpus: [fermi30, maxwel16]'
    corun sweep s.yaml -o r.db
    refused "'maxwell16'"
    placed s.yaml 4 maxwel16
    sweep 'options: {l1.sets: 64, l1.wais: 8}'
    corun sweep s.yaml -o r.db
    refused "'l1.ways'"
    placed s.yaml 4 l1.wais
    sweep 'options: {l1.ways: [4, none]}'
    corun sweep s.yaml -o r.db
    refused
    placed s.yaml 4 none
    sweep 'alone: cashed'
    corun sweep s.yaml -o r.db
    refused "'cached'"
    placed s.yaml 4 cashed
    sed 's/spatial/spatiall/' <s.yaml | grep -v alone >t.yaml
    corun sweep t.yaml -o r.db
    refused "'spatial'"
    placed t.yaml 2 spatiall
    printf '%s\n' 'pairs: [mm, bfs]' 'policies: ["spatial[spilt=even]"]' >s.yaml
    corun sweep s.yaml -o r.db
    refused "'split'"
    placed s.yaml 2 spilt
    [ ! -e r.db ]
}

@test "rules that are none" {
    printf '%s\n' 'pairs: [mm, bfs]' 'policies: [leftover]' 'rules: [{until: windw}]' >s.yaml
    corun sweep s.yaml -o r.db
    refused "'window'"
    placed s.yaml 3 windw
    sed -i 's/until: windw/until: window, cycles: -1/' s.yaml
    corun sweep s.yaml -o r.db
    refused "whole number"
    placed s.yaml 3 -1
    sed -i 's/cycles: -1/instructions: 5/' s.yaml
    corun sweep s.yaml -o r.db
    refused all-complete
    placed s.yaml 3 5
    sed -i 's/{until.*}/[window]/' s.yaml
    corun sweep s.yaml -o r.db
    refused "expected a rule"
    placed s.yaml 3 '[window]'
    sed -i 's/: \[\[.*/: windw/' s.yaml
    corun sweep s.yaml -o r.db
    refused "'window'"
    placed s.yaml 3 windw
}

@test "one value is a list of one" {
    cat >s.yaml <<'END'
apps: vecadd:size=test
policies: spatial
gpus: fermi30
options: {sm.count: 2}
rules: {until: window, cycles: 400}
seeds: 3
END
    corun sweep s.yaml -o r.db
    ended 0
    shows "1 point in"
    [ "$(asks 'select apps, policy, gpu, until, cycle_limit, seed from run')" = \
        "vecadd:size=test|spatial|fermi30|window|400|3" ]
    printf '%s\n' 'apps: vecadd:size=test' 'policies: [leftover]' 'rules: [end, all-complete]' \
        'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o t.db
    ended 0
    [ "$(asks 'select until from run order by position' t.db | tr '\n' ,)" = end,all-complete, ]
    printf '%s\n' 'pairs: mm' 'policies: [leftover]' >s.yaml
    corun sweep s.yaml -o u.db
    refused "expected at least 2"
    placed s.yaml 1 mm
    printf '%s\n' 'apps: mm' 'policies:' >s.yaml
    corun sweep s.yaml -o u.db
    refused "s.yaml:2:10: error: expected a policy, found an empty text"
}

@test "braces in a policy" {
    cat >s.yaml <<'END'
pairs: [vecadd:size=test, mm:size=test]
policies: ["smk-p{,+qbmi}{,+smil[limits={1..2,inf}/4]}"]
rules: [{until: window, cycles: 500}]
options: {sm.count: 2}
alone: skip
END
    corun sweep s.yaml -o r.db
    ended 0
    [ "$(asks 'select policy from run order by position' | tr '\n' ,)" = \
        "$(printf %s, smk-p{,+qbmi}{,+smil[limits={{1..2},inf}/4]})" ]
    sed -i 's/qbmi/qbmo/' s.yaml
    corun sweep s.yaml -o r.db
    ended 2
    [ "$(grep -c "unknown policy 'qbmo'" <<<"$stderr")" = 1 ]
    sed -i 's/qbmo}/qbmi/' s.yaml
    corun sweep s.yaml -o r.db
    refused "a brace without the other"
    placed s.yaml 2 '"smk-p'
    sed -i 's/".*"/"smk-p+smil[limits={1..5000}]"/' s.yaml
    corun sweep s.yaml -o r.db
    refused "more than 4096 policies"
}

@test "braces without bound" {
    many() { printf "$1%.0s" $(seq "$2"); }
    n=20000
    for policy in "$(many '{' $n)a$(many '}' $n)" "$(many '{a}' $n)" \
        "$(many '{{}' $n)$(many '}' $n)" "$(many '{a,' $n)a$(many '}' $n)" \
        "smk-p[$(many '{' $n)a$(many '}' $n)]" "$(many '{,}' 70)" "$(many a 30000){1..4096}"; do
        printf '%s\n' 'apps: [mm]' 'policies:' "  - \"$policy\"" >s.yaml
        run --separate-stderr sh -c 'ulimit -t 4; exec "$@"' sh "$CORUN" sweep s.yaml -o r.db
        refused "s.yaml:3:5: error: " braces
    done
}

@test "a policy whose brackets need quotes" {
    printf '%s\n' 'apps: [mm]' 'policies: [leftover, spatial[split=8/8]]' >s.yaml
    corun sweep s.yaml -o r.db
    refused 'a text with brackets needs quotes'
    placed s.yaml 2 '[split'
}

@test "a run of a file that has changed takes the place of the old one" {
    printf '%s\n' 'apps: [./scale.yaml]' 'policies: [leftover]' 'options: {sm.count: 2}' >s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    before=$(asks "select key from run")
    sed -i 's/init: ramp/init: zero/' scale.yaml
    corun sweep s.yaml -o r.db
    shows "1 run now"
    [ "$(asks "select count(*) from run")" = 1 ]
    [ "$(asks "select count(distinct run) from stat")" = 1 ]
    [ "$(asks "select key from run")" != "$before" ]
}

# bats test_tags=long
@test "runs of one command do not mix versions of a file" {
    swaps() { # FILE: a policy that replaces FILE by FILE.new
        cat >swaps.c <<END
#include <stdio.h>
#include "corun/policy.h"
static const char *init(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats)
{
    (void)state, (void)setup, (void)values, (void)stats;
    rename("$1.new", "$1");
    return NULL;
}
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "swaps",
    .sentence = "For a test.", .init = init};
END
    }
    replaced() { # FILE WHAT: the second point finds another FILE
        { cat "$1"; echo; } >"$1.new"
        chmod --reference="$1" "$1.new"
        swaps "$1"
        corun sweep s.yaml -o r.db --threads 1
        ended 1
        shows "2 points" "1 failed"
        says "$2: the file has changed since corun first read it; run the command again"
        corun sweep s.yaml -o r.db --threads 1
        ended 0
        rm r.db
    }
    cp "${CORUN%/*}/test/cuda/vecadd" prog
    echo '#define NAME "later"' >later.h
    swaps x
    sed '1s/^/#include "later.h"\n/; s/"swaps"/NAME/; s/, .init = init//' swaps.c >later.c
    printf '%s\n' 'apps: [[vecadd:size=test]]' 'policies: [./swaps.c, ./later.c]' \
        'options: {sm.count: 2}' 'alone: skip' >s.yaml
    replaced later.h "cannot use policy ./later.c: cannot read later.h, which it includes"
    replaced later.c "cannot use policy ./later.c"
    sed -i 's/, .\/later.c//; s/\]\]/], [.\/scale.yaml]]/' s.yaml
    replaced scale.ptx "cannot read ./scale.ptx"
    replaced scale.yaml "cannot read ./scale.yaml"
    sed -i 's/\.\/scale.yaml/"cuda:.\/prog"/; s/options.*/gpus: [turing]/' s.yaml
    replaced prog "cannot run ./prog"
    { cat scale.ptx; echo; } >scale.ptx.new
    swaps scale.ptx
    corun compare ./scale.yaml --policies ./swaps.c,leftover --alone skip --threads 1 --quiet
    ended 2
    says "cannot read ./scale.ptx: the file has changed"
}

@test "a policy whose header has changed is another policy" {
    mkdir 'a b'
    echo '#define SENTENCE "One."' >'a b/own words.h'
    cat >'a b/own.c' <<'END'
#include "corun/policy.h"
#include "own words.h"
const struct corun_policy corun_policy = {
    .abi = CORUN_POLICY_ABI, .size_bytes = sizeof(struct corun_policy), .name = "own",
    .sentence = SENTENCE};
END
    printf '%s\n' 'apps: vecadd:size=test' 'policies: ./a b/own.c' 'alone: skip' \
        'options: {sm.count: 2}' >s.yaml
    for made in 1 0; do
        corun sweep s.yaml -o r.db
        ended 0
        shows "$made run now"
    done
    echo '#define SENTENCE "Two."' >'a b/own words.h'
    corun sweep s.yaml -o r.db
    shows "1 run now"
    [ "$(asks 'select count(*) from run')" = 1 ]
}

@test "files that a sweep names are beside it" {
    mkdir deep
    mv scale.ptx scale.yaml deep
    cat >deep/s.yaml <<'END'
apps: [[./scale.yaml, vecadd:size=test]]
policies: [leftover]
options: {sm.count: 2}
rules: [{until: window, cycles: 500}]
END
    corun sweep deep/s.yaml -o r.db
    ended 0
    [ "$(asks 'select apps from run')" = "deep/scale.yaml + vecadd:size=test" ]
    sed -i 's/scale.yaml/scales.yaml/' deep/s.yaml
    corun sweep deep/s.yaml -o r.db
    refused "relative to the file"
    placed deep/s.yaml 1 ./scales
}

@test "a database that is none, or of another schema" {
    sweep
    echo 'this is no database, it is a text of some length' >r.db
    corun sweep s.yaml -o r.db
    refused "not a database"
    grep -q 'this is no' r.db
    asks 'create table other(x)' t.db
    corun sweep s.yaml -o t.db
    refused "not a database of corun"
    corun sweep s.yaml -o u.db
    python3 -c 'import sqlite3
with sqlite3.connect("u.db") as d: d.execute("update meta set value = \"corun-sweep/9\"")'
    corun sweep s.yaml -o u.db
    refused corun-sweep/9 corun-sweep/3
}

@test "a database that cannot be written" {
    sweep
    mkdir folder
    corun sweep s.yaml -o folder
    refused "a directory"
    corun sweep s.yaml -o nowhere/r.db
    refused nowhere/r.db "make the folder"
    corun sweep s.yaml -o -
    refused "a database cannot go to standard output"
    [ -c /dev/full ] || skip "no /dev/full"
    corun sweep s.yaml -o /dev/full
    refused "not a regular file"
    [ -c /dev/full ]
}

@test "the name of a database is always that of a file" {
    sweep
    local name
    for name in ':memory:' 'file:x.db?mode=memory' 'file:x.db' "$PWD/a?b#c%41.db"; do
        corun sweep s.yaml -o "$name"
        ended 0
        [ -s "$name" ]
        corun sweep s.yaml -o "$name"
        shows "0 run now, 2 already in the database"
        corun export "$name" --csv e.csv
        ended 0
        corun merge "$name" -o 'file:merged.db?mode=memory'
        ended 0
        corun export 'file:merged.db?mode=memory' --csv f.csv
        cmp e.csv f.csv
        rm 'file:merged.db?mode=memory'
    done
    [ ! -e x.db ]
    python3 - <<'END'
data = bytearray(open(':memory:', 'rb').read())
data[-3000:] = bytes(3000)
open(':memory:', 'wb').write(data)
END
    corun sweep s.yaml -o :memory: --repair
    ended 0
    [ -s ':memory:' ]
}

@test "a full disk ends a sweep with a message, and it goes on when there is room" {
    sweep 'seeds: [1, 2, 3, 4]'
    mkdir disk
    mount -t tmpfs -o size=120k tmpfs disk 2>/dev/null || skip "mounting needs root"
    corun sweep s.yaml -o disk/r.db --threads 1
    full=$status message=$stderr
    mount -o remount,size=8m disk
    corun sweep s.yaml -o disk/r.db
    umount disk
    [ "$full" = 2 ]
    [[ $message == *disk/r.db*full*"free some space"* ]]
    ended 0
    shows "8 points"
}

# bats test_tags=long
@test "one sweep at a time writes to a database" {
    sweep
    corun sweep s.yaml -o r.db
    exec 8<r.db
    flock 8
    corun sweep s.yaml -o r.db
    exec 8<&-
    refused "another sweep"
}

@test "the folder of the database is removed during a sweep" {
    mkdir gone
    cat >sweep.yaml <<'END'
apps: [[vecadd:size=test], [mm:size=test], [bfs:size=test], [spmv:size=test], [stencil:size=test]]
policies: ['gpuduet[me={1..32}]']
END
    "$CORUN" sweep sweep.yaml -o gone/r.db --threads 1 >told 2>&1 &
    until grep -q 'points done' told; do
        kill -0 $!
        sleep 0.02
    done
    rm -r gone
    wait $! || status=$?
    [ "$status" = 2 ]
    grep -q 'the file has been removed, or its folder' told
}
