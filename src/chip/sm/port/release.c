/* Completion of instructions whose context has left the warp slot, and the cycles of
 * write-backs. */
#include "chip/sm/port/release.h"
#include "chip/sm/residency/note.h"

static void for_another(struct sm *sm, struct elsewhere e)
{
    check(sm->port.elsewhere_n < ELSEWHERE_MAX);
    sm->port.elsewhere[sm->port.elsewhere_n++] = e;
    sm->notify = true;
}

static void registers_release(struct context *c, const struct release *w, u32 kind, u64 ready)
{
    for (u32 k = 0; k < w->dst_n; k++) c->ready_at[w->dst[k]] = ready;
    context_memory(c, false);
    if (c->wait == WAIT_ATOMIC && kind == REQ_ATOMIC) context_wait_set(c, WAIT_NOTHING);
}

/* Model: if another SM made the access, the context's SM learns of the completion in the next
 * cycle, at no cost. A completion for a context on no SM releases the registers at once. A
 * completion for a warp without a warp slot occupies no register bank (guess). */
void release_end_away(struct sm *sm, const struct release *w, u32 kind, u64 ready, u64 now)
{
    struct context *c = w->context;
    bool here = context_sm(c) == sm->id;
    if (here && c->seat) {
        release_end_here(sm, c->seat, w, kind, ready, now);
    } else if (context_belongs_to(c, sm->id)) {
        registers_release(c, w, kind, ready);
        if (here) residency_note(sm, c);
        context_check_wait(sm, c, now);
    } else {
        for_another(sm, (struct elsewhere){.release = *w, .ready = ready, .kind = (u8)kind});
    }
}

void elsewhere_deliver(struct sm *sm, const struct elsewhere *e, u64 now)
{
    struct context *c = e->release.context;
    if (e->beyond) {
        context_beyond(c, e->beyond > 0);
    } else if (e->acknowledged) {
        context_store(c, false);
        context_check_wait(sm, c, now);
    } else {
        if (e->kind == REQ_COPY) copy_landed(sm, c, e->release.copy, now);
        release_end_away(sm, &e->release, e->kind, e->ready, now);
    }
}

bool elsewhere_take(struct sm *sm, struct elsewhere *out)
{
    struct port *p = &sm->port;
    u32 k = 0;
    while (k < p->elsewhere_n && context_sm(p->elsewhere[k].release.context) != NO_SM) k++;
    if (k == p->elsewhere_n) return false;
    *out = p->elsewhere[k];
    for (p->elsewhere_n--; k < p->elsewhere_n; k++) p->elsewhere[k] = p->elsewhere[k + 1];
    return true;
}

void release_beyond(struct sm *sm, struct context *c, bool more)
{
    if (context_belongs_to(c, sm->id)) context_beyond(c, more);
    else for_another(sm, (struct elsewhere){.release.context = c, .beyond = more ? 1 : -1});
}

void release_acknowledged(struct sm *sm, struct context *c, u64 now)
{
    if (unlikely(context_sm(c) != sm->id) && !context_belongs_to(c, sm->id)) {
        for_another(sm, (struct elsewhere){.release.context = c, .acknowledged = true});
        return;
    }
    context_store(c, false);
    context_check_wait(sm, c, now);
}

/* Model: a result of the load/store unit waits while the result of a compute instruction is written
 * into the same bank. Registers are written in order, one register per bank and cycle (GPGPU-Sim
 * 4.2, ldst_unit::writeback). */
u64 result_written(const struct sm *sm, const struct release *w, u64 at)
{
    const struct seat *s = context_sm(w->context) == sm->id ? w->context->seat : NULL;
    if (s && likely(w->dst_n == 1))
        return w->dst[0] >= s->banked_n
                   ? at
                   : issue_port_bank_unwritten(sm, s, w->dst[0], w->number[0], at);
    for (u32 k = 0;; at++) {
        u64 written = 0;
        for (; s && k < w->dst_n; k++) {
            u64 bank = issue_port_bank_bit(sm, s, w->dst[k], w->number[k]);
            if (w->dst[k] >= s->banked_n) continue;
            if (written & bank || issue_port_bank_is_written(sm, s, w->dst[k], w->number[k], at))
                break;
            written |= bank;
        }
        if (!s || k == w->dst_n) return at;
    }
}
