/* What an SM consists of. Its files are layers, each calls those before it: stall.c, scheduler.c,
 * issue_port.c, coalesce.c; wake.c: when a warp can issue; quota.c, gate.c: a policy's say
 * in it (which stall.c asks too);
 * life.c, transfer.c, residency/, block.c: blocks, warps; pending.c: accesses under way; ldst.c:
 * the load/store unit, over l1.c, which knows no SM; issue.c picks and executes; sm.c makes a cycle
 * of them. gpu reads it to count and to tell troubles, and takes its news. */
#ifndef CORUN_SM_STATE_H
#define CORUN_SM_STATE_H

#include "base/arena.h"
#include "chip/sm/allocator.h"
#include "chip/sm/issue_port.h"
#include "chip/sm/context.h"
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
    WHEEL = 64
};

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

struct preempt_cost { /* of `switch` */
    bool traffic;
    u64 latency_cycles;
    double bytes_per_cycle; /* an SM's part of DRAM's */
};
struct landings { /* copies whose bytes have come, or will, by cycle: see pending.c */
    u64 at;       /* of the first; NEVER: there is none */
    struct landing {
        u64 at;
        u32 id;   /* of its pending access */
    } *queue;
    u32 n, room;
};
struct transfer { /* blocks on their way off the SM or onto it: see transfer.c */
    u64 at;       /* it looks again from then on; NEVER: nothing is to be sent */
    struct block *first, *last;
    u64 until;    /* without traffic: when the first is through; 0: it has not begun */
    struct block *over, *over_last; /* for gpu: have gone, or come */
};

/* Blocks beyond those that have seats, the policy's group `residency`: see residency/. */
enum { UNITS = 2, QUEUE_MOST = 16 }; /* enum corun_unit */
struct resident { /* what gives up its seats */
    struct block *block;
    struct context *context; /* NULL: all of the block */
};
struct unit_queue { /* first come, first out; what is looked at most: a line of host cache */
    _Alignas(64) u32 n;
    u8 of[APPS_MAX];
    u64 refused; /* block slots with somebody who found it full, a bit each */
    struct resident at[APPS_MAX * QUEUE_MOST]; /* so many of each app */
};
struct moved { /* a block has given up its seats and is back, for gpu */
    const struct work *work;
    u64 block_id, start, end;
    u32 block_slot;
};
struct launch_here { /* in units */
    u32 places;
    u32 held, seated;  /* places with somebody on them; who has not ended */
    u32 absent, spare; /* spare: for so many there is room */
};
struct found { /* of a launch */
    const struct work *work;
    enum corun_unit unit;
    struct launch_here here, part[SM_BLOCKS_MAX]; /* the sum; what is in it of each block slot */
    u64 changed; /* block slots whose part is to be counted anew, a bit each */
};
struct residency {
    /* What is looked at in every cycle: a line of host cache. */
    _Alignas(64) u64 noted; /* block slots in which something has changed, a bit each */
    u64 shut;        /* those of apps that have no unit that could be queued: not looked at */
    u64 over_at;     /* when who moves is there; NEVER: nobody moves */
    u64 turn_at;     /* when somebody's turn is over; NEVER: nobody could go on, or there is none */
    bool extended;   /* the SM has, or had, blocks beyond its seats */
    bool look;       /* a unit may move now */
    u8 extra_apps;   /* that have extra blocks on the SM, a bit each */
    bool pins;       /* a launch is here whose oldest block is pinned */
    struct unit_queue stalled[UNITS], ready[UNITS];
    u64 put_off;             /* of `shut`, those noted: looked at when there is room */
    u64 slots_of[APPS_MAX];  /* an app's; 0: not known, or one of them must not be shut */
    struct found found;
    struct resident out, in; /* on their way; block NULL: none */
    u32 turn_of;     /* block slot and warp of the one whose turn was over last */
    u32 extra_n;     /* blocks on the SM */
    u32 pool_bytes;  /* that these hold of what is left */
    u32 l1_n;        /* of these, those for which L1 holds state */
    u64 since;       /* statistics are counted up to this cycle */
    /* Blocks; warps, absent ones on their way too, present ones ended too. */
    u32 extra_of[APPS_MAX], absent_of[APPS_MAX], present_of[APPS_MAX];
    struct moved moved[SM_BLOCKS_MAX]; /* for gpu */
    u32 moved_n;
    struct residency_stat stat[APPS_MAX + 1];
};

