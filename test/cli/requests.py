"""Recomputes requests of `corun run`: arrivals by Philox 4x32-10 and a logarithm in 40 digits, the
queue in order of arrival, and every quantity of the result."""
import csv
import decimal
import json
import re
import sys

KERNEL = 35014  # cycles of a request of 25 us; checked against service_mean_us
GAP_BITS = 24


def load(path):
    with open(path) as f:
        return json.load(f)


def philox(key, counter):
    for _ in range(10):
        a, b = counter[0] * 0xd2511f53, counter[2] * 0xcd9e8d57
        counter = [b >> 32 ^ counter[1] ^ key[0], b & 0xffffffff,
                   a >> 32 ^ counter[3] ^ key[1], a & 0xffffffff]
        key = [(key[0] + 0x9e3779b9) & 0xffffffff, (key[1] + 0xbb67ae85) & 0xffffffff]
    return counter


def exponential(seed, place, time):
    """In units of 2^-32; exact up to the last unit."""
    words = philox([seed & 0xffffffff, seed >> 32],
                   [time & 0xffffffff, time >> 32, place & 0xffffffff, place >> 32])
    r = (words[1] << 32 | words[0]) | 1
    return int(-(decimal.Decimal(r) / 2 ** 64).ln() * 2 ** 32)


def poisson(seed, app, rate, mhz, n):
    gap = int(decimal.Decimal(mhz) * 10 ** 6 * 2 ** GAP_BITS / rate)
    at, times = 0, []
    for k in range(n):
        at += exponential(seed, 1 << 63 | app << 48, k) * gap >> 32
        times.append(at >> GAP_BITS)
    return times


def same(name, is_, want, within=1e-9):
    assert abs(is_ - want) <= within * max(1, abs(want)), (name, is_, want)


def queue(arrived, service):
    ended, free = [], 0
    for at in arrived:
        free = max(free, at) + service
        ended.append(free)
    return ended


