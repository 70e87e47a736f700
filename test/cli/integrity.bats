#!/usr/bin/env bats
# A damaged database: found, reported, made again; and a database that cannot be locked.
load common

setup_file() {
    : "${CORUN:=$BATS_TEST_DIRNAME/../../build/corun}"
    export CORUN_CACHE=$BATS_RUN_TMPDIR/cache
    cd "$BATS_FILE_TMPDIR"
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test, bfs:size=test]' \
        'policies: [leftover, spatial]' 'rules: [{until: window, cycles: 500}]' \
        'seeds: [1, 2, 3]' 'options: {sm.count: 2}' 'alone: skip' >s.yaml
    "$CORUN" sweep s.yaml -o sound.db --quiet
}

start() { cp "$BATS_FILE_TMPDIR/s.yaml" . && cp "$BATS_FILE_TMPDIR/sound.db" r.db; }

asks() { # SQL
    python3 -c 'import sqlite3, sys
with sqlite3.connect("r.db") as d: print(*d.execute(sys.argv[1]).fetchall())' "$1"
}

zeroed() { # PAGE
    python3 -c 'import sys
with open("r.db", "r+b") as f: f.seek(4096 * int(sys.argv[1])), f.write(bytes(4096))' "$1"
}

same() { python3 "$HERE/tables.py" "$BATS_FILE_TMPDIR/sound.db" "${1:-r.db}"; }

@test "a sound database is called that, and stays as it is" {
    start
    chmod 444 r.db
    corun sweep s.yaml -o r.db --verify
    ended 0
    shows "r.db: 18 runs, all sound; 18 of 18 points done"
    [ -z "$stderr" ]
    cmp r.db "$BATS_FILE_TMPDIR/sound.db"
    corun sweep nowhere.yaml -o r.db --verify
    refused nowhere.yaml
    corun sweep s.yaml -o nowhere.db --verify
    refused nowhere.db
    [ ! -e nowhere.db ]
}

@test "what is only not there yet is no damage" {
    start
    sed -i '/^alone/d' s.yaml
    corun sweep s.yaml -o r.db --verify
    ended 0
    shows "18 runs, all sound; 0 of 18 points done"
}

# bats test_tags=long
@test "a changed number is named, left out of the report, not merged, and made again" {
    start
    asks "update stat set value = value + 1 where key = 'l2.misses' and app is null and
        run = (select id from run where position = 5)"
    corun sweep s.yaml -o r.db --verify
    ended 1
    shows "damaged: vecadd:size=test + mm:size=test under spatial on maxwell16 with sm.count=2," \
        ", seed 3" "18 runs, 1 damaged; 17 of 18 points done" --repair
    corun report r.db -o p.html
    ended 0
    says "warning: damaged runs in r.db" "under spatial on maxwell16 with sm.count=2, seed 3"
    grep -q '1 point is left out' p.html
    corun merge r.db -o all.db
    refused "r.db is damaged" "under spatial on maxwell16 with sm.count=2, seed 3" --repair
    [ ! -e all.db ]
    cp r.db plain.db
    corun sweep s.yaml -o plain.db
    ended 0
    says "damaged in the database, run again"
    shows "1 run now, 17 already in the database; 1 damaged and run again"
    same plain.db
    corun sweep s.yaml -o r.db --repair
    ended 0
    says "damaged: vecadd:size=test + mm:size=test under spatial"
    shows "1 run now, 17 already in the database"
    same
    [ ! -e r.db.damaged ]
}

@test "a point without its statistics is not done" {
    start
    asks "delete from stat where run = (select id from run where position = 2)"
    corun sweep s.yaml -o r.db
    ended 0
    shows "1 run now, 17 already in the database"
    same
}

# bats test_tags=long
@test "numbers that belong to no run" {
    start
    asks "delete from run where position = 2"
    corun sweep s.yaml -o r.db --verify
    ended 1
    shows "rows without a run" "17 of 18"
    for command in "sweep s.yaml -o r.db" "sweep s.yaml -o r.db --dry-run" "export r.db --csv -" \
        "merge r.db -o all.db"; do
        corun $command
        refused "r.db is damaged: rows without a run" --repair
    done
    [ ! -e all.db ]
    corun sweep s.yaml -o r.db --repair
    ended 0
    same
}

