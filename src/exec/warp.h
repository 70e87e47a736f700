/* The architectural state of a warp and its block, and the one door through which timing executes:
 * warp_step runs the instruction at the warp's pc for the lanes that are active, moves the pc, and
 * says in `struct effect` what timing has to know (addresses touched, barrier, exit, fault). It is
 * the program's own step: PTX is one front end (exec_bind). Knows no time.
 *
 * Diverged lanes: the path that runs is (pc, mask, reconverge) of the warp; those that wait are on
 * a stack. A path that reaches its reconvergence point, the immediate post-dominator of the branch
 * that made it, gives way to the next one: path.c. Paths that wait for one another: meet.c. */
#ifndef CORUN_WARP_H
#define CORUN_WARP_H

#include "base/text.h"
#include "base/warning.h"
#include "isa/inst.h"
#include "mem/extents.h"
#include "mem/image.h"
#include "table/amount.h"

struct fault {
    /* "out-of-bounds global load", "misaligned ...", "trap", "call stack overflow" ...; NULL:
     * none */
    const char *what;
    /* __assertfail: what the program said; "call stack overflow": the limit; a deadlock: who waits
     * for whom; else "" */
    char detail[240];
    bool deadlock;        /* lanes of the warp wait for each other */
    bool writes;          /* a store or an atomic */
    u64 address;          /* for memory faults */
    u32 size_bytes;
    u32 lane, line, pc;
    u32 space;
};

enum { TEXELS_MAX = 16 * LANES }; /* of an instruction: 8 of two levels for each lane */
enum effect_kind {
    EFFECT_NONE, EFFECT_MEMORY, EFFECT_BARRIER, EFFECT_FENCE, EFFECT_SLEEP,
    EFFECT_PRODUCT, /* of matrices */
    EFFECT_REPEATS, /* the warp repeats a loop in which nothing changes: see warp_repeats */
    EFFECT_COPIES,  /* it waits for copies: see copy.h */
    EFFECT_PHASE,   /* it waits for the phase of an mbarrier, sleep_ns at most */
    EFFECT_ARRIVED  /* it may have ended a phase of an mbarrier */
};
struct effect {
    u8 kind;          /* enum effect_kind */
    /* EFFECT_MEMORY, up to `address` */
    bool load, store, atomic; /* atomic: also load unless red */
    u8 size_bytes;    /* per lane, whole vector: 1..16; SPACE_TEXTURE: of a texel */
    /* lane i's address is address[first] + (i - first) * size_bytes over the mask's lanes, mask
     * contiguous; every lane of the mask has the same address */
    bool linear, uniform;
    bool exited;      /* every lane of the warp has ended */
    /* SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM or SPACE_TEXTURE; a generic
     * access that meets several spaces reports the one of its first lane, and only those lanes in
     * mask */
    u8 space;
    u8 cache;         /* enum cache_op */
    bool branched;    /* the next pc is not pc + 1 */
    bool barrier_waits; /* bar.sync, bar.red: this warp stops; bar.arrive: it goes on */
    u32 executed;     /* lanes that were active and not predicated off: thread instructions */
    u32 mask;         /* lanes that touched memory */
    u32 reach;        /* SPACE_SHARED: from the least address to past the greatest; 0: not known */
    /* EFFECT_BARRIER: which, and how many threads it waits for (0: the whole block) */
    u32 barrier_id;
    u32 barrier_threads;
    u32 sleep_ns;     /* EFFECT_SLEEP: nanosleep; EFFECT_PHASE */
    u16 copy;         /* cp.async: its number, for copies_land */
    u64 clock;        /* cycle of the step: timing sets it before */
    u64 noticed;      /* last cycle in which a program has read a clock */
    u64 writes;       /* stores so far, and atomics that changed something: of all steps */
    u64 shift;        /* SPACE_GLOBAL: physical address - address, a multiple of 256 */
    /* device address per lane of mask. SPACE_SHARED: offset in the block's shared memory.
     * SPACE_LOCAL: offset in the lane's local memory. Only of the first lane of the mask when
     * linear, unless atomic, and in SPACE_PARAM and SPACE_CONST */
    _Alignas(64) u64 address[LANES];
    struct fault fault; /* once set it stays: nothing more may be run */
    /* SPACE_TEXTURE: the texels that its lanes read, in no order and not only once; their physical
     * addresses, and from the least to past the greatest */
    u32 texel_n;
    u64 texel_start, texel_end;
    u64 texel[TEXELS_MAX];
};

/* 16 of a block, then the cluster's */
enum { CLUSTER_BARRIER = 16, BARRIERS };

