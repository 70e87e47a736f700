"""Compares all.json and all.csv, of `corun run --seed 3 --seeds 4`, with 3.json to 6.json of single
seeds."""
import csv
import json
import statistics

STUDENT = 3.182  # 97.5 % quantile for three degrees of freedom


def load(name):
    with open(name) as f:
        whole = json.load(f)
    del whole['host']
    return whole


def look(table, spread, values, owner, key):
    assert spread['values'] == values, (key, spread, values)
    assert len(set(values)) > 1, key
    want = {'mean': statistics.mean(values), 'half_width': STUDENT * statistics.stdev(values) / 2}
    for name, value in want.items():
        assert abs(spread[name] - value) <= 1e-9 * abs(value), (key, name, spread[name], value)
        assert float(table[owner, 'seeds.%s.%s' % (key, name)]) == spread[name], (key, name)
    assert (spread['least'], spread['most']) == (min(values), max(values)), key


def main():
    runs = [load('%d.json' % k) for k in (3, 4, 5, 6)]
    whole = load('all.json')
    seeds = whole.pop('seeds')
    assert whole == runs[0]
    assert seeds['seeds'] == [3, 4, 5, 6]
    with open('all.csv', newline='') as f:
        table = {(r['owner'], r['key']): r['value'] for r in csv.DictReader(f)}
    assert table['gpu', 'seeds.n'] == '4'
    for name, spread in seeds['metrics'].items():
        look(table, spread, [r['metrics'][name] for r in runs], 'gpu', name)
    for a, app in enumerate(seeds['apps']):
        for key in ('ipc_thread', 'normalized_ipc'):
            look(table, app[key], [r['apps'][a][key] for r in runs], app['name'], key)


main()
