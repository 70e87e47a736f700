/* corun/policy.h - everything a sharing policy sees and says.
 *
 * A policy answers, it never acts. It fills one `struct corun_policy` with hooks; a hook left NULL
 * means the default stated beside it. The simulator asks when something has changed, checks every
 * answer against the SM's resources, and counts what it refuses. A policy keeps its state in the
 * `state_bytes` it asks for, zeroed before `init`; it has no other memory, takes no random choice
 * of its own and reads no clock but view->now, so equal runs give equal bits.
 *
 * Words: an app is a program; a kernel is (app, function, block shape, shared bytes): its later
 * launches are restarts of the same kernel; a block is a thread block. */
#ifndef CORUN_POLICY_H
#define CORUN_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORUN_POLICY_ABI 1
#define CORUN_TARGET_FULL UINT32_MAX /* as many blocks as fit */

/* What one block takes, or one SM has. */
struct corun_resources {
    uint32_t threads;      /* rounded up to whole warps */
    uint32_t registers;    /* 32-bit, rounded as the machine allocates them */
    uint32_t shared_bytes;
    uint32_t blocks;       /* block slots */
};

struct corun_kernel {
    uint32_t kernel_id;    /* the same for every launch of this kernel */
    uint32_t app_id;
    const char *name;      /* the function's name */
    struct corun_resources block;
    uint32_t full_blocks;  /* blocks of this kernel that fit on an empty SM */
    uint64_t launch_order; /* by (cycle, app): smaller was launched earlier */
    uint64_t arrival_cycle;
    uint64_t grid_blocks;  /* of this launch */
    uint64_t pending_blocks; /* not yet dispatched */
    uint64_t running_blocks; /* resident on the GPU */
    bool admitted;         /* the last answer of `admit` */
};

struct corun_view {
    uint64_t now;          /* SM cycle */
    uint32_t sm_n, app_n;
    struct corun_resources sm;  /* capacity of one SM */
    uint32_t kernel_n;          /* launched and not ended, in launch order */
    const struct corun_kernel *kernels;
    const uint32_t *resident;   /* [sm][kernel]: blocks there now; index sm * kernel_n + kernel */
};

struct corun_setup {       /* before cycle 0 */
    uint32_t sm_n, app_n;
    struct corun_resources sm;
    uint64_t seed;
};

enum corun_option_type { CORUN_NUMBER, CORUN_WORD, CORUN_LIST /* numbers separated by / */ };
struct corun_option {      /* rows end with name NULL */
    const char *name;
    enum corun_option_type type;
    const char *initial;   /* as a user would write it */
    double low, high;      /* CORUN_NUMBER and the numbers of CORUN_LIST, inclusive */
    /* CORUN_WORD: the words allowed, separated by |. CORUN_LIST: words allowed instead of a list,
     * or NULL */
    const char *words;
    const char *unit, *sentence;
};
struct corun_value {       /* one per option row, in order */
    double number;
    const char *word;      /* CORUN_WORD, or CORUN_LIST given as a word; else NULL */
    uint32_t list_n;
    double list[16];
};

struct corun_policy_stat { /* rows end with name NULL; the policy counts in uint64_t stats[row] */
    const char *name, *unit, *sentence;
};

enum corun_event_kind {
    CORUN_LAUNCH, CORUN_OUT_OF_BLOCKS, CORUN_KERNEL_END, CORUN_BLOCK_START, CORUN_BLOCK_END
};
struct corun_event {
    enum corun_event_kind kind;
    uint32_t kernel;       /* index into view->kernels */
    uint32_t sm;           /* block events */
    bool restart;          /* CORUN_LAUNCH: a kernel seen before */
};

struct corun_policy {
    uint32_t abi;          /* CORUN_POLICY_ABI */
    uint32_t size_bytes;   /* sizeof(struct corun_policy) */
    const char *name, *sentence, *source; /* source: paper and section */
    const struct corun_option *options;   /* NULL: none */
    const struct corun_policy_stat *stats; /* NULL: none */
    size_t state_bytes;

    /* Called once before cycle 0. NULL: accepted; else one sentence saying what is wrong with the
     * options. */
    const char *(*init)(void *state, const struct corun_setup *setup,
                        const struct corun_value *values, uint64_t *stats);

    /* group `admit`: which launched kernels may have blocks on the GPU now. Fills admit[kernel],
       all true before the call. Absent: all. Asked when a kernel is launched, runs out of blocks or
       ends. */
    void (*admit)(void *state, const struct corun_view *view, bool *admit);

    /* group `share`: how many blocks of each kernel each SM should hold. Fills target[sm * kernel_n
       + kernel], all CORUN_TARGET_FULL before the call. Absent: as many as fit. Asked at the same
       moments as `admit`. A target below what is resident is reached by draining: no new block
       until enough have ended. */
    void (*share)(void *state, const struct corun_view *view, uint32_t *target);

    /* group `watch`: told, after the fact. Absent: not told. */
    void (*watch)(void *state, const struct corun_view *view, const struct corun_event *event);
};

/* A policy built as a shared object exports this one symbol. */
extern const struct corun_policy corun_policy;

#endif
