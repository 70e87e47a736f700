/* Names used by programs of earlier years and absent from the headers of CUDA 13. */
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
