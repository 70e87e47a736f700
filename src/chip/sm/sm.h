/* One streaming multiprocessor. `gpu` gives it blocks and replies and takes its requests; the SM
 * executes through exec/warp at issue and times everything from issue to write-back. Journey of an
 * instruction: issue.c picks the ready warp -> exec -> a unit's latency, or ldst.c -> l1.c -> the
 * miss queue -> (gpu, crossbar, L2, DRAM) -> sm_reply.
 *
 * Event driven: a warp that cannot issue is woken by the timing wheel (a known cycle) or by its
 * load; the load/store unit sleeps while its head access cannot succeed. sm_wake tells when the SM
 * can change by itself. Ticking a cycle in which nothing can change counts the same statistics as
 * skipping it. Model: the SM pipeline of the machine description, sections 2.3-2.7 (GPGPU-Sim 3.2.2
 * in outline). */
#ifndef CORUN_SM_H
#define CORUN_SM_H

#include "base/arena.h"
#include "chip/sm/collect.h"
#include "chip/sm/ldst.h"
#include "chip/sm/sm_conf.h"
#include "corun/policy.h"
#include "exec/warp.h"
#include "mem/map.h"
#include "mem/req.h"

enum {
    SCHEDULERS_MAX = 8,
    SM_WARPS_MAX = 128,
    SM_BLOCKS_MAX = 64,
    WHEEL = 64,
    BARRIERS = 16
};

/* What an SM has to know of a launched kernel to run its blocks; owned by gpu. */
struct work {
    const struct program *program;
    struct image *image;
    struct printer *printer;
    const u8 *param;
    u32 grid[3], block[3];
    u32 threads, warps; /* of a block */
    u32 app_id, kernel_id, grid_id;
    u32 sm_n;
    u32 shared_bytes;            /* static + dynamic */
    struct corun_resources need; /* of a block, as the ledger counts */
};

/* Quotas of warp instructions, the policy's group `issue`: see quota.c. */
#define SM_NO_QUOTA CORUN_NO_QUOTA
struct quota {
    bool on;
    u32 shut;          /* apps that may not issue, a bit each */
    u32 of[APPS_MAX];  /* SM_NO_QUOTA: none */
    u32 left[APPS_MAX];
};

struct retired { /* a block that left, for gpu */
    const struct work *work;
    u64 block_id, start, end;
    u32 block_slot;
};

/* ---- inside ---- */

enum wait {
    WAIT_NOTHING,
    WAIT_EMPTY, /* no warp here */
    WAIT_BARRIER,
    WAIT_FENCE,
    WAIT_ATOMIC, /* sm.atomics_hold */
    WAIT_DRAIN, /* ended, its last instruction is not written back */
    WAIT_ENDED
};

/* ready_at of a register whose load is outstanding: not known. SOON: shared memory, parameters and
 * constants, for which a two-level scheduler keeps the warp in its active set. */
#define SOON (NEVER - 1)

struct slot {                /* a warp slot; what issue reads comes first */
    _Alignas(64) const struct inst *head; /* next instruction; NULL: a slot of nobody */
    u64 *ready_at; /* per score entry: cycle from which it can be read; NEVER, SOON: a load */
    u64 fetch_at;  /* first cycle in which head is decoded, or, if sure, can issue; WAIT_DRAIN: last
                    * write-back */
    u64 written_at; /* last write-back of its compute instructions */
    u32 row_n;          /* of the program: scores from here on are predicates */
    u32 bank_from;      /* added to a row to find its bank */
    u32 stores;         /* stores not yet acknowledged */
    u32 transfers;      /* memory instructions not yet done */
    u8 app_id, block_slot;
    u8 wait;            /* enum wait */
    u8 scheduler, rank; /* rank: position in its scheduler's age order */
    u8 id;              /* of the slot */
    u8 buffered;        /* instructions in its buffer; 0: wants a fetch or has one under way */
    bool wrong;         /* the buffer holds, or will hold, what a branch jumped over */
    bool called;        /* it is in a function: scores are the frame's */
    bool sure;          /* head's operands can be read from fetch_at on */
    _Alignas(64) struct warp warp; /* architectural state */
};

