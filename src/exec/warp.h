/* The architectural state of a warp and its block, and the single entry point of timing into
 * execution: warp_step runs the instruction at the warp's pc for the active lanes, advances the pc,
 * and reports to timing in `struct effect` (addresses touched, barrier, exit, fault). Every program
 * has its own step function; PTX is one front end (exec_bind). Another front end reports the same
 * and leaves program.ptx NULL: its warps have no register rows, predicates or divergence stack.
 * Independent of simulated time.
 *
 * Divergence: (pc, mask, reconverge) of the warp describe the running path; a stack holds the
 * waiting paths. A path that reaches its reconvergence point, the immediate post-dominator of the
 * branch, yields to the next path: path.c. Paths that wait for one another at a .sync: meet.c. */
#ifndef CORUN_WARP_H
#define CORUN_WARP_H

#include "base/text.h"
#include "base/warning.h"
#include "isa/inst.h"
#include "mem/extents.h"
#include "mem/image.h"
#include "table/amount.h"

struct arena;
struct output;
struct ptx_inst;
struct fault {
    /* "out-of-bounds global load", "misaligned ...", "trap", "call stack overflow" ...; NULL: no
     * fault */
    const char *what;
    /* __assertfail: the program's message; "call stack overflow": the limit; deadlock: the waiting
     * lanes and the missing lanes; else "" */
    char detail[240];
    bool deadlock;        /* lanes of the warp wait for each other */
    bool writes;          /* by a store or an atomic */
    u64 address;          /* of memory faults */
    u32 size_bytes;
    u32 lane, line, pc;
    u32 space;
};

