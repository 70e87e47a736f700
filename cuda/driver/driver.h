/* Declarations shared by the files of the driver API. The driver library contains the run-time
 * library and calls its functions; only names of the driver API are exported. */
#ifndef CORUN_DRIVER_H
#define CORUN_DRIVER_H

#include "cuda/connection/client.h"
#include "cuda/connection/error.h"
#include "cuda/driver/api.h"

/* Translates errors that the driver API names differently from the run-time API. */
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

/* Returns PTX text as a fat binary with one entry; the caller frees the result. */
unsigned char *driver_fat_of_text(const char *text, size_t *bytes);
/* Returns the contents of a file followed by a zero byte; the caller frees the result. NULL: the
 * file is unreadable. */
char *driver_read(const char *path, size_t *bytes);
/* Converts a texture to the run-time API. */
void driver_texture(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *t,
                    struct cudaResourceDesc *resource, struct cudaTextureDesc *desc);
/* Binds the changed references of a module. */
CUresult driver_bind(CUmodule module);
void driver_forget_array(const void *array); /* called before an array is destroyed */

#endif
