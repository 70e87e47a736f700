/* Blocks beyond those that have seats take turns at them. The ledger (life.c) counts an extra block
 * as the policy's answer says; those of its launch that are not extra give the launch its places:
 * for a block each, or for as many warps. Who sits there is decided here: a unit, a block or a
 * single warp, that waits for what takes long gives its place to one that can go on. What waits and
 * what could go on is noted when it happens (residency_note) and looked at at the end of the cycle.
 */
#include "chip/sm/residency.h"
#include "chip/sm/life.h"
#include "chip/sm/sm.h"
#include "chip/sm/stall.h"

/* Model: an SM's one switch engine moves the state of a pair at a time, out and in, at so many
 * bytes a cycle; until both are there neither can issue (paper 003 sections 6.6 and 6.7). One that
 * has not run yet has no state to be moved: it is launched (section 6.2). A free
 * place is taken before a pair changes places; then who waits leaves if there is room for its
 * state. A warp's place is free when it has ended. Only units of the same launch change places, so
 * that shares stay as they were (guess). A warp waits if its next instruction reads a register of a
 * load or atomic that L1 did not answer. A block can go on when all its loads are back. One that
 * comes back is its scheduler's youngest, and its local memory is at its new seat (guess). */
enum queued_as { QUEUED_NOT, QUEUED_STALLED, QUEUED_READY, QUEUED_MOVING };
static const u32 queue_room[UNITS] = {[CORUN_BLOCKS] = 8, [CORUN_WARPS] = QUEUE_MOST};

/* ---- statistics ---- */

void residency_catch_up(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    if (!sm->extended || r->since >= now) return;
    u64 cycles = now - r->since;
    r->since = now;
    for (u32 a = 0; a < APPS_MAX; a++) {
        r->stat[a].extra_cycles += cycles * r->extra_of[a];
        r->stat[a].absent_cycles += cycles * r->absent_of[a];
        r->stat[a].present_cycles += cycles * r->present_of[a];
    }
}

const struct residency_stat *residency_count(struct sm *sm, u32 app_id, u64 now)
{
    residency_catch_up(sm, now);
    return &sm->residency.stat[app_id];
}

/* ---- units ---- */

static enum corun_unit unit_of(const struct block *b)
{
    return b->life == LIFE_ABSENT ? CORUN_BLOCKS : b->work->residency.unit;
}

/* when the next instruction's operands can be read; NEVER, SOON: not known */
static u64 next_ready(const struct context *c)
{
    const struct inst *i = warp_next(&c->warp);
    u64 t = 0;
    if (likely(!c->warp.depth)) {
        for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[i->score[k]]);
        return t;
    }
    struct seat s = {.row_n = (u16)c->block->work->program->row_n};
    seat_frame_set(&s, &c->warp);
    for (u32 k = 0; k < i->score_n; k++) t = max_u64(t, c->ready_at[seat_score(&s, i->score[k])]);
    return t;
}

static bool warp_stalled(const struct sm *sm, const struct context *c)
{
    const struct seat *s = c->seat;
    if (c->wait == WAIT_BARRIER) return c->block->work->residency.barriers;
    if (c->wait == WAIT_COPIES) return c->beyond_n > 0;
    if (c->wait != WAIT_NOTHING || !c->beyond_n) return false;
    const struct scheduler *q = &sm->scheduler[s->scheduler];
    return q->loads & q->blocked & 1ull << s->rank;
}

static bool block_stalled(const struct sm *sm, const struct block *b)
{
    for (u32 i = 0; i < b->warp_n; i++)
        if (!context_has_ended(b->context[i]) && !warp_stalled(sm, b->context[i])) return false;
    return b->alive_n > 0;
}

static bool block_ready(const struct block *b)
{
    for (u32 i = 0; i < b->warp_n; i++) {
        const struct context *c = b->context[i];
        bool goes_on = c->wait == WAIT_NOTHING && !c->beyond_n;
        if (!goes_on && !context_has_ended(c) && c->wait != WAIT_BARRIER) return false;
    }
    return true;
}

static bool has_issued(const struct context *c)
{
    return c->seat ? c->seat->issued : c->issued;
}

static bool has_run(const struct resident *u)
{
    if (u->context) return u->context->issued > 0;
    u32 i = 0;
    while (i < u->block->warp_n && !has_issued(u->block->context[i])) i++;
    return i < u->block->warp_n;
}