# bats test_tags=long
@test "a value of any column that belongs to a run, also where there was none" {
    start
    # a copy for each column of each table, with another value in the column
    python3 - "$BATS_FILE_TMPDIR/sound.db" >columns.txt <<'END'
import contextlib, shutil, sqlite3, sys
def change(name, table, column):
    with contextlib.closing(sqlite3.connect(name, isolation_level=None)) as d:
        run = d.execute('select id from run where position = 5').fetchone()[0]
        row = "%s = %d" % ('id' if table == 'run' else 'run', run)
        old = d.execute('select %s from %s where %s' % (column, table, row)).fetchone()[0]
        new = 'x' if old is None else old + 99 if isinstance(old, (int, float)) else old + 'x'
        d.execute('update %s set %s = ? where %s and %s is ?' % (table, column, row, column),
                  (new, old))
with contextlib.closing(sqlite3.connect(sys.argv[1])) as d:
    columns = [(table, column[1]) for table in ('run', 'app', 'stat')
               for column in d.execute('pragma table_info(%s)' % table)]
for table, column in columns:
    name = '%s.%s.db' % (table, column)
    shutil.copy(sys.argv[1], name)
    change(name, table, column)
    print(table, column)
END
    [ "$(wc -l <columns.txt)" -ge 28 ]
    grep -q '^run reason$' columns.txt
    while read -r table column <&4; do
        corun sweep s.yaml -o "$table.$column.db" --verify 4<&-
        ended 1
        [[ $output == *"18 runs, 1 damaged"* || $output == *"rows without a run"* ]] ||
            { echo "$table.$column: $output"; false; }
    done 4<columns.txt
}

# bats test_tags=long,every
@test "rows of each table that belong to no run" {
    for row in "app values(77, 0, 'mm', 'mm')" "stat values(77, null, 'cycles', 1)" \
        "host values(77, 1, 1, 1, 1, 1)"; do
        start
        asks "insert into $row"
        corun sweep s.yaml -o r.db --verify
        ended 1
        shows "rows without a run" "18 of 18 points done"
        corun export r.db --csv -
        refused "r.db is damaged: rows without a run" --repair
        corun sweep s.yaml -o r.db --repair
        ended 0
        shows "0 run now, 18 already in the database"
        same
        corun sweep s.yaml -o r.db --verify
        ended 0
    done
}

# bats test_tags=long,every
@test "a file of few bytes is no empty database" {
    start
    for bytes in x '\n' '\0' xx '\0\0' 'SQLite' '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'; do
        # shellcheck disable=SC2059
        printf "$bytes" >f.db
        cp f.db before
        for command in "sweep s.yaml -o f.db" "sweep s.yaml -o f.db --repair" \
            "sweep s.yaml -o f.db --verify" "sweep s.yaml -o f.db --dry-run" \
            "sweep s.yaml -o n.db --known f.db" "report f.db -o p.html" "export f.db --csv -" \
            "merge f.db r.db -o all.db" "merge r.db -o f.db" "diff f.db#0 r.db#0"; do
            # shellcheck disable=SC2086
            corun $command
            refused "f.db: not a database"
        done
        cmp f.db before
        [ ! -e n.db ] && [ ! -e all.db ] && [ ! -e p.html ]
    done
}

@test "a damaged run of a point that the sweep file does not name any more" {
    start
    asks "update run set apps = 'a' where seed = 3 and position = 5"
    sed -i 's/3\]/2]/' s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    corun sweep s.yaml -o r.db --verify
    ended 1
    shows "18 runs, 1 damaged; 12 of 12 points done"
    corun sweep s.yaml -o r.db --repair
    ended 0
    corun sweep s.yaml -o r.db --verify
    ended 0
    [ "$(asks 'select count(*) from run')" = "(17,)" ]
}

