/* The state of blocks and warps, independent of their location. A block passes through the states
 * of life.def: on an SM with seats, on an SM without seats, or on no SM. Each warp has a context:
 * architectural state, ready times of registers, and the reason for waiting. Pending accesses name
 * the context, so a reply finds the context wherever the block is. Schedulers see warp slots
 * (front/front.h). Other parts call the inline functions at the end of this file. */
#ifndef CORUN_SM_CONTEXT_H
#define CORUN_SM_CONTEXT_H

#include "corun/policy.h"
#include "exec/block/block.h"

enum { NO_SM = UINT16_MAX };

enum life {
#define LIFE(id, capacity, seats, sentence) LIFE_##id,
#define MOVE(from, to, who)
#include "chip/sm/life.def"
#undef LIFE
#undef MOVE
    LIFE_N
};

/* Description of a launched kernel for the SMs that run the kernel's blocks; owned by gpu. */
struct work {
    struct grid grid;
    u32 app_id, kernel_id;
    u32 owner; /* of the counters */
    struct corun_resources need; /* resources of a block, as in the ledger */
    struct corun_residency residency; /* last answer of the policy's group `residency` */
    struct inst_stat *counts; /* of the launch, see struct launch */
};

enum wait { /* reason why a warp does not issue */
    WAIT_NOTHING,
    WAIT_BARRIER,
    WAIT_FENCE,  /* until its earlier accesses complete */
    WAIT_COPIES, /* until copies to shared memory land */
    WAIT_ATOMIC, /* until an atomic returns (sm.atomics_hold) */
    WAIT_WRITE,  /* the warp has ended; the last write-back is outstanding */
    WAIT_ENDED   /* the warp has ended; accesses may be outstanding */
};

struct seat;
struct block;

/* Groups of wgmma whose end a warp remembers; a wait for an earlier group ends with the earliest
 * of these. */
enum { GROUPS_KEPT = 8 };

struct context {
    _Alignas(64) struct warp warp; /* architectural state */
    u32 stores;         /* unacknowledged store requests: context_store */
    u16 beyond_n; /* loads and atomics beyond L1; only counted on extended SMs (see residency/) */
    u16 memory_n;       /* memory instructions whose registers are not released yet */
    const struct seat *seat; /* warp slot; NULL: none, the context does not issue */
    struct block *block;
    /* [scoreboard entry] first cycle in which the entry is readable; NEVER, SOON: unknown. */
    u64 *ready_at;
    u8 wait;            /* enum wait */
    u8 app_id;
    u16 sm_id; /* SM of the warp slot, or on which the context waits for a warp slot; or NO_SM */
    /* Copies of the warp slot's fields, valid while `seat` is NULL: issued, not_before,
     * written_at. */
    u32 issued;
    u64 not_before, written_at;
    /* end of a suspension by try_wait, unless the phase ends before; see block.c */
    u64 phase_until;
    struct context *next; /* free list */
    /* wgmma: end of the last product, and of the last committed groups, [group % GROUPS_KEPT]. */
    u64 product_end, group_end[GROUPS_KEPT];
    u32 group_n;
};

/* ready_at of a register with an outstanding result is NEVER (global or local memory) or SOON
 * (shared memory, parameters, constants, instructions deferred by class_order.c). A warp waiting
 * for SOON stays in the active set of a two-level scheduler. */
#define SOON (NEVER - 1)

struct block {
    struct block_state state;
    u32 beyond;         /* warps whose beyond_n is not 0, a bit each */
    u32 noted;          /* warps to be examined by residency/, a bit each: block_note */
    /* Warps in a queue of residency/ or being swapped, a bit each; all ones: the whole block. */
    u32 queued;
    u64 block_id;       /* index in the grid */
    u64 start;          /* start of the current or last stay on an SM */
    u64 cycles_before;  /* cycles on SMs before the current stay */
    u8 *memory;         /* registers, predicates, ready_at, shared and local memory */
    size_t memory_bytes;
    struct context *context[BLOCK_WARPS_MAX];
    const struct work *work;
    u32 busy_n;          /* warps that have not ended or have outstanding accesses */
    u32 seated, ended;   /* warps with a warp slot; warps in WAIT_ENDED; a bit each */
    u8 life;             /* enum life */
    u8 slot;             /* block slot, in states with seats */
    bool saved;          /* from sm_save to sm_loaded: state off the chip or in transfer */
    /* An extra block: the ledger counts `extra_need` and `pool_bytes` instead of work->need; see
     * residency/. */
    bool extra;
    bool lacks_registers; /* an extra block without corun_residency.own_registers */
    u32 pool_bytes;
    struct corun_resources extra_need;
    /* While saved or loaded: lines of the state not sent yet, and lines not completed yet. */
    u32 lines_left, lines_away;
    u64 moves_since;     /* start of the current save, load or swap */
    struct copies *copies; /* kept for reuse, like `memory` */
    struct block *next;  /* link in the owner's list: spare blocks, or a kernel's blocks on no SM */
    struct block *next_waiting; /* link in a list of blocks at griddepcontrol.wait */
};

