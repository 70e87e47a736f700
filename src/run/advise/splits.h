/* Splits of the SMs among the apps, simulated or predicted. Predictions come from the curves of
 * isolated runs, corrected by the interference seen in simulated splits. */
#ifndef CORUN_ADVISE_SPLITS_H
#define CORUN_ADVISE_SPLITS_H

#include "run/advise/curve.h"
#include "run/advise/goal.h"
#include "run/study/mix.h"

struct split {
    u32 sms[APPS_MAX];
    bool simulated;
    enum sim_status status;      /* of a simulated split */
    double slowdown[APPS_MAX];   /* NAN: unknown */
    double ipc[APPS_MAX];        /* thread instructions per cycle */
    double value;                /* the goal's metric; NAN: undefined */
    double excess;               /* goal_excess */
    u64 warp;                    /* warp instructions of the shared run */
    bool front;                  /* no other split is at least as good for every app and better for
                                  * one */
};

struct splits {
    struct split *at;
    u32 n, app_n;
};

/* Lists the splits: all SMs, in multiples of `step`; the last app gets the rest. Returns false with
 * an error if there are none or too many. */
bool splits_list(struct splits *s, u32 app_n, u32 sm_n, u32 step, struct fail *fail);
void splits_free(struct splits *s);

/* Predicts every split that is not simulated, marks the front, and evaluates the goal. */
void splits_predict(struct splits *s, const struct curves *c, const struct goal *g);
/* Takes the result of a simulation. */
void splits_take(struct split *s, const struct sim *sim, const struct curves *c);

/* True if split a is better than split b: closer to the bounds of the goal, or within the bounds
 * and better by the metric. Undefined values are worst. */
bool split_better(const struct goal *g, const struct split *a, const struct split *b);
/* Returns the number of SMs that differ between a split and the nearest simulated split, or a split
 * without SMs for an app. */
u32 splits_gap(const struct splits *s, const struct split *of);
/* Returns the warp instructions of the shared runs of all splits. */
double splits_warp(const struct splits *s);

#endif
