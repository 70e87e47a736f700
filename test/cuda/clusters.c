/* Clusters from the host's side: launch attributes, limits, errors, occupancy, in the run-time and
 * the driver API. Prints "all right", or the first wrong line; argument "old": on a machine without
 * clusters. */
#include "cuda/driver/api.h"
#include "test/cuda/fat.h"
#include "test/cuda/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* out[block] = blocks of the cluster * 100 + the rank that the next block of the cluster stored */
#define BODY                                                                                       \
    "{ .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 4 .b8 s[4];\n"                             \
    "ld.param.u64 %d1, [t]; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank;\n"      \
    "add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2; mov.u32 %r4, s;\n"                                \
    "mapa.shared::cluster.u32 %r5, %r4, %r3; barrier.cluster.arrive; barrier.cluster.wait;\n"      \
    "st.shared::cluster.u32 [%r5], %r1; barrier.cluster.arrive; barrier.cluster.wait;\n"           \
    "ld.shared.u32 %r6, [s]; mad.lo.u32 %r6, %r2, 100, %r6; mov.u32 %r7, %ctaid.x;\n"              \
    "mad.wide.u32 %d1, %r7, 4, %d1; st.global.u32 [%d1], %r6; ret; }\n"
__attribute__((section(".nv_fatbin"))) static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry free(.param .u64 t)\n" BODY
    ".visible .entry fixed(.param .u64 t) .reqnctapercluster 2, 1, 1 .explicitcluster\n" BODY
    ".visible .entry asks(.param .u64 t) .explicitcluster\n" BODY
    ".visible .entry limits(.param .u64 t) .maxclusterrank 4\n" BODY;
static char free_, fixed, asks, limits;

__attribute__((constructor)) static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    wrapper.data = fat_of(ptx, sizeof ptx, FAT_PTX);
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &free_, &free_, "free", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &fixed, &fixed, "fixed", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &asks, &asks, "asks", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(module, &limits, &limits, "limits", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

static unsigned *out;

static cudaLaunchAttribute shape_of(unsigned x, unsigned y)
{
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension};
    a.val.clusterDim.x = x;
    a.val.clusterDim.y = y;
    a.val.clusterDim.z = 1;
    return a;
}

/* Launches blocks in clusters of x * y; x 0: without the attribute. */
static cudaError_t launch(const void *kernel, unsigned blocks, unsigned x, unsigned y)
{
    cudaLaunchAttribute a = shape_of(x, y);
    cudaLaunchConfig_t c = {{blocks, 1, 1}, {32, 1, 1}, 0, NULL, &a, x ? 1 : 0};
    void *arguments[] = {&out};
    cudaError_t error = cudaLaunchKernelExC(&c, kernel, arguments);
    NEED(cudaGetLastError() == error);
    return error;
}

static void right(unsigned blocks, unsigned size)
{
    NEED(cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned k = 0; k < blocks; k++)
        NEED(out[k] == size * 100 + (k + size - 1) % size);
    memset(out, 0, 64 * sizeof *out);
}

