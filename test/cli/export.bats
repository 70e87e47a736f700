#!/usr/bin/env bats
# Results taken elsewhere: the schema of the JSON, and databases as CSV.
load common

@test "the schema of every result" {
    corun list result --schema
    ended 0
    [ "$output" = "$(cat "$HERE/../../docs/reference/result.schema.json")" ]
    holds "d['\$schema'].endswith('2020-12/schema') and 'result' in d['\$defs']"
    corun list result
    ended 0
    shows leading_resource "null, never 0" "A table of the database"
    corun list stats --schema
    refused "--schema is only for corun list result"
}

database() { # r.db: two points of two apps, and a failing point
    printf '%s\n' 'apps: [[vecadd:size=test, mm:size=test]]' \
        'policies: [leftover, "spatial[split=12/4]", "spatial[split=8/4/4]"]' \
        'rules: [{until: window, cycles: 2000}]' >s.yaml
    corun sweep s.yaml -o r.db
    ended 1
}

@test "a database as CSV: a row per point and owner, a column per number" {
    database
    corun export r.db --csv -
    ended 0
    python3 - "$output" <<'END'
import csv, io, sqlite3, sys
rows = list(csv.DictReader(io.StringIO(sys.argv[1])))
db = sqlite3.connect('r.db')
stat = {}
for run, app, key, value in db.execute('select run, app, key, value from stat'):
    stat.setdefault((run, app), {})[key] = value
assert [(r['position'], r['owner'], r['app']) for r in rows] == [
    (p, o, a) for p in '01' for o, a in (('gpu', ''), ('vecadd', '0'), ('mm', '1'))
    ] + [('2', 'gpu', '')], rows
keys = {k for numbers in stat.values() for k in numbers}
columns = list(rows[0])
assert sorted(columns[-len(keys):]) == columns[-len(keys):] and set(columns[-len(keys):]) == keys
for r in rows:
    run, policy, status = db.execute('select id, policy, status from run where key = ?',
                                     (r['key'],)).fetchone()
    assert (r['policy'], r['status'], r['seed']) == (policy, status, '1')
    assert r['spec'] == (r['app'] and r['owner'] + ':size=test')
    numbers = stat.get((run, int(r['app']) if r['app'] else None), {})
    assert not numbers == (status == 'failed')
    for key in keys:
        value = numbers.get(key)
        assert float(r[key]) == value if r[key] else value is None, (key, r[key], value)
assert rows[3]['policy'] == 'spatial[split=12/4]' and 'split' in rows[6]['reason'], rows[6]
END
    mv r.db other.db
    "$CORUN" export other.db --csv again.csv
    [ "$(cat again.csv)" = "$output" ]
}

@test "what cannot be exported" {
    corun export
    refused "expected one database" "needs --csv"
    corun export scale.yaml --csv -
    refused "not a database" corun-sweep/3
    corun export none.db --csv -
    refused none.db
    python3 -c 'import sqlite3; sqlite3.connect("x.db").execute("create table x(y)")'
    corun export x.db --csv -
    refused "not a database of corun"
    corun export x.db --csv x.db
    refused "--csv would overwrite x.db"
    for beside in journal wal shm; do # SQLite would apply what is written there
        corun export x.db --csv "x.db-$beside"
        refused "--csv would take the name of a file of the database x.db"
    done
    corun export x.db --csv nowhere/x.csv
    refused nowhere
}

@test "a key that is NULL, as damage can make it, is no crash" {
    database
    python3 - <<'END'
import sqlite3
db = sqlite3.connect('r.db')
db.executescript('''pragma writable_schema = 1;
update sqlite_master set sql = replace(sql, 'key text not null', 'key text')
where name = 'stat';''')
db.close()
db = sqlite3.connect('r.db')
db.execute('update stat set key = null where rowid in (3, 4)')
db.commit()
END
    corun export r.db --csv -
    [ "$status" = 0 ] || refused r.db
    corun diff r.db#0 r.db#1
    [ "$status" = 0 ] || refused r.db
}

@test "without isolated runs a column is called alone once" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: leftover' 'alone: skip' \
        'rules: {until: window, cycles: 500}' >s.yaml
    "$CORUN" sweep s.yaml -o r.db --quiet
    header=$("$CORUN" export r.db --csv - | head -1)
    [ "$(tr , '\n' <<<"$header" | sort | uniq -d)" = "" ]
}

@test "a number that has changed is not passed on" {
    database
    python3 - <<'END'
import sqlite3
with sqlite3.connect('r.db') as db:
    db.execute('update stat set value = value + 1 where rowid = (select s.rowid from stat s'
               ' join run r on r.id = s.run where r.position = 1 limit 1)')
END
    corun export r.db --csv -
    refused "r.db" "--repair"
    corun diff r.db#0 r.db#1
    refused "r.db is damaged: the checksum of point" "--repair runs the point again"
    corun diff r.db#0 r.db#0
    ended 0
}
