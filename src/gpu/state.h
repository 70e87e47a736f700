/* State of the simulated GPU: all parts and the agendas between them. gpu.c builds and reports the
 * state, step.c advances it. */
#ifndef CORUN_GPU_STATE_H
#define CORUN_GPU_STATE_H

#include "base/agenda.h"
#include "base/team.h"
#include "gpu/machine/clock.h"
#include "chip/sm/sm.h"
#include "gpu/setup.h"

/* Rows of the agendas. Order matters: a step queries TAKE alone, then TICK and SEND together. An SM
 * takes a packet of the crossbar, ticks, and sends its next request. A slice does all of its work
 * when looked at, except that replies are offered at crossbar cycles. FEED is indexed by channel:
 * the channel takes requests from its slices. */
enum { SM_TAKE, SM_TICK, SM_SEND, SM_ROWS };
enum { L2_LOOK, L2_FEED, L2_ROWS };
enum { L2_REPLY, REPLY_ROWS };
enum { CHANNEL_TICK, CHANNEL_ROWS };

struct kernel;
struct dispatch;

/* The division of the SMs between the members of the team, on cache lines of its own because the
 * members read it in each phase, and the results of ticks for the commit. */
struct ticks {
    _Alignas(64) struct sm *sms;
    u64 *ends;   /* [end_at] see tick.h */
    u16 *end_at; /* [SM] the results of a member's SMs share lines with no other member's */
    u16 first[TEAM_MOST + 1]; /* [member] first SM; the last entry in use is the number of SMs */
};

/* The members of the team that tick SMs, and what their number depends on. See tick.c. */
struct crew {
    u32 n;       /* 0: not chosen yet */
    s32 balance; /* phases in which member 0 has waited for others, minus phases without a wait */
    u32 cycles;  /* with ticks, of the present epoch */
    u32 worth;   /* threads worth their meeting in the last epoch */
    u32 rest;    /* epochs on one thread, because the processors are busy */
    u64 ticks;   /* of the present epoch */
    u64 packets; /* of the request crossbar, before the present epoch */
};

/* Which launch or app each owner of counters stands for: see owner.h. */
struct owners {
    bool by_launch;
    u8 app[OWNERS_MAX];   /* [owner] app of the launch */
    u8 ended[OWNERS_MAX]; /* owners whose launches have ended, a ring, in order of the ends */
    u32 first, n;
    u32 fresh;            /* owners from here on never had a launch */
};

struct gpu {
    struct arena arena;
    struct machine machine;
    struct clocks clocks;
    bool skip;
    u32 app_n, sm_n, slice_n, channel_n;
    u32 feed_n, channel_slices; /* groups of slices at a channel; slices of a group */
    bool shared_slices;  /* copies of channels only: a group gives to a channel of each copy, and
                          * the groups are as many as the channels of a copy */
    struct owners owners;
    struct ticks ticks;
    struct gpu_threads threads; /* alone: ticks left */
    struct team *team;  /* ticks the SMs of a cycle; NULL: not started */
    struct crew crew;   /* members of the team that tick SMs */
    struct map map;
    struct req_pool pool;
    struct req_supply memory_requests; /* of all slices */
    bool memory_unsettled;             /* memory_requests must be settled */
    struct sm *sms;
    struct sm_common *common; /* shared by all SMs */
    struct xbar to_l2, to_sm;
    struct l2 *slices;
    struct dram *channels;
    u64 feed_at[PORTS_MAX]; /* [group] next L2 cycle in which the channel may take a request */
    bool early_feed;    /* see gives_early */
    u8 turn[PORTS_MAX]; /* [group] slice that gives first */
    struct dispatch *dispatch;
    u64 now;            /* SM cycles completed */
    u64 tick;           /* tick being handled */
    u64 edge[DOMAIN_N]; /* tick of `next` */
    /* Until phase_over: the cycle being handled if the domain has an edge at g->tick; afterwards
     * the next cycle. DRAM: the first cycle not handled yet. */
    u64 next[DOMAIN_N];
    struct agenda sm_due, l2_due, channel_due; /* in cycles of their own domains */
    struct agenda reply_due;                   /* reply queues of the slices, in crossbar cycles */
    u64 take_first, reply_first;               /* lower bounds of rows SM_TAKE and L2_REPLY */
    bool early_replies, early_requests;        /* see arrives_early */
    u64 agendas_fit;                           /* agendas must be rebased at this tick */
    bool worked;                               /* something was due at the last tick */
    bool repeats;       /* some warp repeats a loop without effect */
    bool handing_over;  /* at the next SM edge, some SM hands completed accesses to other SMs */
    struct ports coming;                       /* SMs granted a reply while SMs tick on threads */
    struct ports sm_full;                      /* SMs without room for the packet offered last */
    struct ports sending, replying;            /* SMs and slices with a packet for a crossbar */
    u64 goal[APPS_MAX]; /* thread instructions; 0: none */
    u64 window_end;     /* in warp instructions of all apps; 0: none */
    bool goals;         /* a goal or window is set, a hook wrote outside its memory, or an interrupt
                         * came */
    struct gpu_trouble trouble;
    struct text trouble_text;
};

/* True if an app has reached its goal (gpu.c). */
bool gpu_reached_goal(const struct gpu *g);

/* Functions of trouble.c, which fill g->trouble. */
void trouble_fault(struct gpu *g, const struct sm *sm);
void trouble_deadlock(struct gpu *g); /* requires a launch at the GPU */
/* Call after SM cycle `now`. Returns true, and fills g->trouble, if no running warp can change
 * anything any more and some lanes wait for lanes looping without effect. */
bool trouble_repeats(struct gpu *g, u64 now);
void trouble_starved(struct gpu *g, const struct kernel *k);
void trouble_policy(struct gpu *g);

/* Returns the first DRAM cycle not yet complete: the edge follows the completed SM cycles, or an L2
 * slice may still push a request in the cycle. */
static inline u64 gpu_dram_cycle(const struct gpu *g)
{
    const u64 *period = g->clocks.period;
    u64 l2_edge = clock_after(&g->clocks, DOMAIN_L2, g->tick) * period[DOMAIN_L2];
    return min_u64(clock_at_or_after(&g->clocks, DOMAIN_DRAM, g->now * period[DOMAIN_SM]),
                   clock_after(&g->clocks, DOMAIN_DRAM, l2_edge));
}

#endif
