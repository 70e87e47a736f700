"""Paper 000, section 4.3: other L1 caches, another warp scheduler, more MSHRs."""
import causes
import lib
import paper000

TITLE = 'Paper 000, section 4.3: larger L1, loose round robin'
SWEEPS = ['000-machines', '000-removed-machines', '000-open-machines', '000-dynamic',
          '000-dynamic-lrr', '000-dynamic-missq', '000-dynamic-open', '000-dynamic-48k',
          '000-static-lrr']
WS = paper000.STATIC
DYNAMIC = 'with dynamic Warped-Slicer'  # paper 000 section 4: "dynamically profiling kernels"
MACHINES = [('', 'L1 of 24 KB'), ('l1.ways=12', 'L1 of 48 KB'), ('l1.ways=24', 'L1 of 96 KB'),
            ('sm.scheduler=lrr', 'loose round robin'), ('l1.mshrs=256', 'twice the MSHRs')]
IN_TURNS = 'with loose round robin'
QUEUE = ' and a miss queue of L1 as long as its MSHRs'
# Sweeps of dynamic Warped-Slicer with a limit removed, by the option of the machine.
TWO = {'l1.ways=12': {'000-dynamic-lrr': ' and loose round robin', '000-dynamic-48k': QUEUE},
       'sm.scheduler=lrr': {'000-dynamic-missq': QUEUE}}
GROWTHS = ['open', 'double', 'plus1']  # readings of DMIL whose limits rise again
METRICS = [('weighted_speedup', 'weighted speedup'), ('antt', 'ANTT')]
TARGETS = [('l1.ways=12', '+qbmi', '193 194', (2.1, -32.1)),
           ('l1.ways=12', '+dmil', '195 196', (18.5, -22.6)),
           ('l1.ways=24', '+qbmi', '197 198', (1.5, -30.8)),
           ('l1.ways=24', '+dmil', '199 200', (3.5, -10.1)),
           ('sm.scheduler=lrr', '+qbmi', '201 202', (3.2, -16.4)),
           ('sm.scheduler=lrr', '+dmil', '203 204', (25.8, -34.3))]

TEXT = '''Stand-ins, all pairs, static Warped-Slicer, over 200,000 cycles; geometric means. The
paper's Warped-Slicer is dynamic: among the causes below the verdicts are runs of thirteen pairs
under dynamic Warped-Slicer, over 400,000 cycles.

'''


def by_machine(runs):
    """Returns {option of the machine: runs}, by MACHINES."""
    of = {}
    for r in runs:
        options = r.row['options'].split()
        of.setdefault(next((m for m, _ in MACHINES if m in options), ''), []).append(r)
    return of


def removed():
    """Returns {option of the machine: {removed limit in words: {names: {policy: run}}}}."""
    limits = [(option, words) for option, words in paper000.WITHOUT
              if option in ('l1.missq=128', 'xbar.flit_bytes=136', 'clock.dram_mhz=3696')]
    opened, found = by_machine(lib.runs('000-open-machines')), {}
    dynamic = by_machine(lib.runs('000-dynamic'))
    for machine, runs in by_machine(lib.runs('000-removed-machines')).items():
        of = {words: lib.by_set(some) for words, some in causes.by_limit(runs, limits).items()}
        found[machine] = {words: list(by.values()) for words, by in {
            **of, paper000.OPEN: paper000.opened(of[''], opened[machine]),
            **({DYNAMIC: as_static(dynamic[machine])} if machine in dynamic else {}),
            **{DYNAMIC + limit: as_static(by_machine(lib.runs(sweep))[machine])
               for sweep, limit in TWO.get(machine, {}).items()},
        }.items()}
    found['sm.scheduler=lrr'].update(rising(lib.runs('000-dynamic-open')))
    found['l1.ways=12'][IN_TURNS] = list(lib.by_set(lib.runs('000-static-lrr')).values())
    return found


def rising(runs):
    """Returns {reading of DMIL in words: [{policy: run}]} under dynamic Warped-Slicer."""
    return {'%s and `growth=%s` of DMIL' % (DYNAMIC, growth): [
        {WS: by[WS], WS + '+dmil': by['%s+dmil[growth=%s]' % (WS, growth)]}
        for by in as_static(runs).values()] for growth in GROWTHS}


def as_static(runs):
    """Returns {names: {policy: run}} of dynamic Warped-Slicer, under the names of the static
    form."""
    return {names: {p.replace(paper000.DYNAMIC, WS, 1): r for p, r in by.items()}
            for names, by in lib.by_set(runs).items()}


def section():
    sets = {m: list(lib.by_set(runs).values())
            for m, runs in by_machine(lib.runs(SWEEPS[0])).items()}
    rows = []
    for machine, title in MACHINES:
        row = ['%s (`%s`)' % (title, machine) if machine else title,
               paper000.gmean(sets[machine], WS, 'weighted_speedup')]
        for s in ('+qbmi', '+dmil'):
            row += [lib.percent(paper000.mean_gain(sets[machine], WS + s, WS, m, geometric=True))
                    for m, _ in METRICS]
        rows.append(row)
    v = lib.Verdicts()
    titles, without = dict(MACHINES), removed()
    for machine, s, targets, changes in TARGETS:
        judged = causes.Rows(v, None, None, sets[machine], without[machine])
        for t, (metric, what), paper in zip(targets.split(), METRICS, changes):
            gain = WS + s, WS, metric
            judged.number('T000-' + t, '%s: %s of %s over WS' % (
                titles[machine], what, s[1:].upper()), 1 + paper / 100,
                          lambda of, gain=gain: paper000.mean_gain(of, *gain), show=lib.change,
                          beside=lambda of, gain=gain: paper000.beside(of, *gain))
    def above(of):
        x = paper000.mean_gain(of, WS + '+dmil', WS, 'weighted_speedup')
        return lib.percent(x) + ' %', lib.true(x > 1)
    causes.Rows(v, None, None, sets['l1.mshrs=256'], without.get('l1.mshrs=256')).add(
        'T000-206', 'twice the MSHRs: weighted speedup of DMIL over WS', 'still above 0', above)
    return TEXT + lib.table(
        ['machine', 'WS', 'QBMI, weighted speedup, %', 'QBMI, ANTT, %',
         'DMIL, weighted speedup, %', 'DMIL, ANTT, %'], rows) + '\n' + v.markdown(), v