static void launches(void)
{
    NEED(launch(&free_, 16, 8, 1) == cudaSuccess);
    right(16, 8);
    NEED(launch(&free_, 16, 0, 0) == cudaSuccess);
    right(16, 1);
    NEED(launch(&fixed, 16, 0, 0) == cudaSuccess);
    right(16, 2);
    NEED(launch(&fixed, 16, 2, 1) == cudaSuccess);
    right(16, 2);
    NEED(launch(&asks, 16, 4, 1) == cudaSuccess);
    right(16, 4);
    NEED(launch(&limits, 16, 4, 1) == cudaSuccess);
    right(16, 4);
    NEED(launch(&free_, 32, 16, 1) == cudaErrorInvalidClusterSize);
    NEED(launch(&fixed, 16, 4, 1) == cudaErrorInvalidClusterSize);
    NEED(launch(&asks, 16, 0, 0) == cudaErrorInvalidClusterSize);
    NEED(launch(&limits, 16, 8, 1) == cudaErrorInvalidClusterSize);
    NEED(launch(&free_, 15, 2, 1) == cudaErrorInvalidClusterSize);
    NEED(launch(&free_, 16, 4, 2) == cudaErrorInvalidClusterSize);
    NEED(launch(&free_, 16, 4, 0) == cudaErrorInvalidValue);
    NEED(cudaFuncSetAttribute(&free_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
         cudaSuccess);
    NEED(launch(&free_, 32, 16, 1) == cudaSuccess);
    right(32, 16);
    NEED(launch(&free_, 34, 17, 1) == cudaErrorInvalidClusterSize);
}

static void attributes(void)
{
    struct cudaFuncAttributes a;
    NEED(cudaFuncGetAttributes(&a, &fixed) == cudaSuccess);
    NEED(a.requiredClusterWidth == 2 && a.requiredClusterHeight == 1 && a.clusterDimMustBeSet);
    NEED(!a.nonPortableClusterSizeAllowed);
    NEED(cudaFuncGetAttributes(&a, &free_) == cudaSuccess);
    NEED(!a.requiredClusterWidth && !a.clusterDimMustBeSet && a.nonPortableClusterSizeAllowed);
}

/* A block of 1024 threads has half of an SM. GPCs of 16 and 18 SMs: 6 x 4 + 2 x 4 clusters of 8,
 * 6 x 2 + 2 x 2 clusters of 16. */
static void occupancy(void)
{
    int n = -1;
    cudaLaunchAttribute a = shape_of(8, 1);
    cudaLaunchConfig_t c = {{64, 1, 1}, {1024, 1, 1}, 0, NULL, &a, 1};
    NEED(cudaOccupancyMaxActiveClusters(&n, &free_, &c) == cudaSuccess && n == 32);
    a = shape_of(16, 1);
    NEED(cudaOccupancyMaxActiveClusters(&n, &free_, &c) == cudaSuccess && n == 16);
    NEED(cudaOccupancyMaxPotentialClusterSize(&n, &free_, &c) == cudaSuccess && n == 16);
    NEED(cudaOccupancyMaxPotentialClusterSize(&n, &limits, &c) == cudaSuccess && n == 4);
    NEED(cudaOccupancyMaxActiveClusters(&n, &asks, &c) == cudaErrorInvalidClusterSize && !n);
    NEED(cudaOccupancyMaxPotentialClusterSize(&n, &asks, &c) == cudaSuccess && n == 8);
}

/* Eleven GPCs of 12 SMs: 3 clusters of 8 each, none of 16. */
static void small_gpcs(void)
{
    int n = -1;
    cudaLaunchAttribute a = shape_of(8, 1);
    cudaLaunchConfig_t c = {{64, 1, 1}, {1024, 1, 1}, 0, NULL, &a, 1};
    NEED(cudaFuncSetAttribute(&free_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
         cudaSuccess);
    NEED(cudaOccupancyMaxActiveClusters(&n, &free_, &c) == cudaSuccess && n == 33);
    a = shape_of(16, 1);
    NEED(cudaOccupancyMaxActiveClusters(&n, &free_, &c) == cudaErrorInvalidClusterSize);
    NEED(cudaOccupancyMaxPotentialClusterSize(&n, &free_, &c) == cudaSuccess && n == 12);
}

static void driver(void)
{
    int n = -1;
    CUmodule module;
    CUfunction free_of, limits_of;
    cudaLaunchAttribute a = shape_of(16, 1);
    const CUlaunchConfig d = {.gridDimX = 64, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1024,
                              .blockDimY = 1, .blockDimZ = 1, .attrs = &a, .numAttrs = 1};
    NEED(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS);
    NEED(cuModuleGetFunction(&free_of, module, "free") == CUDA_SUCCESS);
    NEED(cuModuleGetFunction(&limits_of, module, "limits") == CUDA_SUCCESS);
    NEED(cuOccupancyMaxActiveClusters(&n, free_of, &d) == cudaErrorInvalidClusterSize);
    NEED(cuFuncSetAttribute(free_of, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
         CUDA_SUCCESS);
    NEED(cuOccupancyMaxActiveClusters(&n, free_of, &d) == CUDA_SUCCESS && n == 16);
    NEED(cuOccupancyMaxPotentialClusterSize(&n, limits_of, &d) == CUDA_SUCCESS && n == 4);
    NEED(cuFuncGetAttribute(&n, cudaFuncAttributeNonPortableClusterSizeAllowed, free_of) ==
             CUDA_SUCCESS && n == 1);
}

int main(int argc, char **argv)
{
    int supported = -1;
    bool old = argc > 1 && !strcmp(argv[1], "old");
    NEED(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0) == cudaSuccess);
    NEED(supported == !old);
    if (old) {
        NEED(launch(&free_, 16, 8, 1) == cudaErrorNotSupported);
        puts("all right");
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "small")) {
        small_gpcs();
        puts("all right");
        return 0;
    }
    NEED(cudaMallocManaged((void **)&out, 64 * sizeof *out, cudaMemAttachGlobal) == cudaSuccess);
    launches();
    attributes();
    occupancy();
    driver();
    puts("all right");
    return 0;
}
