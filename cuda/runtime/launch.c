/* Launches, in every calling convention of the compilers, and queries of kernels. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"
#include "cuda/connection/module.h"
#include "cuda/runtime/stream_id.h"

struct configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    unsigned char *arguments; /* of cudaSetupArgument */
    size_t argument_bytes;
};
enum { NESTED = 8, ARGUMENTS_MAX = 32768 };
static _Thread_local struct configuration stack[NESTED];
static _Thread_local unsigned stack_n;

/* Returns the limit of dynamic shared memory. Source: CUDA C++ Programming Guide, compute
 * capability 7.x and later: 48 KB per block, unless the program has set the limit of the kernel. */
static uint32_t dynamic_most(const struct corun_function *f)
{
    const struct wire_device *d = corun_device();
    uint64_t most = d ? (uint64_t)d->attributes[cudaDevAttrMaxSharedMemoryPerBlock] : 0;
    if (f->max_dynamic_shared >= 0) return (uint32_t)f->max_dynamic_shared;
    return most > f->of.shared_bytes ? (uint32_t)(most - f->of.shared_bytes) : 0;
}

/* Returns the preferred shared memory of the kernel, in percent of the most, or -1. Model: the
 * carve-out of the kernel counts before its cache configuration, and that before the device's. The
 * names mean all, none and half of the largest shared memory (CUDA C++ Programming Guide, compute
 * capability 7.x; half: guess). */
static int32_t carveout_of(const struct corun_function *f)
{
    static const int32_t percent[] = {[cudaFuncCachePreferNone] = -1,
                                      [cudaFuncCachePreferShared] = 100,
                                      [cudaFuncCachePreferL1] = 0,
                                      [cudaFuncCachePreferEqual] = 50};
    enum cudaFuncCache cache = f->cache;
    if (f->carveout >= 0) return f->carveout;
    if (cache == cudaFuncCachePreferNone) cudaDeviceGetCacheConfig(&cache);
    return percent[cache];
}

/* ---- launches ---- */

struct how { /* launch attributes that have an effect */
    bool cooperative;
    int32_t priority;
    int32_t carveout; /* percent; -1: of the kernel */
    dim3 cluster;     /* x is 0: of the kernel */
    bool dependent;   /* programmatic dependent launch */
};
static const struct how usual = {
    .priority = WIRE_PRIORITY_OF_STREAM, .carveout = -1, .cluster = {0, 0, 0}};

static struct wire_launch wire_of(const struct corun_function *f, dim3 grid, dim3 block,
                                  size_t shared, struct how how)
{
    return (struct wire_launch){
        .grid = {grid.x, grid.y, grid.z},
        .block = {block.x, block.y, block.z},
        .shared_bytes = (uint32_t)shared,
        .cooperative = how.cooperative,
        .priority = how.priority,
        .dynamic_most = dynamic_most(f),
        .carveout = how.carveout >= 0 ? how.carveout : carveout_of(f),
        .cluster = {how.cluster.x, how.cluster.y, how.cluster.z},
        .large_clusters = f->large_clusters,
        .dependent = how.dependent};
}

static cudaError_t launch(const struct corun_function *f, dim3 grid, dim3 block, size_t shared,
                          cudaStream_t stream, const void *params, struct how how)
{
    if (shared > UINT32_MAX) return cudaErrorInvalidValue;
    struct wire_launch l = wire_of(f, grid, block, shared, how);
    l.stream = corun_stream(stream);
    struct corun_call c = {.call = CALL_LAUNCH, .at = {f->kernel}, .payload = &l,
                           .payload_bytes = sizeof l, .more = params,
                           .more_bytes = f->of.param_bytes};
    if (corun_is_captured(corun_stream(stream))) { /* rejects a node that no launch could execute */
        struct corun_call only_checked = c;
        only_checked.at[1] = 1;
        cudaError_t error = corun_do(&only_checked);
        if (error) return error;
    }
    return corun_queue(&c, corun_stream(stream));
}

static cudaError_t launch_with(const void *function, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream, struct how how)
{
    struct corun_function *f;
    cudaError_t error = corun_find_function(function, &f);
    if (error) return error;
    if (f->of.param_n && !arguments) return cudaErrorInvalidValue;
    unsigned char *params = calloc(1, f->of.param_bytes + 1u);
    if (!params) return cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < f->of.param_n; i++)
        memcpy(params + f->params[i].offset, arguments[i], f->params[i].size_bytes);
    error = launch(f, grid, block, shared, stream, params, how);
    free(params);
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    return corun_note(launch_with(function, grid, block, arguments, shared, stream, usual));
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t shared, cudaStream_t stream)
{
    struct how how = usual;
    how.cooperative = true;
    return corun_note(launch_with(function, grid, block, arguments, shared, stream, how));
}