/* paths that may wait: in all, and more of them for each call that may be open */
enum { STACK_LEAST = 128, STACK_PER_CALL = 8 };
struct frame {          /* where the current function's begin */
    u32 row, pred, local; /* bytes, words, bytes */
};
struct path {           /* lanes that wait */
    u32 pc, reconverge; /* reconverge: they give way when pc reaches it; PC_NONE: at exit or ret */
    u32 mask;           /* lanes that have ended since are still in it */
    u32 depth;          /* call depth it belongs to */
    struct frame frame;
    u32 members;        /* pc is a .sync that waits for these lanes; 0: they may go on */
    u32 turn;           /* the later it gave way in a loop the larger; 0: it has not */
};

/* printf and assert text goes to whoever runs the app */
struct printer {
    void (*put)(struct printer *p, const char *bytes, size_t n);
    /* An assertion has failed, for this lane. NULL: that is a fault. */
    void (*failed)(struct printer *p, const char *bytes, size_t n);
    bool over; /* one has: warps of programs with assertions end with their next instruction */
};

/* May a block be begun anew, with the same results? As long as it has made no atomic, printed
 * nothing and stored nothing where it had read. (What it wrote it will write again.) Noted while it
 * runs, by exec_note's programs: a block that could may count as one that cannot, never the other
 * way round.
 * Model: it goes by global memory, as shared and local memory begin anew with the block (Chimera,
 * which paper 002 cites: no atomic, nothing overwritten that was read). Blocks that read what
 * others write at the same time, without atomics, are not looked at. */
struct idempotence {
    bool ended;
    struct extents read;
    u64 thread_instructions; /* of the block so far */
};

/* Clocks of an app's programs: %clock64 is cycle + passed, %globaltimer the same in ns. passed and
 * passed_ns never decrease. */
struct timer {
    struct rational mhz;
    u64 passed_ns; /* time of functional launches, */
    u64 passed;    /* also in cycles */
};
static inline u64 timer_ns(const struct timer *t, u64 cycle)
{
    unsigned __int128 cycles = (unsigned __int128)cycle + t->passed;
    return (u64)(cycles * 1000 * t->mhz.den / t->mhz.num);
}
/* Cycles for a time, rounded up. */
static inline u64 timer_cycles(const struct timer *t, u64 ns)
{
    unsigned __int128 of = (unsigned __int128)t->mhz.den * 1000;
    return (u64)(((unsigned __int128)ns * t->mhz.num + of - 1) / of);
}
static inline void timer_pass(struct timer *t, u64 ns)
{
    t->passed_ns += ns;
    t->passed = timer_cycles(t, t->passed_ns);
}

enum { BLOCK_WARPS_MAX = 32 };
struct barrier {
    u32 arrived; /* warps */
    u32 threads; /* number of threads that the barrier waits for; 0: the whole block */
    u64 waiting; /* warps stopped at the barrier, a bit each */
};

struct block_state {    /* what the warps of a block share; block.h begins and changes it */
    const struct program *program;
    struct image *image;
    struct printer *printer; /* may be NULL */
    const struct timer *timer; /* may be NULL if no clock is read */
    const u8 *param;    /* the launch's parameter bytes */
    u8 *shared;         /* shared_bytes, zeroed at the block's start */
    /* [thread][local_bytes] of the block, or NULL */
    u8 *local;
    u32 shared_bytes;   /* static + dynamic */
    u32 local_bytes;    /* per thread */
    u32 ctaid[3], nctaid[3], ntid[3];
    u32 threads;
    u32 grid_id;        /* %gridid */
    u32 sm_id, sm_n;    /* %smid, %nsmid */
    bool independent;   /* paths of a warp can wait for one another: see meet.c */
    /* bar.red: running value per barrier, threads << 16 | threads whose predicate is true; warps
     * combine into it as they arrive, the release zeroes it */
    u32 reduce[BARRIERS];
    /* index of the allocation an instruction met last, by pc: where to look first, no state */
    u8 hint[64];
    struct warnings *warnings; /* may be NULL */
    u64 workspace;      /* of a cooperative launch, else 0 */
    struct idempotence *idempotence; /* if its program's step notes; else NULL */
    struct copies *copies; /* of its warps, if its program makes some; else NULL: see copy.h */
    u32 phases;         /* of its mbarriers that are over so far */
    u32 phases_seen;    /* by block_phases */
    u32 warp_n;
    u32 alive_n;        /* warps that have not ended */
    u32 arrived;        /* barriers at which warps have arrived, a bit each */
    struct barrier barrier[BARRIERS];
    struct warp *warp[BLOCK_WARPS_MAX];
};

