#!/usr/bin/env bats
# The same apps under several policies: table, JSON and page. How the page looks: test/html.
load common

pair=(mm:size=test bfs:size=test)

data() { # FILE EXPRESSION: a Python expression over `d`, the page's data
    python3 - "$1" "$2" <<'END'
import json, re, sys
d = json.loads(re.search(r'id="data">(.*?)</script>', open(sys.argv[1]).read(), re.S)[1])
assert eval(' '.join(sys.argv[2].split())), sys.argv[2]
END
}

@test "a page beside the table; what it holds is what the result says" {
    corun compare "${pair[@]}" --policies leftover,spatial --html p.html --json r.json
    ended 0
    shows leftover spatial "weighted speedup" "normalized IPC"
    data p.html "d['apps'] == ['mm', 'bfs'] and d['normalized']"
    data p.html "[r['policy'] for r in d['runs']] == ['leftover', 'spatial']"
    python3 - <<'END'
import json
page = open('p.html').read()
for run in json.load(open('r.json'))['runs']:
    for value in run['metrics'].values():
        assert '%.3f' % value in page, value
    for app in run['apps']:
        assert '%.3f' % app['normalized_ipc'] in page
END
}

@test "the oracle is a line across the bars, never the best" {
    corun compare "${pair[@]}" --policies oracle,spatial,leftover --html p.html --json r.json
    ended 0
    python3 - <<'END'
import json, re
page = open('p.html').read().replace('<wbr>', '')
runs = {r['policy']: r for r in json.load(open('r.json'))['runs']}
speedup = {p: r['metrics']['weighted_speedup'] for p, r in runs.items()}
assert speedup['oracle'] > max(speedup['spatial'], speedup['leftover'])
row = re.search('<tr class="reference"><th scope="row">oracle</th>[^\n]*', page)[0]
assert '%.3f' % speedup['oracle'] in row and 'class="best"' not in row
assert '<td class="best">%.3f' % max(speedup['spatial'], speedup['leftover']) in page
assert '<span class="name">oracle</span>' not in page[:page.index('Over time')]
for app in runs['oracle']['apps']: # a full bar is 1, or more if an app is faster than alone
    top = max([1] + [a['normalized_ipc'] for r in runs.values() for a in r['apps']
                     if a['name'] == app['name']])
    line = re.search(r'--reference:(\S+)%%">\n<h3>%s ' % app['name'], page)[1]
    assert abs(float(line) - 100 * app['normalized_ipc'] / top) < 0.01, line
END
}

@test "throughput against fairness: a dot for each policy, before the tables and bars" {
    corun compare "${pair[@]}" --policies sequential,leftover,spatial,smk-p --html p.html \
        --json r.json
    ended 0
    python3 - <<'END'
import json, re
page = open('p.html').read().replace('<wbr>', '')
runs = json.load(open('r.json'))['runs']
dots = re.findall(r'<g class="(\w+)">.*?class="dot" cx="(\S+)" cy="(\S+)".*?>(\d+)</text>', page)
assert [int(d[3]) for d in dots] == [1, 2, 3, 4]
assert page.index('class="scatter"') < min(page.index('<table>'), page.index('class="bars'))
names = re.findall(r'<li class="(\w+)">([^ <]*)', page)
assert [n for _, n in names] == [r['policy'] for r in runs]
speedup = [r['metrics']['weighted_speedup'] for r in runs]
assert [k == 'best' for k, _ in names] == [v == max(speedup) for v in speedup]
assert [k for k, _ in names] == [d[0] for d in dots]
for key, pixel in ('fairness', 1), ('weighted_speedup', 2):
    values = [r['metrics'][key] for r in runs]
    at = [float(d[pixel]) for d in dots]
    slope = (at[1] - at[0]) / (values[1] - values[0])
    assert slope > 0 if pixel == 1 else slope < 0
    for v, p in zip(values, at):
        assert abs(p - at[0] - slope * (v - values[0])) < 0.3, (key, v, p)
END
}

@test "launches are in the data of the curves; causes never have the colour of an app" {
    corun compare "${pair[@]}" --policies leftover,spatial --html p.html --json r.json
    ended 0
    python3 - <<'END'
import json, re
page = open('p.html').read()
d = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
for run, result in zip(d['runs'], json.load(open('r.json'))['runs']):
    for cycles, app in zip(run['launched'], result['apps']):
        assert len(cycles) == app['launches'] > 0, (len(cycles), app['launches'])
        assert cycles == sorted(cycles) and cycles[-1] <= run['start'][-1]
of = {kind: re.findall(r'--%s\d: (#\w+)' % kind, page) for kind in ('app', 'cause')}
assert len(of['app']) == len(of['cause']) == 16 and not set(of['app']) & set(of['cause'])
END
}

