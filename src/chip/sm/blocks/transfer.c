/* Transfer of block states off the chip and back. An SM transfers one block after the other, in the
 * order of request; a block to be saved waits until accesses in flight and results of unknown time
 * have completed. gpu takes completed transfers at the end of the cycle.
 *
 * Model: registers, shared memory and warp states use the SM's own path, one line per cycle if the
 * miss queue has room, bypassing L1, to a region of device memory reserved for the block and cached
 * in L2 like other data. A save is complete when the last line is acknowledged, a load when the
 * last line has arrived. (Paper 002 adopts preemption by context switch from Chimera, which models
 * latency only: bytes over an SM's share of the DRAM bandwidth, here without preempt.traffic.) */
#include "chip/sm/blocks/transfer.h"
#include "chip/sm/lsu/events.h"

/* Model: the address of a block's region follows from the block's index in the grid (guess). */
static u64 line_of(const struct block *b, u32 index)
{
    u64 lines = div_up(block_state_bytes(b), LINE_BYTES);
    u64 at = (b->block_id * lines + index) * LINE_BYTES % SAVED_BYTES;
    return ((u64)b->work->app_id << APP_SHIFT) + SAVED_PHYSICAL + at;
}

static u64 cycles_of(const struct sm *sm, u64 bytes)
{
    const struct preempt_cost *c = &sm->common->preempt;
    if (c->latency_cycles) return c->latency_cycles;
    double cycles = (double)bytes / c->bytes_per_cycle;
    return max_u64((u64)cycles + ((double)(u64)cycles < cycles), 1);
}

void transfer_add(struct sm *sm, struct block *b, u64 now)
{
    struct transfer *t = &sm->blocks.transfer;
    u64 bytes = block_state_bytes(b);
    b->lines_left = b->lines_away = (u32)div_up(bytes, LINE_BYTES);
    b->moves_since = now;
    b->next = NULL;
    sm->preempt_stat[b->work->owner].bytes += bytes;
    if (t->first) t->last->next = b;
    else t->first = b;
    t->last = b;
    if (t->at == NEVER) t->at = now + 1;
    sm->must_tick = sm->slow_path = true;
}

static void over(struct sm *sm, struct block *b)
{
    b->next = NULL;
    if (sm->blocks.transfer.over) sm->blocks.transfer.over_last->next = b;
    else sm->blocks.transfer.over = b;
    sm->blocks.transfer.over_last = b;
    sm->notify = true;
}

static bool line_send(struct sm *sm, struct lookup k, u64 line, bool saves, u64 now)
{
    k.transaction = (struct transaction){
        .line = line, .written = UINT32_MAX, .sectors = TAGS_WHOLE};
    k.kind = saves ? REQ_STORE : REQ_LOAD;
    return lsu_send(sm, &k, now);
}

static void block_line_send(struct sm *sm, struct block *b, u64 now)
{
    struct lookup k = {.access = (u16)(L1_TRANSFERS + b->slot), .app_id = (u8)b->work->app_id,
                       .owner = (u8)b->work->owner};
    b->lines_left -= line_send(sm, k, line_of(b, b->lines_left - 1), b->life == LIFE_SAVING, now);
}

/* ---- state beyond the states of blocks ---- */

static void rest_over(struct sm *sm)
{
    sm->blocks.transfer.at = NEVER;
    sm->blocks.transfer.rest.over = sm->notify = true;
}

/* Model: the SM's region for the rest lies at the upper end of the app's region (guess). */
static void rest_tick(struct sm *sm, u64 now)
{
    struct transfer *t = &sm->blocks.transfer;
    if (sm->common->preempt.traffic) {
        u64 index = (u64)sm->id * t->rest.lines + t->rest.left;
        u64 line = ((u64)t->rest.app_id << APP_SHIFT) + SAVED_PHYSICAL + SAVED_BYTES -
                   index * LINE_BYTES;
        struct lookup k = {
            .access = L1_REST, .app_id = (u8)t->rest.app_id, .owner = (u8)t->rest.app_id};
        t->rest.left -= line_send(sm, k, line, t->rest.saves, now);
        if (!t->rest.left) t->at = NEVER;
    } else if (!t->until) {
        t->at = t->until = now + cycles_of(sm, (u64)t->rest.lines * LINE_BYTES);
    } else {
        t->until = 0;
        t->rest.away = 0;
        rest_over(sm);
    }
}

void sm_move_rest(struct sm *sm, u32 app_id, bool saves, u32 lines, u64 now)
{
    struct transfer *t = &sm->blocks.transfer;
    check(!t->first && !t->rest.away);
    t->rest.app_id = app_id;
    t->rest.saves = saves;
    t->rest.lines = t->rest.left = t->rest.away = lines;
    t->at = now + 1;
    sm->preempt_stat[app_id].bytes += (u64)lines * LINE_BYTES;
    sm->must_tick = sm->slow_path = true;
}

bool sm_rest_over(struct sm *sm)
{
    bool over = sm->blocks.transfer.rest.over;
    sm->blocks.transfer.rest.over = false;
    return over;
}

/* ---- transfers in order ---- */

void transfer_tick(struct sm *sm, u64 now)
{
    struct transfer *t = &sm->blocks.transfer;
    struct block *b = t->first;
    t->at = now + 1;
    if (!b) {
        rest_tick(sm, now);
        return;
    }
    if (b->life == LIFE_SAVING && !block_is_quiet(b)) return;
    if (sm->common->preempt.traffic) {
        block_line_send(sm, b, now);
        if (b->lines_left) return;
    } else {
        if (!t->until) t->until = now + cycles_of(sm, block_state_bytes(b));
        t->at = t->until;
        if (t->until > now) return;
        t->until = 0;
        t->at = now + 1;
    }
    t->first = b->next;
    if (!t->first) t->at = NEVER;
    if (!sm->common->preempt.traffic) over(sm, b);
}

void transfer_reply(struct sm *sm, u32 req_id)
{
    u32 access = req_at(sm->common->pool, req_id)->access;
    request_free(sm, req_id);
    if (access == L1_NO_ACCESS) return;
    if (access == L1_REST) {
        if (!--sm->blocks.transfer.rest.away) rest_over(sm);
        return;
    }
    struct block *b = sm->blocks.block[access - L1_TRANSFERS];
    if (!--b->lines_away) over(sm, b);
}

struct block *sm_transferred(struct sm *sm)
{
    struct block *b = sm->blocks.transfer.over;
    if (b) sm->blocks.transfer.over = b->next;
    return b;
}