/* Reads the attributes of a launch. */
static cudaError_t how_of(const cudaLaunchConfig_t *config, struct how *how)
{
    *how = usual;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        switch ((int)a->id) {
        case cudaLaunchAttributeCooperative: how->cooperative = a->val.cooperative != 0; break;
        case cudaLaunchAttributePriority: how->priority = wire_priority(a->val.priority); break;
        case cudaLaunchAttributeProgrammaticStreamSerialization:
            how->dependent = a->val.programmaticStreamSerializationAllowed != 0;
            break;
        case cudaLaunchAttributePreferredSharedMemoryCarveout:
            how->carveout = a->val.sharedMemCarveout <= 100 ? (int32_t)a->val.sharedMemCarveout
                                                            : -1;
            break;
        case cudaLaunchAttributeClusterDimension:
            how->cluster =
                (dim3){a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
            if (!how->cluster.x || !how->cluster.y || !how->cluster.z)
                return cudaErrorInvalidValue;
            break;
        default: break;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments)
{
    struct how how;
    if (!config) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = how_of(config, &how);
    if (error) return corun_note(error);
    return corun_note(launch_with(function, config->gridDim, config->blockDim, arguments,
                                  config->dynamicSmemBytes, config->stream, how));
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    struct corun_function *f = NULL;
    cudaError_t error = corun_find_function(function, &f);
    *kernel = (cudaKernel_t)(void *)f; /* the launch reports errors of the module */
    return corun_note(error);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                         struct CUstream_st *stream)
{
    if (stack_n == NESTED) return 1;
    struct configuration *c = &stack[stack_n++];
    c->grid = grid;
    c->block = block;
    c->shared = shared;
    c->stream = stream;
    c->argument_bytes = 0;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!stack_n) return corun_note(cudaErrorMissingConfiguration);
    const struct configuration *c = &stack[--stack_n];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    memcpy(stream, &c->stream, sizeof c->stream);
    return cudaSuccess;
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    return corun_note(__cudaPushCallConfiguration(grid, block, shared, stream)
                          ? cudaErrorInvalidConfiguration
                          : cudaSuccess);
}

cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset)
{
    if (!stack_n) return corun_note(cudaErrorMissingConfiguration);
    struct configuration *c = &stack[stack_n - 1];
    if (offset > ARGUMENTS_MAX || size > ARGUMENTS_MAX - offset)
        return corun_note(cudaErrorInvalidValue);
    if (!c->arguments) c->arguments = calloc(1, ARGUMENTS_MAX);
    if (!c->arguments) return corun_note(cudaErrorMemoryAllocation);
    memcpy(c->arguments + offset, argument, size);
    if (c->argument_bytes < offset + size) c->argument_bytes = offset + size;
    return cudaSuccess;
}

cudaError_t cudaLaunch(const void *function)
{
    struct corun_function *f;
    static const unsigned char none[1];
    if (!stack_n) return corun_note(cudaErrorMissingConfiguration);
    const struct configuration *c = &stack[--stack_n];
    cudaError_t error = corun_find_function(function, &f);
    if (!error && c->argument_bytes < f->of.param_bytes) error = cudaErrorInvalidValue;
    if (!error)
        error = launch(f, c->grid, c->block, c->shared, c->stream,
                       f->of.param_bytes ? c->arguments : none, usual);
    return corun_note(error);
}

