/* What gpu.c builds and tells about, and step.c moves: every part and the wires between them. */
#ifndef CORUN_GPU_STATE_H
#define CORUN_GPU_STATE_H

#include "base/agenda.h"
#include "gpu/machine/clock.h"
#include "chip/sm/sm.h"
#include "gpu/setup.h"

/* Rows of the agendas, in this order: the step asks for TAKE alone, then for TICK and SEND as one.
 * An SM takes a packet of the crossbar, ticks, and sends its next request; a
 * slice does all it has to do when it is looked at, but offers replies at the crossbar's cycles;
 * FEED goes by channel, which takes what its slices have for it. */
enum { SM_TAKE, SM_TICK, SM_SEND, SM_ROWS };
enum { L2_LOOK, L2_FEED, L2_ROWS };
enum { L2_REPLY, REPLY_ROWS };
enum { CHANNEL_TICK, CHANNEL_ROWS };

struct kernel;
struct place;

struct gpu {
    struct arena arena;
    struct machine machine;
    struct clocks clocks;
    bool skip;
    u32 app_n, sm_n, slice_n, channel_n;
    struct map map;
    struct req_pool pool;
    struct sm *sms;
    struct sm_common *common; /* of all SMs */
    struct xbar to_l2, to_sm;
    struct l2 *slices;
    struct dram *channels;
    u64 feed_at[PORTS_MAX]; /* of a channel: the next L2 cycle in which it may take a request */
    bool early_feed;    /* see gives_early */
    u8 turn[PORTS_MAX]; /* of a channel: which of its slices goes first */
    struct place *place;
    u64 now;            /* SM cycles completed */
    u64 tick;           /* being handled */
    u64 edge[DOMAIN_N]; /* tick of `next` */
    /* Until phase_over the cycle that is being handled, if the domain has an edge at this tick;
     * then the one after. DRAM: the first cycle that is not handled. */
    u64 next[DOMAIN_N];
    struct agenda sm_due, l2_due, channel_due; /* in their own cycles */
    struct agenda reply_due;                   /* slices' queues of replies, in crossbar cycles */
    u64 take_first, reply_first;               /* no entry of SM_TAKE, of L2_REPLY, is before */
    bool early_replies, early_requests;        /* see arrives_early */
    u64 agendas_fit;                           /* before this tick */
    bool worked;                               /* the last tick had something to do */
    bool repeats;       /* some warp repeats a loop in which nothing changes */
    bool handing_over;  /* some SM has accesses that are over, for others: at the next SM edge */
    struct ports sm_full;                      /* had no room when a packet was offered last */
    struct ports sending, replying;            /* SMs and slices with something for a crossbar */
    u64 goal[APPS_MAX]; /* thread instructions; 0: none */
    u64 window_end;     /* in warp instructions of all; 0: none */
    bool goals;         /* there is one of these, the policy has failed, or an interrupt came */
    struct gpu_trouble trouble;
    struct text trouble_text;
};

/* trouble.c: fill g->trouble */
void trouble_fault(struct gpu *g, const struct sm *sm);
void trouble_deadlock(struct gpu *g); /* there is a kernel */
/* After SM cycle `now`: whether all that runs repeats itself or waits for what does; if so it is
 * told of. */
bool trouble_repeats(struct gpu *g, u64 now);
void trouble_starved(struct gpu *g, const struct kernel *k);
void trouble_policy(struct gpu *g);

#endif
