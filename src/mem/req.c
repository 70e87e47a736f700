#include "mem/req.h"

enum { BURIED = 0xff }; /* kind of a request that is not alive, where hard_check looks */

void req_pool_init(struct req_pool *p, struct req *storage, u32 n)
{
    *p = (struct req_pool){.reqs = storage, .n = n, .free_head = n ? 0 : REQ_NONE};
    for (u32 i = 0; i < n; i++) {
        storage[i].next = i + 1 < n ? i + 1 : REQ_NONE;
        if (HARD) storage[i].kind = BURIED;
    }
}

u32 req_new(struct req_pool *p)
{
    u32 id = p->free_head;
    check(id != REQ_NONE);
    hard_check(p->reqs[id].kind == BURIED);
    p->free_head = p->reqs[id].next;
    p->reqs[id] = (struct req){.next = REQ_NONE};
    p->used++;
    prefetch(&p->reqs[p->free_head]); /* for the next */
    return id;
}

void req_bury(struct req_pool *p, u32 id)
{
    hard_check(id < p->n && p->reqs[id].kind != BURIED);
    if (HARD) p->reqs[id].kind = BURIED;
    p->reqs[id].next = p->free_head;
    p->free_head = id;
    p->used--;
}