struct retired { /* a block that has run to its end, for gpu */
    const struct work *work;
    u64 block_id, start, end; /* start: of its last stay on an SM */
    u64 warp_instructions;
    u32 block_slot;
};

/* ---- inside ---- */

struct seat { /* of a warp at its scheduler: a warp slot. What issue reads: a line of host cache */
    _Alignas(64) const struct inst *head; /* next instruction */
    struct context *context; /* NULL: the seat is free */
    u64 *ready_at;      /* the context's */
    /* It is not looked at before this cycle: head is decoded by then or, if sure, its operands can
     * be read; also the end of a sleep, a barrier's release, an atomic's return. WAIT_WRITE: the
     * last write-back. */
    u64 not_before;
    u64 written_at;     /* last write-back of its compute instructions */
    u16 row_n;          /* of the program: scores from here on are predicates */
    u16 banked_n;       /* scores below lie in register banks */
    u16 frame_row, frame_pred; /* called: where the rows and predicates of head's frame begin */
    u8 bank_from;       /* added to a row to find its bank */
    u8 app_id;
    u8 scheduler, rank; /* rank: where it is in its scheduler's by_rank and masks */
    u8 id;              /* of the seat */
    /* instructions in its buffer, from the fetch on: decoded by not_before. 0: a fetch is wanted,
     * or the warp has ended */
    u8 buffered;
    bool waits;         /* its context waits for something, see context.wait; or the seat is free */
    bool stale;         /* the buffer holds, or will hold, what a branch jumped over */
    bool called;        /* it is in a function: scores are the frame's */
    bool sure;          /* head's operands can be read from not_before on */
    u16 memory_n;       /* its memory instructions whose registers are not released yet */
    u32 issued;         /* warp instructions of its context so far */
};
_Static_assert(sizeof(struct seat) == 64, "a seat is a line");

/* Warps of a scheduler by rank: by age for gto, by seat for the others. Whoever changes what it
 * would issue, or why it does not, calls stalls_catch_up first and sets `stall` to NULL. */
struct scheduler {
    /* What is looked at when it does not issue: */
    _Alignas(64) u64 any; /* ranks in one of `ready` */
    u64 may_issue; /* ranks of the active set whose app's quota is not used up */
    u64 flush;    /* ranks whose buffer holds what a branch jumped over */
    u64 *stall;   /* the counter that a cycle without issue goes to; NULL: to be found again */
    struct issue_port *port;
    u64 ready[PIPE_N]; /* ranks whose head can issue to this pipeline */
    u64 valid;    /* ranks whose head is decoded and waits for operands or a pipeline only */
    /* ranks whose head waits for a memory instruction, of any space, of which nobody knows when it
     * is over */
    u64 loads;
    /* two-level: ranks to leave the active set: they wait for global or local memory, a barrier, a
     * fence, or have ended; until the seat looks again */
    u64 blocked;
    u32 last;     /* rank that issued last; >= 64: none */
    u8 last_seat; /* its seat, plus one; 0: none */
    u32 n;
    u64 active_set; /* two-level: ranks that it chooses from; else all */
    u64 oldest;   /* sm.issue_warps: ranks that may issue; else all */
    u64 counted;  /* these are chosen from; ~0: warps have come or gone */
    u64 seated;   /* ranks that hold a warp: the low n bits */
    struct {
        u8 seat, app;
    } by_rank[64];
    u8 outside[64];       /* seats outside the active set, first to enter first */
    u32 outside_n;
    u64 of_app[APPS_MAX]; /* ranks of its warps, if the SM is governed; */
    u32 apps;             /* that have some, a bit each */
    u64 urgent;           /* ranks of urgent blocks' warps, if the SM is governed */
    /* of the ready for PIPE_MEM, where gates asked: known heads, those that go to memory of them */
    u64 known, to_memory;
    struct turns turns;
};

