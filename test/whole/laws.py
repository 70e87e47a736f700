"""The conservation laws of every result."""

# Keys of `stats` other than sums over the apps: ratios, fractions, maxima.
NOT_SUMS = ('_rate', '_fraction', 'utilization', '_per_minst', '_per_kcycle', '_per_cycle',
            'ipc_thread', 'ipc_warp', 'mpki', 'locality', 'latency', 'max_resident',
            'mean_resident')


def is_count(key):
    fraction = key.startswith('stall.') and not key.endswith('_cycles')
    return not fraction and not key.endswith(NOT_SUMS)


def laws(result):
    sums(result)
    blocks(result)
    schedulers(result)
    requests(result)
    metrics(result)


def sums(result):
    """GPU = the apps' totals + the totals without an app."""
    owned = [app['totals'] for app in result['apps']]
    unowned = result.get('unowned', {})
    for key, value in result['stats'].items():
        if isinstance(value, int) and is_count(key) and all(key in t for t in owned):
            parts = [t[key] for t in owned] + [unowned.get(key, 0)]
            if key == 'stall.idle_cycles' and not unowned:
                assert value >= sum(parts)  # an empty SM idles for no app
                continue
            assert value == sum(parts), '%s: %d is not the sum of %s' % (key, value, parts)
    assert result['stats']['inst.warp'] > 0


def blocks(result):
    stats = result['stats']
    for owner in [result, *result['apps']]:
        s = owner.get('totals', owner['stats'])
        assert s['blocks.launched'] >= s['blocks.retired']
        assert s['blocks.launched'] > 0
    if result['until'] == 'end':
        assert stats['blocks.launched'] == stats['blocks.retired'] + stats['blocks.preempted']


def schedulers(result):
    """Every cycle of every scheduler issues or has a single cause."""
    s = result['stats']
    causes = [s['stall.' + c] for c in ('raw', 'idle', 'memory', 'compute')]
    causes.append(s.get('stall.policy') or 0)
    total = s['sched.utilization'] + sum(causes)
    assert abs(total - 1) < 1e-9, 'issued + causes = %.12f' % total


def same(stats, whole, *parts):
    total = sum(stats[p] for p in parts)
    assert stats[whole] == total, '%s: %d, %s: %d' % (whole, stats[whole], ' + '.join(parts), total)


def requests(result):
    """Every request entering a cache leaves the cache in a counted way."""
    config = {key: row['value'] for key, row in result['config'].items()}
    atom = config['dram.atom_bytes']
    for owner in [result, *result['apps']]:
        s = owner.get('totals', owner['stats'])
        same(s, 'l1.accesses', 'l1.hits', 'l1.merged', 'l1.misses')
        same(s, 'l1.reservation_fails', 'l1.fail_line', 'l1.fail_missq', 'l1.fail_xbar',
             'l1.fail_mshr', 'l1.fail_merge')
        same(s, 'l2.accesses', 'l2.hits', 'l2.merged', 'l2.misses')
        same(s, 'ldst.load_cycles', *('ldst.load_%s_cycles' % part for part in (
            'queue', 'l1', 'to_l2', 'at_l2', 'dram', 'back')))
        assert s['ldst.loads'] >= s['ldst.loads_from_l2'] >= s['ldst.loads_from_dram']
        assert (s['sm.memory_stall_fraction'] or 0) <= 1
        assert (s['blocks.mean_resident'] or 0) <= s['blocks.max_resident']
        assert s['dram.bytes'] == atom * (s['dram.reads'] + s['dram.writes'])
        asked, answered = s['xbar.to_l2_packets'], s['xbar.to_sm_packets']
        assert answered <= asked
        if result['until'] == 'end':
            same(s, 'xbar.to_l2_packets', 'xbar.to_sm_packets')
            assert asked >= s['l1.misses'] + s['l1.bypassed']  # and write hits go through
            # an access for each sector; the state of preempted blocks comes in whole lines
            packet = 128 if s['preempt.bytes'] else config['l1.sector_bytes']
            if config['l2.sector_bytes'] < packet:
                assert asked <= s['l2.accesses']
            else:
                same(s, 'xbar.to_l2_packets', 'l2.accesses')
        assert s['inst.thread'] <= 32 * s['inst.warp']


def metrics(result):
    """The definitions, from the apps' own normalized IPC."""
    m, apps = result['metrics'], result['apps']
    near = lambda a, b: abs(a - b) <= 1e-9 * max(1, abs(b))
    for app in apps:
        ipc = app['thread_instructions'] / app['cycles']
        assert near(app['ipc_thread'], ipc), app['name']
        if app['alone_ipc_thread']:
            assert near(app['normalized_ipc'], ipc / app['alone_ipc_thread']), app['name']
    shares = [app['normalized_ipc'] for app in apps]
    if None in shares:
        assert m['weighted_speedup'] is None
        return
    n = len(shares)
    slow = sum(1 / s for s in shares)
    assert near(m['weighted_speedup'], sum(shares))
    assert near(m['antt'], slow / n)
    assert near(m['harmonic_speedup'], n / slow)
    assert near(m['fairness'], min(shares) / max(shares))
    assert near(m['max_slowdown'], 1 / min(shares))
