#include "chip/dram/dram.h"
#include "chip/dram/inside.h"
#include "chip/dram/scheduler.h"

_Static_assert(COUNTER_BUSY <= UINT16_MAX, "a bank holds its owner's counter");
_Static_assert(DRAM_BANKS_MAX <= 1 << 5 && APPS_MAX <= 1 << 3, "fields of dram_request");

void dram_init(struct dram *d, const struct dram_rules *rules, bool step, struct req_pool *pool,
               struct arena *arena)
{
    const struct dram_conf *conf = &rules->conf;
    *d = (struct dram){.wake = NEVER, .next = NEVER, .delay_over = NEVER,
        .done_first = NEVER, .step = step, .pool = pool, .rules = rules,
        .loops = dram_scheduler_loops(rules, false),
        .refresh_due = conf->refresh ? conf->refi : NEVER};
    queue_init(&d->queue, arena, conf->queue);
    d->delayed = arena_array(arena, struct dram_request, rules->ring_mask + 1);
    d->finished = arena_array(arena, struct dram_done, rules->ring_mask + 1);
    u32 cycles = conf->latency_cycles + 1; /* of the longest run */
    d->events = d->state.event = arena_array(arena, struct dram_event, cycles * EVENTS_PER_CYCLE);
    u32 turns = 1;
    while (turns <= 2 * (cycles + SEEN_AFTER_MAX)) turns *= 2;
    d->turns = arena_array(arena, u64, turns);
    d->turn_mask = turns - 1;
    dram_order_init(&d->order, arena, cycles);
    for (u32 v = 0; v < BANK_VECTORS; v++) d->state.timing.of[v].allowed = same_cycle(CYCLE_NEVER);
}

bool dram_push(struct dram *d, u64 now, u32 req)
{
    if (!dram_room(d, now)) return false;
    const struct req *r = req_at(d->pool, req);
    const struct dram_rules *rules = d->rules;
    check(r->bank < rules->conf.banks);
    u64 ready = now + rules->conf.latency_cycles;
    hard_check(ready >= dram_run_over(d));
    u32 bytes = req_dram_bytes(r);
    check(bytes <= LINE_BYTES);
    u16 rule = rules->first[req_writes_dram(r) ? DRAM_WRITE : DRAM_READ][bytes];
    struct dram_request *request = &d->delayed[d->delay.end];
    d->delay.end = ring_next(rules, d->delay.end);
    request->req = req;
    request->row = r->row;
    request->ready = (u32)ready;
    request->rule = rule;
    request->bank = r->bank & (DRAM_BANKS_MAX - 1u);
    request->app = r->app & (APPS_MAX - 1u);
    request->owner = r->owner;
    d->held++;
    d->push_from = now + 1;
    if (d->delay_over != NEVER) return true;
    d->delay_over = ready;
    if (queue_full(&d->queue)) return true;
    d->next = min_u64(d->next, ready);
    d->wake = min_u64(d->wake, ready);
    return true;
}

u32 dram_pop(struct dram *d, u64 now)
{
    u32 req = dram_peek(d, now);
    if (req == REQ_NONE) return REQ_NONE;
    d->held--;
    u32 next = d->done.first = ring_next(d->rules, d->done.first);
    d->done_first = cycle_from(d->done_first, d->finished[next].at, next == d->done.end);
    prefetch(req_at(d->pool, d->finished[next].req));
    d->wake = min_u64(d->wake, d->done_first);
    return req;
}
