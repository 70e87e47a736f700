/* What block dispatch knows: launches at the GPU, what the policy said of them, who waits. place.c
 * changes it; the askers (ask.c, ask_sm.c, tell.c, view.c) read it and keep their own part. */
#ifndef CORUN_PLACE_STATE_H
#define CORUN_PLACE_STATE_H

#include "chip/sm/sm.h"
#include "gpu/dispatch/fence.h"
#include "gpu/setup.h"

enum { KERNELS_MAX = 256 }; /* launches at the GPU at once */

struct kernel { /* a launch being run */
    struct work work;
    struct launch launch;
    u32 kernel_id; /* same app, function, block shape and shared bytes: same id */
    u64 order, arrival;
    u64 grid_blocks, next_block, running;
    /* Taken off an SM, first to leave first, with their state or (FLUSHED) without. */
    struct block *out, **out_end;
    u32 out_n;
    u32 *leaving; /* [sm] of those resident, on their way off */
    const struct corun_alone *alone;
    u32 full_blocks;
    bool admitted, restart, used;
    bool may_start; /* its first block might have started: the policy has let it in */
    u64 waits_since; /* see gets_no_block in place.c: so since this cycle; NEVER: not so */
    u32 *target, *resident; /* [sm] */
    u32 *extra; /* [sm] of those resident, those beyond what has seats */
};

static inline u64 kernel_pending(const struct kernel *k)
{
    return k->grid_blocks - k->next_block + k->out_n;
}

/* Blocks that have seats there, which is what a target counts. */
static inline u32 kernel_seated(const struct kernel *k, u32 sm)
{
    return k->resident[sm] - k->extra[sm];
}

/* Blocks that are too many on the SM and not on their way off: extra ones too, if others are.
 * Model: no block of a kernel without pending ones is too many: policies give such a kernel no
 * places, so that one that left would not come back (guess). */
static inline u32 kernel_excess(const struct kernel *k, u32 sm)
{
    u32 stay = kernel_pending(k) ? kernel_seated(k, sm) - k->leaving[sm] : 0;
    return stay > k->target[sm] ? stay + k->extra[sm] - k->target[sm] : 0;
}

struct kernel_name { /* what makes a kernel the same kernel */
    const struct program *program;
    u32 app_id, block[3], shared_bytes;
    const struct corun_alone *alone;
    struct gpu_kernel did;
    struct program *noted; /* the program, if what its blocks read and write is noted; else NULL */
    u64 ended_n, ended_instructions; /* blocks that have ended, and warp instructions of them */
};

struct latched { /* tables as the machine has them, at first neutral */
    u16 ways[APPS_MAX], mshrs[APPS_MAX], missq[APPS_MAX];
    struct dram_rank rank;
    u64 asked; /* cycle of the last time */
};

struct charge { /* an app's counters when its kernels were charged with them last */
    u64 since, warp_instructions, thread_instructions;
};

struct left { /* a timer that stays at a cycle which is over */
    u64 at;   /* what it said last */
    u32 n;    /* times in a row */
};

struct policy_log {
    struct text lines; /* the first of them */
    u64 n;             /* all */
};

