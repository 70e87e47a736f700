/* The driver API with per-thread default streams. */
#include "cuda/driver/driver.h"
#include "cuda/runtime/per_thread.h"

PTSZ(cuEventRecord, (CUevent event, CUstream stream), (event, stream))
PTSZ(cuLaunchCooperativeKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y,
     unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned
     int shared, CUstream stream, void **params), (function, grid_x, grid_y, grid_z, block_x,
     block_y, block_z, shared, stream, params))
PTSZ(cuLaunchHostFunc, (CUstream stream, cudaHostFn_t function, void *data), (stream, function,
     data))
PTSZ(cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **params, void
     **extra), (config, function, params, extra))
PTSZ(cuLaunchKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int
     grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
     CUstream stream, void **params, void **extra), (function, grid_x, grid_y, grid_z, block_x,
     block_y, block_z, shared, stream, params, extra))
PTSZ(cuMemAllocAsync, (CUdeviceptr *pointer, size_t bytes, CUstream stream), (pointer, bytes,
     stream))
PTSZ(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream), (pointer, stream))
PTSZ(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))
PTDS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy), (copy))
PTDS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy), (copy))
PTSZ(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))
PTDS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy), (copy))
PTSZ(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from,
     bytes, stream))
PTSZ(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to,
     from, bytes, stream))
PTDS(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTSZ(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from,
     bytes, stream))
PTDS(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTSZ(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream), (to,
     from, bytes, stream))
PTDS(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))
PTDS(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
PTSZ(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t n, CUstream stream), (to,
     value, n, stream))
PTDS(cuMemsetD16_v2, (CUdeviceptr to, unsigned short value, size_t n), (to, value, n))
PTSZ(cuMemsetD32Async, (CUdeviceptr to, unsigned int value, size_t n, CUstream stream), (to, value,
     n, stream))
PTDS(cuMemsetD32_v2, (CUdeviceptr to, unsigned int value, size_t n), (to, value, n))
PTSZ(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t n, CUstream stream), (to, value,
     n, stream))
PTDS(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t n), (to, value, n))
PTSZ(cuStreamAddCallback, (CUstream stream, cudaStreamCallback_t callback, void *data, unsigned int
     flags), (stream, callback, data, flags))
PTSZ(cuStreamGetFlags, (CUstream stream, unsigned int *flags), (stream, flags))
PTSZ(cuStreamCopyAttributes, (CUstream to, CUstream from), (to, from))
PTSZ(cuStreamGetAttribute, (CUstream stream, cudaStreamAttrID attribute, cudaStreamAttrValue
     *value), (stream, attribute, value))
PTSZ(cuStreamSetAttribute, (CUstream stream, cudaStreamAttrID attribute, const cudaStreamAttrValue
     *value), (stream, attribute, value))
PTSZ(cuStreamGetPriority, (CUstream stream, int *priority), (stream, priority))
PTSZ(cuStreamQuery, (CUstream stream), (stream))
PTSZ(cuStreamSynchronize, (CUstream stream), (stream))
PTSZ(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags), (stream, event,
     flags))
