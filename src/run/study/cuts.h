/* Runs with cuts, for --blame exact: the shared run again, with copies of parts of the GPU for
 * every app, or for a single app. The difference of two runs is the loss by sharing the parts. A
 * policy that divides a part between apps permits no cut of the part. */
#ifndef CORUN_CUTS_H
#define CORUN_CUTS_H

#include "run/sim/sim.h"

enum cut_parts {
    CUT_DRAM,   /* the channels */
    CUT_L2,     /* the slices with their ports of the crossbars */
    CUT_MEMORY, /* both */
    CUT_SMS,    /* these, and the SMs: apps share only what blocks hold on an SM */
    CUT_N
};

/* Progress of an app in a run with a cut. */
struct cut_app {
    bool known, taken;       /* taken: as in struct sim_app */
    u64 cycles, warp_instructions;
    struct work_curve curve;
};

/* The apps with copies: each app, or only the app of a number; the others share. */
enum { CUT_EACH = APPS_MAX, CUT_WHO = APPS_MAX + 1 };

struct cuts {
    bool known;              /* the runs were made */
    const char *why;         /* reason for no runs; NULL: none needed */
    const char *why_sms;     /* reason for no runs with CUT_SMS; NULL: these were made, too */
    struct cut_app (*apps)[CUT_WHO][APPS_MAX]; /* [enum cut_parts][apps with copies][app] */
};

/* Makes the runs for the shared run `sim` of `setup`, in up to `threads` threads; with three apps
 * or more, also runs with copies for a single app. Returns false with
 * errors in `fail`. Call cuts_free in either case. */
bool cuts_make(struct cuts *c, const struct sim *sim, const struct sim_setup *setup, u32 threads,
               struct fail *fail);
void cuts_free(struct cuts *c);

/* Returns the cycles that the app takes in the run with the cut, for the work of the shared run
 * `sim`. NEVER: unknown. */
u64 cuts_cycles(const struct cuts *c, const struct sim *sim, enum cut_parts parts, u32 who,
                u32 app_id);

#endif
