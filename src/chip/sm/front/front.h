/* Front end of an SM: instruction fetch, instruction buffers, warp schedulers, and counting of
 * cycles without issue, by cause. issue.c picks warps and executes their instructions, scheduler.c
 * ranks warps, wake.c finds the first cycle in which a warp can issue, stall.c counts. Other parts
 * call seat.h, wake.h, stall.h and scheduler.h.
 *
 * Invariants: A warp slot and the slot's entry in `by_rank` name each other. A rank is in `any` if
 * and only if the rank is in an element of `ready`. The reason why a scheduler does not issue stays
 * the same from cycle `front.counted` on, because every function of the front that changes a reason
 * counts the earlier cycles first (stalls_catch_up, for files of this folder only). Other parts
 * change a reason only through functions of the front, which take the first cycle of the change. */
#ifndef CORUN_SM_FRONT_H
#define CORUN_SM_FRONT_H

#include "base/base.h"
#include "cache/req.h"
#include "chip/sm/port/port.h"
#include "chip/sm/sm_conf.h"
#include "isa/inst.h"

enum { WHEEL = 64 };

/* A warp slot of a scheduler. Everything read at issue fits in a line of the host's cache. */
struct seat {
    _Alignas(64) const struct inst *head; /* next instruction of the warp */
    struct context *context; /* NULL: the warp slot is free */
    u64 *ready_at;      /* ready_at of the context */
    /* No action for the warp before this cycle. By then the head is decoded or, if `sure`, the
     * operands of the head are readable. Also the end of a sleep, the release of a barrier, the
     * return of an atomic; in WAIT_WRITE the last write-back. */
    u64 not_before;
    u64 written_at;     /* last write-back of the warp's compute instructions */
    u16 row_n;          /* rows of the program; scoreboard entries from row_n on are predicates */
    u16 banked_n;       /* scoreboard entries below banked_n lie in register banks */
    /* If `called`: first row and first predicate of the head's frame. */
    u16 frame_row, frame_pred;
    u8 bank_from;       /* added to a row to select the register bank */
    u8 app_id, owner;   /* owner: of the counters */
    u8 scheduler, rank; /* rank: index in the scheduler's by_rank and bit in the masks */
    u8 id;              /* number of the warp slot */
    /* Instructions in the buffer, counted from the fetch on; decoded by not_before. 0: the buffer
     * needs a fetch, or the warp has ended. */
    u8 buffered;
    bool waits;         /* the context waits (context.wait), or the warp slot is free */
    bool stale; /* a branch has invalidated the contents of the buffer, present or being fetched */
    bool called; /* the warp is in a function; scoreboard entries are relative to the frame */
    bool sure;          /* the operands of the head are readable from not_before on */
    u32 issued;         /* warp instructions issued by the context */
};
_Static_assert(sizeof(struct seat) == 64, "a seat is a line");

/* Warps of a scheduler, by rank: rank is age under gto, otherwise the order of warp slots. A
 * function that changes the next warp to issue, or the reason why no warp issues, calls
 * stalls_catch_up first and then sets `stall` to NULL. */
struct scheduler {
    /* Fields read in a cycle without issue: */
    _Alignas(64) u64 any; /* ranks in an element of `ready` */
    u64 may_issue; /* ranks in the active set and in `oldest` whose app has quota left */
    u64 flush;    /* ranks whose buffer is stale and must be emptied */
    u64 *stall;   /* counter for cycles without issue; NULL: to be determined by stall_find */
    struct issue_port *port;
    u64 ready[PIPE_N]; /* ranks whose head can issue to this pipeline */
    u64 valid;    /* ranks with a decoded head that waits only for operands or for a pipeline */
    /* Ranks whose head waits for a result of unknown time: of a memory instruction in any space, of
     * copies, or of an instruction deferred by class_order.c. */
    u64 loads;
    /* Ranks that wait for global or local memory, a barrier or a fence, or have ended; cleared when
     * wake.c examines the warp again. Under two-level these ranks leave the active set. */
    u64 blocked;
    u32 last;     /* rank that issued last; 64 or more: none */
    u8 last_seat; /* warp slot of `last`, plus one; 0: none */
    u32 n;
    u64 active_set; /* two-level: ranks in the active set; otherwise all ones */
    u64 oldest;   /* sm.issue_warps: ranks that may issue; otherwise all ones */
    /* sm.issue_warps: ranks of the warps that the last scheduler_narrow counted as active, i.e.
     * neither ended nor at a barrier; ~0: outdated, because warps have come or gone */
    u64 counted;
    u64 seated;   /* ranks in use: the low n bits */
    struct {
        u8 seat, app, owner;
    } by_rank[64];
    u8 outside[64];       /* two-level: warp slots outside the active set, in order of entry */
    u32 outside_n;
    u64 of_app[APPS_MAX]; /* governed SM: ranks of the app's warps */
    u32 apps;             /* governed SM: apps with warps at this scheduler, a bit each */
    /* Cache for the gates. known: ranks ready for PIPE_MEM whose head has been classified;
     * to_memory: ranks in `known` whose head goes to the memory system. */
    u64 known, to_memory;
    u64 urgent;           /* governed SM: ranks of the warps of urgent blocks */
};


struct sm;

struct front {
    /* Issues the warp with rank `rank` to pipeline p; has a variant that counts by instruction
     * (inst_count.h). */
    void (*issue)(struct sm *sm, struct scheduler *q, u32 rank, enum pipe p, u64 now);
    _Alignas(64) u64 wheel_used; /* nonempty entries of `wheel`, a bit each */
    /* No scheduler can issue, empty a buffer or change the active set before this cycle. Every
     * change that permits an earlier cycle lowers the value (issue_wake). */
    u64 issue_at;
    u64 want[2];       /* warp slots whose instruction buffer needs a fetch, a bit each */
    u64 counted; /* first cycle whose stalls are not counted yet: see stalls_catch_up */
    OF_FRONT struct seat *seats;
    /* Number of schedulers while the SM is not governed, otherwise 0: see issue_tick. */
    u32 ungoverned_schedulers;
    u32 fetched;     /* warp slot of the last fetch */
    u32 held;        /* apps whose memory instructions a gate holds back, a bit each */
    /* The cause of a stall depends on a gate (`held`), or is counted by instruction. */
    bool detailed;
    bool governed; /* a policy restricts or orders issue: see scheduler_govern */
    bool narrowed; /* sm.issue_warps: only some of the warps may issue */
    bool repeats;  /* a warp repeats a loop in which nothing changes */
    bool faulted;
    const struct context *fault_of; /* context of the fault, with or without a warp slot */
    /* First cycle of the schedulers' rotation, later by the number of cycles without a block. */
    u64 turns_from;
    struct scheduler *rotation[2 * SCHEDULERS_MAX]; /* [k]: scheduler k modulo their number */
    struct scheduler scheduler[SCHEDULERS_MAX];
    u64 wheel[WHEEL][2]; /* warp slots to examine in a cycle (modulo WHEEL), a bit each */
};

#endif
