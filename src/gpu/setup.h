/* What a simulation is made of and told of: what `run` hands to the GPU, and what it gets back. */
#ifndef CORUN_GPU_SETUP_H
#define CORUN_GPU_SETUP_H

#include "base/arena.h"
#include "base/asked.h"
#include "corun/policy.h"
#include "gpu/dispatch/fence.h"
#include "gpu/dispatch/group.h"
#include "gpu/dispatch/kernel.h"
#include "gpu/machine/machine.h"

struct gpu_setup {
    const struct machine *machine;
    u32 app_n;
    u64 seed;
    bool skip;    /* jump over dead cycles; results are the same */
    u32 policy_n; /* mechanisms, joined by + */
    const struct gpu_mechanism *policies;
    u32 fact_n;
    const struct gpu_fact *facts; /* for policies that need them; the caller's */
    struct asked *asked;          /* NULL: nobody wants to know */
    bool strict;                  /* whether hooks leave the view alone is looked at, too */
    int (*interrupted)(void);     /* asked when the policy is; not 0: GPU_INTERRUPTED. NULL: no */
};
/* Looks at what a hook of a policy from a file did to its process. */
struct hook_watch {
    u64 floats;                /* floating-point control (base/float_control.h) after each hook */
    const volatile u8 *alive;  /* 0: a hook has made a process and came back in that one too */
    /* At a hook's first return, and whenever one of these is not so. */
    void (*look)(struct hook_watch *w, const char *hook, bool first);
    const char *last, *seen[64]; /* hooks that have returned, the literals of struct asked */
    u32 seen_n;
};
struct gpu_mechanism {
    const struct corun_policy *policy;
    struct hook_watch *watch;         /* NULL: it ships, and nobody looks */
    const struct corun_value *values; /* one per option row */
    u64 *stats;                       /* one per statistic row; the caller's */
    struct fenced fence;              /* around them; `at` NULL: they have none */
    const struct source *at;          /* where the user chose it, or NULL */
    size_t offset;
};

struct gpu_fact { /* about the kernel of this app, name, block shape and shared bytes */
    u32 app_id, block[3], shared_bytes;
    const char *name; /* NULL: about the app as a whole */
    struct corun_alone alone;
};

struct gpu_trouble { /* after GPU_FAULT, GPU_DEADLOCK, GPU_STARVED, GPU_POLICY */
    u32 app_id, sm_id, warp_id;
    u64 block_id;
    bool deadlock;      /* found in a step of a warp, or with warps that repeat themselves */
    bool in_block;      /* of a warp: sm_id, warp_id, block_id and fault.lane mean something */
    const struct program *program;
    struct fault fault; /* deadlock: line, lane and detail, which says what the warp waits for */
    u64 space_bytes;    /* fault in shared, local or parameter memory: how much there is, else 0 */
    const char *what; /* one sentence */
};

/* What a kernel did; kernels in the order in which they were first launched. Of kernels of an app
 * that run at the same time, the one launched first is charged. */
struct gpu_kernel {
    const char *name;
    u32 app_id, block[3], shared_bytes;
    u64 cycles, warp_instructions, thread_instructions; /* while it ran */
};

/* Block events for the timeline. */
struct gpu_sink {
    void (*block)(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                  u64 block_id, u64 start, u64 end); /* it has run to its end */
    /* A part of a preempted block's life: on an SM until it was preempted ("preempted"), or on its
     * way, "saved" or "loaded"; or on an SM while others had its seats ("absent"). NULL: of no
     * interest. */
    void (*part)(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                 u64 block_id, u64 start, u64 end, const char *what);
    /* An app has one resident block more, or less; cycles never go back. NULL: of no interest. */
    void (*resident)(struct gpu_sink *s, u32 app_id, bool more, u64 cycle);
};

#endif
