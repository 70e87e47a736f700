/* Blocks per SM of a kernel with 8 KB of shared memory by its preference for the size of shared
 * memory: prints the numbers. */
#include "test/cuda/kernels.h"

enum { SHARED = 8192, THREADS = 256 };

static void show(void)
{
    int blocks = -1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add, THREADS, SHARED)) exit(7);
    static const char *before = "";
    printf("%s%d", before, blocks);
    before = " ";
}

static void prefer(int percent)
{
    const enum cudaFuncAttribute carveout = cudaFuncAttributePreferredSharedMemoryCarveout;
    if (cudaFuncSetAttribute(&add, carveout, percent)) exit(7);
    show();
}

static void name(enum cudaFuncCache of_kernel, enum cudaFuncCache of_device)
{
    if (cudaFuncSetCacheConfig(&add, of_kernel)) exit(7);
    if (cudaDeviceSetCacheConfig(of_device)) exit(7);
    show();
}

int main(void)
{
    show();
    prefer(0);
    prefer(25);
    prefer(100);
    if (cudaFuncSetAttribute(&add, cudaFuncAttributePreferredSharedMemoryCarveout, -1)) return 7;
    name(cudaFuncCachePreferL1, cudaFuncCachePreferNone);
    name(cudaFuncCachePreferEqual, cudaFuncCachePreferL1);
    name(cudaFuncCachePreferNone, cudaFuncCachePreferL1);
    name(cudaFuncCachePreferNone, cudaFuncCachePreferShared);
    printf("\n");
    return 0;
}
