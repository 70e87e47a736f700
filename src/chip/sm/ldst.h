/* What the load/store unit and the L1 data cache hold: memory instructions on their way, what each
 * wants of the lines it touches, the banks' lookups, tags and miss queue. Part of sm.h, which see
 * for the journey; functions in ldst.c, coalesce.c, l1.c. */
#ifndef CORUN_LDST_H
#define CORUN_LDST_H

#include "chip/sm/sm_conf.h"
#include "exec/warp.h"
#include "mem/fifo.h"
#include "mem/mshr.h"
#include "mem/req.h"
#include "mem/tags.h"

enum {
    PARTS_MAX = 128, /* of an instruction: 32 lanes of four words of local memory */
    L1_BANKS_MAX = 32,
    RESULTS = 256,    /* cycles ahead of which write-backs are kept */
    NO_WARP = UINT8_MAX /* a write-back's warp slot */
};

struct waiter {    /* of a memory instruction: its warp, and what is released at its end */
    u8 slot, dst_n;
    u16 dst[DST_MAX + 1]; /* scoreboard entries, absolute */
};

struct transfer { /* one that accesses lines, from the load/store unit until its last reply */
    u64 issued;
    u32 left;      /* accesses not yet answered */
    u16 next;      /* free list */
    u8 kind;       /* enum req_kind */
    struct waiter waiter;
};

struct part {      /* what an instruction wants of a line: one access */
    u64 line;
    u32 written;   /* stores: see req_written */
    u8 sectors;
};

struct queued {    /* a memory instruction between issue and its last accepted access */
    _Alignas(64) u64 arrives; /* at the head of the unit not before */
    struct front *front;
    u8 space, kind, app_id;
    bool looks_up, passes_l1; /* goes to the memory system through L1, or past it; else: */
    u32 cycles;     /* shared memory, constants: how long it holds the unit */
    struct waiter waiter;
    u16 transfer;   /* if it goes to the memory system: this, and its accesses */
    u8 part_n, part_next;
    struct part part[PARTS_MAX];
};

struct lookup {    /* an access on its way to the tags */
    struct part part;
    u64 ready;     /* cycle at which it looks */
    u32 transfer;
    u8 kind, app_id;
};

enum atomics { ATOMICS_ACCESS, ATOMICS_BYPASS }; /* words of l1.atomics */
enum l1_result {
    L1_HIT,
    L1_MERGED,
    L1_MISS,
    L1_FAIL_LINE, /* from here on: refused */
    L1_FAIL_MISSQ,
    L1_FAIL_MSHR,
    L1_FAIL_MERGE
};

/* what may change an outcome, or its reason; EVENT_ACCESS: another access was accepted */
enum { EVENT_POP = 1, EVENT_FILL = 2, EVENT_ANSWER = 4, EVENT_ACCESS = 8 };

struct l1_bank {
    struct lookup *ring; /* of conf->pipe_cycles */
    u32 head, n;
    u64 entered;         /* cycle of the last entry, plus one */
    u64 port_free;       /* data port: first cycle at which it can be used */
    /* of the head's last lookup: enum l1_result if refused, else 0; then what it was */
    u8 failed, failed_app, failed_kind;
    u32 failed_set;
};

struct l1 {
    _Alignas(64) struct fifo missq; /* requests on their way to the crossbar */
    struct l1_bank *bank;
    u64 fill_port_free;
    u64 look_at;        /* the earliest cycle at which an access that waits in a pipe looks */
    u32 pipe;           /* conf->pipe_cycles */
    u32 bank_mask, bank_shift; /* neighbouring bytes of a bank: a sector, or a line */
    bool sectored;
    struct mshr mshr;
    const struct l1_conf *conf;
    struct tags tags;
    struct l1_stat stat[APPS_MAX + 1];
};

struct sm;
struct slot;

void ldst_init(struct sm *sm, struct arena *arena);
/* it can be at the head of the unit from cycle `arrives` on */
void ldst_push(struct sm *sm, struct slot *s, const struct inst *i, u64 arrives, u64 now);
void ldst_tick(struct sm *sm, u64 now);
void ldst_settle(struct sm *sm, u64 now);
u64 ldst_wake(const struct sm *sm, u64 now);

/* Parts of an instruction; segment_bytes: 32, or 128 for the rule by word size. */
u32 coalesce(struct part *part, const struct effect *e, u32 app_id, u64 warp_base,
             u32 segment_bytes);
u32 shared_conflicts(const struct effect *e, u32 banks);
u32 constant_addresses(const struct effect *e); /* distinct ones */

void l1_init(struct l1 *l1, const struct l1_conf *conf, struct req_pool *pool, struct arena *arena);
enum l1_result l1_lookup(struct sm *sm, const struct lookup *k, u64 now);
/* Whatever happened in this cycle: would it be refused? May say no in error. */
bool l1_surely_refuses(const struct l1 *l1, const struct lookup *k);
bool l1_pass(struct sm *sm, const struct lookup *k, u64 now); /* false: no room; not a failure */
bool l1_fill(struct sm *sm, const struct req *r, u64 now); /* false: not now; try again */
void l1_refuse(struct l1 *l1, struct l1_bank *bank, const struct lookup *k, enum l1_result why);
static inline u32 l1_bank_of(const struct l1 *l1, const struct part *p)
{
    if (likely(!l1->bank_mask)) return 0;
    u32 number = (u32)(p->line >> l1->bank_shift);
    if (l1->sectored) number += (u32)__builtin_ctz(p->sectors);
    return number & l1->bank_mask;
}

/* After these events, would the same lookup be refused for the same reason? May say no in error. */
static inline bool l1_refuses(const struct l1 *l1, const struct l1_bank *bank, u32 events)
{
    if (likely(!events)) return true;
    bool filled = events & EVENT_FILL;
    if (events & EVENT_ACCESS) return false;
    switch (bank->failed) {
    case L1_FAIL_LINE:
        return !filled || (!l1->tags.picky && tags_set_is_full(&l1->tags, bank->failed_set));
    case L1_FAIL_MISSQ:
        return !filled && fifo_free(&l1->missq) < (bank->failed_kind == REQ_LOAD ? 2 : 1);
    case L1_FAIL_MSHR: return !filled && mshr_full(&l1->mshr);
    default: return !filled; /* merges */
    }
}

#endif
