#!/usr/bin/env bats
# A database summed up as a page.
load common

setup_file() {
    : "${CORUN:=$BATS_TEST_DIRNAME/../../build/corun}"
    export CORUN_CACHE=$BATS_RUN_TMPDIR/cache
    cd "$BATS_FILE_TMPDIR"
    cat >s.yaml <<'END'
sweep: for the page
pairs: [vecadd:size=test, mm:size=test, bfs:size=test]
policies: [leftover, spatial, "spatial[split=6/5/5]"]
rules: [{until: all-complete}]
END
    "$CORUN" sweep s.yaml -o r.db --quiet || [ $? = 1 ]
}

@test "geometric means by policy, points side by side, and why some failed" {
    corun report "$BATS_FILE_TMPDIR/r.db" -o p.html
    ended 0
    [ -z "$output" ]
    python3 - "$BATS_FILE_TMPDIR/r.db" <<'END'
import math, re, sqlite3, sys
page = re.sub('<wbr>', '', open('p.html').read())
db = sqlite3.connect(sys.argv[1])
for policy in ('leftover', 'spatial'):
    for metric in ('weighted_speedup', 'antt', 'fairness'):
        values = [v for v, in db.execute('select value from stat s join run r '
            'on s.run = r.id where policy = ? and s.key = ? and app is null', (policy, metric))]
        assert len(values) == 3
        mean = math.exp(sum(map(math.log, values)) / 3)
        assert re.search(r'<th scope="row">%s</th>[^\n]*>%.3f<' % (policy, mean), page), mean
        for v in values:
            assert '>%.3f<' % v in page
assert 'for the page' in page and 'split names 3 apps, the run has 2' in page
assert '<b>9</b><span>points' in page and '<b>3</b><span>failed' in page
END
}

@test "a database may be read while nobody may write it" {
    cp "$BATS_FILE_TMPDIR/r.db" r.db
    chmod 444 r.db
    corun report r.db -o -
    ended 0
    [[ $output == "<!doctype html>"*"</html>" ]]
}

@test "runs of two versions of corun are not taken for one" {
    corun report "$BATS_FILE_TMPDIR/r.db" -o p.html
    ended 0
    [ -z "$stderr" ]
    [ "$(grep -c 'versions of corun' p.html)" = 0 ]
    cp "$BATS_FILE_TMPDIR/r.db" r.db
    python3 -c 'import sqlite3
with sqlite3.connect("r.db") as d: d.execute("update run set program = 9 where position = 1")'
    corun report r.db -o p.html
    ended 0
    says "2 versions of corun made the runs in r.db"
    grep -q '2 versions of corun made the points' p.html
}

@test "the page does not take the place of the database" {
    cp "$BATS_FILE_TMPDIR/r.db" r.db
    ln -s r.db l.db
    corun report r.db -o ./l.db
    refused "overwrite r.db"
    cmp r.db "$BATS_FILE_TMPDIR/r.db"
}

@test "operands that are missing" {
    corun report
    refused "one database" "needs -o"
    corun report "$BATS_FILE_TMPDIR/r.db"
    refused "needs -o"
    corun report "$BATS_FILE_TMPDIR/r.db" -o nowhere/p.html
    refused nowhere/p.html
    [ -c /dev/full ] || skip "no /dev/full"
    corun report "$BATS_FILE_TMPDIR/r.db" -o /dev/full
    ended 2
    says "No space left"
}

@test "a database that is none, is not there, is empty, or of another schema" {
    corun report nowhere.db -o p.html
    refused "cannot open nowhere.db"
    echo 'a text that is no database at all, and long enough' >t.db
    corun report t.db -o p.html
    refused "not a database"
    : >e.db
    corun report e.db -o p.html
    refused "the database is empty"
    cp "$BATS_FILE_TMPDIR/r.db" r.db
    python3 -c 'import sqlite3
with sqlite3.connect("r.db") as d: d.execute("update meta set value = \"corun-sweep/9\"")'
    corun report r.db -o p.html
    refused corun-sweep/9 corun-sweep/3
    cp "$BATS_FILE_TMPDIR/r.db" r.db
    python3 -c 'import sqlite3
with sqlite3.connect("r.db") as d: d.execute("delete from run")'
    corun report r.db -o p.html
    refused "no runs"
    [ ! -e p.html ]
}

# bats test_tags=long
@test "how near each policy comes to the oracle" {
    printf '%s\n' 'pairs: [vecadd:size=test, mm:size=test]' 'rules: [{until: all-complete}]' \
        'policies: [oracle, sequential, spatial]' >s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    corun report r.db -o p.html
    ended 0
    python3 - <<'END'
import re, sqlite3
page = open('p.html').read()
ws = dict(sqlite3.connect('r.db').execute("select policy, value from run r join stat s on "
    "s.run = r.id where s.key = 'weighted_speedup' and s.app is null"))
assert 0 < ws['sequential'] < ws['spatial'] < ws['oracle']
assert '% of oracle' in page
for policy in ws:
    row = re.search('<th scope="row">%s</th>[^\n]*' % policy, page)[0]
    assert row.endswith('>%.1f</td></tr>' % (100 * ws[policy] / ws['oracle'])), row
    assert ('class="best">%.3f' % ws[policy] in row) == (policy == 'spatial'), row
assert '<tr class="reference"><th scope="row">oracle</th>' in page
bars = re.search(r'style="--reference:(\S+)%">\n<h3>weighted.*?</div>\n</div>', page, re.S)
assert bars[1] == '100.00' and '>spatial</span>' in bars[0] and '>oracle</span>' not in bars[0]
END
}

