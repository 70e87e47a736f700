/* Bindings of texture and surface references. */
#ifndef CORUN_REFERENCE_H
#define CORUN_REFERENCE_H

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/wire.h"

cudaError_t corun_bind(uint64_t handle, const struct wire_texture *w); /* w NULL: unbind */
/* Moves *address back to the nearest valid start of a texture and stores the distance in *offset.
 * Extends *bytes by the distance and limits *bytes to the end of the allocation. */
cudaError_t corun_texture_begin(uint64_t *address, size_t *bytes, size_t *offset);

#endif
