/* Modules and their kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/connection/module.h"
#include "cuda/driver/driver.h"
#include "cuda/fat_binary.h"

unsigned char *driver_fat_of_text(const char *text, size_t *bytes)
{
    const size_t size = (strlen(text) + 8) / 8 * 8; /* including a terminating zero */
    struct fat_header h = {.magic = FAT_MAGIC, .version = 1, .header_bytes = sizeof h,
                           .bytes = sizeof(struct fat_entry) + size};
    struct fat_entry e = {.kind = FAT_PTX, .version = 0x101, .header_bytes = sizeof e,
                          .bytes = size, .arch = 30};
    const char *target = strstr(text, ".target sm_");
    if (target) e.arch = (uint32_t)strtoul(target + strlen(".target sm_"), NULL, 10);
    unsigned char *fat = calloc(1, sizeof h + sizeof e + size);
    if (!fat) abort();
    memcpy(fat, &h, sizeof h);
    memcpy(fat + sizeof h, &e, sizeof e);
    memcpy(fat + sizeof h + sizeof e, text, strlen(text));
    *bytes = sizeof h + sizeof e + size;
    return fat;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
    if (!module || !image) return cudaErrorInvalidValue;
    const struct fat_wrapper *w = image;
    if (w->magic == FAT_WRAPPER_MAGIC) image = w->data;
    if (fat_bytes(image)) return corun_module(image, fat_bytes(image), module);
    if (!memcmp(image, elf, sizeof elf)) {
        fprintf(stderr, "corun: cuModuleLoadData: found machine code; load PTX or a fat binary "
                "with PTX\n");
        return cudaErrorInvalidKernelImage;
    }
    size_t bytes;
    unsigned char *fat = driver_fat_of_text(image, &bytes);
    cudaError_t error = corun_module(fat, bytes, module);
    bool is_ptx = strstr(image, ".version");
    free(fat);
    if (error == cudaErrorInvalidKernelImage) return is_ptx ? cudaErrorInvalidPtx : error;
    return error == cudaErrorNoKernelImageForDevice ? cudaErrorInvalidPtx : error;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, int *options,
                            void **values)
{
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fat)
{
    return cuModuleLoadData(module, fat);
}

char *driver_read(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t n = 0, room = 0, got;
    if (!f) return NULL;
    do {
        room = room ? 2 * room : 1 << 16;
        data = realloc(data, room + 1);
        if (!data) abort();
        got = fread(data + n, 1, room - n, f);
        n += got;
    } while (got);
    fclose(f);
    data[n] = 0;
    *bytes = n;
    return data;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    size_t n;
    char *data = path ? driver_read(path, &n) : NULL;
    if (!data) return cudaErrorFileNotFound;
    bool whole = n >= sizeof(struct fat_header) && (!fat_bytes(data) || fat_bytes(data) <= n);
    CUresult error = whole ? cuModuleLoadData(module, data) : cudaErrorInvalidKernelImage;
    free(data);
    return error;
}

/* The module remains loaded: its kernels and variables may still be in use. */
CUresult cuModuleUnload(CUmodule module)
{
    return module ? cudaDeviceSynchronize() : cudaErrorInvalidResourceHandle;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    struct corun_function *f;
    if (!function || !module || !name) return cudaErrorInvalidValue;
    cudaError_t error = corun_module_function(module, name, &f);
    *function = (CUfunction)(void *)f;
    return result(error);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name)
{
    uint64_t at, size;
    if (!module || !name) return cudaErrorInvalidValue;
    cudaError_t error = corun_module_variable(module, name, &at, &size);
    if (error) return result(error);
    if (address) *address = at;
    if (bytes) *bytes = size;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    struct cudaFuncAttributes a;
    if (!value) return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&a, function);
    if (error) return result(error);
    const int values[] = {a.maxThreadsPerBlock, (int)a.sharedSizeBytes, (int)a.constSizeBytes,
                          (int)a.localSizeBytes, a.numRegs, a.ptxVersion, a.binaryVersion,
                          a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout,
                          a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
                          a.requiredClusterDepth, a.nonPortableClusterSizeAllowed,
                          a.clusterSchedulingPolicyPreference};
    if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    return result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, enum cudaFuncCache config)
{
    return result(cudaFuncSetCacheConfig(function, config));
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, enum cudaSharedMemConfig config)
{
    return result(cudaFuncSetSharedMemConfig(function, config));
}

