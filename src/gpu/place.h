/* Block dispatch: asks the policy when something has changed, checks its answers with the SM's
 * ledger, starts blocks. gpu hands it launches and retired blocks; it hands gpu ended launches and
 * a starved kernel. Model: machine description 2.1: round robin over SMs from the
 * last that got a block, at most one block per SM and cycle; a kernel's blocks start in order. */
#ifndef CORUN_PLACE_H
#define CORUN_PLACE_H

#include "chip/sm/sm.h"
#include "gpu/gpu.h"

enum { KERNELS_MAX = 256 }; /* launches at the GPU at once */

struct kernel { /* a launch being run */
    struct work work;
    struct launch launch;
    u32 kernel_id; /* same app, function, block shape and shared bytes: same id */
    u64 order, arrival;
    u64 grid_blocks, next_block, running;
    struct block *out, **out_end; /* taken off an SM, first to leave first */
    u32 out_n;
    const struct corun_alone *alone;
    u32 full_blocks;
    bool admitted, restart, used;
    u64 waits_since; /* admitted, with room and nothing resident, since this cycle; NEVER: not so */
    u32 *target, *resident; /* [sm] */
};

static inline u64 kernel_pending(const struct kernel *k)
{
    return k->grid_blocks - k->next_block + k->out_n;
}

struct kernel_name { /* what makes a kernel the same kernel */
    const struct program *program;
    u32 app_id, block[3], shared_bytes;
    const struct corun_alone *alone;
    struct gpu_kernel did;
};

struct charge { /* an app's counters when its kernels were charged with them last */
    u64 since, warp_instructions, thread_instructions;
};

struct place {
    const struct machine *machine;
    struct gpu *gpu; /* for view.c, which counts in all its parts */
    struct sm *sms;
    u32 sm_n, app_n;
    u32 mechanism_n;
    const struct gpu_mechanism *mechanisms;
    void **states;                       /* [mechanism] */
    struct kernel *kernels[KERNELS_MAX]; /* launched and not ended, in launch order */
    u32 kernel_n;
    struct kernel *spare; /* storage of KERNELS_MAX kernels */
    struct kernel_name *names;
    u32 name_n, name_room;
    struct launch ended[KERNELS_MAX]; /* ring */
    u32 ended_head, ended_n;
    u64 order;
    u32 last_sm;
    u32 *last_kernel; /* [sm] kernel_id that last got a block there, UINT32_MAX: none */
    bool changed;     /* a block might be started */
    u64 ask_at;       /* the policy has to be asked again in this cycle; NEVER: not */
    u32 untold_n;     /* the last launches, which the policy has not been told of */
    struct charge charge[APPS_MAX];
    const struct gpu_fact *facts;
    u32 fact_n;
    u64 patience_ends; /* when the kernel that waits longest is starved; NEVER: nobody waits */
    u32 blocks_per_sm[APPS_MAX]; /* last share of the app's kernel that ran last */

    /* ---- of the askers ---- */
    struct corun_view view;
    struct corun_kernel *view_kernels;
    u32 *view_resident, *view_target, *answer;
    bool watched, asks_sms; /* some mechanism has the hook; a group that is asked for an SM */
    bool *moved;           /* [sm] blocks have come or gone since its groups were asked */
    bool *settled;         /* [sm] */
    u32 unsettled_n;
    u64 *timer_at;         /* [mechanism] NEVER: not set */
    u64 timer_next;        /* the earliest of them */
    u64 refusals;
    struct text refused;   /* the first of them, a line each */
    struct gpu_asked asked_here, *asked; /* asked_here, or the setup's */
};

bool place_init(struct place *p, const struct gpu_setup *setup, struct gpu *gpu, struct sm *sms,
                struct arena *arena, struct fail *fail);
void place_free(struct place *p);
void place_launch(struct place *p, const struct launch *l, u64 now);
void place_retire(struct place *p, u32 sm, const struct retired *r, u64 now);
/* The first cycle, `now` or later, in which it can start a block or has to ask. */
static inline u64 place_wake(const struct place *p, u64 now)
{
    return p->changed ? now : min_u64(p->ask_at, p->timer_next);
}
/* Step 7 of an SM cycle that place_wake names; true: SMs whose `admitted` is set have something new
 * to do. */
bool place_tick(struct place *p, u64 now);
const struct kernel *place_starved(const struct place *p, u64 now); /* from patience_ends on */
struct launch *place_ended(struct place *p);
/* What a kernel has done before cycle `now`; NULL: past the last of those seen. */
const struct gpu_kernel *place_kernel(struct place *p, u32 index, u64 now);

void place_resources(const struct machine *m, const struct launch *l, struct corun_resources *need);
u32 place_full_blocks(const struct machine *m, const struct corun_resources *need,
                      const char **limiter);

/* ---- for the askers: see ask.h ---- */

bool block_can_start(const struct place *p, const struct kernel *k, u32 sm);
/* The block leaves the SM, to go on where there is room. */
void place_leave(struct place *p, struct kernel *k, u32 sm, struct block *b, u64 now);

#endif