# bats test_tags=long
@test "the oracle's choice, with its numbers of SMs, in JSON, database, export and page" {
    args=(gups:size=test mm:size=test --set sm.count=2 --set map.channels=1)
    corun run "${args[@]}" --policy oracle[metric=antt] --quiet --json r.json
    ended 0
    printf '%s\n' 'apps: [[gups:size=test, mm:size=test]]' 'policies: ["oracle[metric=antt]"]' \
        'options: [{sm.count: 2, map.channels: 1}]' 'rules: [{until: all-complete}]' >s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    corun export r.db --csv r.csv
    corun report r.db -o p.html
    python3 - <<'END'
import csv, json, re, sqlite3
chosen = json.load(open('r.json'))['policy_stats']['oracle']['chosen']
assert chosen == 'spatial[split=1/1]', chosen
there = sqlite3.connect('r.db').execute("select value from stat where app is null and key = "
                                        "'policy.oracle.chosen'").fetchall()
assert there == [(chosen,)], there
row = next(r for r in csv.DictReader(open('r.csv')) if r['owner'] == 'gpu')
assert row['policy.oracle.chosen'] == chosen, row
assert '<td class="word">%s</td>' % chosen in open('p.html').read().replace('<wbr>', '')
END
}

@test "date, commit and command of a finished sweep" {
    corun report "$BATS_FILE_TMPDIR/r.db" -o p.html
    ended 0
    ! grep -q 'class="trouble unfinished"' p.html
    python3 - "$BATS_FILE_TMPDIR/r.db" <<'END'
import re, sqlite3, sys, time
page = re.sub('<wbr>', '', open('p.html').read())
db = sqlite3.connect(sys.argv[1])
day, = db.execute("select date(max(ended_at), 'unixepoch') from host").fetchone()
commit, = db.execute("select value from meta where key = 'commit'").fetchone()
assert re.search(r'<p class="about">Run (\S+ to )?%s \(UTC\)' % day, page)
assert not commit or 'by corun of commit <code>%s</code>' % commit in page
assert '<code>corun sweep s.yaml -o %s</code>' % sys.argv[1] in page
END
}

@test "an unfinished sweep says so first; points of another sweep do not count" {
    cp "$BATS_FILE_TMPDIR/s.yaml" s.yaml
    "$CORUN" sweep s.yaml -o r.db --shard 1/3 --quiet || [ $? = 1 ]
    corun report r.db -o p.html
    ended 0
    says "warning: unfinished sweep, 3 of 9 points in r.db" "corun sweep FILE.yaml -o r.db"
    tr -d '\n' <p.html | grep -q '<main><section class="trouble unfinished" role="alert"><h2>'
    grep -q '<h2>Unfinished sweep: 3 of 9 points<' p.html
    grep -q '6 points are missing.*<code>corun sweep s.yaml -o r.db</code>' p.html
    sed -i 's/^sweep:.*/sweep: another/' s.yaml
    "$CORUN" sweep s.yaml -o r.db --shard 1/9 --quiet || [ $? = 1 ]
    corun report r.db -o p.html
    grep -q '<h2>Unfinished sweep: 1 of 9 points<' p.html
    "$CORUN" sweep s.yaml -o r.db --quiet || [ $? = 1 ]
    corun report r.db -o p.html
    [ -z "$stderr" ]
    ! grep -q 'class="trouble unfinished"' p.html
}

@test "a heat map of sets of apps and policies; spread over seeds" {
    printf '%s\n' 'pairs: [vecadd:size=test, bfs:size=test]' 'policies: [leftover, spatial]' \
        'seeds: [1, 2]' 'options: {sm.count: [2]}' 'rules: [{until: all-complete}]' >s.yaml
    corun sweep s.yaml -o r.db
    ended 0
    corun report r.db -o p.html
    python3 - <<'END'
import math, re, sqlite3
page = re.sub('<wbr>', '', open('p.html').read())
value = {(p, seed): v for p, seed, v in sqlite3.connect('r.db').execute(
    "select policy, seed, value from run r join stat s on s.run = r.id where app is null and "
    "s.key = 'weighted_speedup'")}
assert len(value) == 4
heat = {v: int(h) for h, v in re.findall(r'background:var\(--heat(\d)\)">([\d.]+)</td>',
                                         page[:page.index('ANTT of every set')])}
least, most = min(value.values()), max(value.values())
for v in value.values():
    level = min(6, int(7 * (v - least) / (most - least)))
    assert abs(heat['%.3f' % v] - level) <= (v not in (least, most)), (v, heat)
assert 'worst %.3f ' % least in page and ' best %.3f</p>' % most in page
spread = page[page.index('Spread over seeds'):page.index('class="bars')]
for policy in ('leftover', 'spatial'):
    both = [value[policy, seed] for seed in (1, 2)]
    half = 12.706 * abs(both[0] - both[1]) / 2  # Student's t of one degree of freedom
    assert ('<th scope="row">%s</th><td class="range">%.3f &plusmn; %.3f <small>%.3f to %.3f<' % (
        policy, sum(both) / 2, half, min(both), max(both))) in spread, spread
END
    sed -i 's/seeds: .*/seeds: [1]/' s.yaml
    "$CORUN" sweep s.yaml -o one.db --quiet
    corun report one.db -o p.html
    ! grep -q 'Spread over seeds' p.html
}