static void queued_set(const struct resident *u, enum queued_as where)
{
    if (u->context) u->context->queued = (u8)where;
    else u->block->queued = (u8)where;
}

/* ---- queues ---- */

/* Model: a unit that finds its queue full stays where it is, and asks again when there is room;
 * each app has room of its own (guess: 003 runs one). */
static inline bool queue_has_room(struct unit_queue *q, enum corun_unit kind, u32 app_id)
{
    bool room = q->of[app_id] < queue_room[kind];
    q->lost |= !room;
    return room;
}

static void queue_push(struct unit_queue *q, const struct resident *u, enum queued_as where)
{
    hard_check(q->n < COUNT_OF(q->at));
    q->at[q->n++] = *u;
    q->of[u->block->work->app_id]++;
    queued_set(u, where);
}

static void note_block(struct sm *sm, struct block *b)
{
    sm->residency.noted |= 1ull << b->slot;
    b->noted = UINT32_MAX;
}

static void note_all(struct sm *sm)
{
    for (u64 left = ~sm->free_blocks; left; left &= left - 1)
        note_block(sm, sm->block[__builtin_ctzll(left)]);
}

static void note_unit(struct sm *sm, const struct resident *u)
{
    if (u->context) residency_note(sm, u->context);
    else note_block(sm, u->block);
}

static void note_refused(struct sm *sm)
{
    struct residency *r = &sm->residency;
    for (u64 left = r->refused & ~sm->free_blocks; left; left &= left - 1) {
        struct block *b = sm->block[__builtin_ctzll(left)];
        b->noted |= b->refused;
        b->refused = 0;
    }
    r->noted |= r->refused;
    r->refused = 0;
}

static void queue_remove(struct sm *sm, struct unit_queue *q, u32 k)
{
    queued_set(&q->at[k], QUEUED_NOT);
    q->of[q->at[k].block->work->app_id]--;
    for (q->n--; k < q->n; k++) q->at[k] = q->at[k + 1];
    if (!q->lost) return;
    q->lost = false;
    note_refused(sm);
}

static void queue_forget(struct sm *sm, struct unit_queue *q, const struct block *b)
{
    for (u32 k = q->n; k--;)
        if (q->at[k].block == b) queue_remove(sm, q, k);
}

/* ---- a launch on the SM ---- */

struct block *residency_oldest(const struct sm *sm, const struct work *k, bool extra)
{
    struct block *oldest = NULL;
    for (u64 left = ~sm->free_blocks; left; left &= left - 1) {
        struct block *b = sm->block[__builtin_ctzll(left)];
        if (b->work != k || b->extra != extra) continue;
        if (!oldest || b->start < oldest->start ||
            (b->start == oldest->start && b->block_id < oldest->block_id))
            oldest = b;
    }
    return oldest;
}

/* Model: the oldest block, which sat down at once, keeps its seats to its end, then they are the
 * oldest one's of the others (paper 003 section 6.3, the first remedy). */
static bool is_pinned(const struct sm *sm, const struct block *b)
{
    const struct work *k = b->work;
    return k->residency.pinned && residency_oldest(sm, k, false) == b;
}

static bool is_stalled(const struct sm *sm, const struct resident *u)
{
    if (is_pinned(sm, u->block)) return false;
    return u->context ? warp_stalled(sm, u->context) : block_stalled(sm, u->block);
}

static u32 block_warps(const struct block *b) /* a bit each */
{
    return UINT32_MAX >> (BLOCK_WARPS_MAX - b->warp_n);
}

static struct launch_here part_of(const struct sm *sm, const struct block *b)
{
    struct launch_here l = {0};
    if (b->life != LIFE_SEATED && b->life != LIFE_ABSENT) return l;
    bool warps = unit_of(b) == CORUN_WARPS;
    u32 n = warps ? b->warp_n : 1;
    if (b->extra) l.spare = n;
    else l.places = n;
    if (warps) {
        u32 seated = is_pinned(sm, b) ? b->seated : b->seated & ~b->ended;
        l.held = (u32)__builtin_popcount(b->seated);
        l.seated = (u32)__builtin_popcount(seated);
        l.absent = (u32)__builtin_popcount(block_warps(b) & ~b->seated & ~b->ended);
    } else {
        l.held = l.seated = b->life == LIFE_SEATED;
        l.absent = b->life == LIFE_ABSENT;
    }
    return l;
}