/* Texels of one instruction: up to 8 in each of two mipmap levels, per lane. */
enum { TEXELS_MAX = 16 * LANES };
enum effect_kind {
    EFFECT_NONE, EFFECT_MEMORY,
    /* An access to shared memory of other blocks of the cluster, with the fields of EFFECT_MEMORY:
     * SPACE_CLUSTER, and addresses as in cluster.h. */
    EFFECT_REMOTE,
    EFFECT_BARRIER, EFFECT_FENCE, EFFECT_SLEEP,
    EFFECT_PRODUCT, /* matrix product */
    EFFECT_REPEATS, /* the warp repeats a loop and changes nothing: see warp_repeats */
    EFFECT_COPIES,  /* the warp waits for copies: see copy.h */
    EFFECT_PHASE,   /* the warp waits for a phase of an mbarrier, at most sleep_ns */
    EFFECT_ARRIVED, /* the instruction may have completed a phase of an mbarrier */
    /* The warp is at barrier.cluster: barrier_id is 1 at a .wait, 0 at an .arrive; barrier_waits:
     * the warp stops. */
    EFFECT_CLUSTER,
    /* wgmma: a product; the end of a group; the warp waits until few groups are under way, with the
     * fields of EFFECT_BARRIER */
    EFFECT_GROUP_PRODUCT, EFFECT_GROUP_END, EFFECT_GROUP_WAIT,
    EFFECT_GRID /* griddepcontrol with an effect; barrier_waits: the warp waits for the primary */
};
struct effect {
    u8 kind;          /* enum effect_kind */
    /* Fields of EFFECT_MEMORY down to `address`; exited, branched, executed, clock, noticed, writes
     * and fields with another kind in their comment are of every kind or of the named kind. */
    bool load, store, atomic; /* atomic: load is set too, except for red */
    u8 size_bytes;    /* whole access of a lane, 1..16; SPACE_TEXTURE: a texel */
    /* linear: the mask is contiguous, and the address of lane i is address[first] + (i - first) *
     * size_bytes, where `first` is the first lane of the mask. uniform: all lanes of the mask have
     * the same address. */
    bool linear, uniform;
    bool exited;      /* every lane of the warp has ended */
    /* SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM or SPACE_TEXTURE. A generic
     * access to several spaces reports the space of the first lane; mask then holds only the lanes
     * with the same space. */
    u8 space;
    u8 cache;         /* enum cache_op */
    bool branched;    /* the next pc is not pc + 1 */
    bool barrier_waits; /* bar.sync, bar.red: the warp stops; bar.arrive: the warp continues */
    bool lands;       /* EFFECT_REMOTE: takes effect later, in copies_land of the number `copy` */
    /* Sticky: an instruction has had an effect outside of memory (output, a warning, the heap), or
     * has read a number that differs in each launch (%gridid). */
    bool outside;
    u32 executed;     /* lanes active and not predicated off: counts thread instructions */
    u32 mask;         /* lanes that accessed memory */
    /* SPACE_SHARED: greatest address minus least address, plus 1; 0: unknown. */
    u32 reach;
    /* EFFECT_BARRIER: number of the barrier, and of threads to wait for (0: the whole block) */
    u32 barrier_id;
    u32 barrier_threads;
    u32 sleep_ns;     /* EFFECT_SLEEP: duration of nanosleep; EFFECT_PHASE: limit */
    u16 copy;         /* cp.async: number of the copy, for copies_land */
    u32 groups;       /* EFFECT_GROUP_WAIT: groups of products that may be under way */
    u64 clock;        /* cycle of the step; timing sets the field before the step */
    u64 noticed;      /* last cycle in which a program read a clock */
    /* The write log of all warps that report here: number of stores, and of atomics that changed
     * memory; first cycle after the last of these writes, 0: no write; number of the log, see
     * struct write_mark. */
    u64 writes, quiet_from;
    u32 log;
    /* Stores and atomics to global memory that take effect at the end of the cycle: see
     * store_buffer.h. NULL: at once. */
    u32 store_n, store_room;
    struct store_entry *store_buffer;
    u64 shift;        /* SPACE_GLOBAL: physical address - address, a multiple of 256 */
    /* Device address per lane of mask. SPACE_SHARED: offset in the block's shared memory.
     * SPACE_LOCAL: offset in the lane's local memory. Only the first lane of the mask is set if the
     * access is linear and not atomic, and in SPACE_PARAM and SPACE_CONST. */
    _Alignas(64) u64 address[LANES];
    struct fault fault; /* sticky: after a fault no further step may run */
    struct output *output; /* log of output, see output.h; NULL: output is passed on at once */
    /* SPACE_TEXTURE: physical addresses of the texels read by all lanes, unordered, with
     * duplicates; texel_start is the least address, texel_end the end of the greatest texel. */
    u32 texel_n;
    u64 texel_start, texel_end;
    u64 texel[TEXELS_MAX];
    /* Results of a warp with inactive lanes, until blended into the register: see lanes.h. */
    _Alignas(64) u8 partial[8 * LANES];
};

/* Records stores, or atomics that changed memory. */
static inline void effect_wrote(struct effect *e, u64 n)
{
    e->writes += n;
    if (n) e->quiet_from = e->clock + 1;
}

/* Gives an SM's effect a store buffer for `room` instructions, at least one per scheduler. */
void effect_buffer_stores(struct effect *e, u32 room, struct arena *arena);
/* Performs the buffered stores and atomics. Call at the end of the cycle, in order of SMs. */
void effect_drain(struct effect *e);

/* Makes the warps that report here log their output until effect_publish passes the output on. The
 * flag `pending` is set to true when the log has output. */
void effect_log_output(struct effect *e, bool *pending);
void effect_publish(struct effect *e);
void effect_free_output(struct effect *e);

/* A moment in the order of all writes. The order is by cycle, and in the same log by count. Writes
 * of the mark's cycle in other logs are earlier than the mark, because the warp's next load sees
 * these writes. */
struct write_mark {
    u64 writes, at; /* writes in the log, and the cycle */
    u32 log;
};
static inline struct write_mark write_mark(const struct effect *e)
{
    return (struct write_mark){e->writes, e->clock, e->log};
}

