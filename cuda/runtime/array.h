/* Arrays, textures and surfaces in the form that the simulator receives. */
#ifndef CORUN_ARRAY_H
#define CORUN_ARRAY_H

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/wire.h"

/* Convert a resource to the form that the simulator receives. */
cudaError_t corun_texture(const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
                          struct wire_texture *w);
cudaError_t corun_surface(const struct cudaResourceDesc *r, struct wire_texture *w);
/* Copies a box if at least one end is an array. */
cudaError_t corun_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream);

#endif
