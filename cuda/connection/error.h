/* Errors of the run-time API. */
#ifndef CORUN_ERROR_H
#define CORUN_ERROR_H

#include "cuda/include/cuda_runtime_api.h"

/* Stores the error for cudaGetLastError and returns the error. */
cudaError_t corun_note(cudaError_t error);
/* Returns cudaErrorNotSupported; prints the name of the call, once per call. */
cudaError_t corun_missing(const char *call);

#endif
