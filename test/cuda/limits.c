/* Launches at the limits of a device and beyond: prints "all right", or the differences from a GPU.
 * */
#include <stdio.h>

#include "cuda/driver/api.h"
#include "cuda/include/cuda_runtime_api.h"
#include "test/cuda/fat.h"

static const char ptx[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
#define KERNEL(name, more, body)                                                                   \
    ".visible .entry " name "(.param .u64 p) " more "\n{ .reg .b64 %d; .reg .b32 %r; " body        \
    "ld.param.u64 %d, [p]; st.global.u32 [%d], 1; ret; }\n"
    KERNEL("plain", "", "")
    KERNEL("raised", "", "st.shared.u32 [dynamic], 1; ")
    KERNEL("both", "", ".shared .align 4 .b8 own[32768]; st.shared.u32 [own], 1;"
                       " st.shared.u32 [dynamic], 1; ")
    KERNEL("bounded", ".maxntid 64, 1, 1", "")
    KERNEL("fixed", ".reqntid 32, 2, 1", "")
    KERNEL("large", "", ".shared .align 4 .b8 all[49156]; st.shared.u32 [all], 1; ")
    /* 200 registers: too many for 1024 threads */
    ".visible .entry wide(.param .u64 p)\n{ .reg .b64 %d; .reg .b32 %r<200>; "
    "ld.param.u64 %d, [p]; ld.global.u32 %r0, [%d];\n";
static char plain, raised, both, bounded, fixed, large, wide;
static int *word;
static cudaStream_t stream;
static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};
enum { KB = 1024, MOST = 48 * KB };

static char text[1 << 16];

static void register_all(void)
{
    static struct fat_wrapper wrapper = {FAT_WRAPPER_MAGIC, 1, NULL, NULL};
    size_t n = (size_t)snprintf(text, sizeof text, "%s", ptx);
    for (int i = 1; i < 200; i++) /* all live at once */
        n += (size_t)snprintf(text + n, sizeof text - n, "add.u32 %%r%d, %%r%d, %%r0;\n", i, i - 1);
    for (int i = 199; i; i--)
        n += (size_t)snprintf(text + n, sizeof text - n, "st.global.u32 [%%d], %%r%d;\n", i);
    snprintf(text + n, sizeof text - n, "ret; }\n");
    char *fat = fat_of(text, (strlen(text) + 8) / 8 * 8, FAT_PTX);
    ((struct fat_entry *)(void *)(fat + sizeof(struct fat_header)))->arch = 60;
    wrapper.data = fat;
    void **m = __cudaRegisterFatBinary(&wrapper);
    char *const hosts[] = {&plain, &raised, &both, &bounded, &fixed, &large, &wide};
    const char *const names[] = {"plain", "raised", "both", "bounded", "fixed", "large", "wide"};
    for (int i = 0; i < 7; i++)
        __cudaRegisterFunction(m, hosts[i], hosts[i], names[i], -1, 0, 0, 0, 0, 0);
}

static int wrong;
#define IS(call, wanted)                                                                           \
    do {                                                                                           \
        int is_error = (int)(call);                                                                \
        cudaGetLastError();                                                                        \
        if (is_error != (int)(wanted)) {                                                           \
            wrong = 1;                                                                             \
            printf("line %d: %s is %s\n", __LINE__, #call,                                         \
                   cudaGetErrorName((cudaError_t)is_error));                                       \
        }                                                                                          \
    } while (0)

#define NEED(condition) IS((condition) ? cudaSuccess : cudaErrorUnknown, cudaSuccess)

static cudaError_t launch(const void *kernel, dim3 grid, dim3 block, size_t shared)
{
    void *arguments[] = {&word};
    return cudaLaunchKernel(kernel, grid, block, arguments, shared, NULL);
}

static cudaError_t launch_ex(const void *kernel, dim3 block, size_t shared)
{
    void *arguments[] = {&word};
    cudaLaunchConfig_t c = {.gridDim = one, .blockDim = block, .dynamicSmemBytes = shared};
    return cudaLaunchKernelExC(&c, kernel, arguments);
}

static cudaError_t together(const void *kernel, dim3 grid, dim3 block, size_t shared)
{
    void *arguments[] = {&word};
    return cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared, NULL);
}