/* What all SMs of a machine have in common: one copy, which is always near. */
struct sm_common {
    const struct sm_conf *conf;
    const struct l1_conf *l1;
    const struct tex_conf *tex;
    const struct map *map;
    struct req_pool *pool;
    double ns_per_cycle;
    bool skip; /* false: a refused access is tried again every cycle, as a check on `events` */
    u32 round_shift; /* rounds of the operand collector in a cycle, log2 */
    u32 pipe_n;      /* pipelines in use, from 0 */
    bool plain;      /* issue is as on most machines: gto, pipelines SP, SFU and memory, no order of
                      * classes; the compiler makes loops of their own for it */
    u8 pipe_of[UNIT_N][COST_ROOM];
    struct timing cost[COST_N];
    struct effect effect; /* of the step that is being made */
    struct timer timer[APPS_MAX]; /* for programs of each app */
    struct preempt_cost preempt;
};

/* The six parts of an SM. Each is written only by its own files; what the others may ask of it is in
 * the headers of these. What a cycle looks at comes first in each: every SM's turn finds its lines
 * of the host's cache far away. */

/* Fetch, instruction buffers, schedulers and why they do not issue: scheduler.c, stall.c, wake.c,
 * issue.c. */
struct front {
    _Alignas(64) u64 wheel_used; /* entries of `wheel` with a seat in them, a bit each */
    u64 issue_at;      /* no scheduler has anything to do before; lowered by whoever changes that */
    u64 want[2];       /* seats whose instruction buffer is to be filled, a bit each */
    u64 counted; /* the first cycle whose stalls are not: see stalls_catch_up */
    struct seat *seats;
    u32 ungoverned_schedulers; /* how many, while nothing governs issue, see issue_tick; else 0 */
    u32 fetched;     /* seat fetched for last */
    bool narrowed; /* sm.issue_warps: not all warps may issue */
    bool repeats;  /* some warp repeats a loop in which nothing changes */
    bool faulted;
    const struct context *fault_of; /* whose it is, with a seat or without */
    u64 turns_from;  /* the schedulers' turns begin, cycles without a block left out */
    struct scheduler scheduler[SCHEDULERS_MAX];
    u64 wheel[WHEEL][2]; /* seats that look again in a cycle */
};

/* Collectors, register banks, units and results: issue_port.c, class_order.c. */
struct port {
    struct class_order *class_order; /* sm.collector_order=class, else NULL */
    u32 *result;          /* [cycle mod RESULTS]: a cycle in which a result is written back */
};

/* Load/store unit, coalescer, accesses under way, L1 and texture cache: ldst.c, coalesce.c,
 * pending.c. */
struct lsu {
    /* last cycle in which refused accesses were counted; NEVER: nothing is refused now */
    _Alignas(64) u64 failures_counted;
    u64 unit_busy_until; /* the load/store unit works on shared memory, constants, parameters */
    u64 unit_at;     /* it looks at its oldest instruction from then on; NEVER: it has none */
    u64 reply_at; /* the first reply can be taken from this cycle on; NEVER: there is none */
    u64 texel_at; /* the texture cache may answer an access from then on; NEVER: none is ready */
    u32 queue_head, queue_n;
    u32 queue_room;
    u32 events;          /* EVENT_*, since they were looked at last */
    /* Ring of queue_room: memory instructions from issue until the load/store unit is through with
     * them; the first is in the unit or, without a class order, will be next. */
    struct queued **queue;
    struct fifo reply; /* replies that arrived */
    u32 memory_room;     /* further memory instructions whose registers may be held */
    /* Pending accesses: of pending_n entries those from pending_fresh on were never used, others
     * that are free are a list. An entry outlives its instruction's registers while its stores
     * are not acknowledged. */
    u32 pending_free_head, pending_fresh, pending_n, pending_free_n;
    struct pending *pending;
    u64 answer_at;        /* when the next reader of a line may be answered */
    u64 *fail_cell, *stall_cell; /* without pipes: the counters of a cycle it is refused */
    /* With a class order: */
    u32 passing;          /* a reply that passed L1; REQ_NONE: none waits */
    u32 reply_cycles, write_back_cycles; /* of a reply: until the fill; from the register on */
    u32 late_head, late_n, late_room;
    struct late *late;    /* the pipe of shared memory, a ring */
    u64 result_at;        /* from when on the write-back register is free */
    u8 result_turn;       /* whose turn it is: enum result_of */
    _Alignas(64) u64 requests_freed;
    u32 outstanding_apps; /* a bit for each app that has some, or had since `counted` */
    u32 in_flight[APPS_MAX]; /* memory instructions with accesses that are not over */
    struct outstanding {
        u32 n;           /* loads and atomics beyond L1, now */
        /* What n times the cycles since `counted` is too much, in misses times cycles: of each
         * sent since then the cycles before it was sent, less, of each that has come back since,
         * the cycles until it did. Modulo 2^64: it may be below 0. */
        u64 correction;
    } outstanding[APPS_MAX];
    u32 in_flight_peak[APPS_MAX]; /* the most of them since gpu looked */
    struct landings landings;
    struct elsewhere *elsewhere; /* accesses that are over, of contexts seated on another SM */
    u32 elsewhere_n;
    struct l1 l1;
    struct tex tex;
};