struct hooks { /* what the askers (ask.c, ask_sm.c, ask_partition.c, tell.c, view.c) keep */
    u32 mechanism_n;
    const struct gpu_mechanism *mechanisms;
    struct fenced *states;               /* [mechanism] */
    struct fenced *counters;             /* [mechanism] as `states` where they have no fence */
    struct policy_log *logs;             /* [mechanism] */
    const struct gpu_fact *facts;
    u32 fact_n;
    struct corun_view view;
    bool view_is_old;      /* blocks, kernels or answers have changed since it was made */
    u64 counted_to;        /* the first cycle that its counts do not hold */
    struct corun_kernel *view_kernels;
    struct corun_alone *app_alone; /* NULL: there are no facts */
    u32 *view_resident, *view_target, *view_extra;
    struct fenced admits, targets, residencies; /* what admit, share and residency fill */
    struct fenced slate;   /* what any other hook fills; room for all */
    struct fenced given;   /* one of these, during a hook that fills it; else at NULL */
    bool strict, viewed;   /* the view is compared after each hook; the hook that runs has it */
    bool careful;          /* hooks have more looked at than what they write: `strict`, or some
                            * mechanism has a watch */
    u64 view_hash;
    bool watched, asks_sms, asks_partitions; /* some mechanism has such hooks */
    int (*interrupted)(void); /* NULL: never */
    bool stops;        /* since an interrupt came */
    bool asked_now;        /* the policy has been asked in this cycle */
    bool *moved;           /* [sm] blocks have come or gone since its groups were asked */
    bool *settled;         /* [sm] */
    u32 unsettled_n;
    u64 *timer_at;         /* [mechanism] NEVER: not set */
    struct left *left;     /* [mechanism] */
    struct latched *latched; /* [sm], then [partition]: what was answered last */
    u64 timer_next;        /* the earliest of them */
    u64 *requests_at;      /* [mechanism][sm][app] accesses of L1 of which it is told next */
    u64 *requests_every;   /* [mechanism] 0: it is not told */
    u32 *in_flight_peak;   /* [mechanism][sm][app] since it was told, as far as anybody looked */
    u64 refusals;
    struct text refused;   /* the first of them, a line each; */
    struct text refused_of[CLAIM_N + 1]; /* the first of each claim, and of none */
    enum claim refusal_of; /* the one that is told now */
    struct asked asked_here, *asked; /* asked_here, or the setup's */
    struct text broke;     /* the first hook that wrote where it may not; size 0: none has */
};

struct gpu;

struct place {
    const struct machine *machine;
    struct gpu *gpu; /* for view.c, which counts in all its parts */
    struct sm *sms;
    u32 sm_n, app_n;
    struct kernel *kernels[KERNELS_MAX]; /* launched and not ended, in launch order */
    u32 kernel_n;
    bool app_over[APPS_MAX];  /* no launch of it will come any more in this run */
    bool app_ended[APPS_MAX]; /* nor has it blocks to give: the view's */
    struct kernel *spare; /* storage of KERNELS_MAX kernels */
    struct kernel_name *names;
    u32 name_n, name_room;
    struct launch ended[KERNELS_MAX]; /* ring */
    u32 ended_head, ended_n;
    u64 ended_at;     /* the cycle in which the last of them did; NEVER: none has */
    u64 order;
    u32 last_sm;
    u32 *last_kernel; /* [sm] kernel_id that last got a block there, UINT32_MAX: none */
    bool prioritized; /* a launch of a priority other than 0 has come */
    bool resides;     /* some mechanism has the group `residency` */
    bool notes;       /* some mechanism wants to know which blocks are idempotent */
    bool changed;     /* a block might be started */
    u64 ask_at;       /* the policy has to be asked again in this cycle; NEVER: not */
    u32 untold_n;     /* the last launches, which the policy has not been told of */
    struct charge charge[APPS_MAX];
    struct gpu_sink *sink; /* NULL: none */
    u64 patience_ends; /* when the kernel that waits longest is starved; NEVER: nobody waits */
    u32 blocks_per_sm[APPS_MAX]; /* last share of the app's kernel that ran last */
    bool must_tick;    /* some SM's `must_tick` has been set in this tick */
    struct hooks hooks;
};

/* Model: a cooperative launch that has begun is not overtaken: a GPU places all its blocks at once
 * (CUDA C++ programming guide, grid synchronization). */
static inline bool has_begun_together(const struct kernel *k)
{
    return k->launch.cooperative && k->next_block;
}

/* True if a launch of the same app with a higher priority (a lower number) waits for room on the
 * SM: no block of the kernel starts there. */
static inline bool priority_waits(const struct place *p, const struct kernel *k, u32 sm)
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

static inline bool block_can_start(const struct place *p, const struct kernel *k, u32 sm)
{
    return k->admitted && kernel_pending(k) && kernel_seated(k, sm) < k->target[sm] &&
           sm_fits(&p->sms[sm], &k->work) && !priority_waits(p, k, sm);
}

#endif