/* ---- queries ---- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
    struct corun_function *f;
    const struct wire_device *d = corun_device();
    if (!a) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_find_function(function, &f);
    if (error) return corun_note(error);
    memset(a, 0, sizeof *a);
    a->sharedSizeBytes = f->of.shared_bytes;
    a->constSizeBytes = f->of.const_bytes;
    a->localSizeBytes = f->of.local_bytes;
    a->maxThreadsPerBlock = (int)f->of.block_threads;
    a->numRegs = (int)f->of.registers;
    a->ptxVersion = (int)f->of.ptx_version;
    a->binaryVersion = d->attributes[cudaDevAttrComputeCapabilityMajor] * 10 +
                       d->attributes[cudaDevAttrComputeCapabilityMinor];
    a->maxDynamicSharedSizeBytes = (int)dynamic_most(f);
    a->preferredShmemCarveout = f->carveout;
#if CUDART_VERSION >= 12000
    a->clusterDimMustBeSet = (int)f->of.needs_cluster;
    a->requiredClusterWidth = (int)f->of.cluster[0];
    a->requiredClusterHeight = (int)f->of.cluster[1];
    a->requiredClusterDepth = (int)f->of.cluster[2];
    a->nonPortableClusterSizeAllowed = f->large_clusters;
#endif
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    struct corun_function *f;
    cudaError_t error = name ? corun_find_function(function, &f) : cudaErrorInvalidValue;
    if (!error) *name = f->name;
    return corun_note(error);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct corun_function *f;
    const struct wire_device *d = corun_device();
    cudaError_t error = corun_find_function(function, &f);
    if (error) return corun_note(error);
    int most = d->attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] - (int)f->of.shared_bytes;
    switch ((int)attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > most) return corun_note(cudaErrorInvalidValue);
        f->max_dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->large_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return value < 0 || value > 2 ? corun_note(cudaErrorInvalidValue) : cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return corun_note(cudaErrorInvalidValue);
        f->carveout = value;
        return cudaSuccess;
    default: return corun_note(cudaErrorInvalidValue);
    }
}

static cudaError_t must_be_found(const void *function)
{
    struct corun_function *f;
    return corun_note(corun_find_function(function, &f));
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    struct corun_function *f;
    cudaError_t error = corun_find_function(function, &f);
    if (!error && config > cudaFuncCachePreferEqual) error = cudaErrorInvalidValue;
    if (!error) f->cache = config;
    return corun_note(error);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    (void)config;
    return must_be_found(function);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size, size_t shared)
{
    struct corun_function *f;
    if (!blocks || block_size <= 0 || shared > UINT32_MAX) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = corun_find_function(function, &f);
    if (error) return corun_note(error);
    struct corun_call c = {.call = CALL_OCCUPANCY,
                           .at = {f->kernel, (uint64_t)block_size, shared, dynamic_most(f),
                                  (uint64_t)(int64_t)carveout_of(f)}};
    error = corun_do(&c);
    *blocks = (int)c.got[0];
    return corun_note(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int block_size, size_t shared,
                                                                   unsigned int flags)
{
    if (flags > cudaOccupancyDisableCachingOverride) return corun_note(cudaErrorInvalidValue);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}

/* Finds by bisection the largest dynamic shared memory with which `blocks` blocks fit on an SM. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *function,
                                                      int blocks, int block_size)
{
    const struct wire_device *d = corun_device();
    size_t low = 0, high = d ? (size_t)d->attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] : 0;
    if (!shared) return corun_note(cudaErrorInvalidValue);
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        int fit = 0;
        cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function,
                                                                          block_size, middle);
        if (error) return error;
        if (fit >= blocks) low = middle;
        else high = middle - 1;
    }
    *shared = low;
    return cudaSuccess;
}

/* ---- occupancy of clusters ---- */

static cudaError_t clusters_ask(const void *function, const cudaLaunchConfig_t *config,
                                bool largest, uint64_t got[2])
{
    struct corun_function *f;
    struct how how;
    if (!config || config->dynamicSmemBytes > UINT32_MAX) return cudaErrorInvalidValue;
    cudaError_t error = corun_find_function(function, &f);
    if (!error) error = how_of(config, &how);
    if (error) return error;
    struct wire_launch l =
        wire_of(f, config->gridDim, config->blockDim, config->dynamicSmemBytes, how);
    struct corun_call c = {.call = CALL_OCCUPANCY_CLUSTERS, .at = {f->kernel, largest},
                           .payload = &l, .payload_bytes = sizeof l};
    error = corun_do(&c);
    got[0] = c.got[0];
    got[1] = c.got[1];
    return error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    uint64_t got[2] = {0};
    if (!clusters) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = clusters_ask(function, config, false, got);
    *clusters = (int)got[0];
    return corun_note(error);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    uint64_t got[2] = {0};
    if (!blocks) return corun_note(cudaErrorInvalidValue);
    cudaError_t error = clusters_ask(function, config, true, got);
    *blocks = (int)got[1];
    return corun_note(error);
}
