/* Who goes into a collector when sub-cores wait for each other: see class_order.h.
 *
 * Model: of the pipeline registers of a class only the oldest instruction, over all sub-cores, is
 * looked at; if its sub-core has no free collector, the others of the class wait too. In a round
 * each class moves as long as its oldest finds one; where classes compete they take turns in the
 * order SP, SFU, memory, double, integer. (GPGPU-Sim 4.2, whose operand collector has one input
 * port over all sub-cores' registers of a class; whether hardware does it is not known.) */
#include "chip/sm/class_order.h"
#include "chip/sm/pending.h"

static bool is_on(const struct sm_conf *c)
{
    return c->sub_cores && c->collector_order == COLLECTOR_ORDER_CLASS;
}

struct class_order *class_order_new(const struct sm_conf *c, struct arena *arena)
{
    if (!is_on(c)) return NULL;
    struct class_order *o = arena_array(arena, struct class_order, 1);
    o->shift = (u32)__builtin_ctz(c->register_ports);
    return o;
}

u32 class_order_room(const struct sm_conf *c) { return is_on(c) ? c->schedulers * PIPE_N : 0; }

static u64 collector_free(const struct issue_port *f, enum pipe p)
{
    return pool_first(&f->pipeline[f->collectors_of[p]].collectors);
}

void class_order_take(struct issue_port *f, enum pipe p, u64 now)
{
    struct class_order *o = f->order;
    u64 free = o->waiting_n[p] ? NEVER : collector_free(f, p);
    f->enters = max_u64(max_u64(free, o->last[p]), (now + 1) << o->shift);
    if (free == NEVER) o->waiting[p][o->waiting_n[p]++] = f;
    else o->last[p] = f->enters;
}

static void park(struct issue_port *f, const struct seat *s, const struct inst *i, enum pipe p,
                 u64 now)
{
    f->parked[p] = (struct parked){.inst = i, .row = seat_frame(s) + s->bank_from};
    issue_port_hold(f, p, now);
}

u64 class_order_park(struct sm *sm, struct issue_port *f, struct seat *s, const struct inst *i,
                     enum pipe p, u64 now)
{
    park(f, s, i, p, now);
    release_begin(sm, &f->parked[p].release, s, i, SOON);
    return SOON;
}

void class_order_park_access(struct issue_port *f, const struct seat *s, const struct inst *i,
                             u64 now)
{
    park(f, s, i, PIPE_MEM, now);
    f->parked[PIPE_MEM].accesses = true;
}

/* Its last write-back is known: a warp that has ended waits for it. */
static void written_note(struct sm *sm, struct context *c, u64 at, u64 now)
{
    if (!c->seat) {
        c->written_at = max_u64(c->written_at, at);
        if (context_has_ended(c)) c->not_before = max_u64(c->not_before, at);
        return;
    }
    struct seat *s = c->seat;
    s->written_at = max_u64(s->written_at, at);
    if (!context_has_ended(c)) return;
    context_wait_set(c, WAIT_WRITE);
    s->not_before = max_u64(s->not_before, at);
    wheel_set(sm, s, s->not_before, now);
}

static void oldest_enters(struct sm *sm, struct class_order *o, enum pipe p, u64 now)
{
    struct issue_port *f = o->waiting[p][0];
    struct parked *k = &f->parked[p];
    o->waiting_n[p]--;
    for (u32 j = 0; j < o->waiting_n[p]; j++) o->waiting[p][j] = o->waiting[p][j + 1];
    u64 at = max_u64(max_u64(collector_free(f, p), o->last[p]), (now + 1) << o->shift);
    o->last[p] = at;
    pool_known(&f->pipeline[p].reg, at >> o->shift);
    f->open[p] = pool_first(&f->pipeline[p].reg);
    sm->issue_at = 0;
    if (k->accesses) {
        issue_port_memory_at(sm, f, k->row, k->inst, at, now);
        return;
    }
    u64 ready = p == PIPE_MEM ? (at + NO_ACCESS_ROUNDS) >> o->shift
                              : issue_port_compute_at(sm, f, k->row, k->inst, p, at, now);
    struct context *c = k->release.context;
    if (c->sm_id == sm->id || c->sm_id == NO_SM) written_note(sm, c, ready, now);
    release_end(sm, &k->release, REQ_LOAD, ready, now);
}

void class_order_resume(struct sm *sm, struct class_order *o, u64 now)
{
    static const u8 turns[PIPE_N] = {PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_DP, PIPE_INT};
    for (bool moved = true; moved;) {
        moved = false;
        for (u32 k = 0; k < PIPE_N; k++) {
            enum pipe p = (enum pipe)turns[k];
            if (!o->waiting_n[p] || collector_free(o->waiting[p][0], p) == NEVER) continue;
            oldest_enters(sm, o, p, now);
            moved = true;
        }
    }
}
