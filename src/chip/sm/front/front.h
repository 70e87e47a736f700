/* The front of an SM: instruction fetch, instruction buffers, warp schedulers, and the count of
 * cycles without issue, by cause. issue.c picks warps and executes their instructions, scheduler.c
 * ranks warps, wake.c finds the cycle from which a warp can issue, stall.c counts. Other parts call
 * seat.h, wake.h, stall.h and scheduler.h.
 *
 * Invariants: a seat and its entry in `by_rank` name each other; a rank is in `any` if and only if
 * it is in one of `ready`; a scheduler's cause of not issuing holds from `counted` on, so a file
 * that changes what may issue first calls stalls_catch_up. */
#ifndef CORUN_SM_FRONT_H
#define CORUN_SM_FRONT_H

#include "base/base.h"
#include "chip/sm/port/port.h"
#include "chip/sm/sm_conf.h"
#include "isa/inst.h"
#include "mem/req.h"

enum { WHEEL = 64 };

struct seat { /* of a warp at its scheduler: a warp slot. What issue reads: a line of host cache */
    _Alignas(64) const struct inst *head; /* next instruction */
    struct context *context; /* NULL: the seat is free */
    u64 *ready_at;      /* the context's */
    /* It is not looked at before this cycle: head is decoded by then or, if sure, its operands can
     * be read; also the end of a sleep, a barrier's release, an atomic's return. WAIT_WRITE: the
     * last write-back. */
    u64 not_before;
    u64 written_at;     /* last write-back of its compute instructions */
    u16 row_n;          /* of the program: scores from here on are predicates */
    u16 banked_n;       /* scores below lie in register banks */
    u16 frame_row, frame_pred; /* called: where the rows and predicates of head's frame begin */
    u8 bank_from;       /* added to a row to find its bank */
    u8 app_id;
    u8 scheduler, rank; /* rank: where it is in its scheduler's by_rank and masks */
    u8 id;              /* of the seat */
    /* instructions in its buffer, from the fetch on: decoded by not_before. 0: a fetch is wanted,
     * or the warp has ended */
    u8 buffered;
    bool waits;         /* its context waits for something, see context.wait; or the seat is free */
    bool stale;         /* the buffer holds, or will hold, what a branch jumped over */
    bool called;        /* it is in a function: scores are the frame's */
    bool sure;          /* head's operands can be read from not_before on */
    u32 issued;         /* warp instructions of its context so far */
};
_Static_assert(sizeof(struct seat) == 64, "a seat is a line");

/* Warps of a scheduler by rank: by age for gto, by seat for the others. Whoever changes what it
 * would issue, or why it does not, calls stalls_catch_up first; then `stall` is NULL. */
struct scheduler {
    /* What is looked at when it does not issue: */
    _Alignas(64) u64 any; /* ranks in one of `ready` */
    u64 may_issue; /* ranks of the active set whose app's quota is not used up */
    u64 flush;    /* ranks whose buffer holds what a branch jumped over */
    u64 *stall;   /* the counter that a cycle without issue goes to; NULL: to be found again */
    struct issue_port *port;
    u64 ready[PIPE_N]; /* ranks whose head can issue to this pipeline */
    u64 valid;    /* ranks whose head is decoded and waits for operands or a pipeline only */
    /* ranks whose head waits for a memory instruction, of any space, of which nobody knows when it
     * is over */
    u64 loads;
    /* two-level: ranks to leave the active set: they wait for global or local memory, a barrier, a
     * fence, or have ended; until the seat looks again */
    u64 blocked;
    u32 last;     /* rank that issued last; >= 64: none */
    u8 last_seat; /* its seat, plus one; 0: none */
    u32 n;
    u64 active_set; /* two-level: ranks that it chooses from; else all */
    u64 oldest;   /* sm.issue_warps: ranks that may issue; else all */
    u64 counted;  /* these are chosen from; ~0: warps have come or gone */
    u64 seated;   /* ranks that hold a warp: the low n bits */
    struct {
        u8 seat, app;
    } by_rank[64];
    u8 outside[64];       /* seats outside the active set, first to enter first */
    u32 outside_n;
    u64 of_app[APPS_MAX]; /* ranks of its warps, if the SM is governed; */
    u32 apps;             /* that have some, a bit each */
    /* Of the ranks ready for PIPE_MEM, where gates asked: known heads, those that go to memory. */
    u64 known, to_memory;
    u64 urgent;           /* ranks of urgent blocks' warps, if the SM is governed */
};


struct front {
    _Alignas(64) u64 wheel_used; /* entries of `wheel` with a seat in them, a bit each */
    u64 issue_at;      /* no scheduler has anything to do before; lowered by whoever changes that */
    u64 want[2];       /* seats whose instruction buffer is to be filled, a bit each */
    u64 counted; /* the first cycle whose stalls are not: see stalls_catch_up */
    OF_FRONT struct seat *seats;
    u32 ungoverned_schedulers; /* how many, while nothing governs issue, see issue_tick; else 0 */
    u32 fetched;     /* seat fetched for last */
    bool governed; /* a policy has said who may issue: scheduler_govern */
    bool narrowed; /* sm.issue_warps: not all warps may issue */
    bool repeats;  /* some warp repeats a loop in which nothing changes */
    bool faulted;
    const struct context *fault_of; /* whose it is, with a seat or without */
    u64 turns_from;  /* the schedulers' turns begin, cycles without a block left out */
    struct scheduler scheduler[SCHEDULERS_MAX];
    u64 wheel[WHEEL][2]; /* seats that look again in a cycle */
};

#endif
