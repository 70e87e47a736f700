/* The L1 data cache of an SM. The load/store unit (chip/sm/lsu) passes one lookup at a time
 * (l1_lookup, l1_pass) and learns the outcome: hit, merged, miss, or the cause of a refusal. Misses
 * wait in missq for the crossbar; returned data is entered (l1_fill) and handed to the readers, one
 * per cycle (mshr). L1 allocates requests, the load/store unit frees them. L1 knows no warps: a
 * request names a pending access of the load/store unit by number. L1 has no clock of its own. The
 * rules: l1.c. */
#ifndef CORUN_L1_H
#define CORUN_L1_H

#include "cache/fifo.h"
#include "cache/map.h"
#include "cache/mshr.h"
#include "cache/reuse.h"
#include "cache/tags.h"
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

static inline u64 l1_failures(const struct l1_stat *s) /* reservation failures of all causes */
{
    return s->fail_line + s->fail_missq + s->fail_xbar + s->fail_mshr + s->fail_merge;
}

enum { L1_BANKS_MAX = 32 };
/* Values of req.access other than a pending access. L1_NO_ACCESS: a write-back, for which nobody
 * waits. L1_REST: a line of an SM's state beyond the states of blocks. From L1_TRANSFERS on: a line
 * of the saved state of the block in slot access - L1_TRANSFERS, see transfer.c. */
enum { L1_NO_ACCESS = UINT16_MAX, L1_REST = L1_NO_ACCESS - 1, L1_TRANSFERS = L1_REST - 64 };
enum atomics { ATOMICS_ACCESS, ATOMICS_BYPASS }; /* values of l1.atomics */
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

/* Events that may change the outcome of a refused lookup, or the cause of the refusal. */
enum {
    EVENT_POP = 1,    /* a miss left the miss queue */
    EVENT_FILL = 2,   /* a line arrived, or lines were dropped */
    EVENT_ANSWER = 4, /* a reader of an MSHR entry was answered, maybe its last */
    EVENT_ACCESS = 8, /* another access was accepted, or limits were set: anything may change */
    EVENT_LOOKUP = 16 /* another lookup was accepted, with l1.allocate=fill */
};

struct transaction {      /* the access of an instruction to one line */
    u64 line;
    u32 written;   /* stores: see req_written */
    u8 sectors;
};

struct lookup {    /* a transaction on its way to the tags */
    struct transaction transaction;
    u64 ready;     /* first cycle in which the lookup is at the end of its bank's pipe */
    u32 access;    /* number of the pending access, which the request carries, too */
    u8 kind;       /* enum req_kind */
    u8 app_id, owner;
};

/* A bank takes one lookup per cycle into its pipe. The oldest lookup in the pipe looks up the tags,
 * common to all banks, and waits in the pipe while refused. Without pipes a lookup reaches the tags
 * at once, and waits in the queue of the load/store unit while refused; bank 0 then records the
 * refusal, whatever the bank of the lookup. */
struct l1_bank {
    _Alignas(64) struct lookup *pipe; /* a ring of conf->pipe_cycles lookups */
    u32 head, n;         /* oldest lookup, number of lookups in the ring */
    u64 enter_at;        /* first cycle in which the next access can enter */
    u64 data_port_until; /* first cycle in which the data port is free; a hit holds the port */
    u8 failed;           /* why the oldest lookup was refused, enum l1_result; 0: not refused */
    u8 failed_owner, failed_kind; /* of the refused lookup: owner, enum req_kind */
    bool fill_helps;     /* if the miss queue was full: a fill may bring the line of the lookup */
    u32 failed_set;      /* if the set had no line to replace: the set */
    u64 failed_line;     /* with pipes: line of the refused lookup, as a bit (l1_line_bit) */
};

struct l1_wiring {
    const struct map *map;
    u32 sm_id;          /* SM that receives the replies */
    bool *unsettled;    /* set to true when `requests` must be settled */
};

struct l1 {
    _Alignas(64) struct fifo missq; /* the miss queue: requests on their way to the crossbar */
    struct l1_bank *bank;
    u64 fill_port_until; /* first cycle in which the fill port is free */
    u64 look_at;        /* first cycle with a lookup due in some pipe, refused lookups aside */
    u32 ways;           /* lines of a set beside the carve-out; l1_resize is not counted */
    u32 pipe_cycles;    /* conf->pipe_cycles; 0: no pipes */
    u32 bank_mask;      /* banks - 1 */
    u32 bank_shift;     /* log2 of the adjacent bytes that share a bank: a sector, or a line */
    bool sectored;      /* tags and MSHRs work by sector */
    bool limited;       /* some app has a limit in the miss queue or in the MSHRs */
    bool passing;       /* the miss queue may hold requests that bypass L1: atomics, .cg loads */
    bool at_fill;       /* conf->allocate is fill */
    struct mshr mshr;
    u16 missq_most[APPS_MAX]; /* by app: limit of slots in the miss queue; 0: any number */
    const struct l1_conf *conf;
    struct req_pool *pool;
    struct req_supply *requests; /* of the SM: the load/store unit frees into the same supply */
    struct l1_wiring wiring;
    u64 allocated;      /* requests since the start; the load/store unit counts freed requests */
    struct tags tags;
    struct reuse *reuse; /* NULL: no policy asked for reuse counts */
    struct l1_stat stat[OWNERS_MAX];
};

static inline u64 l1_bytes(const struct l1 *l1)
{
    return (u64)l1->conf->sets * l1->ways * LINE_BYTES;
}

