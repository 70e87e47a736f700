/* State of block dispatch: launches at the GPU, the policy's answers about them, waiting kernels.
 * dispatch.c changes the state; the callers of hooks (ask.c, ask_sm.c, ask_partition.c, tell.c,
 * view.c) read the state and maintain struct hooks. */
#ifndef CORUN_DISPATCH_STATE_H
#define CORUN_DISPATCH_STATE_H

#include "chip/sm/sm.h"
#include "exec/block/cluster.h"
#include "gpu/dispatch/delay.h"
#include "gpu/dispatch/guard_words.h"
#include "gpu/setup.h"

enum {
    KERNELS_MAX = 256,          /* launches at the GPU at once */
    ENDED_MAX = 2 * KERNELS_MAX /* ends and early ends */
};

struct kernel { /* a launch being run */
    struct work work;
    struct launch launch;
    u32 kernel_id; /* equal for equal app, function, block shape and shared bytes */
    u64 order, arrival;
    u64 began; /* cycle of the first block's start; NEVER: not yet */
    u64 grid_blocks, next_block, running;
    /* Queue of blocks taken off an SM, in the order of leaving, with their state or (FLUSHED)
     * without. */
    struct block *out, **out_end;
    u32 out_n;
    u32 *leaving; /* [sm] resident blocks being saved */
    const struct corun_alone *alone;
    u32 full_blocks;
    u32 carveout_bytes; /* shared memory of an SM that the kernel wants */
    u32 cluster_n;      /* blocks of a cluster; 1: no clusters */
    bool admitted, restart, used;
    bool held_off;  /* can start no block, whatever the policy answers */
    bool may_start; /* the policy has admitted the kernel at least once */
    u64 waits_since; /* cycle since which gets_no_block (dispatch.c) or is_held_back holds; NEVER:
                      * neither */
    u32 *target, *resident; /* [sm] */
    u32 *extra; /* [sm] resident blocks without seats of their own (extra blocks) */
    u64 *drains_since; /* [sm] cycle since which blocks are above the target; NEVER: none is */
    /* Programmatic dependent launch: see dependent.h. */
    bool primary_runs;       /* an earlier launch of the stream has not ended */
    bool triggers;           /* some block has executed griddepcontrol.launch_dependents */
    u64 signalled;           /* blocks that have executed it, or have ended */
    struct block *waiting;   /* blocks at griddepcontrol.wait */
};

static inline u64 kernel_pending(const struct kernel *k)
{
    return k->grid_blocks - k->next_block + k->out_n;
}

static inline struct kernel *kernel_of(const struct work *work)
{
    return (struct kernel *)((u8 *)(uintptr_t)work - offsetof(struct kernel, work));
}

/* Returns the number of blocks on the SM that have seats, the number that a target limits. */
static inline u32 kernel_seated(const struct kernel *k, u32 sm)
{
    return k->resident[sm] - k->extra[sm];
}

/* Returns the number of blocks above the target that are not leaving the SM yet. Extra blocks
 * count, too, once the seated blocks exceed the target. Model: a kernel without pending blocks has
 * no block above a target. Policies give such a kernel no target, hence a block that left would
 * never return (guess). */
static inline u32 kernel_excess(const struct kernel *k, u32 sm)
{
    u32 stay = kernel_pending(k) ? kernel_seated(k, sm) - k->leaving[sm] : 0;
    return stay > k->target[sm] ? stay + k->extra[sm] - k->target[sm] : 0;
}

struct kernel_name { /* identity of a kernel */
    const struct program *program;
    u32 app_id, block[3], shared_bytes;
    const struct corun_alone *alone;
    struct gpu_kernel did;
    struct program *noted; /* copy of the program that records reads and writes of blocks
                            * (idempotence); NULL: not needed */
    u64 ended_n, ended_instructions; /* blocks that have ended, and their warp instructions */
};

struct latched { /* answers in force at an SM or partition, initially neutral */
    u16 ways[APPS_MAX], mshrs[APPS_MAX], missq[APPS_MAX];
    struct dram_rank rank;
    u64 asked; /* cycle of the last call */
};

struct account { /* an app's counters when activity was last attributed to its kernels */
    u64 since, warp_instructions, thread_instructions;
};

struct remaining { /* detection of a timer that stays in the past */
    u64 at;   /* value of the last call */
    u32 n;    /* consecutive calls with this value */
};

struct policy_lines {
    struct text lines; /* the first lines */
    u64 n;             /* number of all lines */
};