static void part_add(struct launch_here *l, const struct launch_here *part, u32 sign)
{
    l->places += sign * part->places;
    l->held += sign * part->held;
    l->seated += sign * part->seated;
    l->absent += sign * part->absent;
    l->spare += sign * part->spare;
}

static bool has_place(const struct launch_here *l)
{
    return l->seated < l->places;
}

/* Which block is pinned may change with any other: nothing is kept then. */
static const struct launch_here *found_of(struct sm *sm, const struct work *k)
{
    struct found *f = &sm->residency.found;
    if (f->work != k || f->unit != k->residency.unit || k->residency.pinned)
        *f = (struct found){
            .work = k, .unit = k->residency.unit, .changed = ~sm->free_blocks};
    for (; f->changed; f->changed &= f->changed - 1) {
        u32 slot = (u32)__builtin_ctzll(f->changed);
        const struct block *b = sm->block[slot];
        struct launch_here *part = &f->part[slot];
        part_add(&f->here, part, UINT32_MAX);
        *part = b && b->work == k ? part_of(sm, b) : (struct launch_here){0};
        part_add(&f->here, part, 1);
    }
    return &f->here;
}

u32 sm_extra_n(const struct sm *sm, const struct work *k)
{
    u32 n = 0;
    if (!sm->extended) return 0;
    for (u64 left = ~sm->free_blocks; left; left &= left - 1) {
        const struct block *b = sm->block[__builtin_ctzll(left)];
        n += b->work == k && b->extra;
    }
    return n;
}

/* ---- to seats and away from them ---- */

static void context_put_away(struct sm *sm, struct context *c)
{
    if (c->seat) context_unseat(sm, c);
    c->sm_id = (u16)sm->id;
    sm->residency.absent_of[c->app_id] += c->wait != WAIT_ENDED;
}

/* Of a warp; one that has ended keeps its seat until somebody wants it. */
static void seat_give_up(struct sm *sm, const struct work *k)
{
    struct context *last = NULL;
    for (u64 left = ~sm->free_blocks; left && !(last && last->wait == WAIT_ENDED);
         left &= left - 1) {
        const struct block *b = sm->block[__builtin_ctzll(left)];
        if (b->work != k || b->life != LIFE_SEATED || !b->seated) continue;
        u32 ended = b->seated & b->ended;
        if (!is_pinned(sm, b))
            last = b->context[ended ? __builtin_ctz(ended) : 31 - __builtin_clz(b->seated)];
        else if (!last)
            last = b->context[__builtin_ctz(b->seated)];
    }
    check(last);
    queue_forget(sm, &sm->residency.stalled[CORUN_WARPS], last->block);
    context_put_away(sm, last);
    note_block(sm, last->block);
}

static void unit_put_away(struct sm *sm, const struct resident *u, u64 now)
{
    struct block *b = u->block;
    stalls_catch_up(sm, now + 1);
    residency_catch_up(sm, now + 1);
    if (u->context) {
        context_put_away(sm, u->context);
        return;
    }
    b->moves_since = now;
    block_move(sm, b, LIFE_ABSENT, now);
    for (u32 i = 0; i < b->warp_n; i++) context_put_away(sm, b->context[i]);
    quota_moved(sm);
}

static void context_return(struct sm *sm, struct context *c, u64 now)
{
    sm->residency.absent_of[c->app_id] -= c->wait != WAIT_ENDED;
    context_seat(sm, c, now);
}

static void unit_return(struct sm *sm, const struct resident *u, u64 now)
{
    struct residency *r = &sm->residency;
    struct block *b = u->block;
    stalls_catch_up(sm, now + 1);
    residency_catch_up(sm, now + 1);
    if (u->context) {
        struct launch_here l = *found_of(sm, b->work);
        for (; l.held >= l.places; l.held--) seat_give_up(sm, b->work);
        context_return(sm, u->context, now);
        return;
    }
    r->moved[r->moved_n++] =
        (struct moved){b->work, b->block_id, b->moves_since, now, b->slot};
    sm->news = true;
    block_move(sm, b, LIFE_SEATED, now);
    for (u32 i = 0; i < b->warp_n; i++) context_return(sm, b->context[i], now);
    quota_moved(sm);
}

