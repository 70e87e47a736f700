/* The program's end of the sockets, and declarations shared by the files of this library. At most
 * one call is under way at a time; a thread of the library serves the requests of the simulator. */
#ifndef CORUN_CLIENT_H
#define CORUN_CLIENT_H

#include <stdbool.h>

#include "cuda/include/cuda_runtime_api.h"
#include "cuda/wire.h"

#define corun_address(p) ((uint64_t)(uintptr_t)(p))
#define corun_pointer(a) ((void *)(uintptr_t)(a))

struct corun_call {
    enum wire_call call;
    uint64_t at[8];
    const void *payload, *more; /* sent contiguously */
    size_t payload_bytes, more_bytes;
    void *out; /* buffer for an answer of exactly out_bytes, or NULL */
    size_t out_bytes;
    /* Alternative to `out`: receives allocated memory with an answer of any size; the caller frees
     * the memory. */
    void **out_new;
    uint64_t got[6];
    uint32_t got_bytes;
};
/* Performs a call and returns the error of the answer. Without the simulator: prints one message
 * per process and returns cudaErrorNoDevice. */
cudaError_t corun_do(struct corun_call *c);
/* Performs a call without payload: CALL_X and up to eight numbers. */
#define corun_simple(...) corun_do(&(struct corun_call){__VA_ARGS__})

/* Stores the error for cudaGetLastError and returns the error. */
cudaError_t corun_note(cudaError_t error);
/* Returns cudaErrorNotSupported; prints the name of the call, once per call. */
cudaError_t corun_missing(const char *call);

const struct wire_device *corun_device(void); /* NULL: no device */
bool corun_in_callback(void); /* true if the current thread runs host functions of streams */

/* Returns true for addresses of device, managed and pinned memory and of constant variables. */
bool corun_is_device(const void *p);
/* Makes these bytes accessible to the program. */
void corun_show(uint64_t address, uint64_t size);
/* Replaces pages of the program by pages of device memory. Returns false if the mapping fails. */
bool corun_alias(uint64_t address, uint64_t device, uint64_t size);

/* ---- capture.c ---- */
/* Queues a call in the stream. While the stream is captured, the call becomes a node of the
 * graph. */
cudaError_t corun_queue(struct corun_call *c, cudaStream_t stream);
/* Repeats a call stored in a node, in the given stream; `priority`: of a launch. */
cudaError_t corun_again(const struct corun_call *kept, cudaStream_t stream, int32_t priority);
bool corun_is_captured(cudaStream_t stream);
/* Returns true if the stream is captured; allocation or release of memory is then a node of the
 * given type. */
bool corun_capture_memory(cudaStream_t stream, enum cudaGraphNodeType type, void *pointer,
                          size_t bytes);
/* Check calls that a capture forbids. Return an error and make the capture invalid, or return
 * cudaSuccess. corun_may_wait: waiting for a stream or querying a stream; corun_may_queue: queueing
 * by other means than corun_queue; corun_may_wait_for_all: waiting for the device;
 * corun_may_ask_event: querying an event; corun_may_be_unsafe: calls that are never captured, such
 * as allocations. */
cudaError_t corun_may_wait(cudaStream_t stream);
cudaError_t corun_may_queue(cudaStream_t stream);
cudaError_t corun_may_wait_for_all(void);
cudaError_t corun_may_ask_event(uint64_t event);
cudaError_t corun_may_be_unsafe(void);
/* Remove the capture state of a stream or an event that is about to be destroyed. */
void corun_forget_stream(uint32_t stream);
void corun_forget_event(uint64_t event);

/* ---- memory.c ---- */
/* Allocates device memory, even during a capture. */
cudaError_t corun_allocate(void **pointer, size_t size);
cudaError_t corun_fill(void *pointer, size_t pitch, unsigned value, unsigned value_bytes,
                       size_t width, size_t height, bool waits, cudaStream_t stream);

/* ---- graph_memory.c ---- */
bool corun_is_graph_memory(const void *pointer);
/* Marks graph memory as unused; the pages remain, because the graph may be launched again. */
cudaError_t corun_free_graph_memory(void *pointer);

/* ---- array.c ---- */
/* Convert a resource to the form that the simulator receives. */
cudaError_t corun_texture(const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
                          struct wire_texture *w);
cudaError_t corun_surface(const struct cudaResourceDesc *r, struct wire_texture *w);
/* Copies a box if at least one end is an array. */
cudaError_t corun_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream);

/* ---- module.c ---- */
struct corun_function { /* a kernel, known to the program by the address of its host function */
    const void *host;
    void **module;
    const char *name;
    bool found;
    uint32_t kernel; /* the simulator's number */
    struct wire_kernel of;
    struct wire_param *params;
    int max_dynamic_shared; /* set by the program; -1: not set */
    int carveout;
};
cudaError_t corun_find_function(const void *host, struct corun_function **out);
cudaError_t corun_find_variable(const void *host, uint64_t *address, uint64_t *size);
struct corun_function *corun_function_of(uint32_t kernel); /* find by number; NULL: unknown */
bool corun_is_variable(uint64_t address); /* true if in constant memory */
/* Load a module at run time and find its contents. */
struct CUmod_st;
cudaError_t corun_module(const void *fat, size_t bytes, struct CUmod_st **module);
cudaError_t corun_module_function(struct CUmod_st *module, const char *name,
                                  struct corun_function **out);
cudaError_t corun_module_variable(struct CUmod_st *module, const char *name, uint64_t *address,
                                  uint64_t *size);
/* Finds a texture or surface reference in any module. */
cudaError_t corun_find_reference(struct CUmod_st *module, const char *name, bool surface,
                                 uint64_t *handle);

/* ---- reference.c ---- */
cudaError_t corun_bind(uint64_t handle, const struct wire_texture *w); /* w NULL: unbind */
/* Moves *address back to the nearest valid start of a texture and stores the distance in *offset.
 * Extends *bytes by the distance and limits *bytes to the end of the allocation. */
cudaError_t corun_texture_begin(uint64_t *address, size_t *bytes, size_t *offset);

/* ---- stream.c ---- */
uint32_t corun_stream(cudaStream_t stream); /* the simulator's number */
cudaError_t corun_stream_get(cudaStream_t stream, uint64_t *apart, int64_t *priority);
/* Selects the default stream of subsequent calls: the calling thread's own stream or the legacy
 * stream. */
void corun_default_stream(bool per_thread);

#endif