/* State of the callers of hooks: ask.c, ask_sm.c, ask_partition.c, tell.c, view.c. */
struct hooks {
    u32 mechanism_n;
    const struct gpu_mechanism *mechanisms;
    struct guarded_bytes *states;               /* [mechanism] */
    struct guarded_bytes *counters;          /* [mechanism] `states` again if without guard words */
    struct policy_lines *logs;             /* [mechanism] */
    struct log_sink *log_sink;           /* NULL: none */
    const struct gpu_fact *facts;
    u32 fact_n;
    struct corun_view view;
    u64 view_n;            /* views made so far */
    bool view_is_old;      /* blocks, kernels, apps or answers have changed since the view */
    u64 counted_to;        /* the counts of the view include all cycles before this cycle */
    struct corun_kernel *view_kernels;
    struct corun_alone *app_alone; /* NULL: no figures */
    u32 *view_resident, *view_target, *view_extra;
    u32 *view_carveout, *view_wanted;
    /* answer buffers of admit, share and residency */
    struct guarded_bytes admits, targets, residencies;
    struct guarded_bytes answer;   /* answer buffer of all other hooks, large enough for each */
    struct guarded_bytes filling;  /* buffer being filled by the running hook; `at` NULL: none */
    bool strict, viewed;   /* strict: compare the view after each hook; viewed: the running hook has
                            * the view */
    bool careful;          /* perform the checks of hook_look: `strict`, or some mechanism has a
                            * watch */
    u64 view_hash;
    bool watched, asks_sms, asks_partitions; /* some mechanism has hooks of these groups */
    int (*interrupted)(void); /* NULL: never */
    bool stops;        /* an interrupt has come */
    bool called_now;        /* the policy was called in this cycle */
    bool *moved;           /* [sm] blocks have come or gone since the SM's groups were called */
    bool *settled;         /* [sm] */
    u32 unsettled_n;
    u64 *timer_at;         /* [mechanism] NEVER: not set */
    struct remaining *left;     /* [mechanism] */
    struct latched *latched; /* [sm], then [partition]: last answers */
    u64 timer_next;        /* minimum of timer_at */
    u64 *requests_at;      /* [mechanism][sm][app] L1 accesses at the next CORUN_REQUESTS */
    u64 *requests_every;   /* [mechanism] 0: no such events */
    u32 *in_flight_peak;   /* [mechanism][sm][app] peak since the last CORUN_REQUESTS, as of the
                            * last read from the SM */
    struct policy_lines *refused; /* [mechanism] n: all refusals; lines: the first, a line each */
    struct text refused_of[CLAIM_N + 1]; /* the first of each claim, and of none */
    enum claim refusal_of; /* claim of the refusal being reported */
    struct hook_call own_call, *call; /* own_call, or the setup's */
    struct text broke;     /* message: first hook that wrote outside its memory; size 0: none */
};

/* The app in possession of the GPU, with the group `holder`: see holder.c. */
struct holder {
    bool claimed;      /* some mechanism has the group */
    u32 app, next;     /* present or last app; next app */
    u64 since;         /* NEVER: no app yet, or states are moving */
    enum {
        HOLDER_STAYS,
        HOLDER_LEAVES, /* blocks of other apps leave their SMs */
        HOLDER_SAVES,  /* SMs save the rest of the last app's state */
        HOLDER_LOADS,  /* SMs load the rest of the next app's state */
        HOLDER_RESUMES /* blocks of the next app load their states */
    } phase;
    enum corun_state moved;
    u32 moving_n;      /* SMs busy with the rest of a state */
    u64 resumed_at;    /* cycle of the begin of HOLDER_RESUMES; NEVER: no block loads */
    u32 loading_n;     /* blocks that load their states */
    bool had[APPS_MAX]; /* the app had the GPU before */
    u32 *lines[APPS_MAX]; /* [sm] lines of block states saved last */
};

struct gpu;

