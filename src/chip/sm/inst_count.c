/* Rules of attribution, for counters by instruction:
 *   - Issue, lanes, accesses and lookups in L1 belong to the instruction issued.
 *   - A stall cycle belongs to the warp that decides the cause (stall_of): to the next instruction
 *     of the warp if the warp waits for operands, a pipeline, a fetch or a policy; to the last
 *     instruction if the warp waits at a barrier or a fence, or has ended.
 * The cause of a stall is constant until stall_find is called again. Skipping and ticking every
 * cycle call stall_find at the same changes, so the counters are the same. A wait at a barrier or a
 * fence is the wait noted at issue, because the end of the wait does not change the app's cause. */
#include "chip/sm/inst_count.h"
#include "chip/sm/lsu/events.h"

void inst_count_init(struct sm *sm, struct arena *arena)
{
    struct counting *n = sm->counting = arena_array(arena, struct counting, 1);
    n->access = arena_sparse_array(arena, struct inst_stat *, sm->lsu.pending_n);
    for (u32 k = 0; k < SCHEDULERS_MAX; k++)
        n->stalled[k].of_owner = n->stalled[k].of_inst = &n->of_none;
}

/* The head of a warp that has ended may lie behind the program. */
static __attribute__((noinline)) struct inst_stat *row_find(const struct sm *sm,
                                                            const struct seat *s)
{
    const struct work *w = s->context->block->work;
    const struct program *p = w->grid.program;
    u32 pc = min_u32((u32)(s->head - p->code), p->code_n - 1);
    return &w->counts[(size_t)sm->id * p->code_n + pc];
}

struct inst_stat *inst_count_row(const struct sm *sm, const struct seat *s)
{
    const struct issued *last = &sm->counting->issued[s->id];
    return likely(last->row != NULL) ? last->next : row_find(sm, s);
}

/* ---- issue ---- */

static void count_access(struct counting *n, struct inst_stat *row, const struct queued *q)
{
    if (q->space == SPACE_SHARED) {
        row->shared_instructions++;
        row->conflict_cycles += q->conflicts;
        queued_row(q, row);
        return;
    }
    if (q->space == SPACE_CONST || q->space == SPACE_PARAM) return;
    n->access[q->pending] = row;
    row->memory_instructions++;
    row->transactions += q->transaction_n;
    for (u32 k = 0; k < q->transaction_n; k++)
        row->sectors += (u32)__builtin_popcount(q->transaction[k].sectors);
}

void inst_count_issued(struct sm *sm, const struct seat *s, const struct context *context,
                       const struct inst *i, struct inst_stat *row, const struct queued *queued)
{
    struct counting *n = sm->counting;
    row->issued++;
    row->threads += (u32)__builtin_popcount(sm->effect.executed);
    u8 wait = sm->effect.exited ? WAIT_ENDED : context->wait;
    n->issued[s->id] = (struct issued){row, row + (s->head - i), wait};
    if (queued) count_access(n, row, queued);
}

/* ---- stalls ---- */

static void settle(struct stalled *x)
{
    *x->of_owner += x->cycles;
    *x->of_inst += x->cycles;
    x->cycles = 0;
}

/* Returns the counter for a warp without a valid instruction. */
static u64 *idle_of(const struct sm *sm, const struct seat *s)
{
    const struct issued *last = &sm->counting->issued[s->id];
    switch (last->row ? (enum wait)last->wait : WAIT_NOTHING) {
    case WAIT_BARRIER: return &last->row->barrier;
    case WAIT_FENCE:
    case WAIT_ATOMIC: return &last->row->membar;
    case WAIT_WRITE:
    case WAIT_ENDED: return &last->row->exit;
    default: return &inst_count_row(sm, s)->no_instruction;
    }
}

/* Returns the counter for a warp that waits for operands, or for copies to shared memory. */
static u64 *raw_of(const struct sm *sm, const struct scheduler *q, u32 rank, const struct seat *s)
{
    const struct issued *last = &sm->counting->issued[s->id];
    if (last->row && last->wait == WAIT_COPIES) return &last->row->long_scoreboard;
    struct inst_stat *row = inst_count_row(sm, s);
    if (!(q->loads >> rank & 1)) return &row->wait;
    return q->blocked >> rank & 1 ? &row->long_scoreboard : &row->short_scoreboard;
}

u64 *inst_count_stall(struct sm *sm, const struct scheduler *q, u32 rank, u64 *of_owner)
{
    struct stalled *x = &sm->counting->stalled[q - sm->front.scheduler];
    settle(x);
    x->of_owner = of_owner;
    x->of_inst = &sm->counting->of_none;
    if (rank >= q->n) return &x->cycles;
    const struct seat *s = &sm->front.seats[q->by_rank[rank].seat];
    const struct sm_stat *stat = &sm->stat[q->by_rank[rank].owner];
    if (of_owner == &stat->stall_raw) x->of_inst = raw_of(sm, q, rank, s);
    else if (of_owner == &stat->stall_idle) x->of_inst = idle_of(sm, s);
    else if (of_owner == &stat->stall_memory) x->of_inst = &inst_count_row(sm, s)->lsu_throttle;
    else if (of_owner == &stat->stall_compute) x->of_inst = &inst_count_row(sm, s)->math_throttle;
    else x->of_inst = &inst_count_row(sm, s)->policy;
    return &x->cycles;
}

void inst_count_settle(struct sm *sm)
{
    for (u32 k = 0; k < SCHEDULERS_MAX; k++) settle(&sm->counting->stalled[k]);
}

void inst_count_end(struct sm *sm)
{
    const struct lsu *l = &sm->lsu;
    for (u32 k = 0; k < l->queue_n; k++) {
        const struct queued *q = l->queue[ring_at(l->queue_head, k, l->queue_room)];
        if (q->space == SPACE_SHARED && q->cycles > 1) q->row->conflict_cycles -= q->conflicts;
    }
}
