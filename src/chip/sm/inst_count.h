/* Counts by instruction of the program: issues, stall cycles, outcomes of L1 (struct inst_stat).
 * An SM counts only if sm_init has allocated `sm.counting`. An SM that counts calls other functions
 * at issue and at lookups in L1 (front.issue, lsu.lookup), so that an SM that does not count has no
 * additional test in a cycle. The rules: inst_count.c. */
#ifndef CORUN_SM_INST_COUNT_H
#define CORUN_SM_INST_COUNT_H

#include "chip/sm/state.h"

struct counting {
    /* [scheduler] cycles of the present cause of stall, and the counters that get the cycles */
    struct stalled {
        u64 cycles;
        u64 *of_owner, *of_inst;
    } stalled[SCHEDULERS_MAX];
    /* [warp slot] counters of the instruction that the present warp issued last from the slot, and
     * of the next instruction; NULL: none issued yet */
    struct issued {
        struct inst_stat *row, *next;
        u8 wait;  /* enum wait, after the instruction */
    } issued[SM_WARPS_MAX];
    struct inst_stat **access; /* [pending access] instruction of the access */
    u64 of_none;               /* cycles of schedulers without warps */
};

void inst_count_init(struct sm *sm, struct arena *arena); /* call after ldst_init */
/* Notes that another warp has taken the warp slot. */
static inline void inst_count_take(struct sm *sm, u32 seat_id)
{
    if (unlikely(sm->counting != NULL)) sm->counting->issued[seat_id].row = NULL;
}
/* Returns the counters of the next instruction of the warp. */
struct inst_stat *inst_count_row(const struct sm *sm, const struct seat *s);
/* Counts instruction i with the counters `row`, just issued from the warp slot by the context.
 * queued: the entry in the queue of the load/store unit; NULL: none. */
void inst_count_issued(struct sm *sm, const struct seat *s, const struct context *c,
                       const struct inst *i, struct inst_stat *row,
                       const struct queued *queued);
/* Begins a cause of stall: the warp with rank `rank` of scheduler q (above all ranks: none) is the
 * cause, and `of_owner` the owner's counter. Returns the counter for the cycles. */
u64 *inst_count_stall(struct sm *sm, const struct scheduler *q, u32 rank, u64 *of_owner);
/* Counts a lookup of the pending access `id` with result r. */
static inline void inst_count_lookup(struct sm *sm, u32 id, enum l1_result r)
{
    struct inst_stat *row = sm->counting->access[id];
    if (r >= L1_FAIL_LINE) return;
    row->l1_accesses++;
    ++*(r == L1_HIT ? &row->l1_hits : r == L1_MERGED ? &row->l1_merged : &row->l1_misses);
}
/* Adds the cycles of the present causes to the counters. Call before counters are read. */
void inst_count_settle(struct sm *sm);
/* Takes back conflicts of instructions that the load/store unit has not worked on. Call at the end
 * of the run. */
void inst_count_end(struct sm *sm);

#endif
