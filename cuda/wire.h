/* Protocol between the process of a CUDA program and the simulator, over two sockets. On the first
 * socket the program sends calls, from any thread but one call at a time, and the simulator
 * answers. On the second socket the simulator requests operations that only the program can
 * perform; a thread of the library performs them. Both ends run on the same host with the same
 * build; numbers have the byte order of the host. Included by src/run/cuda/ and by the libraries in
 * this folder. */
#ifndef CORUN_WIRE_H
#define CORUN_WIRE_H

#include <stdint.h>

/* Environment variable with the file descriptors, "CALLS,MEMORY,ASKS". */
#define WIRE_VARIABLE "CORUN_CUDA"
/* Environment variable with the name of the ranges that are requests. */
#define WIRE_RANGE "CORUN_RANGE"
enum { WIRE_PAYLOAD_MAX = 1 << 30 }; /* WIRE_VERSION: hash of wire.h and wire_call.def, see
                                      * meson.build */

/* Device memory is a file mapped by both processes; its offsets are device addresses. The program
 * also has the pages of managed and pinned memory at their device addresses. */
#define WIRE_MEMORY_START 0x100000000ull
#define WIRE_MEMORY_END 0x10000000000ull
#define WIRE_CONST_START 0x30000000ull /* constant variables */
#define WIRE_CONST_END 0x38000000ull

enum wire_call {
#define CALL(name, sentence) CALL_##name,
#include "cuda/wire_call.def"
#undef CALL
    CALL_N
};
struct wire_request {
    uint32_t call, payload_bytes; /* payload bytes follow the struct */
    uint32_t thread, spare;       /* calling thread of the program */
    uint64_t at[8];
};
enum wire_kind {
    WIRE_ANSWER, /* answer to a call; all other kinds are requests, answered by CALL_DONE */
    /* Request to copy: the payload is a wire_copy with at least one end in the program's own
     * memory. */
    WIRE_COPY,
    WIRE_FUNC,   /* call the host function at[0] with argument at[1] */
    WIRE_CALLBACK, /* call the stream callback at[0] with stream at[1], `error` and at[2] */
    WIRE_PRINT   /* print the payload, output of a kernel; at[0] 1: to standard error */
};
struct wire_reply {
    uint32_t kind, payload_bytes;
    int32_t error; /* a cudaError_t */
    uint32_t spare;
    uint64_t at[6];
};

/* A copy between two locations, given as device addresses or as the program's own addresses. */
struct wire_copy {
    uint64_t to, from, to_pitch, from_pitch, to_slice, from_slice;
    uint64_t width, height, depth;
    uint32_t to_host, from_host; /* 1: address in the program's own memory */
};
/* wire_request.at[1] of CALL_COPY. COPY_PINNED: the program's own memory is registered. */
enum { COPY_WAITS = 1, COPY_STAGED = 2, COPY_PINNED = 4 };

/* Arrays, textures and surfaces; values as in CUDA where CUDA defines them. */
enum { WIRE_LAYERED = 1, WIRE_CUBE = 2 };
struct wire_texel {
    /* 0 to 2: unsigned, 8, 16, 32 bits; 3 to 5: signed; 6, 7: floats of 16, 32 bits */
    uint32_t type;
    uint32_t channels;
};
struct wire_array {
    struct wire_texel texel;
    uint32_t flags, levels, width, height, depth, spare;
};
struct wire_place { /* exactly one of the program's own memory, an array, device memory */
    uint32_t host, level;
    uint64_t array, address, x_bytes, y, z, pitch, rows;
};
struct wire_array_copy {
    struct wire_place to, from;
    uint64_t width, height, depth; /* width in bytes; staged rows are contiguous */
};
enum { WIRE_LINEAR, WIRE_PITCH, WIRE_ARRAY, WIRE_SURFACE };
struct wire_texture {
    uint32_t kind;
    struct wire_texel texel; /* of an array: 0 channels */
    uint32_t width, height;
    uint32_t address_mode[3], filter, level_filter, normalized_coordinates, normalized_float;
    uint64_t address, pitch; /* address: or array */
    float border[4], level_bias, level_least, level_most, spare;
};

/* Range of priorities of streams and launches, the lowest number first; a launch may also use the
 * priority of its stream. */
enum { WIRE_PRIORITY_LEAST = 0, WIRE_PRIORITY_GREATEST = -5, WIRE_PRIORITY_OF_STREAM = 1 };
static inline int32_t wire_priority(int32_t priority) /* nearest valid priority */
{
    if (priority > WIRE_PRIORITY_LEAST) return WIRE_PRIORITY_LEAST;
    return priority < WIRE_PRIORITY_GREATEST ? WIRE_PRIORITY_GREATEST : priority;
}
struct wire_launch {
    uint32_t grid[3], block[3], shared_bytes, stream, cooperative;
    int32_t priority;      /* WIRE_PRIORITY_OF_STREAM: as the stream */
    uint32_t dynamic_most; /* limit of the kernel's dynamic shared memory */
    int32_t carveout;      /* preferred shared memory, percent of the most; -1: no preference */
    uint32_t cluster[3];   /* blocks of a cluster; 0: as the kernel says */
    uint32_t large_clusters; /* clusters of more than 8 blocks are allowed */
    uint32_t dependent;      /* programmatic dependent launch; in a graph: none */
};
struct wire_kernel { /* followed by param_n structs wire_param */
    uint64_t shared_bytes, const_bytes, local_bytes;
    uint32_t block_threads, registers, param_n, param_bytes, ptx_version;
    uint32_t cluster[3], needs_cluster, spare; /* .reqnctapercluster, .explicitcluster */
};
struct wire_param {
    uint32_t offset, size_bytes;
};

enum wire_memory { WIRE_DEVICE, WIRE_MANAGED, WIRE_PINNED };
enum { WIRE_ATTRIBUTES = 160 };
struct wire_device {
    char name[256];
    uint64_t memory_bytes;
    int32_t attributes[WIRE_ATTRIBUTES]; /* [number of cuda_attribute.def] */
    int32_t multiplies_half; /* on tensor units, with sums in float */
};

#endif
