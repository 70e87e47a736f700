/* The interface of host programs: an app's own device memory, streams and launches, modelled on the
 * CUDA driver API. A host program is an ordinary C function that runs on its own stack, takes no
 * simulated time, and may block (host_sync, copies to the host) until the simulated GPU has caught
 * up. Workloads include only this header of src/. */
#ifndef CORUN_HOST_H
#define CORUN_HOST_H

#include "base/text.h"
#include "mem/tensor_map.h"
#include "mem/texture.h"

struct host;   /* the running app */
struct host_kernel;

/* Parameters of the app, as given by the user (NAME:key=value) or their defaults. */
s64 host_integer(struct host *h, const char *key);
double host_number(struct host *h, const char *key);
u64 host_seed(struct host *h);

/* Device memory. Addresses are identical in every run. A failure (out of memory, bad address) ends
 * the app with a message. */
u64 host_alloc(struct host *h, u64 size_bytes, const char *name);
void host_free(struct host *h, u64 address);
/* Copies to the device; blocks until earlier work of stream 0 has ended. */
void host_write(struct host *h, u64 device, const void *from, u64 size_bytes);
/* Copies to the host; blocks likewise. */
void host_read(struct host *h, void *to, u64 device, u64 size_bytes);
void host_fill(struct host *h, u64 device, u8 value, u64 size_bytes);
/* Returns the address of a .global or .const variable. */
u64 host_symbol(struct host *h, const char *name, u64 *size_bytes);

/* ---- arrays, textures, surfaces ----
 * Handles are passed to kernels as 64-bit arguments. The structs are defined in mem/texture.h; an
 * invalid description (a shape of width 0, a linear filter on integers) ends the app with a
 * message. host_array corresponds to cudaMalloc3DArray, cudaMallocMipmappedArray and
 * cuArray3DCreate. The handle of an array is a device address that no other object has, but kernels
 * cannot use the handle as an address. */
const char *host_shape_wrong(const struct array_shape *s); /* NULL: valid */
u64 host_array(struct host *h, const struct array_shape *shape, const char *name);
void host_array_free(struct host *h, u64 array);
const struct array_shape *host_array_shape(struct host *h, u64 array); /* NULL: not an array */

/* Source or destination of a copy, as in CUDA_MEMCPY3D. Exactly one of `host` (host memory),
 * `device` (device memory) and `array` with `level` is set. */
struct host_place {
    void *host;
    u64 device, array;
    u32 level;
    u64 x_bytes, y, z;  /* origin; z: slice, layer, or layer * 6 + face */
    /* Bytes from one row to the next, rows of a slice; 0: as in the copied box. Unused for
     * arrays. */
    u64 pitch, rows;
};
/* Copies a box, as cudaMemcpy2D and cudaMemcpy3D do, between host memory, device memory and arrays.
 * Blocks until earlier work of stream 0 has ended. A height or depth of 0 means 1. */
void host_copy(struct host *h, const struct host_place *to, const struct host_place *from,
               u64 width_bytes, u64 height, u64 depth);

/* Returns what is wrong with a copy, or NULL if the copy is valid. */
const char *host_copy_wrong(struct host *h, const struct host_place *to,
                            const struct host_place *from, u64 width_bytes, u64 height, u64 depth);

/* Equivalents of cudaResourceDesc, cudaTextureDesc and cudaResourceViewDesc:
 *   cudaResourceTypeLinear           TEXTURE_LINEAR: address, texel, width in elements
 *   cudaResourceTypePitch2D          TEXTURE_PITCH: address, texel, width, height, pitch
 *   cudaResourceTypeArray, Mipmapped TEXTURE_ARRAY: address is the array's handle; the shape is
 *                                    taken from the array. texel: channels 0 for the array's own
 *                                    format, else another view of the same bytes
 * cudaTextureDesc is `sampler`; sRGB, anisotropy and seamless cubes are not supported. */
