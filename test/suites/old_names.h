/* Names of the run-time API that host code of old programs uses and CUDA 13 no longer has. No
 * kernel changes by them. */
#ifdef __cplusplus
#include <cuda_runtime.h>
#include <sys/time.h>
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define deviceOverlap asyncEngineCount
#define clockRate warpSize
#define computeMode warpSize
#endif
