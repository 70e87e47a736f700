/* Devices: the only device is the simulated machine. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/capture/capture.h"
#include "cuda/connection/error.h"

static const struct wire_device *the_device(int device, cudaError_t *error)
{
    const struct wire_device *d = corun_device();
    *error = !d ? cudaErrorNoDevice : device ? cudaErrorInvalidDevice : cudaSuccess;
    return *error ? NULL : d;
}

/* ---- choice of the device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    const struct wire_device *d = corun_device();
    if (!count) return corun_note(cudaErrorInvalidValue);
    *count = d != NULL;
    return corun_note(d ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    cudaError_t error;
    if (!device) return corun_note(cudaErrorInvalidValue);
    the_device(0, &error);
    *device = 0;
    return corun_note(error);
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error;
    the_device(device, &error);
    return corun_note(error);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
    return devices && n > 0 ? cudaSetDevice(devices[0]) : corun_note(cudaErrorInvalidValue);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    (void)prop;
    return cudaGetDevice(device);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    static const char name[] = "0000:01:00.0";
    cudaError_t error;
    if (!the_device(device, &error)) return corun_note(error);
    if (!id || size < (int)sizeof name) return corun_note(cudaErrorInvalidValue);
    memcpy(id, name, sizeof name);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    if (!id) return corun_note(cudaErrorInvalidValue);
    return strstr(id, "01:00") ? cudaGetDevice(device) : corun_note(cudaErrorInvalidDevice);
}

static unsigned device_flags; /* set by the program, without effect */

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    enum { SCHEDULE = 7, KNOWN = 0xff };
    const unsigned schedule = flags & SCHEDULE;
    if (flags & ~(unsigned)KNOWN || schedule & (schedule - 1))
        return corun_note(cudaErrorInvalidValue);
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    if (!flags) return corun_note(cudaErrorInvalidValue);
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

/* ---- properties ---- */

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaError_t error;
    const struct wire_device *d = the_device(device, &error);
    if (!d) return corun_note(error);
    if (!value || (int)attribute <= 0 || (int)attribute >= WIRE_ATTRIBUTES)
        return corun_note(cudaErrorInvalidValue);
    *value = d->attributes[attribute];
    return cudaSuccess;
}

/* For cuda/include/corun_request.h: returns 1 if a range of this name is a request. */
int __cudaCorunRangeBegin(const char *name);
int __cudaCorunRangeBegin(const char *name)
{
    const char *wanted = getenv(WIRE_RANGE);
    if (!name || !wanted || strcmp(name, wanted)) return 0;
    return !corun_simple(.call = CALL_RANGE_BEGIN);
}

/* Ends the open request; does nothing for a name of other ranges. NULL: any name. */
void __cudaCorunRangeEnd(const char *name);
void __cudaCorunRangeEnd(const char *name)
{
    const char *wanted = getenv(WIRE_RANGE);
    if (wanted && (!name || !strcmp(name, wanted))) corun_simple(.call = CALL_RANGE_END);
}

int __cudaCorunMultipliesHalf(void)
{
    const struct wire_device *d = corun_device();
    return d && d->multiplies_half;
}

#define OF(name) d->attributes[cudaDevAttr##name]
#define SIZE_OF(name) (size_t)OF(name)

static void texture_properties(struct cudaDeviceProp *p, const struct wire_device *d)
{
    p->textureAlignment = SIZE_OF(TextureAlignment);
    p->texturePitchAlignment = SIZE_OF(TexturePitchAlignment);
    p->maxTexture1D = OF(MaxTexture1DWidth);
    p->maxTexture2D[0] = OF(MaxTexture2DWidth);
    p->maxTexture2D[1] = OF(MaxTexture2DHeight);
    p->maxTexture3D[0] = OF(MaxTexture3DWidth);
    p->maxTexture3D[1] = OF(MaxTexture3DHeight);
    p->maxTexture3D[2] = OF(MaxTexture3DDepth);
    p->maxTexture1DLayered[0] = OF(MaxTexture1DLayeredWidth);
    p->maxTexture1DLayered[1] = OF(MaxTexture1DLayeredLayers);
    p->maxTexture2DLayered[0] = OF(MaxTexture2DLayeredWidth);
    p->maxTexture2DLayered[1] = OF(MaxTexture2DLayeredHeight);
    p->maxTexture2DLayered[2] = OF(MaxTexture2DLayeredLayers);
}