/* ---- the switch engine ---- */

/* What moves is there. Its place may be gone: then it comes in later. */
static void move_over(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    struct resident in = r->in, out = r->out;
    r->over_at = NEVER;
    r->in = r->out = (struct resident){0};
    r->look = true;
    if (out.block) queued_set(&out, QUEUED_NOT);
    if (out.block) note_unit(sm, &out);
    if (!in.block) return;
    queued_set(&in, QUEUED_NOT);
    note_unit(sm, &in);
    if (has_place(found_of(sm, in.block->work))) unit_return(sm, &in, now);
}

static u64 move_bytes(const struct resident *u)
{
    return has_run(u) ? u->block->work->residency.state_bytes : 0;
}

static u64 move_cycles(const struct resident *u)
{
    return div_up(move_bytes(u), u->block->work->residency.bytes_per_cycle);
}

static void move_begin(struct sm *sm, struct resident out, struct resident in, u64 now)
{
    struct residency *r = &sm->residency;
    const struct block *b = out.block ? out.block : in.block;
    struct residency_stat *stat = &r->stat[b->work->app_id];
    u64 cycles = 0;
    if (out.block) {
        queued_set(&out, QUEUED_MOVING);
        unit_put_away(sm, &out, now);
        cycles += move_cycles(&out);
        stat->switches++;
        stat->bytes += move_bytes(&out);
    }
    if (in.block) {
        queued_set(&in, QUEUED_MOVING);
        cycles += move_cycles(&in);
        stat->bytes += move_bytes(&in);
    }
    cycles = max_u64(cycles, 1);
    r->out = out;
    r->in = in;
    r->over_at = now + cycles;
    stat->transit_cycles += cycles;
}

static struct resident seated_at(const struct sm *sm, const struct work *k, u32 place)
{
    struct block *b = sm->block[place / BLOCK_WARPS_MAX];
    u32 warp = place % BLOCK_WARPS_MAX;
    if (!b || b->work != k || b->life != LIFE_SEATED || !b->alive_n || is_pinned(sm, b))
        return (struct resident){0};
    if (unit_of(b) == CORUN_BLOCKS) return warp ? (struct resident){0} : (struct resident){b, NULL};
    struct context *c = warp < b->warp_n ? b->context[warp] : NULL;
    bool leaves = c && c->seat && !context_has_ended(c);
    return leaves ? (struct resident){b, c} : (struct resident){0};
}

/* The next whose turn is over: by block slot and warp, from the one behind the last; block NULL:
 * nobody's is. */
static struct resident turn_over(struct sm *sm, const struct work *k, u64 now)
{
    enum { PLACES = SM_BLOCKS_MAX * BLOCK_WARPS_MAX };
    struct residency *r = &sm->residency;
    if (!k->residency.quantum || r->turn_at > now) return (struct resident){0};
    for (u32 n = 1; n <= PLACES; n++) {
        u32 place = (r->turn_of + n) % PLACES;
        struct resident u = seated_at(sm, k, place);
        if (!u.block) continue;
        r->turn_of = place;
        queue_forget(sm, &r->stalled[u.context ? CORUN_WARPS : CORUN_BLOCKS], u.block);
        note_block(sm, u.block);
        return u;
    }
    return (struct resident){0};
}

/* The first that still waits, of the launch, if it is not NULL; block NULL: none. */
static struct resident stalled_take(struct sm *sm, enum corun_unit kind, const struct work *of)
{
    struct unit_queue *q = &sm->residency.stalled[kind];
    for (u32 k = 0; k < q->n;) {
        struct resident u = q->at[k];
        bool waits = is_stalled(sm, &u), wanted = u.block->work == of;
        if (waits && !of) {
            const struct launch_here *l = found_of(sm, u.block->work);
            wanted = l->absent < l->spare;
        }
        if (waits && !wanted) {
            k++;
            continue;
        }
        queue_remove(sm, q, k);
        if (waits) return u;
    }
    return (struct resident){0};
}

enum { TURN_PINNED, TURN_EARLY, TURN_LATE, TURNS };

