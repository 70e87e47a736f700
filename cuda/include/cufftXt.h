/* cuFFT's functions with types of data in place of a kind of transform. corun has the types of
 * cufft.h, on one GPU. */
#ifndef CORUN_CUFFTXT_H
#define CORUN_CUFFTXT_H

#include "cufft.h"
#ifdef __cplusplus
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                                long long istride, long long idist, cudaDataType inputType,
                                long long *onembed, long long ostride, long long odist,
                                cudaDataType outputType, long long batch, size_t *workSize,
                                cudaDataType executionType);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed,
                               long long istride, long long idist, cudaDataType inputType,
                               long long *onembed, long long ostride, long long odist,
                               cudaDataType outputType, long long batch, size_t *workSize,
                               cudaDataType executionType);
/* The direction matters for complex transforms only. */
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
#ifdef __cplusplus
}
#endif

#endif
