#include "cache/req.h"

enum { NOT_IN_USE = 0xff }; /* kind of a free request; set and tested only with HARD */

void req_pool_init(struct req_pool *p, struct req *storage, u32 n)
{
    *p = (struct req_pool){.reqs = storage, .n = n / REQ_BATCH * REQ_BATCH, .batches = REQ_NONE};
}

/* Returns the first request of a free batch. */
static u32 batch_take(struct req_pool *p)
{
    u32 first = p->batches;
    if (first != REQ_NONE) {
        p->batches = p->reqs[first].batch;
        return first;
    }
    first = p->fresh;
    check(first < p->n);
    p->fresh += REQ_BATCH;
    for (u32 i = first; i < p->fresh; i++) {
        p->reqs[i].next = i + 1 < p->fresh ? i + 1 : REQ_NONE;
        if (HARD) p->reqs[i].kind = NOT_IN_USE;
    }
    return first;
}

static void batch_push(struct req_supply *s, u32 first)
{
    s->reqs[first].batch = s->batches;
    s->batches = first;
    s->batch_n++;
}

static u32 batch_pop(struct req_supply *s)
{
    u32 first = s->batches;
    check(s->batch_n);
    s->batches = s->reqs[first].batch;
    s->batch_n--;
    return first;
}

void req_settle(struct req_supply *s)
{
    struct req_pool *p = s->pool;
    for (; s->batch_n < s->batch_least; s->taken++) batch_push(s, batch_take(p));
    for (; s->batch_n > s->batch_least + 1; s->taken--) {
        u32 first = batch_pop(s);
        s->reqs[first].batch = p->batches;
        p->batches = first;
    }
}

static u32 batches_for(u32 most) { return (u32)div_up(most, REQ_BATCH); }

void req_supply_init(struct req_supply *s, struct req_pool *p, u32 most, bool *unsettled)
{
    *s = (struct req_supply){.pool = p, .reqs = p->reqs, .free_head = REQ_NONE,
                             .batches = REQ_NONE, .batch_least = batches_for(most),
                             .unsettled = unsettled};
    req_settle(s);
}

/* Full batches of a settled supply, the open batch, and a batch of requests freed since. */
u32 req_supply_room(u32 most) { return (batches_for(most) + 3) * REQ_BATCH; }

/* Separate functions, to keep allocation and release small. */
static __attribute__((noinline)) void open_refill(struct req_supply *s)
{
    s->free_head = batch_pop(s);
    s->n = REQ_BATCH;
    if (!req_is_settled(s)) *s->unsettled = true;
}

static __attribute__((noinline)) void open_close(struct req_supply *s)
{
    batch_push(s, s->free_head);
    s->free_head = REQ_NONE;
    s->n = 0;
    if (!req_is_settled(s)) *s->unsettled = true;
}

u32 req_alloc(struct req_supply *s)
{
    if (unlikely(!s->n)) open_refill(s);
    u32 id = s->free_head;
    struct req *r = &s->reqs[id];
    hard_check(r->kind == NOT_IN_USE);
    s->free_head = r->next;
    s->n--;
    *r = (struct req){.next = REQ_NONE};
    prefetch(&s->reqs[s->free_head]); /* for the next allocation */
    return id;
}

void req_free(struct req_supply *s, u32 id)
{
    struct req *r = &s->reqs[id];
    hard_check(id < s->pool->fresh && r->kind != NOT_IN_USE);
    if (HARD) r->kind = NOT_IN_USE;
    if (unlikely(s->n == REQ_BATCH)) open_close(s);
    r->next = s->free_head;
    s->free_head = id;
    s->n++;
}
