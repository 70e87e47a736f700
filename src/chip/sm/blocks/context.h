/* What runs on an SM, wherever it is seated. A block goes through a life (life.def): on an SM with
 * seats, on an SM without, or on none. Each warp of it has a context: architectural state, the
 * cycles from which its registers can be read, and what the warp waits for. Pending accesses name
 * the context, so a reply finds it wherever its block is. The seat is what a scheduler looks at
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

/* What an SM has to know of a launched kernel to run its blocks; owned by gpu. */
struct work {
    struct grid grid;
    u32 app_id, kernel_id;
    struct corun_resources need; /* of a block, as the ledger counts */
    struct corun_residency residency; /* as the policy answered last */
};

enum wait { /* why a warp issues nothing */
    WAIT_NOTHING,
    WAIT_BARRIER,
    WAIT_FENCE,  /* for its accesses before it */
    WAIT_COPIES, /* for copies to shared memory */
    WAIT_ATOMIC, /* an atomic of it is under way, and sm.atomics_hold is set */
    WAIT_WRITE,  /* it has ended, its last instruction is not written back */
    WAIT_ENDED   /* it has ended, accesses may be outstanding */
};

struct seat;
struct block;

struct context {
    _Alignas(64) struct warp warp; /* architectural state */
    u32 stores;         /* store requests not yet acknowledged: context_store */
    u16 beyond_n;       /* its loads and atomics beyond L1, where SMs have extra blocks */
    u16 memory_n;       /* its memory instructions whose registers are not released yet */
    const struct seat *seat; /* NULL: it has none and issues nothing */
    struct block *block;
    u64 *ready_at;      /* per score entry: cycle from which it can be read; NEVER, SOON: a load */
    u8 wait;            /* enum wait */
    u8 app_id;
    u16 sm_id;          /* where its seat is, or it waits for one; or NO_SM */
    u32 issued;         /* as of the seat, while it has none; the next two also */
    u64 not_before, written_at;
    u64 phase_until;      /* try_wait has suspended it, until this cycle at most; see block.c */
    struct context *next; /* free list */
};

/* ready_at of a register whose load is outstanding: not known. SOON: shared memory, parameters and
 * constants, for which a two-level scheduler keeps the warp in its active set. */
#define SOON (NEVER - 1)

struct block {
    struct block_state state;
    u32 beyond;         /* warps whose beyond_n is not 0, a bit each */
    u32 noted;          /* warps that residency/ is to look at, a bit each: block_note */
    u32 queued;         /* those in a queue of residency/ or on their way; all: the whole block */
    u64 block_id;       /* in its grid */
    u64 start;          /* cycle in which it last came onto an SM */
    u64 cycles_before;  /* those it was on an SM before */
    u8 *memory;         /* registers, predicates, ready_at, shared and local memory */
    size_t memory_bytes;
    struct context *context[BLOCK_WARPS_MAX];
    const struct work *work;
    u32 busy_n;          /* warps not ended or with accesses outstanding */
    u32 seated, ended;   /* warps with a seat; that are WAIT_ENDED; a bit each */
    u8 life;             /* enum life */
    u8 slot;             /* its block slot, while it is seated */
    bool saved;          /* its state is off the chip */
    bool extra;          /* the ledger has `extra_need` and `pool_bytes` for it: see residency/ */
    u32 pool_bytes;
    struct corun_resources extra_need;
    u32 lines_left, lines_away; /* of its state, while it is saved or loaded: not sent, not over */
    u64 moves_since;     /* that began in this cycle */
    struct copies *copies; /* kept, like memory */
    struct block *next;  /* the owner's list: of free blocks, or of a kernel's that are out */
};

/* What it has to take along when it leaves the chip: registers, shared memory, warps. */
u64 block_state_bytes(const struct block *b);
/* Nothing of it is under way: no access, no result that nobody knows the time of. */
bool block_is_quiet(const struct block *b);
u64 block_issued(const struct block *b); /* warp instructions so far */

static inline bool context_has_ended(const struct context *c) { return c->wait >= WAIT_WRITE; }

/* ---- what the other parts tell ---- */

/* A store's request is sent, or acknowledged. */
static inline void context_store(struct context *c, bool sent)
{
    c->stores += sent ? 1 : UINT32_MAX;
}

/* A memory instruction has issued, or its registers are released. */
static inline void context_memory(struct context *c, bool issued)
{
    c->memory_n = (u16)(c->memory_n + (issued ? 1 : UINT16_MAX));
}

/* A load or an atomic of it waits for more than L1, or no more. */
static inline void context_beyond(struct context *c, bool more)
{
    u32 bit = 1u << c->warp.warp_id;
    c->beyond_n = (u16)(c->beyond_n + (more ? 1 : UINT16_MAX));
    c->block->beyond = c->beyond_n ? c->block->beyond | bit : c->block->beyond & ~bit;
}

/* A result of a context without a seat is written in cycle `at`; one that has ended waits for
 * it. */
static inline void context_written(struct context *c, u64 at)
{
    c->written_at = max_u64(c->written_at, at);
    if (context_has_ended(c)) c->not_before = max_u64(c->not_before, at);
}

/* It waits for a seat on this SM. */
static inline void context_stay(struct context *c, u32 sm_id) { c->sm_id = (u16)sm_id; }

/* The block begins to move to seats or away from them. */
static inline void block_moves(struct block *b, u64 now) { b->moves_since = now; }

/* residency/ is to look at these warps; it has looked at all that were noted. */
static inline void block_note(struct block *b, u32 warps) { b->noted |= warps; }
static inline void block_looked(struct block *b) { b->noted = 0; }

/* These warps, or all of the block, are in a queue of residency/ or on their way; or no more. */
static inline void block_queue(struct block *b, u32 warps, bool queued)
{
    b->queued = queued ? b->queued | warps : b->queued & ~warps;
}

#endif