/* 16 barriers of a block, then the barrier of its cluster, then those of the warp groups. */
enum { CLUSTER_BARRIER = 16, GROUP_BARRIER, GROUP_WARPS = 4, GROUPS_MAX = 8,
       BARRIERS = GROUP_BARRIER + GROUPS_MAX };

/* Size of the divergence stack: entries in total, and additional entries per nested call. */
enum { STACK_LEAST = 128, STACK_PER_CALL = 8 };
struct frame {          /* start of the current function's frame */
    u32 row, pred, local; /* bytes, words, bytes */
};
struct path {           /* waiting lanes: an entry of the stack */
    u32 pc, reconverge; /* reconverge: pc where the lanes yield; PC_NONE: at exit or ret */
    u32 mask;           /* may still contain lanes that have ended since */
    u32 depth;          /* call depth of the path */
    struct frame frame;
    u32 members;        /* pc is a .sync waiting for these lanes; 0: ready to run */
    u32 turn;           /* sequence number of the last yield in a loop; 0: no yield yet */
};

/* Receives printf and assert text, for the owner of the app. */
struct printer {
    void (*put)(struct printer *p, const char *bytes, size_t n);
    /* Reports the failed assertion of one lane. NULL: a failed assertion is a fault. */
    void (*failed)(struct printer *p, const char *bytes, size_t n);
    /* An assertion has failed: warps of programs with assertions end at their next instruction. */
    bool over;
};

/* Whether a block can be restarted from its beginning with the same results: as long as the block
 * has made no atomic, printed nothing and stored to no location read before. (A restarted block
 * repeats its stores.) Programs made by exec_note keep the record while the block runs. The record
 * is conservative: a restartable block may count as not restartable, never the reverse. Model: only
 * global memory counts, since shared and local memory start anew with the block (Chimera, cited by
 * paper 002: no atomic, no overwriting of data read before). Races without atomics, where a block
 * reads data written by others at the same time, are not considered. */
struct idempotence {
    bool ended;
    struct extents read;
    u64 thread_instructions; /* of the block so far */
};

/* Clocks of an app's programs: %clock64 is cycle + passed, %globaltimer is the same time in ns.
 * passed and passed_ns never decrease. */
struct timer {
    struct rational mhz;
    u64 passed_ns; /* time spent in functional launches */
    u64 passed;    /* the same time in cycles */
};
static inline u64 timer_ns(const struct timer *t, u64 cycle)
{
    unsigned __int128 cycles = (unsigned __int128)cycle + t->passed;
    return (u64)(cycles * 1000 * t->mhz.den / t->mhz.num);
}
/* Converts a time to cycles, rounding up. */
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
    u32 arrived; /* number of warps */
    u32 threads; /* number of threads the barrier waits for; 0: the whole block */
    u64 waiting; /* warps stopped at the barrier, one bit each */
    u64 by;      /* warps that have arrived and not ended, one bit each */
    u32 ended;   /* warps that have arrived, and then ended */
};

