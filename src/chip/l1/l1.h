/* The L1 data cache of an SM. chip/sm/ldst hands it one lookup at a time (l1_lookup, l1_pass) and
 * learns hit, merged, miss or why it was refused; misses wait in missq for the crossbar; what comes
 * back is entered (l1_fill) and handed to its readers, one a cycle (mshr). Requests are allocated
 * here and freed by ldst. It knows no warps: a request names ldst's pending access by number. It
 * has no clock of its own. The rules: l1.c. */
#ifndef CORUN_L1_H
#define CORUN_L1_H

#include "mem/fifo.h"
#include "mem/map.h"
#include "mem/mshr.h"
#include "mem/reuse.h"
#include "mem/tags.h"
#include "table/conf.h"
#include "table/stat.h"

struct l1_conf {
#define CONF CONF_FIELD
#define CHOICE CHOICE_FIELD
#include "chip/l1/l1_conf.def"
#undef CONF
#undef CHOICE
};
struct l1_stat {
#define STAT STAT_FIELD
#include "chip/l1/l1_stat.def"
#undef STAT
};

static inline u64 l1_failures(const struct l1_stat *s) /* to reserve, of all causes */
{
    return s->fail_line + s->fail_missq + s->fail_xbar + s->fail_mshr + s->fail_merge;
}

enum { L1_BANKS_MAX = 32 };
/* req.access that is no pending access: a write-back's, for which nobody waits; from L1_TRANSFERS
 * on, of a line of the block in that slot: see transfer.c */
enum { L1_NO_ACCESS = UINT16_MAX, L1_TRANSFERS = L1_NO_ACCESS - 64 };
enum atomics { ATOMICS_ACCESS, ATOMICS_BYPASS }; /* words of l1.atomics */
enum l1_result {
    L1_HIT,
    L1_MERGED,
    L1_MISS,
    L1_FAIL_LINE, /* from here on: refused */
    L1_FAIL_MISSQ,
    L1_FAIL_XBAR,
    L1_FAIL_MSHR,
    L1_FAIL_MERGE
};

/* What may change the outcome of a lookup that was refused, or why it is refused. */
enum {
    EVENT_POP = 1,    /* a miss left the miss queue */
    EVENT_FILL = 2,   /* a line came, or lines were dropped */
    EVENT_ANSWER = 4, /* a reader of an MSHR entry was answered, maybe its last */
    EVENT_ACCESS = 8  /* another access was accepted, or limits were set: anything */
};

struct transaction {      /* what an instruction wants of a line: one access */
    u64 line;
    u32 written;   /* stores: see req_written */
    u8 sectors;
};

struct lookup {    /* a transaction on its way to the tags */
    struct transaction transaction;
    u64 ready;     /* first cycle in which it can look: it is at the end of its bank's pipe */
    u32 access;    /* the pending access it is for: ldst's number, which its request carries */
    u8 kind;       /* enum req_kind */
    u8 app_id;
};

/* A bank takes one lookup a cycle into its pipe; the oldest looks up the tags, which all banks
 * share, and waits there while it is refused. Without pipes one looks in the cycle in which
 * it enters and waits in ldst's queue; bank 0 then notes why, whichever bank it is for. */
struct l1_bank {
    _Alignas(64) struct lookup *pipe; /* a ring of conf->pipe_cycles; */
    u32 head, n;         /* its oldest, and how many are in it */
    u64 enter_at;        /* first cycle in which the next access can enter */
    u64 data_port_until;       /* first cycle in which the data port is free: a hit holds it */
    u8 failed;           /* why the oldest was refused, enum l1_result; 0: it was not. Then: */
    u8 failed_app, failed_kind; /* whose it is, enum req_kind */
    bool fill_helps;     /* if there was no room in the miss queue: a fill may bring its line */
    u32 failed_set;             /* if no line could be given up: of this set */
};

struct l1_wiring {
    const struct map *map;
    u32 sm_id;          /* where replies go */
};

struct l1 {
    _Alignas(64) struct fifo missq; /* the miss queue: requests on their way to the crossbar */
    struct l1_bank *bank;
    u64 fill_port_until; /* first cycle in which the fill port is free */
    u64 look_at;        /* no access in a pipe that is not refused looks before this cycle */
    u32 pipe_cycles;    /* conf->pipe_cycles; 0: no pipes */
    u32 bank_mask;      /* banks - 1 */
    u32 bank_shift;     /* log2 of the bytes beside each other in a bank: a sector, or a line */
    bool sectored;      /* tags and MSHRs go by sector */
    bool limited;       /* an app may not have all of the miss queue or of the MSHRs */
    bool passing;       /* the miss queue may hold requests beside L1: atomics, .cg loads */
    struct mshr mshr;
    u16 missq_most[APPS_MAX]; /* places in the miss queue that it may have; 0: any number */
    const struct l1_conf *conf;
    struct req_pool *pool;
    struct l1_wiring wiring;
    u64 allocated;      /* requests since the start; ldst counts those it frees */
    struct tags tags;
    struct reuse *reuse; /* NULL: nobody asked for it */
    struct l1_stat stat[APPS_MAX + 1]; /* the last: of no app */
};

