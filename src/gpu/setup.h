/* Interface between `run` and the simulated GPU: the inputs of a simulation, and the reports and
 * callbacks of the GPU. */
#ifndef CORUN_GPU_SETUP_H
#define CORUN_GPU_SETUP_H

#include "base/arena.h"
#include "cache/cut.h"
#include "gpu/dispatch/hook_call.h"
#include "corun/policy.h"
#include "gpu/dispatch/guard_words.h"
#include "gpu/dispatch/group.h"
#include "gpu/dispatch/kernel.h"
#include "gpu/machine/machine.h"

/* Threads for the ticks of SMs; results are the same. A policy called within the ticks and a kernel
 * with malloc or free keep the run on one thread. */
struct gpu_threads {
    u32 n;      /* maximum, at least 1 */
    bool all;   /* n threads in each cycle with several ticks; false: as many as are worth it */
    u64 alone;  /* ticks of SMs on one thread before others start: a short run starts none */
};

/* Receiver of the lines that policies write by view->log, in the order of writing. `line` has n
 * bytes and no end mark. */
struct log_sink {
    void (*line)(struct log_sink *s, u32 mechanism, u64 cycle, const char *line, size_t n);
};

struct gpu_setup {
    const struct machine *machine;
    u32 app_n;
    u64 seed;
    double mps_percent[CORUN_APPS_MAX]; /* see struct corun_setup */
    u32 app_in_run[CORUN_APPS_MAX]; /* see struct corun_setup; set if `instance` */
    bool instance; /* the machine is an instance of a GPU: see board/board.h */
    bool skip;    /* jump over dead cycles; results are the same */
    struct cut cut; /* parts that apps have to themselves; needs machine_cut_fits */
    bool by_launch; /* launches get counters of their own, see gpu_launch_stat */
    struct gpu_threads threads;
    u32 policy_n; /* number of mechanisms in the policy specification, joined by + */
    const struct gpu_mechanism *policies;
    u32 fact_n;
    const struct gpu_fact *facts; /* isolated-run figures for policies; owned by the caller */
    struct hook_call *hook_call;          /* record of the running hook; NULL: no watchdog */
    struct log_sink *log;         /* NULL: none */
    bool counts_insts;            /* count by instruction: see struct launch */
    bool strict;                  /* also verify that hooks leave the view unchanged */
    int (*interrupted)(void);     /* called each time the policy is called; nonzero stops with
                                   * GPU_INTERRUPTED; NULL: never */
};
/* Monitor of a user policy: detects changes that a hook made to its process. */
struct hook_watch {
    u64 floats;                /* floating-point control (base/float_control.h) expected after a
                                * hook */
    const volatile u8 *alive;  /* 0: a hook forked, and the child process returned from the hook */
    /* Called at the first return of each hook, and whenever `floats` or `alive` is violated. */
    void (*look)(struct hook_watch *w, const char *hook, bool first);
    const char *last, *seen[64]; /* hooks that have returned; literals as in struct hook_call */
    u32 seen_n;
};
struct gpu_mechanism {
    const struct corun_policy *policy;
    struct hook_watch *watch;         /* NULL: shipped policy, not monitored */
    const struct corun_value *values; /* one value per option row */
    u64 *stats;                       /* one counter per statistic row; owned by the caller */
    struct guarded_bytes fence;              /* guard words around `stats`; `at` NULL: none */
    u32 owner;                        /* number, from 1, of the policy whose option `inside` names
                                       * the policy: it works in instances or sets of SMs, in place
                                       * of the owner's other hooks; 0: none */
    struct guarded_bytes state;       /* `at` NULL: allocated by the GPU */
    const struct source *at;          /* location of the name in the user's text, or NULL */
    size_t offset;
};

/* Isolated-run figures of the kernel with this app, name, block shape and shared bytes. */
struct gpu_fact {
    u32 app_id, block[3], shared_bytes;
    const char *name; /* NULL: figures of the app as a whole */
    struct corun_alone alone;
};

struct gpu_trouble { /* details after GPU_FAULT, GPU_DEADLOCK, GPU_STARVED, GPU_POLICY */
    u32 app_id, sm_id, warp_id;
    u64 block_id;
    bool deadlock;      /* detected in a step of a warp, or among warps that loop without effect */
    bool in_block;      /* a warp is involved: sm_id, warp_id, block_id and fault.lane are valid */
    const struct program *program;
    struct fault fault; /* for a deadlock: line, lane, and in `detail` the event that the warp waits
                         * for */
    u64 space_bytes;    /* size of the shared, local or parameter memory of the fault, else 0 */
    const char *what; /* one sentence */
};

/* Activity of a kernel; kernels are listed in the order of their first launches. While several
 * kernels of an app run concurrently, all activity is attributed to the kernel launched first, or
 * to the kernel of highest priority if launches have priorities. */
struct gpu_kernel {
    const char *name;
    u32 app_id, block[3], shared_bytes;
    u64 cycles, warp_instructions, thread_instructions; /* while the kernel ran */
};

/* A launch, the owner of the launch's counters, and three SM cycles: arrival at the GPU, start of
 * the first block, end of the last block. NEVER: not yet. */
struct gpu_end {
    struct launch launch;
    u32 owner;
    u64 arrived, began, ended;
    bool early; /* the launch goes on; the dependent launch behind it may begin: dependent.h */
};

/* Receiver of block events for the timeline. */
struct gpu_sink {
    void (*block)(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                  u64 block_id, u64 start, u64 end); /* the block has run to its end */
    /* Reports a part of a block's life: on an SM until preemption ("preempted"), in transit to or
     * from memory ("saved", "loaded"), or resident while other blocks had its seats ("absent").
     * NULL: not wanted. */
    void (*part)(struct gpu_sink *s, u32 app_id, const char *kernel, u32 sm_id, u32 slot,
                 u64 block_id, u64 start, u64 end, const char *what);
    /* Reports that an app has one resident block more, or less; cycles never decrease. NULL: not
     * wanted. */
    void (*resident)(struct gpu_sink *s, u32 app_id, bool more, u64 cycle);
};

#endif
