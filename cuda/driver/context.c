/* Devices and contexts: all contexts belong to the same device and share their objects. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda/driver/driver.h"

struct CUctx_st {
    int primary;
};
static struct CUctx_st primary = {1};
enum { CONTEXTS = 64 };
static struct CUctx_st contexts[CONTEXTS];
static unsigned context_n;
/* Contexts of the current thread; the last is current. */
static _Thread_local CUcontext stack[CONTEXTS];
static _Thread_local unsigned depth;

CUresult cuInit(unsigned int flags)
{
    if (flags) return cudaErrorInvalidValue;
    return corun_device() ? CUDA_SUCCESS : cudaErrorNoDevice;
}

CUresult cuDriverGetVersion(int *version) { return cudaDriverGetVersion(version); }

/* Returns the newest available version of a function, for the requested kind of default stream. */
static void *newest(const char *name, bool per_thread)
{
    static const char *const versions[] = {"_v4", "_v3", "_v2", ""};
    static const char *const streams[] = {"_ptsz", "_ptds", ""};
    Dl_info self;
    void *library = dladdr((void *)(uintptr_t)cuInit, &self)
                        ? dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = NULL;
    for (unsigned i = per_thread ? 0 : 8; library && i < 12 && !found; i++) {
        char full[256];
        snprintf(full, sizeof full, "%s%s%s", name, versions[i % 4], streams[i / 4]);
        found = dlsym(library, full);
    }
    return found;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                             unsigned long long flags, int *status)
{
    enum { FOUND, NOT_FOUND };
    enum { PER_THREAD_DEFAULT_STREAM = 2 };
    (void)version;
    if (!name || !function) return cudaErrorInvalidValue;
    *function = newest(name, flags & PER_THREAD_DEFAULT_STREAM);
    if (status) *status = *function ? FOUND : NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* ---- devices ---- */

CUresult cuDeviceGetCount(int *count) { return cudaGetDeviceCount(count); }

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (!device) return cudaErrorInvalidValue;
    *device = ordinal;
    return ordinal ? cudaErrorInvalidDevice : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    const struct wire_device *d = corun_device();
    if (!d || device) return cudaErrorInvalidDevice;
    if (!name || size < 1) return cudaErrorInvalidValue;
    snprintf(name, (size_t)size, "%s", d->name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(cudaUUID_t *uuid, CUdevice device)
{
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (!error) *uuid = p.uuid;
    return error;
}

CUresult cuDeviceGetUuid_v2(cudaUUID_t *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, CUdevice device)
{
    enum { VIRTUAL_MEMORY = 102 }; /* not named by the run-time API */
    if (value && !device && (int)attribute == VIRTUAL_MEMORY) return *value = 1, CUDA_SUCCESS;
    return cudaDeviceGetAttribute(value, attribute, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    const struct wire_device *d = corun_device();
    if (!d || device) return cudaErrorInvalidDevice;
    *bytes = d->memory_bytes;
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return error ? error
                 : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return cudaDeviceCanAccessPeer(can, device, peer);
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    return cudaDeviceGetPCIBusId(id, size, device);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
    return cudaDeviceGetByPCIBusId(device, id);
}

/* ---- contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (device || !corun_device()) return cudaErrorInvalidDevice;
    *context = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    return device ? cudaErrorInvalidDevice : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return device ? cudaErrorInvalidDevice : cudaDeviceReset();
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
    return device ? cudaErrorInvalidDevice : cudaSetDeviceFlags(flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    if (device) return cudaErrorInvalidDevice;
    *active = 1;
    return cudaGetDeviceFlags(flags);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    if (!context || depth == CONTEXTS) return cudaErrorDeviceUninitialized;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    if (!depth) return cudaErrorDeviceUninitialized;
    depth--;
    if (context) *context = stack[depth];
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
    (void)flags;
    if (device || !corun_device()) return cudaErrorInvalidDevice;
    if (!context) return cudaErrorInvalidValue;
    *context = &contexts[context_n++ % CONTEXTS];
    return cuCtxPushCurrent_v2(*context);
}

CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned int flags, CUdevice device)
{
    (void)params;
    return cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    if (!context) return cudaErrorDeviceUninitialized;
    if (depth && stack[depth - 1] == context) depth--;
    return cudaDeviceSynchronize();
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    if (depth) depth--;
    return context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!context) return cudaErrorInvalidValue;
    *context = depth ? stack[depth - 1] : NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) { return cudaGetDevice(device); }
CUresult cuCtxGetFlags(unsigned int *flags) { return cudaGetDeviceFlags(flags); }

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    (void)context;
    *version = CUDART_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) { return cudaDeviceSynchronize(); }
CUresult cuCtxSetLimit(enum cudaLimit limit, size_t v) { return cudaDeviceSetLimit(limit, v); }
CUresult cuCtxGetLimit(size_t *v, enum cudaLimit limit) { return cudaDeviceGetLimit(v, limit); }

CUresult cuCtxSetCacheConfig(enum cudaFuncCache config)
{
    return cudaDeviceSetCacheConfig(config);
}

CUresult cuCtxGetCacheConfig(enum cudaFuncCache *config)
{
    return cudaDeviceGetCacheConfig(config);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    (void)peer, (void)flags;
    return cudaErrorInvalidDevice;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    return cudaErrorPeerAccessNotEnabled;
}

CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }
