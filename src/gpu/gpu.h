/* The simulated GPU: SMs, two crossbars, L2 slices and DRAM channels, the wires between them and
 * the clocks. `host` launches kernels, `run` advances time and reads statistics. gpu.c alone knows
 * every part and carries requests between them, in one fixed order (spec: clock step order of the
 * machine description, see docs/model.md). */
#ifndef CORUN_GPU_H
#define CORUN_GPU_H

#include "base/arena.h"
#include "base/asked.h"
#include "corun/policy.h"
#include "gpu/fence.h"
#include "gpu/group.h"
#include "gpu/kernel.h"
#include "gpu/machine.h"
#include "gpu/stat.h"

struct gpu;
struct kernel; /* a launch at the GPU */

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

/* NULL with a message in `fail` when machine or policies contradict themselves. */
struct gpu *gpu_new(const struct gpu_setup *setup, struct fail *fail);
void gpu_free(struct gpu *g);
/* The setup's, with what follows from its apps filled in. */
const struct machine *gpu_machine(const struct gpu *g);

/* Why a launch can never run on this machine (one sentence), or NULL when a block fits on an empty
 * SM. */
const char *gpu_refuses(const struct machine *m, const struct launch *l, struct text *why);
void gpu_launch(
    struct gpu *g,
    const struct launch *l); /* takes effect in the current cycle; the struct is copied */
struct launch *gpu_ended(
    struct gpu *g); /* a launch that ended, in order; NULL: no more. Valid until the next call */

enum gpu_stop {
    GPU_LIMIT, /* now == limit */
    GPU_ENDED, /* one or more launches have ended; see gpu_ended */
    GPU_GOAL,  /* an app reached its instruction goal */
    GPU_WINDOW, /* the warp instructions of gpu_set_window have been issued */
    GPU_INTERRUPTED, /* as `interrupted` of the setup says */
    GPU_IDLE,  /* nothing launched: nothing can happen any more */
    GPU_FAULT,
    GPU_DEADLOCK,
    GPU_STARVED,
    GPU_POLICY /* a hook wrote where it may not */
};
enum gpu_stop gpu_advance(struct gpu *g, u64 limit); /* limit: SM cycle, exclusive */
/* After GPU_IDLE: nothing happens before this cycle. */
void gpu_idle(struct gpu *g, u64 cycle);
u64 gpu_now(const struct gpu *g);                    /* SM cycles completed */
/* Clocks of an app's programs. gpu_pass adds the time of a functional launch to the clocks; no part
 * of the GPU notices. */
const struct timer *gpu_timer(const struct gpu *g, u32 app_id);
void gpu_pass(struct gpu *g, u32 app_id, u64 ns);

void gpu_set_goal(struct gpu *g, u32 app_id, u64 thread_instructions); /* 0: none */

u64 gpu_issued_by(const struct gpu *g, u32 app_id); /* of one app */
u64 gpu_issued(const struct gpu *g); /* warp instructions so far, of all SMs and apps */
void gpu_set_window(struct gpu *g, u64 warp_instructions); /* since cycle 0; 0: none */
/* Whether another launch of the app may come; true until said otherwise. */
void gpu_app_goes_on(struct gpu *g, u32 app_id, bool goes_on);
void gpu_ask(struct gpu *g); /* the policy has changed its mind: it is asked in the next cycle */

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
const struct gpu_trouble *gpu_trouble(const struct gpu *g);

/* Counters of one app so far (app_id = APPS_MAX: what no app owns); exact at gpu_now. */
void gpu_stat(struct gpu *g, u32 app_id, struct gpu_stat *out);
void gpu_capacity(const struct machine *m, u64 cycles, struct gpu_capacity *out);

/* Facts about a kernel on this machine. */
struct gpu_occupancy {
    u32 registers, shared_bytes, block_threads, blocks_per_sm;
    const char *limiter; /* "threads", "registers", "shared", "blocks" */
    struct corun_resources need; /* of a block, as the SM's ledger counts */
};
void gpu_occupancy(const struct machine *m, const struct launch *l, struct gpu_occupancy *out);
/* The blocks per SM an app was last given: the most common over the SMs, of its kernel that ran
 * last. */
u32 gpu_blocks_per_sm(const struct gpu *g, u32 app_id);
u64 gpu_refusals(const struct gpu *g); /* policy answers that did not fit */
const char *gpu_refused(const struct gpu *g); /* the first of them and why, a line each */
/* The first of those of a claim, a line; "": none. */
const char *gpu_refused_of(const struct gpu *g, enum claim claim);
/* What a policy's view->log wrote, a line each: the first of `n`. */
const char *gpu_log(const struct gpu *g, u32 mechanism, u64 *n);

/* What a kernel did; kernels in the order in which they were first launched. Of kernels of an app
 * that run at the same time, the one launched first is charged. */
struct gpu_kernel {
    const char *name;
    u32 app_id, block[3], shared_bytes;
    u64 cycles, warp_instructions, thread_instructions; /* while it ran */
};
const struct gpu_kernel *gpu_kernel(struct gpu *g, u32 index); /* NULL: no more */

/* Requests allocated and freed, for the conservation laws. */
void gpu_request_count(const struct gpu *g, u64 *allocated, u64 *freed, u64 *in_flight);

/* What an app was given, and what it has, for who watches: `view` as one of its hooks has it. */
struct gpu_part {
    u32 most, has; /* most 0: any number */
};
struct gpu_parts { /* of an SM */
    struct gpu_part in_flight, mshrs, missq; /* memory instructions; of L1, no write-backs */
    u32 lines;     /* of each set of L1, at most; 0: any number */
    u64 asked;     /* cycle in which a policy was asked of this SM last */
};
struct gpu_far_parts { /* of a memory partition */
    u32 lines;     /* of each set of L2, as above */
    u32 rank;      /* at the channel, that holds now */
};
void gpu_parts(const struct corun_view *view, u32 sm, u32 app_id, struct gpu_parts *out);
void gpu_far_parts(const struct corun_view *view, u32 partition, u32 app_id,
                   struct gpu_far_parts *out);

/* Block events for the timeline; off unless a sink is set before the first gpu_advance. */
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
void gpu_set_sink(struct gpu *g, struct gpu_sink *sink);

#endif