# bats test_tags=long
@test "a damaged file is not used; what is sound in it is kept, and so is the file" {
    start
    zeroed 12
    cp r.db before.db
    for command in "sweep s.yaml -o r.db" "report r.db -o p.html" "merge r.db -o all.db"; do
        corun $command
        refused "r.db: damaged" --repair
    done
    [ ! -e all.db ]
    corun sweep s.yaml -o r.db --verify
    ended 1
    shows "intact readable runs: 1"
    says "r.db: damaged"
    cmp r.db before.db
    corun sweep s.yaml -o r.db --repair
    ended 0
    says "r.db was damaged:" "r.db.damaged"
    [[ $stderr =~ damaged:\ 1[0-9]\ intact ]]
    cmp r.db.damaged before.db
    same
    zeroed 1
    corun sweep s.yaml -o r.db --repair
    ended 0
    says r.db.damaged2
    same
}

# bats test_tags=long
@test "what does not begin as a database is not repaired" {
    start
    echo 'a text of mine' >notes.txt
    zeroed 0
    : >empty.db
    cp s.yaml before.yaml
    for file in notes.txt r.db; do
        cp $file before
        for way in '' --repair --verify; do
            corun sweep s.yaml -o $file $way
            refused "$file: not a database" "expected a database"
            [[ $stderr != *"--repair keeps"* ]]
        done
        cmp $file before
    done
    ln s.yaml link
    for file in s.yaml ./s.yaml link; do
        corun sweep s.yaml -o $file --repair
        refused "-o would overwrite s.yaml"
    done
    cmp s.yaml before.yaml
    corun sweep s.yaml -o empty.db --repair
    ended 0
    same empty.db
    [ -z "$(ls | grep damaged)" ]
}

@test "a repair follows a symbolic link" {
    start
    mkdir there
    mv r.db there/r.db
    ln -s there/r.db link.db
    ln -s there/r.db r.db
    zeroed 12
    cp r.db before.db
    corun sweep s.yaml -o link.db --repair
    ended 0
    says "there/r.db was damaged:" "there/r.db.damaged"
    [ -L link.db ]
    [ ! -L there/r.db ]
    [ ! -e link.db.damaged ]
    cmp there/r.db.damaged before.db
    same there/r.db
}

# bats test_tags=long
@test "a shard's repair makes again what it takes out, of another shard too" {
    start
    asks "update stat set value = value + 1 where key = 'l2.misses' and app is null"
    corun sweep s.yaml -o r.db --shard 1/3 --repair
    ended 0
    shows "18 points in r.db: 18 run now" "shard 1/3 of 18 points"
    same
}

@test "a schema of which one letter differs" {
    start
    python3 - <<'END'
import sqlite3
d = sqlite3.connect('r.db')
d.execute('pragma writable_schema = on')
d.execute("update sqlite_master set sql = replace(sql, 'cycles integer', 'cycles bnteger')")
d.commit()
END
    corun sweep s.yaml -o r.db
    refused "the schema differs from corun's" --repair
    corun sweep s.yaml -o r.db --repair
    ended 0
    shows "0 run now, 18 already in the database"
    same
}

@test "a database of something else is not repaired" {
    start
    python3 -c 'import sqlite3
with sqlite3.connect("other.db") as d: d.execute("create table t(x)")'
    cp other.db before.db
    corun sweep s.yaml -o other.db --repair
    refused "not a database of corun"
    cmp other.db before.db
    corun sweep s.yaml -o r.db --repair --verify
    refused "exclude each other"
}

# bats test_tags=long
@test "no descriptor of a database is one that others print to" {
    start
    sed -i 's/^seeds.*/seeds: 1/' s.yaml
    corun sweep s.yaml -o one.db
    for closed in '2>&-' '<&- 2>&-'; do
        rm -f n.db
        bash -c "'$CORUN' sweep s.yaml -o n.db --progress json $closed"
        python3 "$HERE/tables.py" one.db n.db
        corun sweep s.yaml -o n.db --verify
        ended 0
    done
}

@test "a file system without locks is named as such" {
    start
    cat >nolock.c <<'END'
#include <errno.h>
int flock(int fd, int how) { (void)fd, (void)how; errno = ENOLCK; return -1; }
END
    cc -shared -fPIC -o nolock.so nolock.c
    LD_PRELOAD=$PWD/nolock.so corun sweep s.yaml -o r.db
    refused "the file system of r.db has no locks" "local disk"
    [[ $stderr != *"another sweep"* ]]
    same
}
