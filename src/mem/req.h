/* A memory request: one 128-byte line (or sector) wanted or written by one warp instruction.
 * Allocated and freed in chip/sm; L2 allocates and frees those of its own. SMs, crossbars, slices
 * and channels pass on its index in one pool; it stays where it is. */
#ifndef CORUN_REQ_H
#define CORUN_REQ_H

#include "base/base.h"
#include "corun/policy.h"

enum req_kind {
    REQ_LOAD, REQ_STORE, REQ_ATOMIC, REQ_WRITEBACK,
    REQ_FETCH, /* L2's own: reads the line that a store missed */
    REQ_SECTOR /* L2's own: one sector of a request for several, its parent */
};

#define REQ_NONE UINT32_MAX

enum req_stage { /* of a load's path, see req_end_stage */
    STAGE_TO_L2, /* leaving the SM, crossbar, until its slice took it */
    STAGE_AT_L2, /* waiting for its slice and inside it, there and back */
    REQ_STAGES
};

struct req {
    /* physical byte address of the 128-byte line: app number above bit 40, see APP_SHIFT;
     * aligned so that a request is one line of the host's cache */
    _Alignas(64) u64 line;
    union {
        u64 slice_address; /* its line without what its slice says; set by mem/map */
        u32 parent;  /* of a REQ_SECTOR: the request whose sector it is */
    };
    union {
        u64 ready;   /* SM's: SM cycle at which it arrives; or */
        struct {     /* of what L2 sends to DRAM for a line: */
            u32 entry;   /* the MSHR entry that waits for it */
            u32 line_at; /* and the line's place in the tags */
        };
    };
    u32 next;        /* list link: in the pool if it is free, in an MSHR entry if it was merged */
    u32 since;       /* loads: SM cycle at which this stage began, low 32 bits; */
    u32 spent[REQ_STAGES]; /* SM cycles in each stage that ended, */
    union {
        u32 dram;    /* and at its channel */
        u32 written; /* stores: the bytes written, see req_written */
    };
    u32 row;         /* DRAM row; set by mem/map */
    u16 l1_entry;    /* L1's: the MSHR entry that waits for it */
    u16 access;      /* ldst's: index of the pending access it belongs to */
    u8 bank;         /* DRAM bank; set by mem/map */
    u8 slice;        /* L2 slice, 0..slice_n-1; set by mem/map */
    u8 channel;      /* DRAM channel of that slice; set by mem/map */
    u8 kind;         /* enum req_kind */
    u8 app;
    u8 sm;           /* who wants the reply */
    u8 sectors;      /* bit s: 32-byte sector s of the line is wanted or written */
    u8 bytes;        /* data bytes carried towards memory (store, atomic) */
    u8 fetched;      /* loads and fetches: the sectors DRAM reads; set by L2 */
    u8 unanswered;   /* L2's: its sector requests that are not answered yet */
    u8 l1_allocated; /* the reply goes into L1 */
};
_Static_assert(sizeof(struct req) <= 64, "a request is at most 64 bytes");

enum { APPS_MAX = CORUN_APPS_MAX };
_Static_assert(!(APPS_MAX & (APPS_MAX - 1)), "masks of app numbers");

enum { APP_SHIFT = 40, LINE_BYTES = 128, SECTOR_BYTES = 32 };
/* Where local memory lies in the 2^APP_SHIFT bytes of an app: in the upper half; what deep
 * recursion adds, in the upper quarter. */
#define LOCAL_PHYSICAL 0x8000000000ull
#define LOCAL_FAR_PHYSICAL 0xc000000000ull
/* Where blocks that were preempted are saved: in the eighth below it. */
#define SAVED_PHYSICAL 0xa000000000ull
#define SAVED_BYTES 0x2000000000ull

struct req_pool {
    struct req *reqs;
    u32 n;         /* of reqs */
    u32 free_head; /* the first that is free, linked by `next`; REQ_NONE: none */
    u32 used;      /* how many are allocated */
};
void req_pool_init(struct req_pool *p, struct req *storage, u32 n);
/* zeroed; the pool's size is a sum over holders, so it cannot run out */
u32 req_alloc(struct req_pool *p);
void req_free(struct req_pool *p, u32 id);
static inline struct req *req_at(const struct req_pool *p, u32 id) { return &p->reqs[id]; }

/* The bytes of a sector that a store writes, a bit each. `written` of a store to one sector is just
 * that; of one to several it has a bit for every 4 bytes of the line that are written.
 * Model: 4 bytes of which such a store writes less count as not written (guess). */
static inline u32 written_in(u32 sectors, u32 written, u32 sector)
{
    if (!(sectors >> sector & 1)) return 0;
    if (!(sectors & (sectors - 1))) return written;
    u32 bits = written >> 8 * sector & 0xff; /* spread, one to every fourth place, then fourfold */
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    return ((bits | bits << 3) & 0x11111111) * 15;
}
static inline u32 req_written(const struct req *r, u32 sector)
{
    return written_in(r->sectors, r->written, sector);
}

/* A load or atomic ends a stage of its path; a stage may be ended in steps, its cycles add up. A
 * request merged in L2 waits for another's line in STAGE_AT_L2. Stores keep no times. */
static inline void req_end_stage(struct req *r, enum req_stage stage, u64 sm_now)
{
    r->spent[stage] += (u32)sm_now - r->since;
    r->since = (u32)sm_now;
}
static inline void req_end_dram(struct req *r, u64 sm_now)
{
    if (r->kind == REQ_STORE) return; /* `written` lies in the place of `dram` */
    r->dram += (u32)sm_now - r->since;
    r->since = (u32)sm_now;
}

/* Bytes a packet carries besides its header, and bytes DRAM moves for the request. */
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
    u32 writes = 0u - req_writes_dram(r); /* no branch: which of them cannot be foreseen */
    return (r->bytes & writes) | ((u32)__builtin_popcount(r->fetched) * SECTOR_BYTES & ~writes);
}

#endif
