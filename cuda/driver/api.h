/* CUDA's driver API as provided by this library. Results have the numbers of the run-time API's
 * errors; streams and events are shared by both APIs. A call without a declaration here is not
 * provided. */
#ifndef CORUN_DRIVER_API_H
#define CORUN_DRIVER_API_H

#include "cuda/include/cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef cudaError_t CUresult;
#define CUDA_SUCCESS cudaSuccess
#define CUDA_ERROR_NOT_FOUND cudaErrorSymbolNotFound
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlinkState_st *CUlinkState;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaArray_t CUarray;
typedef cudaMipmappedArray_t CUmipmappedArray;
typedef cudaTextureObject_t CUtexObject;
typedef cudaSurfaceObject_t CUsurfObject;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef size_t (*CUoccupancyB2DSize)(int block_size);
typedef enum {
    CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3,
    CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef struct {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
    CU_AD_FORMAT_SIGNED_INT8 = 8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32,
    CU_AD_FORMAT_HALF = 16, CU_AD_FORMAT_FLOAT = 32
} CUarray_format;
typedef struct {
    size_t Width, Height;
    CUarray_format Format;
    unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct {
    enum cudaResourceType resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned int numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned int flags;
} CUDA_RESOURCE_DESC;
enum {
    CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2, CU_TRSF_SRGB = 16,
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 32
};
enum { CU_TRSA_OVERRIDE_FORMAT = 1, CU_PARAM_TR_DEFAULT = -1 };
typedef struct {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    unsigned int flags, maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct {
    int type, requestedHandleTypes;
    struct cudaMemLocation location;
    void *win32HandleMetaData;
    unsigned char allocFlags[8];
} CUmemAllocationProp;
typedef struct {
    struct cudaMemLocation location;
    int flags;
} CUmemAccessDesc;
enum { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
typedef enum {
    CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_LIBRARY
} CUjitInputType;
typedef struct {
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} CUlaunchConfig;
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef struct {
    _Alignas(64) cuuint64_t opaque[16];
} CUtensorMap;
typedef enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
    CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
} CUtensorMapDataType;
typedef enum {
    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum {
    CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
    CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;
typedef enum {
    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum {
    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

/* ---- errors, devices, contexts ---- */
CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorString(CUresult error, const char **sentence);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetProcAddress(const char *name, void **function, int version, unsigned long long flags);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                             unsigned long long flags, int *status);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDeviceGetUuid(cudaUUID_t *uuid, CUdevice device);
CUresult cuDeviceGetUuid_v2(cudaUUID_t *uuid, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetFlags(unsigned int *flags);
CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSetLimit(enum cudaLimit limit, size_t value);
CUresult cuCtxGetLimit(size_t *value, enum cudaLimit limit);
CUresult cuCtxSetCacheConfig(enum cudaFuncCache config);
CUresult cuCtxGetCacheConfig(enum cudaFuncCache *config);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult cuCtxDisablePeerAccess(CUcontext peer);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

/* ---- modules and kernels ---- */
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, int *options,
                            void **values);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fat);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name);
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction function, enum cudaFuncCache config);
CUresult cuFuncSetSharedMemConfig(CUfunction function, enum cudaSharedMemConfig config);
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **params,
                        void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void **params);
CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                     int block_size, size_t shared);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int block_size, size_t shared,
                                                              unsigned int flags);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                      const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function,
                                            const CUlaunchConfig *config);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize of, size_t shared, int limit);

/* ---- memory ---- */
CUresult cuMemGetInfo_v2(size_t *left, size_t *total);
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned int element);
CUresult cuMemFree_v2(CUdeviceptr pointer);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *bytes, CUdeviceptr pointer);
CUresult cuMemAllocHost_v2(void **pointer, size_t bytes);
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned int flags);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned int flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags);
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t n);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t n);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t n);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t n, CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t n, CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t n, CUstream stream);
CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer);

