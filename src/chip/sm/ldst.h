/* What the load/store unit holds: memory instructions on their way and what each wants of the lines
 * it touches. Part of state.h; the journey of an instruction: sm.h; functions in ldst.c,
 * coalesce.c. */
#ifndef CORUN_LDST_H
#define CORUN_LDST_H

#include "chip/l1/l1.h"
#include "chip/tex/tex.h"
#include "chip/sm/sm_conf.h"
#include "exec/warp.h"

enum {
    SEGMENTS_MAX = 128, /* of a load or store: 32 lanes of four words of local memory */
    TRANSACTIONS_MAX = TEXELS_MAX, /* of an instruction */
    /* that can be over in one cycle: a hit in each bank, a reader answered, a reply, a store's
     * acknowledgement, one of shared memory, copies that land, a fragment, those that
     * class_order.c resumes */
    ELSEWHERE_MAX = 2 * L1_BANKS_MAX + 7 + 40,
    WRITE_BACK_CYCLES = 2, /* from the write-back register until they can be read */
    REQ_COPY = REQ_SECTOR + 1, /* kind of a pending access: a load that ends in shared memory */
    RESULTS = 256     /* cycles ahead for which it is kept in which of them a result is written */
};

struct release { /* of a memory instruction's registers, at its end */
    struct context *context;
    u8 seat; /* of the context when it was issued: most often it still is there */
    u8 dst_n;
    u8 write_cycles; /* its registers are written in */
    u16 copy; /* of a copy: its number */
    u16 dst[DST_MAX + 1]; /* scoreboard entries, by which ready_at of the context goes */
    const u16 *number; /* of each of their names, for its bank */
};

/* One that accesses lines, from the load/store unit until its last reply. It stays with the SM that
 * made it, also when its context moves to another. */
struct pending {
    struct release release;
    u64 issued;
    u32 left;      /* transactions not yet answered; of a store: not yet accepted by L1 */
    u32 stores;    /* requests of a store not yet acknowledged */
    u16 next;      /* free list */
    u8 kind;       /* enum req_kind, or REQ_COPY */
    u8 app_id;
    u16 filter;    /* a texture instruction's cycles in the filter; 0: it is none */
    bool beyond;   /* a load or an atomic that L1 did not answer: counted in the context */
};

struct elsewhere { /* what ended here, for the SM at which its context is seated now */
    struct release release;
    u64 ready;
    u8 kind;
    bool acknowledged; /* a store's request, not an instruction */
};

struct queued {    /* a memory instruction between issue and its last accepted access */
    _Alignas(64) u64 arrives; /* the unit works on it not before */
    struct issue_port *port;
    u8 space, kind, app_id;
    bool looks_up, passes_l1; /* goes to the memory system through L1, or past it; else: */
    u32 cycles;     /* shared memory, constants, parameters: how long it holds the unit */
    u32 conflicts;  /* shared memory: part of `cycles` spent on bank conflicts */
    /* Of one that does not go to the memory system; else only its seat is set, and the rest is with
     * the pending access, by number: */
    struct release release;
    u16 pending, filter;
    u16 transaction_n, transaction_next;
    struct transaction transaction[TRANSACTIONS_MAX];
};

/* with a class order: those who take turns at the write-back register */
enum result_of { RESULT_SHARED, RESULT_PASSING, RESULT_FILLED, RESULT_TEXTURE, RESULT_OF_N };

struct late { /* a result in the pipe of shared memory */
    struct release release;
    u64 at; /* it is written in this cycle or later */
    u8 kind;
};

struct sm;
struct seat;

void ldst_init(struct sm *sm, struct arena *arena);
/* the unit can work on it from cycle `arrives` on */
void ldst_push(struct sm *sm, struct seat *s, const struct inst *i, u64 arrives, u64 now);
struct queued *ldst_next(struct sm *sm); /* what the next one pushed will be */
void ldst_tick(struct sm *sm, u64 now);
void ldst_catch_up(struct sm *sm, u64 now);
u64 ldst_wake(const struct sm *sm, u64 now);

/* Transactions of an instruction; segment_bytes: 32, or 128 for the rule by word size. */
u32 coalesce(struct transaction *out, const struct effect *e, u32 app_id, u64 warp_base,
             u32 segment_bytes);
/* Those of an instruction of the seat, as its effect says, and how they look them up. */
void transactions_find(struct sm *sm, struct queued *q, const struct seat *s);
/* Cycles for which a shared memory access holds the unit. */
struct passes {
    u32 n, conflicts; /* conflicts: part of n, due to the layout of the words */
};
struct passes shared_passes(const struct effect *e, u32 banks);
u32 constant_addresses(const struct effect *e); /* distinct ones */

#endif
