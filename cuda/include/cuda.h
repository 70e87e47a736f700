/* Which CUDA this is: that of the version whose calling conventions clang is told to use. The
 * driver API's own calls are not here. */
#ifndef CORUN_CUDA_H
#define CORUN_CUDA_H

#define CUDA_VERSION 11020
#define CUDART_VERSION 11020

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;

#endif