/* ---- launches ---- */

/* Returns the buffer of all arguments given in `extra`; NULL: no buffer. */
static unsigned char *buffer_of(void **extra, size_t *size)
{
    unsigned char *buffer = NULL;
    for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) *size = *(size_t *)extra[1];
    }
    return buffer;
}

/* Prepares a launch: finds the function and binds the references of its module. */
static cudaError_t prepare(CUfunction function, struct corun_function **f)
{
    if (!function) return cudaErrorInvalidResourceHandle;
    cudaError_t error = corun_find_function(function, f);
    if (error == cudaErrorInvalidDeviceFunction) error = cudaErrorInvalidResourceHandle;
    return error ? error : driver_bind((CUmodule)(*f)->module);
}

static cudaLaunchConfig_t config_of(const CUlaunchConfig *c)
{
    return (cudaLaunchConfig_t){{c->gridDimX, c->gridDimY, c->gridDimZ},
                                {c->blockDimX, c->blockDimY, c->blockDimZ},
                                c->sharedMemBytes, c->hStream, c->attrs, c->numAttrs};
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra)
{
    struct corun_function *f;
    if (!c || (params && extra)) return cudaErrorInvalidValue;
    cudaError_t error = prepare(function, &f);
    if (error) return result(error);
    size_t size = 0;
    unsigned char *buffer = params ? NULL : buffer_of(extra, &size);
    void **places = params;
    if (buffer) {
        if (size < f->of.param_bytes) return cudaErrorInvalidValue;
        places = calloc(f->of.param_n + 1u, sizeof(void *));
        if (!places) abort();
        for (uint32_t i = 0; i < f->of.param_n; i++) places[i] = buffer + f->params[i].offset;
    }
    if (f->of.param_n && !places) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t config = config_of(c);
    error = cudaLaunchKernelExC(&config, function, places);
    if (buffer) free(places);
    return result(error);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **params,
                        void **extra)
{
    const CUlaunchConfig c = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                              NULL, 0};
    return cuLaunchKernelEx(&c, function, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void **params)
{
    struct corun_function *f;
    cudaError_t error = prepare(function, &f);
    if (error) return result(error);
    return result(cudaLaunchCooperativeKernel(function, (dim3){grid_x, grid_y, grid_z},
                                              (dim3){block_x, block_y, block_z}, params, shared,
                                              stream));
}

CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data)
{
    return cudaLaunchHostFunc(stream, function, data);
}

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared)
{
    return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                                shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared,
                                                              unsigned int flags)
{
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config)
{
    if (!config) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t c = config_of(config);
    return result(cudaOccupancyMaxActiveClusters(clusters, function, &c));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function,
                                            const CUlaunchConfig *config)
{
    if (!config) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t c = config_of(config);
    return result(cudaOccupancyMaxPotentialClusterSize(blocks, function, &c));
}

/* Finds the block size, in whole warps, with the most threads per SM; among equal sizes, the
 * largest. */
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize of, size_t shared, int limit)
{
    struct cudaFuncAttributes a;
    int sms = 0, most = 0;
    if (!grid || !block) return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&a, function);
    if (!error) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    int size = a.maxThreadsPerBlock;
    if (limit && limit < size) size = limit;
    for (size = size / 32 * 32; size && !error; size -= 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, size,
                                                              of ? of(size) : shared);
        if (blocks * size <= most) continue;
        most = blocks * size;
        *block = size;
        *grid = blocks * sms;
    }
    return result(error);
}
