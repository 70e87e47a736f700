#!/usr/bin/env python3
"""Draws a metric as bars, for every set of apps under every policy of a sweep:

    corun sweep pairs.yaml -o results.db
    examples/python/metric.py results.db weighted_speedup bars.png

Needs matplotlib; where corun is not installed for Python, PYTHONPATH names the folder of corun.py.
"""
import sys

import corun


def bars(rows, metric):
    """Returns the sets of apps, and for each policy one value per set."""
    whole = [row for row in rows if row['owner'] == 'gpu']
    apps = list(dict.fromkeys(row['apps'] for row in whole))
    value = {(row['apps'], row['policy']): row.get(metric) for row in whole}
    policies = dict.fromkeys(row['policy'] for row in whole)
    return apps, {p: [value.get((a, p)) for a in apps] for p in policies}


def main(database, metric, picture):
    import matplotlib
    matplotlib.use('Agg')   # no window
    from matplotlib import pyplot
    apps, series = bars(corun.points(database), metric)
    figure, axes = pyplot.subplots(figsize=(2 + len(apps), 4), layout='constrained')
    width = 0.8 / len(series)
    for i, (policy, values) in enumerate(series.items()):
        axes.bar([x + i * width for x in range(len(apps))], [v or 0 for v in values], width,
                 label=policy)
    axes.set_xticks([x + 0.4 - width / 2 for x in range(len(apps))], apps, rotation=45, ha='right')
    axes.set_ylabel(metric.replace('_', ' '))
    axes.legend()
    figure.savefig(picture)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit('usage: metric.py RESULTS.db METRIC PICTURE')
    main(*sys.argv[1:])
