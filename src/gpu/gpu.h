/* The simulated GPU: SMs, two crossbars, L2 slices and DRAM channels, the wires between them and
 * the clocks. `host` launches kernels, `run` advances time and reads statistics. gpu.c alone knows
 * every part and carries requests between them, in one fixed order (spec: clock step order of the
 * machine description, see docs/model.md). */
#ifndef CORUN_GPU_H
#define CORUN_GPU_H

#include "gpu/dispatch/capacity.h"
#include "gpu/dispatch/parts.h"
#include "gpu/machine/stat.h"
#include "gpu/setup.h"

struct gpu;

/* NULL with a message in `fail` when machine or policies contradict themselves. */
struct gpu *gpu_new(const struct gpu_setup *setup, struct fail *fail);
void gpu_free(struct gpu *g);
/* The setup's, with what follows from its apps filled in. */
const struct machine *gpu_machine(const struct gpu *g);

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

const struct gpu_trouble *gpu_trouble(const struct gpu *g);

/* Counters of one app so far (app_id = APPS_MAX: what no app owns); exact at gpu_now. */
void gpu_stat(struct gpu *g, u32 app_id, struct gpu_stat *out);
/* The blocks per SM an app was last given: the most common over the SMs, of its kernel that ran
 * last. */
u32 gpu_blocks_per_sm(const struct gpu *g, u32 app_id);
u64 gpu_refusals(const struct gpu *g); /* policy answers that did not fit */
const char *gpu_refused(const struct gpu *g); /* the first of them and why, a line each */
/* The first of those of a claim, a line; "": none. */
const char *gpu_refused_of(const struct gpu *g, enum claim claim);
/* What a policy's view->log wrote, a line each: the first of `n`. */
const char *gpu_log(const struct gpu *g, u32 mechanism, u64 *n);

const struct gpu_kernel *gpu_kernel(struct gpu *g, u32 index); /* NULL: no more */

/* Requests allocated and freed, for the conservation laws. */
void gpu_request_count(const struct gpu *g, u64 *allocated, u64 *freed, u64 *in_flight);

/* Block events for the timeline; off unless a sink is set before the first gpu_advance. */
void gpu_set_sink(struct gpu *g, struct gpu_sink *sink);

#endif
