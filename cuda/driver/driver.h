/* What the files of the driver API share. Its library holds the run-time library, too, and calls
 * it; only its own names are seen from outside. */
#ifndef CORUN_DRIVER_H
#define CORUN_DRIVER_H

#include "cuda/client.h"
#include "cuda/driver/api.h"

/* What the run-time API calls by other names. */
static inline CUresult result(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection: return cudaErrorInvalidValue;
    default: return error;
    }
}

/* PTX text as a fat binary of one entry, to be freed. */
unsigned char *driver_fat_of_text(const char *text, size_t *bytes);
/* A file and a zero behind it, to be freed; NULL: it cannot be read. */
char *driver_read(const char *path, size_t *bytes);
/* A texture as the run-time API has it. */
void driver_texture(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
                    struct cudaResourceDesc *resource, struct cudaTextureDesc *desc);
/* Binds what has been set of the module's references. */
CUresult driver_bind(CUmodule module);
void driver_forget_array(const void *array); /* it is about to go */

#endif