const char *host_texture_wrong(struct host *h, const struct texture *t); /* NULL: valid */
u64 host_texture(struct host *h, const struct texture *t);
void host_texture_free(struct host *h, u64 texture); /* for surfaces, too */
const struct texture *host_texture_find(struct host *h, u64 handle); /* NULL: unknown handle */
/* Returns a surface handle, as cudaCreateSurfaceObject does. */
u64 host_surface(struct host *h, u64 array);
/* Bind a texture, as cudaBindTexture, cudaBindTexture2D, cudaBindTextureToArray and cuTexRefSet*
 * do. host_bind takes the handle, host_bind_texture the name of a .texref or .samplerref (kind
 * TEXTURE_SAMPLER) of the module. t NULL: unbind. */
void host_bind(struct host *h, u64 reference, const struct texture *t); /* NULL: unbind */
void host_bind_texture(struct host *h, const char *reference, const struct texture *t);
/* Binds a surface, as cudaBindSurfaceToArray does; array 0: unbind. */
void host_bind_surface(struct host *h, const char *reference, u64 array);

/* Returns zeroed scratch memory of the host program, freed when the app completes or is stopped
 * early. */
void *host_memory(struct host *h, size_t bytes);

/* Kernels. Launch arguments are one pointer per parameter to a value of exactly the parameter's
 * type, as in cuLaunchKernel. */
struct host_kernel *host_find(struct host *h, const char *kernel);
/* Sets the preferred shared memory of an SM for all further launches of the kernel, in percent of
 * the largest carve-out, as cudaFuncSetAttribute does. */
void host_prefer_carveout(struct host_kernel *k, u32 percent);
struct host_dim { u32 x, y, z; };
void host_launch(struct host *h, struct host_kernel *k, struct host_dim grid, struct host_dim block,
                 u32 shared_bytes, u32 stream, const void *const *args);
/* Blocks until all streams of the app are empty. */
void host_sync(struct host *h);
void host_stream_sync(struct host *h, u32 stream);

/* Result of the comparison with the CPU reference; a host program calls host_checked once, at its
 * end. `why` (may be NULL) is shown if `ok` is false. Restarted executions are not checked:
 * host_wants_check then returns false, and the host program can skip its reference. */
bool host_wants_check(struct host *h);
void host_checked(struct host *h, bool ok, const char *why);

struct workload_param {
    const char *key;
    double normal;      /* value at the default size */
    double test;        /* value at size=test (seconds) */
    /* Value at size=window: if the algorithm allows, no launch ends within 5,000,000 cycles of
     * rtx2060. */
    double window;
    double low, high;
    const char *sentence;
};
/* Parameters that are invalid or inconsistent with others, each with an explanation. Errors beyond
 * PARAM_ERRORS_MAX are dropped. */
enum { PARAM_ERRORS_MAX = 64 };
struct param_errors {
    u32 n;
    struct param_error {
        const char *key;
        struct text why;
    } at[PARAM_ERRORS_MAX];
};
void param_error(struct param_errors *e, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void param_errors_free(struct param_errors *e);

/* Words for the values 0, 1, ... of a parameter, in place of numbers. */
struct workload_words {
    const char *key, *words; /* "read|write" */
};

struct workload {
    const char *name, *sentence;
    const char *suite;     /* the benchmark suite of the original program, or "corun" */
    const char *algorithm; /* one sentence on the algorithm and its origin */
    const char *input;     /* one sentence on the input data and their generation */
    const struct workload_param *params; /* ends with key NULL */
    const struct workload_words *words;  /* NULL, or ends with key NULL */
    void (*run)(struct host *h);
    /* NULL, or reports values, in the order of `params`, that are within bounds but wrong. */
    void (*refuse)(const double *values, struct param_errors *errors);
    /* NULL: the PTX is kernel.ptx in the workload's folder. Otherwise generates the module from the
     * parameter values, given in the order of `params`. Returns false with all errors found. */
    bool (*write)(const double *values, struct text *ptx, struct param_errors *errors);
    const char *preset; /* NULL, or the asset with values that replace those of `params` */
};

/* Returns the words of a parameter; NULL: the values are numbers. */
const char *workload_words(const struct workload *w, const char *key);

#endif