/* In a graph: the node is refused, whether built or captured. */
static cudaError_t node(const void *kernel, dim3 block, unsigned shared)
{
    void *arguments[] = {&word};
    cudaGraph_t graph;
    cudaGraphNode_t made;
    struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)kernel, .gridDim = one,
                                     .blockDim = block, .sharedMemBytes = shared,
                                     .kernelParams = arguments};
    cudaGraphCreate(&graph, 0);
    cudaError_t built = cudaGraphAddKernelNode(&made, graph, NULL, 0, &p);
    cudaGraphDestroy(graph);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaError_t captured = cudaLaunchKernel(kernel, one, block, arguments, shared, stream);
    IS(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    IS(captured, built);
    return built;
}

static int fit(const void *kernel, int threads, size_t shared)
{
    int n = -1;
    IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared), cudaSuccess);
    return n > 0;
}

static void blocks(void)
{
    IS(launch(&plain, one, (dim3){1, 1, 64}, 0), cudaSuccess);
    IS(launch(&plain, one, (dim3){16, 1, 64}, 0), cudaSuccess);
    IS(launch(&plain, one, (dim3){1, 1024, 1}, 0), cudaSuccess);
    IS(launch(&plain, one, (dim3){1, 1, 65}, 0), cudaErrorInvalidConfiguration);
    IS(launch(&plain, one, (dim3){1, 1, 1024}, 0), cudaErrorInvalidConfiguration);
    IS(launch_ex(&plain, (dim3){2, 2, 128}, 0), cudaErrorInvalidConfiguration);
    IS(together(&plain, one, (dim3){1, 1, 65}, 0), cudaErrorInvalidConfiguration);
    IS(node(&plain, (dim3){1, 1, 65}, 0), cudaErrorInvalidConfiguration);
    IS(node(&plain, (dim3){1, 1, 64}, 0), cudaSuccess);
    IS(launch(&plain, one, (dim3){1025, 1, 1}, 0), cudaErrorInvalidConfiguration);
    IS(launch(&plain, one, (dim3){0, 1, 1}, 0), cudaErrorInvalidConfiguration);
    IS(launch(&plain, (dim3){1, 0, 1}, one, 0), cudaErrorInvalidConfiguration);
    IS(launch(&plain, (dim3){1, 65536, 1}, one, 0), cudaErrorInvalidConfiguration);
    IS(launch(&plain, (dim3){1, 1, 65536}, one, 0), cudaErrorInvalidConfiguration);
    IS(together(&plain, (dim3){10000, 1, 1}, (dim3){256, 1, 1}, 0),
       cudaErrorCooperativeLaunchTooLarge);
    IS(launch(&bounded, one, (dim3){64, 1, 1}, 0), cudaSuccess);
    IS(launch(&bounded, one, (dim3){65, 1, 1}, 0), cudaErrorInvalidConfiguration);
    IS(launch(&fixed, one, (dim3){32, 2, 1}, 0), cudaSuccess);
    IS(launch(&fixed, one, (dim3){64, 1, 1}, 0), cudaErrorInvalidConfiguration);
    IS(launch(&wide, one, (dim3){256, 1, 1}, 0), cudaSuccess);
    IS(launch(&wide, one, (dim3){1024, 1, 1}, 0), cudaErrorLaunchOutOfResources);
    IS(cudaDeviceSynchronize(), cudaSuccess);
}