/* Returns the number of requests that an SM with this L1 allocates in a cycle, at most. */
u32 l1_requests_max(const struct l1_conf *conf);
/* True if the rules for writes are compatible. */
bool l1_lazy_fits(const struct l1_conf *conf);
/* Initialises an L1; `conf` must not move afterwards. */
void l1_init(struct l1 *l1, const struct l1_conf *conf, const struct l1_wiring *wiring,
             struct req_pool *pool, struct arena *arena);
/* Looks up an access in the tags and reserves everything needed, or refuses the access and changes
 * nothing. The miss queue has grown if the access sends a request to memory. */
enum l1_result l1_lookup(struct l1 *l1, const struct lookup *k, u64 now);
/* Records at the bank why the oldest lookup was refused, for l1_still_refuses. */
void l1_note_refusal(struct l1 *l1, struct l1_bank *bank, const struct lookup *k,
                     enum l1_result why);
/* Returns true, and records the refusal, if l1_lookup would refuse the access in the present state.
 * May return false although l1_lookup would refuse. set: set of the line in the tags. */
bool l1_refuse_ahead(struct l1 *l1, struct l1_bank *bank, const struct lookup *k, u32 set);
/* Sends an access past L1 to memory; false: no room, not counted as a failure. */
bool l1_pass(struct l1 *l1, const struct lookup *k, u64 now);
/* Sends a request that is not an L1 access (context save or restore, texture cache miss); false: no
 * room. */
bool l1_send(struct l1 *l1, const struct lookup *k, u64 now);
/* Enters the line or sector of a returned request; false: the fill port is held, try again. */
bool l1_fill(struct l1 *l1, const struct req *r, u64 now);
/* Call when a kernel of the app starts. Returns true if lines were dropped: a set may have a line
 * to replace now. */
bool l1_invalidate(struct l1 *l1, u32 app_id);
/* Call when a kernel was launched, or (`starts`) when its first block may start. Returns true if
 * the number of ways changed: a refused access has to be tried again. */
bool l1_resize(struct l1 *l1, bool starts);

/* Sends the write-back of a dirty line to memory; returns false if no line needs a write-back. */
bool l1_clean(struct l1 *l1, u64 now);
/* Drops all lines and leaves `carveout_bytes` of the memory to shared memory. Call without accesses
 * in flight and after l1_clean. */
void l1_carve(struct l1 *l1, u32 carveout_bytes);

/* Counts from now on the hits that each app would have with L1 to itself; monitors one set in
 * `every`. */
void l1_watch_reuse(struct l1 *l1, struct arena *arena, u32 every, u32 app_n);

/* Limits of an app, 0 meaning any number; a refused access has to be tried again. l1_set_ways:
 * lines of a set, see tags_set_ways. l1_set_entries: MSHR entries and slots of the miss queue; an
 * app at its limit is refused as if none were free. A merge takes no entry. */
static inline void l1_set_ways(struct l1 *l1, const u16 ways[APPS_MAX])
{
    tags_set_ways(&l1->tags, ways);
}
void l1_set_entries(struct l1 *l1, const u16 mshrs[APPS_MAX], const u16 missq[APPS_MAX]);
/* Returns the number of miss queue slots taken by an app's misses. Write-backs do not count,
 * because a write-back takes a slot even if the app is at its limit. */
u32 l1_missq_misses(const struct l1 *l1, u32 app_id);

/* Returns the bank of a transaction. */
static inline u32 l1_bank_of(const struct l1 *l1, const struct transaction *p)
{
    if (likely(!l1->bank_mask)) return 0;
    u32 number = (u32)(p->line >> l1->bank_shift);
    if (l1->sectored) number += (u32)__builtin_ctz(p->sectors);
    return number & l1->bank_mask;
}

/* Returns the free miss queue slots that an access needs: a read needs a second slot, for a
 * write-back. */
static inline u32 l1_missq_wanted(u32 kind) { return kind == REQ_LOAD ? 2 : 1; }

/* Returns why a request of a kind has no room in the miss queue: L1_FAIL_MISSQ or L1_FAIL_XBAR. */
enum l1_result l1_missq_why(const struct l1 *l1, u32 kind);

/* Returns a bit for the line; several lines share a bit. */
static inline u64 l1_line_bit(u64 line) { return 1ull << (hash_mix(line / LINE_BYTES) >> 58); }

/* Returns the event of an accepted lookup at the end of a pipe. */
static inline u32 l1_accepts(const struct l1 *l1)
{
    return l1->at_fill ? EVENT_LOOKUP : EVENT_ACCESS;
}

/* Returns true if the refusal recorded at the bank still holds after these events, with the same
 * cause. May return false although the refusal holds. */
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

/* As l1_still_refuses, for the lookups at the ends of the pipes. With l1.allocate=fill no lookup
 * waits for a line to replace, and other lookups and fills matter only for the same line, for room
 * in the miss queue, and for MSHR entries. changed: the lines of accepted lookups and of fills
 * since the last look, as bits (l1_line_bit). */
static inline bool l1_pipe_still_refuses(const struct l1 *l1, const struct l1_bank *bank,
                                         u32 events, u64 changed)
{
    if (!l1->at_fill) return l1_still_refuses(l1, bank, events);
    if (likely(!events)) return true;
    if (events & EVENT_ACCESS || changed & bank->failed_line || l1->limited) return false;
    bool room = fifo_free(&l1->missq) >= l1_missq_wanted(bank->failed_kind);
    if (bank->failed == L1_FAIL_MSHR) return room && mshr_full(&l1->mshr);
    if (bank->failed == L1_FAIL_MERGE) return room;
    return !room && l1_missq_why(l1, bank->failed_kind) == bank->failed;
}

#endif
