/* Who holds what the warps of an app wait for: samples of a shared run, for --blame. A sample
 * divides the cycles since the last sample equally among the app's warps, and a warp's cycles by
 * what the warp waits for (waits.def), and by the apps in front: in a queue, an app counts by its
 * part of the entries. `run` samples between two advances of the GPU, hence samples change no
 * result. The rules: waits.c. */
#ifndef CORUN_GPU_WAITS_H
#define CORUN_GPU_WAITS_H

#include "gpu/gpu.h"

#define CAUSE(id, key, name, sentence) id,
enum cause {
#include "gpu/waits.def"
    CAUSE_N
};
#undef CAUSE
struct cause_row {
    const char *key, *name, *sentence;
};
extern const struct cause_row cause_rows[CAUSE_N];

/* What an app's warps do when they do not wait behind another app. */
enum own {
    OWN_SM,      /* issue, or wait behind warps of the same app at a part of the SM */
    OWN_LATENCY, /* wait for the end of an instruction, for a fetch, or at a barrier */
    OWN_FLIGHT,  /* wait for the memory system, outside of all queues */
    OWN_QUEUE,   /* wait behind the same app in a queue of crossbars and L2 */
    OWN_CHANNEL, /* the same at a DRAM channel */
    OWN_LAUNCH,  /* no warp and no waiting block on the GPU */
    OWN_N
};

/* Cycles of an app, by what its warps did: the sum over all cells is the time sampled. */
struct waits {
    double behind[CAUSE_N][APPS_MAX]; /* [cause][app in front] */
    double own[OWN_N];
    double residents[APPS_MAX];       /* cycles x warps of other apps, while blocks waited */
    double beside[APPS_MAX];          /* the same, always */
    u64 l1_fills, l1_lost[APPS_MAX];  /* lines entered, lines lost to an app: cache/victims.h */
    u64 l2_fills, l2_lost[APPS_MAX];
};

struct wait_samples {
    struct waits of[APPS_MAX]; /* since cycle 0, without the lines */
    u64 last;                    /* cycle of the last sample */
    u64 stalled[PORTS_MAX];      /* [SM] ldst.stall_cycles at the last sample */
};

/* Lets the caches observe replacements. Call before the first gpu_advance. */
struct wait_samples *gpu_watch_waits(struct gpu *g, struct arena *arena);
/* Adds a sample at gpu_now, later than the last sample. */
void gpu_sample_waits(struct gpu *g, struct wait_samples *to);
/* Stores the lines entered and lost so far in *h. */
void gpu_count_victims(const struct gpu *g, u32 app_id, struct waits *h);

#endif
