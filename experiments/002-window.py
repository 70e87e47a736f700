"""Paper 002, section 3.2.2 and figure 4: SRAD and BFS with the best partition of every window."""
import lib

TITLE = 'Paper 002, figure 4: the best partition from window to window'
SWEEPS = ['002-window']
WINDOW = 'oracle[mode=window]'


def section():
    v = lib.Verdicts()
    for by_policy in lib.by_set(lib.runs(SWEEPS[0])).values():
        even, best = by_policy['smk-even'], by_policy[WINDOW]
        gain = 100 * (best.weighted_speedup / even.weighted_speedup - 1)
        v.add('T002-026', 'SRAD/BFS: STP of the windowed oracle over even SMK, %', '30.0',
              programs=(lib.show(gain, 1), lib.like(gain, 30, 0)))
        rows = [['`%s`' % p, lib.show(r.weighted_speedup, 3), r.policy_values.get('windows', '-'),
                 r.policy_values.get('changes', '0' if p == WINDOW else '-')]
                for p, r in by_policy.items()]
        said = ('SRAD and BFS over {:,} cycles; a window is 50,000 warp instructions of an SM on '
                'the mean, and mixes change at no cost.\n\n').format(even.cycles)
        head = ['policy', 'STP', 'windows', 'changes of the mix']
        return said + lib.table(head, rows) + '\n' + v.markdown(), v
    return '', v
