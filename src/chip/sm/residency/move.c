/* The switch engine: which pair changes places next, and how long that takes. */
#include "chip/sm/residency/move.h"
#include "chip/sm/residency/seats.h"

/* Model: an SM's one switch engine moves the state of a pair at a time, out and in, at so many
 * bytes a cycle; until both are there neither can issue (paper 003 sections 6.6 and 6.7). One that
 * has not run yet has no state to be moved: it is launched (section 6.2). A free
 * place is taken before a pair changes places; then who waits leaves if there is room for its
 * state. Only units of the same launch change places, so that shares stay as they were (guess). */

/* ---- a move ---- */

/* What moves is there. Its place may be gone: then it comes in later. */
void move_over(struct sm *sm, u64 now)
{
    struct residency *r = &sm->residency;
    struct resident in = r->in, out = r->out;
    r->over_at = NEVER;
    r->in = r->out = (struct resident){0};
    r->look = true;
    if (out.block) unit_queued_set(&out, false);
    if (out.block) note_unit(sm, &out);
    if (!in.block) return;
    unit_queued_set(&in, false);
    note_unit(sm, &in);
    if (launch_has_place(launch_found(sm, in.block->work))) unit_return(sm, &in, now);
}

static u64 move_bytes(const struct resident *u)
{
    return unit_has_run(u) ? u->block->work->residency.state_bytes : 0;
}

static u64 move_cycles(const struct resident *u)
{
    return div_up(move_bytes(u), u->block->work->residency.bytes_per_cycle);
}

/* What it reads first left the host's inner caches while it was away. */
static void registers_prefetch(const struct context *c)
{
    const struct inst *i = warp_next(&c->warp);
    warp_prefetch(&c->warp, i);
    for (u32 k = 0; k < i->score_n; k++) __builtin_prefetch(&c->ready_at[i->score[k]]);
}

static void move_begin(struct sm *sm, struct resident out, struct resident in, u64 now)
{
    struct residency *r = &sm->residency;
    const struct block *b = out.block ? out.block : in.block;
    struct residency_stat *stat = &r->stat[b->work->app_id];
    u64 cycles = 0;
    if (out.block) {
        unit_queued_set(&out, true);
        unit_put_away(sm, &out, now);
        cycles += move_cycles(&out);
        stat->switches++;
        stat->bytes += move_bytes(&out);
    }
    if (in.block) {
        unit_queued_set(&in, true);
        if (in.context) registers_prefetch(in.context);
        cycles += move_cycles(&in);
        stat->bytes += move_bytes(&in);
    }
    cycles = max_u64(cycles, 1);
    r->out = out;
    r->in = in;
    r->over_at = now + cycles;
    stat->transit_cycles += cycles;
}

/* ---- who is next ---- */

static struct resident seated_at(const struct sm *sm, const struct work *k, u32 place)
{
    struct block *b = sm->blocks.block[place / BLOCK_WARPS_MAX];
    u32 warp = place % BLOCK_WARPS_MAX;
    if (!b || b->work != k || b->life != LIFE_SEATED || !b->state.alive_n || block_is_pinned(sm, b))
        return (struct resident){0};
    if (unit_of(b) == CORUN_BLOCKS) return warp ? (struct resident){0} : (struct resident){b, NULL};
    struct context *c = warp < b->state.warp_n ? b->context[warp] : NULL;
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
        unit_queue_forget(sm, &r->stalled[u.context ? CORUN_WARPS : CORUN_BLOCKS], u.block);
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
        bool waits = unit_is_stalled(sm, &u), wanted = u.block->work == of;
        if (waits && !of) {
            const struct launch_here *l = launch_found(sm, u.block->work);
            wanted = l->absent < l->spare;
        }
        if (waits && !wanted) {
            k++;
            continue;
        }
        unit_queue_remove(sm, q, k);
        if (waits) return u;
    }
    return (struct resident){0};
}

enum { TURN_PINNED, TURN_EARLY, TURN_LATE, TURNS };

static u32 turn_of(const struct sm *sm, const struct resident *u)
{
    if (sm->residency.pins && block_is_pinned(sm, u->block)) return TURN_PINNED;
    return !u->block->work->residency.returned_first || unit_has_run(u) ? TURN_EARLY : TURN_LATE;
}

static void turn_begin(struct sm *sm, const struct work *k, u64 now)
{
    u64 *at = &sm->residency.turn_at;
    if (!k->residency.quantum) return;
    *at = min_u64(*at <= now ? NEVER : *at, now + k->residency.quantum);
}

/* One of the ready whose turn it is comes in, to a free place or for one that waits. none: a launch
 * that has neither for its ready. more: others have theirs later. */
static bool ready_move(struct sm *sm, enum corun_unit kind, u32 turn, const struct work **none,
                       bool *more, u64 now)
{
    struct residency *r = &sm->residency;
    struct unit_queue *q = &r->ready[kind];
    *more = false;
    for (u32 k = 0; k < q->n; k++) {
        const struct work *of = q->at[k].block->work;
        if (of == *none) continue;
        struct resident out = {0};
        bool place = launch_has_place(launch_found(sm, of));
        if (!place && !r->stalled[kind].n && !of->residency.quantum) {
            *none = of;
            continue;
        }
        if (turn_of(sm, &q->at[k]) != turn) {
            *more = true;
            continue;
        }
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
        unit_queue_remove(sm, q, k);
        move_begin(sm, out, in, now);
        return true;
    }
    return false;
}

static bool pair_start(struct sm *sm, enum corun_unit kind, u64 now)
{
    const struct work *none = NULL;
    bool more = true;
    for (u32 turn = sm->residency.pins ? TURN_PINNED : TURN_EARLY; turn < TURNS && more; turn++)
        if (ready_move(sm, kind, turn, &none, &more, now)) return true;
    struct resident out = stalled_take(sm, kind, NULL);
    if (!out.block) return false;
    move_begin(sm, out, (struct resident){0}, now);
    return true;
}

void move_start(struct sm *sm, u64 now)
{
    if (!pair_start(sm, CORUN_WARPS, now)) pair_start(sm, CORUN_BLOCKS, now);
}
