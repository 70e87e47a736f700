/* Memory, streams and events: calls of the run-time API under other names. */
#include "cuda/driver/driver.h"
#include "cuda/runtime/memory.h"

#define TO(address) corun_pointer(address)
static void **kept(CUdeviceptr *pointer) { return (void **)pointer; }

CUresult cuMemGetInfo_v2(size_t *left, size_t *total) { return cudaMemGetInfo(left, total); }

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    return bytes ? cudaMalloc(kept(pointer), bytes) : cudaErrorInvalidValue;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned int element)
{
    (void)element;
    return cudaMallocPitch(kept(pointer), pitch, width, height);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) { return cudaFree(TO(pointer)); }

CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr pointer)
{
    struct corun_call c = {.call = CALL_POINTER, .at = {pointer}};
    cudaError_t error = corun_do(&c);
    if (error) return CUDA_ERROR_NOT_FOUND;
    if (start) *start = c.got[0];
    if (bytes) *bytes = c.got[1];
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) { return cudaMallocHost(pointer, bytes); }

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc(pointer, bytes, flags);
}

CUresult cuMemFreeHost(void *pointer) { return cudaFreeHost(pointer); }

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer(kept(device), host, flags);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags)
{
    return cudaHostRegister(pointer, bytes, flags);
}

CUresult cuMemHostUnregister(void *pointer) { return cudaHostUnregister(pointer); }

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags)
{
    return cudaMallocManaged(kept(pointer), bytes, flags);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
    return cudaMallocAsync(kept(pointer), bytes, stream);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    return cudaFreeAsync(TO(pointer), stream);
}

/* ---- copies ---- */

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return cudaMemcpy(TO(to), TO(from), bytes, cudaMemcpyDefault);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cudaMemcpyAsync(TO(to), TO(from), bytes, cudaMemcpyDefault, stream);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return cudaMemcpy(TO(to), from, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    return cudaMemcpy(to, TO(from), bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return cudaMemcpy(TO(to), TO(from), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return cudaMemcpyAsync(TO(to), from, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cudaMemcpyAsync(to, TO(from), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return cudaMemcpyAsync(TO(to), TO(from), bytes, cudaMemcpyDeviceToDevice, stream);
}

/* ---- fills ---- */

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n)
{
    return corun_fill(TO(to), 0, value, 1, n, 1, true, NULL);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n)
{
    return corun_fill(TO(to), 0, value, 2, n, 1, true, NULL);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t n)
{
    return corun_fill(TO(to), 0, value, 4, n, 1, true, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream)
{
    return corun_fill(TO(to), 0, value, 1, n, 1, false, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream)
{
    return corun_fill(TO(to), 0, value, 2, n, 1, false, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream stream)
{
    return corun_fill(TO(to), 0, value, 4, n, 1, false, stream);
}

CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer)
{
    enum { MEMORY_TYPE = 2, DEVICE_POINTER, HOST_POINTER, IS_MANAGED = 8, DEVICE };
    struct cudaPointerAttributes a;
    cudaError_t error = cudaPointerGetAttributes(&a, TO(pointer));
    if (error || !a.devicePointer || !value) return cudaErrorInvalidValue;
    switch (attribute) {
    case MEMORY_TYPE:
        *(unsigned *)value = a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST
                                                          : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case DEVICE_POINTER: *(void **)value = a.devicePointer; return CUDA_SUCCESS;
    case HOST_POINTER: *(void **)value = a.hostPointer; return CUDA_SUCCESS;
    case IS_MANAGED: *(unsigned *)value = a.type == cudaMemoryTypeManaged; return CUDA_SUCCESS;
    case DEVICE: *(int *)value = a.device; return CUDA_SUCCESS;
    default: return corun_missing("an attribute of cuPointerGetAttribute");
    }
}

/* ---- streams and events ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    return cudaStreamCreateWithPriority(stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) { return cudaStreamDestroy(stream); }
CUresult cuStreamSynchronize(CUstream stream) { return cudaStreamSynchronize(stream); }
CUresult cuStreamQuery(CUstream stream) { return cudaStreamQuery(stream); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    return cudaStreamWaitEvent(stream, event, flags);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return cudaStreamGetPriority(stream, priority);
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    return cudaStreamGetFlags(stream, flags);
}

CUresult cuStreamGetAttribute(CUstream stream, cudaStreamAttrID attribute,
                              cudaStreamAttrValue *value)
{
    return cudaStreamGetAttribute(stream, attribute, value);
}

CUresult cuStreamSetAttribute(CUstream stream, cudaStreamAttrID attribute,
                              const cudaStreamAttrValue *value)
{
    return cudaStreamSetAttribute(stream, attribute, value);
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    return cudaStreamCopyAttributes(to, from);
}

CUresult cuStreamAddCallback(CUstream stream, cudaStreamCallback_t callback, void *data,
                             unsigned int flags)
{
    return cudaStreamAddCallback(stream, callback, data, flags);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

CUresult cuEventDestroy_v2(CUevent event) { return cudaEventDestroy(event); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return cudaEventRecord(event, stream); }
CUresult cuEventQuery(CUevent event) { return cudaEventQuery(event); }
CUresult cuEventSynchronize(CUevent event) { return cudaEventSynchronize(event); }

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return cudaEventElapsedTime(ms, start, end);
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
    return cudaEventElapsedTime(ms, start, end);
}