@test "the intervals of a page are few and add up to the run" {
    corun compare "${pair[@]}" --policies spatial,leftover --alone skip --html p.html --json r.json
    ended 0
    data p.html "all(10 < len(r['start']) <= 161 and r['start'] == sorted(set(r['start']))
        and r['start'][0] == 0 for r in d['runs'])"
    python3 - <<'END'
import json, re
page = open('p.html').read()
d = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])
for run, result in zip(d['runs'], json.load(open('r.json'))['runs']):
    assert run['start'][-1] == result['cycles']
    steps = [b - a for a, b in zip(run['start'], run['start'][1:])]
    for k, app in enumerate(result['apps']):
        done = sum(v * n for v, n in zip(run['ipc'][k], steps))
        assert abs(done - app['totals']['inst.thread']) < 1e-3 * done, (done, app['name'])
        mean = sum(v * n for v, n in zip(run['blocks'][k], steps)) / result['cycles']
        assert abs(mean - app['totals']['blocks.resident_cycles'] / result['cycles'] / 16) < 1e-3
END
}

# bats test_tags=long
@test "no policy is left out of a table, however many and long" {
    spec='warped-slicer[mode=static,warm=20000,sample=5000,scale=none,phase=off,delay=%g]'
    corun compare vecadd:size=test --policies "$(seq -f "$spec" -s , 101 139)" --alone skip \
        --until window --cycles 100
    ended 0
    for n in $(seq -f ",delay=%g]" 101 139); do # two parts of a table, and a column
        [ "$(grep -oF "$n" <<<"$output" | wc -l)" = 3 ] || { echo "$n in: $output"; return 1; }
    done
    corun compare vecadd:size=test --policies "$(seq -f "$spec" -s , 101 140)"
    refused "more than 39 policies"
}

@test "a page changes no number" {
    "$CORUN" compare "${pair[@]}" --policies leftover,spatial --quiet --json a.json
    "$CORUN" compare "${pair[@]}" --policies leftover,spatial --quiet --json b.json --html p.html
    python3 - <<'END'
import json
def bare(path):
    d = json.load(open(path))
    for r in d['runs']:
        del r['host']
    return d
assert bare('a.json') == bare('b.json')
END
}

@test "a page is one file that loads nothing and hides nothing" {
    corun compare "${pair[@]}" --policies leftover --alone skip --html -
    ended 0
    [[ $output == "<!doctype html>"*"</html>" ]]
    [[ $output == *"Permission is hereby granted"* ]]
    ! grep -Eq '<link|<img|src=|@import|url\(' <<<"$output"
}

@test "a page names its day, commit and command" {
    SOURCE_DATE_EPOCH=86400 corun compare "${pair[@]}" --policies 'leftover,spatial[split=1/1]' \
        --alone skip --html p.html
    ended 0
    about=$(grep -o '<p class="about">Run.*' p.html | sed 's/<[^>]*>//g')
    commit=$("$CORUN" --version | sed -n 's/.*(\(.*\))/\1/p')
    [ "$about" = "Run 1970-01-02 (UTC)${commit:+ by corun of commit $commit}: corun compare \
${pair[*]} --policies 'leftover,spatial[split=1/1]' --alone skip --html p.html" ]
    corun compare "${pair[@]}" --policies leftover --alone skip --html q.html
    grep -q "Run $(date -u +%Y)-" q.html
}

@test "a page that cannot be written" {
    corun compare "${pair[@]}" --policies leftover --html nowhere/p.html
    ended 2
    says nowhere/p.html "make the folder"
    corun compare "${pair[@]}" --policies leftover --html p --json p
    refused "two results would go to p"
    corun compare "${pair[@]}" --policies leftover --html - --json -
    refused "only one result"
    [ -c /dev/full ] || skip "no /dev/full"
    corun compare "${pair[@]}" --policies leftover --alone skip --html /dev/full
    ended 2
    says /dev/full "No space left"
}

@test "the vendored files are those of the release" {
    cd "$HERE/../../vendor/uplot"
    sha256sum --check --quiet --strict SHA256SUMS
    [ "$(ls | tr '\n' ' ')" = "LICENSE SHA256SUMS VERSION uPlot.iife.min.js uPlot.min.css " ]
}
