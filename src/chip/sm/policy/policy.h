/* What a policy has said of issue on an SM: quotas, the order of apps, urgent blocks, limits on
 * memory instructions and the arbiter. quota.c and gate.c apply the answers, which gpu hands in
 * through their doors; the front asks both when it picks.
 *
 * Invariant: an SM without answers is not governed, and its schedulers ask nothing. */
#ifndef CORUN_SM_POLICY_H
#define CORUN_SM_POLICY_H

#include "base/base.h"
#include "chip/sm/own.h"
#include "chip/sm/sm_conf.h"
#include "corun/policy.h"
#include "mem/req.h"

struct sm;

/* Quotas of warp instructions, the policy's group `quota`: see quota.c. */
#define SM_NO_QUOTA CORUN_NO_QUOTA
struct quota {
    bool on;
    u32 shut;          /* apps that may not issue, a bit each */
    u32 of[APPS_MAX];  /* SM_NO_QUOTA: none */
    u32 left[APPS_MAX];
};

struct order { /* of apps, the policy's group `order`: see quota.c */
    bool on;
    u8 rule; /* enum corun_rule */
    u8 as_one[APPS_MAX]; /* the first of the apps that are as one with it */
    u32 rank[APPS_MAX];
};

struct turns { /* of apps at a scheduler, each in the place of the first of those as one with it */
    u8 turn;                 /* CORUN_ROTATE: who is first */
    /* of the warp that issued last, plus one; 0: none */
    u8 last_seat[APPS_MAX];
    /* CORUN_LEAST_RATIO, over cycles in which it issued, all halved when one is large: */
    u64 issued[APPS_MAX];    /* warp instructions; */
    u64 ready[APPS_MAX];     /* warps that could have issued */
};

/* Which memory instructions may issue, the policy's groups `limit` and `arbiter`: see gate.c. */
#define SM_NO_LIMIT CORUN_NO_LIMIT
struct gate {
    u32 limit[APPS_MAX];  /* of those in flight */
    u32 limited;          /* apps that have one, a bit each */
    u32 picked[APPS_MAX]; /* to be issued in this cycle; */
    u32 picked_apps;      /* by these, a bit each */
    u32 held;             /* apps that are held back, a bit each: see gate_look */
    u32 lost;             /* apps that may issue none, or no more, in this cycle, a bit each */
    u32 (*choose)(void *of, const struct sm *sm, u32 apps, u64 now); /* NULL: all may */
    void *of;
    u64 issued[APPS_MAX]; /* statistic minst when it was looked at last */
    u64 last[APPS_MAX];   /* cycle of the last one */
};

struct sm_policy {
    bool gated;    /* a policy says which memory instructions may issue: see gate.c */
    u64 urgent;      /* block slots whose warps issue before all others, a bit each */
    struct quota quota;
    struct order order;
    struct turns turns[SCHEDULERS_MAX];
    struct gate gate;
};

#endif