struct warp {
    /* [0] rows of the current frame, [1] the program's constants: base[o >> 31] + (o &
     * 0x7fffffff) */
    u8 *base[2];
    u32 *pred;          /* predicates of the current frame */
    const struct program *program;
    struct effect *effect; /* where run functions report: one for all warps */
    u32 mask;           /* lanes running now */
    /* mask after the guard: the lanes this instruction writes, never 0 in a run function */
    u32 executing;
    u32 pc;             /* of the running lanes; in a run function already the next one */
    u32 reconverge;     /* where the running lanes give way */
    u32 alive;          /* lanes that have not ended */
    u32 depth;          /* of calls; what every instruction reads ends here */
    struct block_state *block;
    u32 warp_id;        /* in the block: lane l is thread warp_id * 32 + l */
    u32 local_base;     /* bytes: frame base in the lane's local memory */
    u32 stack_n, stack_room;
    u32 carry;          /* condition code register CC.CF, a bit per lane */
    u8 *rows;           /* whole register file of the warp: program->row_n rows, 64-byte aligned */
    u32 *preds;         /* program->pred_n words */
    const struct inst *red; /* bar.red that waits for its result, for lanes red_mask */
    u32 red_mask;
    struct path *stack;
    /* ---- meet.c ---- */
    bool uneven;        /* a path has waited for others, or looped: meet_choose says who is next */
    u8 looked;          /* in this look at what a loop changes: passes seen, the first is `seen` */
    u32 passes, look_at; /* taken branches back by all running lanes; the one to look at next */
    u32 together;       /* `passes` when all lanes were together last */
    u32 turn;
    u32 vain;           /* atomics in a row, at one address, that changed nothing */
    u64 vain_at;        /* address, of their first lane */
    u64 seen, seen_writes; /* hash of registers and pc; effect->writes then */
    u64 clock_reads;    /* by this warp: a loop with a clock read never repeats itself */
    u64 repeats;        /* effect->writes + 1 since when nothing has changed; 0: not so */
    const struct inst *repeated;    /* the branch back, for messages */
    const struct meeting *meeting;  /* i runs for several paths; NULL: for w->executing alone */
    /* ---- mbarrier.c ---- */
    const struct inst *tried; /* try_wait that has suspended it last, for these lanes */
    u32 tried_mask;
};

/* Bytes a warp needs for rows and predicates, and where it starts. Rows and predicates need not be
 * zeroed. */
static inline size_t warp_row_bytes(const struct program *p)
{
    return (size_t)p->row_n * ROW_BYTES;
}
/* lanes of a warp that stand for threads of the block */
static inline u32 warp_lanes(u32 threads, u32 warp_id)
{
    u32 left = threads - warp_id * LANES;
    return left >= LANES ? UINT32_MAX : (1u << left) - 1;
}
/* paths that wait; need not be zeroed either */
static inline u32 warp_stack_room(const struct program *p)
{
    return STACK_LEAST + STACK_PER_CALL * p->call_depth;
}
static inline size_t warp_stack_bytes(const struct program *p)
{
    return warp_stack_room(p) * sizeof(struct path);
}
void warp_start(struct warp *w, struct block_state *b, u32 warp_id, u8 *rows, u32 *preds,
                struct path *stack, struct effect *e);

/* The instruction at its pc. */
static inline const struct inst *warp_next(const struct warp *w)
{
    return &w->program->code[w->pc];
}

/* Runs i, the instruction at w->pc. Afterwards w->pc is the next one (or effect->exited). On a
 * fault nothing more may be run. Whatever front end the program has says all that timing asks of
 * it: kind, exited, branched, executed, and the fields of that kind. */
static inline void warp_step(struct warp *w, const struct inst *i) { w->program->step(w, i); }
/* Steps in a row for who asks nothing but answers: `most`, or up to one that ends, faults or says
 * anything other than EFFECT_MEMORY. effect->clock goes on with each. How many it were. */
u32 warp_run(struct warp *w, u32 most);
/* Prefetches the registers that its next steps will read: i's, and those of the one after it. */
void warp_prefetch(const struct warp *w, const struct inst *i);

/* bar.red results: called by timing when barrier `id` is complete, once per waiting warp, before it
 * goes on and before block_state.reduce is zeroed. */
void warp_barrier_release(struct warp *w, u32 barrier_id);

/* Makes `p` a program that runs: its instructions get their run functions, and it a step that calls
 * them. false: some (op, type) has none, which load-time checks
 * exclude. */
bool exec_bind(struct program *p);

/* ---- used by the run functions ---- */

static inline void *row_of(const struct warp *w, u32 operand)
{
    return w->base[operand >> 31] + (operand & 0x7fffffff);
}

/* The text in which the instruction at pc is written; NULL: in none. */
const struct source *program_source(const struct program *p, u32 pc);
/* the first fault counts; lane: one of the warp */
void warp_fault(struct warp *w, const struct inst *i, u32 lane, const char *what);
/* The run says so, at i's line of the PTX text; it goes on. */
void warp_warn(const struct warp *w, const struct inst *i, const char *sentence);

/* As long as effect->writes does not change this warp will go through the same states for ever. */
static inline bool warp_repeats(const struct warp *w)
{
    return w->repeats == w->effect->writes + 1;
}

/* Branches back of one path after which meet_loop looks. */
enum { LOOK_EVERY = 64 };
/* "lanes 0-15" */
void lanes_show(u32 lanes, struct text *out);

#endif