#undef cudaGetDeviceProperties
static cudaError_t get_properties(struct cudaDeviceProp *p, int device)
{
    cudaError_t error;
    const struct wire_device *d = the_device(device, &error);
    if (!d) return corun_note(error);
    if (!p) return corun_note(cudaErrorInvalidValue);
    memset(p, 0, sizeof *p);
    memcpy(p->name, d->name, sizeof p->name);
    memcpy(p->uuid.bytes, "corun", 5);
    p->totalGlobalMem = d->memory_bytes;
    p->sharedMemPerBlock = SIZE_OF(MaxSharedMemoryPerBlock);
    p->regsPerBlock = OF(MaxRegistersPerBlock);
    p->warpSize = OF(WarpSize);
    p->memPitch = SIZE_OF(MaxPitch);
    p->maxThreadsPerBlock = OF(MaxThreadsPerBlock);
    p->maxThreadsDim[0] = OF(MaxBlockDimX);
    p->maxThreadsDim[1] = OF(MaxBlockDimY);
    p->maxThreadsDim[2] = OF(MaxBlockDimZ);
    p->maxGridSize[0] = OF(MaxGridDimX);
    p->maxGridSize[1] = OF(MaxGridDimY);
    p->maxGridSize[2] = OF(MaxGridDimZ);
    p->totalConstMem = SIZE_OF(TotalConstantMemory);
    p->major = OF(ComputeCapabilityMajor);
    p->minor = OF(ComputeCapabilityMinor);
    p->multiProcessorCount = OF(MultiProcessorCount);
    p->canMapHostMemory = OF(CanMapHostMemory);
    texture_properties(p, d);
    p->surfaceAlignment = SIZE_OF(SurfaceAlignment);
    p->concurrentKernels = OF(ConcurrentKernels);
    p->pciBusID = OF(PciBusId);
    p->asyncEngineCount = OF(AsyncEngineCount);
    p->unifiedAddressing = OF(UnifiedAddressing);
    p->memoryBusWidth = OF(GlobalMemoryBusWidth);
    p->l2CacheSize = OF(L2CacheSize);
    p->maxThreadsPerMultiProcessor = OF(MaxThreadsPerMultiProcessor);
    p->streamPrioritiesSupported = OF(StreamPrioritiesSupported);
    p->globalL1CacheSupported = OF(GlobalL1CacheSupported);
    p->localL1CacheSupported = OF(LocalL1CacheSupported);
    p->sharedMemPerMultiprocessor = SIZE_OF(MaxSharedMemoryPerMultiprocessor);
    p->regsPerMultiprocessor = OF(MaxRegistersPerMultiprocessor);
    p->managedMemory = OF(ManagedMemory);
    p->concurrentManagedAccess = OF(ConcurrentManagedAccess);
    p->cooperativeLaunch = OF(CooperativeLaunch);
    p->sharedMemPerBlockOptin = SIZE_OF(MaxSharedMemoryPerBlockOptin);
    p->reservedSharedMemPerBlock = SIZE_OF(ReservedSharedMemoryPerBlock);
    p->maxBlocksPerMultiProcessor = OF(MaxBlocksPerMultiprocessor);
#if CUDART_VERSION >= 12000
    p->hostRegisterSupported = OF(HostRegisterSupported);
    p->memoryPoolsSupported = OF(MemoryPoolsSupported);
    p->unifiedFunctionPointers = 1;
#endif
#if CUDART_VERSION < 13000
    p->clockRate = OF(ClockRate);
    p->memoryClockRate = OF(MemoryClockRate);
    p->deviceOverlap = OF(GpuOverlap);
    p->singleToDoublePrecisionPerfRatio = OF(SingleToDoublePrecisionPerfRatio);
#endif
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    return get_properties(prop, device);
}

