#!/usr/bin/env bats
# Differences between two machines, results or points.
load common

result() { # result of a small run
    local file=$1
    shift
    "$CORUN" run vecadd:size=test --until window --cycles 3000 --quiet --json "$file" "$@"
}

@test "two machines: every value that differs, old and new, and by how much" {
    printf '%s\n' 'base: maxwell16' 'l1: {ways: 9}' 'sm: {scheduler: lrr}' \
        'clock: {sm_mhz: 700}' >m.yaml
    corun diff maxwell16 m.yaml
    ended 0
    [ "${lines[0]}" = "maxwell16 and m.yaml: 3 values differ" ]
    [[ $output =~ sm.+scheduler\ +gto\ +lrr.*l1.+ways\ +6\ +9\ +\+50.0\ % ]] || shows a-table
    corun diff m.yaml maxwell16 --json -
    ended 0
    holds "d['schema'] == 'corun-diff/1' and d['kind'] == 'machine' and not d['equal'] and
        [(x['in'], x['key'], x['old'], x['new']) for x in d['differences']] ==
        [('clock', 'sm_mhz', 700, 1400), ('sm', 'scheduler', 'lrr', 'gto'), ('l1', 'ways', 9, 6)]"
    holds "[x['percent'] for x in d['differences']][:2] == [100, None] and
        abs(d['differences'][2]['percent'] + 100 / 3) < 1e-9"
}

@test "nothing differs: it says so; --exit-code tells the two apart" {
    corun diff fermi30 fermi30
    ended 0
    [ "$output" = "fermi30 and fermi30 are equal" ]
    corun diff fermi30 fermi30 --exit-code --json -
    ended 0
    holds "d['equal'] is True and d['differences'] == []"
    corun diff fermi30 maxwell16 --exit-code
    ended 1
    shows channels
    corun diff fermi30 maxwell16
    ended 0
}

@test "two results: the same run is equal, host aside; another differs by what its numbers do" {
    result a.json
    result again.json
    result b.json --set l1.ways=2 --seed 7
    corun diff a.json again.json --exit-code
    ended 0
    shows "equal"
    corun diff a.json b.json --json d.json --exit-code
    ended 1
    shows "config"
    python3 - <<'END'
import json
a, b, d = (json.load(open(f)) for f in ('a.json', 'b.json', 'd.json'))
found = {(x['in'], x['key']): x for x in d['differences']}
assert len(found) == len(d['differences'])
assert ('host', 'wall_seconds') not in found and not any(i.startswith('host') for i, _ in found)
assert found['', 'seed'] == {'in': '', 'key': 'seed', 'old': 1, 'new': 7, 'percent': 600}
assert found['config', 'l1.ways']['new'] == 2
for part, key in (('stats', None), ('apps/vecadd/stats', 'apps')):
    x, y = (r['apps'][0]['stats'] if key else r['stats'] for r in (a, b))
    assert {k for k in x if x[k] != y[k]} == {k for i, k in found if i == part}, part
    for k in x:
        if x[k] != y[k]:
            assert (found[part, k]['old'], found[part, k]['new']) == (x[k], y[k])
parts = [x['in'] for x in d['differences']]
assert [p for i, p in enumerate(parts) if p not in parts[:i]] == sorted(set(parts), key=parts.index)
for part in set(parts): # words and values that were 0 first, then the largest change first
    change = [x['percent'] for x in d['differences'] if x['in'] == part]
    known = [abs(c) for c in change if c is not None]
    assert change[len(change) - len(known):].count(None) == 0 and known == sorted(known)[::-1]
END
}

@test "results with lists: runs by policy, profiles by app and machine, kernels by name" {
    "$CORUN" compare vecadd:size=test vecadd:size=test --policies leftover,spatial --quiet \
        --until window --cycles 2000 --json a.json
    sed 's/"launches": 1/"launches": 5/' a.json >b.json
    corun diff a.json b.json --json -
    ended 0
    holds "{x['in'] for x in d['differences']} <= {'runs/%s/apps/vecadd%s%s' % (p, n, k)
        for p in ('leftover', 'spatial') for n in ('', '.2') for k in ('', '/kernels/vecadd')}
        and any('.2/kernels' in x['in'] for x in d['differences'])"
    "$CORUN" profile vecadd:size=test --gpu maxwell16,fermi30 --cycles 1000 --quiet --json p.json
    sed 's/"type": "[MC]"/"type": null/' p.json >q.json
    corun diff p.json q.json
    ended 0
    shows "profiles/vecadd:size=test on fermi30" null
}