/* Blocks' life, seats, capacity and where they lie: life.c, block.c, transfer.c, allocator.c. */
struct blocks {
    u64 free_seats[2];
    u64 free_blocks;             /* block slots */
    struct block *block[SM_BLOCKS_MAX]; /* seated ones, by block slot; NULL: a free slot */
    struct block *spare_blocks;  /* without a use */
    struct block *dropped_blocks; /* that nobody wants, but whose accesses are under way */
    struct context *spare_contexts;
    struct context_chunk {
        struct context_chunk *next;
    } *context_chunks;           /* made since, each followed by contexts */
    struct corun_resources used; /* the ledger: see life.c */
    struct allocator allocator;  /* where it lies */
    struct transfer transfer;
    u64 empty_from;  /* it has no block from this cycle on */
    u32 unseated;    /* blocks that have left their seats */
    u8 retired_n;        /* blocks retired since gpu took them last */
    struct retired *retired;
    u32 resident_n[APPS_MAX], seated_n[APPS_MAX]; /* blocks; seated: those that can issue */
    u32 max_resident[APPS_MAX];
    u64 resident_since[APPS_MAX]; /* resident_n is counted up to this cycle */
};

/* What a policy says of issue: quota.c, gate.c. */
struct sm_policy {
    bool governed;   /* a policy has said who may issue: see quota.c */
    bool gated;    /* a policy says which memory instructions may issue: see gate.c */
    u64 urgent;      /* block slots whose warps issue before all others, a bit each */
    struct quota quota;
    struct order order;
    struct gate gate;
};

#ifndef FRONT
#define FRONT
#define PORT
#define LSU
#define BLOCKS
#define RESIDENCY
#define POLICY
#endif

struct sm {
    struct sm_common *common;
    const struct sm_conf *conf;
    u32 id;
    bool must_tick; /* changed from outside (a block, a policy's answer): in the next cycle */
    /* for gpu: blocks retired, ends for contexts at other SMs, requests_at, repeats */
    bool news;
    /* blocks have been saved or loaded, copies have landed, or requests_at is looked at */
    bool slow_path;
    bool tells_requests; /* somebody wants to know when an app's accesses of L1 reach requests_at */
    PORT struct port port;
    FRONT struct front front;
    LSU struct lsu lsu;
    BLOCKS struct blocks blocks;
    RESIDENCY struct residency residency;
    POLICY struct sm_policy policy;
    u64 requests_at[APPS_MAX]; /* accesses of L1 at which gpu is told; NEVER: not */
    _Alignas(64) struct sm_stat stat[APPS_MAX + 1];
    struct preempt_stat preempt_stat[APPS_MAX + 1];
    struct tensor_stat tensor_stat[APPS_MAX + 1];
};

/* ---- between the SM's files ---- */

static inline u32 ring_at(u32 head, u32 k, u32 room)
{
    return head + k < room ? head + k : head + k - room;
}

/* The frame of head, and until it has issued of the one before: a step may end in another. */
static inline void seat_frame_set(struct seat *s, const struct warp *w)
{
    s->called = w->depth > 0;
    s->frame_row = (u16)((w->base[0] - w->rows) / ROW_BYTES);
    s->frame_pred = (u16)(w->pred - w->preds);
}

/* the first row of the current frame */
static inline u32 seat_frame(const struct seat *s) { return likely(!s->called) ? 0 : s->frame_row; }

