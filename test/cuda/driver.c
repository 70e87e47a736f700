/* The driver API, beside the run-time API: prints "all right", or the failing check. */
#include "test/cuda/kernels.h"

#include "cuda/driver/api.h"
#include "cuda/fat_binary.h"

static CUdeviceptr word_of(unsigned value)
{
    CUdeviceptr p;
    CALL(cuMemAlloc_v2(&p, 4));
    CALL(cuMemcpyHtoD_v2(p, &value, 4));
    return p;
}

static unsigned word(CUdeviceptr p)
{
    unsigned value;
    CALL(cuMemcpyDtoH_v2(&value, p, 4));
    return value;
}

/* By name, for either default stream, through both APIs. */
static void entry_points(void)
{
    enum { PER_THREAD = 2 };
    void *plain, *own, *again;
    int status;
    CALL(cuGetProcAddress("cuLaunchKernel", &plain, 12000, 0));
    CALL(cuGetProcAddress("cuLaunchKernel", &own, 12000, PER_THREAD));
    NEED(plain && own && plain != own);
    CALL(cuGetProcAddress("cuCtxSynchronize", &again, 12000, PER_THREAD)); /* only one variant */
    NEED(again);
    CALL(cudaGetDriverEntryPoint("cuLaunchKernel", &again, 0, &status));
    NEED(again == plain && !status);
    CALL(cudaGetDriverEntryPoint_ptsz("cuLaunchKernel", &again, 0, NULL));
    NEED(again == own);
    CALL(cudaGetDriverEntryPointByVersion("cuNoSuch", &again, 12000, 0, &status));
    NEED(!again && status == 1);
}

static void error_names(void)
{
    const char *code, *sentence;
    CALL(cuGetErrorName(cudaErrorInvalidDevice, &code));
    NEED(!strcmp(code, "CUDA_ERROR_INVALID_DEVICE"));
    NEED(cuGetErrorName(12345, &code) == cudaErrorInvalidValue && !code);
    NEED(cuGetErrorString(12345, &sentence) == cudaErrorInvalidValue && !sentence);
}

/* Errors of code are errors of the call, not the end of the run. */
static void bad_code(void)
{
    CUmodule none;
    struct fat_header damaged[5] = {{.magic = FAT_MAGIC, .version = 1,
                                     .header_bytes = sizeof *damaged, .bytes = 64}};
    NEED(cuModuleLoadData(&none, "not code") == cudaErrorInvalidKernelImage);
    NEED(cuModuleLoadData(&none, "") == cudaErrorInvalidKernelImage);
    NEED(cuModuleLoadData(&none, ".version 99.0\n") == cudaErrorInvalidPtx);
    NEED(cuModuleLoadData(&none, ".version 7.0\n.target sm_70\n.entry k() {") ==
         cudaErrorInvalidPtx);
    NEED(cuModuleLoadData(&none, damaged) == cudaErrorInvalidKernelImage);
}

static void table_of(CUmodule mine)
{
    CUdeviceptr at;
    size_t bytes;
    CALL(cuModuleGetGlobal_v2(&at, &bytes, mine, "table"));
    NEED(bytes == 16);
    CALL(cuMemsetD16_v2(at, 0x0102, 8));
    NEED(word(at + 12) == 0x01020102);
    NEED(cuMemsetD16_v2(at + 1, 5, 2) == cudaErrorInvalidValue);
    NEED(cuMemsetD32_v2(at + 2, 5, 2) == cudaErrorInvalidValue);
    CALL(cuMemsetD32_v2(at, 7, 4));
    NEED(word(at) == 7);
}

int main(void)
{
    CUdevice device;
    CUcontext context, current;
    CUmodule mine;
    CUfunction f;
    CUstream stream;
    char name[64];
    int major, value;
    CALL(cuInit(0));
    CALL(cuDeviceGet(&device, 0));
    NEED(cuDeviceGet(&device, 1) == cudaErrorInvalidDevice);
    CALL(cuDeviceGetName(name, sizeof name, 0));
    CALL(cuDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    NEED(strstr(name, "corun") && major >= 5);
    CALL(cuCtxCreate_v2(&context, 0, 0));
    CALL(cuCtxGetCurrent(&current));
    NEED(current == context);
    bad_code();
    CALL(cuModuleLoadData(&mine, ptx)); /* text */
    NEED(cuModuleGetFunction(&f, mine, "none") == CUDA_ERROR_NOT_FOUND);
    CALL(cuModuleGetFunction(&f, mine, "change"));
    CALL(cuFuncGetAttribute(&value, 0, f));
    NEED(value >= 32);
    CALL(cuStreamCreate(&stream, 1));
    /* arguments one by one, then in a single buffer */
    CUdeviceptr p = word_of(1);
    unsigned plus = 1, times = 2, turns = 0;
    void *arguments[] = {&p, &plus, &times, &turns};
    CALL(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    struct {
        CUdeviceptr p;
        unsigned plus, times, turns;
    } all = {p, 2, 3, 0};
    size_t size = sizeof all;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &all, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CALL(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
    NEED(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL) == 400);
    error_names();
    CALL(cuStreamSynchronize(stream));
    NEED(word(p) == (4 + 2) * 3);
    size = 8;
    NEED(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra) == cudaErrorInvalidValue);
    size = sizeof all;
    NEED(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, extra) ==
         cudaErrorInvalidValue);
    table_of(mine);
    /* the run-time API's memory and streams are the same */
    unsigned *q;
    CALL(cudaMalloc((void **)&q, 4));
    CALL(cuMemsetD32Async((CUdeviceptr)q, 20, 1, stream));
    launch_change(q, 1, 2, 0, stream);
    CALL(cudaStreamSynchronize(stream));
    NEED(word((CUdeviceptr)q) == 42);
    CALL(cuMemFree_v2((CUdeviceptr)q));
    NEED(cudaFree(q) == cudaErrorInvalidValue);
    CUresult (*sync)(void) = NULL;
    CALL(cuGetProcAddress("cuCtxSynchronize", (void **)&sync, 12000, 0));
    NEED(sync && !sync());
    entry_points();
    CALL(cuModuleUnload(mine));
    CALL(cuCtxDestroy_v2(context));
    puts("all right");
    return 0;
}
