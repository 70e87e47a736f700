/* What a host program sees: an app's own device memory, streams and launches, shaped like the CUDA
 * driver API. A host program is an ordinary C function that runs on a stack of its own, takes no
 * simulated time, and may block (host_sync, copies out) until the simulated GPU has caught up.
 * Workloads include this and nothing else of src/. */
#ifndef CORUN_HOST_H
#define CORUN_HOST_H

#include "base/text.h"
#include "mem/texture.h"

struct host;   /* the running app */
struct host_kernel;

/* Parameters of the app as given by the user (NAME:key=value) or its defaults. */
s64 host_integer(struct host *h, const char *key);
double host_number(struct host *h, const char *key);
u64 host_seed(struct host *h);

/* Device memory. Addresses are the same in every run. A failure (out of memory, bad address) ends
 * the app with a message. */
u64 host_alloc(struct host *h, u64 size_bytes, const char *name);
void host_free(struct host *h, u64 address);
/* blocking, after earlier work of stream 0 */
void host_write(struct host *h, u64 device, const void *from, u64 size_bytes);
/* blocking, likewise */
void host_read(struct host *h, void *to, u64 device, u64 size_bytes);
void host_fill(struct host *h, u64 device, u8 value, u64 size_bytes);
/* a .global or .const variable */
u64 host_symbol(struct host *h, const char *name, u64 *size_bytes);

/* ---- arrays, textures, surfaces ----
 * Handles are what kernels get as 64-bit arguments. The structs are of mem/texture.h; what cannot
 * be (a shape with a width of 0, a linear filter on whole numbers) ends the app with a message.
 * cudaMalloc3DArray, cudaMallocMipmappedArray, cuArray3DCreate: host_array. An array's handle is a
 * device address that nothing else has; as such it is nothing to a kernel. */
const char *host_shape_wrong(const struct array_shape *s); /* NULL: it can be */
u64 host_array(struct host *h, const struct array_shape *shape, const char *name);
void host_array_free(struct host *h, u64 array);
const struct array_shape *host_array_shape(struct host *h, u64 array); /* NULL: it is none */

/* One end of a copy, as in CUDA_MEMCPY3D: exactly one of memory of the host, of the device, and an
 * array with a level of it. */
struct host_place {
    void *host;
    u64 device, array;
    u32 level;
    u64 x_bytes, y, z;  /* where in it; z: slice, or layer, or layer times 6 plus face */
    u64 pitch, rows;    /* bytes of a row, rows of a slice; 0: those of the copy. Arrays: unused */
};
/* cudaMemcpy2D, 3D, to, from and between arrays. Blocking, after earlier work of stream 0. height
 * and depth: 0 means 1. */
void host_copy(struct host *h, const struct host_place *to, const struct host_place *from,
               u64 width_bytes, u64 height, u64 depth);

/* NULL: it can be done */
const char *host_copy_wrong(struct host *h, const struct host_place *to,
                            const struct host_place *from, u64 width_bytes, u64 height, u64 depth);

/* What cudaResourceDesc, cudaTextureDesc and cudaResourceViewDesc say together:
 *   cudaResourceTypeLinear           TEXTURE_LINEAR: address, texel, width in elements
 *   cudaResourceTypePitch2D          TEXTURE_PITCH: address, texel, width, height, pitch
 *   cudaResourceTypeArray, Mipmapped TEXTURE_ARRAY: address is the array's handle; the rest of its
 *                                    shape is filled in. texel: channels 0, the array's; else a
 *                                    view of its bytes
 * cudaTextureDesc is `sampler`; sRGB, anisotropy and seamless cubes are not supported. */
const char *host_texture_wrong(struct host *h, const struct texture *t); /* NULL: it can be */
u64 host_texture(struct host *h, const struct texture *t);
void host_texture_free(struct host *h, u64 texture); /* or surface */
const struct texture *host_texture_find(struct host *h, u64 handle); /* NULL: it is none */
/* cudaCreateSurfaceObject */
u64 host_surface(struct host *h, u64 array);
/* cudaBindTexture, cudaBindTexture2D, cudaBindTextureToArray, cuTexRefSet*: by the name of a
 * .texref, .samplerref (kind TEXTURE_SAMPLER) of the module; t NULL: unbound. */
void host_bind(struct host *h, u64 reference, const struct texture *t); /* NULL: nothing */
void host_bind_texture(struct host *h, const char *reference, const struct texture *t);
/* cudaBindSurfaceToArray; array 0: unbound */
void host_bind_surface(struct host *h, const char *reference, u64 array);

/* Scratch memory of the host program, freed when the app completes or is stopped in the middle.
 * Zeroed. */
void *host_memory(struct host *h, size_t bytes);

/* Kernels. Arguments: one pointer per parameter to a value of exactly its type, as in
 * cuLaunchKernel. */
struct host_kernel *host_find(struct host *h, const char *kernel);
struct host_dim { u32 x, y, z; };
void host_launch(struct host *h, struct host_kernel *k, struct host_dim grid, struct host_dim block,
                 u32 shared_bytes, u32 stream, const void *const *args);
void host_sync(struct host *h);                    /* until every stream of this app is empty */
void host_stream_sync(struct host *h, u32 stream);

/* Whether the output agrees with the CPU reference. Called once, at the end. `why` (may be NULL) is
 * shown when false. A restart does not check again: host_wants_check is false then, so the program
 * can skip its reference. */
bool host_wants_check(struct host *h);
void host_checked(struct host *h, bool ok, const char *why);

struct workload_param {
    const char *key;
    double normal;      /* value at the default size */
    double test;        /* value at size=test (seconds) */
    double window;      /* value at size=window: nothing ends within 5,000,000 cycles of rtx2060,
                         * where the algorithm allows it */
    double low, high;
    const char *sentence;
};
struct workload {
    const char *name, *sentence;
    const char *suite;     /* the benchmark suite whose program it stands for, or "corun" */
    const char *algorithm; /* a sentence, and where the algorithm is from */
    const char *input;     /* a sentence: what the data are and how they are made */
    const struct workload_param *params; /* ends with key NULL */
    void (*run)(struct host *h);
    /* NULL: the PTX is kernel.ptx of its folder. Else writes the module from the values of the
     * parameters, in their order. NULL when done, else the key of the parameter that is wrong or
     * does not go with the others, and `why` says how. */
    const char *(*write)(const double *values, struct text *ptx, struct text *why);
    const char *preset; /* NULL, or the asset whose values replace those of `params` */
};

#endif
