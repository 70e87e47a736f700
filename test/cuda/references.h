/* Kernels with texture references to read and a surface reference to write. */
#ifndef TEST_REFERENCES_H
#define TEST_REFERENCES_H

/* out[thread] = the texel of `line` (x: thread + from), of `plane` (x: thread, y: 1); of_level:
 * out[0] = the first texel of the first level of `plane` */
static const char one_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".global .texref line;\n.global .texref plane;\n"
    ".visible .entry of_line(.param .u64 out, .param .u32 from)\n"
    "{ .reg .b32 %r<4>; .reg .f32 %f<5>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [out]; ld.param.u32 %r1, [from]; mov.u32 %r2, %tid.x;\n"
    "add.u32 %r3, %r1, %r2; tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [line, {%r3}];\n"
    "mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2; st.global.f32 [%d3], %f1; ret; }\n"
    ".visible .entry of_plane(.param .u64 out)\n"
    "{ .reg .b32 %r; .reg .f32 %f<7>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [out]; mov.u32 %r, %tid.x; cvt.rn.f32.u32 %f5, %r;\n"
    "add.f32 %f5, %f5, 0f3F000000; mov.f32 %f6, 0f3FC00000;\n"
    "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [plane, {%f5, %f6}];\n"
    "mul.wide.u32 %d2, %r, 4; add.u64 %d3, %d1, %d2; st.global.f32 [%d3], %f1; ret; }\n"
    ".visible .entry of_level(.param .u64 out)\n"
    "{ .reg .f32 %f<6>; .reg .b64 %d; ld.param.u64 %d, [out]; mov.f32 %f5, 0f00000000;\n"
    "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [plane, {%f5, %f5}], %f5;\n"
    "st.global.f32 [%d], %f1; ret; }\n";
/* board(thread, 1) = thread * 10, in a separate module */
static const char two_ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.global .surfref board;\n"
    ".visible .entry draw()\n"
    "{ .reg .b32 %r<5>; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, 10; mul.lo.u32 %r3, %r1, 4;\n"
    "mov.u32 %r4, 1; sust.b.2d.b32.trap [board, {%r3, %r4}], {%r2}; ret; }\n";

#endif