/* State shared by the warps of a block; block.h initialises and changes it. */
struct block_state {
    const struct program *program;
    struct image *image;
    struct printer *printer; /* may be NULL */
    const struct timer *timer; /* may be NULL if no clock is read */
    const u8 *param;    /* parameter bytes of the launch */
    u8 *shared;         /* shared_bytes, zeroed when the block starts */
    /* local memory of the block, [thread][local_bytes], or NULL */
    u8 *local;
    u32 shared_bytes;   /* static + dynamic */
    u32 local_bytes;    /* per thread */
    u32 ctaid[3], nctaid[3], ntid[3];
    u32 cluster_shape[3]; /* in blocks; 1, 1, 1: no clusters */
    bool cluster_given; /* the launch or the kernel gives a shape */
    struct cluster *cluster; /* see block/cluster.h; NULL: the block is its own cluster */
    u64 cluster_waiting; /* warps that wait at the barrier of the cluster, one bit each */
    u32 threads;
    u32 grid_id;        /* %gridid */
    u32 sm_id, sm_n;    /* port of the SM (%smid: without copies), %nsmid */
    /* Independent thread scheduling: paths of a warp can wait for one another (meet.c). */
    bool independent;
    /* bar.red: running value per barrier, threads << 16 | threads with a true predicate. Warps add
     * their share on arrival; the release resets the value to 0. */
    u32 reduce[BARRIERS];
    /* Index of the allocation an instruction last accessed, by pc: a search hint without influence
     * on results. */
    u8 hint[64];
    struct warnings *warnings; /* may be NULL */
    u64 workspace;      /* of a cooperative launch, else 0 */
    /* Programmatic dependent launch. primary_runs: an earlier launch of the stream has not ended;
     * NULL: none was running at the start. triggered: the block has executed launch_dependents;
     * grid_waiting: warps at griddepcontrol.wait, a bit each. *_told: timing has told gpu. */
    const bool *primary_runs;
    u64 grid_waiting;
    bool triggered, trigger_told, wait_told;
    struct idempotence *idempotence; /* set if the program's step records idempotence; else NULL */
    /* Asynchronous copies per warp, if the program makes any; else NULL: see copy.h. */
    struct copies *copies;
    u32 phases;         /* number of completed phases of all mbarriers of the block */
    u32 phases_seen;    /* value of `phases` at the last call of block_phases */
    u32 warp_n;
    u32 alive_n;        /* warps that have not ended */
    u32 arrived;        /* barriers where warps have arrived, one bit each */
    struct barrier barrier[BARRIERS];
    struct warp *warp[BLOCK_WARPS_MAX];
};

struct warp {
    /* Bases of operands: [0] rows of the current frame, [1] the program's constants. Operand o is
     * at base[o >> 31] + (o & 0x7fffffff). */
    u8 *base[2];
    u32 *pred;          /* predicates of the current frame */
    const struct program *program;
    /* Report of the run functions: of the SM that holds the block, shared by the SM's warps. */
    struct effect *effect;
    u32 mask;           /* running lanes */
    /* mask after the guard: the lanes the instruction writes; never 0 in a run function */
    u32 executing;
    u32 pc;             /* pc of the running lanes; run functions see the next pc */
    u32 reconverge;     /* pc where the running lanes yield */
    u32 alive;          /* lanes that have not ended */
    u32 depth;          /* call depth. Every instruction reads the fields up to here. */
    struct block_state *block;
    u32 warp_id;        /* in the block: lane l is thread warp_id * 32 + l */
    u32 local_base;     /* bytes: frame base in the lane's local memory */
    u32 stack_n, stack_room;
    u32 carry;          /* condition code register CC.CF, one bit per lane */
    u8 *rows;           /* register file of the warp: program->row_n rows, 64-byte aligned */
    u32 *preds;         /* program->pred_n words */
    const struct ptx_inst *red; /* bar.red waiting for its result, for the lanes red_mask */
    u32 red_mask;
    struct path *stack;
    /* ---- meet.c ---- */
    /* A path has waited for others, or has yielded in a loop: meet_choose selects the next path. */
    bool uneven;
    /* passes examined in the current check of a loop; `seen` belongs to the first */
    u8 looked;
    /* Number of backward branches taken by all running lanes; value at which meet_loop is called
     * next. */
    u32 passes, look_at;
    u32 together;       /* value of `passes` when all lanes last ran together */
    u32 turn;
    u32 wasted;           /* consecutive atomics at one address without effect */
    const void *wasted_at; /* host address of their first lane */
    u64 seen; /* hash of registers and pc in the first pass */
    struct write_mark seen_at; /* the first pass */
    /* Clock reads by the warp: a loop with a clock read never repeats a state. */
    u64 clock_reads;
    /* The warp was found to repeat the states from `unchanged` on, as far as the warp's own log
     * shows. */
    bool repeats;
    struct write_mark unchanged;
    const struct inst *repeated;    /* backward branch of the loop, for messages */
    /* set while a .sync runs for several paths; NULL: w->executing only */
    const struct meeting *meeting;
    /* ---- cluster.c ---- */
    bool cluster_arrived; /* at the barrier of the cluster in phase cluster_phase, without a wait */
    u32 cluster_phase;
    u32 cluster_lanes;    /* arrived while others have not */
    /* ---- mbarrier.c ---- */
    /* try_wait that last suspended the warp, for the lanes tried_mask */
    const struct ptx_inst *tried;
    u32 tried_mask;
};