struct barrier {
    u32 arrived; /* warps */
    u32 threads; /* it waits for; 0: the whole block */
    u64 waiting; /* warps of the block stopped here, a bit each */
};

struct resident {            /* a block on this SM */
    const struct work *work; /* NULL: free slot */
    struct block_state state;
    u64 block_id, start;
    u8 *memory; /* registers, predicates, scoreboard, shared and local memory */
    size_t memory_bytes;
    u32 warp_n, alive_n; /* warps that have not ended */
    u32 busy_n;          /* warps not ended or with memory instructions outstanding */
    u8 slot[32];         /* warp -> warp slot */
    struct barrier barrier[BARRIERS];
};

/* Warps of a scheduler by rank: by age for gto, by slot for the others. */
struct scheduler {
    /* What is looked at when it does not issue: */
    _Alignas(64) u64 any; /* ranks in one of `ready` */
    u64 active;   /* ranks that may issue: those of `level` whose app's quota is not used up */
    u64 flush;    /* ranks whose buffer holds what a branch jumped over */
    u64 *stall;   /* counter of a cycle without issue; NULL: find it again, something changed */
    struct front *front;
    u64 ready[PIPE_N]; /* ranks whose head can issue to this pipeline */
    u64 valid;    /* ranks with an instruction in the buffer and not waiting */
    u64 loads;    /* ranks whose head waits for a load that has not come back */
    u64 blocked;  /* ranks that wait for a long operation, a barrier, a fence, or have ended */
    u32 last;     /* rank that issued last; >= 64: none */
    u32 n;
    u64 level;    /* the active set of two-level, else all */
    u64 resident; /* ranks that hold a warp: the low n bits */
    struct {
        u8 slot, app;
    } by_rank[64];
    u8 pending[64];       /* slots outside the active set, first to enter first */
    u32 pending_n;
};

/* What all SMs of a machine have in common: one copy, which is always near. */
struct sm_common {
    const struct sm_conf *conf;
    const struct l1_conf *l1;
    const struct map *map;
    struct req_pool *pool;
    double ns_per_cycle;
    bool skip; /* false: a refused access is tried again every cycle, as a check on `events` */
    u32 round_shift; /* rounds of the operand collector in a cycle, log2 */
    u32 pipe_n;      /* pipelines in use, from 0 */
    u8 pipe_of[UNIT_N][COST_N];
    struct timing cost[COST_N];
    struct effect effect; /* of the step that is being made */
};

/* Every SM's turn finds its lines of the host's cache far away: what each needs comes first. */
struct sm {
    _Alignas(64) u64 failed_at; /* last cycle in which refused accesses were counted, NEVER: none */
    u64 wheel_set;
    u64 issue_at;      /* a scheduler has nothing to do before; lowered by whoever changes that */
    u64 want[2];       /* slots with an empty instruction buffer that no fetch is under way for */
    u64 unit_busy_until; /* the load/store unit: shared conflicts */
    u64 counted; /* the first cycle whose stalls are not: see stalls_settle */
    u32 queue_head, queue_n;

    struct queued *queue; /* ring of queue_room; the head is in the unit */
    struct slot *slots;
    struct sm_common *common;
    const struct sm_conf *conf;
    struct fifo response; /* replies that arrived */
    u32 events;          /* EVENT_*, since they were looked at last */
    bool admitted; /* a block has started since gpu looked: it has to wake the SM */
    bool faulted;
    u8 retired_n;        /* blocks that left since gpu took them last */

