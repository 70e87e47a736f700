/* The architectural state of a warp and its block, and the one door through which timing executes:
 * warp_step runs the instruction at the warp's pc for the lanes that are active, moves the pc, and
 * says in `struct effect` what timing has to know (addresses touched, barrier, exit, fault). Knows
 * no time. */
#ifndef CORUN_WARP_H
#define CORUN_WARP_H

#include "isa/inst.h"
#include "mem/image.h"

struct fault {
    /* "out-of-bounds global load", "misaligned ...", "trap", "call stack overflow" ...; NULL:
     * none */
    const char *what;
    u64 address;          /* for memory faults */
    u32 size_bytes;
    u32 lane, line, pc;
    u32 space;
};

enum effect_kind { EFFECT_NONE, EFFECT_MEMORY, EFFECT_BARRIER, EFFECT_FENCE, EFFECT_SLEEP };
struct effect {
    u8 kind;          /* enum effect_kind */
    /* EFFECT_MEMORY: SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST or SPACE_PARAM; a generic
     * access that meets several spaces reports the one of its first lane */
    u8 space;
    bool load, store, atomic; /* atomic: also load unless red */
    bool branched;    /* the next pc is not pc + 1, or lanes changed */
    bool exited;      /* every lane of the warp has ended */
    u8 size_bytes;    /* per lane, whole vector: 1..16 */
    u8 cache;         /* enum cache_op */
    /* lane i's address is address[first] + (i - first) * size_bytes over the mask's lanes, mask
     * contiguous */
    bool linear;
    u32 executed;     /* lanes that were active and not predicated off: thread instructions */
    u32 mask;         /* EFFECT_MEMORY: lanes that touched memory */
    /* device address per lane of mask. SPACE_SHARED: offset in the block's shared memory.
     * SPACE_LOCAL: offset in the lane's local memory. Only lanes of `mask` are defined */
    u64 address[LANES];
    /* EFFECT_BARRIER: which, and how many threads it waits for (0: the whole block) */
    u32 barrier_id;
    u32 barrier_threads;
    bool barrier_waits; /* bar.sync, bar.red: this warp stops; bar.arrive: it goes on */
    u32 sleep_ns;     /* EFFECT_SLEEP: nanosleep */
    struct fault fault;
};

enum { STACK_MAX = 128 };
struct path {           /* one entry of the divergence stack */
    u32 pc, reconverge; /* reconverge: popped when pc reaches it; PC_NONE: at exit */
    u32 mask;
    u32 depth;          /* call depth it belongs to */
};
struct frame {          /* where to go back to, one per call depth */
    u32 return_pc;
    u32 row, pred, local; /* the caller's bases */
};

/* printf and assert text goes to whoever runs the app */
struct printer {
    void (*put)(struct printer *p, const char *bytes, size_t n);
};

struct block_state {    /* what the warps of a block share */
    const struct program *program;
    struct image *image;
    struct printer *printer;
    const u8 *param;    /* the launch's parameter bytes */
    u8 *shared;         /* shared_bytes, zeroed at the block's start */
    /* [thread][local_bytes] of the block, or NULL; 16-byte aligned per thread */
    u8 *local;
    u32 shared_bytes;   /* static + dynamic */
    u32 local_bytes;    /* per thread */
    u32 ctaid[3], nctaid[3], ntid[3];
    u32 threads;
    u32 grid_id;        /* %gridid */
    u32 sm_id, sm_n;    /* %smid, %nsmid */
    /* bar.red: running value per barrier; warps combine into it as they arrive */
    u32 reduce[16];
    u32 *barrier_result; /* reserved for bar.red */
};

struct warp {
    /* [0] rows of the current frame, [1] the program's constants: base[o >> 31] + (o &
     * 0x7fffffff) */
    u8 *base[2];
    u32 *pred;          /* predicates of the current frame */
    u32 mask;           /* lanes running now (top of stack) */
    /* mask after the guard: the lanes this instruction writes; set by warp_step before run */
    u32 executing;
    u32 pc;             /* of the running lanes */
    u32 alive;          /* lanes that have not ended */
    u32 carry;          /* condition code register CC.CF, a bit per lane */
    u32 warp_id;        /* in the block: lane l is thread warp_id * 32 + l */
    const struct inst *code;
    struct block_state *block;
    struct effect *effect; /* where run functions report; one per SM is enough */
    u8 *rows;           /* whole register file of the warp: program->row_n rows, 64-byte aligned */
    u32 *preds;         /* program->pred_n words */
    u32 local_base;     /* bytes: frame base in the lane's local memory */
    u32 stack_n, depth;
    struct path stack[STACK_MAX];
    struct frame frames[32];
    u64 clock;          /* %clock64: timing sets it before a step */
    u64 timer_ns;       /* %globaltimer */
};

/* Bytes a warp needs for rows and predicates, and where it starts. Rows and predicates need not be
 * zeroed. */
static inline size_t warp_row_bytes(const struct program *p)
{
    return (size_t)p->row_n * ROW_BYTES;
}
void warp_start(struct warp *w, struct block_state *b, u32 warp_id, u8 *rows, u32 *preds,
                struct effect *e);

/* Runs one instruction. Afterwards w->pc is the next one (or effect->exited). On a fault nothing
 * more may be run. */
void warp_step(struct warp *w);

/* bar.red results: called by timing when barrier `id` is complete, once per waiting warp, before it
 * goes on. */
void warp_barrier_release(struct warp *w, u32 barrier_id);

/* Gives every instruction its run function. false: some (op, type) has none, which load-time checks
 * exclude. */
bool exec_bind(struct program *p);

/* used by the run functions */
static inline void *row_of(struct warp *w, u32 operand)
{
    return w->base[operand >> 31] + (operand & 0x7fffffff);
}

#endif