struct dispatch {
    const struct machine *machine;
    struct gpu *gpu; /* for functions that need other parts, as counters in view.c */
    struct sm *sms;
    u32 sm_n, app_n;
    u32 copies;               /* of the SMs: sms has sm_n of the first copy, then of the next */
    u32 first_sm[APPS_MAX];   /* [app] first SM of the app's copy */
    struct kernel *kernels[KERNELS_MAX]; /* launched and not ended, in launch order
                                          * (priority_order) */
    u32 kernel_n;
    bool app_over[APPS_MAX];  /* the app will launch nothing more in this run */
    bool app_ended[APPS_MAX]; /* app_over, and no blocks pending: for the view */
    struct corun_app apps[APPS_MAX]; /* for the view */
    struct kernel *spare; /* storage of KERNELS_MAX kernels */
    struct kernel_name *names;
    u32 name_n, name_room;
    struct gpu_end ended[ENDED_MAX]; /* ring */
    struct block *released; /* blocks whose primary has ended */
    u32 ended_head, ended_n;
    u64 ended_at;     /* cycle in which the last launch ended; NEVER: none */
    u64 order;
    u32 last_sm;
    u32 *last_kernel; /* [sm] kernel_id that last got a block on the SM, UINT32_MAX: none */
    bool prioritized; /* some launch had a priority other than 0 */
    bool resides;     /* some mechanism has the group `residency` */
    bool carves;      /* the machine has a list of carve-outs */
    bool carving;     /* an empty SM waits for another carve-out in this cycle */
    /* [sm] cycle after the last start of a block of a cluster */
    u64 *cluster_started;
    struct cluster_pool clusters;
    bool notes;       /* some mechanism needs to know which blocks are idempotent */
    bool changed;     /* a block might be able to start */
    u64 ask_at;       /* cycle of the next call of the policy; NEVER: none */
    u32 untold_n;     /* number of last launches not yet reported to the policy */
    struct account account[APPS_MAX];
    struct gpu_sink *sink; /* NULL: none */
    u64 drain_ends;    /* cycle in which the first drain reaches preempt.limit; NEVER: none does */
    struct delays delays[APPS_MAX][DELAY_N];
    u64 patience_ends; /* cycle in which the first waiting kernel is starved; NEVER: none waits */
    u32 blocks_per_sm[APPS_MAX]; /* last target of the app's kernel that ran last */
    bool must_tick;    /* `must_tick` of some SM has been set in this tick */
    struct holder holder;
    struct hooks hooks;
};

/* Returns true if a cooperative launch has begun. Model: a cooperative launch that has begun is not
 * overtaken: a GPU places all its blocks at once (CUDA C++ programming guide, grid
 * synchronization). */
static inline bool has_begun_together(const struct kernel *k)
{
    return k->launch.cooperative && k->next_block;
}

/* Returns true if a launch of the same app with a higher priority (a lower number) waits for room
 * on the SM. No block of the kernel may then start on the SM. */
static inline bool priority_waits(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    if (likely(!p->prioritized) || has_begun_together(k)) return false;
    for (u32 i = 0; i < p->kernel_n; i++) {
        const struct kernel *other = p->kernels[i];
        if (other->work.app_id == k->work.app_id &&
            other->launch.priority < k->launch.priority && other->admitted &&
            kernel_pending(other) && kernel_seated(other, sm) < other->target[sm])
            return true;
    }
    return false;
}

/* Returns true if a block of the kernel should start on the SM as soon as there is room. */
static inline bool block_is_due(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    return k->admitted && kernel_pending(k) && kernel_seated(k, sm) < k->target[sm] &&
           !priority_waits(p, k, sm);
}

/* Returns the app's copy of an SM. */
static inline struct sm *sm_of(const struct dispatch *p, u32 app_id, u32 sm)
{
    return &p->sms[p->first_sm[app_id] + sm];
}

/* Returns true if the block fits on the SM beside the blocks of all copies. */
static inline bool fits_beside(const struct dispatch *p, const struct work *work, u32 sm)
{
    const struct sm_conf *most = p->sms->conf;
    struct corun_resources sum = work->need;
    for (u32 q = 0; q < p->copies; q++) {
        const struct corun_resources *used = &p->sms[q * p->sm_n + sm].blocks.used;
        sum.threads += used->threads;
        sum.registers += used->registers;
        sum.shared_bytes += used->shared_bytes;
        sum.blocks += used->blocks;
    }
    return sum.threads <= most->threads && sum.registers <= most->registers &&
           sum.blocks <= most->blocks &&
           sum.shared_bytes <= sm_shared_bytes(sm_of(p, work->app_id, sm));
}

/* Returns true if the SM has room for a block. */
static inline bool block_fits(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    return sm_fits(sm_of(p, k->work.app_id, sm), &k->work) &&
           (likely(p->copies == 1) || fits_beside(p, &k->work, sm));
}

static inline bool block_can_start(const struct dispatch *p, const struct kernel *k, u32 sm)
{
    return block_is_due(p, k, sm) && block_fits(p, k, sm);
}

#endif
