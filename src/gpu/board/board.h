/* The whole GPU as `run` sees it: one simulated GPU (struct gpu), or one for each instance that has
 * apps, if a policy divides the GPU (group `instances` of corun/policy.h). Instances share nothing
 * but time, so no app's result depends on an app in another instance. The functions translate the
 * numbers of apps and SMs between the whole GPU and an instance; with one GPU they only pass on.
 * part.c has sums and reports, board.c the rest. The functions mean what their namesakes of gpu.h,
 * waits.h and gauge.h mean.
 * Model: MIG instances share neither SMs, L2, crossbar ports nor DRAM channels (NVIDIA, MIG user
 * guide). Not modelled: the shared last-level TLB, and power. */
#ifndef CORUN_BOARD_H
#define CORUN_BOARD_H

#include "gpu/gauge.h"
#include "gpu/gpu.h"
#include "gpu/waits.h"

struct board;

/* An instance with apps; the whole GPU, if not divided. */
struct board_part {
    struct gpu *gpu;
    struct machine machine;
    u32 app_n, first_sm;    /* first_sm: number in the whole GPU of the instance's SM 0 */
    u8 app[APPS_MAX];       /* [app of the instance] app of the whole GPU */
    bool idle;              /* no launch is at the GPU, nothing can happen */
    bool lost;              /* has ended by a fault, deadlock or starvation */
    struct gpu_mechanism *mechanisms;
    struct wait_samples *samples;
    struct board_sink {     /* translates numbers */
        struct gpu_sink sink, *to;
        const struct board_part *part;
    } sink;
};

struct board {
    struct arena arena;
    struct machine machine; /* the whole GPU, completed with values that follow from the apps */
    struct gpu_setup setup;
    u32 app_n, part_n;
    struct board_part part[APPS_MAX];
    u8 part_of[APPS_MAX], local[APPS_MAX]; /* [app] part, and the app's number there */
    bool divided;
    u64 now;                /* SM cycles completed, by all parts that are not lost */
    u32 trouble_of;         /* part of the last trouble */
    u64 window;             /* 0: none */
    struct gpu_end end;     /* storage of results */
    struct gpu_kernel kernel;
    struct gpu_trouble trouble;
    struct text text;
};

/* ---- board.c ---- */
struct board *board_new(const struct gpu_setup *setup, struct fail *fail);
void board_free(struct board *b);
const struct machine *board_machine(const struct board *b); /* the whole GPU */
const struct machine *board_machine_of(const struct board *b, u32 app_id); /* the app's instance */
/* Returns the number of the app's instance, among instances with apps. */
u32 board_part_of(const struct board *b, u32 app_id);
bool board_has_room(const struct board *b, u32 app_id); /* for a launch of the app */
void board_launch(struct board *b, const struct launch *l);
const struct gpu_end *board_ended(struct board *b);
enum gpu_stop board_advance(struct board *b, u64 limit);
void board_idle(struct board *b, u64 cycle);
static inline u64 board_now(const struct board *b) { return b->now; }
const struct timer *board_timer(const struct board *b, u32 app_id);
void board_pass(struct board *b, u32 app_id, u64 ns);
void board_set_goal(struct board *b, u32 app_id, u64 thread_instructions);
void board_set_window(struct board *b, u64 warp_instructions);
void board_app_goes_on(struct board *b, u32 app_id, bool goes_on);
void board_app_urgency(struct board *b, u32 app_id, s32 priority, u64 deadline);
void board_ask(struct board *b);
void board_threads_end(struct board *b);
void board_use_one_thread(struct board *b);
void board_set_sink(struct board *b, struct gpu_sink *sink);
void board_set_log(struct board *b, struct log_sink *log);
const struct gpu_trouble *board_trouble(struct board *b);
/* Returns true if the app's instance is lost. */
bool board_lost(const struct board *b, u32 app_id);

/* ---- part.c ---- */
u64 board_issued_by(const struct board *b, u32 app_id);
u64 board_kept_by(const struct board *b, u32 app_id);
u64 board_issued(const struct board *b);
void board_stat(struct board *b, u32 app_id, struct gpu_stat *out);
bool board_launch_stat(struct board *b, const struct gpu_end *e, struct gpu_stat *out);
bool board_at_work(const struct board *b, u32 index, struct gpu_end *out);
u64 board_busy_cycles(const struct board *b);
void board_insts_end(struct board *b);
u32 board_blocks_per_sm(const struct board *b, u32 app_id);
u64 board_newcomer_waits(const struct board *b, u32 app_id);
void board_delays(struct board *b, u32 app_id, enum delay_kind kind, struct delay_summary *out);
/* Texts of board_refused and board_log are valid until the next call for a text. */
const char *board_refused(struct board *b, u32 mechanism, u64 *n);
const char *board_refused_of(const struct board *b, enum claim claim);
const char *board_log(struct board *b, u32 mechanism, u64 *n);
const struct gpu_kernel *board_kernel(struct board *b, u32 index);
void board_gauges(struct board *b, u32 app_id, double value[GAUGE_N]);
struct wait_samples *board_watch_waits(struct board *b, struct arena *arena);
void board_sample_waits(struct board *b, struct wait_samples *to);
void board_count_victims(const struct board *b, u32 app_id, struct waits *h);
/* Adds up the policies' counters of all instances, for the owner of the counters. */
void board_count_policies(struct board *b);

#endif