static u32 turn_of(const struct sm *sm, const struct resident *u)
{
    if (is_pinned(sm, u->block)) return TURN_PINNED;
    return !u->block->work->residency.returned_first || has_run(u) ? TURN_EARLY : TURN_LATE;
}

static void turn_begin(struct sm *sm, const struct work *k, u64 now)
{
    u64 *at = &sm->residency.turn_at;
    if (!k->residency.quantum) return;
    *at = min_u64(*at <= now ? NEVER : *at, now + k->residency.quantum);
}

/* One of the ready comes in, to a free place or for one that waits. none: a launch that has neither
 * for its ready. */
static bool ready_move(struct sm *sm, enum corun_unit kind, u32 turn, const struct work **none,
                       u64 now)
{
    struct residency *r = &sm->residency;
    struct unit_queue *q = &r->ready[kind];
    for (u32 k = 0; k < q->n; k++) {
        const struct work *of = q->at[k].block->work;
        if (of == *none) continue;
        struct resident out = {0};
        bool place = has_place(found_of(sm, of));
        if (!place && !r->stalled[kind].n && !of->residency.quantum) *none = of;
        if (of == *none || turn_of(sm, &q->at[k]) != turn) continue;
        if (!place) {
            out = stalled_take(sm, kind, of);
            if (!out.block) out = turn_over(sm, of, now);
            if (!out.block) {
                turn_begin(sm, of, now);
                *none = of;
                continue;
            }
        }
        struct resident in = q->at[k];
        queue_remove(sm, q, k);
        move_begin(sm, out, in, now);
        return true;
    }
    return false;
}

static bool move_start(struct sm *sm, enum corun_unit kind, u64 now)
{
    const struct work *none = NULL;
    for (u32 turn = 0; turn < TURNS; turn++)
        if (ready_move(sm, kind, turn, &none, now)) return true;
    struct resident out = stalled_take(sm, kind, NULL);
    if (!out.block) return false;
    move_begin(sm, out, (struct resident){0}, now);
    return true;
}

/* ---- a cycle ---- */

static bool warp_ready(const struct context *c)
{
    return c->wait == WAIT_NOTHING ? next_ready(c) < NEVER : c->wait == WAIT_WRITE;
}

static void refuse(struct sm *sm, struct block *b, u32 which)
{
    sm->residency.refused |= 1ull << b->slot;
    b->refused |= which;
}

static void stalled_look(struct sm *sm, struct block *b, u32 which)
{
    struct unit_queue *q = &sm->residency.stalled[CORUN_WARPS];
    for (; which; which &= which - 1) {
        struct context *c = b->context[__builtin_ctz(which)];
        if (!queue_has_room(q, CORUN_WARPS, c->app_id)) {
            refuse(sm, b, which);
            return;
        }
        if (!c->queued && warp_stalled(sm, c))
            queue_push(q, &(struct resident){b, c}, QUEUED_STALLED);
    }
}

static void ready_look(struct sm *sm, struct block *b, u32 which, bool pinned)
{
    struct unit_queue *q = &sm->residency.ready[CORUN_WARPS];
    for (; which; which &= which - 1) {
        struct context *c = b->context[__builtin_ctz(which)];
        if (!pinned && !queue_has_room(q, CORUN_WARPS, c->app_id)) {
            refuse(sm, b, which);
            return;
        }
        if (!c->queued && (pinned || warp_ready(c)))
            queue_push(q, &(struct resident){b, c}, QUEUED_READY);
    }
}

static void block_look(struct sm *sm, struct block *b, bool pinned, bool turns)
{
    bool seated = b->life == LIFE_SEATED;
    enum queued_as where = seated ? QUEUED_STALLED : QUEUED_READY;
    struct residency *r = &sm->residency;
    struct unit_queue *q = seated ? &r->stalled[CORUN_BLOCKS] : &r->ready[CORUN_BLOCKS];
    if (b->queued || (seated && (!turns || pinned))) return;
    if (!pinned && !queue_has_room(q, CORUN_BLOCKS, b->work->app_id)) refuse(sm, b, 0);
    else if (seated ? block_stalled(sm, b) : block_ready(b))
        queue_push(q, &(struct resident){b, NULL}, where);
}