/* ---- address ranges and memory mapped into them ---- */
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p, int option);
CUresult cuMemAddressReserve(CUdeviceptr *start, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr start, size_t bytes);
CUresult cuMemCreate(CUmemGenericAllocationHandle *memory, size_t bytes,
                     const CUmemAllocationProp *p, unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle memory);
CUresult cuMemMap(CUdeviceptr start, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle memory, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr start, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr start, size_t bytes, const CUmemAccessDesc *list, size_t n);
CUresult cuMemGetAccess(unsigned long long *flags, const struct cudaMemLocation *location,
                        CUdeviceptr start);

/* ---- arrays, textures, surfaces ---- */
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d);
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array);
CUresult cuArrayDestroy(CUarray array);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned int levels);
CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray of, unsigned int level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array);
CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *r,
                           const CUDA_TEXTURE_DESC *t, const void *view);
CUresult cuTexObjectDestroy(CUtexObject texture);
CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *r);
CUresult cuSurfObjectDestroy(CUsurfObject surface);

/* ---- texture and surface references ---- */
CUresult cuModuleGetTexRef(CUtexref *texture, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *surface, CUmodule module, const char *name);
CUresult cuTexRefSetArray(CUtexref texture, CUarray array, unsigned int flags);
CUresult cuTexRefSetMipmappedArray(CUtexref texture, CUmipmappedArray array, unsigned int flags);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref texture, CUdeviceptr address, size_t bytes);
CUresult cuTexRefSetAddress2D_v2(CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *d,
                                 CUdeviceptr address, size_t pitch);
CUresult cuTexRefSetAddress2D_v3(CUtexref texture, const CUDA_ARRAY_DESCRIPTOR *d,
                                 CUdeviceptr address, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref texture, CUarray_format format, int channels);
CUresult cuTexRefSetAddressMode(CUtexref texture, int dimension, enum cudaTextureAddressMode mode);
CUresult cuTexRefSetFilterMode(CUtexref texture, enum cudaTextureFilterMode mode);
CUresult cuTexRefSetMipmapFilterMode(CUtexref texture, enum cudaTextureFilterMode mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref texture, float bias);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref texture, float least, float most);
CUresult cuTexRefSetMaxAnisotropy(CUtexref texture, unsigned int most);
CUresult cuTexRefSetBorderColor(CUtexref texture, float *color);
CUresult cuTexRefSetFlags(CUtexref texture, unsigned int flags);
CUresult cuTexRefGetArray(CUarray *array, CUtexref texture);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref texture);
CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref texture);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref texture);
CUresult cuTexRefGetAddressMode(enum cudaTextureAddressMode *mode, CUtexref texture, int dimension);
CUresult cuTexRefGetFilterMode(enum cudaTextureFilterMode *mode, CUtexref texture);
CUresult cuTexRefGetMipmapFilterMode(enum cudaTextureFilterMode *mode, CUtexref texture);
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref texture);
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref texture);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref texture);
CUresult cuTexRefGetBorderColor(float *color, CUtexref texture);
CUresult cuTexRefGetFlags(unsigned int *flags, CUtexref texture);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref texture);
CUresult cuSurfRefSetArray(CUsurfref surface, CUarray array, unsigned int flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref surface);

/* ---- linking at run time ---- */
CUresult cuLinkCreate_v2(unsigned int n, int *options, void **values, CUlinkState *state);
CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned int n, int *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int n,
                          int *options, void **values);
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState state);

/* ---- streams and events ---- */
CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult cuStreamDestroy_v2(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuStreamGetPriority(CUstream stream, int *priority);
CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult cuStreamGetAttribute(CUstream stream, cudaStreamAttrID attribute,
                              cudaStreamAttrValue *value);
CUresult cuStreamSetAttribute(CUstream stream, cudaStreamAttrID attribute,
                              const cudaStreamAttrValue *value);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuStreamAddCallback(CUstream stream, cudaStreamCallback_t callback, void *data,
                             unsigned int flags);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy_v2(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end);
CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end);

#ifdef __cplusplus
}
#endif

/* ---- tensor maps ---- */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);

#endif
