/* A memory request: a 128-byte line (or sectors of a line) read or written by a warp instruction.
 * chip/l1 allocates requests and chip/sm frees them; L2 allocates and frees requests of its own.
 * All requests lie in one pool and never move; SMs, crossbars, slices and channels pass on the
 * index of a request.
 *
 * Each SM, and all slices together, allocate from a supply of their own and free into the same
 * supply. Invariants: A tick of an SM touches the SM's supply and never the pool, because the
 * supply holds enough for every request that a tick can allocate. Only req_settle, between ticks,
 * moves free requests between a supply and the pool. */
#ifndef CORUN_REQ_H
#define CORUN_REQ_H

#include "base/base.h"
#include "corun/policy.h"

enum req_kind {
    REQ_LOAD, REQ_STORE, REQ_ATOMIC, REQ_WRITEBACK,
    REQ_FETCH, /* made by L2: reads the line that a store missed */
    REQ_SECTOR, /* made by L2: one sector of a request for several sectors, the parent */
    REQ_INVALIDATE /* made by L2: drops a copy of a line in the other half, see chip/l2 */
};

#define REQ_NONE UINT32_MAX

enum req_stage { /* stages of a load's path, see req_end_stage */
    STAGE_TO_L2, /* from the SM through the crossbar until the slice takes the request */
    STAGE_AT_L2, /* in the slice, before and after DRAM, waiting included */
    REQ_STAGES
};

struct req {
    /* Physical byte address of the 128-byte line: the app number begins at bit 40 (APP_SHIFT).
     * Aligned, so that a request is one cache line of the host. */
    _Alignas(64) u64 line;
    union {
        u64 slice_address; /* line address without the bits of the slice; set by cache/map */
        u32 parent;  /* of a REQ_SECTOR: the request to which the sector belongs */
        u32 batch;   /* of the first request of a free batch: first request of the next batch */
    };
    union {
        u64 ready;   /* at an SM: SM cycle in which the reply arrives; or */
        struct {     /* from L2 to DRAM, for a line: */
            u32 entry;   /* MSHR entry that waits for the line */
            u32 line_at; /* location of the line in the tags */
        };
    };
    u32 next;        /* list link: in a batch if free, in an MSHR entry if merged */
    u32 since;       /* loads: SM cycle in which the present stage began, low 32 bits */
    u32 spent[REQ_STAGES]; /* loads: SM cycles in each stage that has ended */
    union {
        u32 dram;    /* loads: SM cycles at the channel */
        u32 written; /* stores: bytes written, see req_written */
    };
    u32 row;         /* DRAM row; set by cache/map */
    u16 l1_entry;    /* L1: MSHR entry that waits for the request; texture cache: the fragment */
    u16 access;      /* load/store unit: number of the pending access, see also L1_NO_ACCESS */
    u8 bank;         /* DRAM bank; set by cache/map */
    u8 slice;        /* L2 slice that receives the request next, 0..slice_n-1; set by cache/map */
    u8 channel;      /* DRAM channel of the line; set by cache/map */
    u8 kind;         /* enum req_kind */
    u8 app;
    u8 owner;        /* of the counters that the request increments */
    u8 sm;           /* SM that receives the reply */
    u8 sectors;      /* bit s: 32-byte sector s of the line is read or written */
    u8 bytes;        /* data bytes carried towards memory (store, atomic, write-back) */
    u8 fetched;      /* loads and fetches: the sectors that DRAM reads; set by L2 */
    u8 unanswered;   /* L2: number of sector requests without an answer yet */
    u8 l1_allocated; /* the reply is entered into L1 */
};
_Static_assert(sizeof(struct req) <= 64, "a request is at most 64 bytes");

enum { APPS_MAX = CORUN_APPS_MAX };
_Static_assert(!(APPS_MAX & (APPS_MAX - 1)), "masks of app numbers");

/* Owners of counters: the apps, OWNER_NONE for activity of no app, and from OWNER_LAUNCH on
 * launches with counters of their own. See gpu/owner.h. */
enum { OWNER_NONE = APPS_MAX, OWNER_LAUNCH = APPS_MAX + 1, OWNERS_MAX = 64 };

enum { APP_SHIFT = 40, LINE_BYTES = 128, SECTOR_BYTES = 32 };
/* Local memory occupies the upper half of the 2^APP_SHIFT bytes of an app; frames of deep recursion
 * lie in the upper quarter. */
#define LOCAL_PHYSICAL 0x8000000000ull
#define LOCAL_FAR_PHYSICAL 0xc000000000ull
/* The state of preempted blocks is saved in the eighth below LOCAL_FAR_PHYSICAL. */
#define SAVED_PHYSICAL 0xa000000000ull
#define SAVED_BYTES 0x2000000000ull

enum { REQ_BATCH = 64 }; /* free requests move between a supply and the pool in batches */