@test "what only one side has" {
    result a.json
    sed 's/"seed": 1,/"tree": 1,/' a.json >b.json
    corun diff a.json b.json --json -
    ended 0
    holds "[{k: v for k, v in x.items()} for x in d['differences']] ==
        [{'in': '', 'key': 'seed', 'old': 1, 'percent': None},
         {'in': '', 'key': 'tree', 'new': 1, 'percent': None}]"
    corun diff a.json b.json
    [[ $output =~ seed\ +1\ +-.*tree\ +-\ +1 ]]
}

@test "two points, by position or key, of one database or two" {
    printf '%s\n' 'apps: vecadd:size=test' 'policies: [leftover, spatial]' 'alone: skip' \
        'rules: {until: window, cycles: 2000}' 'options: {l1.ways: [2, 6]}' >s.yaml
    "$CORUN" sweep s.yaml -o r.db --quiet
    cp r.db s.db
    corun diff r.db#1 s.db#1 --exit-code
    ended 0
    shows equal
    key=$("$CORUN" export r.db --csv - | awk -F, '$2 == 1 { print substr($1, 2, 9); exit }')
    [ ${#key} = 9 ]
    corun diff r.db#1 "r.db#$key" --exit-code
    ended 0
    corun diff r.db#0 r.db#1 --json -
    ended 0
    holds "d['kind'] == 'point' and any(x['in'] == '' and x['key'] == 'policy' and
        x['new'] == 'spatial' for x in d['differences'])"
    corun diff r.db#0 r.db#2 --json -
    holds "[x['key'] for x in d['differences'] if not x['in']][0] == 'options' and
        {'stats', 'app/vecadd'} <= {x['in'] for x in d['differences']}"
    [ "$(grep -c '"key": "l1.accesses"' <<<"$output")" -le 2 ]
}

@test "two databases, by position of the points" {
    printf '%s\n' 'apps: ./scale.yaml' 'policies: [leftover, spatial]' 'alone: skip' \
        'rules: {until: window, cycles: 2000}' >s.yaml
    mkdir sub && cp s.yaml scale.* sub
    "$CORUN" sweep s.yaml -o r.db --quiet
    "$CORUN" sweep sub/s.yaml -o s.db --quiet # other names of the same files
    corun diff r.db s.db --exit-code
    ended 0
    shows "r.db and s.db are equal"
    sed -i 's/spatial/smk-even/' sub/s.yaml
    "$CORUN" sweep sub/s.yaml -o t.db --quiet
    corun diff r.db t.db --exit-code --json -
    ended 1
    holds "d['kind'] == 'database' and {x['in'] for x in d['differences']} == {'1/stats'}"
}

@test "what cannot be compared" {
    result a.json
    printf '%s\n' 'apps: vecadd:size=test' 'policies: leftover' 'alone: skip' \
        'rules: {until: window, cycles: 2000}' >s.yaml
    "$CORUN" sweep s.yaml -o r.db --quiet
    corun diff maxwell16
    refused "two machines, two results, two databases or two points"
    corun diff maxwell16 fermi3
    refused "neither a shipped machine" "did you mean 'fermi30'?"
    corun diff a.json maxwell16
    refused "cannot be compared: corun-result/1 and machine"
    corun diff r.db a.json
    refused "cannot be compared: database and corun-result/1"
    corun diff r.db#5 r.db#0
    refused "no point 5" "digits of the key"
    corun diff none.db#5 r.db#0
    refused none.db
    echo '{"schema": 3}' >b.json
    corun diff b.json a.json
    refused b.json "not a result of corun"
    printf '{\n  "schema": 3, oops}' >b.json
    corun diff b.json a.json
    refused "b.json:2:"
    printf 'l1: {wais: 9}\n' >m.yaml
    corun diff m.yaml maxwell16
    refused m.yaml:1:
    cp r.db before.db
    corun diff r.db#0 r.db#0 --json r.db
    refused "--json would overwrite r.db"
    cmp r.db before.db
}

@test "points of several sweeps in a database do not hide each other" {
    printf '%s\n' 'apps: [[vecadd:size=test]]' 'policies: [leftover]' 'gpus: [maxwell16]' \
        'rules: [{until: window, cycles: 900}]' >one.yaml
    corun sweep one.yaml -o one.db --quiet
    ended 0
    cp one.db both.db
    for cycles in 600 700 800; do # whatever the order of their keys
        sed "s/900/$cycles/" one.yaml >other.yaml
        corun sweep other.yaml -o both.db --quiet
        ended 0
        corun diff one.db both.db --exit-code
        ended 1
        shows "values differ" "0 (2)"
    done
}
