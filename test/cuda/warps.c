/* Kernels whose threads of a warp progress independently, as on every device of capability 7.0 and
 * later: all threads take the same lock; threads still in a loop shuffle among themselves. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/include/cuda_runtime_api.h"
#include "test/cuda/fat.h"

__attribute__((section(".nv_fatbin"))) static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    /* p[0]: the lock, p[1]: number of times taken */
    ".visible .entry lock(.param .u64 p)\n"
    "{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d; ld.param.u64 %d, [p];\n"
    "again: atom.global.cas.b32 %r1, [%d], 0, 1; setp.ne.u32 %p, %r1, 0; @%p bra again;\n"
    "ld.volatile.global.u32 %r2, [%d+4]; add.u32 %r2, %r2, 1;\n"
    "st.volatile.global.u32 [%d+4], %r2; membar.gl; atom.global.exch.b32 %r1, [%d], 0; ret; }\n"
    /* p[lane] = 31 for each turn; lane n makes n turns */
    ".visible .entry loop(.param .u64 p)\n"
    "{ .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<3>; ld.param.u64 %d1, [p];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
    "again: setp.ge.u32 %p, %r2, %r1; @%p bra done; add.u32 %r2, %r2, 1;\n"
    "shl.b32 %r4, -1, %r2; shfl.sync.idx.b32 %r5, %r1, 31, 31, %r4;\n"
    "add.u32 %r3, %r3, %r5; bra again;\n"
    "done: mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r3; ret; }\n";
static char lock, loop;

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(ptx, sizeof ptx, FAT_PTX);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &lock, &lock, "lock", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &loop, &loop, "loop", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

static void run(const void *kernel, unsigned blocks, unsigned *p)
{
    void *arguments[] = {&p};
    const dim3 grid = {blocks, 1, 1}, block = {32, 1, 1};
    if (cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL) || cudaDeviceSynchronize())
        exit(8);
}

int main(void)
{
    void *memory;
    unsigned *p, wrong = 0;
    if (cudaMallocManaged(&memory, 256, cudaMemAttachGlobal)) return 9;
    p = memory;
    p[0] = p[1] = 0;
    run(&lock, 4, p);
    printf("lock taken %u times\n", p[1]);
    run(&loop, 1, p);
    for (unsigned i = 0; i < 32; i++) wrong += p[i] != 31 * i;
    printf("shuffles wrong %u\n", wrong);
    return 0;
}
