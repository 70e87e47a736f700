#include "cache/req.h"

enum { NOT_IN_USE = 0xff }; /* kind of a free request; set and tested only with HARD */

void req_pool_init(struct req_pool *p, struct req *storage, u32 n)
{
    *p = (struct req_pool){.reqs = storage, .n = n, .free_head = n ? 0 : REQ_NONE};
    for (u32 i = 0; i < n; i++) {
        storage[i].next = i + 1 < n ? i + 1 : REQ_NONE;
        if (HARD) storage[i].kind = NOT_IN_USE;
    }
}

u32 req_alloc(struct req_pool *p)
{
    u32 id = p->free_head;
    check(id != REQ_NONE);
    hard_check(p->reqs[id].kind == NOT_IN_USE);
    p->free_head = p->reqs[id].next;
    p->reqs[id] = (struct req){.next = REQ_NONE};
    p->used++;
    prefetch(&p->reqs[p->free_head]); /* for the next allocation */
    return id;
}

void req_free(struct req_pool *p, u32 id)
{
    hard_check(id < p->n && p->reqs[id].kind != NOT_IN_USE);
    if (HARD) p->reqs[id].kind = NOT_IN_USE;
    p->reqs[id].next = p->free_head;
    p->free_head = id;
    p->used--;
}
