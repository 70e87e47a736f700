/* Meaning of synth's parameters for the kernel: the memory instructions of the loop one by one, the
 * number of compute instructions of each kind between them, and the layout of the buffers. The
 * writer of the PTX and the host program follow the same plan. */
#ifndef CORUN_WORKLOADS_SYNTH_PLAN_H
#define CORUN_WORKLOADS_SYNTH_PLAN_H

#include "host/host.h"

struct knobs { /* in the order of the parameters */
#define WHOLE(name, normal, test, window, low, high, sentence) double name;
#define REAL WHOLE
#include "workloads/synth/knobs.def"
#undef WHOLE
#undef REAL
};
extern const struct workload_param synth_params[];

/* Where a memory instruction goes, and the buffer. AGAIN repeats the address of the last stream
 * load. */
enum place { PLACE_STREAM, PLACE_AGAIN, PLACE_WARP, PLACE_BLOCK, PLACE_KERNEL, PLACE_WRITE,
             PLACE_N };
enum kind { KIND_SFU, KIND_DIV, KIND_F64, KIND_SHUFFLE, KIND_INT, KIND_LOAD, KIND_STORE,
            KIND_BRANCH, KIND_SP, KIND_N };

enum { SLOT_MAX = 256 };
struct slot {
    u8 place;
    bool few;   /* only enough lanes to touch `req_few` lines */
    s64 offset; /* from the place's pointer */
};

/* A pointer that moves by `step` once per loop, in a range of `cycle` bytes; 0: a set's pointer
 * stays, a stream's has no end. The buffer begins at a multiple of twice the range and has `count`
 * parts of `part` bytes, a part per block or warp, which wrap over the buffer. */
struct cursor {
    bool used;
    u64 step, cycle, part, count, bytes;
};

struct plan {
    struct knobs k;
    u32 warps, slots, compute;  /* of the loop */
    u32 at_place[PLACE_N];      /* memory instructions of each place */
    double memory;              /* of a warp in the mean, with the first warp's at barriers */
    u32 fill[KIND_N];           /* compute instructions with no other purpose */
    u32 fill_n, few_lanes, req; /* req: lines of an instruction with all lanes */
    bool some_few;
    bool apart;                 /* a stream access's lines are not adjacent */
    u64 unit;                   /* bytes of an access of a stream */
    u64 warp_bytes, stream_bytes; /* distance of two warps in a stream; a whole stream */
    struct cursor stream, warp, block, kernel;
    u32 registers; /* live at most */
    struct slot slot[SLOT_MAX];
    u32 chase_n, chase_apart; /* loads at barriers, and how far apart they lie */
};

/* Returns false with an error for every parameter that is wrong or contradicts others. Fractions of
 * whole parameters hide all further errors. */
bool plan_make(struct plan *p, const double *values, struct param_errors *errors);

/* The module. */
bool synth_write(const double *values, struct text *ptx, struct param_errors *errors);

void synth_run(struct host *h);

#endif