def look(q, arrived, service, mhz):
    """Compares the result q with requests that arrive at these cycles and take the same time."""
    ended = queue(arrived, service)
    warmup, total = q['warmup'], q['warmup'] + q['measured']
    start = ended[warmup - 1] if warmup else 0
    end = ended[total - 1]
    n = q['measured']
    latency = [e - a for a, e in zip(arrived, ended)][warmup:total]
    ranked = sorted(latency)
    for percent in (50, 95, 99):
        value = q['latency_p%d_us' % percent]
        rank = -(-n * percent // 100)
        if percent == 99 and n < 500:
            assert value is None
        else:
            same(percent, value, ranked[rank - 1] / mhz)
    same('max', q['latency_max_us'], ranked[-1] / mhz)
    same('mean', q['latency_mean_us'], sum(latency) / n / mhz)
    same('wait', q['wait_mean_us'], sum(latency) / n / mhz - service / mhz)
    same('service', q['service_mean_us'], service / mhz)
    same('throughput', q['throughput'], n / (end - start) * mhz * 1e6)
    inside = [max(0, min(e, end) - max(a, start)) for a, e in zip(arrived, ended)]
    same('queue', q['queue_mean'], sum(inside) / (end - start))
    same('load', q['load'], sum(max(0, min(e, end) - max(e - service, start)) for e in ended) /
         (end - start))
    most = max(sum(a <= max(at, start) for a in arrived[:k + 1]) -
               sum(e <= max(at, start) for e in ended)
               for k, at in enumerate(arrived) if at < end)
    assert q['queue_max'] == most, (q['queue_max'], most)
    if q['deadline_us'] is None:
        assert q['deadline_misses'] is None and q['tardiness_mean_us'] is None
        return
    deadline = int(q['deadline_us'] * mhz)
    late = [max(0, t - deadline) for t in latency]
    assert q['deadline_misses'] == sum(t > 0 for t in late)
    same('tardiness', q['tardiness_mean_us'], sum(late) / n / mhz)
    same('tardiness', q['tardiness_max_us'], max(late) / mhz)


def of(path):
    result = load(path)
    return ([a['requests'] for a in result['apps']],
            result['config']['clock.sm_mhz']['value'], result)


def check_poisson(path, seed, *apps):
    decimal.getcontext().prec = 40
    requests, mhz, result = of(path)
    for q, app in zip(requests, apps, strict=True):
        rate = int(q['arrivals'].split(':')[1])
        arrived = poisson(int(seed), int(app), rate, mhz, q['arrived'])
        look(q, arrived, KERNEL, mhz)


def check_periodic(path, gap_us):
    (q,), mhz, _ = of(path)
    service = round(q['service_mean_us'] * mhz)
    look(q, [k * int(gap_us) * mhz for k in range(q['arrived'])], service, mhz)


def check_trace(path, *times):
    (q,), mhz, _ = of(path)
    service = round(q['service_mean_us'] * mhz)
    assert q['measured'] == len(times) and q['arrivals'] == 'trace'
    look(q, [int(decimal.Decimal(t) * mhz) for t in times], service, mhz)
    assert q['deadline_misses'] == 2


def check_closed(path, clients):
    (q,), mhz, result = of(path)
    n = int(clients)
    assert q['measured'] == 500 and q['queue_max'] == n and q['load'] == 1
    same('throughput', q['throughput'], 500 / result['cycles'] * mhz * 1e6)
    same('p99', q['latency_p99_us'], n * KERNEL / mhz)
    assert result['cycles'] == 500 * KERNEL


def check_csv(path, table):
    (q,), _, result = of(path)
    with open(table, newline='') as f:
        rows = {r['key']: r['value'] for r in csv.DictReader(f) if r['owner'] == 'server'}
    for key, value in q.items():
        if key in ('arrivals', 'warmup', 'deadline_us'):
            continue
        assert float(rows['requests.' + key]) == value, key


def check_plain(path):
    """Prints everything that does not name the arrivals."""
    result = load(path)
    for key in ('host', 'input_hash'):
        del result[key]
    for app in result['apps']:
        q = app.pop('requests', None)
        del app['spec']
        assert q is None or q['completed'] == app['completions'] > 3
    print(json.dumps(result, sort_keys=True))


def check_theory(argument, rate):
    spread = load('q.json')['seeds']['apps'][0]['requests']
    service, wait = spread['service_mean_us']['mean'], spread['wait_mean_us']
    mean = 25.01 if argument == '25000' else 25
    load_ = int(rate) * mean * 1e-6
    want = load_ * mean / (1 - load_) / (2 if argument == '25000' else 1)
    print(argument, 'load', load_, 'waits', wait['mean'], '+-', wait['half_width'], 'theory', want)
    assert abs(service / mean - 1) < 0.05
    assert abs(wait['mean'] - want) < wait['half_width'], (wait, want)
    # a queue twice as long or half as long would be outside
    assert wait['half_width'] < want / 2, (wait, want)


def check_rows(rows, path, timeline):
    (q, none), _, _ = of_two(path)
    assert none is None
    shown = [e['args']['server'] for e in load(timeline)['traceEvents']
             if e['name'] == 'requests waiting or executed']
    queued, arrived, completed, queues = 0, 0, 0, []
    with open(rows, newline='') as f:
        for r in csv.DictReader(f):
            values = [r['requests.' + k] for k in ('arrived', 'completed', 'queue')]
            if r['owner'] != 'server':
                assert values == ['', '', '']
                continue
            a, c, n = map(int, values)
            queued += a - c
            assert queued == n
            arrived, completed = arrived + a, completed + c
            queues.append(n)
    assert (arrived, completed) == (q['arrived'], q['completed']) and len(set(queues)) > 1
    assert shown == queues, (shown, queues)


def of_two(path):
    result = load(path)
    return [a.get('requests') for a in result['apps']], None, result


def check_seeds(path, table, second):
    whole = load(path)
    values = [load(p)['apps'][0]['requests'] for p in (path, second)]
    with open(table, newline='') as f:
        rows = {(r['owner'], r['key']): r['value'] for r in csv.DictReader(f)}
    spreads = whole['seeds']['apps'][0]['requests']
    assert spreads['latency_p99_us']['half_width'] > 0
    for key, spread in spreads.items():
        assert spread['values'] == [v[key] for v in values], key
        mean = rows['server', 'seeds.requests.%s.mean' % key]
        assert mean == '' if spread['mean'] is None else float(mean) == spread['mean'], key


def check_page(path, page):
    """The page's charts against the result; all requests of a short run one by one."""
    with open(page) as f:
        text = f.read()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    runs = load(path)['runs']
    assert '<h2>Requests</h2>' in text and data['requests'][1:] in ([], [None])
    shown = data['requests'][0]
    for run, of_run in zip(runs, shown['runs'], strict=True):
        q = run['apps'][0]['requests']
        rank, latency, n = of_run['rank'], of_run['latency'], q['measured']
        assert of_run['measured'] == n == rank[-1]
        assert len(rank) == n if n <= 1000 else 900 < len(rank) <= 1100, len(rank)
        assert rank == sorted(set(rank)) and latency == sorted(latency)
        for percent in (50, 95, 99):
            at = next(k for k, r in enumerate(rank) if r >= n * percent / 100)
            same(percent, latency[at], q['latency_p%d_us' % percent], 1e-3)
        same('max', latency[-1], q['latency_max_us'], 1e-3)
        for key in ('latency_p99_us', 'latency_mean_us'):
            assert '%.1f</td>' % q[key] in text
        assert shown['deadline'] == q['deadline_us']
        arrived, waited, took = of_run['arrived'], of_run['waited'], of_run['took']
        assert arrived == sorted(arrived) and all(w <= t for w, t in zip(waited, took))
        assert len(arrived) == min(600, q['completed']) and max(took) >= latency[-1]
        if q['completed'] > 600:
            assert set(of_run['queue'][:-1]) == {40}, set(of_run['queue'])
            continue
        same('mean', sum(took[q['warmup']:]) / n, q['latency_mean_us'], 1e-3)
        same('wait', sum(waited[q['warmup']:]) / n, q['wait_mean_us'], 1e-3)
        ended = [a + t for a, t in zip(arrived, took)]
        most = max(sum(a <= at for a in arrived) - sum(e <= at for e in ended) for at in arrived)
        assert max(of_run['queue']) == most, most
        for span in range(0, 600, 20):
            at = of_run['end'] * (span + 0.5) / 600
            now = sum(a <= at for a in arrived) - sum(e <= at for e in ended)
            assert of_run['queue'][span] >= now, (span, now)
    assert max(runs[0]['apps'][0]['requests']['queue_max'], 1) <= max(shown['runs'][0]['queue'])


globals()['check_' + sys.argv[1]](*sys.argv[2:])
