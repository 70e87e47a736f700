/* Kernels as PTX in a fat binary, and their registration, written out as by a compiler. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/include/cuda_runtime_api.h"
#include "test/cuda/fat.h"
#include "test/cuda/need.h"

/* The section is where compilers put their fat binaries. */
__attribute__((section(".nv_fatbin"))) static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .b8 factor[4];\n"
    ".visible .global .align 4 .b8 table[16];\n"
    ".visible .global .align 4 .u32 shared_count = 40;\n"
    /* c[i] = a[i] + b[i] for i < n */
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [n];\n"
    "setp.ge.u32 %p, %r4, %r5; @%p ret;\n"
    "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
    "mul.wide.u32 %d4, %r4, 4; add.u64 %d1, %d1, %d4; add.u64 %d2, %d2, %d4;\n"
    "add.u64 %d3, %d3, %d4; ld.global.u32 %r6, [%d1]; ld.global.u32 %r7, [%d2];\n"
    "add.u32 %r6, %r6, %r7; st.global.u32 [%d3], %r6; ret; }\n"
    /* *p = (*p + plus) * times, after n turns of a loop */
    ".visible .entry change(.param .u64 p, .param .u32 plus, .param .u32 times, .param .u32 n)\n"
    "{ .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p]; ld.param.u32 %r1, [plus]; ld.param.u32 %r2, [times];\n"
    "ld.param.u32 %r3, [n];\n"
    "again: setp.eq.u32 %p, %r3, 0; @%p bra done; sub.u32 %r3, %r3, 1; bra again;\n"
    "done: ld.global.u32 %r4, [%d]; add.u32 %r4, %r4, %r1; mul.lo.u32 %r4, %r4, %r2;\n"
    "st.global.u32 [%d], %r4; ret; }\n"
    /* *p = factor * table[3]; shared_count += 2 */
    ".visible .entry variables(.param .u64 p)\n"
    "{ .reg .b32 %r<4>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p]; ld.const.u32 %r1, [factor]; ld.global.u32 %r2, [table+12];\n"
    "mul.lo.u32 %r1, %r1, %r2; st.global.u32 [%d], %r1; ld.global.u32 %r3, [shared_count];\n"
    "add.u32 %r3, %r3, 2; st.global.u32 [shared_count], %r3; ret; }\n"
    /* printf("kernel %d\n", n) */
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n"
    ".global .align 1 .b8 says[11] = {107, 101, 114, 110, 101, 108, 32, 37, 100, 10, 0};\n"
    ".visible .entry say(.param .u32 n)\n"
    "{ .local .align 8 .b8 values[8]; .reg .b32 %r1; .reg .b64 %d<3>;\n"
    "ld.param.u32 %r1, [n]; mov.u64 %d1, values; st.local.u32 [%d1], %r1;\n"
    "cvta.local.u64 %d1, %d1; mov.u64 %d2, says; cvta.global.u64 %d2, %d2;\n"
    "{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %d2;\n"
    "st.param.b64 [v], %d1; call.uni (r), vprintf, (f, v); }\n"
    "ret; }\n"
    /* p[0] = %globaltimer, p[1] = the same ns later */
    ".visible .entry wait(.param .u64 p, .param .u64 ns)\n"
    "{ .reg .pred %p; .reg .b64 %d<5>;\n"
    "ld.param.u64 %d0, [p]; ld.param.u64 %d1, [ns]; mov.u64 %d2, %globaltimer;\n"
    "again: mov.u64 %d3, %globaltimer; sub.u64 %d4, %d3, %d2; setp.lt.u64 %p, %d4, %d1;\n"
    "@%p bra again; st.global.u64 [%d0], %d2; st.global.u64 [%d0+8], %d3; ret; }\n"
    /* *p = malloc(bytes) != 0 */
    ".extern .func (.param .b64 address) malloc(.param .b64 bytes);\n"
    ".visible .entry grab(.param .u64 p, .param .u64 bytes)\n"
    "{ .reg .pred %p; .reg .b32 %r; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [bytes];\n"
    "{ .param .b64 n; .param .b64 a; st.param.b64 [n], %d2; call.uni (a), malloc, (n);\n"
    "ld.param.b64 %d3, [a]; }\n"
    "setp.ne.u64 %p, %d3, 0; selp.u32 %r, 1, 0, %p; st.global.u32 [%d1], %r; ret; }\n";

/* Host symbols of the kernels and variables. */
static char add, change, variables, say, grab, wait_ns, factor, table;
static int *shared_count;

static void **module;
#ifndef TEST_CUBIN
#define TEST_CUBIN 0 /* 1: machine code instead */
#endif
#ifndef TEST_LINKED
#define TEST_LINKED 0 /* 1: registered like objects linked for the device */
#endif

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, TEST_LINKED ? FAT_LINKED : 1, NULL,
                                         NULL};
    void *fat = fat_of(ptx, sizeof ptx, TEST_CUBIN ? FAT_CUBIN : FAT_PTX);
    wrapper.data = fat;
    static void *objects[2];
    if (TEST_LINKED) { /* machine code alone, and the object's own */
        static struct fat_header none = {FAT_MAGIC, 1, sizeof none, 0};
        objects[0] = fat;
        wrapper.data = &none;
        wrapper.more = objects;
    }
    module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &add, &add, "add", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &change, &change, "change", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &variables, &variables, "variables", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &say, &say, "say", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &grab, &grab, "grab", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &wait_ns, &wait_ns, "wait", -1, 0, 0, 0, 0, 0);
    __cudaRegisterVar(module, &factor, &factor, "factor", 0, 4, 1, 0);
    __cudaRegisterVar(module, &table, &table, "table", 0, 16, 0, 0);
    __cudaRegisterManagedVar(module, (void **)&shared_count, (char *)&shared_count, "shared_count",
                             0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

#define CALL(call)                                                                                 \
    do {                                                                                           \
        cudaError_t call_error = (call);                                                           \
        if (call_error) {                                                                          \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(call_error));          \
            exit(8);                                                                               \
        }                                                                                          \
    } while (0)

static inline void launch_change(unsigned *p, unsigned plus, unsigned times, unsigned turns,
                                 cudaStream_t stream)
{
    void *arguments[] = {&p, &plus, &times, &turns};
    const dim3 one = {1, 1, 1};
    CALL(cudaLaunchKernel(&change, one, one, arguments, 0, stream));
}

#endif
