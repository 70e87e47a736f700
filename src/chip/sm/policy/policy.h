/* A policy's answers about issue on an SM: quotas, the order of apps, urgent blocks, limits on
 * memory instructions, and the arbiter. gpu passes the answers to functions of quota.c and gate.c;
 * the front consults both files when schedulers pick.
 *
 * Invariant: An SM without answers is not governed, and the schedulers of the SM consult neither
 * file. */
#ifndef CORUN_SM_POLICY_H
#define CORUN_SM_POLICY_H

#include "base/base.h"
#include "cache/req.h"
#include "chip/sm/own.h"
#include "chip/sm/sm_conf.h"
#include "corun/policy.h"

struct sm;

/* Quotas of warp instructions, for the policy's group `quota`: see quota.c. */
#define SM_NO_QUOTA CORUN_NO_QUOTA
struct quota {
    bool on;
    u32 shut;          /* apps that have used up their quota, a bit each */
    u32 of[APPS_MAX];  /* SM_NO_QUOTA: unlimited */
    u32 left[APPS_MAX];
};

struct order { /* order of apps, for the policy's group `order`: see quota.c */
    bool on;
    u8 rule; /* enum corun_rule */
    /* First app of the apps ordered as a single app: apps of equal rank without a rule. */
    u8 as_one[APPS_MAX];
    u32 rank[APPS_MAX];
};

/* Progress of the order at a scheduler. Apps ordered as a single app use the entry of the first app
 * (order.as_one). */
struct turns {
    u8 turn;                 /* CORUN_ROTATE: app with the turn */
    /* Warp slot with the last issue of the app, plus one; 0: none. */
    u8 last_seat[APPS_MAX];
    /* CORUN_LEAST_RATIO: sums over cycles in which the scheduler issued; both sums of an app are
     * halved when `ready` grows large. */
    u64 issued[APPS_MAX];    /* warp instructions issued */
    u64 ready[APPS_MAX];     /* warps that could have issued */
};

/* Restrictions on memory instructions, for the policy's groups `limit` and `arbiter`: see
 * gate.c. */
#define SM_NO_LIMIT CORUN_NO_LIMIT
struct gate {
    u32 limit[APPS_MAX];  /* maximum number in flight */
    u32 limited;          /* apps with a limit, a bit each */
    u32 picked[APPS_MAX]; /* picked in this cycle, not issued yet */
    u32 picked_apps;      /* apps with picks in this cycle, a bit each */
    /* Apps held back for the rest of this cycle, a bit each: not chosen by the arbiter, or held
     * back when the schedulers' picks ended. */
    u32 lost;
    /* The arbiter; NULL: all apps may issue. */
    u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now);
    void *of;
    u64 issued[APPS_MAX]; /* counter minst at the app's last update */
    u64 last[APPS_MAX];   /* cycle of the app's last memory instruction */
};

struct sm_policy {
    bool gated;    /* a policy restricts memory instructions: see gate.c */
    u64 urgent;      /* block slots whose warps issue before all others, a bit each */
    struct quota quota;
    struct order order;
    struct turns turns[SCHEDULERS_MAX];
    struct gate gate;
};

#endif
