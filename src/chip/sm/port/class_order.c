/* Entry into collector units in class order, where sub-cores wait for each other: see
 * class_order.h.
 *
 * Model: of the pipeline registers of a class, only the oldest instruction across all sub-cores is
 * considered; if the oldest one's sub-core has no free collector, the rest of the class waits, too.
 * In a round each class advances as long as the oldest instruction finds a free collector. Classes
 * alternate in the order SP, SFU, memory, tensor, double, integer; instructions issued in the
 * previous cycle take part. (GPGPU-Sim 4.2, where the operand collector has one input port per
 * class for the registers of all sub-cores; unknown for hardware.) */
#include "chip/sm/port/class_order.h"
#include "chip/sm/port/issue_port.h"
#include "chip/sm/port/release.h"
#include "chip/sm/residency/note.h"

static const u8 turns[PIPE_N] = {PIPE_SP, PIPE_SFU, PIPE_MEM, PIPE_TENSOR, PIPE_DP, PIPE_INT};
static const u8 turn_of[PIPE_N] = {[PIPE_SP] = 0,     [PIPE_SFU] = 1, [PIPE_MEM] = 2,
                                   [PIPE_TENSOR] = 3, [PIPE_DP] = 4,  [PIPE_INT] = 5};

bool class_order_is_on(const struct sm_conf *c)
{
    return c->sub_cores && c->collector_order == COLLECTOR_ORDER_CLASS;
}

struct class_order *class_order_new(const struct sm_conf *c, struct issue_port *ports,
                                    struct arena *arena)
{
    if (!class_order_is_on(c)) return NULL;
    struct class_order *o = arena_array(arena, struct class_order, 1);
    o->shift = (u32)__builtin_ctz(c->register_ports);
    o->at = NEVER;
    o->ports = ports;
    for (u32 k = 0; k < ORDERED_MAX; k++) o->leaves[k] = NEVER;
    return o;
}

u32 class_order_room(const struct sm_conf *c)
{
    return class_order_is_on(c) ? c->schedulers * PIPE_N : 0;
}

void class_order_take(struct issue_port *f, enum pipe p, u64 now)
{
    struct class_order *o = f->order;
    u64 free = o->waiting_turns ? NEVER : collectors_first(f, p);
    o->enter |= o->waiting_turns != 0;
    f->enters = max_u64(max_u64(free, o->last[p]), (now + 1) << o->shift);
    if (free != NEVER) {
        o->last[p] = f->enters;
        return;
    }
    o->waiting[p] |= (u64)f->number << 8 * o->waiting_n[p]++;
    o->waiting_turns |= 1u << turn_of[p];
}

static void park(struct issue_port *f, const struct seat *s, const struct inst *i, enum pipe p,
                 u64 now)
{
    f->deferred[p] = (struct deferred_issue){.inst = i, .of = frame_of(s)};
    issue_port_hold(f, p, now);
}

u64 class_order_park(struct sm *sm, struct issue_port *f, const struct seat *s,
                     const struct inst *i, enum pipe p, u64 now)
{
    park(f, s, i, p, now);
    release_begin(sm, &f->deferred[p].release, s, i, SOON);
    return SOON;
}

void class_order_park_access(struct issue_port *f, const struct seat *s, const struct inst *i,
                             struct queued *m, u64 now)
{
    park(f, s, i, PIPE_MEM, now);
    f->deferred[PIPE_MEM].memory = m;
}

/* Records the time of the context's last write-back; a warp that has ended waits for the time. */
static void written_note(struct sm *sm, struct context *c, u64 at, u64 now)
{
    if (!c->seat) {
        context_written(c, at);
        return;
    }
    seat_written(c->seat, at);
    if (!context_has_ended(c)) return;
    context_wait_set(c, WAIT_WRITE);
    launch_cache_drop(sm, c->block);
    seat_delay(c->seat, at);
    wheel_set(sm, c->seat, c->seat->not_before, now);
}

void class_order_later(struct sm *sm, const struct reservation *w, u64 said, u64 at, u64 now)
{
    struct context *c = w->of.context;
    const struct inst *i = w->inst;
    const struct program *p = c->block->work->grid.program;
    for (u32 k = i->score_dst; k < i->score_n; k++) {
        bool row = i->score[k] < p->row_n;
        u32 score = i->score[k] + (row ? w->of.row : w->of.pred);
        c->ready_at[score] = at;
        if (!c->seat || i->score[k] >= c->seat->banked_n) continue;
        u32 bank = sm->conf->bank_of == BANK_OF_NAME ? i->numbers[k] : score;
        struct issue_port *f = sm->front.scheduler[c->seat->scheduler].port;
        issue_port_unwritten(f, bank + w->of.bank_from, said);
        issue_port_computed(sm, c->seat, score, &i->numbers[k], at, now);
    }
    if (c->seat) seat_unsure(c->seat);
    written_note(sm, c, at, now);
}

