/* C++ interface of the run-time API: typed pointers, symbols by reference, kernels by name, and
 * default arguments. */
#ifndef CORUN_CUDA_RUNTIME_TEMPLATES_H
#define CORUN_CUDA_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

/* ---- memory ---- */
template <class _Tp> static inline cudaError_t cudaMalloc(_Tp **pointer, size_t size)
{
    return ::cudaMalloc((void **)pointer, size);
}
template <class _Tp> static inline cudaError_t cudaMallocHost(_Tp **pointer, size_t size,
                                                            unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)pointer, size, flags);
}
template <class _Tp>
static inline cudaError_t cudaHostAlloc(_Tp **pointer, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)pointer, size, flags);
}
template <class _Tp>
static inline cudaError_t cudaHostGetDevicePointer(_Tp **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)device, host, flags);
}
template <class _Tp> static inline cudaError_t cudaMallocManaged(
    _Tp **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)pointer, size, flags);
}
template <class _Tp> static inline cudaError_t cudaMallocPitch(_Tp **pointer, size_t *pitch,
                                                             size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)pointer, pitch, width, height);
}
template <class _Tp>
static inline cudaError_t cudaMallocAsync(_Tp **pointer, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)pointer, size, stream);
}

/* ---- launches ---- */
template <class... _Tp>
static inline cudaError_t corun_launch_ex(const cudaLaunchConfig_t *config,
                                          void (*kernel)(_Tp...), _Tp... values)
{
    void *arguments[] = {(void *)&values..., 0};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, arguments);
}
/* The arguments are converted to the types of the kernel's parameters. */
template <class... _Tp, class... _Up>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(_Tp...), _Up &&...arguments)
{
    return corun_launch_ex<_Tp...>(config, kernel, static_cast<_Up &&>(arguments)...);
}

/* ---- symbols ---- */
template <class _Tp> static inline cudaError_t cudaMemcpyToSymbol(
    const _Tp &symbol, const void *from, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class _Tp> static inline cudaError_t cudaMemcpyFromSymbol(
    void *to, const _Tp &symbol, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class _Tp> static inline cudaError_t cudaMemcpyToSymbolAsync(
    const _Tp &symbol, const void *from, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class _Tp> static inline cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const _Tp &symbol, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class _Tp>
static inline cudaError_t cudaGetSymbolAddress(void **pointer, const _Tp &symbol)
{
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class _Tp> static inline cudaError_t cudaGetSymbolSize(size_t *size, const _Tp &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

/* ---- events ---- */
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- kernels ---- */
template <class _Tp> static inline cudaError_t cudaLaunchKernel(
    const _Tp *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
    cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
template <class _Tp> static inline cudaError_t cudaLaunchCooperativeKernel(
    const _Tp *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
    cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared,
                                         stream);
}
template <class _Tp> static inline cudaError_t cudaFuncGetAttributes(
    struct cudaFuncAttributes *attributes, _Tp *function)
{
    return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class _Tp> static inline cudaError_t cudaFuncSetAttribute(
    _Tp *function, enum cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class _Tp>
static inline cudaError_t cudaFuncSetCacheConfig(_Tp *function, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class _Tp>
static inline cudaError_t cudaFuncSetSharedMemConfig(_Tp *function, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}

/* ---- occupancy ---- */
template <class _Tp> static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, _Tp function, int block_size, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function,
                                                           block_size, shared);
}
template <class _Tp>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, _Tp function, int block_size, size_t shared, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)function, block_size, shared, flags);
}
template <class _Tp> static inline cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, _Tp *function, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)function, config);
}
template <class _Tp> static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *blocks, _Tp *function, const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(blocks, (const void *)function, config);
}
/* Finds the block size with the most resident threads per SM, among equals the largest; `shared_of`
 * returns the shared memory of a block size. */
template <class _Fn, class _Tp>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *grid_size, int *block_size, _Tp function, _Fn shared_of, int limit = 0)
{
    struct cudaFuncAttributes a;
    int device, sms, most = 0, blocks;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = ::cudaFuncGetAttributes(&a, (const void *)function);
    if (error) return error;
    int size = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    for (; size > 0; size = size % 32 ? size - size % 32 : size - 32) {
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function,
                                                                size, shared_of(size));
        if (error) return error;
        if (blocks * size <= most) continue;
        most = blocks * size;
        *block_size = size;
        *grid_size = blocks * sms;
    }
    return cudaSuccess;
}
template <class _Tp> static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *grid_size, int *block_size, _Tp function, size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid_size, block_size, function, [shared](int) { return shared; }, limit);
}

/* ---- moves of managed memory to a location, as from CUDA 13 on ---- */
#if CUDART_VERSION < 13000
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size,
                                               struct cudaMemLocation location, unsigned int flags,
                                               cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync_v2(pointer, size, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t size,
                                        enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation location)
{
    return ::cudaMemAdvise_v2(pointer, size, advice, location);
}
#endif

/* ---- channels ---- */
template <class _Tp> static inline struct cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
#define CORUN_CHANNEL(type, bits, n, kind)                                                         \
    template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<type>()                  \
    {                                                                                              \
        return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,   \
                                     cudaChannelFormatKind##kind);                                 \
    }
#define CORUN_CHANNELS(type, name, bits, kind)                                                     \
    CORUN_CHANNEL(type, bits, 1, kind)                                                             \
    CORUN_CHANNEL(name##1, bits, 1, kind)                                                          \
    CORUN_CHANNEL(name##2, bits, 2, kind)                                                          \
    CORUN_CHANNEL(name##4, bits, 4, kind)
CORUN_CHANNEL(char, 8, 1, Signed)
CORUN_CHANNELS(signed char, char, 8, Signed)
CORUN_CHANNELS(unsigned char, uchar, 8, Unsigned)
CORUN_CHANNELS(short, short, 16, Signed)
CORUN_CHANNELS(unsigned short, ushort, 16, Unsigned)
CORUN_CHANNELS(int, int, 32, Signed)
CORUN_CHANNELS(unsigned int, uint, 32, Unsigned)
CORUN_CHANNELS(float, float, 32, Float)
#undef CORUN_CHANNELS
#undef CORUN_CHANNEL

#endif