static void shared_memory(int optin, int capability)
{
    const enum cudaFuncAttribute limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const cudaError_t no = cudaErrorInvalidValue, raises = optin > MOST ? cudaSuccess : no;
    struct cudaFuncAttributes a;
    size_t room;
    IS(launch(&plain, one, warp, MOST), cudaSuccess);
    IS(launch(&plain, one, warp, MOST + 4), no);
    IS(launch_ex(&plain, warp, MOST + 1), no);
    IS(together(&plain, one, warp, MOST + 4), no);
    IS(node(&plain, warp, MOST + 4), no);
    IS(node(&plain, warp, MOST), cudaSuccess);
    IS(launch(&both, one, warp, 16 * KB), cudaSuccess);
    IS(launch(&both, one, warp, 16 * KB + 16), no);
    NEED(fit(&plain, 32, MOST) && !fit(&plain, 32, MOST + 4) && !fit(&both, 32, 17 * KB));
    IS(cudaOccupancyAvailableDynamicSMemPerBlock(&room, &both, 1, 32), cudaSuccess);
    NEED(room == 16 * KB);
    IS(cudaFuncGetAttributes(&a, &both), cudaSuccess);
    NEED(a.maxDynamicSharedSizeBytes == 16 * KB && a.binaryVersion == capability);
    IS(cudaFuncSetAttribute(&raised, limit, 50000), raises);
    IS(launch(&raised, one, warp, 50000), raises);
    IS(launch(&raised, one, warp, 50004), no);
    IS(node(&raised, warp, 50000), raises);
    IS(launch(&plain, one, warp, 50000), no); /* the limit belongs to the kernel */
    IS(cudaFuncSetAttribute(&raised, limit, optin), cudaSuccess);
    IS(launch(&raised, one, warp, (size_t)optin), cudaSuccess);
    IS(cudaFuncSetAttribute(&raised, limit, optin + 4), no);
    IS(cudaFuncSetAttribute(&raised, limit, -1), no);
    IS(cudaFuncSetAttribute(&both, limit, optin - 32 * KB + 4), no);
    IS(cudaFuncSetAttribute(&both, limit, optin - 32 * KB), cudaSuccess);
    IS(launch(&both, one, warp, (size_t)optin - 32 * KB), cudaSuccess);
    IS(cudaFuncSetAttribute(&raised, limit, 1000), cudaSuccess); /* and down again */
    IS(launch(&raised, one, warp, 1000), cudaSuccess);
    IS(launch(&raised, one, warp, 1004), no);
    IS(cudaFuncSetAttribute(&raised, limit, 0), cudaSuccess);
    IS(launch(&raised, one, warp, 4), no);
    IS(cudaFuncGetAttributes(&a, &raised), cudaSuccess);
    NEED(a.maxDynamicSharedSizeBytes == 0);
    IS(launch(&large, one, warp, 0), cudaErrorInvalidPtx);
    IS(cudaDeviceSynchronize(), cudaSuccess);
}

static void driver(int optin)
{
    enum { MAX_DYNAMIC = 8 };
    CUmodule module;
    CUfunction f;
    void *arguments[] = {&word};
    const CUresult no = cudaErrorInvalidValue;
    IS(cuModuleLoadData(&module, text), CUDA_SUCCESS);
    IS(cuModuleGetFunction(&f, module, "raised"), CUDA_SUCCESS);
#define LAUNCH(x, y, z, shared) cuLaunchKernel(f, 1, 1, 1, x, y, z, shared, NULL, arguments, NULL)
    IS(LAUNCH(1, 1, 64, 4), CUDA_SUCCESS);
    IS(LAUNCH(1, 1, 65, 4), no);
    IS(LAUNCH(1025, 1, 1, 4), no);
    IS(LAUNCH(32, 1, 1, MOST), CUDA_SUCCESS);
    IS(LAUNCH(32, 1, 1, MOST + 4), no);
    IS(cuFuncSetAttribute(f, MAX_DYNAMIC, optin + 4), no);
    IS(cuFuncSetAttribute(f, MAX_DYNAMIC, optin), CUDA_SUCCESS);
    IS(LAUNCH(32, 1, 1, (unsigned)optin), CUDA_SUCCESS);
    IS(cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 65, 4, NULL, arguments), no);
    IS(cuCtxSynchronize(), CUDA_SUCCESS);
}

int main(void)
{
    struct cudaDeviceProp p;
    register_all();
    IS(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    IS(cudaMalloc((void **)&word, 4), cudaSuccess);
    IS(cudaStreamCreate(&stream), cudaSuccess);
    blocks();
    shared_memory((int)p.sharedMemPerBlockOptin, p.major * 10 + p.minor);
    driver((int)p.sharedMemPerBlockOptin);
    printf("%zu bytes, %s\n", p.sharedMemPerBlockOptin, wrong ? "wrong" : "all right");
    return wrong;
}