    u32 queue_room;
    u32 transfer_free, transfer_left, transfer_n;
    struct transfer *transfers;
    u32 *result;          /* [cycle mod RESULTS]: a cycle in which a result is written back */
    u64 *fail_cell, *stall_cell; /* without pipes: the counters of a cycle it is refused */
    u32 issue_way;   /* schedulers, if the compiler is to know how many; 0: any, and quotas */
    u32 fetched;     /* slot fetched for last */
    u32 id, fault_slot;
    _Alignas(64) u64 requests_freed;
    u32 missing_apps;    /* a bit for each app that has some missing, or had since `counted` */
    struct missing {
        u64 too_much;    /* what n times the cycles since `counted` is too much */
        u32 n;           /* loads and atomics sent on and not come back */
    } missing[APPS_MAX];
    struct l1 l1;
    struct scheduler scheduler[SCHEDULERS_MAX + 1]; /* the last: of nobody, see park.c */
    u64 wheel[2][WHEEL]; /* slots that look again in a cycle */
    struct quota quota;
    struct corun_resources used; /* the ledger */

    u64 free_slots[2];
    struct resident resident[SM_BLOCKS_MAX];
    u64 free_blocks;
    u32 resident_n[APPS_MAX];
    u32 max_resident[APPS_MAX];
    u64 resident_since[APPS_MAX]; /* resident_n is counted up to this cycle */
    struct retired *retired;
    _Alignas(64) struct sm_stat stat[APPS_MAX + 1];
};

/* ---- life ---- */

void sm_common_init(struct sm_common *c, const struct sm_conf *conf, const struct cost_conf *cost,
                    const struct l1_conf *l1, const struct map *map, struct req_pool *pool,
                    bool skip, double mhz);
void sm_init(struct sm *sm, u32 id, struct sm_common *common, struct arena *arena);
void sm_free(struct sm *sm);

bool sm_fits(const struct sm *sm, const struct corun_resources *need);
void sm_admit(struct sm *sm, const struct work *work, u64 block_id,
              u64 now);                        /* issues from now + 1; must fit */
/* A block of `work`, the youngest that has not run to its end, leaves with all that it holds; NULL:
 * there is none. It goes on in sm_resume, on any SM on which it fits. */
struct parked *sm_park(struct sm *sm, const struct work *work, u64 now);
void sm_resume(struct sm *sm, struct parked *b, u64 now);
struct parked **parked_link(struct parked *b); /* the owner's */
void parked_free(struct parked *b);
/* quota[app]; they hold from the next time on that all are used up */
void sm_set_quota(struct sm *sm, const u32 quota[APPS_MAX], u64 now);
/* a kernel of it starts; true: a refused access has to be tried again in the next cycle */
bool sm_invalidate(struct sm *sm, u32 app_id);

void sm_tick(struct sm *sm, u64 now);
u64 sm_wake(const struct sm *sm,
            u64 now);                   /* after sm_tick(now): the next cycle that must be ticked */
void sm_settle(struct sm *sm, u64 now); /* counts the cycles skipped before `now`, exclusive */
/* an app's counters, exact for cycles before `now` */
const struct sm_stat *sm_count(struct sm *sm, u32 app_id, u64 now);

/* the request that wants to enter the crossbar, or REQ_NONE */
static inline u32 sm_peek(const struct sm *sm)
{
    return sm->l1.missq.n ? fifo_front(&sm->l1.missq) : REQ_NONE;
}
/* it has entered; the next cycle in which the load/store unit may go on */
u64 sm_pop(struct sm *sm, u64 now);
/* a reply that arrives in cycle `at`, the last of all so far; false: the response queue is full */
bool sm_push(struct sm *sm, u32 req_id, u64 at);

/* ---- between the SM's files ---- */

static inline u32 ring_at(u32 head, u32 k, u32 room)
{
    return head + k < room ? head + k : head + k - room;
}

/* the first row of the current frame */
static inline u32 slot_frame(const struct slot *s)
{
    const struct warp *w = &s->warp;
    return likely(!w->depth) ? 0 : (u32)((w->base[0] - w->rows) / ROW_BYTES);
}