static inline u64 l1_bytes(const struct l1 *l1)
{
    return (u64)l1->conf->sets * l1->conf->ways * LINE_BYTES;
}

bool l1_lazy_fits(const struct l1_conf *conf); /* do its rules for writes go together? */
/* conf: stays where it is. */
void l1_init(struct l1 *l1, const struct l1_conf *conf, const struct l1_wiring *wiring,
             struct req_pool *pool, struct arena *arena);
/* One access looks up the tags and takes all it needs, or is refused and leaves no trace. If a
 * request goes to memory for it, the miss queue has grown. */
enum l1_result l1_lookup(struct l1 *l1, const struct lookup *k, u64 now);
/* Notes at the bank why its oldest was refused, for l1_still_refuses. */
void l1_note_refusal(struct l1 *l1, struct l1_bank *bank, const struct lookup *k,
                     enum l1_result why);
/* Would l1_lookup refuse it, as things are? Then that is noted. May say no in error. set: of its
 * line in the tags. */
bool l1_refuse_ahead(struct l1 *l1, struct l1_bank *bank, const struct lookup *k, u32 set);
/* An access passes L1 by, its request is sent; false: no room, which is not a failure. */
bool l1_pass(struct l1 *l1, const struct lookup *k, u64 now);
/* What is no access of L1 at all passes it by; false: no room. */
bool l1_send(struct l1 *l1, const struct lookup *k, u64 now);
/* The line or sector of a request came; false: the fill port is held, try again. */
bool l1_fill(struct l1 *l1, const struct req *r, u64 now);
/* A kernel of the app starts; true: lines were dropped, a set may have one to give up now. */
bool l1_invalidate(struct l1 *l1, u32 app_id);
/* A kernel was launched, or (`starts`) its first block may start; true: the sets have other ways
 * now, an access that was refused has to be tried again. */
bool l1_resize(struct l1 *l1, bool starts);

/* Counts from now on what each app would find in L1 by itself, of one set in `every`. */
void l1_watch_reuse(struct l1 *l1, struct arena *arena, u32 every, u32 app_n);

/* What an app may have at most, 0 meaning any number; an access that was refused has to be tried
 * again. Lines of a set: see tags_set_ways. MSHR entries and places in the miss queue: an app that
 * has its share is refused as if there were none; to merge takes no entry. */
static inline void l1_set_ways(struct l1 *l1, const u16 ways[APPS_MAX])
{
    tags_set_ways(&l1->tags, ways);
}
void l1_set_entries(struct l1 *l1, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX]);
/* Places of the miss queue that the app has, those of write-backs not. */
u32 l1_missq_misses(const struct l1 *l1, u32 app_id);

static inline u32 l1_bank_of(const struct l1 *l1, const struct transaction *p)
{
    if (likely(!l1->bank_mask)) return 0;
    u32 number = (u32)(p->line >> l1->bank_shift);
    if (l1->sectored) number += (u32)__builtin_ctz(p->sectors);
    return number & l1->bank_mask;
}

/* Free places of the miss queue: a read wants one for a write-back, too. */
static inline u32 l1_missq_wanted(u32 kind) { return kind == REQ_LOAD ? 2 : 1; }

/* Cause for which a request of a kind has no room in the queue: L1_FAIL_MISSQ, L1_FAIL_XBAR. */
enum l1_result l1_missq_why(const struct l1 *l1, u32 kind);

/* After these events, is what the bank noted still so: refused, and why? May say no in error. */
static inline bool l1_still_refuses(const struct l1 *l1, const struct l1_bank *bank, u32 events)
{
    if (likely(!events)) return true;
    bool filled = events & EVENT_FILL;
    if (events & EVENT_ACCESS) return false;
    switch (bank->failed) {
    case L1_FAIL_LINE:
        return !filled || (!l1->tags.restricted && tags_set_is_full(&l1->tags, bank->failed_set));
    case L1_FAIL_MISSQ:
    case L1_FAIL_XBAR:
        return !(filled && bank->fill_helps) &&
               fifo_free(&l1->missq) < l1_missq_wanted(bank->failed_kind) &&
               (likely(!l1->passing) || l1_missq_why(l1, bank->failed_kind) == bank->failed);
    case L1_FAIL_MSHR: return !filled && mshr_full(&l1->mshr);
    default: return !filled; /* merges */
    }
}

#endif
