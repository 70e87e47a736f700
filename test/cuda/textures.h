/* Kernels with a texture to read and a surface to write. */
#ifndef TEST_TEXTURES_H
#define TEST_TEXTURES_H

static const char texture_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    /* out[thread] = the texel (x: thread, y: 1) of the texture */
    ".visible .entry look(.param .u64 texture, .param .u64 out)\n"
    "{ .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<5>;\n"
    "ld.param.u64 %d1, [texture]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x;\n"
    "cvt.rn.f32.u32 %f5, %r1; mov.f32 %f6, 0f3FC00000; add.f32 %f5, %f5, 0f3F000000;\n"
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];\n"
    "mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; st.global.f32 [%d2], %f1; ret; }\n"
    /* surface(thread, 1) = thread * 10 */
    ".visible .entry draw(.param .u64 surface)\n"
    "{ .reg .b32 %r<5>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [surface]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 10;\n"
    "mul.lo.u32 %r3, %r1, 4; mov.u32 %r4, 1;\n"
    "sust.b.2d.b32.trap [%d, {%r3, %r4}], {%r2}; ret; }\n";

#endif