/* Returns the size of the state that a block takes along when leaving the chip: registers, shared
 * memory, warps. */
u64 block_state_bytes(const struct block *b);
/* True if the block has no access in flight and no result of unknown time. */
bool block_is_quiet(const struct block *b);
u64 block_issued(const struct block *b); /* returns warp instructions so far */

static inline bool context_has_ended(const struct context *c) { return c->wait >= WAIT_WRITE; }

/* Returns the SM of the context, or NO_SM. Relaxed: while an SM moves the context in its tick,
 * ticks of other SMs may ask, and both values give the same answer. */
static inline u32 context_sm(const struct context *c)
{
    return __atomic_load_n(&c->sm_id, __ATOMIC_RELAXED);
}

/* True if the SM is the only SM whose tick changes the context: the SM of the context or, for a
 * context on no SM, the last SM of the block. The answer stays the same in the ticks of a cycle:
 * contexts move between SMs, and blocks enter SMs, only after the ticks, and a context that changes
 * its seat within the tick of its SM is on no SM in between. */
static inline bool context_belongs_to(const struct context *c, u32 sm_id)
{
    u32 at = context_sm(c);
    return at == sm_id || (at == NO_SM && c->block->state.sm_id == sm_id);
}

/* ---- notifications from other parts ---- */

/* Notes that a store request is sent, or acknowledged. */
static inline void context_store(struct context *c, bool sent)
{
    c->stores += sent ? 1 : UINT32_MAX;
}

/* Notes that a memory instruction has issued, or that its registers are released. */
static inline void context_memory(struct context *c, bool issued)
{
    c->memory_n = (u16)(c->memory_n + (issued ? 1 : UINT16_MAX));
}

/* Notes that L1 did not answer a load or atomic, or that such an access has completed. */
static inline void context_beyond(struct context *c, bool more)
{
    u32 bit = 1u << c->warp.warp_id;
    c->beyond_n = (u16)(c->beyond_n + (more ? 1 : UINT16_MAX));
    c->block->beyond = c->beyond_n ? c->block->beyond | bit : c->block->beyond & ~bit;
}

/* Notes that a result is written back in cycle `at`, for a context without a warp slot. A warp that
 * has ended waits for the write-back. */
static inline void context_written(struct context *c, u64 at)
{
    c->written_at = max_u64(c->written_at, at);
    if (context_has_ended(c)) c->not_before = max_u64(c->not_before, at);
}

/* Note the end of a product of wgmma; the end of the products committed as a group. */
static inline void context_product(struct context *c, u64 end) { c->product_end = end; }
static inline void context_group(struct context *c)
{
    c->group_end[c->group_n++ % GROUPS_KEPT] = c->product_end;
}
/* Returns the cycle in which all groups but the last `but` have ended. */
static inline u64 context_groups_end(const struct context *c, u32 but)
{
    if (but >= c->group_n) return 0;
    u32 back = min_u32(but, GROUPS_KEPT - 1);
    return c->group_end[(c->group_n - 1 - back) % GROUPS_KEPT];
}

/* Notes that the context waits for a warp slot on the SM. */
static inline void context_stay(struct context *c, u32 sm_id)
{
    __atomic_store_n(&c->sm_id, (u16)sm_id, __ATOMIC_RELAXED);
}

/* Notes the start of a swap of the block. */
static inline void block_moves(struct block *b, u64 now) { b->moves_since = now; }

/* Mark warps for examination by residency/, and clear the marks after the examination. */
static inline void block_note(struct block *b, u32 warps) { b->noted |= warps; }
static inline void block_looked(struct block *b) { b->noted = 0; }

/* Marks warps, or the whole block, as queued by residency/ or being swapped; false: clears the
 * marks. */
static inline void block_queue(struct block *b, u32 warps, bool queued)
{
    b->queued = queued ? b->queued | warps : b->queued & ~warps;
}

#endif
