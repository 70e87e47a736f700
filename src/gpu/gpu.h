/* The simulated GPU: SMs, two crossbars, L2 slices and DRAM channels, and the clocks. `host`
 * launches kernels, `run` advances time and reads statistics. gpu.c builds the parts; step.c alone
 * carries requests between them, in one fixed order (clock step order of the machine description,
 * see docs/reference/model.md). */
#ifndef CORUN_GPU_H
#define CORUN_GPU_H

#include "gpu/dispatch/capacity.h"
#include "gpu/dispatch/delay.h"
#include "gpu/dispatch/parts.h"
#include "gpu/machine/stat.h"
#include "gpu/setup.h"

struct gpu;

/* Returns NULL with a message in `fail` if the machine or the policies contradict themselves. */
struct gpu *gpu_new(const struct gpu_setup *setup, struct fail *fail);
void gpu_free(struct gpu *g);
/* Ends the threads that tick SMs; a later gpu_advance starts threads again. Call before fork. */
void gpu_threads_end(struct gpu *g);
/* Keeps the rest of the run on one thread. */
void gpu_use_one_thread(struct gpu *g);
/* Returns the setup's machine, completed with values that follow from the apps. */
const struct machine *gpu_machine(const struct gpu *g);

bool gpu_has_room(const struct gpu *g); /* for one more launch */
/* Copies the struct and starts the launch in the current cycle. */
void gpu_launch(
    struct gpu *g,
    const struct launch *l);
/* Returns the next launch that ended, in order; NULL: no more. Valid until the next call. */
const struct gpu_end *gpu_ended(struct gpu *g);

enum gpu_stop {
    GPU_LIMIT, /* now == limit */
    GPU_ENDED, /* one or more launches have ended; see gpu_ended */
    GPU_GOAL,  /* an app reached its instruction goal */
    GPU_WINDOW, /* the warp instructions of gpu_set_window have been issued */
    GPU_INTERRUPTED, /* `interrupted` of the setup returned nonzero */
    GPU_IDLE,  /* no launch is at the GPU: nothing can happen */
    GPU_FAULT,
    GPU_DEADLOCK,
    GPU_STARVED,
    GPU_POLICY /* a hook wrote outside its memory */
};
enum gpu_stop gpu_advance(struct gpu *g, u64 limit); /* limit: SM cycle, exclusive */
/* After GPU_IDLE: advances the time to `cycle`; no event may be due earlier. */
void gpu_idle(struct gpu *g, u64 cycle);
/* Returns the SM cycle in which something is due next; gpu_now: nothing is, and gpu_advance says
 * why. */
u64 gpu_due(const struct gpu *g);
u64 gpu_now(const struct gpu *g);                    /* SM cycles completed */
/* Clocks of an app's programs. gpu_pass adds the time of a functional launch to the clocks without
 * any effect on the GPU. */
const struct timer *gpu_timer(const struct gpu *g, u32 app_id);
void gpu_pass(struct gpu *g, u32 app_id, u64 ns);

void gpu_set_goal(struct gpu *g, u32 app_id, u64 thread_instructions); /* 0: none */

u64 gpu_issued_by(const struct gpu *g, u32 app_id); /* warp instructions issued by one app */
/* The same without instructions of flushed blocks. */
u64 gpu_kept_by(const struct gpu *g, u32 app_id);
u64 gpu_issued(const struct gpu *g); /* warp instructions issued on all SMs by all apps */
void gpu_set_window(struct gpu *g, u64 warp_instructions); /* count since cycle 0; 0: none */
/* Tells the GPU whether the app may launch again; true initially. */
void gpu_app_goes_on(struct gpu *g, u32 app_id, bool goes_on);
/* Sets what policies see of the app: as in struct corun_app, a deadline of NEVER: none. */
void gpu_app_urgency(struct gpu *g, u32 app_id, s32 priority, u64 deadline);
/* Returns true if a policy is called within the tick of an SM; ticks of SMs then depend on their
 * order. */
bool gpu_asks_within_tick(const struct gpu *g);
/* Has the policy called in the next cycle, after a change of the policy from outside. */
void gpu_ask(struct gpu *g);

const struct gpu_trouble *gpu_trouble(const struct gpu *g);

/* Returns the counters of one app (app_id = APPS_MAX: not attributable to an app), exact at
 * gpu_now. */
void gpu_stat(struct gpu *g, u32 app_id, struct gpu_stat *out);
/* Returns the counters of a launch that ended, exact at gpu_now; false: the launch has no counters
 * of its own. Possible if the setup has by_launch, until the next call of gpu_advance. */
bool gpu_launch_stat(struct gpu *g, const struct gpu_end *e, struct gpu_stat *out);
/* Returns launch `index` of the launches at the GPU, with `ended` NEVER; false: no more. */
bool gpu_at_work(const struct gpu *g, u32 index, struct gpu_end *out);
u64 gpu_busy_cycles(const struct gpu *g); /* SM cycles with a block of any app, over all SMs */
/* Completes the counters by instruction (gpu_setup.counts_insts), exact at gpu_now. Call once, at
 * the end of the run. */
void gpu_insts_end(struct gpu *g);
/* Returns the blocks per SM in the last target of the app's kernel that ran last: the most common
 * value over the SMs. */
u32 gpu_blocks_per_sm(const struct gpu *g, u32 app_id);
/* Computes the delays of an app's launches or blocks so far. */
u64 gpu_newcomer_waits(const struct gpu *g, u32 app_id); /* cycles, see dispatch.h */
void gpu_delays(struct gpu *g, u32 app_id, enum delay_kind kind, struct delay_summary *out);
/* Returns the first refused answers of a mechanism with reasons, a line each; `n` receives the
 * number of all refused answers. */
const char *gpu_refused(const struct gpu *g, u32 mechanism, u64 *n);
/* Returns the first refusal of a claim, a line; "": none. */
const char *gpu_refused_of(const struct gpu *g, enum claim claim);
/* Returns the first lines that a policy wrote by view->log; `n` receives the number of all
 * lines. */
const char *gpu_log(const struct gpu *g, u32 mechanism, u64 *n);

const struct gpu_kernel *gpu_kernel(struct gpu *g, u32 index); /* NULL: no more */

/* Counts requests allocated, freed and in flight, for the checks of conservation laws. */
void gpu_request_count(const struct gpu *g, u64 *allocated, u64 *freed, u64 *in_flight);

/* Sets the receiver of block events for the timeline. Events are reported only if a sink is set
 * before the first gpu_advance. */
void gpu_set_sink(struct gpu *g, struct gpu_sink *sink);
void gpu_set_log(struct gpu *g, struct log_sink *log); /* replaces the receiver; NULL: none */

#endif