static void noted_look(struct sm *sm)
{
    struct residency *r = &sm->residency;
    u64 left = r->noted & ~sm->free_blocks;
    r->look |= left != 0;
    r->noted = 0;
    for (; left; left &= left - 1) {
        struct block *b = sm->block[__builtin_ctzll(left)];
        u32 which = b->noted & block_warps(b) & ~b->ended;
        bool pinned = is_pinned(sm, b), turns = r->extra_of[b->work->app_id] > 0;
        b->noted = 0;
        if (b->life != LIFE_SEATED && b->life != LIFE_ABSENT) continue;
        if (unit_of(b) == CORUN_BLOCKS) {
            block_look(sm, b, pinned, turns);
            continue;
        }
        if (turns && !pinned) stalled_look(sm, b, which & b->seated);
        ready_look(sm, b, which & ~b->seated, pinned);
    }
}

void residency_tick(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    if (r->over_at <= now) move_over(sm, now);
    if (r->noted) noted_look(sm);
    r->look |= r->turn_at <= now;
    while (r->look && r->over_at == NEVER) {
        r->look = false;
        if (!move_start(sm, CORUN_WARPS, now)) move_start(sm, CORUN_BLOCKS, now);
        if (r->noted) noted_look(sm); /* a queue has room again */
    }
    if (r->turn_at <= now) r->turn_at = NEVER;
}

/* ---- blocks come and go ---- */

void sm_extra_look(struct sm *sm)
{
    note_all(sm);
    residency_look(sm);
}

static void l1_empty(struct sm *sm) /* its lines are dropped, as at a launch */
{
    for (u32 a = 0; a < APPS_MAX; a++) l1_invalidate(&sm->l1, a);
    sm->events |= EVENT_FILL;
}

void residency_extra(struct sm *sm, const struct block *b, bool take, u64 now)
{
    struct residency *r = &sm->residency;
    if (!sm->extended) r->since = now + 1;
    sm->extended = true;
    residency_catch_up(sm, now + 1);
    u32 sign = take ? 1 : UINT32_MAX;
    r->extra_n += sign;
    r->extra_of[b->work->app_id] += sign;
    r->l1_n += b->work->residency.l1 ? sign : 0;
    if (b->work->residency.l1 && take && r->l1_n == 1) l1_empty(sm);
    r->pool_bytes += take ? b->pool_bytes : 0 - b->pool_bytes;
    sm_extra_look(sm); /* who waits had nobody to wait for */
}

void residency_enter(struct sm *sm, struct block *b, u64 now)
{
    b->moves_since = now;
    for (u32 i = 0; i < b->warp_n; i++) context_put_away(sm, b->context[i]);
    note_block(sm, b);
}

/* The places are those of the launch's other blocks: one of them is extra in its stead. */
static void extra_swap(struct sm *sm, struct block *b)
{
    struct block *other = residency_oldest(sm, b->work, false);
    if (!other) return;
    other->extra_need = b->extra_need;
    other->pool_bytes = b->pool_bytes;
    other->extra = true;
    b->extra = false;
    found_forget(sm, b);
    found_forget(sm, other);
}

void residency_leave(struct sm *sm, struct block *b, u64 now)
{
    struct residency *r = &sm->residency;
    residency_catch_up(sm, now + 1);
    if (r->out.block == b || r->in.block == b) move_over(sm, now);
    for (u32 kind = 0; kind < UNITS; kind++) {
        queue_forget(sm, &r->stalled[kind], b);
        queue_forget(sm, &r->ready[kind], b);
    }
    if (b->extra && b->alive_n) extra_swap(sm, b);
    for (u32 i = 0; i < b->warp_n; i++) {
        const struct context *c = b->context[i];
        r->absent_of[c->app_id] -= !c->seat && c->wait != WAIT_ENDED;
    }
    sm_extra_look(sm);
}

/* Model: warps lose their seats at no cost where a block of their launch leaves the SM, with its
 * seats, before its end (guess: preemption and extra blocks in one run). */
void sm_places_hold(struct sm *sm, const struct work *k, u64 now)
{
    if (!sm->extended || k->residency.unit != CORUN_WARPS) return;
    for (struct launch_here l = *found_of(sm, k); l.held > l.places; l.held--) {
        stalls_catch_up(sm, now + 1);
        residency_catch_up(sm, now + 1);
        seat_give_up(sm, k);
        residency_look(sm);
    }
}
