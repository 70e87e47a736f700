/* The program's side of the sockets, and what the files of this library share. One call is under
 * way at a time; what the simulator asks for is done by a thread of the library's own. */
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
    const void *payload, *more; /* sent one behind the other */
    size_t payload_bytes, more_bytes;
    void *out; /* gets the answer's payload, of exactly so many bytes, */
    size_t out_bytes;
    void **out_new; /* or memory of its own, to be freed, for any number */
    uint64_t got[6];
    uint32_t got_bytes;
};
/* The answer's error; without the simulator a sentence, once, and cudaErrorNoDevice. */
cudaError_t corun_do(struct corun_call *c);
/* The same for calls without payload: CALL_X, up to eight numbers. */
#define corun_simple(...) corun_do(&(struct corun_call){__VA_ARGS__})

/* Keeps the error for cudaGetLastError and gives it back. */
cudaError_t corun_note(cudaError_t error);
/* cudaErrorNotSupported, and once for each call a sentence that names it. */
cudaError_t corun_missing(const char *call);

const struct wire_device *corun_device(void); /* NULL: there is none */
bool corun_in_callback(void); /* this thread runs host functions for streams */

/* Whether it is a device address, or of managed or pinned memory. */
bool corun_is_device(const void *p);
/* The program may touch these bytes from now on. */
void corun_show(uint64_t address, uint64_t size);
/* These pages of the program are from now on those of device memory. false: that cannot be. */
bool corun_alias(uint64_t address, uint64_t device, uint64_t size);

/* ---- capture.c ---- */
/* Queues it in the stream; while that is captured, a node of the graph instead. */
cudaError_t corun_queue(struct corun_call *c, cudaStream_t stream);
/* A call that a node has kept, in this stream; `priority`: of a launch. */
cudaError_t corun_again(const struct corun_call *kept, cudaStream_t stream, int32_t priority);
bool corun_is_captured(cudaStream_t stream);
/* Whether the stream is captured; then memory is a node of that type. */
bool corun_capture_memory(cudaStream_t stream, enum cudaGraphNodeType type, void *pointer,
                          size_t bytes);
/* Errors of calls that a capture forbids, which make the capture invalid: waiting for a stream or
 * asking about one; queueing in a stream by other means than corun_queue; waiting for the device;
 * asking about an event; calls that no capture sees, such as allocations. */
cudaError_t corun_may_wait(cudaStream_t stream);
cudaError_t corun_may_queue(cudaStream_t stream);
cudaError_t corun_may_wait_for_all(void);
cudaError_t corun_may_ask_event(uint64_t event);
cudaError_t corun_may_be_unsafe(void);
/* The stream, or the event, is about to go. */
void corun_forget_stream(uint32_t stream);
void corun_forget_event(uint64_t event);

/* ---- memory.c ---- */
/* Device memory, whatever is captured. */
cudaError_t corun_allocate(void **pointer, size_t size);
cudaError_t corun_fill(void *pointer, size_t pitch, unsigned value, unsigned value_bytes,
                       size_t width, size_t height, bool waits, cudaStream_t stream);

/* ---- graph_memory.c ---- */
bool corun_is_graph_memory(const void *pointer);
/* It is no longer in use; its pages stay, as the graph may be launched again. */
cudaError_t corun_free_graph_memory(void *pointer);

/* ---- array.c ---- */
/* What it is as the simulator gets it. */
cudaError_t corun_texture(const struct cudaResourceDesc *r, const struct cudaTextureDesc *t,
                          struct wire_texture *w);
cudaError_t corun_surface(const struct cudaResourceDesc *r, struct wire_texture *w);
/* Where arrays take part. */
cudaError_t corun_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream);

/* ---- module.c ---- */
struct corun_function { /* what a program knows by the address of its host function */
    const void *host;
    void **module;
    const char *name;
    bool found;
    uint32_t kernel; /* the simulator's number */
    struct wire_kernel of;
    struct wire_param *params;
    int max_dynamic_shared; /* that the program has set; -1: it has not */
    int carveout;
};
cudaError_t corun_find_function(const void *host, struct corun_function **out);
cudaError_t corun_find_variable(const void *host, uint64_t *address, uint64_t *size);
struct corun_function *corun_function_of(uint32_t kernel); /* by its number; NULL: none */
bool corun_is_variable(uint64_t address); /* of constant memory */
/* A module that the program loads itself, and what is in it. */
struct CUmod_st;
cudaError_t corun_module(const void *fat, size_t bytes, struct CUmod_st **module);
cudaError_t corun_module_function(struct CUmod_st *module, const char *name,
                                  struct corun_function **out);
cudaError_t corun_module_variable(struct CUmod_st *module, const char *name, uint64_t *address,
                                  uint64_t *size);
/* Of any module, a texture's or a surface's. */
cudaError_t corun_find_reference(struct CUmod_st *module, const char *name, bool surface,
                                 uint64_t *handle);

/* ---- reference.c ---- */
cudaError_t corun_bind(uint64_t handle, const struct wire_texture *w); /* NULL: nothing */
/* Moves the address to where a texture may begin, and gives how far that was; `bytes` are from
 * there on, and not more than there are. */
cudaError_t corun_texture_begin(uint64_t *address, size_t *bytes, size_t *offset);

/* ---- stream.c ---- */
uint32_t corun_stream(cudaStream_t stream); /* the simulator's number */
cudaError_t corun_stream_get(cudaStream_t stream, uint64_t *apart, int64_t *priority);
/* Whether the default stream is for now the calling thread's own, not the legacy one. */
void corun_default_stream(bool per_thread);

#endif
