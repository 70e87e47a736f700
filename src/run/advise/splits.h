/* Splits of the GPU among the apps, simulated or predicted. Predictions come from the curves of
 * isolated runs, corrected by the interference seen in simulated splits of the same kind. */
#ifndef CORUN_ADVISE_SPLITS_H
#define CORUN_ADVISE_SPLITS_H

#include "run/advise/curve.h"
#include "run/advise/goal.h"
#include "run/advise/ways.h"

enum split_kind {
    SPLIT_SMS,    /* SMs of their own; the apps share L2, interconnect and DRAM */
    SPLIT_GPU,    /* instances: the apps share nothing */
    SPLIT_BLOCKS, /* every SM holds blocks of all apps */
    SPLIT_KINDS
};

struct split {
    const char *policy;          /* the policy specification */
    enum way way;
    enum split_kind kind;
    u32 sms[APPS_MAX];           /* SMs of each app; 0: the apps share every SM */
    double share[APPS_MAX];      /* SMs on the app's curve: `sms`, or of SPLIT_BLOCKS all SMs times
                                  * the blocks over the blocks alone */
    double memory[APPS_MAX];     /* part of the DRAM channels; 1: all, shared */
    bool simulated;
    enum sim_status status;      /* of a simulated split */
    double slowdown[APPS_MAX];   /* NAN: unknown */
    double service[APPS_MAX];    /* slowdown of the mean service time; NAN: no requests */
    double p99[APPS_MAX];        /* of the latencies of requests, in us; NAN: unknown */
    double ipc[APPS_MAX];        /* thread instructions per cycle */
    double value;                /* the goal's metric; NAN: undefined */
    double excess;               /* goal_excess */
    u64 warp;                    /* warp instructions of the shared run */
    bool front;                  /* no other split is at least as good for every app and better for
                                  * one, by the app's p99 if the goal has it, else by slowdown */
};

struct splits {
    struct arena arena;
    struct split *at;
    u32 n, room, app_n;
    struct way_splits {
        u32 n;
        const char *left_out;    /* the reason why the machine has no split of the way; NULL: has,
                                  * or the way was not asked for */
    } of[WAY_N];
};

void splits_free(struct splits *s);

/* Predicts every split that is not simulated, marks the front, and evaluates the goal. */
void splits_predict(struct splits *s, const struct curves *c, const struct goal *g);
/* Takes the result of a simulation. */
void splits_take(struct split *s, const struct sim *sim, const struct curves *c);

/* True if split a is better than split b: closer to the bounds of the goal, or within the bounds
 * and better by the metric. Undefined values are worst. */
bool split_better(const struct goal *g, const struct split *a, const struct split *b);
/* True if a split of the kind was simulated. */
bool splits_known(const struct splits *s, enum split_kind kind);
/* Returns the number of SMs that differ between a split and the nearest simulated split of the same
 * kind, or a split without SMs for an app. */
double splits_gap(const struct splits *s, const struct split *of);
/* Returns the warp instructions of the shared runs of all splits. */
double splits_warp(const struct splits *s);

#endif