/* Returns the port of the oldest deferred instruction of class p. */
static inline struct issue_port *oldest_of(const struct class_order *o, enum pipe p)
{
    return &o->ports[o->waiting[p] & 0xff];
}

/* Moves the oldest deferred instruction of class p into a collector, in cycle `from` or later. */
static void oldest_enters(struct sm *sm, struct class_order *o, enum pipe p, u64 from, u64 now)
{
    struct issue_port *f = oldest_of(o, p);
    struct deferred_issue *k = &f->deferred[p];
    if (!--o->waiting_n[p]) o->waiting_turns &= ~(1u << turn_of[p]);
    o->waiting[p] >>= 8;
    u64 at = max_u64(max_u64(collectors_first(f, p), o->last[p]), from << o->shift);
    o->last[p] = at;
    pool_known(&f->pipeline[p].reg, at >> o->shift);
    f->open[p] = pool_first(&f->pipeline[p].reg);
    issue_wake(sm, 0);
    if (k->memory) {
        u32 row = k->of.row + k->of.bank_from;
        issue_port_memory_at(sm, f, row, k->inst, k->memory, at, from - 1);
        return;
    }
    u64 ready = p == PIPE_MEM ? (at + NO_ACCESS_ROUNDS) >> o->shift
                              : issue_port_compute_at(sm, f, &k->of, k->inst, p, at, from - 1);
    struct context *c = k->release.context;
    if (context_belongs_to(c, sm->id)) written_note(sm, c, ready, now);
    release_end(sm, &k->release, REQ_LOAD, ready, now);
    const struct seat *s = context_sm(c) == sm->id ? c->seat : NULL;
    for (u32 j = 0; s && j < k->release.dst_n; j++)
        if (k->release.dst[j] < s->banked_n)
            issue_port_computed(sm, s, k->release.dst[j], k->release.number + j, ready, now);
}

static void deferred_enter(struct sm *sm, struct class_order *o, u64 from, u64 now)
{
    for (bool moved = true; moved && o->waiting_turns;) {
        moved = false;
        for (u32 left = o->waiting_turns; left; left &= left - 1) {
            enum pipe p = (enum pipe)turns[__builtin_ctz(left)];
            if (collectors_first(oldest_of(o, p), p) == NEVER) continue;
            oldest_enters(sm, o, p, from, now);
            moved = true;
        }
    }
}

/* ---- out of the collectors ---- */

/* Returns the round in which the port's next memory instruction leaves a collector; NEVER:
 * unknown. */
static u64 leaves_next(const struct issue_port *f)
{
    const struct resource_pool *c = &f->pipeline[f->collectors_of[PIPE_MEM]].collectors;
    u64 first = NEVER;
    if (f->memory_out == NEVER) return NEVER;
    for (u32 k = 0; k < c->n; k++)
        if (f->holds[k]) first = min_u64(first, f->waiting[k] + 1);
    return max_u64(first, f->memory_out);
}

void class_order_look(struct issue_port *f)
{
    u64 leaves = leaves_next(f);
    f->order->leaves[f->number] = leaves;
    f->order->at = min_u64(f->order->at, leaves);
}

/* Moves a memory instruction to the input register of the load/store unit in `round`. Model: the
 * first ready collector of a sub-core moves to the input register, and the first free collector
 * takes the next issued instruction; an instruction in a later collector may therefore be overtaken
 * repeatedly (GPGPU-Sim 4.2, dispatch_unit_t::find_ready and allocate_cu). */
static void leave(struct issue_port *f, u64 round)
{
    u32 k = 0;
    while (!f->holds[k] || f->waiting[k] >= round) k++;
    collectors_take(f, PIPE_MEM, k, round);
    f->collected = f->holds[k];
    f->holds[k] = NULL;
    f->memory_out = NEVER;
    f->order->leaves[f->number] = NEVER;
    f->order->collected_n++;
}

void class_order_taken(struct issue_port *f, u64 now)
{
    f->collected = NULL;
    f->order->collected_n--;
    f->memory_out = (now + 1) << f->order->shift;
    class_order_look(f);
}

void class_order_move(struct sm *sm, struct class_order *o, u64 upto, u64 now)
{
    while (o->at <= upto) {
        o->at = NEVER;
        for (u32 k = 0; k < sm->conf->schedulers; k++) {
            if (o->leaves[k] <= upto) leave(&o->ports[k], o->leaves[k]);
            o->at = min_u64(o->at, o->leaves[k]);
        }
        if (upto >> o->shift > now) o->enter = true;
        else deferred_enter(sm, o, now, now);
        issue_wake(sm, 0);
    }
}

void class_order_enter(struct sm *sm, struct class_order *o, u64 now)
{
    o->enter = false;
    deferred_enter(sm, o, now + 1, now);
}
