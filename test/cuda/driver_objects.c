/* The driver API's arrays, textures, surfaces, linking and mapped memory: prints "all right", or
 * the failing check. */
#include "cuda/driver/api.h"
#include "test/cuda/kernels.h"
#include "test/cuda/textures.h"

/* Loads a module made by the linker; the linker's logs are empty. */
static CUmodule linked(void)
{
    enum { WALL_TIME = 2, INFO_LOG, INFO_LOG_BYTES };
    char log[16] = "not yet";
    int options[] = {WALL_TIME, INFO_LOG, INFO_LOG_BYTES};
    void *values[] = {log, log, (void *)sizeof log}, *image;
    size_t bytes;
    CUlinkState state;
    CUmodule mine;
    CALL(cuLinkCreate_v2(3, options, values, &state));
    NEED(!*log && cuLinkComplete(state, &image, &bytes) == cudaErrorInvalidValue);
    CALL(cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)texture_ptx,
                          sizeof texture_ptx, "look", 0, NULL, NULL));
    NEED(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, "/none.ptx", 0, NULL, NULL) ==
         cudaErrorFileNotFound);
    CALL(cuLinkComplete(state, &image, &bytes));
    CALL(cuModuleLoadData(&mine, image));
    CALL(cuLinkDestroy(state));
    return mine;
}

enum { WIDTH = 20, HEIGHT = 3 };

/* Texels of 8 bits, unsigned, read as parts of 1. */
static void textures(CUmodule mine)
{
    const CUDA_ARRAY_DESCRIPTOR d = {WIDTH, HEIGHT, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUDA_ARRAY_DESCRIPTOR again;
    CUarray array;
    CUfunction look;
    CUdeviceptr out;
    CUtexObject texture;
    unsigned char in[HEIGHT][WIDTH], back[HEIGHT][WIDTH] = {{0}};
    float got[WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) in[y][x] = (unsigned char)(50 * y + x);
    CALL(cuArrayCreate_v2(&array, &d));
    CALL(cuArrayGetDescriptor_v2(&again, array));
    NEED(again.Width == WIDTH && again.Height == HEIGHT && again.NumChannels == 1 &&
         again.Format == CU_AD_FORMAT_UNSIGNED_INT8);
    const CUDA_MEMCPY2D to = {.srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = in, .srcPitch = WIDTH,
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = array,
                              .WidthInBytes = WIDTH, .Height = HEIGHT};
    CALL(cuMemcpy2D_v2(&to));
    const CUDA_MEMCPY3D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array,
                                .srcXInBytes = 3, .srcY = 1, .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = back, .dstPitch = WIDTH, .dstXInBytes = 5,
                                .WidthInBytes = 4, .Height = 2, .Depth = 1};
    CALL(cuMemcpy3D_v2(&from));
    NEED(back[0][5] == 53 && back[1][8] == 106 && !back[1][9] && !back[2][5]);
    CALL(cuMemAlloc_v2(&out, sizeof got));
    const CUDA_RESOURCE_DESC r = {.resType = cudaResourceTypeArray, .res.array.hArray = array};
    const CUDA_TEXTURE_DESC t = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp}};
    CALL(cuTexObjectCreate(&texture, &r, &t, NULL));
    CALL(cuModuleGetFunction(&look, mine, "look"));
    void *arguments[] = {&texture, &out};
    CALL(cuLaunchKernel(look, 1, 1, 1, WIDTH, 1, 1, 0, NULL, arguments, NULL));
    CALL(cuMemcpyDtoH_v2(got, out, sizeof got));
    for (int x = 0; x < WIDTH; x++) NEED(got[x] == (float)(50 + x) / 255);
    CALL(cuTexObjectDestroy(texture));
    CALL(cuArrayDestroy(array));
}

