/* Names that programs of earlier years use and the headers of CUDA 13 no longer have. */
#ifdef __cplusplus
#include <cuda_runtime.h>
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define clockRate warpSize
#define deviceOverlap asyncEngineCount
#define computeMode warpSize
#define kernelExecTimeoutEnabled warpSize
#endif
