/* Kernels for tests of policies: `work` computes with shared memory, barriers, a loop, loads,
 * stores and an atomic; `spin` runs only a loop. */
#ifndef TEST_WORK_H
#define TEST_WORK_H

#include "rig.h"

static const char kernels[] = PTX_HEAD
    /* out[i] = 3 * in[i] + ..., through shared memory, a barrier, a loop and an atomic */
    ".visible .entry work(.param .u64 out, .param .u64 count)\n{\n"
    " .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .pred %p<3>;\n"
    " .shared .align 4 .b8 tile[512];\n"
    " ld.param.u64 %rd1, [out]; ld.param.u64 %rd5, [count];\n"
    " mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    " mad.lo.s32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;\n"
    " shl.b32 %r5, %r1, 2; mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; mov.u32 %r9, 0;\n"
    "LOOP: st.shared.u32 [%r7], %r9; bar.sync 0;\n"
    " xor.b32 %r8, %r5, 4; add.s32 %r8, %r6, %r8; ld.shared.u32 %r10, [%r8];\n"
    " ld.global.u32 %r11, [%rd3]; add.s32 %r11, %r11, 1; st.global.u32 [%rd3], %r11;\n"
    " bar.sync 0; add.s32 %r9, %r10, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra LOOP;\n"
    " membar.gl; atom.global.add.u32 %r11, [%rd5], %r9; ret;\n}\n"
    ".visible .entry spin(.param .u64 out, .param .u64 count)\n{\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>; mov.u32 %r1, 0;\n"
    "LOOP: add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 300; @%p1 bra LOOP; ret;\n}\n";

#endif