struct req_pool {
    struct req *reqs;
    u32 n;         /* number of reqs, a multiple of REQ_BATCH */
    u32 fresh;     /* first request of the batches never in a supply: these are not linked yet */
    u32 batches;   /* first request of the first returned batch, see `batch`; REQ_NONE: none */
};
void req_pool_init(struct req_pool *p, struct req *storage, u32 n);
static inline struct req *req_at(const struct req_pool *p, u32 id) { return &p->reqs[id]; }

/* The free requests of an owner. The request freed last is allocated first, because the host's
 * cache still holds the request. */
struct req_supply {
    struct req_pool *pool;
    struct req *reqs;    /* of the pool */
    u32 free_head, n;    /* the open batch, linked by `next`, and its size; REQ_NONE: empty */
    u32 batches;         /* first request of the first full batch, linked by `batch` */
    u32 batch_n;         /* full batches */
    u32 batch_least;     /* full batches after req_settle, at least; at most one more */
    u32 taken;           /* batches taken from the pool and not returned */
    bool *unsettled;     /* set to true when req_settle has something to do */
};
/* most: the largest number of requests that the owner allocates between two calls of req_settle.
 * unsettled: a flag, set to true when req_settle has something to do. */
void req_supply_init(struct req_supply *s, struct req_pool *p, u32 most, bool *unsettled);
/* Returns the most free requests that such an owner can hold, for the size of the pool. */
u32 req_supply_room(u32 most);
/* Returns a zeroed request (next: REQ_NONE). */
u32 req_alloc(struct req_supply *s);
void req_free(struct req_supply *s, u32 id);
/* Takes batches from the pool, or returns batches, until the supply is settled. The pool has room
 * for all that its users can hold together and cannot run out. */
void req_settle(struct req_supply *s);
static inline bool req_is_settled(const struct req_supply *s)
{
    return s->batch_n - s->batch_least <= 1;
}
/* Returns the number of allocated requests of the owner. */
static inline u32 req_used(const struct req_supply *s)
{
    return (s->taken - s->batch_n) * REQ_BATCH - s->n;
}

/* Returns the bytes of `sector` that a store writes, a bit each. `written` of a store to a single
 * sector has this form already; `written` of a store to several sectors has a bit for every 4
 * written bytes of the line.
 * Model: 4 bytes that a store to several sectors writes only in part count as not written
 * (guess). */
static inline u32 written_in(u32 sectors, u32 written, u32 sector)
{
    if (!(sectors >> sector & 1)) return 0;
    if (!(sectors & (sectors - 1))) return written;
    u32 bits = written >> 8 * sector & 0xff; /* spread to every fourth bit, then fill the gaps */
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    return ((bits | bits << 3) & 0x11111111) * 15;
}
static inline u32 req_written(const struct req *r, u32 sector)
{
    return written_in(r->sectors, r->written, sector);
}

/* Ends a stage of the path of a load or atomic. A stage may be ended in several steps; the cycles
 * add up. A request merged in L2 waits for the line of another request in STAGE_AT_L2. The times of
 * stores are not used. */
static inline void req_end_stage(struct req *r, enum req_stage stage, u64 sm_now)
{
    r->spent[stage] += (u32)sm_now - r->since;
    r->since = (u32)sm_now;
}
/* Ends the time of a request at the DRAM channel. */
static inline void req_end_dram(struct req *r, u64 sm_now)
{
    if (r->kind == REQ_STORE) return; /* `written` shares the storage of `dram` */
    r->dram += (u32)sm_now - r->since;
    r->since = (u32)sm_now;
}

/* req_packet_bytes returns the size of a packet, header included; req_dram_bytes returns the bytes
 * that DRAM moves for the request. */
enum { PACKET_HEADER_BYTES = 8 };
static inline u32 req_packet_bytes(const struct req *r, bool to_memory)
{
    if (r->kind == REQ_STORE) return PACKET_HEADER_BYTES + (to_memory ? r->bytes : 0u);
    if (r->kind == REQ_ATOMIC) return PACKET_HEADER_BYTES + r->bytes;
    if (to_memory) return PACKET_HEADER_BYTES;
    u32 sectors = (u32)__builtin_popcount(r->sectors);
    return PACKET_HEADER_BYTES + (sectors ? sectors * SECTOR_BYTES : LINE_BYTES);
}
static inline bool req_writes_dram(const struct req *r)
{
    return r->kind == REQ_STORE || r->kind == REQ_WRITEBACK;
}
static inline u32 req_dram_bytes(const struct req *r)
{
    u32 writes = 0u - req_writes_dram(r); /* branch-free: the kind is unpredictable */
    return (r->bytes & writes) | ((u32)__builtin_popcount(r->fetched) * SECTOR_BYTES & ~writes);
}

#endif