/* a score of the current frame as an index into ready_at */
static inline u32 slot_score(const struct slot *s, u32 score)
{
    const struct warp *w = &s->warp;
    if (likely(!w->depth)) return score;
    return score + (score >= s->row_n ? (u32)(w->pred - w->preds) : slot_frame(s));
}

static inline void sm_miss_begins(struct sm *sm, u32 app_id, u64 now)
{
    sm->missing[app_id].n++;
    sm->missing[app_id].too_much += now - sm->counted;
    sm->missing_apps |= 1u << app_id;
}
static inline void sm_miss_ends(struct sm *sm, u32 app_id, u64 now)
{
    sm->missing[app_id].n--;
    sm->missing[app_id].too_much -= now - sm->counted;
}

/* Counts cycles before `now` in which no scheduler issued. Why they did not is as it was since
 * `counted`: whoever is about to change that calls this first. */
void stalls_count(struct sm *sm, u64 now);
static inline void stalls_settle(struct sm *sm, u64 now)
{
    if (sm->counted < now) stalls_count(sm, now);
}

/* Whether the operands of its next two instructions are there is asked soon. */
static inline void scores_prefetch(const struct slot *s)
{
    const struct inst *i = s->head;
    for (u32 k = 0; k < 2; k++)
        for (u32 j = 0; j < SCORE_STEP; j++) prefetch(&s->ready_at[i[k].score[j]]);
    prefetch(&s->warp);
}

/* decides whether its head can issue from `now` on */
void slot_arm(struct sm *sm, struct slot *s, u64 now);
static inline void wheel_set(struct sm *sm, const struct slot *s, u64 at, u64 now)
{
    u64 when = at - now < WHEEL ? at : now + WHEEL - 1; /* later ones look again on the way */
    sm->wheel[s->id / 64][when % WHEEL] |= 1ull << s->id % 64;
    sm->wheel_set |= 1ull << (when % WHEEL);
}
static inline void fetch_want(struct sm *sm, u32 slot_id)
{
    sm->want[slot_id / 64] |= 1ull << (slot_id % 64);
}
static inline bool fetch_wanted(const struct sm *sm) { return (sm->want[0] | sm->want[1]) != 0; }
void fetch_tick(struct sm *sm, u64 now);
/* A slot looks again, or a scheduler may have something to do. */
static inline bool issue_due(const struct sm *sm, u64 now)
{
    return sm->wheel_set >> now % WHEEL & 1 || sm->issue_at <= now || !sm->common->skip;
}
void issue_tick(struct sm *sm, u64 now);
void scheduler_insert(struct sm *sm, u32 slot_id);
void scheduler_remove(struct sm *sm, u32 slot_id);
void scheduler_refill(struct sm *sm, struct scheduler *q); /* two-level: who is in the active set */
void scheduler_open(const struct sm *sm, struct scheduler *q); /* sets `active` */
bool scheduler_is_sound(const struct sm *sm, const struct scheduler *q); /* for hard_check */
bool scheduler_moves(const struct sm *sm, const struct scheduler *q); /* refill would change it */
void quota_take(struct sm *sm, u32 app_id); /* one of its warps issues */
void quota_moved(struct sm *sm);            /* a block came or went */
/* What every way in and every way out share. enter: the block's slot, to be filled. */
u32 block_enter(struct sm *sm, const struct work *work, u64 now);
struct slot *block_warp_enter(struct sm *sm, u32 block_slot, u32 warp);
void block_leave(struct sm *sm, u32 block_slot, u64 now);
void block_barrier_arrive(struct sm *sm, struct slot *s, const struct effect *e, u64 now);
/* how many warps have to arrive */
u32 block_barrier_warps(const struct resident *b, const struct barrier *r);
void block_warp_ended(struct sm *sm, struct slot *s, u64 now);
void block_warp_drained(struct sm *sm, struct slot *s, u64 now);
void block_warp_quiet(struct sm *sm, struct slot *s,
                      u64 now); /* a memory instruction of it is done */

#endif
