/* The run-time API with per-thread default streams. */
#include "cuda/runtime/per_thread.h"

PTSZ(__cudaLaunchKernel, (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t
     shared, cudaStream_t stream), (kernel, grid, block, arguments, shared, stream))
PTSZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event,
     stream, flags))
PTSZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
PTSZ(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream))
PTSZ(cudaGraphInstantiateWithParams, (cudaGraphExec_t *exec, cudaGraph_t graph,
     cudaGraphInstantiateParams *p), (exec, graph, p))
PTSZ(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
PTSZ(cudaGraphUpload, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream))
PTSZ(cudaLaunchCooperativeKernel, (const void *function, dim3 grid, dim3 block, void **arguments,
     size_t shared, cudaStream_t stream), (function, grid, block, arguments, shared, stream))
PTSZ(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data), (stream,
     function, data))
PTSZ(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void
     **arguments), (config, function, arguments))
PTSZ(cudaLaunchKernel, (const void *function, dim3 grid, dim3 block, void **arguments, size_t
     shared, cudaStream_t stream), (function, grid, block, arguments, shared, stream))
PTSZ(cudaMallocAsync, (void **pointer, size_t size, cudaStream_t stream), (pointer, size, stream))
PTSZ(cudaMallocFromPoolAsync, (void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t
     stream), (pointer, size, pool, stream))
PTDS(cudaMemcpy2DArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
     size_t from_x, size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind), (to,
     to_x, to_y, from, from_x, from_y, width, height, kind))
PTSZ(cudaMemcpy2DAsync, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t
     width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream), (to, to_pitch, from,
     from_pitch, width, height, kind, stream))
PTSZ(cudaMemcpy2DFromArrayAsync, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t
     y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream), (to, pitch,
     from, x, y, width, height, kind, stream))
PTDS(cudaMemcpy2DFromArray, (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
     size_t width, size_t height, enum cudaMemcpyKind kind), (to, pitch, from, x, y, width, height,
     kind))
PTSZ(cudaMemcpy2DToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream), (to, x, y, from,
     pitch, width, height, kind, stream))
PTDS(cudaMemcpy2DToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
     size_t width, size_t height, enum cudaMemcpyKind kind), (to, x, y, from, pitch, width, height,
     kind))
PTDS(cudaMemcpy2D, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
     size_t height, enum cudaMemcpyKind kind), (to, to_pitch, from, from_pitch, width, height,
     kind))
PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream))
PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
PTDS(cudaMemcpyArrayToArray, (cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
     size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind), (to, to_x, to_y, from,
     from_x, from_y, count, kind))
PTSZ(cudaMemcpyAsync, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
     cudaStream_t stream), (to, from, size, kind, stream))
PTSZ(cudaMemcpyFromArrayAsync, (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
     enum cudaMemcpyKind kind, cudaStream_t stream), (to, from, x, y, count, kind, stream))
PTDS(cudaMemcpyFromArray, (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count, enum
     cudaMemcpyKind kind), (to, from, x, y, count, kind))
PTSZ(cudaMemcpyFromSymbolAsync, (void *to, const void *symbol, size_t size, size_t offset, enum
     cudaMemcpyKind kind, cudaStream_t stream), (to, symbol, size, offset, kind, stream))
PTDS(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t size, size_t offset, enum
     cudaMemcpyKind kind), (to, symbol, size, offset, kind))
PTSZ(cudaMemcpyToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
     enum cudaMemcpyKind kind, cudaStream_t stream), (to, x, y, from, count, kind, stream))
PTDS(cudaMemcpyToArray, (cudaArray_t to, size_t x, size_t y, const void *from, size_t count, enum
     cudaMemcpyKind kind), (to, x, y, from, count, kind))
PTSZ(cudaMemcpyToSymbolAsync, (const void *symbol, const void *from, size_t size, size_t offset,
     enum cudaMemcpyKind kind, cudaStream_t stream), (symbol, from, size, offset, kind, stream))
PTDS(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t size, size_t offset, enum
     cudaMemcpyKind kind), (symbol, from, size, offset, kind))
PTDS(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind), (to, from,
     size, kind))
PTSZ(cudaMemset2DAsync, (void *pointer, size_t pitch, int value, size_t width, size_t height,
     cudaStream_t stream), (pointer, pitch, value, width, height, stream))
PTDS(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height), (pointer,
     pitch, value, width, height))
PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
     cudaStream_t stream), (pointer, value, extent, stream))
PTDS(cudaMemset3D, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent), (pointer,
     value, extent))
PTSZ(cudaMemsetAsync, (void *pointer, int value, size_t size, cudaStream_t stream), (pointer, value,
     size, stream))
PTDS(cudaMemset, (void *pointer, int value, size_t size), (pointer, value, size))
PTSZ(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t callback, void *data,
     unsigned int flags), (stream, callback, data, flags))
PTSZ(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t size, unsigned int
     flags), (stream, pointer, size, flags))
PTSZ(cudaStreamBeginCaptureToGraph, (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t
     *dependencies, const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode),
     (stream, graph, dependencies, edges, n, mode))
PTSZ(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
PTSZ(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph))
PTSZ(cudaStreamGetDevice, (cudaStream_t stream, int *device), (stream, device))
PTSZ(cudaStreamGetFlags, (cudaStream_t stream, unsigned int *flags), (stream, flags))
PTSZ(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from), (to, from))
PTSZ(cudaStreamGetAttribute, (cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue
     *value), (stream, attribute, value))
PTSZ(cudaStreamSetAttribute, (cudaStream_t stream, cudaStreamAttrID attribute, const
     cudaStreamAttrValue *value), (stream, attribute, value))
PTSZ(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority))
PTSZ(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream,
     status))
PTSZ(cudaStreamQuery, (cudaStream_t stream), (stream))
PTSZ(cudaStreamSynchronize, (cudaStream_t stream), (stream))
PTSZ(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream,
     event, flags))
#if CUDART_VERSION >= 13000
PTSZ(cudaMemPrefetchAsync, (const void *pointer, size_t size, struct cudaMemLocation location,
     unsigned int flags, cudaStream_t stream), (pointer, size, location, flags, stream))
PTSZ(cudaStreamGetCaptureInfo, (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned
     long long *id, cudaGraph_t *graph, const cudaGraphNode_t **dependencies, const
     cudaGraphEdgeData **edges, size_t *n), (stream, status, id, graph, dependencies, edges, n))
PTSZ(cudaStreamUpdateCaptureDependencies, (cudaStream_t stream, cudaGraphNode_t *dependencies, const
     cudaGraphEdgeData *edges, size_t n, unsigned int flags), (stream, dependencies, edges, n,
     flags))
#else
PTSZ(cudaMemPrefetchAsync, (const void *pointer, size_t size, int device, cudaStream_t stream),
     (pointer, size, device, stream))
#endif