/* Size and start of a warp. Return the bytes of the register rows, of the predicates, and of the
 * divergence stack; 0: the program is not PTX. Rows, predicates and stack need not be zeroed. */
size_t warp_row_bytes(const struct program *p);
size_t warp_pred_bytes(const struct program *p);
size_t warp_stack_bytes(const struct program *p);
/* Returns the lanes of a warp that are threads of the block. */
static inline u32 warp_lanes(u32 threads, u32 warp_id)
{
    u32 left = threads - warp_id * LANES;
    return left >= LANES ? UINT32_MAX : (1u << left) - 1;
}
void warp_start(struct warp *w, struct block_state *b, u32 warp_id, u8 *rows, u32 *preds,
                struct path *stack, struct effect *e);

/* Returns the instruction at the warp's pc. */
static inline const struct inst *warp_next(const struct warp *w)
{
    return &w->program->code[w->pc];
}
/* Returns the start of the running lanes' frame. */
static inline struct frame warp_frame(const struct warp *w)
{
    return (struct frame){(u32)(w->base[0] - w->rows), (u32)(w->pred - w->preds), w->local_base};
}

/* Runs the instruction at w->pc. Afterwards w->pc is the next instruction, or effect->exited is
 * set. After a fault no further step may run. Every front end reports everything timing reads:
 * kind, exited, branched, executed, and the fields of the kind. */
static inline void warp_step(struct warp *w) { w->program->step(w); }
/* Runs steps without timing: at most `most`, ending early after a step that ends the warp, faults
 * or reports a kind other than EFFECT_NONE and EFFECT_MEMORY. Advances effect->clock by 1 per step.
 * Returns the number of steps. */
u32 warp_run(struct warp *w, u32 most);
/* Prefetches the registers of the next two steps. */
void warp_prefetch(const struct warp *w);

/* Writes the results of a bar.red. block.c calls the function when barrier `barrier_id` is
 * complete, once per waiting warp, before block_state.reduce is zeroed and before the warp
 * continues. */
void warp_barrier_release(struct warp *w, u32 barrier_id);

/* Makes `p` executable: sets the run function of every instruction, and the step of `p` that calls
 * the run functions. False: no function for some (op, type); load-time checks exclude the case. */
bool exec_bind(struct program *p);
/* Makes `copy` a copy of `p` whose step also records whether the block is idempotent: see struct
 * idempotence. */
void exec_note(struct program *copy, const struct program *p);

/* ---- used by the run functions ---- */

static inline void *row_of(const struct warp *w, u32 operand)
{
    return w->base[operand >> 31] + (operand & 0x7fffffff);
}

/* Returns the text that contains the instruction at pc; NULL: none. */
const struct source *program_source(const struct program *p, u32 pc);
/* Reports a fault at i; later faults are ignored. lane: a lane with the fault. */
void warp_fault(struct warp *w, const struct ptx_inst *i, u32 lane, const char *what);
/* Adds a warning to the results of the run, at i's line of the PTX text; execution continues. */
void warp_warn(const struct warp *w, const struct ptx_inst *i, const char *sentence);

/* True if the warp will repeat the same states forever unless memory changes, and the warp's own
 * log shows no write since w->unchanged. With several logs, the caller examines the other logs. */
static inline bool warp_repeats(const struct warp *w)
{
    return w->repeats && w->unchanged.log == w->effect->log &&
           w->unchanged.writes == w->effect->writes;
}

/* Backward branches of one path between two checks by meet_loop. */
enum { LOOK_EVERY = 64 };
/* Appends "lanes 0-15", or "lane 3" for a single lane. */
void lanes_show(u32 lanes, struct text *out);

#endif