#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    return get_properties(prop, device);
}
#endif

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version) return corun_note(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

/* ---- functions of the driver ---- */

enum { PER_THREAD_DEFAULT_STREAM = 2 };
typedef cudaError_t (*find_t)(const char *name, void **function, int version,
                              unsigned long long flags, int *status);

static cudaError_t entry(const char *name, void **function, unsigned long long flags, int *status)
{
    enum { FOUND, NOT_FOUND };
    if (!name || !function) return corun_note(cudaErrorInvalidValue);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    void *found = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
    find_t find;
    memcpy(&find, &found, sizeof find);
    *function = NULL;
    if (find) find(name, function, CUDART_VERSION, flags, NULL);
    if (status) *status = *function ? FOUND : NOT_FOUND;
    return cudaSuccess;
}

#if CUDART_VERSION >= 12000
#define STATUS , int *status
#define STATUS_IS status
#else
#define STATUS
#define STATUS_IS NULL
#endif
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                    unsigned long long flags STATUS)
{
    return entry(name, function, flags, STATUS_IS);
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function,
                                         unsigned long long flags STATUS)
{
    return entry(name, function, flags ? flags : PER_THREAD_DEFAULT_STREAM, STATUS_IS);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                             unsigned int version, unsigned long long flags,
                                             int *status)
{
    (void)version;
    return entry(name, function, flags, status);
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function,
                                                  unsigned int version, unsigned long long flags,
                                                  int *status)
{
    (void)version;
    return entry(name, function, flags ? flags : PER_THREAD_DEFAULT_STREAM, status);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) *least = WIRE_PRIORITY_LEAST;
    if (greatest) *greatest = WIRE_PRIORITY_GREATEST;
    return cudaSuccess;
}

/* ---- settings: the limits of heap and printf have an effect, the others are only stored ---- */

/* Limits that exist. Launches by kernels and reserved parts of L2 are not supported, and their
 * limits are missing. */
static struct {
    bool is_there;
    size_t value;
} limits[] = {[cudaLimitStackSize] = {true, 1024}, [cudaLimitPrintfFifoSize] = {true, 1 << 20},
              [cudaLimitMallocHeapSize] = {true, 8 << 20},
              [cudaLimitMaxL2FetchGranularity] = {true, 64}};
enum { LIMIT_N = sizeof limits / sizeof *limits, FETCH_MAX = 128 };

static bool has_limit(enum cudaLimit limit)
{
    return (unsigned)limit < LIMIT_N && limits[limit].is_there;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if (!has_limit(limit)) return corun_note(cudaErrorUnsupportedLimit);
    cudaError_t error = cudaSuccess;
    if (limit == cudaLimitMaxL2FetchGranularity && value > FETCH_MAX) error = cudaErrorInvalidValue;
    if (limit == cudaLimitMallocHeapSize) error = corun_simple(.call = CALL_HEAP, .at = {value});
    if (limit == cudaLimitPrintfFifoSize) error = corun_simple(.call = CALL_PRINTF, .at = {value});
    if (!error) limits[limit].value = value;
    return corun_note(error);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value) return corun_note(cudaErrorInvalidValue);
    if (!has_limit(limit)) return corun_note(cudaErrorUnsupportedLimit);
    *value = limits[limit].value;
    return cudaSuccess;
}

static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig shared_config;

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    if (config > cudaFuncCachePreferEqual) return corun_note(cudaErrorInvalidValue);
    cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (!config) return corun_note(cudaErrorInvalidValue);
    *config = cache_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    shared_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (!config) return corun_note(cudaErrorInvalidValue);
    *config = shared_config;
    return cudaSuccess;
}

#if CUDART_VERSION < 13000
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}
#endif

/* ---- other devices: none ---- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t error;
    if (!can) return corun_note(cudaErrorInvalidValue);
    if (!the_device(device, &error) || !the_device(peer, &error)) return corun_note(error);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    enum { FIRST = 1, LAST = 5 };
    if (!value || attribute < FIRST || attribute > LAST) return corun_note(cudaErrorInvalidValue);
    (void)from, (void)to; /* would need two devices */
    return corun_note(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    (void)peer, (void)flags;
    return corun_note(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    return corun_note(cudaErrorPeerAccessNotEnabled);
}

/* ---- the whole device ---- */

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t error = corun_may_wait_for_all();
    return corun_note(error ? error : corun_simple(.call = CALL_SYNC));
}

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
/* Allocations remain: the process is about to end, or continues with the device. */
cudaError_t cudaDeviceReset(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
