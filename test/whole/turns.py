#!/usr/bin/env python3
"""More blocks than seats: blocks and warps take turns at odd cycles, with loads, stores, atomics,
barriers and calls under way, alone, with other mechanisms, and where blocks leave their SMs as
well: answers are right, the laws hold, skipping changes nothing. And a real deadlock."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
from common import Tap, bare, checked, differ, run  # noqa: E402
from laws import laws  # noqa: E402

TURNS = os.path.join(HERE, '..', 'policy', 'turns.c')
SHUFFLE = os.path.join(HERE, '..', 'policy', 'shuffle.c')
ANYHOW = os.path.join(HERE, '..', 'policy', 'anyhow.c')
SMALL = 'sm.count=2 '  # to make blocks wait for seats
RUNS = [  # apps, machine, options
    (['mm', 'bfs'], 'maxwell16-duet', SMALL),
    (['gups', 'reduction'], 'fermi30', SMALL),
    (['histo', 'stencil'], 'rtx2060', SMALL),
    (['fdtd', 'scan'], 'gtx980', SMALL),
    (['mm'], 'maxwell16', SMALL + 'sm.threads=512'),
    (['gups', 'histo'], 'maxwell16', SMALL + 'sm.atomics_hold=true sm.threads=512'),
    (['mm', 'reduction'], 'maxwell16', SMALL + 'sm.scheduler=two-level sm.active_warps=4'),
    (['bfs', 'spmv'], 'maxwell16', SMALL + 'sm.scheduler=lrr sm.threads=512'),
]
OWN = [  # the mechanisms themselves, with others
    'virtual-thread', 'gpuduet[me=4]', 'gpuduet[me=4,levels=tb]', 'gpuduet[me=4,deadlock=pin]',
    'gpuduet[window=1000]', 'gpuduet[me=8,registers=0.3]+smk-even', 'virtual-thread+spatial',
    'virtual-thread+smk-p+switch', 'gpuduet[me=2]+warped-slicer[warm=700,sample=300]',
]

BARRIER = '''.version 7.0
.target sm_75
.address_size 64
.visible .entry late(.param .u64 in)
{
 .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<6>;
 ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;
 shl.b32 %r2, %r1, 6; add.s32 %r2, %r2, %r0; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;
 setp.lt.u32 %p, %r0, 32;
 @%p bra there;
 ld.global.u32 %r3, [%rd3]; add.s32 %r3, %r3, 1; st.global.u32 [%rd3], %r3;
there:
 bar.sync 0;
 ret;
}
'''


def turns(build, apps, gpu, sets, policy, moved=True):
    options = ['--gpu', gpu, '--policy', policy, '--until', 'end', '--alone', 'skip',
               *(o for kv in sets.split() for o in ('--set', kv))]
    on = run(build, apps, *options)
    checked(on)
    laws(on)
    if moved:
        assert on['stats']['residency.switches'] > 0, 'nothing gave up its seats'
    off = run(build, apps, *options, '--skip', 'off')
    what = differ(bare(on), bare(off))
    assert what is None, 'skip on | off: ' + what


def deadlock(build, remedy, status):
    """Paper 003 section 6.3: two blocks of two warps, room for two warps."""
    with tempfile.TemporaryDirectory() as folder:
        app = os.path.join(folder, 'late.yaml')
        with open(os.path.join(folder, 'late.ptx'), 'w') as f:
            f.write(BARRIER)
        with open(app, 'w') as f:
            f.write('app: late\nmodule: late.ptx\n'
                    'buffers: {a: {type: s32, count: 128, init: zero}}\n'
                    'launches: [{kernel: late, grid: 2, block: 64, args: [$a]}]\n'
                    'dump: {a: a.out}\n')
        p = subprocess.run([os.path.join(build, 'corun'), 'run', app, '--quiet', '--json', '-',
                            '--gpu', 'maxwell16-duet', '--set', 'sm.count=1', '--set',
                            'sm.threads=64', '--alone', 'skip', '--until', 'end',
                            '--policy', 'gpuduet[me=1,deadlock=%s]' % remedy],
                           capture_output=True, text=True)
        result = json.loads(p.stdout)
        assert result['status'] == status, result['status']
        if status == 'deadlock':
            said = 'warp 0 waits at barrier 0, where 1 of 2 warps have arrived'
            assert said in p.stdout + p.stderr, p.stdout
            return
        with open(os.path.join(folder, 'a.out'), 'rb') as f:
            assert f.read() == (b'\0\0\0\0' * 32 + b'\1\0\0\0' * 32) * 2


def main(build):
    tap = Tap(one_in=8)
    for apps, gpu, sets in RUNS:
        for by, cycles in [('blocks', 200), ('warps', 200), ('any', 3000)]:
            tap.case('%s, %s, %s, %s take turns' % (' + '.join(apps), gpu, sets, by), turns, build,
                     apps, gpu, sets, '%s[by=%s,cycles=%d]' % (TURNS, by, cycles))
    for policy in OWN:
        tap.case('mm + bfs, %s' % policy, turns, build, ['mm', 'bfs'], 'maxwell16-duet',
                 SMALL + 'sm.threads=512', policy, 'window' not in policy)
    for by in 'blocks', 'warps':
        for way in 'ideal', ANYHOW:
            tap.case('turns of %s, blocks leave by %s' % (by, os.path.basename(way)), turns, build,
                     ['mm', 'bfs'], 'maxwell16', SMALL + 'sm.threads=512',
                     '%s[by=%s]+%s[cycles=3000]+%s' % (TURNS, by, SHUFFLE, way))
    for remedy, status in ('switch', 'completed'), ('pin', 'completed'), ('none', 'deadlock'):
        tap.case('a barrier behind absent warps: %s' % remedy, deadlock, build, remedy, status)
    tap.end()


if __name__ == '__main__':
    main(sys.argv[1])