static void surfaces(CUmodule mine)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1,
                                       cudaArraySurfaceLoadStore};
    CUarray array;
    CUfunction draw;
    CUsurfObject surface;
    unsigned back[WIDTH];
    CALL(cuArray3DCreate_v2(&array, &d));
    const CUDA_RESOURCE_DESC r = {.resType = cudaResourceTypeArray, .res.array.hArray = array};
    CALL(cuSurfObjectCreate(&surface, &r));
    CALL(cuModuleGetFunction(&draw, mine, "draw"));
    void *arguments[] = {&surface};
    CALL(cuLaunchKernel(draw, 1, 1, 1, WIDTH, 1, 1, 0, NULL, arguments, NULL));
    const CUDA_MEMCPY2D from = {.srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = array, .srcY = 1,
                                .srcXInBytes = 8, .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = back, .WidthInBytes = sizeof back - 8, .Height = 1};
    CALL(cuMemcpy2D_v2(&from));
    for (unsigned x = 2; x < WIDTH; x++) NEED(back[x - 2] == 10 * x);
    CUDA_MEMCPY2D between = from;
    between.srcXInBytes = 6; /* in the middle of a texel */
    NEED(cuMemcpy2D_v2(&between) == cudaErrorInvalidValue);
    CALL(cuSurfObjectDestroy(surface));
    CALL(cuArrayDestroy(array));
}

/* Two pieces in one range, written by a kernel; the first is then mapped elsewhere and keeps its
 * bytes. */
static void mapped(void)
{
    enum { SUPPORTED = 102 };
    const CUmemAllocationProp here = {.type = 1, .location = {cudaMemLocationTypeDevice, 0}};
    const CUmemAccessDesc all = {here.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle a, b;
    CUdeviceptr range, other;
    size_t granule;
    int supported;
    unsigned *word;
    CALL(cuDeviceGetAttribute(&supported, (enum cudaDeviceAttr)SUPPORTED, 0));
    CALL(cuMemGetAllocationGranularity(&granule, &here, 0));
    NEED(supported && granule);
    NEED(cuMemCreate(&a, granule + 1, &here, 0) == cudaErrorInvalidValue);
    CALL(cuMemCreate(&a, granule, &here, 0));
    CALL(cuMemCreate(&b, granule, &here, 0));
    CALL(cuMemAddressReserve(&range, 2 * granule, 0, 0, 0));
    CALL(cuMemAddressReserve(&other, granule, 4 * granule, 0, 0));
    NEED(range % granule == 0 && other % (4 * granule) == 0);
    CALL(cuMemMap(range, granule, 0, a, 0));
    CALL(cuMemMap(range + granule, granule, 0, b, 0));
    NEED(cuMemMap(other, granule, 0, b, 0) == cudaErrorNotSupported); /* already mapped */
    CALL(cuMemSetAccess(range, 2 * granule, &all, 1));
    CALL(cuMemsetD32_v2(range, 20, granule / 2)); /* both */
    word = (unsigned *)(uintptr_t)(range + granule);
    launch_change(word, 1, 2, 0, NULL);
    NEED(cuMemAddressFree(range, 2 * granule) == cudaErrorInvalidValue); /* mapped */
    CALL(cuMemUnmap(range, 2 * granule));
    NEED(cuMemUnmap(range, 2 * granule) == cudaErrorInvalidValue);
    CALL(cuMemRelease(a));
    NEED(cuMemRelease(a) == cudaErrorInvalidValue);
    CALL(cuMemAddressFree(range, 2 * granule));
    CALL(cuMemMap(other, granule, 0, b, 0));
    CALL(cuMemRelease(b));
    unsigned got[2];
    CALL(cuMemcpyDtoH_v2(got, other, sizeof got));
    NEED(got[0] == 42 && got[1] == 20);
    CALL(cuMemUnmap(other, granule));
    CALL(cuMemAddressFree(other, granule));
    NEED(cuMemAddressFree(other, granule) == cudaErrorInvalidValue);
}

/* Missing from the library: a call prints a message and returns. */
CUresult cuParamSetSize(CUfunction f, unsigned int bytes);

int main(void)
{
    CUcontext context;
    CALL(cuInit(0));
    CALL(cuCtxCreate_v2(&context, 0, 0));
    CUmodule mine = linked();
    textures(mine);
    surfaces(mine);
    mapped();
    NEED(cuParamSetSize(NULL, 0) == cudaErrorNotSupported);
    puts("all right");
    return 0;
}