/* What stands for each of an instruction's registers when its bank is asked for: its row, or the
 * number in its PTX name. */
static inline const u16 *bank_registers(const struct sm *sm, const struct inst *i)
{
    return unlikely(sm->conf->bank_of == BANK_OF_NAME) ? i->numbers : i->score;
}

static inline struct frame_of frame_of(const struct seat *s)
{
    return (struct frame_of){s->context, seat_frame(s), unlikely(s->called) ? s->frame_pred : 0,
                             s->bank_from};
}

/* a score of the current frame as an index into ready_at */
static inline u32 seat_score(const struct seat *s, u32 score)
{
    if (likely(!s->called)) return score;
    return score + (score >= s->row_n ? s->frame_pred : s->frame_row);
}

/* What it waits for is over, or it waits: looked at at the end of the cycle. */
static inline void residency_note(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    sm->residency.noted |= 1ull << c->block->slot;
    c->block->noted |= 1u << c->warp.warp_id;
}

/* Its warp waits now: it gives way only to others if it waits for what L1 did not answer. */
static inline void residency_note_waits(struct sm *sm, struct context *c)
{
    if (likely(!sm->residency.extended)) return;
    if (c->beyond_n) residency_note(sm, c);
    else sm->residency.look = true;
}

/* Its warp waits for a load from beyond shared memory, parameters and constants. */
static inline bool seat_waits_for_load(const struct sm *sm, const struct seat *s)
{
    const struct scheduler *q = &sm->front.scheduler[s->scheduler];
    return q->loads & q->blocked & 1ull << s->rank;
}

/* Its warp waits for copies: it counts as one that waits for loads. */
static inline void copies_wait_show(struct scheduler *q, const struct seat *s)
{
    q->valid |= 1ull << s->rank;
    q->loads |= 1ull << s->rank;
}

/* What was found of a launch need not be so any more: something of the block has changed. */
static inline void found_forget(struct sm *sm, const struct block *b)
{
    sm->residency.found.changed |= 1ull << b->slot;
}

static inline void sm_miss_begins(struct sm *sm, u32 app_id, u64 now)
{
    sm->lsu.outstanding[app_id].n++;
    sm->lsu.outstanding[app_id].correction += now - sm->front.counted;
    sm->lsu.outstanding_apps |= 1u << app_id;
}
static inline void sm_miss_ends(struct sm *sm, u32 app_id, u64 now)
{
    sm->lsu.outstanding[app_id].n--;
    sm->lsu.outstanding[app_id].correction -= now - sm->front.counted;
}

/* It looks again in cycle `at`, after `now`. */
static inline void wheel_set(struct sm *sm, const struct seat *s, u64 at, u64 now)
{
    hard_check(at > now);
    u64 when = at - now < WHEEL ? at : now + WHEEL - 1; /* later ones look again on the way */
    sm->front.wheel[when % WHEEL][s->id / 64] |= 1ull << s->id % 64;
    sm->front.wheel_used |= 1ull << (when % WHEEL);
}
static inline void fetch_want(struct sm *sm, u32 seat_id)
{
    sm->front.want[seat_id / 64] |= 1ull << (seat_id % 64);
}
static inline bool fetch_wanted(const struct sm *sm) { return (sm->front.want[0] | sm->front.want[1]) != 0; }
void fetch_tick(struct sm *sm, u64 now);
/* No memory instruction may issue: there is no room for one of each scheduler. */
static inline bool memory_is_full(const struct sm *sm)
{
    return sm->lsu.memory_room < SCHEDULERS_MAX || sm->lsu.pending_free_n < SCHEDULERS_MAX;
}
void issue_tick(struct sm *sm, u64 now);
/* The ranks, of those that could issue, among which the scheduler chooses. earlier: those that it
 * has looked at before. */
u64 order_pick(struct sm *sm, struct scheduler *q, u64 among, u64 *earlier);
/* If warps of urgent blocks are among these ranks, only they stay. Those that are looked at before
 * any other, the rest not at all; none of them: all are. */
u64 urgent_pick(const struct scheduler *q, u64 *among, u64 *earlier);
void governed_issue(struct sm *sm, struct scheduler *q, u32 rank); /* the warp there issues */
void quota_moved(struct sm *sm);            /* a block came or went */

#endif
